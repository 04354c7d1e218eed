/* SPDX-License-Identifier: BSD-3-Clause */
/* What few multiprocessors reach whose threads load from and store to one or two GPUs at a time, as collectives' kernels do: which of loads,
 * stores, their parts and the other GPU's traffic share a limit. */
#include "common.h"

#include <algorithm>
#include <cuda_fp16.h>

namespace
{
constexpr size_t array_bytes = (size_t)256 << 20;
constexpr double run_us =
    1500; // of a row, so that two GPUs that start 10 us apart are at work together

struct arrays { // of this GPU and of the other one
    const uint4 *own_in, *peer_in;
    uint4 *own_out, *peer_out;
};

enum sums { XOR, HALF_IN_FLOAT };

template <sums how> __device__ uint4 sum(uint4 a, uint4 b)
{
    if (how == XOR)
        return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
    auto *left = (__half2 *)&a, *right = (__half2 *)&b;
    for (int i = 0; i < 4; i++) {
        float2 x = __half22float2(left[i]), y = __half22float2(right[i]);
        left[i] = __float22half2_rn(make_float2(x.x + y.x, x.y + y.y));
    }
    return a;
}

/* Each thread loads `under_way` packs of 16 B of each source, adds them, and stores them to each target; sources of the other GPU beyond the first are
 * loaded together when that one has come, as NCCL's kernels for symmetric memory do. Warps take the arrays in turn. */
template <int own_loads, int peer_loads, int own_stores, int peer_stores, int under_way, sums how>
__global__ void __launch_bounds__(1024) mix(arrays at, size_t packs, int passes)
{
    size_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32,
           warps = gridDim.x * (blockDim.x / 32);
    constexpr size_t chunk = 32 * under_way;
    for (int pass = 0; pass < passes; pass++)
        for (size_t place = warp * chunk; place + chunk <= packs; place += warps * chunk) {
            size_t first = place + threadIdx.x % 32;
            uint4 values[under_way] = {}, more[2][under_way];
            for (int i = 0; i < under_way && own_loads > 0; i++)
                values[i] = __ldcg(&at.own_in[first + 32 * i]);
            for (int i = 0; i < under_way && peer_loads > 0; i++)
                more[0][i] = __ldcg(&at.peer_in[first + 32 * i]);
            for (int i = 0; i < under_way && peer_loads > 0; i++)
                values[i] = sum<how>(values[i], more[0][i]);
            for (int k = 0; k < 2 && peer_loads > 1; k++)
                for (int i = 0; i < under_way; i++)
                    more[k][i] = __ldcg(&at.peer_in[(k + 1) * packs + first + 32 * i]);
            for (int k = 0; k < 2 && peer_loads > 1; k++)
                for (int i = 0; i < under_way; i++)
                    values[i] = sum<how>(values[i], more[k][i]);
            for (int k = 0; k < own_stores; k++)
                for (int i = 0; i < under_way; i++)
                    at.own_out[k * packs + first + 32 * i] = values[i];
            for (int k = 0; k < peer_stores; k++)
                for (int i = 0; i < under_way; i++)
                    at.peer_out[k * packs + first + 32 * i] = values[i];
            if (own_stores + peer_stores == 0)
                for (int i = 0; i < under_way; i++)
                    if (values[i].x == 0x12345678) // never: arrays are zero
                        at.own_out[first] = values[i];
        }
}

template <bool weak> __device__ void store(uint8_t *to, uint32_t value)
{
    if (weak)
        asm volatile("st.global.u8 [%0], %1;" ::"l"(to), "r"(value));
    else
        *(volatile uint8_t *)to = (uint8_t)value;
}
template <bool weak> __device__ void store(uint16_t *to, uint32_t value)
{
    if (weak)
        asm volatile("st.global.u16 [%0], %1;" ::"l"(to), "h"((uint16_t)value));
    else
        *(volatile uint16_t *)to = (uint16_t)value;
}
template <bool weak> __device__ void store(uint32_t *to, uint32_t value)
{
    if (weak)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(value));
    else
        *(volatile uint32_t *)to = value;
}
template <bool weak> __device__ void store(uint64_t *to, uint32_t value)
{
    if (weak)
        asm volatile("st.global.u64 [%0], %1;" ::"l"(to), "l"((uint64_t)value));
    else
        *(volatile uint64_t *)to = value;
}

/* Each thread stores 8 B beside its neighbour's, by elements of `T`, as protocol LL stores to its user's arrays; weak, as that does, or volatile. */
template <typename T, bool weak>
__global__ void __launch_bounds__(1024) elements(arrays at, size_t packs, int passes)
{
    constexpr int count = 8 / sizeof(T);
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x,
           threads = (size_t)gridDim.x * blockDim.x;
    for (int pass = 0; pass < passes; pass++)
        for (size_t word = thread; word < 2 * packs; word += threads)
            for (int i = 0; i < count; i++)
                store<weak>((T *)at.own_out + word * count + i, (uint32_t)(word + i));
}

struct kind {
    const char *name;
    int sources, targets; // what of its bytes a pass loads and stores
    void (*run)(arrays, size_t packs, int passes);
    void (*run_of_eight)(arrays, size_t packs, int passes); // with twice as many packs under way
};

#define MIX(name, own_in, peer_in, own_out, peer_out, how)                                         \
    {                                                                                              \
        name, own_in + peer_in, own_out + peer_out,                                                \
            mix<own_in, peer_in, own_out, peer_out, 4, how>,                                       \
            mix<own_in, peer_in, own_out, peer_out, 8, how>                                        \
    }

const kind kinds[] = {
    MIX("read_own", 1, 0, 0, 0, XOR),
    MIX("read_peer", 0, 1, 0, 0, XOR),
    MIX("read_both", 1, 1, 0, 0, XOR),
    MIX("write_own", 0, 0, 1, 0, XOR),
    MIX("write_peer", 0, 0, 0, 1, XOR),
    MIX("write_both", 0, 0, 1, 1, XOR),
    MIX("copy_own", 1, 0, 1, 0, XOR),
    MIX("copy_to_peer", 1, 0, 0, 1, XOR),
    MIX("copy_from_peer", 0, 1, 1, 0, XOR),
    MIX("gather", 1, 0, 1, 1, XOR),
    MIX("gather_of_four", 1, 0, 1, 3, XOR),
    MIX("scatter_without_sums", 1, 1, 1, 0, XOR),
    MIX("scatter", 1, 1, 1, 0, HALF_IN_FLOAT),
    MIX("scatter_of_four", 1, 3, 1, 0, HALF_IN_FLOAT),
    MIX("reduce_without_sums", 1, 1, 1, 1, XOR),
    MIX("reduce", 1, 1, 1, 1, HALF_IN_FLOAT),
    MIX("reduce_of_four", 1, 3, 1, 3, HALF_IN_FLOAT),
    {"elements_of_1", 0, 1, elements<uint8_t, false>, nullptr},
    {"elements_of_2", 0, 1, elements<uint16_t, false>, nullptr},
    {"elements_of_4", 0, 1, elements<uint32_t, false>, nullptr},
    {"elements_of_8", 0, 1, elements<uint64_t, false>, nullptr},
    {"weak_elements_of_1", 0, 1, elements<uint8_t, true>, nullptr},
    {"weak_elements_of_2", 0, 1, elements<uint16_t, true>, nullptr},
    {"weak_elements_of_4", 0, 1, elements<uint32_t, true>, nullptr},
    {"weak_elements_of_8", 0, 1, elements<uint64_t, true>, nullptr},
};

struct gpu_side {
    char *in, *out;
    cudaStream_t stream;
    cudaEvent_t start, end;
};

/* Time of `passes` passes on the slowest of `gpus` GPUs, us. */
double time_us(gpu_side sides[2], void (*run)(arrays, size_t, int), int blocks, int threads,
               int gpus, size_t packs, int passes)
{
    for (int gpu = gpus - 1; gpu >= 0; gpu--) {
        CUDA(cudaSetDevice(gpu));
        const gpu_side &own = sides[gpu], &peer = sides[1 - gpu];
        arrays at = {(const uint4 *)own.in, (const uint4 *)peer.in, (uint4 *)own.out,
                     (uint4 *)(peer.out + 3 * array_bytes)};
        CUDA(cudaEventRecord(own.start, own.stream));
        run<<<blocks, threads, 0, own.stream>>>(at, packs, passes);
        CUDA(cudaEventRecord(own.end, own.stream));
    }
    double longest = 0;
    for (int gpu = 0; gpu < gpus; gpu++) {
        float milliseconds;
        CUDA(cudaEventSynchronize(sides[gpu].end));
        CUDA(cudaEventElapsedTime(&milliseconds, sides[gpu].start, sides[gpu].end));
        longest = std::max(longest, 1e3 * milliseconds);
    }
    return longest;
}

void row(table &table, gpu_side sides[2], const kind &kind, int blocks, int threads, int under_way,
         int gpus, size_t at_least)
{
    auto run = under_way == 8 ? kind.run_of_eight : kind.run;
    size_t round = (size_t)blocks * threads * under_way * sizeof(uint4);
    size_t bytes = at_least < array_bytes ? (at_least + round - 1) / round * round
                                          : array_bytes / round * round; // all warps have as much
    size_t packs = bytes / sizeof(uint4);
    double first = time_us(sides, run, blocks, threads, gpus, packs, 1);
    int passes = (int)std::max(1.0, std::min(1000.0, run_us / first));
    samples times;
    for (int i = 0; i < 5; i++)
        times.add(time_us(sides, run, blocks, threads, gpus, packs, passes) / passes);
    times.drop_first(1);
    double us = times.median();
    table.row("%s\t%d\t%d\t%d\t%d\t%zu\t%d\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f", kind.name, blocks,
              threads, under_way, gpus, bytes, passes, us, times.quantile(0.1), times.quantile(0.9),
              1e-3 * (double)bytes * kind.sources / us / blocks,
              1e-3 * (double)bytes * kind.targets / us / blocks);
}
} // namespace

void probe_mixes(const std::string &folder)
{
    if (!reach_each_other()) {
        puts("mixes        left out: these two GPUs cannot reach each other's memory");
        return;
    }
    gpu_side sides[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        sides[gpu].in = device_alloc<char>(3 * array_bytes);
        sides[gpu].out = device_alloc<char>(6 * array_bytes);
        CUDA(cudaMemset(sides[gpu].in, 0, 3 * array_bytes));
        CUDA(cudaStreamCreateWithFlags(&sides[gpu].stream, cudaStreamNonBlocking));
        CUDA(cudaEventCreate(&sides[gpu].start));
        CUDA(cudaEventCreate(&sides[gpu].end));
        CUDA(cudaDeviceSynchronize());
    }
    table table(
        folder, "mixes",
        "kernels of `blocks` blocks of `threads` threads that load from and store to their GPU's memory and the other's, `under_way` accesses of\n"
        "16 B of each array and thread at a time (elements_of_N: 8 B of a thread by N, volatile or weak), on one or both GPUs at once; bytes: of one array; us: of a\n"
        "pass over all; GBps: of a block",
        "what blocks threads under_way gpus bytes passes us_median p10_us p90_us GBps_loaded GBps_stored");
    constexpr size_t fits =
        4 << 20; // in the L2 of 50 MiB, with what the other GPU loads and stores
    for (const kind &kind : kinds)
        for (int gpus : {1, 2}) {
            for (int blocks : {1, 2, 4, 7, 9, 16, 24, 48})
                row(table, sides, kind, blocks, 512, 4, gpus, fits);
            for (int blocks : {1, 7, 9, 24})
                row(table, sides, kind, blocks, 512, 4, gpus, array_bytes);
            for (int threads : {32, 128, 256, 1024})
                row(table, sides, kind, 1, threads, 4, gpus, fits);
            for (int blocks : {1, 9, 24})
                if (kind.run_of_eight != nullptr)
                    row(table, sides, kind, blocks, 512, 8, gpus, fits);
        }
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        CUDA(cudaFree(sides[gpu].in));
        CUDA(cudaFree(sides[gpu].out));
        CUDA(cudaEventDestroy(sides[gpu].start));
        CUDA(cudaEventDestroy(sides[gpu].end));
        CUDA(cudaStreamDestroy(sides[gpu].stream));
    }
    CUDA(cudaSetDevice(0));
}
