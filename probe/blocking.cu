/* SPDX-License-Identifier: BSD-3-Clause */
/* What a launch and its synchronisation cost a thread that sleeps while it waits, by how long the kernel takes: the longer a core is
 * idle, the longer it takes to wake. */
#include "common.h"

static __global__ void take(uint64_t cycles)
{
    uint64_t start = clock64();
    while (clock64() - start < cycles)
        continue;
}

static void blocking_row(table &table, cudaStream_t stream, double ratio, int spin_us)
{
    samples call, total;
    for (int i = 0; i < 660; i++) {
        double start = now_ns();
        take<<<1, 32, 0, stream>>>((uint64_t)(1e3 * ratio * spin_us));
        double returned = now_ns();
        CUDA(cudaStreamSynchronize(stream));
        call.add(returned - start);
        total.add(now_ns() - start);
    }
    call.drop_first(60);
    total.drop_first(60);
    std::string name = "spin=" + std::to_string(spin_us) + "us";
    launch_row(table, "launch_enqueue", name, call);
    launch_row(table, "launch_plus_sync", name, total);
}

void probe_blocking(const std::string &folder)
{
    double ratio = cycles_per_ns(0);
    CUDA(cudaDeviceReset());
    CUDA(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    {
        table table(
            folder, "launch_blockingsync",
            "launches of a kernel that takes so long, by one pinned host thread; sync mode BlockingSync",
            "what param median_us p10_us p90_us mean_us n");
        cudaStream_t stream;
        CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        for (int spin_us : {0, 2, 5, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100})
            blocking_row(table, stream, ratio, spin_us);
        CUDA(cudaStreamDestroy(stream));
    }
    CUDA(cudaDeviceReset());
    CUDA(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
}
