/* SPDX-License-Identifier: BSD-3-Clause */
/* What launching costs the host thread and the GPU, by one pinned thread that spins for completion. */
#include "words.h"

#include <thread>

static __global__ void empty()
{
}

struct arguments_1k {
    char bytes[1024];
};
struct arguments_64 {
    char bytes[64];
};
template <typename T> static __global__ void empty_with(T)
{
}

static __global__ void spin_for(uint64_t cycles)
{
    uint64_t start = clock64();
    while (clock64() - start < cycles)
        continue;
}

static __global__ void set_flag(uint32_t *word, uint32_t value)
{
    system_word(*word).store(value, cuda::memory_order_release);
}

void launch_row(table &table, const char *what, const std::string &param, const samples &times_ns)
{
    table.row("%s\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t%zu", what, param.c_str(), 1e-3 * times_ns.median(),
              1e-3 * times_ns.quantile(0.1), 1e-3 * times_ns.quantile(0.9), 1e-3 * times_ns.mean(),
              times_ns.count());
}

/* Time until the launch returns, and until the stream is empty. */
static void launch_once(table &table, cudaStream_t stream)
{
    struct grid {
        int blocks, threads;
    };
    for (grid grid : values<struct grid>({{1, 32}, {132, 256}, {1056, 256}},
                                         {{8, 64}, {66, 128}, {528, 512}, {4224, 128}},
                                         {{4, 96}, {40, 256}, {264, 128}, {2112, 512}})) {
        std::string name =
            "grid=" + std::to_string(grid.blocks) + "x" + std::to_string(grid.threads);
        samples enqueue, total;
        for (int i = 0; i < 1100; i++) {
            double start = now_ns();
            empty<<<grid.blocks, grid.threads, 0, stream>>>();
            double returned = now_ns();
            CUDA(cudaStreamSynchronize(stream));
            enqueue.add(returned - start);
            total.add(now_ns() - start);
        }
        enqueue.drop_first(100);
        total.drop_first(100);
        launch_row(table, "launch_enqueue", name, enqueue);
        launch_row(table, "launch_plus_sync", name, total);
    }
}

static void launch_with_arguments(table &table, cudaStream_t stream)
{
    auto with = [&](auto arguments, const char *name) {
        samples times = time_each(100, 1000, [&] { empty_with<<<1, 32, 0, stream>>>(arguments); });
        CUDA(cudaStreamSynchronize(stream));
        launch_row(table, "launch_enqueue_args", name, times);
    };
    with(arguments_64{}, "64B");
    with(arguments_1k{}, "1024B");
}

static void back_to_back(table &table, cudaStream_t stream)
{
    for (int count : values({8, 32, 128, 1000}, {4, 16, 64, 300}, {6, 24, 100, 500})) {
        samples enqueue, total;
        for (int i = 0; i < (count > 500 ? 12 : 60); i++) {
            double start = now_ns();
            for (int launch = 0; launch < count; launch++)
                empty<<<1, 32, 0, stream>>>();
            double returned = now_ns();
            CUDA(cudaStreamSynchronize(stream));
            enqueue.add((returned - start) / count);
            total.add((now_ns() - start) / count);
        }
        enqueue.drop_first(2);
        total.drop_first(2);
        std::string name = "N=" + std::to_string(count);
        launch_row(table, "back_to_back_enqueue_per_launch", name, enqueue);
        launch_row(table, "back_to_back_total_per_launch", name, total);
    }
}

/* Several host threads launch at the same time, each into its own stream. */
static void from_several_threads(table &table, int threads)
{
    samples times;
    constexpr int count = 1000;
    for (int repeat = 0; repeat < 8; repeat++) {
        cuda::std::atomic<int> ready{0};
        std::vector<std::thread> workers;
        std::vector<double> spans((size_t)threads);
        for (int i = 0; i < threads; i++)
            workers.emplace_back([&, i] {
                pin_to_cpu(1 + i);
                cudaStream_t stream;
                CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
                ready.fetch_add(1);
                while (ready.load() < threads)
                    continue;
                double start = now_ns();
                for (int launch = 0; launch < count; launch++)
                    empty<<<1, 32, 0, stream>>>();
                CUDA(cudaStreamSynchronize(stream));
                spans[(size_t)i] = (now_ns() - start) / count;
                CUDA(cudaStreamDestroy(stream));
            });
        for (std::thread &worker : workers)
            worker.join();
        for (double span : spans)
            times.add(span);
    }
    times.drop_first((size_t)threads);
    std::string name = std::to_string(threads) + "threads_1gpu";
    launch_row(table, "multi_thread_total_per_launch_per_thread", name, times);
}

/* Kernels in one stream that each spin for a while: the period minus the spin is the gap. */
static void stream_chain(table &table, cudaStream_t stream, double ratio, int spin_us)
{
    cudaEvent_t start, end;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    uint64_t cycles = (uint64_t)(ratio * 1e3 * spin_us);
    constexpr int count = 100;
    for (int blocks : {1, 1056}) {
        samples periods;
        for (int repeat = 0; repeat < 22; repeat++) {
            spin_for<<<1, 1, 0, stream>>>((uint64_t)(ratio * 1e6)); // the host gets ahead meanwhile
            CUDA(cudaEventRecord(start, stream));
            for (int kernel = 0; kernel < count; kernel++)
                spin_for<<<blocks, blocks == 1 ? 32 : 256, 0, stream>>>(cycles);
            CUDA(cudaEventRecord(end, stream));
            CUDA(cudaEventSynchronize(end));
            float milliseconds;
            CUDA(cudaEventElapsedTime(&milliseconds, start, end));
            periods.add(1e6 * (double)milliseconds / count);
        }
        periods.drop_first(2);
        std::string name = "spin=" + std::to_string(spin_us) + "us";
        launch_row(table,
                   blocks == 1 ? "stream_chain_period_grid1" : "stream_chain_period_grid1056x256",
                   name, periods);
    }
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(end));
}

static void events(table &table, cudaStream_t stream)
{
    cudaEvent_t event;
    CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    launch_row(table, "event_record", "idle_stream",
               time_each(50, 500, [&] { CUDA(cudaEventRecord(event, stream)); }));
    launch_row(table, "event_record_plus_sync", "idle_stream", time_each(50, 500, [&] {
                   CUDA(cudaEventRecord(event, stream));
                   CUDA(cudaEventSynchronize(event));
               }));
    launch_row(table, "event_query_done", "-",
               time_each(50, 500, [&] { CUDA(cudaEventQuery(event)); }));
    launch_row(table, "stream_query_idle", "-",
               time_each(50, 500, [&] { CUDA(cudaStreamQuery(stream)); }));
    launch_row(table, "stream_sync_idle", "-",
               time_each(50, 500, [&] { CUDA(cudaStreamSynchronize(stream)); }));
    launch_row(table, "event_sync_done", "-",
               time_each(50, 500, [&] { CUDA(cudaEventSynchronize(event)); }));
    launch_row(table, "stream_wait_event", "-",
               time_each(50, 500, [&] { CUDA(cudaStreamWaitEvent(stream, event)); }));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaEventDestroy(event));
}

/* From the launch call to the moment at which the host sees what the kernel wrote. */
static void launch_to_flag(table &table, cudaStream_t stream)
{
    flag *word = pinned_alloc<flag>(1);
    samples seen, synchronised;
    for (uint32_t i = 1; i <= 1100; i++) {
        double start = now_ns();
        set_flag<<<1, 1, 0, stream>>>(&word->value, i);
        if (!host_wait_for(&word->value, i))
            fail("a kernel's flag never came");
        seen.add(now_ns() - start);
        CUDA(cudaStreamSynchronize(stream));
        synchronised.add(now_ns() - start);
    }
    seen.drop_first(100);
    synchronised.drop_first(100);
    launch_row(table, "launch_to_flag_seen_by_host", "-", seen);
    launch_row(table, "launch_to_flag_then_sync_returns", "-", synchronised);
    CUDA(cudaFreeHost(word));
}

void probe_launch(const std::string &folder)
{
    table table(
        folder, "launch",
        "launch, graph, event and stream costs seen by one pinned host thread; sync mode Spin",
        "what param median_us p10_us p90_us mean_us n");
    cudaStream_t stream;
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    launch_once(table, stream);
    launch_with_arguments(table, stream);
    back_to_back(table, stream);
    for (int threads : values({2, 4}, {3, 6}, {5, 8}))
        from_several_threads(table, threads);
    double ratio = cycles_per_ns(0);
    for (int spin_us : values({0, 1, 2, 5, 10, 20}, {4, 7, 15, 30}, {3, 8, 12, 40}))
        stream_chain(table, stream, ratio, spin_us);
    probe_graphs(table, stream);
    events(table, stream);
    launch_to_flag(table, stream);
    CUDA(cudaStreamDestroy(stream));
}
