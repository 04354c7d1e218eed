/* SPDX-License-Identifier: BSD-3-Clause */
/* Two GPUs: flags, single operations, copies by the engine and by kernels, puts with signal. */
#include "operations.h"

namespace
{
constexpr int rounds = 2000;

/* One side of a ping-pong; `first` starts. Cycles of each round trip are noted by the first. */
static __global__ void flag_side(flag *write, flag *poll, bool fences, bool first, float *cycles)
{
    cuda::memory_order release = fences ? cuda::memory_order_release : cuda::memory_order_relaxed;
    cuda::memory_order acquire = fences ? cuda::memory_order_acquire : cuda::memory_order_relaxed;
    patience patience;
    for (uint32_t i = 1; i <= rounds; i++) {
        uint64_t start = clock64();
        if (first)
            system_word(write->value).store(i, release);
        if (!wait_for(system_word(poll->value), i, acquire, patience))
            return;
        if (!first)
            system_word(write->value).store(i, release);
        else
            cycles[i - 1] = (float)(clock64() - start);
    }
}

struct pair_memory {
    char *at[2]; // a buffer in each GPU's memory
    cudaStream_t streams[2];
};
constexpr size_t buffer_bytes = (size_t)256 << 20;

static void clear_flags(const pair_memory &pair)
{
    for (int gpu = 0; gpu < 2; gpu++)
        CUDA(cudaMemset(pair.at[gpu], 0, 4096));
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        CUDA(cudaDeviceSynchronize());
    }
    CUDA(cudaSetDevice(0));
}

static void write_row(table &table, const char *what, const samples &times_ns)
{
    table.row("%s\t%.1f\t%.1f\t%.1f\t%.1f\t%zu", what, times_ns.median(), times_ns.quantile(0.1),
              times_ns.quantile(0.9), times_ns.quantile(0.99), times_ns.count());
}

static void flag_round_trip(table &table, const pair_memory &pair, double ratio, bool poll_local,
                            bool fences)
{
    float *cycles = pinned_alloc<float>(rounds);
    clear_flags(pair);
    flag *flags[2] = {(flag *)pair.at[0], (flag *)pair.at[1]};
    for (int gpu = 1; gpu >= 0; gpu--) {
        CUDA(cudaSetDevice(gpu));
        flag *mine = flags[gpu], *theirs = flags[1 - gpu];
        flag_side<<<1, 1, 0, pair.streams[gpu]>>>(
            poll_local ? theirs : mine, poll_local ? mine : theirs, fences, gpu == 0, cycles);
    }
    for (cudaStream_t stream : pair.streams)
        CUDA(cudaStreamSynchronize(stream));
    samples times;
    for (int i = rounds / 20; i < rounds; i++)
        times.add(cycles[i] / ratio);
    std::string name = std::string(poll_local ? "rtt_poll_local" : "rtt_poll_remote") +
                       (fences ? "_release_acquire" : "_relaxed");
    write_row(table, name.c_str(), times);
    CUDA(cudaFreeHost(cycles));
}

template <typename Operation>
static void remote_row(table &table, const char *name, const pair_memory &pair, double ratio)
{
    for (int gpu = 0; gpu < 2; gpu++) {
        clear_flags(pair);
        write_row(table, (std::string(gpu ? "remote_" : "local_") + name).c_str(),
                  operation_times<Operation>((flag *)pair.at[gpu], ratio));
    }
}

static void flags(const std::string &folder, const pair_memory &pair)
{
    table table(
        folder, "flags",
        "flag ping-pong between one thread on each GPU (rtt: round trip), and single operations of one thread\n"
        "on GPU 0 (cycles / SM clock); poll_local: each GPU polls its own memory and writes the other's;\n"
        "poll_remote: each writes its own memory and polls the other's",
        "what median_ns p10_ns p90_ns p99_ns n");
    double ratio = cycles_per_ns(0);
    for (bool poll_local : {true, false})
        for (bool fences : {true, false})
            flag_round_trip(table, pair, ratio, poll_local, fences);
    remote_row<at_system::store_then_fence>(table, "store_plus_fence_sys", pair, ratio);
    remote_row<at_system::load>(table, "dependent_load", pair, ratio);
    remote_row<at_system::atomic_add>(table, "atomic_return", pair, ratio);
    remote_row<at_system::fence>(table, "fence_sys_alone", pair, ratio);
}

static void peer_copies(const std::string &folder, const pair_memory &pair)
{
    table table(
        folder, "peercopy",
        "cudaMemcpyPeerAsync GPU0->GPU1 issued on a GPU0 stream, peer access 1; window = copies enqueued back\n"
        "to back; bidir = both directions on two streams, GBps is the sum",
        "bytes enqueue_median_us total_median_us total_p10_us total_p90_us n GBps_single window GBps_window "
        "GBps_bidir_window");
    for (size_t bytes = value<size_t>(8, 16, 32); bytes <= buffer_bytes; bytes *= 4) {
        int window = value(bytes <= (1 << 20) ? 64 : 4, 12, 24);
        auto copy = [&](int from) {
            CUDA(cudaMemcpyPeerAsync(pair.at[1 - from], 1 - from, pair.at[from], from, bytes,
                                     pair.streams[from]));
        };
        samples enqueue, total;
        for (int i = 0; i < (bytes <= (1 << 20) ? 220 : 12); i++) {
            double start = now_ns();
            copy(0);
            enqueue.add(now_ns() - start);
            CUDA(cudaStreamSynchronize(pair.streams[0]));
            total.add(now_ns() - start);
        }
        enqueue.drop_first(4);
        total.drop_first(4);
        samples windows[2];
        for (int ways = 1; ways <= 2; ways++)
            windows[ways - 1] = time_each(2, 8, [&] {
                for (int i = 0; i < window * ways; i++)
                    copy(i % ways);
                CUDA(cudaStreamSynchronize(pair.streams[0]));
                CUDA(cudaStreamSynchronize(pair.streams[1]));
            });
        table.row("%zu\t%.3f\t%.3f\t%.3f\t%.3f\t%zu\t%.6f\t%d\t%.6f\t%.6f", bytes,
                  1e-3 * enqueue.median(), 1e-3 * total.median(), 1e-3 * total.quantile(0.1),
                  1e-3 * total.quantile(0.9), total.count(), (double)bytes / total.median(), window,
                  window * (double)bytes / windows[0].median(),
                  2 * window * (double)bytes / windows[1].median());
    }
}

/* The cache that the loads of a copy may hit in: repeated passes over data that fit in the L1 would hit there, unless
 * the loads bypass it. */
enum cached { IN_L1, IN_L2 };

/* Copies with four accesses of 16 B a thread under way; this thread starts at `first`. */
template <cached level>
static __device__ void copy_four_at_once(uint4 *to, const uint4 *from, size_t count, size_t first,
                                         size_t step)
{
    for (size_t at = first; at < count; at += 4 * step) {
        uint4 values[4];
        for (int i = 0; i < 4; i++)
            if (at + (size_t)i * step < count)
                values[i] = level == IN_L1 ? from[at + (size_t)i * step]
                                           : __ldcg(&from[at + (size_t)i * step]);
        for (int i = 0; i < 4; i++)
            if (at + (size_t)i * step < count)
                to[at + (size_t)i * step] = values[i];
    }
}

template <cached level>
static __global__ void move(uint4 *to, const uint4 *from, size_t count, int passes)
{
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int pass = 0; pass < passes; pass++)
        copy_four_at_once<level>(to, from, count, first, (size_t)gridDim.x * blockDim.x);
}

/* Which GPU's memory is read and which is written. */
struct way {
    const char *name;
    int from, to;
    cached level;
};
static const way ways[] = {
    {"store", 0, 1, IN_L2},    {"load", 1, 0, IN_L2},    {"local", 0, 0, IN_L2},
    {"store_l1", 0, 1, IN_L1}, {"load_l1", 1, 0, IN_L1},
};

static void move_row(table &table, const pair_memory &pair, const way &way, int blocks, int threads,
                     size_t bytes)
{
    cudaEvent_t start, end;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    uint4 *to = (uint4 *)(pair.at[way.to] + buffer_bytes / 2), *from = (uint4 *)pair.at[way.from];
    int passes = bytes <= (1 << 16) ? 100 : bytes <= (1 << 20) ? 20 : 4;
    auto kernel = way.level == IN_L1 ? move<IN_L1> : move<IN_L2>;
    samples times;
    for (int i = 0; i < 8; i++) {
        CUDA(cudaEventRecord(start, pair.streams[0]));
        kernel<<<blocks, threads, 0, pair.streams[0]>>>(to, from, bytes / sizeof(uint4), passes);
        CUDA(cudaEventRecord(end, pair.streams[0]));
        CUDA(cudaEventSynchronize(end));
        float milliseconds;
        CUDA(cudaEventElapsedTime(&milliseconds, start, end));
        times.add(1e6 * (double)milliseconds / passes);
    }
    times.drop_first(2);
    table.row("%s\t%d\t%d\t%zu\t%d\t%.3f\t%.3f\t%.3f\t%zu\t%.3f", way.name, blocks, threads, bytes,
              passes, 1e-3 * times.median(), 1e-3 * times.quantile(0.1), 1e-3 * times.quantile(0.9),
              times.count(), (double)bytes / times.median());
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(end));
}

static void moves(const std::string &folder, const pair_memory &pair)
{
    table table(
        folder, "inkernel_bw",
        "a copy kernel of `blocks` blocks of `threads` threads, 16 B per access, 4 in flight per thread; store:\n"
        "local read, remote write (GPU0->GPU1); load: remote read, local write; local: both within GPU0; loads\n"
        "bypass the L1 (ld.global.cg), except in store_l1 and load_l1; kernel_us: event time of the whole\n"
        "kernel / passes",
        "what blocks threads bytes passes kernel_us_per_pass_median p10_us p90_us n GBps");
    for (const way &way : ways)
        for (int threads : values({1024}, {128, 512}, {256, 768}))
            for (int blocks : values({1, 2, 4, 8, 16, 32, 132}, {3, 6, 12, 24, 66, 100},
                                     {5, 10, 20, 40, 80, 120}))
                for (size_t bytes = value<size_t>(4096, 8192, 16384); bytes <= buffer_bytes / 2;
                     bytes *= between_set > 0 ? 8 : 16)
                    if (bytes <= (size_t)blocks << 24)
                        move_row(table, pair, way, blocks, threads, bytes);
}

/* One block: copies its payload to the other GPU, fences, sets the flag there, waits for its own. */
static __global__ void put_side(char *mine, char *theirs, size_t bytes, int count, bool first,
                                float *cycles)
{
    __shared__ bool lost;
    patience patience;
    flag *my_flag = (flag *)mine, *their_flag = (flag *)theirs;
    const uint4 *from = (const uint4 *)(mine + 4096);
    uint4 *to = (uint4 *)(theirs + 4096 + buffer_bytes / 2);
    if (threadIdx.x == 0)
        lost = false;
    for (uint32_t i = 1; i <= (uint32_t)count; i++) {
        uint64_t start = clock64();
        for (int half = 0; half < 2; half++)
            if ((half == 0) == first) {
                if (bytes < sizeof(uint4) && threadIdx.x == 0)
                    *(uint64_t *)to = *(const uint64_t *)from + i;
                copy_four_at_once<IN_L1>(to, from, bytes / sizeof(uint4), threadIdx.x, blockDim.x);
                __syncthreads();
                if (threadIdx.x == 0) {
                    __threadfence_system();
                    system_word(their_flag->value).store(i, cuda::memory_order_relaxed);
                }
            } else {
                if (threadIdx.x == 0)
                    lost = !wait_for(system_word(my_flag->value), i, cuda::memory_order_acquire,
                                     patience);
                __syncthreads();
                if (lost)
                    return;
            }
        if (first && threadIdx.x == 0)
            cycles[i - 1] = (float)(clock64() - start);
    }
}

static void put_row(table &table, const pair_memory &pair, double ratio, size_t bytes, int threads)
{
    int count = bytes <= 65536 ? 400 : 100;
    float *cycles = pinned_alloc<float>((size_t)count);
    clear_flags(pair);
    for (int gpu = 1; gpu >= 0; gpu--) {
        CUDA(cudaSetDevice(gpu));
        put_side<<<1, threads, 0, pair.streams[gpu]>>>(pair.at[gpu], pair.at[1 - gpu], bytes, count,
                                                       gpu == 0, cycles);
    }
    for (cudaStream_t stream : pair.streams)
        CUDA(cudaStreamSynchronize(stream));
    samples times;
    for (int i = count / 20; i < count; i++)
        times.add(cycles[i] / ratio / 2);
    table.row("%zu\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%zu\t%.3f", bytes, threads, 1e-3 * times.median(),
              1e-3 * times.quantile(0.1), 1e-3 * times.quantile(0.9), 1e-3 * times.quantile(0.99),
              times.count(), (double)bytes / times.median());
    CUDA(cudaFreeHost(cycles));
}

static void puts_with_signal(const std::string &folder, const pair_memory &pair)
{
    table table(
        folder, "put_signal",
        "put with signal, ping-pong of one block on each GPU: payload copied with remote stores, barrier, system\n"
        "fence, flag store; the receiver polls its own memory; one_way = half the round trip",
        "bytes threads one_way_median_us p10_us p90_us p99_us n GBps");
    double ratio = cycles_per_ns(0);
    for (int threads : values({64, 256, 1024}, {128, 512}, {192, 768}))
        for (size_t bytes = value<size_t>(8, 16, 32); bytes <= (1 << 20);
             bytes *= threads == 256 ? 2 : 4)
            put_row(table, pair, ratio, bytes, threads);
}

} // namespace

void probe_peer(const std::string &folder)
{
    if (!reach_each_other()) {
        puts("peer         left out: these two GPUs cannot reach each other's memory");
        return;
    }
    pair_memory pair;
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        pair.at[gpu] = device_alloc<char>(buffer_bytes + 8192);
        CUDA(cudaStreamCreateWithFlags(&pair.streams[gpu], cudaStreamNonBlocking));
    }
    CUDA(cudaSetDevice(0));
    if (between_set == 0)
        flags(folder, pair);
    peer_copies(folder, pair);
    moves(folder, pair);
    puts_with_signal(folder, pair);
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaFree(pair.at[gpu]));
        CUDA(cudaStreamDestroy(pair.streams[gpu]));
    }
}
