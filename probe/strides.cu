/* SPDX-License-Identifier: BSD-3-Clause */
/* What a piece of 8 to 128 B costs the memory if the next piece is far away: loads and stores at a stride, beyond the L2, and the limit that
 * a program may set for what the L2 fetches. */
#include "common.h"

namespace
{
constexpr size_t pieces = (size_t)1
                          << 22; // of all strides: beyond the L2 as lines from a stride of 128 B on

/* `lanes` threads side by side load or store a piece of 8 B each; no two pieces are in the same line from a stride of 128 B on. */
template <bool is_store> __global__ void touch(double *at, int lanes, size_t stride, double *never)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    double *mine = (double *)((char *)at + thread / lanes * stride) + thread % lanes;
    if (is_store)
        __stcg(mine, 1.0);
    else if (__ldcg(mine) == 2)
        *never = 1;
}

/* Microseconds of a kernel in a row of them. */
template <bool is_store> double row_us(double *at, int lanes, size_t stride, double *never)
{
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    samples times;
    for (int batch = 0; batch < 7; batch++) {
        CUDA(cudaEventRecord(begin));
        for (int i = 0; i < 10; i++)
            touch<is_store><<<(unsigned)(pieces * lanes / 256), 256>>>(at, lanes, stride, never);
        CUDA(cudaEventRecord(end));
        CUDA(cudaEventSynchronize(end));
        float ms;
        CUDA(cudaEventElapsedTime(&ms, begin, end));
        if (batch > 1)
            times.add(ms * 1e3 / 10);
    }
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    return times.median();
}
} // namespace

void probe_strides(const std::string &folder)
{
    table table(
        folder, "strides",
        "4 Mi pieces of `piece` bytes, loaded or stored by threads of 8 B, `stride` apart: a kernel in a row of ten, median of five;\n"
        "limit: what cudaLimitMaxL2FetchGranularity was set to (0: left alone) and is then",
        "what piece_bytes stride_bytes limit_set limit_bytes us pieces_per_ns");
    const size_t strides[] = {8, 32, 64, 128, 256, 512, 1024, 2048, 6160, 8208};
    double *at = device_alloc<double>(pieces * strides[9] / 8 + 16);
    double *never = device_alloc<double>(1);
    for (size_t limit : {0, 32, 64, 128}) {
        size_t is = 0;
        if (limit > 0)
            CUDA(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, limit));
        CUDA(cudaDeviceGetLimit(&is, cudaLimitMaxL2FetchGranularity));
        for (int lanes : {1, 2, 4, 8, 16})
            for (size_t stride : strides) {
                if (stride < (size_t)lanes * 8)
                    continue;
                double loads_us = row_us<false>(at, lanes, stride, never);
                double stores_us = row_us<true>(at, lanes, stride, never);
                table.row("load\t%d\t%zu\t%zu\t%zu\t%.2f\t%.3f", lanes * 8, stride, limit, is,
                          loads_us, (double)pieces / loads_us / 1e3);
                table.row("store\t%d\t%zu\t%zu\t%zu\t%.2f\t%.3f", lanes * 8, stride, limit, is,
                          stores_us, (double)pieces / stores_us / 1e3);
            }
    }
    CUDA(cudaFree(at));
    CUDA(cudaFree(never));
}
