/* SPDX-License-Identifier: BSD-3-Clause */
/* Two GPUs of one node: NVSHMEM's operations in a kernel, by a thread, a warp or a block, from 1 to 32 blocks at a time. A process for each
 * GPU, as of a job. */
#include "common.h"
#include "together.h"

#ifdef PROBE_NVSHMEM
#include <cstdlib>
#include <cstring>
#include <nvshmem.h>
#include <nvshmemx.h>

namespace
{
constexpr int rounds = 60, dropped = 10, blocks_most = 32;
constexpr size_t part_bytes_most = (size_t)256 << 10; // of each block

/* Who carries out an operation together. */
enum scope { THREAD, WARP, BLOCK };
constexpr struct {
    const char *name;
    int threads; // of each block of a kernel
} scopes[] = {{"thread", 1}, {"warp", 32}, {"block", 256}};

/* What one block works on, at the same address of each GPU's symmetric heap, and the GPU that it works with. */
struct place {
    char *from, *to;
    uint64_t *word;      // a line of 128 B: the first half for signals, the second for atomics
    size_t bytes, apart; // from one operation's source to the next one's
    int other;
    bool begins; // a round trip
};

static __device__ void quiet(scope)
{
    __syncthreads();
    if (threadIdx.x == 0)
        nvshmem_quiet();
    __syncthreads();
}

struct put_quiet {
    template <scope scope> static __device__ void carry_out(const place &it, uint64_t)
    {
        if constexpr (scope == THREAD)
            nvshmem_putmem_nbi(it.to, it.from, it.bytes, it.other);
        else if constexpr (scope == WARP)
            nvshmemx_putmem_nbi_warp(it.to, it.from, it.bytes, it.other);
        else
            nvshmemx_putmem_nbi_block(it.to, it.from, it.bytes, it.other);
        quiet(scope);
    }
};

struct quiet_alone {
    template <scope scope> static __device__ void carry_out(const place &, uint64_t)
    {
        quiet(scope);
    }
};

struct fence_alone {
    template <scope scope> static __device__ void carry_out(const place &, uint64_t)
    {
        nvshmem_fence();
    }
};

struct get {
    template <scope scope> static __device__ void carry_out(const place &it, uint64_t)
    {
        if constexpr (scope == THREAD)
            nvshmem_getmem(it.to, it.from, it.bytes, it.other);
        else if constexpr (scope == WARP)
            nvshmemx_getmem_warp(it.to, it.from, it.bytes, it.other);
        else
            nvshmemx_getmem_block(it.to, it.from, it.bytes, it.other);
    }
};

/* A put with signal there, and one back. */
struct put_signal {
    template <scope scope> static __device__ void send(const place &it, uint64_t turn)
    {
        if constexpr (scope == THREAD)
            nvshmem_putmem_signal(it.to, it.from, it.bytes, it.word, turn, NVSHMEM_SIGNAL_SET,
                                  it.other);
        else if constexpr (scope == WARP)
            nvshmemx_putmem_signal_warp(it.to, it.from, it.bytes, it.word, turn, NVSHMEM_SIGNAL_SET,
                                        it.other);
        else
            nvshmemx_putmem_signal_block(it.to, it.from, it.bytes, it.word, turn,
                                         NVSHMEM_SIGNAL_SET, it.other);
    }
    template <scope scope> static __device__ void carry_out(const place &it, uint64_t turn)
    {
        if (it.begins)
            send<scope>(it, turn);
        if (threadIdx.x == 0)
            nvshmem_signal_wait_until(it.word, NVSHMEM_CMP_EQ, turn);
        __syncthreads();
        if (!it.begins)
            send<scope>(it, turn);
    }
};

struct word_get {
    template <scope> static __device__ void carry_out(const place &it, uint64_t)
    {
        *(volatile uint64_t *)it.from = nvshmem_uint64_g(it.word, it.other);
    }
};

struct word_put_quiet {
    template <scope> static __device__ void carry_out(const place &it, uint64_t turn)
    {
        nvshmem_uint64_p(it.word, turn, it.other);
        nvshmem_quiet();
    }
};

struct fetch_add {
    template <scope> static __device__ void carry_out(const place &it, uint64_t turn)
    {
        *(volatile uint64_t *)it.from =
            nvshmem_uint64_atomic_fetch_add(it.word + 8, turn, it.other);
    }
};

struct add_quiet {
    template <scope> static __device__ void carry_out(const place &it, uint64_t turn)
    {
        nvshmem_uint64_atomic_add(it.word + 8, turn, it.other);
        nvshmem_quiet();
    }
};

struct barrier_all {
    template <scope scope> static __device__ void carry_out(const place &, uint64_t)
    {
        if constexpr (scope == THREAD)
            nvshmem_barrier_all();
        else if constexpr (scope == WARP)
            nvshmemx_barrier_all_warp();
        else
            nvshmemx_barrier_all_block();
    }
};

struct sync_all {
    template <scope scope> static __device__ void carry_out(const place &, uint64_t)
    {
        if constexpr (scope == THREAD)
            nvshmem_sync_all();
        else if constexpr (scope == WARP)
            nvshmemx_sync_all_warp();
        else
            nvshmemx_sync_all_block();
    }
};

template <typename operation, scope scope>
static __global__ void operate(place first, uint64_t turns_before, float *cycles)
{
    place it = first;
    it.from += blockIdx.x * rounds * part_bytes_most;
    it.to += blockIdx.x * part_bytes_most;
    it.word += blockIdx.x * 16; // a line of 128 B for each
    for (int round = 1; round <= rounds; round++) {
        __syncthreads();
        it.from += it.apart;
        uint64_t start = clock64();
        operation::template carry_out<scope>(it, turns_before + (uint64_t)round);
        __syncthreads();
        if (threadIdx.x == 0)
            cycles[blockIdx.x * rounds + round - 1] = (float)(clock64() - start);
    }
}

struct side {
    shared_place &shared;
    table *rows; // of the first process
    int gpu;
    place all;
    float *cycles; // in the GPU's memory: a fence waits for stores to the host's
    double ratio;  // cycles in a nanosecond
    uint64_t turns;

    void meet()
    {
        pthread_barrier_wait(&shared.barrier);
    }

    template <typename operation, scope scope> void launch(int blocks, size_t bytes, size_t apart)
    {
        place first = all;
        first.bytes = bytes;
        first.apart = apart;
        operate<operation, scope><<<blocks, scopes[scope].threads>>>(first, turns, cycles);
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
    }

    /* `halves`: of a round trip, one way is told. Both sides take part in what has `both`; the other operations leave the other GPU idle.
     * With `apart`, the second of two launches is told: the first has brought the sources into the cache of the GPU where they are. */
    template <typename operation, scope scope>
    void row(const char *what, int blocks, size_t bytes, bool both, int halves, size_t apart = 0)
    {
        for (int launches = 0; launches < (apart > 0 ? 2 : 1); launches++) {
            meet();
            if (both || gpu == 0)
                launch<operation, scope>(blocks, bytes, apart);
            turns += rounds;
        }
        meet();
        if (rows == nullptr)
            return;
        std::vector<float> taken((size_t)blocks * rounds);
        CUDA(
            cudaMemcpy(taken.data(), cycles, taken.size() * sizeof(float), cudaMemcpyDeviceToHost));
        samples times;
        for (int block = 0; block < blocks; block++)
            for (int round = dropped; round < rounds; round++)
                times.add(taken[block * rounds + round] / ratio / halves);
        rows->row("%s\t%s\t%d\t%zu\t%.1f\t%.1f\t%.1f\t%zu", what, scopes[scope].name, blocks, bytes,
                  times.median(), times.quantile(0.1), times.quantile(0.9), times.count());
    }

    template <scope scope> void transfers(int blocks)
    {
        size_t most = scope == THREAD ? (size_t)8 << 10 : part_bytes_most;
        for (size_t bytes = value<size_t>(8, 16, 32); bytes <= most; bytes *= 8) {
            row<put_quiet, scope>("put_quiet", blocks, bytes, false, 1);
            row<get, scope>("get", blocks, bytes, false, 1, bytes < 128 ? 128 : bytes);
            row<get, scope>("get_again", blocks, bytes, false, 1);
            row<put_signal, scope>("put_signal_one_way", blocks, bytes, true, 2);
        }
    }

    template <scope scope> void meetings()
    {
        row<barrier_all, scope>("barrier_all", 1, 8, true, 1);
        row<sync_all, scope>("sync_all", 1, 8, true, 1);
    }

    void measure()
    {
        for (int blocks : values<int>({1, 8, 32}, {2, 12}, {4, 24})) {
            transfers<THREAD>(blocks);
            transfers<WARP>(blocks);
            transfers<BLOCK>(blocks);
            row<quiet_alone, THREAD>("quiet", blocks, 8, false, 1);
            row<fence_alone, THREAD>("fence", blocks, 8, false, 1);
            row<word_get, THREAD>("g_again", blocks, 8, false, 1);
            row<word_put_quiet, THREAD>("p_quiet", blocks, 8, false, 1);
            row<fetch_add, THREAD>("atomic_fetch_add", blocks, 8, false, 1);
            row<add_quiet, THREAD>("atomic_add_quiet", blocks, 8, false, 1);
        }
        meetings<THREAD>();
        meetings<WARP>();
        meetings<BLOCK>();
    }
};

static void join(shared_place &shared, int gpu)
{
    setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0); // there is one node
    setenv("NVSHMEM_DISABLE_NVLS", "1", 0);
    CUDA(cudaSetDevice(gpu));
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    static_assert(sizeof id <= sizeof shared.id);
    if (gpu == 0) {
        if (nvshmemx_get_uniqueid(&id) != 0)
            fail("nvshmem: no identity for the job");
        memcpy(shared.id, &id, sizeof id);
    }
    pthread_barrier_wait(&shared.barrier);
    memcpy(&id, shared.id, sizeof id);
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    if (nvshmemx_set_attr_uniqueid_args(gpu, shared.gpus, &id, &attributes) != 0 ||
        nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) != 0)
        fail("nvshmem: GPU %d cannot join the job", gpu);
}

static void run_side(shared_place &shared, int gpu, table *rows)
{
    join(shared, gpu);
    place all = {};
    all.from = (char *)nvshmem_calloc(blocks_most * (rounds + 1), part_bytes_most);
    all.to = (char *)nvshmem_calloc(blocks_most, part_bytes_most);
    all.word = (uint64_t *)nvshmem_calloc(blocks_most * 16, sizeof *all.word);
    all.other = 1 - gpu;
    all.begins = gpu == 0;
    if (all.from == nullptr || all.to == nullptr || all.word == nullptr)
        fail("nvshmem: no room in the symmetric heap");
    if (nvshmem_ptr(all.to, all.other) == nullptr)
        fail("nvshmem: the GPUs cannot reach each other's memory");
    side side = {
        shared, rows, gpu, all, device_alloc<float>(blocks_most * rounds), cycles_per_ns(gpu), 0};
    side.measure();
    CUDA(cudaFree(side.cycles));
    nvshmem_free(all.word);
    nvshmem_free(all.to);
    nvshmem_free(all.from);
    nvshmem_finalize();
}

} // namespace

void probe_nvshmem(const std::string &folder)
{
    std::string comment =
        "NVSHMEM (version " + std::to_string(NVSHMEM_VENDOR_MAJOR_VERSION) + "." +
        std::to_string(NVSHMEM_VENDOR_MINOR_VERSION) + "." +
        std::to_string(NVSHMEM_VENDOR_PATCH_VERSION) +
        ") in kernels of two GPUs, a process for each: what an operation of each block takes, on memory of its own; blocks of\n"
        "1 (thread), 32 (warp) or 256 threads (block); one_way: half of a round trip, as both sides wait for the other's signal; get: of what is\n"
        "in the other GPU's cache and not in the block's own; again: of the same place each time";
    table table(folder, "nvshmem", comment.c_str(),
                "what scope blocks bytes median_ns p10_ns p90_ns n");
    run_together("nvshmem", 2, [&](shared_place &shared) { run_side(shared, 0, &table); });
}

void other_of_nvshmem(shared_place &shared, int gpu)
{
    run_side(shared, gpu, nullptr);
}

#else

void probe_nvshmem(const std::string &)
{
    puts("nvshmem      left out: NVSHMEM was not found as this program was built");
}

void other_of_nvshmem(shared_place &, int)
{
}
#endif
