/* SPDX-License-Identifier: BSD-3-Clause */
/* Two GPUs: messages between their host threads, as programs with MPI pass them: a ping-pong, and windows that are answered. The
 * data go from GPU to GPU, or through pinned host memory; a flag in host memory says that they are there. */
#include <thread>

#include "meeting.h"
#include "words.h"

namespace
{
constexpr int window = 64;
constexpr size_t most_bytes = (size_t)16 << 20;

/* `staging`: where a GPU's messages lie in host memory, one behind the other; `told`: a flag for each, set to the number of the
 * round. */
struct pair_memory {
    char *send[2], *receive[2], *staging[2];
    flag *told[2];
    cudaStream_t streams[2];
};

struct variant {
    bool staged;
    size_t bytes;
};

/* What the thread of one GPU does. */
struct side {
    const pair_memory &pair;
    const variant &variant;
    int gpu;

    void synchronize()
    {
        CUDA(cudaStreamSynchronize(pair.streams[gpu]));
    }

    void tell(int slot, uint32_t round)
    {
        system_word(pair.told[gpu][slot].value).store(round, cuda::memory_order_release);
    }

    void wait_told(int slot, uint32_t round)
    {
        if (!host_wait_for(&pair.told[1 - gpu][slot].value, round))
            fail("messages: the other GPU's thread sent nothing");
    }

    /* Towards the other GPU: to its memory, or half of the way. */
    void give(int slot)
    {
        if (variant.staged)
            CUDA(cudaMemcpyAsync(pair.staging[gpu] + (size_t)slot * variant.bytes, pair.send[gpu],
                                 variant.bytes, cudaMemcpyDeviceToHost, pair.streams[gpu]));
        else
            CUDA(cudaMemcpyPeerAsync(pair.receive[1 - gpu], 1 - gpu, pair.send[gpu], gpu,
                                     variant.bytes, pair.streams[gpu]));
    }

    void fetch(int slot)
    {
        CUDA(cudaMemcpyAsync(pair.receive[gpu],
                             pair.staging[1 - gpu] + (size_t)slot * variant.bytes, variant.bytes,
                             cudaMemcpyHostToDevice, pair.streams[gpu]));
    }

    void send(uint32_t round)
    {
        give(0);
        synchronize();
        tell(0, round);
    }

    void receive(uint32_t round)
    {
        wait_told(0, round);
        if (!variant.staged)
            return;
        fetch(0);
        synchronize();
    }

    void ping_pong(uint32_t round)
    {
        if (gpu == 0)
            send(round);
        receive(round);
        if (gpu == 1)
            send(round);
    }

    /* Messages to the other GPU's memory are there when the last one is; staged ones are told of one by one. */
    void send_window(uint32_t round)
    {
        for (int i = 0; i < window; i++) {
            give(i);
            if (variant.staged) {
                synchronize();
                tell(i, round);
            }
        }
        if (!variant.staged) {
            synchronize();
            tell(0, round);
        }
        wait_told(0, round);
    }

    void receive_window(uint32_t round)
    {
        for (int i = 0; i < (variant.staged ? window : 1); i++) {
            wait_told(i, round);
            if (variant.staged)
                fetch(i);
        }
        if (variant.staged)
            synchronize();
        tell(0, round);
    }

    void exchange(bool windows, uint32_t round)
    {
        if (!windows)
            ping_pong(round);
        else if (gpu == 0)
            send_window(round);
        else
            receive_window(round);
    }

    void run(bool windows, int rounds, meeting &meeting, samples *times)
    {
        CUDA(cudaSetDevice(gpu));
        pin_to_cpu(1 + gpu);
        meeting.wait();
        for (int round = 1; round <= rounds; round++) {
            double start = now_ns();
            exchange(windows, (uint32_t)round);
            if (times)
                times->add(now_ns() - start);
        }
    }
};

/* The durations of rounds, as GPU 0's thread sees them. */
static samples rounds_of(const pair_memory &pair, const variant &variant, bool windows, int warm_up,
                         int count)
{
    for (flag *flags : pair.told)
        for (int i = 0; i < window; i++)
            flags[i].value = 0;
    samples times;
    meeting meeting(2);
    std::thread other([&] {
        side{pair, variant, 1}.run(windows, warm_up + count, meeting, nullptr);
    });
    side{pair, variant, 0}.run(windows, warm_up + count, meeting, &times);
    other.join();
    pin_to_cpu(1);
    CUDA(cudaSetDevice(0));
    times.drop_first((size_t)warm_up);
    return times;
}

/* GPU `gpu` sends bytes of this value, and has received none. */
static void prepare(const pair_memory &pair, int gpu, int value, size_t bytes)
{
    CUDA(cudaSetDevice(gpu));
    CUDA(cudaMemset(pair.send[gpu], value, bytes));
    CUDA(cudaMemset(pair.receive[gpu], 0, bytes));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaSetDevice(0));
}

static void check(const pair_memory &pair, int gpu, int value, size_t bytes)
{
    std::vector<unsigned char> data(bytes);
    CUDA(cudaMemcpy(data.data(), pair.receive[gpu], bytes, cudaMemcpyDefault));
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != value)
            fail("messages: byte %zu of %zu that GPU %d received is wrong", i, bytes, gpu);
}

static void variant_row(table &table, const pair_memory &pair, const variant &variant)
{
    size_t bytes = variant.bytes;
    for (int gpu = 0; gpu < 2; gpu++)
        prepare(pair, gpu, 1 + gpu, bytes);
    samples trips = bytes <= (1 << 20) ? rounds_of(pair, variant, false, 20, 200)
                                       : rounds_of(pair, variant, false, 4, 20);
    for (int gpu = 0; gpu < 2; gpu++)
        check(pair, gpu, 2 - gpu, bytes);
    prepare(pair, 1, 2, bytes);
    samples windows = rounds_of(pair, variant, true, 2, bytes <= (1 << 16) ? 40 : 8);
    check(pair, 1, 1, bytes);
    table.row("%s\t%zu\t%.3f\t%.3f\t%.3f\t%zu\t%.6f\t%d\t%.6f\t%zu",
              variant.staged ? "staged" : "direct", bytes, 0.5e-3 * trips.median(),
              0.5e-3 * trips.quantile(0.1), 0.5e-3 * trips.quantile(0.9), trips.count(),
              2 * (double)bytes / trips.median(), window, window * (double)bytes / windows.median(),
              windows.count());
}

} // namespace

void probe_messages(const std::string &folder)
{
    if (!reach_each_other()) {
        puts("messages     left out: these two GPUs cannot reach each other's memory");
        return;
    }
    pair_memory pair;
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaSetDevice(gpu));
        pair.send[gpu] = device_alloc<char>(most_bytes);
        pair.receive[gpu] = device_alloc<char>(most_bytes);
        pair.staging[gpu] = pinned_alloc<char>(gpu == 0 ? window * most_bytes : most_bytes);
        pair.told[gpu] = pinned_alloc<flag>(window);
        CUDA(cudaStreamCreateWithFlags(&pair.streams[gpu], cudaStreamNonBlocking));
    }
    CUDA(cudaSetDevice(0));
    {
        table table(
            folder, "messages",
            "messages between two GPUs' host threads; direct: cudaMemcpyPeerAsync, synchronise, flag in host memory;\n"
            "staged: copy to pinned host memory, synchronise, flag, the other thread copies from there, synchronises;\n"
            "one_way: half of a ping-pong; window: messages of GPU 0 (direct: one synchronisation and flag for all;\n"
            "staged: the receiver synchronises once), then a flag as the answer",
            "path bytes one_way_median_us p10_us p90_us n GBps_single window GBps_window n_windows");
        for (bool staged : {false, true})
            for (size_t bytes = 8; bytes <= most_bytes; bytes *= 2)
                variant_row(table, pair, {staged, bytes});
    }
    for (int gpu = 0; gpu < 2; gpu++) {
        CUDA(cudaFree(pair.send[gpu]));
        CUDA(cudaFree(pair.receive[gpu]));
        CUDA(cudaFreeHost(pair.staging[gpu]));
        CUDA(cudaFreeHost(pair.told[gpu]));
        CUDA(cudaStreamDestroy(pair.streams[gpu]));
    }
}
