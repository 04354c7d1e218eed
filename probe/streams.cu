/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that stream through device memory beside others until they are told to stop; and how long single operations of one
 * thread take beside them. */
#include "streams.h"

#include "operations.h"

constexpr int stream_threads = 1024;

/* Each block copies pieces in turn until it is told to stop, and says how many. Meanwhile it touches nothing of the host's: where many blocks
 * do, fences of others wait behind them. */
static __global__ void stream_blocks(flag *stop, uint4 *to, const uint4 *from, unsigned pieces,
                                     unsigned piece_bytes, flag *begun, unsigned long long *copied)
{
    uint64_t until = global_timer_ns() + patience_ns;
    size_t words = piece_bytes / sizeof(uint4);
    unsigned looks_after = max(1u, (1u << 20) / piece_bytes), i = 0;
    for (unsigned piece = blockIdx.x; i % looks_after != 0 || !told_to_stop(stop, until); i++) {
        size_t first = piece * words;
        for (size_t at = first + threadIdx.x; at < first + words; at += stream_threads)
            to[at] = from[at];
        piece = (piece + gridDim.x) % pieces;
        if (i == 0 && blockIdx.x == 0 && threadIdx.x == 0)
            system_word(begun->value).store(1, cuda::memory_order_relaxed);
    }
    if (threadIdx.x == 0)
        copied[blockIdx.x] = i;
}

/* Each thread multiplies and adds in four independent chains; pieces and their count as of `stream_blocks`. */
static __global__ void compute_blocks(flag *stop, unsigned piece_operations, flag *begun,
                                      unsigned long long *done, float *results)
{
    uint64_t until = global_timer_ns() + patience_ns;
    unsigned looks_after = max(1u, (1u << 20) / piece_operations), i = 0;
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    for (; i % looks_after != 0 || !told_to_stop(stop, until); i++) {
#pragma unroll 16
        for (unsigned turn = 0; turn < piece_operations / (4 * stream_threads); turn++) {
            a = a * 0.999F + 1.0F;
            b = b * 0.999F + 1.0F;
            c = c * 0.999F + 1.0F;
            d = d * 0.999F + 1.0F;
        }
        if (i == 0 && blockIdx.x == 0 && threadIdx.x == 0)
            system_word(begun->value).store(1, cuda::memory_order_relaxed);
    }
    if (a + b + c + d == 0.5F)
        results[threadIdx.x] = a;
    if (threadIdx.x == 0)
        done[blockIdx.x] = i;
}

streaming::streaming(const shape &shape) : shape_of(shape)
{
    CUDA(cudaGetDevice(&gpu));
    results = device_alloc<float>(stream_threads);
    CUDA(cudaFuncSetAttribute(stream_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              shape.shared_bytes));
    stop = device_alloc<flag>(1);
    begun = pinned_alloc<flag>(1);
    told = pinned_alloc<flag>(2);
    told[1].value = 1;
    copied = pinned_alloc<unsigned long long>(most_blocks);
    memory = device_alloc<char>(2 * shape.bytes);
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&tells, cudaStreamNonBlocking));
}

streaming::~streaming()
{
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaStreamDestroy(tells));
    CUDA(cudaFree(memory));
    CUDA(cudaFree(results));
    CUDA(cudaFree(stop));
    CUDA(cudaFreeHost(begun));
    CUDA(cudaFreeHost(told));
    CUDA(cudaFreeHost(copied));
}

void streaming::tell(bool to_stop)
{
    CUDA(cudaMemcpyAsync(stop, &told[to_stop], sizeof(flag), cudaMemcpyHostToDevice, tells));
    CUDA(cudaStreamSynchronize(tells));
}

void streaming::begin(int how_many)
{
    blocks = how_many;
    if (blocks > most_blocks)
        fail("streams: %d blocks are more than %d", blocks, most_blocks);
    begun->value = 0;
    tell(false);
    begun_ns = now_ns();
    if (blocks == 0)
        return;
    CUDA(cudaSetDevice(gpu));
    if (shape_of.computes)
        compute_blocks<<<blocks, stream_threads, shape_of.shared_bytes, stream>>>(
            stop, (unsigned)shape_of.piece_bytes, begun, copied, results);
    else
        stream_blocks<<<blocks, stream_threads, shape_of.shared_bytes, stream>>>(
            stop, (uint4 *)(memory + shape_of.bytes), (const uint4 *)memory,
            (unsigned)(shape_of.bytes / shape_of.piece_bytes), (unsigned)shape_of.piece_bytes,
            begun, copied);
    if (!host_wait_for(&begun->value, 1))
        fail("streams: no block streamed");
}

double streaming::end()
{
    if (blocks == 0)
        return 0;
    tell(true);
    CUDA(cudaStreamSynchronize(stream));
    double took_ns = now_ns() - begun_ns, pieces = 0;
    for (int i = 0; i < blocks; i++)
        pieces += (double)copied[i];
    return pieces * 2 * (double)shape_of.piece_bytes / took_ns;
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
