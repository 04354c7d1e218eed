/* SPDX-License-Identifier: BSD-3-Clause */
/* A load that hits in the L2, by one thread on an SM that does not change, beside blocks on other SMs that copy memory that the L2
 * holds, or memory that it does not. */
#include "streams.h"
#include "words.h"

constexpr int most_sms = 256;
constexpr int stream_threads = 1024;
constexpr size_t chunk = (size_t)1 << 20; /* that a block copies at a time */

struct sm_roles {
    int looks;                 /* the SM whose thread loads */
    int place[most_sms], many; /* of those that stream their place, else -1; their number */
};

static __device__ unsigned own_sm()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

static __device__ void copy_chunks(flag *stop, uint4 *to, const uint4 *from, size_t chunks,
                                   int place, int many)
{
    constexpr size_t words = chunk / sizeof(uint4);
    uint64_t until = global_timer_ns() + patience_ns;
    for (size_t i = (size_t)place; i % 16 != (size_t)place % 16 || !told_to_stop(stop, until);
         i += (size_t)many) {
        size_t first = i % chunks * words;
        for (size_t at = first + threadIdx.x; at < first + words; at += stream_threads)
            to[at] = from[at];
    }
}

constexpr int loads = 20000;

static __device__ void time_loads(flag *word, float *mean_cycles)
{
    uint64_t begin = clock64(), sum = 0;
    while (clock64() - begin < 1'000'000) /* the others come up to speed */
        continue;
    for (int i = 0; i < loads; i++) {
        uint64_t start = clock64();
        if (system_word(word->value).load(cuda::memory_order_relaxed) != 0)
            return;
        sum += clock64() - start;
    }
    *mean_cycles = (float)sum / loads;
}

static __global__ void __launch_bounds__(stream_threads)
    look_or_stream(const sm_roles *roles, flag *stop, uint4 *to, const uint4 *from, size_t chunks,
                   flag *word, float *mean_cycles)
{
    int sm = (int)own_sm();
    if (roles->place[sm] >= 0)
        copy_chunks(stop, to, from, chunks, roles->place[sm], roles->many);
    else if (sm == roles->looks && threadIdx.x == 0) {
        time_loads(word, mean_cycles);
        system_word(stop->value).store(1, cuda::memory_order_release);
    }
}

/* One block runs on each SM, since it takes more than half of its shared memory. */
void loads_beside_streams(const std::string &folder)
{
    table table(
        folder, "loads_beside_streams",
        "mean time of a load that hits in the L2 by one thread on SM `sm`, beside `streaming` blocks of 1,024 threads on other\n"
        "SMs that copy `bytes` within the GPU again and again",
        "bytes sm streaming mean_ns");
    double ratio = cycles_per_ns(0);
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    int sms = properties.multiProcessorCount;
    sm_roles *roles = pinned_alloc<sm_roles>(1);
    flag *stop = pinned_alloc<flag>(1), *word = device_alloc<flag>(1);
    float *mean_cycles = pinned_alloc<float>(1);
    constexpr size_t most = (size_t)256 << 20;
    char *memory = device_alloc<char>(2 * most);
    int dynamic_bytes = (int)properties.sharedMemPerMultiprocessor / 2 + 4096;
    CUDA(cudaFuncSetAttribute(look_or_stream, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              dynamic_bytes));
    for (size_t bytes : {(size_t)4 << 20, most})
        for (int looks : {0, sms / 3, 2 * sms / 3})
            for (int many : {0, 1, 2, 4, 8, 16, 32, 64}) {
                roles->looks = looks;
                roles->many = 0;
                for (int i = 0; i < most_sms; i++)
                    roles->place[i] = -1;
                for (int i = 0; i < sms && roles->many < many; i++) {
                    int sm = (looks + 2 + i * 37) % sms;
                    if (sm / 2 != looks / 2 && roles->place[sm] < 0)
                        roles->place[sm] = roles->many++;
                }
                stop->value = 0;
                *mean_cycles = 0;
                look_or_stream<<<sms, stream_threads, dynamic_bytes>>>(
                    roles, stop, (uint4 *)(memory + most), (const uint4 *)memory, bytes / chunk,
                    word, mean_cycles);
                CUDA(cudaDeviceSynchronize());
                table.row("%zu\t%d\t%d\t%.1f", bytes, looks, roles->many, *mean_cycles / ratio);
            }
    CUDA(cudaFree(memory));
    CUDA(cudaFree(word));
    CUDA(cudaFreeHost(mean_cycles));
    CUDA(cudaFreeHost(stop));
    CUDA(cudaFreeHost(roles));
}
