/* SPDX-License-Identifier: BSD-3-Clause */
#include "words.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdlib>
#include <numeric>
#include <sched.h>
#include <time.h>

int between_set = 0;

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("gpunetsim-probe: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void check_cuda(cudaError_t error, const char *call, const char *file, int line)
{
    if (error != cudaSuccess)
        fail("%s:%d: %s: %s", file, line, call, cudaGetErrorString(error));
}

double now_ns()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

void samples::drop_first(size_t count)
{
    values.erase(values.begin(), values.begin() + (long)std::min(count, values.size()));
}

double samples::quantile(double fraction) const
{
    if (values.empty())
        return NAN;
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return sorted[(size_t)std::lround(fraction * (double)(sorted.size() - 1))];
}

double samples::mean() const
{
    return std::accumulate(values.begin(), values.end(), 0.0) / (double)values.size();
}

table::table(const std::string &folder, const std::string &name, const char *comment,
             const char *columns)
    : path(folder + "/" + name + ".tsv"), file(fopen((path + ".partial").c_str(), "w"))
{
    if (!file)
        fail("cannot write %s.partial", path.c_str());
    std::string text = comment;
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
        text.replace(at, 1, "\n# ");
    std::string names = columns;
    std::replace(names.begin(), names.end(), ' ', '\t');
    fprintf(file, "# %s\n#run\t%s\n", text.c_str(), names.c_str());
}

void table::row(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("1\t", file); // one run; the column is there so that tables of several can be joined
    vfprintf(file, format, arguments);
    fputc('\n', file);
    va_end(arguments);
}

table::~table()
{
    bool written = !ferror(file);
    if (fclose(file) != 0 || !written || rename((path + ".partial").c_str(), path.c_str()) != 0)
        fail("cannot write %s", path.c_str());
}

static cpu_set_t allowed_cpus()
{
    static const cpu_set_t allowed = [] {
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set) != 0)
            fail("cannot learn which CPUs may be used");
        return set;
    }();
    return allowed;
}

int usable_cpus()
{
    cpu_set_t allowed = allowed_cpus();
    return CPU_COUNT(&allowed);
}

void pin_to_cpu(int place)
{
    cpu_set_t allowed = allowed_cpus();
    int left = place % CPU_COUNT(&allowed);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &allowed) || left-- > 0)
        cpu++;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        fail("cannot pin a thread to CPU %d", cpu);
}

void unpin()
{
    cpu_set_t allowed = allowed_cpus();
    if (sched_setaffinity(0, sizeof allowed, &allowed) != 0)
        fail("cannot let a thread run on all CPUs");
}

static __global__ void count_cycles(uint64_t *cycles, uint64_t *nanoseconds)
{
    uint64_t start_ns = global_timer_ns();
    uint64_t start = clock64();
    while (global_timer_ns() - start_ns < 2'000'000)
        continue;
    *cycles = clock64() - start;
    *nanoseconds = global_timer_ns() - start_ns;
}

double cycles_per_ns(int gpu)
{
    int before;
    CUDA(cudaGetDevice(&before));
    CUDA(cudaSetDevice(gpu));
    uint64_t *counts = pinned_alloc<uint64_t>(2);
    for (int i = 0; i < 50; i++) { // the clock rises only under load
        count_cycles<<<1, 1>>>(&counts[0], &counts[1]);
        CUDA(cudaDeviceSynchronize());
    }
    double ratio = (double)counts[0] / (double)counts[1];
    CUDA(cudaFreeHost(counts));
    CUDA(cudaSetDevice(before));
    return ratio;
}

samples time_each(int warm_up, int count, const std::function<void()> &body)
{
    samples times;
    for (int i = -warm_up; i < count; i++) {
        double start = now_ns();
        body();
        double end = now_ns();
        if (i >= 0)
            times.add(end - start);
    }
    return times;
}

bool host_wait_for(uint32_t *word, uint32_t value)
{
    system_word flag(*word);
    double until = now_ns() + (double)patience_ns;
    for (uint32_t look = 1; flag.load(cuda::memory_order_acquire) != value; look++)
        if (look % 4096 == 0 && now_ns() > until)
            return false;
    return true;
}

bool reach_each_other()
{
    for (int gpu = 0; gpu < 2; gpu++) {
        int can;
        CUDA(cudaDeviceCanAccessPeer(&can, gpu, 1 - gpu));
        if (!can)
            return false;
        CUDA(cudaSetDevice(gpu));
        cudaError_t error = cudaDeviceEnablePeerAccess(1 - gpu, 0);
        if (error != cudaErrorPeerAccessAlreadyEnabled)
            CUDA(error);
        cudaGetLastError();
    }
    CUDA(cudaSetDevice(0));
    return true;
}
