/* SPDX-License-Identifier: BSD-3-Clause */
/* One operation by the number of blocks: one thread in each block, each on a line of its own or all on one line. */
#include "operations.h"

constexpr int operations_a_block = 200;

template <typename Operation>
static __global__ void all_blocks(flag *words, bool same, float *cycles, uint64_t *starts_ns,
                                  uint64_t *ends_ns)
{
    uint32_t *mine = &words[same ? 0 : blockIdx.x].value;
    uint32_t zero = 0;
    starts_ns[blockIdx.x] = global_timer_ns();
    uint64_t start = clock64();
    for (int i = 0; i < operations_a_block; i++)
        zero = Operation::run(mine, zero);
    if (zero == 0)
        cycles[blockIdx.x] = (float)(clock64() - start) / operations_a_block;
    ends_ns[blockIdx.x] = global_timer_ns();
}

template <typename Operation>
static void rows_of(table &table, const char *memory, const char *what, flag *words, bool same,
                    double ratio)
{
    float *cycles = pinned_alloc<float>(scaling_blocks_most);
    uint64_t *starts = pinned_alloc<uint64_t>(scaling_blocks_most);
    uint64_t *ends = pinned_alloc<uint64_t>(scaling_blocks_most);
    for (int blocks :
         values({1, 2, 4, 8, 16, 32, 64, 128, 256, 480, scaling_blocks_most},
                {3, 12, 24, 48, 96, 132, 200, 330, 700}, {6, 18, 36, 72, 160, 264, 400, 850})) {
        for (int repeat = 0; repeat < 2; repeat++) { // the first warms up
            all_blocks<Operation><<<blocks, 1>>>(words, same, cycles, starts, ends);
            CUDA(cudaDeviceSynchronize());
        }
        samples times;
        uint64_t first = starts[0], last = ends[0];
        for (int i = 0; i < blocks; i++) {
            times.add(cycles[i] / ratio);
            first = starts[i] < first ? starts[i] : first;
            last = ends[i] > last ? ends[i] : last;
        }
        table.row("%s\t%s\t%s\t%d\t%.1f\t%.1f\t%.1f\t%d\t%.3f", memory, what,
                  same ? "same" : "own_line", blocks, times.median(), times.quantile(0.1),
                  times.quantile(0.9), blocks,
                  1e3 * operations_a_block * blocks / (double)(last - first));
    }
    CUDA(cudaFreeHost(cycles));
    CUDA(cudaFreeHost(starts));
    CUDA(cudaFreeHost(ends));
}

void scaling_rows(table &table, const char *memory, flag *words, bool device_scope)
{
    double ratio = cycles_per_ns(0);
    rows_of<at_system::load>(table, memory, "load_sys", words, false, ratio);
    rows_of<at_system::store_release>(table, memory, "store_release_sys", words, false, ratio);
    rows_of<at_system::fence>(table, memory, "fence_sys", words, false, ratio);
    rows_of<at_system::atomic_add>(table, memory, "atomic_add_sys", words, false, ratio);
    rows_of<at_system::atomic_add>(table, memory, "atomic_add_sys", words, true, ratio);
    if (!device_scope)
        return;
    rows_of<at_device::load>(table, memory, "load_gpu", words, false, ratio);
    rows_of<at_device::store_release>(table, memory, "store_release_gpu", words, false, ratio);
    rows_of<at_device::fence>(table, memory, "fence_gpu", words, false, ratio);
    rows_of<at_device::atomic_add>(table, memory, "atomic_add_gpu", words, false, ratio);
    rows_of<at_device::atomic_add>(table, memory, "atomic_add_gpu", words, true, ratio);
}

void probe_scaling(const std::string &folder)
{
    table table(
        folder, "scaling",
        "`blocks` blocks, one thread each, all doing `what` back to back, each on its own 128 B line,\n"
        "or all on one address (same)",
        "memory what address blocks mean_ns_per_op_median p10_ns p90_ns n_blocks total_Mops_per_s");
    flag *host = pinned_alloc<flag>(scaling_blocks_most);
    flag *gpu = device_alloc<flag>(scaling_blocks_most);
    scaling_rows(table, "host", host, false);
    scaling_rows(table, "device", gpu, true);
    CUDA(cudaFreeHost(host));
    CUDA(cudaFree(gpu));
    int gpus, can = 0;
    CUDA(cudaGetDeviceCount(&gpus));
    if (gpus > 1)
        CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (!can)
        return;
    cudaError_t error = cudaDeviceEnablePeerAccess(1, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled)
        CUDA(error);
    cudaGetLastError();
    CUDA(cudaSetDevice(1));
    flag *peer = device_alloc<flag>(scaling_blocks_most);
    CUDA(cudaSetDevice(0));
    scaling_rows(table, "peer", peer, false);
    CUDA(cudaFree(peer));
}
