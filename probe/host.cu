/* SPDX-License-Identifier: BSD-3-Clause */
/* The host alone: what its clock costs, how fast it copies, how long a flag takes from core to core. */
#include "words.h"

#include <cstring>
#include <thread>

static void clock_cost(table &table)
{
    double start = now_ns();
    constexpr int count = 200'000;
    for (int i = 0; i < count; i++)
        now_ns();
    table.row("clock_gettime_cost\t-\t-\t%.2f\tns\t%d", (now_ns() - start) / count, count);
    table.row("n_cpu\t-\t-\t%d\tcount\t1", usable_cpus());
}

/* Each thread copies its own pair of buffers; the rate is that of all threads together. */
static double copy_rate(size_t bytes, int threads, int repeats)
{
    std::vector<std::thread> workers;
    cuda::std::atomic<int> ready{0};
    std::vector<double> rates((size_t)threads);
    for (int i = 0; i < threads; i++)
        workers.emplace_back([&, i] {
            pin_to_cpu(i + 1);
            std::vector<char> from(bytes, 1), to(bytes, 2);
            ready.fetch_add(1);
            while (ready.load() < threads)
                continue;
            double start = now_ns();
            for (int repeat = 0; repeat < repeats; repeat++) {
                memcpy(to.data(), from.data(), bytes);
                asm volatile("" ::"r"(to.data()) : "memory"); // each copy is made
            }
            rates[(size_t)i] = (double)bytes * repeats / (now_ns() - start);
        });
    for (std::thread &worker : workers)
        worker.join();
    double sum = 0;
    for (double rate : rates)
        sum += rate;
    return sum;
}

static void memcpy_by_size(table &table)
{
    const struct {
        size_t bytes;
        int repeats;
    } sizes[] = {{4096, 2000}, {65536, 2000}, {1 << 20, 256}, {1 << 24, 16}, {1 << 27, 3}};
    for (int threads = 1; threads <= 4 && threads < usable_cpus(); threads *= 2)
        for (auto [bytes, repeats] : sizes)
            table.row("memcpy_bandwidth_copied\tbytes=%zu\tthreads=%d\t%.2f\tGB/s\t%d", bytes,
                      threads, copy_rate(bytes, threads, repeats), repeats);
}

static void core_to_core(table &table, int other)
{
    flag flags[2] = {};
    constexpr uint32_t count = 20'000;
    std::thread partner([&] {
        pin_to_cpu(other);
        for (uint32_t i = 1; i <= count; i++) {
            if (!host_wait_for(&flags[0].value, i))
                return;
            system_word(flags[1].value).store(i, cuda::memory_order_release);
        }
    });
    samples times;
    for (uint32_t i = 1; i <= count; i++) {
        double start = now_ns();
        system_word(flags[0].value).store(i, cuda::memory_order_release);
        if (!host_wait_for(&flags[1].value, i))
            break;
        times.add((now_ns() - start) / 2);
    }
    partner.join();
    times.drop_first(count / 20);
    table.row("core_to_core_one_way_median\tcpu1\tcpu%d\t%.1f\tns\t%zu", other, times.median(),
              times.count());
    table.row("core_to_core_one_way_p99\tcpu1\tcpu%d\t%.1f\tns\t%zu", other, times.quantile(0.99),
              times.count());
}

void probe_host(const std::string &folder)
{
    table table(
        folder, "host",
        "host facts; core_to_core: round trip of a flag between two pinned threads, half of it",
        "what param param2 value unit n");
    clock_cost(table);
    for (int other = 2; other < usable_cpus(); other *= 2)
        core_to_core(table, other);
    memcpy_by_size(table);
}
