/* SPDX-License-Identifier: BSD-3-Clause */
/* What all experiments use: errors, time, samples, tables, pinned threads; words.h has what GPU threads wait with.
 * Every wait gives up: a GPU thread after `patience_ns` of its own global timer, a host thread after as long. */
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

/* Ends the program with one sentence if a call of CUDA's failed. */
#define CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)
void check_cuda(cudaError_t error, const char *call, const char *file, int line);
/* Ends the program with one sentence, status 2. */
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

constexpr uint64_t patience_ns = 5'000'000'000;

/* Which points are measured: 0: those of the usual tables; 1, 2: sets of points that lie between them, at which predictions are tested,
 * since no value was set by them. A parameter's values in each. */
extern int between_set;
template <typename T = int>
std::vector<T> values(std::vector<T> usual, std::vector<T> first, std::vector<T> second)
{
    return between_set == 0 ? usual : between_set == 1 ? first : second;
}
template <typename T> T value(T usual, T first, T second)
{
    return between_set == 0 ? usual : between_set == 1 ? first : second;
}

/* Nanoseconds of a clock that never goes back. */
double now_ns();

/* Durations of one thing, and what a table says about them. */
struct samples {
    std::vector<double> values;

    void add(double value)
    {
        values.push_back(value);
    }
    void drop_first(size_t count);
    double quantile(double fraction) const;
    double median() const
    {
        return quantile(0.5);
    }
    double mean() const;
    size_t count() const
    {
        return values.size();
    }
};

/* A table of tab-separated values. It is written under a temporary name and gets its own when it is closed. */
struct table {
    /* `comment` may have several lines; `columns` are separated by blanks, units in their names. */
    table(const std::string &folder, const std::string &name, const char *comment,
          const char *columns);
    ~table();
    table(const table &) = delete;
    table &operator=(const table &) = delete;
    void row(const char *format, ...) __attribute__((format(printf, 2, 3)));

  private:
    std::string path;
    FILE *file;
};

/* Puts the calling thread on the CPU at this place among those that the process may use, counted round. */
void pin_to_cpu(int place);
/* Lets it run on all of these again. */
void unpin();
int usable_cpus();

/* Cycles of the SM clock in a nanosecond, as a kernel that spins for two milliseconds counts them. */
double cycles_per_ns(int gpu);

/* Lets GPUs 0 and 1 reach each other's memory; false if they cannot. The current GPU becomes 0. */
bool reach_each_other();

/* Runs `body` `warm_up + count` times and gives the duration of each of the last `count`, in nanoseconds. */
samples time_each(int warm_up, int count, const std::function<void()> &body);

/* Memory of the host that the GPU reaches by the same address, filled with zeros. */
template <typename T> T *pinned_alloc(size_t count)
{
    T *memory = nullptr;
    CUDA(cudaHostAlloc((void **)&memory, count * sizeof(T),
                       cudaHostAllocMapped | cudaHostAllocPortable));
    std::fill_n((unsigned char *)memory, count * sizeof(T), (unsigned char)0);
    return memory;
}

/* Memory of the current GPU, filled with zeros. */
template <typename T> T *device_alloc(size_t count)
{
    T *memory = nullptr;
    CUDA(cudaMalloc((void **)&memory, count * sizeof(T)));
    CUDA(cudaMemset(memory, 0, count * sizeof(T)));
    CUDA(cudaDeviceSynchronize());
    return memory;
}

/* One flag a line of 128 B, so that no two share one. */
struct alignas(128) flag {
    uint32_t value;
};

/* Waits until the word has this value, by a host thread, without pause instructions, since these cost tens of nanoseconds; false if patience
 * ran out. */
bool host_wait_for(uint32_t *word, uint32_t value);

/* The experiments: each writes its tables into the folder. */
void probe_host(const std::string &folder);
void probe_launch(const std::string &folder);
void probe_copies(const std::string &folder);
void probe_signal(const std::string &folder);
void probe_scaling(const std::string &folder);
void probe_fences(const std::string &folder);
void probe_front_end(const std::string &folder);
void probe_host_queues(const std::string &folder);
void probe_host_threads(const std::string &folder);
void probe_host_windows(const std::string &folder);
void probe_host_posts(const std::string &folder);
void probe_host_lines(const std::string &folder);
void probe_line_owner(const std::string &folder);
void probe_gpu_agent(const std::string &folder);
void probe_agent_parts(const std::string &folder);
void probe_streams(const std::string &folder);
void probe_meetings(const std::string &folder);
void probe_peer(const std::string &folder);
void probe_allreduce(const std::string &folder);
void probe_overlap(const std::string &folder);
void other_of_overlap(struct shared_place &shared, int gpu);
void probe_exchange(const std::string &folder);
void probe_mixes(const std::string &folder);
void probe_slices(const std::string &folder);
void probe_experts(const std::string &folder);
void probe_strides(const std::string &folder);
void probe_collectives(const std::string &folder);
void other_of_collectives(struct shared_place &shared, int gpu);
void probe_nvshmem(const std::string &folder);
void other_of_nvshmem(struct shared_place &shared, int gpu);
void probe_messages(const std::string &folder);
void probe_jacobi2d(const std::string &folder);
void probe_jacobi3d(const std::string &folder);
void probe_power(const std::string &folder);
void probe_blocking(const std::string &folder);
/* Rows of operations by number of blocks, on lines of one kind of memory: `memory` names it. `words` has room for
 * `scaling_blocks_most` lines of 128 B, all zero. */
constexpr int scaling_blocks_most = 1056;
void scaling_rows(table &table, const char *memory, flag *words, bool device_scope);
/* A row of the table of launches, and those of graphs, which stand in it. */
void launch_row(table &table, const char *what, const std::string &param, const samples &times_ns);
void probe_graphs(table &table, cudaStream_t stream);
