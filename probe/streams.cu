/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that stream through device memory beside others until they are told to stop; and how long single operations of one
 * thread take beside them. */
#include "streams.h"

#include "operations.h"

constexpr size_t stream_bytes = (size_t)4 << 30; // beyond the L2, half read and half written
constexpr size_t piece_bytes = (size_t)1 << 20;  // so many that no two blocks share one
constexpr int stream_threads = 1024;

/* Each block copies pieces in turn, and counts them. */
static __global__ void stream_blocks(flag *stop, uint4 *to, const uint4 *from, size_t count,
                                     unsigned long long *pieces)
{
    constexpr size_t piece = piece_bytes / sizeof(uint4);
    uint64_t until = global_timer_ns() + patience_ns;
    for (size_t i = blockIdx.x; !told_to_stop(stop, until); i += gridDim.x) {
        size_t first = i % (count / piece) * piece;
        for (size_t at = first + threadIdx.x; at < first + piece; at += stream_threads)
            to[at] = from[at];
        if (threadIdx.x == 0)
            atomicAdd(pieces, 1ull);
    }
}

streaming::streaming(int shared_bytes) : shared_bytes(shared_bytes)
{
    CUDA(cudaFuncSetAttribute(stream_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              shared_bytes));
    stop = pinned_alloc<flag>(1);
    pieces = pinned_alloc<unsigned long long>(1);
    memory = device_alloc<char>(stream_bytes);
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

streaming::~streaming()
{
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(memory));
    CUDA(cudaFreeHost(pieces));
    CUDA(cudaFreeHost(stop));
}

void streaming::begin(int blocks)
{
    stop->value = 0;
    *pieces = 0;
    begun_ns = now_ns();
    if (blocks > 0)
        stream_blocks<<<blocks, stream_threads, shared_bytes, stream>>>(
            stop, (uint4 *)(memory + stream_bytes / 2), (const uint4 *)memory,
            stream_bytes / 2 / sizeof(uint4), pieces);
    while (blocks > 0 && *(volatile unsigned long long *)pieces == 0)
        if (now_ns() - begun_ns > (double)patience_ns)
            fail("streams: no block streamed");
}

double streaming::end()
{
    double took_ns = now_ns() - begun_ns;
    *(volatile uint32_t *)&stop->value = 1;
    CUDA(cudaStreamSynchronize(stream));
    return (double)*pieces * 2 * (double)piece_bytes / took_ns;
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
        "threads that copy 2 GiB within the GPU again and again; GBps: what these read and wrote",
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
