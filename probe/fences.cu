/* SPDX-License-Identifier: BSD-3-Clause */
/* Fences to the system by blocks and warps of an SM, whether those that wait together end together, and when stores of
 * each SM can be seen by the host. */
#include "operations.h"

#include <algorithm>
#include <array>
#include <thread>

constexpr int most_sms = 256;
constexpr int most_warps = 32; /* of a block; only the first lane of each does anything */

/* As a work-group posts to a queue: 48 B of payload, then a word with release. */
struct post {
    static __device__ uint32_t run(uint32_t *words, uint32_t zero)
    {
        uint4 *line = (uint4 *)&words[zero];
        for (int i = 1; i < 4; i++)
            line[i] = make_uint4(zero, zero, zero, zero);
        system_word(*words).store(0, cuda::memory_order_release);
        return zero;
    }
};

/* --- what one takes by blocks and warps ---------------------------------------------------------- */

constexpr int operations_a_warp = 200;

template <typename Operation>
static __global__ void all_warps(flag *words, bool same, float *cycles)
{
    if (threadIdx.x % warpSize != 0)
        return;
    int warp = (int)((blockIdx.x * blockDim.x + threadIdx.x) / (unsigned)warpSize);
    uint32_t *mine = &words[same ? 0 : warp].value;
    uint32_t zero = 0;
    uint64_t start = clock64();
    for (int i = 0; i < operations_a_warp; i++)
        zero = Operation::run(mine, zero);
    if (zero == 0)
        cycles[warp] = (float)(clock64() - start) / operations_a_warp;
}

template <typename Operation>
static void cost_row(table &table, const char *what, flag *words, bool same, int blocks, int warps)
{
    int all = blocks * warps;
    float *cycles = pinned_alloc<float>((size_t)all);
    for (int repeat = 0; repeat < 2; repeat++) { // the first warms up
        all_warps<Operation><<<blocks, 32 * warps>>>(words, same, cycles);
        CUDA(cudaDeviceSynchronize());
    }
    samples times;
    double ratio = cycles_per_ns(0);
    for (int i = 0; i < all; i++)
        times.add(cycles[i] / ratio);
    table.row("%s\t%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%d", what, same ? "same" : "own_line", blocks,
              warps, times.median(), times.quantile(0.1), times.quantile(0.9), all);
    CUDA(cudaFreeHost(cycles));
}

static void cost_rows(const std::string &folder, flag *host, int sms)
{
    table table(
        folder, "fences",
        "`blocks` blocks of `warps` warps, of which one thread each does `what` back to back: a fence to the system,\n"
        "a store to host memory and a fence, or a post (48 B and a word with release); on a line of its own or all on one",
        "what address blocks warps mean_ns_per_op_median p10_ns p90_ns n");
    std::vector<std::array<int, 2>> shapes;
    for (int blocks : {1, 8, 32, sms / 2, sms})
        for (int warps : {1, 2, 3, 4, 6, 8, 16, 32})
            shapes.push_back({blocks, warps});
    for (int blocks : {2 * sms, 3 * sms, 4 * sms, 8 * sms})
        shapes.push_back({blocks, 1});
    for (auto [blocks, warps] : shapes) {
        cost_row<at_system::fence>(table, "fence", host, false, blocks, warps);
        cost_row<at_system::store_then_fence>(table, "store_fence", host, false, blocks, warps);
        cost_row<at_system::store_then_fence>(table, "store_fence", host, true, blocks, warps);
        cost_row<post>(table, "post", host, false, blocks, warps);
    }
}

/* --- whether fences of one SM end together --------------------------------------------------------- */

constexpr int rounds = 60;
struct turn {
    uint64_t begin, end; // cycles of the SM
};

/* In each round the warps of a block begin together, each `step` cycles behind the one before. */
template <bool stores> static __global__ void meet(flag *words, uint64_t step, turn *turns)
{
    int warp = (int)threadIdx.x / warpSize, warps = (int)blockDim.x / warpSize;
    bool acts = threadIdx.x % warpSize == 0;
    system_word word(words[(int)blockIdx.x * warps + warp].value);
    for (int round = 0; round < rounds; round++) {
        __syncthreads();
        uint64_t until = clock64() + (uint64_t)warp * step;
        while (acts && clock64() < until)
            continue;
        turn own;
        own.begin = clock64();
        if (acts && stores)
            word.store(0, cuda::memory_order_relaxed);
        if (acts)
            cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_system);
        own.end = clock64();
        if (acts)
            turns[((int)blockIdx.x * rounds + round) * warps + warp] = own;
    }
}

/* The warps of a round by their beginnings, since its first one began. */
static void add_round(const turn *round, int warps, double ratio, samples *begins, samples *ends)
{
    uint64_t first = round[0].begin;
    std::vector<double> ended;
    for (int i = 1; i < warps; i++)
        first = std::min(first, round[i].begin);
    for (int i = 0; i < warps; i++) {
        begins[i].add((double)(int64_t)(round[i].begin - first) / ratio);
        ended.push_back((double)(int64_t)(round[i].end - first) / ratio);
    }
    std::sort(ended.begin(), ended.end());
    for (int i = 0; i < warps; i++)
        ends[i].add(ended[(size_t)i]);
}

template <bool stores>
static void turn_rows(table &table, flag *words, int blocks, int warps, int step_ns)
{
    size_t all = (size_t)blocks * rounds;
    std::vector<turn> turns(all * (size_t)warps);
    turn *noted = device_alloc<turn>(turns.size()); // a note to the host would be a store in flight
    double ratio = cycles_per_ns(0);
    meet<stores><<<blocks, 32 * warps>>>(words, (uint64_t)(step_ns * ratio), noted);
    CUDA(cudaMemcpy(turns.data(), noted, turns.size() * sizeof(turn), cudaMemcpyDeviceToHost));
    samples begins[most_warps], ends[most_warps];
    for (size_t i = 0; i < all; i++)
        if (i % rounds >= rounds / 10) // the first ones warm up
            add_round(&turns[i * (size_t)warps], warps, ratio, begins, ends);
    for (int i = 0; i < warps; i++)
        table.row("%s\t%d\t%d\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%zu",
                  stores ? "store_fence" : "fence", blocks, warps, step_ns, i, begins[i].median(),
                  ends[i].median(), ends[i].quantile(0.1), ends[i].quantile(0.9), ends[i].count());
    CUDA(cudaFree(noted));
}

static void meeting_rows(const std::string &folder, flag *host, int sms)
{
    table table(
        folder, "fence_turns",
        "fences of `warps` warps of one SM that begin together, or each `step_ns` behind the one before, with a store to\n"
        "host memory before each or without: `begin_ns` of the `place`th warp and the `place`th of their ends, in order",
        "what blocks warps step_ns place begin_ns end_ns end_p10_ns end_p90_ns n");
    for (int blocks : {1, sms})
        for (int warps : {2, 3, 4, 8, 16})
            for (int step_ns : {0, 200, 500, 900}) {
                turn_rows<false>(table, host, blocks, warps, step_ns);
                turn_rows<true>(table, host, blocks, warps, step_ns);
            }
}

/* --- when stores of each SM can be seen by the host -------------------------------------------------- */

/* How SMs store in a round: one alone, in turn; or all at once, each to a line of its own of which the host watches one. */
enum way { ALONE, TOGETHER, POSTS_TOGETHER };
static const char *const way_names[] = {"alone", "together", "posts_together"};
constexpr int watches_a_sm = 30;
constexpr uint64_t alone_every_ns = 4000, together_every_ns = 16000;

struct plan {
    way way;
    uint64_t start_ns, every_ns;
    int sms, rounds;
};

static __device__ unsigned own_sm()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* A block on each SM stores the number of the round, at the first tick of the global timer that reaches the round's time. */
static __global__ void store_by_plan(const plan *shared, flag *lines, int *sm_of, uint64_t *started)
{
    if (blockIdx.x == 0)
        *started = global_timer_ns();
    sm_of[blockIdx.x] = (int)own_sm();
    __threadfence_system();
    patience patience;
    while (*(volatile const uint64_t *)&shared->start_ns == 0)
        if (patience.lost())
            return;
    plan plan = *shared;
    int own = (int)blockIdx.x;
    for (int round = 0; round < plan.rounds; round++) {
        if (plan.way == ALONE && round % plan.sms != own)
            continue;
        uint64_t at = plan.start_ns + (uint64_t)round * plan.every_ns;
        uint32_t *line = &lines[plan.way == ALONE ? 0 : own].value;
        while (global_timer_ns() < at)
            continue; // ends, since the plan's times do
        if (plan.way == POSTS_TOGETHER)
            for (int i = 1; i < 4; i++)
                ((uint4 *)line)[i] = make_uint4(own, own, own, own);
        system_word(*line).store((uint32_t)round + 1, plan.way == POSTS_TOGETHER
                                                          ? cuda::memory_order_release
                                                          : cuda::memory_order_relaxed);
    }
}

/* When the host saw the store of each round that it watched, less the round's time by the plan; false if it gave up. */
static bool watch(const plan &plan, flag *lines, std::vector<double> *seen)
{
    for (int round = 0; round < plan.rounds; round++) {
        system_word word(lines[plan.way == ALONE ? 0 : round % plan.sms].value);
        double until = now_ns() + (double)patience_ns;
        while (word.load(cuda::memory_order_relaxed) < (uint32_t)round + 1)
            if (now_ns() > until)
                return false;
        seen->push_back(now_ns() - (double)round * (double)plan.every_ns);
    }
    return true;
}

/* Clocks drift: what an SM is later than the others is told against the rounds around it. */
static void way_rows(table &table, const plan &plan, const std::vector<double> &seen,
                     const int *sm_of)
{
    std::vector<samples> later((size_t)plan.sms);
    for (int turn = 1; turn < plan.rounds / plan.sms; turn++) { // the first warms up
        samples all;
        for (int i = 0; i < plan.sms; i++)
            all.add(seen[(size_t)(turn * plan.sms + i)]);
        for (int i = 0; i < plan.sms; i++)
            later[(size_t)i].add(all.values[(size_t)i] - all.median());
    }
    for (int i = 0; i < plan.sms; i++) {
        const samples &own = later[(size_t)i];
        table.row("%s\t%d\t%.1f\t%.1f\t%.1f\t%zu", way_names[plan.way], sm_of[i], own.median(),
                  own.quantile(0.1), own.quantile(0.9), own.count());
    }
}

static void measure_way(table &table, way way, flag *lines, int sms)
{
    plan *shared = pinned_alloc<plan>(1);
    int *sm_of = pinned_alloc<int>((size_t)sms);
    uint64_t *started = pinned_alloc<uint64_t>(1);
    std::fill_n((unsigned char *)lines, (size_t)sms * sizeof(flag), (unsigned char)0);
    plan plan{way, 0, way == ALONE ? alone_every_ns : together_every_ns, sms, sms * watches_a_sm};
    *shared = plan;
    store_by_plan<<<sms, 1>>>(shared, lines, sm_of, started);
    double until = now_ns() + (double)patience_ns;
    while (*(volatile uint64_t *)started == 0 && now_ns() < until)
        continue;
    plan.start_ns = *(volatile uint64_t *)started + 1'000'000;
    *(volatile uint64_t *)&shared->start_ns = plan.start_ns;
    std::vector<double> seen;
    bool done = watch(plan, lines, &seen);
    CUDA(cudaDeviceSynchronize());
    if (done)
        way_rows(table, plan, seen, sm_of);
    CUDA(cudaFreeHost(shared));
    CUDA(cudaFreeHost(sm_of));
    CUDA(cudaFreeHost(started));
}

/* A block on each SM, one after the other, loads a word of the host's. */
static __global__ void load_in_turn(flag *words, int turn, float *cycles, int *sm_of)
{
    if ((int)blockIdx.x != turn)
        return;
    sm_of[turn] = (int)own_sm();
    for (int i = 0; i < batches; i++) {
        uint64_t start = clock64();
        if (system_word(words->value).load(cuda::memory_order_relaxed) == ~0U)
            return; // never: the clock's next reading waits for the load
        cycles[i] = (float)(clock64() - start);
    }
}

static void load_rows(table &table, const char *what, flag *words, int sms)
{
    float *cycles = pinned_alloc<float>(batches);
    int *sm_of = pinned_alloc<int>((size_t)sms);
    double ratio = cycles_per_ns(0);
    for (int turn = 0; turn < sms; turn++) {
        load_in_turn<<<sms, 1>>>(words, turn, cycles, sm_of);
        CUDA(cudaDeviceSynchronize());
        samples times;
        for (int i = batches / 10; i < batches; i++)
            times.add(cycles[i] / ratio);
        table.row("%s\t%d\t%.1f\t%.1f\t%.1f\t%zu", what, sm_of[turn], times.median(),
                  times.quantile(0.1), times.quantile(0.9), times.count());
    }
    CUDA(cudaFreeHost(cycles));
    CUDA(cudaFreeHost(sm_of));
}

static void store_rows(const std::string &folder, flag *host, int sms)
{
    table table(
        folder, "store_ways",
        "when the host sees a store of each SM, later than the median of all SMs: each alone; all at once, of which the host\n"
        "watches one line; posts (48 B and a word with release) at once. load_*: what a load takes on each SM, alone",
        "what sm ns_median ns_p10 ns_p90 n");
    for (way way : {ALONE, TOGETHER, POSTS_TOGETHER})
        measure_way(table, way, host, sms);
    flag *gpu = device_alloc<flag>(1);
    load_rows(table, "load_host", host, sms);
    load_rows(table, "load_device", gpu, sms);
    CUDA(cudaFree(gpu));
}

void probe_fences(const std::string &folder)
{
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    int sms = std::min(properties.multiProcessorCount, most_sms);
    flag *host = pinned_alloc<flag>((size_t)sms * most_warps);
    cost_rows(folder, host, sms);
    meeting_rows(folder, host, sms);
    store_rows(folder, host, sms);
    CUDA(cudaFreeHost(host));
}
