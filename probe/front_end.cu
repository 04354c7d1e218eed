/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the GPU's front end looks at a flag that a stream waits for. */
#include "words.h"

#include <cuda.h>
#include <dlfcn.h>

/* The driver's library is loaded at run time, so that the program also starts where there is none. */
struct stream_memory_operations {
    CUresult (*wait)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
    CUresult (*write)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
};

static stream_memory_operations find_operations()
{
    stream_memory_operations found = {};
    if (void *library = dlopen("libcuda.so.1", RTLD_NOW)) {
        found.wait = (decltype(found.wait))dlsym(library, "cuStreamWaitValue32_v2");
        found.write = (decltype(found.write))dlsym(library, "cuStreamWriteValue32_v2");
    }
    if (!found.wait || !found.write)
        fail("the driver has no cuStreamWaitValue32");
    return found;
}

constexpr int rounds = 200;

static __global__ void ping(flag *there, flag *here, uint64_t delay_cycles, float *cycles)
{
    patience patience;
    for (uint32_t i = 1; i <= rounds; i++) {
        uint64_t start = clock64();
        while (clock64() - start < delay_cycles)
            continue;
        start = clock64();
        system_word(there->value).store(i, cuda::memory_order_release);
        if (!wait_for(system_word(here->value), i, cuda::memory_order_acquire, patience))
            return;
        cycles[i - 1] = (float)(clock64() - start);
    }
}

static void write_rows(table &table, const stream_memory_operations &driver, const char *memory,
                       flag *there, flag *here, double ratio)
{
    cudaStream_t kernel_stream, waiting;
    CUDA(cudaStreamCreateWithFlags(&kernel_stream, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
    float *cycles = pinned_alloc<float>(rounds);
    for (int delay_us : values({0, 2, 5, 10, 20, 50, 100, 500}, {1, 3, 7, 15, 30, 70, 200},
                               {4, 8, 12, 25, 40, 150, 300})) {
        CUDA(cudaMemset(there, 0, sizeof *there));
        CUDA(cudaMemset(here, 0, sizeof *here));
        CUDA(cudaDeviceSynchronize());
        ping<<<1, 1, 0, kernel_stream>>>(there, here, (uint64_t)(1e3 * ratio * delay_us), cycles);
        for (uint32_t i = 1; i <= rounds; i++) {
            if (driver.wait(waiting, (CUdeviceptr)&there->value, i, CU_STREAM_WAIT_VALUE_GEQ) !=
                    CUDA_SUCCESS ||
                driver.write(waiting, (CUdeviceptr)&here->value, i,
                             CU_STREAM_WRITE_VALUE_DEFAULT) != CUDA_SUCCESS)
                fail("a stream's memory operation failed");
        }
        CUDA(cudaStreamSynchronize(kernel_stream));
        // Releases a stream that still waits because a thread ran out of patience.
        uint32_t last = rounds;
        CUDA(cudaMemcpy(&there->value, &last, sizeof last, cudaMemcpyDefault));
        CUDA(cudaStreamSynchronize(waiting));
        samples times;
        for (int i = rounds / 10; i < rounds; i++)
            times.add(cycles[i] / ratio);
        table.row("%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%zu", memory, delay_us, times.median(),
                  times.quantile(0.1), times.quantile(0.9), times.quantile(0.99), times.mean(),
                  times.count());
    }
    CUDA(cudaFreeHost(cycles));
    CUDA(cudaStreamDestroy(kernel_stream));
    CUDA(cudaStreamDestroy(waiting));
}

void probe_front_end(const std::string &folder)
{
    table table(
        folder, "front_end",
        "GPU thread sets a flag, a stream's pre-enqueued cuStreamWaitValue32 sees it, cuStreamWriteValue32\n"
        "answers; round trip timed by the GPU thread; delay: time the thread spins between the previous\n"
        "answer and its signal",
        "flags_in delay_us median_ns p10_ns p90_ns p99_ns mean_ns n");
    stream_memory_operations driver = find_operations();
    double ratio = cycles_per_ns(0);
    flag *gpu = device_alloc<flag>(2);
    flag *host = pinned_alloc<flag>(2);
    write_rows(table, driver, "device", &gpu[0], &gpu[1], ratio);
    write_rows(table, driver, "host", &host[0], &host[1], ratio);
    CUDA(cudaFree(gpu));
    CUDA(cudaFreeHost(host));
}
