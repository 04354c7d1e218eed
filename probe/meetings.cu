/* SPDX-License-Identifier: BSD-3-Clause */
/* What meets in a GPU's memory or on a host thread: copies beside blocks that stream, and one thread that drives two GPUs. */
#include "streams.h"

constexpr size_t copied_bytes = (size_t)64 << 20;

/* One kind of copies, on a stream of its own. */
struct copies {
    const char *name;
    void *to;
    const void *from;
};

/* Copies follow each other for about 20 ms while the blocks stream. */
static void copies_row(table &table, const copies &kind, streaming &streams, int blocks,
                       cudaStream_t stream)
{
    auto copy = [&] {
        CUDA(cudaMemcpyAsync(kind.to, kind.from, copied_bytes, cudaMemcpyDefault, stream));
    };
    copy();
    CUDA(cudaStreamSynchronize(stream));
    streams.begin(blocks);
    double start = now_ns(), took_ns = 0;
    int count = 0;
    for (; took_ns < 20e6; took_ns = now_ns() - start) {
        for (int i = 0; i < 4; i++, count++)
            copy();
        CUDA(cudaStreamSynchronize(stream));
    }
    double streamed_GBps = streams.end();
    table.row("%s\t%d\t%.2f\t%.1f\t%d", kind.name, blocks, count * (double)copied_bytes / took_ns,
              streamed_GBps, count);
}

static void copies_beside_streams(const std::string &folder, bool has_peer)
{
    table table(
        folder, "copies_beside_streams",
        "copies of 64 MiB one after the other by a copy engine of GPU 0, beside `streaming` blocks of 1,024 threads that\n"
        "copy 256 MiB within GPU 0 again and again; streams_GBps: what these read and wrote; `none`: no copies, 20 ms",
        "what streaming copies_GBps streams_GBps n");
    char *host = pinned_alloc<char>(copied_bytes), *here = device_alloc<char>(2 * copied_bytes);
    char *peer = nullptr;
    if (has_peer) {
        CUDA(cudaSetDevice(1));
        peer = device_alloc<char>(copied_bytes);
        CUDA(cudaSetDevice(0));
    }
    std::vector<copies> kinds = {
        {"to_gpu", here, host}, {"to_host", host, here}, {"within", here + copied_bytes, here}};
    if (has_peer) {
        kinds.push_back({"to_peer", peer, here});
        kinds.push_back({"from_peer", here, peer});
    }
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    {
        streaming streams;
        for (int blocks : {0, 8, 32, 64, 96, 130}) {
            streams.begin(blocks);
            for (double start = now_ns(); now_ns() - start < 20e6;)
                continue;
            table.row("none\t%d\t0\t%.1f\t0", blocks, streams.end());
            for (const copies &kind : kinds)
                copies_row(table, kind, streams, blocks, stream);
        }
    }
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(here));
    CUDA(cudaFreeHost(host));
    if (has_peer)
        CUDA(cudaFree(peer));
}

static __global__ void nothing()
{
}

/* What one host thread does on each of `gpus` GPUs in turn before it waits for all of them. */
struct driven {
    const char *name;
    int gpus;
    void (*act)(cudaStream_t stream, char *to, const char *from);
};

static void launch_one(cudaStream_t stream, char *, const char *)
{
    nothing<<<1, 1, 0, stream>>>();
}

static void launch_eight(cudaStream_t stream, char *, const char *)
{
    for (int i = 0; i < 8; i++)
        nothing<<<1, 1, 0, stream>>>();
}

static void copy_to_other(cudaStream_t stream, char *to, const char *from)
{
    CUDA(cudaMemcpyAsync(to, from, 64 << 10, cudaMemcpyDefault, stream));
}

static void one_thread_two_gpus(const std::string &folder)
{
    table table(
        folder, "one_thread",
        "one host thread that starts the same on one GPU, or on two in turn, and then waits for each: time of a round",
        "what gpus median_us p10_us p90_us n");
    cudaStream_t streams[2];
    char *memory[2];
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        CUDA(cudaStreamCreateWithFlags(&streams[gpu], cudaStreamNonBlocking));
        memory[gpu] = device_alloc<char>(2 << 20);
    }
    constexpr driven all[] = {{"launch", 1, launch_one},        {"launch", 2, launch_one},
                              {"launch_8", 1, launch_eight},    {"launch_8", 2, launch_eight},
                              {"copy_64KiB", 1, copy_to_other}, {"copy_64KiB", 2, copy_to_other}};
    for (const driven &it : all) {
        samples times = time_each(100, 1000, [&] {
            for (int gpu = 0; gpu < it.gpus; gpu++) {
                CUDA(cudaSetDevice(gpu));
                it.act(streams[gpu], memory[1 - gpu] + (1 << 20), memory[gpu]);
            }
            for (int gpu = 0; gpu < it.gpus; gpu++)
                CUDA(cudaStreamSynchronize(streams[gpu]));
        });
        table.row("%s\t%d\t%.3f\t%.3f\t%.3f\t%zu", it.name, it.gpus, 1e-3 * times.median(),
                  1e-3 * times.quantile(0.1), 1e-3 * times.quantile(0.9), times.count());
    }
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        CUDA(cudaFree(memory[gpu]));
        CUDA(cudaStreamDestroy(streams[gpu]));
    }
    CUDA(cudaSetDevice(0));
}

void probe_meetings(const std::string &folder)
{
    int gpus = 0;
    CUDA(cudaGetDeviceCount(&gpus));
    bool has_peer = gpus > 1 && reach_each_other();
    copies_beside_streams(folder, has_peer);
    agents_at_saturation(folder);
    if (has_peer)
        one_thread_two_gpus(folder);
}
