/* SPDX-License-Identifier: BSD-3-Clause */
/* Two GPUs: allreduce beside kernels that compute. By resident rings beside a kernel that streams through memory or only computes; and in
 * backward passes, whose layers are kernels in a row, by NCCL behind an event of each bucket of layers. */
#include "common.h"
#include "rings.h"
#include "streams.h"
#include "together.h"

/* What both GPUs run beside the rings. */
struct beside {
    const char *name;
    int blocks;
};
constexpr double run_ns = 10e6;

static void beside_rows(table &table, resident_rings &rings, streaming *kernels[2],
                        const beside &kind)
{
    auto begin = [&] {
        for (int gpu = 0; gpu < 2; gpu++)
            kernels[gpu]->begin(kind.blocks);
    };
    auto end = [&] {
        double rate = kernels[0]->end();
        kernels[1]->end();
        return rate;
    };
    begin();
    for (double start = now_ns(); now_ns() - start < run_ns;)
        continue;
    double rate_alone = end();
    for (int count : {1, 4, 16, 32})
        for (size_t bytes = 64 << 10; bytes <= resident_rings::most_bytes; bytes *= 4) {
            rings.prepare(bytes);
            int rounds = 20;
            double alone_ns = 0, beside_ns = 0;
            rings.run(bytes, count, 512, rounds, &alone_ns);
            rounds = (int)std::min(std::max(run_ns / alone_ns, 20.0),
                                   (double)resident_rings::most_rounds);
            rings.prepare(bytes);
            samples alone = rings.run(bytes, count, 512, rounds, &alone_ns);
            rings.prepare(bytes);
            begin();
            samples times = rings.run(bytes, count, 512, rounds, &beside_ns);
            double rate = end();
            rings.check(std::min(bytes, (size_t)1 << 20), rounds);
            table.row("%s\t%d\t%d\t%zu\t%.3f\t%.3f\t%.3f\t%.3f\t%d\t%.1f\t%.1f", kind.name,
                      kind.blocks, count, bytes, 1e-3 * alone_ns, 1e-3 * beside_ns,
                      1e-3 * alone.median(), 1e-3 * times.median(), rounds, rate_alone, rate);
        }
}

static void allreduce_beside(const std::string &folder)
{
    table table(
        folder, "allreduce_beside",
        "allreduce of floats by two GPUs in resident kernels of `rings` blocks of 512 threads, as of the experiment allreduce, alone\n"
        "and beside `blocks` blocks of 1,024 threads on each GPU, each of which copies parts of its own of 256 MiB or more again and\n"
        "again (memory), or only multiplies and adds (compute): a round until all rings are over, and the first ring's, median;\n"
        "rates: what GPU 0's read and wrote, GB/s, or did, G operations/s (an addition is one)",
        "beside blocks rings bytes alone_us beside_us first_alone_us first_beside_us n rate_alone rate");
    resident_rings rings;
    for (bool computes : {false, true})
        for (int blocks : {32, 64, 100, 132}) {
            streaming::shape shape;
            shape.computes = computes;
            // As many pieces for each block: none meets lines in the L2 that another one has loaded.
            size_t count = (size_t)blocks;
            if (!computes)
                shape.bytes = (shape.bytes / shape.piece_bytes + count - 1) / count * count *
                              shape.piece_bytes;
            CUDA(cudaSetDevice(1));
            streaming second(shape);
            CUDA(cudaSetDevice(0));
            streaming first(shape);
            streaming *both[2] = {&first, &second};
            beside_rows(table, rings, both, {computes ? "compute" : "memory", blocks});
        }
    CUDA(cudaSetDevice(0));
}

#ifdef PROBE_NCCL
#include <cstring>
#include <nccl.h>

#define NCCL(call) check_result((call), #call)

static void check_result(ncclResult_t result, const char *call)
{
    if (result != ncclSuccess)
        fail("%s: %s", call, ncclGetErrorString(result));
}

constexpr int layers = 16, layer_threads = 256, passes = 10;
constexpr size_t gradient_bytes = 8 << 20, layer_bytes = 192 << 20;
constexpr unsigned multiplications = 1 << 15; // by a thread of a layer of 1,056 blocks

static __global__ void copy_layer(uint4 *to, const uint4 *from, size_t words)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}

static __global__ void compute_layer(unsigned turns, float *results)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 16
    for (unsigned turn = 0; turn < turns; turn++) {
        a = a * 0.999F + 1.0F;
        b = b * 0.999F + 1.0F;
        c = c * 0.999F + 1.0F;
        d = d * 0.999F + 1.0F;
    }
    if (a + b + c + d == 0.5F)
        results[threadIdx.x] = a;
}

struct trainer {
    shared_place &shared;
    table *rows; // of the first process
    ncclComm_t comm = nullptr;
    cudaStream_t computing = nullptr, reducing = nullptr;
    cudaEvent_t full[layers] = {};
    char *activations = nullptr;
    float *gradients = nullptr;

    void layer(bool copies, int blocks)
    {
        if (copies)
            copy_layer<<<blocks, layer_threads, 0, computing>>>(
                (uint4 *)(activations + layer_bytes), (const uint4 *)activations,
                layer_bytes / sizeof(uint4));
        else
            compute_layer<<<blocks, layer_threads, 0, computing>>>(multiplications / 4,
                                                                   (float *)activations);
    }

    /* One pass; returns when the layers are over, and then the allreduces, both in nanoseconds. */
    std::pair<double, double> pass(bool copies, int blocks, int bucket, bool computes, bool reduces)
    {
        CUDA(cudaDeviceSynchronize());
        pthread_barrier_wait(&shared.barrier);
        double start = now_ns();
        for (int done = 1; done <= layers; done++) {
            if (computes)
                layer(copies, blocks);
            if (!reduces || done % bucket != 0)
                continue;
            CUDA(cudaEventRecord(full[done - 1], computing));
            CUDA(cudaStreamWaitEvent(reducing, full[done - 1], 0));
            float *at = gradients + (size_t)(done - bucket) * (gradient_bytes / sizeof(float));
            NCCL(ncclAllReduce(at, at, (size_t)bucket * gradient_bytes / sizeof(float), ncclFloat,
                               ncclSum, comm, reducing));
        }
        CUDA(cudaStreamSynchronize(computing));
        double computed = now_ns() - start;
        CUDA(cudaStreamSynchronize(reducing));
        return {computed, now_ns() - start};
    }

    std::pair<samples, samples> times(bool copies, int blocks, int bucket, bool computes,
                                      bool reduces)
    {
        std::pair<samples, samples> all;
        for (int i = 0; i <= passes; i++) {
            auto [computed, both] = pass(copies, blocks, bucket, computes, reduces);
            if (i > 0) {
                all.first.add(1e-3 * computed);
                all.second.add(1e-3 * both);
            }
        }
        return all;
    }

    void row(bool copies, int blocks, int bucket)
    {
        samples compute = times(copies, blocks, bucket, true, false).second;
        samples reduce = times(copies, blocks, bucket, false, true).second;
        auto [computed, both] = times(copies, blocks, bucket, true, true);
        if (rows != nullptr)
            rows->row("%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%zu",
                      copies ? "memory" : "compute", blocks, bucket, compute.median(),
                      reduce.median(), computed.median(), both.median(), both.quantile(0.1),
                      both.quantile(0.9), both.count());
    }
};

static void train(shared_place &shared, int gpu, table *rows)
{
    trainer it{shared, rows};
    CUDA(cudaSetDevice(gpu));
    CUDA(cudaStreamCreateWithFlags(&it.computing, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&it.reducing, cudaStreamNonBlocking));
    for (cudaEvent_t &event : it.full)
        CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    it.activations = device_alloc<char>(2 * layer_bytes);
    it.gradients = device_alloc<float>(layers * gradient_bytes / sizeof(float));
    ncclUniqueId id;
    if (gpu == 0) {
        NCCL(ncclGetUniqueId(&id));
        memcpy(shared.id, &id, sizeof id);
    }
    pthread_barrier_wait(&shared.barrier);
    memcpy(&id, shared.id, sizeof id);
    NCCL(ncclCommInitRank(&it.comm, shared.gpus, id, gpu));
    for (bool copies : {true, false})
        for (int blocks : {1056, 264})
            for (int bucket : {1, 2, 4, 8, 16})
                it.row(copies, blocks, bucket);
    pthread_barrier_wait(&shared.barrier);
    NCCL(ncclCommDestroy(it.comm));
    CUDA(cudaFree(it.activations));
    CUDA(cudaFree(it.gradients));
    CUDA(cudaStreamDestroy(it.computing));
    CUDA(cudaStreamDestroy(it.reducing));
    for (cudaEvent_t event : it.full)
        CUDA(cudaEventDestroy(event));
}

static void backward(const std::string &folder)
{
    int version = 0;
    NCCL(ncclGetVersion(&version));
    std::string comment =
        "backward passes of two GPUs, a process for each: 16 layers, each a kernel of `blocks` blocks of 256 threads that copies 192 MiB\n"
        "(memory), or in which each thread multiplies and adds 32,768 times (compute); behind each `bucket` of layers an event, for which\n"
        "a second stream waits before NCCL " +
        std::to_string(version) +
        "'s allreduce of 8 MiB of floats a layer. compute, allreduce: without the other; computed: when\n"
        "the layers are over beside allreduces; pass: when both are";
    table table(folder, "backward", comment.c_str(),
                "kind blocks bucket compute_us allreduce_us computed_us pass_us p10_us p90_us n");
    run_together("overlap", 2, [&](shared_place &shared) { train(shared, 0, &table); });
}

void other_of_overlap(shared_place &shared, int gpu)
{
    train(shared, gpu, nullptr);
}

#else

static void backward(const std::string &)
{
    puts("overlap      backward is left out: NCCL was not found as this program was built");
}

void other_of_overlap(shared_place &, int)
{
}
#endif

void probe_overlap(const std::string &folder)
{
    if (!reach_each_other()) {
        puts("overlap      left out: these two GPUs cannot reach each other's memory");
        return;
    }
    allreduce_beside(folder);
    backward(folder);
}
