/* SPDX-License-Identifier: BSD-3-Clause */
/* What kernels that send tokens to experts are made of, without such a library: meetings of all blocks of a GPU, released counters, tokens made
 * to bytes, copies by warps and by the bulk copy engine of a multiprocessor, sums of several arrays. */
#include "common.h"

#include <algorithm>

#include <cooperative_groups.h>
#include <cuda_fp8.h>

namespace
{
constexpr int threads = 1024, blocks_most = 128, gpus_most = 8, token_packs = 896, // bf16: 14,336 B
    message_bytes = 7408, piece_bytes = 2048, stages = 3, piece_room = piece_bytes + 16,
              token_bytes = 16 * token_packs, summed = 8, groups = 2, summers = 14;
constexpr size_t shared_bytes = 32 * stages * piece_room, buffer_bytes = (size_t)1 << 30;

enum part {
    meet,
    released,
    released_by_all,
    cast,
    put,
    cast_put,
    placed_put,
    bulk,
    unpack,
    scaled_unpack,
    sum
};
constexpr const char *names[] = {
    "meet",       "released", "released_by_all", "cast",          "put", "cast_put",
    "placed_put", "bulk",     "unpack",          "scaled_unpack", "sum"};

struct gpu_memory {
    const uint4 *in;
    char *bytes, *to[gpus_most]; // `bytes`: own copies; to: where warps send
    int *counters;
    volatile uint32_t *go;
    uint64_t *times; // of each block: start and end
    int gpus, gpu;
};

__device__ uint64_t timer()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

__device__ int add_released(int *word, int value)
{
    int before;
    asm volatile("atom.add.release.gpu.global.s32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(word), "r"(value)
                 : "memory");
    return before;
}

__device__ uint32_t place_of(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}

__device__ void barrier_start(void *barrier, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place_of(barrier)), "r"(count));
}

__device__ void barrier_wait(void *barrier, uint32_t phase)
{
    asm volatile(
        "{\n .reg .pred done;\n again:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        " @!done bra again;\n }" ::"r"(place_of(barrier)),
        "r"(phase)
        : "memory");
}

__device__ void bulk_load(void *to, const void *from, void *barrier, int bytes)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(place_of(to)),
        "l"(from), "r"(bytes), "r"(place_of(barrier))
        : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place_of(barrier)),
                 "r"(bytes)
                 : "memory");
}

__device__ void bulk_store(void *to, const void *from, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(place_of(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
}

/* A token of 7,168 numbers of 2 B becomes bytes, with a factor for each 128: 16 B a thread. */
__device__ void cast_token(const uint4 *token, char *to)
{
    int i = threadIdx.x;
    if (i >= token_packs)
        return;
    uint4 pack = __ldg(token + i);
    const auto *pairs = (const __nv_bfloat162 *)&pack;
    float2 numbers[4];
    float most = 1e-4f;
    for (int k = 0; k < 4; k++) {
        numbers[k] = __bfloat1622float2(pairs[k]);
        most = fmaxf(most, fmaxf(fabsf(numbers[k].x), fabsf(numbers[k].y)));
    }
    for (int lanes = 8; lanes > 0; lanes /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, lanes));
    float factor = 448 / most;
    if (i % 16 == 0)
        ((float *)(to + 16 + 8 * token_packs))[i / 16] = most / 448;
    __nv_fp8x2_storage_t bytes[4];
    for (int k = 0; k < 4; k++)
        bytes[k] = __nv_cvt_float2_to_fp8x2({numbers[k].x * factor, numbers[k].y * factor},
                                            __NV_SATFINITE, __NV_E4M3);
    ((uint2 *)(to + 16))[i] = *(uint2 *)bytes;
}

/* A warp copies `packs` of 16 B, `most` of a lane under way. */
template <int most> __device__ void copy_by_warp(char *to, const char *from, int packs)
{
    for (int first = threadIdx.x % 32; first < packs; first += 32 * most) {
        uint4 values[most];
#pragma unroll
        for (int k = 0; k < most; k++)
            if (first + 32 * k < packs)
                values[k] = __ldcg((const uint4 *)from + first + 32 * k);
#pragma unroll
        for (int k = 0; k < most; k++)
            if (first + 32 * k < packs)
                __stcg((uint4 *)to + first + 32 * k, values[k]);
    }
}

/* A warp copies a token in pieces through shared memory: a load and a store of the engine at a time, two pieces apart. */
__device__ void copy_in_bulk(char *shared, char *to, const char *from, uint32_t *phases)
{
    constexpr int pieces = token_bytes / piece_bytes;
    bool is_first = threadIdx.x % 32 == 0;
    if (is_first)
        bulk_load(shared, from, shared + piece_bytes, piece_bytes);
    for (int i = 0; i < pieces; i++) {
        char *place = shared + i % stages * piece_room,
             *next = shared + (i + 1) % stages * piece_room;
        if (is_first && i + 1 < pieces) {
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            bulk_load(next, from + (i + 1) * piece_bytes, next + piece_bytes, piece_bytes);
        }
        __syncwarp();
        barrier_wait(place + piece_bytes, *phases >> i % stages & 1);
        *phases ^= 1u << i % stages;
        if (is_first)
            bulk_store(to + i * piece_bytes, place, piece_bytes);
        __syncwarp();
    }
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    __syncwarp();
}

/* Two groups of 14 warps sum eight arrays of a token each; a warp more of each group loads them, three at a time. */
__device__ void sum_tokens(char *shared, const gpu_memory &at, int tokens)
{
    int warp = threadIdx.x / 32, group = warp / (summers + 1), member = warp % (summers + 1);
    bool is_first = threadIdx.x % 32 == 0;
    if (group >= groups)
        return;
    constexpr int room = token_bytes + 16;
    char *own = shared + group * stages * room;
    for (int token = group, i = 0; token < tokens; token += groups) {
        float sums[16] = {};
        for (int k = 0; k < summed; k++, i++) {
            char *place = own + i % stages * room;
            const char *from = at.bytes + ((size_t)(token * gridDim.x + blockIdx.x) * summed + k) *
                                              token_bytes * 2 % buffer_bytes;
            if (member == summers) {
                barrier_wait(place + token_bytes + 8, (i / stages + 1) & 1);
                if (is_first)
                    bulk_load(place, from, place + token_bytes, token_bytes);
                __syncwarp();
                continue;
            }
            barrier_wait(place + token_bytes, i / stages & 1);
            const auto *pairs =
                (const __nv_bfloat162 *)(place + (member * 64 + threadIdx.x % 32 * 2) * 16);
            for (int j = 0; j < 8; j++) {
                float2 two = __bfloat1622float2(pairs[j]);
                sums[2 * j] += two.x * 0.5f;
                sums[2 * j + 1] += two.y * 0.5f;
            }
            __syncwarp();
            if (is_first)
                asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                                 place_of(place + token_bytes + 8))
                             : "memory");
        }
        if (member == summers)
            continue;
        uint4 out[2];
        for (int j = 0; j < 8; j++)
            ((__nv_bfloat162 *)out)[j] = __floats2bfloat162_rn(sums[2 * j], sums[2 * j + 1]);
        auto *to =
            (uint4 *)(at.to[at.gpu] + (size_t)(token * gridDim.x + blockIdx.x) * token_bytes) +
            member * 64 + threadIdx.x % 32 * 2;
        to[0] = out[0];
        to[1] = out[1];
    }
}

__device__ void put_token(const gpu_memory &at, int round, int warps, const char *from, bool is_far,
                          bool is_placed)
{
    int warp = threadIdx.x / 32, all = round * gridDim.x * warps + blockIdx.x * warps + warp;
    if (warp < warps) {
        int to = is_far ? (at.gpu + 1 + all % (at.gpus - 1)) % at.gpus : at.gpu, slot = 0;
        int expert = (int)((unsigned)all * 2654435761u >> 24); // as if a router chose
        if (is_placed && threadIdx.x % 32 == 0)
            slot = atomicAdd(at.counters + 512 + expert, 1);
        all += __shfl_sync(~0u, slot, 0) & 1;
        copy_by_warp<8>(at.to[to] +
                            (size_t)(all + at.gpu * 65536) * message_bytes % (buffer_bytes / 2),
                        from, message_bytes / 16);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            add_released(at.counters + expert, 1);
    }
}

/* A warp copies a received message to an expert's arrays: the index, the numbers, then 56 factors, each to a row of its own. */
__device__ void unpack_scaled(const gpu_memory &at, char *place, int all, const char *from)
{
    constexpr int row = 8192, factors = 56;
    int lane = threadIdx.x % 32;
    float *scales = (float *)(at.to[at.gpu] + buffer_bytes / 2) +
                    (size_t)(all / 64) * row * factors % (buffer_bytes / 8 - row * factors) +
                    all % 64;
    if (lane == 0)
        at.counters[1024 + all % 2048] = __ldcg((const int *)from);
    __syncwarp();
    copy_by_warp<7>(place, from + 16, token_packs / 2);
    for (int i = lane; i < factors; i += 32)
        scales[i * row] = __ldcg((const float *)(from + 16 + token_bytes / 2) + i);
}

__device__ void work(part part, const gpu_memory &at, int rounds, int warps, bool is_far,
                     char *shared)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (part == meet)
        for (int round = 0; round < rounds; round++)
            cooperative_groups::this_grid().sync();
    if ((part == released || part == released_by_all) && warp == 31) {
        for (int round = 0; round < rounds && blockIdx.x == 0; round++)
            add_released(at.counters + round % 8 * 32 + lane, 1);
        for (int k = 0; k < 2 && part == released_by_all && lane == 0; k++)
            add_released(at.counters + blockIdx.x * 2 + k, 1);
    }
    for (int round = 0; round < rounds && part >= cast && part <= placed_put; round++) {
        char *from = at.bytes + (size_t)(round * gridDim.x + blockIdx.x) * message_bytes;
        if (part != put)
            cast_token(at.in + (size_t)(round * gridDim.x + blockIdx.x) * token_packs, from);
        __syncthreads();
        if (part != cast)
            put_token(at, round, warps, from, is_far, part == placed_put);
    }
    uint32_t phases = 0;
    for (int round = 0; round < rounds && warp < warps && part >= bulk && part <= scaled_unpack;
         round++) {
        int all = (round * gridDim.x + blockIdx.x) * warps + warp;
        int to = is_far ? (at.gpu + 1 + all % (at.gpus - 1)) % at.gpus : at.gpu;
        char *place = at.to[to] + ((size_t)all + at.gpu * 32768) * token_bytes % (buffer_bytes / 2);
        const char *from = at.bytes + (size_t)all * token_bytes % buffer_bytes;
        if (part == bulk)
            copy_in_bulk(shared + warp * stages * piece_room, place, from, &phases);
        else if (part == unpack)
            copy_by_warp<7>(place, from, token_packs / 2);
        else
            unpack_scaled(at, place, all, from - (size_t)all * (token_bytes - message_bytes));
    }
    if (part == sum)
        sum_tokens(shared, at, rounds);
}

__global__ void __launch_bounds__(threads, 1)
    parts_of_experts(gpu_memory at, part part, int rounds, int warps, bool is_far, uint32_t turn)
{
    extern __shared__ __align__(128) char shared[];
    if (threadIdx.x == 0 && part == sum)
        for (int i = 0; i < groups * stages; i++) {
            char *place = shared + i * (token_bytes + 16) + token_bytes;
            barrier_start(place, 1);
            barrier_start(place + 8, summers);
        }
    if (threadIdx.x % 32 == 0 && part == bulk)
        for (int i = 0; i < stages; i++)
            barrier_start(shared + (threadIdx.x / 32 * stages + i) * piece_room + piece_bytes, 1);
    if (threadIdx.x == 0 && blockIdx.x == 0)
        while (*at.go < turn) {
        }
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0)
        at.times[2 * blockIdx.x] = timer();
    work(part, at, rounds, warps, is_far, shared);
    __syncthreads();
    if (threadIdx.x == 0)
        at.times[2 * blockIdx.x + 1] = timer();
}

struct all_gpus {
    gpu_memory at[gpus_most];
    cudaStream_t streams[gpus_most];
    int gpus;
    uint32_t turn, *go;
};

void row(table &table, all_gpus &all, part part, int used, int blocks, int rounds, int warps,
         bool is_far)
{
    samples medians, lasts;
    for (int repeat = 0; repeat < 16; repeat++) {
        all.turn++;
        for (int gpu = 0; gpu < used; gpu++) {
            CUDA(cudaSetDevice(gpu));
            gpu_memory at = all.at[gpu];
            at.gpus = used;
            void *arguments[] = {&at, &part, &rounds, &warps, &is_far, &all.turn};
            CUDA(cudaLaunchCooperativeKernel((const void *)parts_of_experts, dim3((unsigned)blocks),
                                             dim3(threads), arguments, shared_bytes,
                                             all.streams[gpu]));
        }
        double until = now_ns() + 2e5;
        while (now_ns() < until) {
        }
        *(volatile uint32_t *)all.go = all.turn;
        for (int gpu = 0; gpu < used; gpu++)
            CUDA(cudaStreamSynchronize(all.streams[gpu]));
        uint64_t first = UINT64_MAX;
        samples ends;
        const uint64_t *times = all.at[0].times;
        for (int block = 0; block < blocks; block++)
            first = std::min(first, times[2 * block]);
        for (int block = 0; block < blocks; block++)
            ends.add(1e-3 * (double)(times[2 * block + 1] - first));
        if (repeat < 3)
            continue;
        medians.add(ends.median());
        lasts.add(ends.quantile(1));
    }
    table.row("%s\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f", names[part], used, blocks, warps, (int)is_far,
              rounds, medians.median(), lasts.median());
}
} // namespace

void probe_experts(const std::string &folder)
{
    all_gpus all = {};
    CUDA(cudaGetDeviceCount(&all.gpus));
    all.gpus = std::min(all.gpus, gpus_most);
    all.go = pinned_alloc<uint32_t>(32);
    for (int gpu = 0; gpu < all.gpus; gpu++) {
        CUDA(cudaSetDevice(gpu));
        int major;
        CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu));
        if (major < 9) {
            puts("experts      left out: needs compute capability 9.0");
            return;
        }
        for (int peer = 0; peer < all.gpus; peer++)
            if (peer != gpu && cudaDeviceEnablePeerAccess(peer, 0) != cudaSuccess)
                (void)cudaGetLastError();
        all.at[gpu] = {device_alloc<uint4>(64 << 20 >> 4),
                       device_alloc<char>(buffer_bytes),
                       {},
                       device_alloc<int>(4096),
                       all.go,
                       pinned_alloc<uint64_t>(2 * blocks_most),
                       all.gpus,
                       gpu};
        all.at[gpu].to[gpu] = device_alloc<char>(buffer_bytes);
        CUDA(cudaStreamCreateWithFlags(&all.streams[gpu], cudaStreamNonBlocking));
        CUDA(cudaFuncSetAttribute(parts_of_experts, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)shared_bytes));
    }
    for (int gpu = 0; gpu < all.gpus; gpu++)
        for (int peer = 0; peer < all.gpus; peer++)
            all.at[gpu].to[peer] = all.at[peer].to[peer];
    table table(
        folder, "experts",
        "what `blocks` blocks of 1024 threads do `rounds` times on `gpus` GPUs at once, `far`: to the other GPUs in turn; us from the first\n"
        "block's start until the median and the last block of the first GPU have done it. meet: all blocks of a GPU meet; released: a\n"
        "warp of block 0 adds with release to 32 words, those of released_by_all besides each to two; cast: a token of 14336 B to 7168;\n"
        "put: `warps` warps copy 7408 B each, then add with release; bulk: each copies 14336 B by the bulk engine, 2 KiB at a time, three\n"
        "places; unpack: each copies 7168 B; placed_put, scaled_unpack: each warp first takes a place at one of 256 counters, copies 56 factors\n"
        "more to rows 32 KiB apart; sum: two groups of warps sum eight arrays of 14336 B",
        "what gpus blocks warps far rounds median_us last_us");
    for (int rounds : {0, 1, 2, 4, 8, 32})
        row(table, all, meet, 1, 128, rounds, 0, false);
    for (int rounds : {1, 2, 4, 8})
        for (part part : {released, released_by_all})
            row(table, all, part, 1, 128, rounds, 0, false);
    for (int blocks : {1, 128})
        for (int rounds : {1, 2, 4, 8})
            row(table, all, cast, 1, blocks, rounds, 0, false);
    for (int used = 1; used <= all.gpus; used = used == 1 ? 2 : used * 2)
        for (bool is_far : {false, true})
            for (int blocks : {1, 2, 16, 128})
                for (int rounds : {1, 2, 4, 8}) {
                    if (is_far != (used > 1))
                        continue;
                    for (int warps : {1, 2, 8})
                        row(table, all, put, used, blocks, rounds, warps, is_far);
                    row(table, all, cast_put, used, blocks, rounds, 8, is_far);
                    row(table, all, placed_put, used, blocks, rounds, 8, is_far);
                    for (int warps : {1, 4, 16, 32})
                        row(table, all, bulk, used, blocks, rounds, warps, is_far);
                    for (int warps : {1, 4, 16, 32})
                        for (part part : {unpack, scaled_unpack})
                            if (!is_far)
                                row(table, all, part, used, blocks, rounds, warps, is_far);
                    if (!is_far)
                        row(table, all, sum, used, blocks, rounds, 30, is_far);
                }
    CUDA(cudaSetDevice(0));
}
