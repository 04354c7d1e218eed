/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that stream through device memory beside others until they are told to stop; and how long single operations of one
 * thread take beside them. */
#include "streams.h"

#include "operations.h"

constexpr int stream_threads = 1024;
constexpr size_t counted_bytes = (size_t)1
                                 << 20; // after which it counts, and looks whether to stop

/* Each block copies pieces in turn, and counts what it has copied. */
static __global__ void stream_blocks(flag *stop, uint4 *to, const uint4 *from, unsigned pieces,
                                     unsigned piece_bytes, unsigned long long *counted)
{
    uint64_t until = global_timer_ns() + patience_ns;
    unsigned together = (unsigned)counted_bytes / piece_bytes;
    size_t words = piece_bytes / sizeof(uint4);
    for (unsigned i = 0, piece = blockIdx.x; i % together != 0 || !told_to_stop(stop, until); i++) {
        size_t first = piece * words;
        for (size_t at = first + threadIdx.x; at < first + words; at += stream_threads)
            to[at] = from[at];
        piece = (piece + gridDim.x) % pieces;
        if (threadIdx.x == 0 && i % together == together - 1)
            atomicAdd(counted, 1ull);
    }
}

streaming::streaming(const shape &shape) : shape_of(shape)
{
    CUDA(cudaFuncSetAttribute(stream_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              shape.shared_bytes));
    stop = pinned_alloc<flag>(1);
    counted = pinned_alloc<unsigned long long>(1);
    memory = device_alloc<char>(2 * shape.bytes);
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

streaming::~streaming()
{
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(memory));
    CUDA(cudaFreeHost(counted));
    CUDA(cudaFreeHost(stop));
}

void streaming::begin(int blocks)
{
    stop->value = 0;
    *counted = 0;
    begun_ns = now_ns();
    if (blocks > 0)
        stream_blocks<<<blocks, stream_threads, shape_of.shared_bytes, stream>>>(
            stop, (uint4 *)(memory + shape_of.bytes), (const uint4 *)memory,
            (unsigned)(shape_of.bytes / shape_of.piece_bytes), (unsigned)shape_of.piece_bytes,
            counted);
    while (blocks > 0 && *(volatile unsigned long long *)counted == 0)
        if (now_ns() - begun_ns > (double)patience_ns)
            fail("streams: no block streamed");
}

double streaming::end()
{
    double took_ns = now_ns() - begun_ns;
    *(volatile uint32_t *)&stop->value = 1;
    CUDA(cudaStreamSynchronize(stream));
    return (double)*counted * 2 * (double)counted_bytes / took_ns;
}

/* Runs for some tens of milliseconds, so that the rate of the streams is meaningful. */
template <typename Operation>
static void operation_row(table &table, const char *what, int blocks, streaming &streaming,
                          flag *words, float *cycles, double ratio)
{
    samples times;
    streaming.begin(blocks);
    for (int i = 0; i < 10; i++) {
        repeat<Operation><<<1, 1>>>(words, cycles);
        CUDA(cudaStreamSynchronize(nullptr));
        for (int j = batches / 10; j < batches; j++)
            times.add(cycles[j] / ratio);
    }
    double rate_GBps = streaming.end();
    table.row("%s\t%d\t%.1f\t%.1f\t%.1f\t%zu\t%.1f", what, blocks, times.median(),
              times.quantile(0.1), times.quantile(0.9), times.count(), rate_GBps);
}

static void operations_beside_streams(const std::string &folder)
{
    table table(
        folder, "streams",
        "one operation of one thread on device memory that its L2 holds, beside `streaming` blocks of 1,024\n"
        "threads that copy 256 MiB within the GPU again and again; GBps: what these read and wrote",
        "what streaming median_ns p10_ns p90_ns n GBps");
    double ratio = cycles_per_ns(0);
    flag *words = device_alloc<flag>(batch);
    float *cycles = pinned_alloc<float>(batches);
    {
        streaming streaming;
        for (int blocks : {0, 1, 8, 32, 64, 130}) {
            operation_row<at_device::load>(table, "load", blocks, streaming, words, cycles, ratio);
            operation_row<at_device::store_release>(table, "store_release_gpu", blocks, streaming,
                                                    words, cycles, ratio);
            operation_row<at_device::fence>(table, "fence_gpu_alone", blocks, streaming, words,
                                            cycles, ratio);
            operation_row<at_device::atomic_add>(table, "atomic_add_gpu", blocks, streaming, words,
                                                 cycles, ratio);
        }
    }
    CUDA(cudaFree(words));
    CUDA(cudaFreeHost(cycles));
}

void probe_streams(const std::string &folder)
{
    agents_beside_streams(folder);
    if (between_set > 0)
        return;
    operations_beside_streams(folder);
    loads_beside_streams(folder);
}
