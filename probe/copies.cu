/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between host and GPU: one at a time and in a window, pinned and pageable, both ways and at once. */
#include "common.h"

#include <cstdlib>
#include <cstring>

struct copy_end {
    void *host, *gpu;
    cudaStream_t stream;
};

static void copy(const copy_end &end, size_t bytes, bool to_gpu)
{
    CUDA(cudaMemcpyAsync(to_gpu ? end.gpu : end.host, to_gpu ? end.host : end.gpu, bytes,
                         to_gpu ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, end.stream));
}

static int repeats_of(size_t bytes)
{
    return bytes <= 65536 ? 300 : bytes <= (1 << 20) ? 100 : 12;
}

static void copy_row(table &table, const copy_end &end, bool to_gpu, const char *memory,
                     size_t bytes)
{
    samples enqueue, total;
    for (int i = 0; i < repeats_of(bytes) + 10; i++) {
        double start = now_ns();
        copy(end, bytes, to_gpu);
        double returned = now_ns();
        CUDA(cudaStreamSynchronize(end.stream));
        enqueue.add(returned - start);
        total.add(now_ns() - start);
    }
    enqueue.drop_first(10);
    total.drop_first(10);
    const int window = value(16, 6, 10);
    samples windows = time_each(2, bytes > (1 << 22) ? 3 : 12, [&] {
        for (int i = 0; i < window; i++)
            copy(end, bytes, to_gpu);
        CUDA(cudaStreamSynchronize(end.stream));
    });
    table.row("%s\t%s\t%zu\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%zu\t%.6f\t%.6f\t%d",
              to_gpu ? "H2D" : "D2H", memory, bytes, 1e-3 * enqueue.median(),
              1e-3 * enqueue.quantile(0.1), 1e-3 * enqueue.quantile(0.9), 1e-3 * total.median(),
              1e-3 * total.quantile(0.1), 1e-3 * total.quantile(0.9), total.count(),
              (double)bytes / total.median(), window * (double)bytes / windows.median(), window);
}

static void both_ways(table &table, const copy_end &first, const copy_end &second)
{
    constexpr int window = 16;
    for (size_t bytes :
         values<size_t>({4096, 65536, 1 << 20, 8 << 20, 64 << 20},
                        {16384, 262144, 4 << 20, 32 << 20}, {32768, 524288, 2 << 20, 16 << 20}))
        for (int ways = 1; ways <= 3; ways++) { // bit 0: to the host, bit 1: to the GPU
            samples times = time_each(1, 5, [&] {
                for (int i = 0; i < window; i++) {
                    if (ways & 1)
                        copy(first, bytes, false);
                    if (ways & 2)
                        copy(second, bytes, true);
                }
                CUDA(cudaStreamSynchronize(first.stream));
                CUDA(cudaStreamSynchronize(second.stream));
            });
            double sum = (ways == 3 ? 2.0 : 1.0) * window * (double)bytes;
            table.row("%s\t%zu\t%.3f\t%.3f\t%.3f\t%zu",
                      ways == 1   ? "D2H_gpu0"
                      : ways == 2 ? "H2D_gpu0"
                                  : "D2H+H2D_gpu0",
                      bytes, sum / times.median(), sum / times.quantile(0.9),
                      sum / times.quantile(0.1), times.count());
        }
}

void probe_copies(const std::string &folder)
{
    constexpr size_t most = (size_t)64 << 20;
    copy_end pinned[2];
    for (copy_end &end : pinned) {
        end.host = pinned_alloc<char>(most);
        end.gpu = device_alloc<char>(most);
        CUDA(cudaStreamCreateWithFlags(&end.stream, cudaStreamNonBlocking));
    }
    copy_end pageable = pinned[0];
    pageable.host = malloc(most);
    memset(pageable.host, 1, most);
    {
        table table(
            folder, "copies",
            "cudaMemcpyAsync one at a time on one stream of GPU 0; enqueue = the call returns,\n"
            "total = call + cudaStreamSynchronize; GBps_window = `window` copies enqueued back to back",
            "dir mem bytes enqueue_median_us enqueue_p10_us enqueue_p90_us total_median_us total_p10_us "
            "total_p90_us n GBps_single GBps_window window");
        for (bool to_gpu : {false, true})
            for (size_t bytes = value<size_t>(8, 16, 32); bytes <= most;
                 bytes *= between_set > 0 || bytes < (1 << 20) ? 4 : 8) {
                copy_row(table, pinned[0], to_gpu, "pinned", bytes);
                copy_row(table, pageable, to_gpu, "pageable", bytes);
            }
    }
    {
        table table(
            folder, "concurrent",
            "pinned copies at once, window of 16 on each stream; GBps is the sum over streams, one way bytes",
            "what bytes GBps_median GBps_p10 GBps_p90 n");
        both_ways(table, pinned[0], pinned[1]);
    }
    free(pageable.host);
    for (copy_end &end : pinned) {
        CUDA(cudaFreeHost(end.host));
        CUDA(cudaFree(end.gpu));
        CUDA(cudaStreamDestroy(end.stream));
    }
}
