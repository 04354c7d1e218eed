/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of host memory that a GPU stores to while host threads look at them, and that a host thread stores to while a GPU looks. */
#include "words.h"

#include <atomic>
#include <thread>

/* Three lines, so that neighbours are in other sets of a cache, and no two used ones are neighbours. */
struct alignas(64) place {
    uint4 stored[3];
    uint32_t answer; // by a host thread
    uint32_t unused[35];
};

/* --- a GPU stores, host threads look --------------------------------------------------------------- */

/* Each block stores to its line, `stores` times 16 B, and fences; `rounds` times. */
static __global__ void store_and_fence(place *places, int stores, int rounds, float *cycles)
{
    place *mine = &places[blockIdx.x];
    uint64_t start = clock64();
    for (uint32_t round = 1; round <= (uint32_t)rounds; round++) {
        for (int i = 0; i < stores; i++)
            asm volatile(
                "st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(&mine->stored[i]),
                "r"(round)
                : "memory");
        __threadfence_system();
    }
    cycles[blockIdx.x] = (float)(clock64() - start) / (float)rounds;
}

/* One thread stores to all lines in turn without a fence between, `stores` times 16 B to each. */
static __global__ void store_in_a_row(place *places, int lines, int stores, int rounds,
                                      float *cycles)
{
    uint64_t start = clock64();
    for (uint32_t round = 1; round <= (uint32_t)rounds; round++)
        for (int line = 0; line < lines; line++)
            for (int i = 0; i < stores; i++)
                asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(
                                 &places[line].stored[i]),
                             "r"(round)
                             : "memory");
    __threadfence_system();
    cycles[0] = (float)(clock64() - start) / (float)rounds / (float)(lines * stores);
}

/* What a host thread does with the lines from `first` on, each `step`th, until it is told to stop. */
struct looker {
    place *places;
    int first, step, count;
    bool answers;
    double period_ns; // from pass to pass at least
    uint64_t passes = 0;
    double busy_ns = 0;

    void look(int cpu, std::atomic<int> *ready, const std::atomic<bool> *stop);
};

void looker::look(int cpu, std::atomic<int> *ready, const std::atomic<bool> *stop)
{
    pin_to_cpu(cpu);
    std::vector<uint32_t> seen((size_t)count, 0);
    ready->fetch_add(1);
    double start = now_ns(), next = start;
    for (; !stop->load(std::memory_order_relaxed); passes++) {
        for (int i = first; i < count; i += step) {
            uint32_t now = system_word(places[i].stored[0].x).load(cuda::memory_order_acquire);
            if (now == seen[(size_t)i])
                continue;
            seen[(size_t)i] = now;
            if (answers)
                system_word(places[i].answer).store(now, cuda::memory_order_release);
        }
        if (period_ns > 0)
            for (next += period_ns; now_ns() < next;)
                continue;
    }
    busy_ns = now_ns() - start;
}

struct shape {
    int blocks, stores, lookers, period_ns;
    bool answers, in_a_row;
};

static void looks_row(table &table, double ratio, shape shape)
{
    place *places = pinned_alloc<place>((size_t)shape.blocks);
    float *cycles = pinned_alloc<float>((size_t)shape.blocks);
    std::vector<looker> all;
    std::vector<std::thread> threads;
    std::atomic<int> ready{0};
    std::atomic<bool> stop{false};
    for (int i = 0; i < shape.lookers; i++)
        all.push_back(
            {places, i, shape.lookers, shape.blocks, shape.answers, (double)shape.period_ns});
    for (int i = 0; i < shape.lookers; i++)
        threads.emplace_back(&looker::look, &all[(size_t)i], 2 + i, &ready, &stop);
    while (ready.load() < shape.lookers)
        continue;
    int measured = shape.in_a_row ? 1 : shape.blocks;
    for (int rounds : {10, shape.in_a_row ? 20000 / shape.blocks : 200}) { // the first warms up
        if (shape.in_a_row)
            store_in_a_row<<<1, 1>>>(places, shape.blocks, shape.stores, rounds, cycles);
        else
            store_and_fence<<<shape.blocks, 1>>>(places, shape.stores, rounds, cycles);
        CUDA(cudaDeviceSynchronize());
    }
    stop = true;
    double pass_us = 0;
    for (int i = 0; i < shape.lookers; i++) {
        threads[(size_t)i].join();
        pass_us += 1e-3 * all[(size_t)i].busy_ns / (double)all[(size_t)i].passes / shape.lookers;
    }
    samples times;
    for (int i = 0; i < measured; i++)
        times.add(cycles[i] / ratio);
    table.row("%s\t%d\t%d\t%d\t%s\t%d\t%.1f\t%.1f\t%.1f\t%.4f", shape.in_a_row ? "row" : "fence",
              shape.blocks, shape.stores, shape.lookers, shape.answers ? "answer" : "look",
              shape.period_ns, times.mean(), times.quantile(0.1), times.quantile(0.9), pass_us);
    CUDA(cudaFreeHost(places));
    CUDA(cudaFreeHost(cycles));
}

static void looks_rows(const std::string &folder, double ratio)
{
    table table(
        folder, "stores_and_looks",
        "what fence: `lines` blocks of one thread, each of which stores 16 B `stores` times to its own line and fences;\n"
        "row: one thread that stores 16 B `stores` times to each of `lines` lines in turn without a fence. Meanwhile `lookers` host threads\n"
        "look at their part of the lines, and answer there if `how` says so, one pass each `period_ns` at most. ns: of a\n"
        "store (row), or of the stores with their fence. pass: mean time of a looker's pass",
        "what lines stores lookers how period_ns ns_mean ns_p10 ns_p90 pass_us");
    for (bool in_a_row : {false, true})
        for (int blocks : {1, 16, 64, 256})
            for (int stores : {1, 3})
                for (int lookers : {0, 1, 2, 4, 8})
                    for (int period_ns : {0, 1000})
                        for (bool answers : {false, true})
                            for (int i = 0; i < 2; i++)
                                if (lookers <= blocks &&
                                    (lookers > 0 || (period_ns == 0 && !answers)) &&
                                    lookers + 2 < usable_cpus())
                                    looks_row(
                                        table, ratio,
                                        {blocks, stores, lookers, period_ns, answers, in_a_row});
}

/* --- a host thread stores, a GPU looks --------------------------------------------------------------- */

static __global__ void poll(place *places)
{
    patience patience;
    system_word answer(places[blockIdx.x].answer);
    while (answer.load(cuda::memory_order_acquire) != ~0U && !patience.lost())
        continue;
}

/* ns of one of `rounds` stores to each line in turn; `loads`: it reads the line before. */
static double stores_in_turn(place *places, int lines, int rounds, bool loads)
{
    double start = now_ns();
    for (uint32_t round = 1; round <= (uint32_t)rounds; round++)
        for (int i = 0; i < lines; i++) {
            system_word answer(places[i].answer);
            if (loads && answer.load(cuda::memory_order_acquire) == ~0U)
                return 0;
            answer.store(round, cuda::memory_order_release);
        }
    return (now_ns() - start) / rounds / lines;
}

static void answers_rows(const std::string &folder)
{
    table table(
        folder, "answers_and_polls",
        "a host thread that stores to each of `lines` lines in turn, while one block polls each of them or none does;\n"
        "how: store, or load_store: it loads the line before. ns: of one store",
        "lines polled how ns_mean");
    for (int lines : {1, 16, 64, 256})
        for (bool polled : {false, true})
            for (bool loads : {false, true})
                for (int i = 0; i < 2; i++) {
                    place *places = pinned_alloc<place>((size_t)lines);
                    if (polled)
                        poll<<<lines, 1>>>(places);
                    double begin = now_ns();
                    while (now_ns() < begin + 1e6)
                        continue;
                    stores_in_turn(places, lines, 10, loads);
                    double ns = stores_in_turn(places, lines, 100000 / lines, loads);
                    for (int line = 0; line < lines; line++)
                        system_word(places[line].answer).store(~0U, cuda::memory_order_release);
                    CUDA(cudaDeviceSynchronize());
                    table.row("%d\t%s\t%s\t%.2f", lines, polled ? "yes" : "no",
                              loads ? "load_store" : "store", ns);
                    CUDA(cudaFreeHost(places));
                }
}

void probe_host_lines(const std::string &folder)
{
    pin_to_cpu(1);
    looks_rows(folder, cycles_per_ns(0));
    answers_rows(folder);
}
