/* SPDX-License-Identifier: BSD-3-Clause */
/* Mean power of GPU 0 by activity, from its own energy counter. The management library is loaded at run time. */
#include "words.h"

#include <dlfcn.h>
#include <thread>

struct nvml {
    int (*init)();
    int (*device)(unsigned index, void **device);
    int (*energy_mJ)(void *device, unsigned long long *energy);
};

static bool open_nvml(nvml *nvml, void **device)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library)
        return false;
    nvml->init = (int (*)())dlsym(library, "nvmlInit_v2");
    nvml->device = (int (*)(unsigned, void **))dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    nvml->energy_mJ = (int (*)(void *, unsigned long long *))dlsym(
        library, "nvmlDeviceGetTotalEnergyConsumption");
    unsigned long long energy;
    return nvml->init && nvml->device && nvml->energy_mJ && nvml->init() == 0 &&
           nvml->device(0, device) == 0 && nvml->energy_mJ(*device, &energy) == 0;
}

/* All kernels run until the host sets `stop`, or patience runs out. */
static __global__ void polls(flag *stop, flag *words)
{
    uint64_t until = global_timer_ns() + patience_ns;
    for (uint32_t look = 1;
         device_word(words[blockIdx.x].value).load(cuda::memory_order_relaxed) == 0; look++)
        if (look % 4096 == 0 && (system_word(stop->value).load(cuda::memory_order_relaxed) != 0 ||
                                 global_timer_ns() > until))
            return;
}

static __global__ void streams(flag *stop, uint4 *to, const uint4 *from, size_t count)
{
    uint64_t until = global_timer_ns() + patience_ns;
    while (!told_to_stop(stop, until))
        for (size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x; at < count;
             at += (size_t)gridDim.x * blockDim.x)
            to[at] = from[at];
}

static __global__ void multiplies(flag *stop, float *result)
{
    uint64_t until = global_timer_ns() + patience_ns;
    float value = (float)threadIdx.x;
    while (!told_to_stop(stop, until))
        for (int i = 0; i < 65536; i++)
            value = value * 0.999f + 1.0f;
    result[threadIdx.x] = value;
}

static void activity(table &table, const nvml &nvml, void *device, const char *name, flag *stop,
                     const std::function<void()> &start)
{
    using namespace std::chrono_literals;
    stop->value = 0;
    start();
    std::this_thread::sleep_for(500ms);
    unsigned long long before, after;
    nvml.energy_mJ(device, &before);
    double from = now_ns();
    std::this_thread::sleep_for(1s);
    nvml.energy_mJ(device, &after);
    double seconds = 1e-9 * (now_ns() - from);
    system_word(stop->value).store(1, cuda::memory_order_release);
    CUDA(cudaDeviceSynchronize());
    double joule = 1e-3 * (double)(after - before);
    table.row("%s\t%.3f\t%.3f\t%.2f", name, seconds, joule, joule / seconds);
}

void probe_power(const std::string &folder)
{
    nvml nvml;
    void *device;
    if (!open_nvml(&nvml, &device)) {
        puts(
            "power        left out: the driver's management library has no energy counter for this GPU");
        return;
    }
    table table(
        folder, "power",
        "mean GPU power = difference of the GPU's total energy / time; the activity runs 0.5 s before the\n"
        "window opens",
        "activity seconds gpu0_energy_J gpu0_power_W");
    constexpr size_t bytes = (size_t)1 << 30;
    flag *stop = pinned_alloc<flag>(1);
    flag *words = device_alloc<flag>(480);
    uint4 *memory = device_alloc<uint4>(2 * bytes / sizeof(uint4));
    auto run = [&](const char *name, const std::function<void()> &start) {
        activity(table, nvml, device, name, stop, start);
    };
    run("idle_context", [] {});
    for (int blocks : {1, 132, 480})
        run(("poll_device_" + std::to_string(blocks) + "x1").c_str(),
            [&] { polls<<<blocks, 1>>>(stop, words); });
    run("poll_device_1x32", [&] { polls<<<1, 32>>>(stop, words); });
    for (int blocks : {16, 132})
        run(("stream_copy_" + std::to_string(blocks) + "x1024").c_str(), [&] {
            streams<<<blocks, 1024>>>(stop, memory + bytes / sizeof(uint4), memory,
                                      bytes / sizeof(uint4));
        });
    run("fma_132x1024", [&] { multiplies<<<132, 1024>>>(stop, (float *)memory); });
    CUDA(cudaFreeHost(stop));
    CUDA(cudaFree(words));
    CUDA(cudaFree(memory));
}
