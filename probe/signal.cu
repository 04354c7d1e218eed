/* SPDX-License-Identifier: BSD-3-Clause */
/* Flags between a GPU thread and a host thread, and single operations of a GPU thread on host and GPU memory. */
#include "operations.h"

#include <thread>

constexpr int rounds = 2000;

/* The GPU's side of a ping-pong: writes `there`, waits for `here`, and notes each round trip's cycles. */
static __global__ void ping(flag *there, flag *here, bool fences, float *cycles)
{
    flag *mine = &there[blockIdx.x];
    flag *answers = &here[blockIdx.x];
    cuda::memory_order release = fences ? cuda::memory_order_release : cuda::memory_order_relaxed;
    cuda::memory_order acquire = fences ? cuda::memory_order_acquire : cuda::memory_order_relaxed;
    patience patience;
    for (uint32_t i = 1; i <= rounds; i++) {
        uint64_t start = clock64();
        system_word(mine->value).store(i, release);
        if (!wait_for(system_word(answers->value), i, acquire, patience))
            return;
        cycles[blockIdx.x * rounds + i - 1] = (float)(clock64() - start);
    }
}

static void answer(flag *there, flag *here, int cpu)
{
    pin_to_cpu(cpu);
    for (uint32_t i = 1; i <= rounds; i++) {
        if (!host_wait_for(&there->value, i))
            return;
        system_word(here->value).store(i, cuda::memory_order_release);
    }
}

static void write_row(table &table, const char *what, const char *param, const samples &times_ns)
{
    table.row("%s\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%zu", what, param, times_ns.median(),
              times_ns.quantile(0.1), times_ns.quantile(0.9), times_ns.quantile(0.99),
              times_ns.mean(), times_ns.count());
}

static void round_trips(table &table, double ratio, int pairs, bool fences)
{
    flag *there = pinned_alloc<flag>((size_t)pairs);
    flag *here = pinned_alloc<flag>((size_t)pairs);
    float *cycles = pinned_alloc<float>((size_t)pairs * rounds);
    std::vector<std::thread> partners;
    for (int i = 0; i < pairs; i++)
        partners.emplace_back(answer, &there[i], &here[i], 2 + i);
    ping<<<pairs, 1>>>(there, here, fences, cycles);
    CUDA(cudaDeviceSynchronize());
    for (std::thread &partner : partners)
        partner.join();
    samples times;
    for (int i = 0; i < pairs * rounds; i++)
        if (i % rounds >= rounds / 10)
            times.add(cycles[i] / ratio);
    std::string name =
        "pairs=" + std::to_string(pairs) + (fences ? "_release_acquire" : "_relaxed");
    write_row(table, "rtt_gpu", name.c_str(), times);
    CUDA(cudaFreeHost(there));
    CUDA(cudaFreeHost(here));
    CUDA(cudaFreeHost(cycles));
}

static void operation_rows(table &table, const char *memory, flag *words)
{
    double ratio = cycles_per_ns(0);
    write_row(table, memory, "load", operation_times<at_system::load>(words, ratio));
    write_row(table, memory, "load_acquire_sys",
              operation_times<at_system::load_acquire>(words, ratio));
    write_row(table, memory, "store_plus_fence_sys",
              operation_times<at_system::store_then_fence>(words, ratio));
    write_row(table, memory, "store_release_sys",
              operation_times<at_system::store_release>(words, ratio));
    write_row(table, memory, "store_relaxed_issue",
              operation_times<at_system::store_relaxed>(words, ratio));
    write_row(table, memory, "fence_sys_alone", operation_times<at_system::fence>(words, ratio));
    write_row(table, memory, "atomic_add_return",
              operation_times<at_system::atomic_add>(words, ratio));
    write_row(table, memory, "atomic_cas_return",
              operation_times<at_system::atomic_compare_exchange>(words, ratio));
    write_row(table, memory, "atomic_exch_return",
              operation_times<at_system::atomic_exchange>(words, ratio));
}

/* A block that reads `bytes` of host memory into its own, or writes them there and fences. */
static __global__ void block_moves(uint4 *host, uint4 *gpu, size_t count, bool writes,
                                   float *cycles)
{
    for (int i = 0; i < 60; i++) {
        __syncthreads();
        uint64_t start = clock64();
        for (size_t at = threadIdx.x; at < count; at += blockDim.x)
            if (writes)
                host[at] = make_uint4((unsigned)i, 1, 2, 3);
            else
                gpu[at] = __ldcv(&host[at]);
        if (writes)
            __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0)
            cycles[i] = (float)(clock64() - start);
    }
}

static void block_rows(table &table, double ratio)
{
    constexpr size_t most = 256 << 10;
    uint4 *host = pinned_alloc<uint4>(most / sizeof(uint4));
    uint4 *gpu = device_alloc<uint4>(most / sizeof(uint4));
    float *cycles = pinned_alloc<float>(60);
    for (int threads : {64, 1024})
        for (size_t bytes = threads == 64 ? 64 : 4096; bytes <= most; bytes *= 4)
            for (bool writes : {false, true}) {
                block_moves<<<1, threads>>>(host, gpu, bytes / sizeof(uint4), writes, cycles);
                CUDA(cudaDeviceSynchronize());
                samples times;
                for (int i = 10; i < 60; i++)
                    times.add(cycles[i] / ratio);
                std::string name =
                    "bytes=" + std::to_string(bytes) + "_threads=" + std::to_string(threads);
                write_row(table, writes ? "block_write_host_plus_fence" : "block_read_host",
                          name.c_str(), times);
            }
    CUDA(cudaFreeHost(host));
    CUDA(cudaFree(gpu));
    CUDA(cudaFreeHost(cycles));
}

void probe_signal(const std::string &folder)
{
    table table(
        folder, "signal",
        "GPU<->host signalling. rtt_gpu: round trip timed by the GPU thread (flag in mapped pinned host memory,\n"
        "GPU writes its flag, host thread answers); pairs: that many blocks each with its own host thread;\n"
        "host_op, dev_op: cost of one operation of one GPU thread on host or device memory",
        "what param median_ns p10_ns p90_ns p99_ns mean_ns n");
    double ratio = cycles_per_ns(0);
    for (bool fences : {true, false})
        for (int pairs : values({1, 2, 4, 8}, {3, 6, 12}, {5, 7, 10}))
            if (pairs + 2 < usable_cpus())
                round_trips(table, ratio, pairs, fences);
    if (between_set > 0)
        return;
    flag *host = pinned_alloc<flag>(batch);
    flag *gpu = device_alloc<flag>(batch);
    operation_rows(table, "host_op", host);
    operation_rows(table, "dev_op", gpu);
    block_rows(table, ratio);
    CUDA(cudaFreeHost(host));
    CUDA(cudaFree(gpu));
}
