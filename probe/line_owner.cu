/* SPDX-License-Identifier: BSD-3-Clause */
/* Who has a line of host memory while GPU blocks store entries of several stores to it and host threads look at it: whether a look sees part
 * of an entry, and what that costs the look and the block. */
#include "words.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <initializer_list>
#include <random>
#include <thread>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace
{

constexpr int parts_most = 3; // stores of 16 B in an entry

/* --- blocks that store at set times ------------------------------------------------------------------- */

/* What one post took, in cycles: until its last store was issued, until its fence ended, and how much later than planned it began. */
struct post_cycles {
    float issued, fenced, late;
};

/* What blocks of one thread do: one post in each period, whose start and pauses the round's kind says. */
struct posting {
    char *entries;
    size_t stride_bytes;
    int stores, kinds, rounds;
    float period_ns, cycles_per_ns;
    const float *delay_ns; // of each block, for each kind
    const float *gap_ns;   // between the stores of a post, for each kind
    uint64_t *begin_ns;    // set by the first block
    post_cycles *cycles;   // of each block, for each round
};

/* The first block says when all begin; 0 if patience ran out. */
__device__ uint64_t common_begin(uint64_t *begin_ns)
{
    cuda::atomic_ref<uint64_t, cuda::thread_scope_device> begin(*begin_ns);
    constexpr uint64_t until_all_run_ns = 30'000;
    if (blockIdx.x == 0)
        begin.store(global_timer_ns() + until_all_run_ns, cuda::memory_order_relaxed);
    patience patience;
    while (begin.load(cuda::memory_order_relaxed) == 0)
        if (patience.lost())
            return 0;
    return begin.load(cuda::memory_order_relaxed);
}

/* The SM's clock at a time of the global timer, which is seen to a nanosecond or two: the timer advances in steps of 32 ns or more, and the
 * step that a look finds earliest counts. It returns shortly before that time. */
__device__ int64_t clock_at(uint64_t target_ns, float cycles_per_ns)
{
    uint64_t before_ns = global_timer_ns();
    int64_t target = INT64_MAX, now, margin = (int64_t)(100 * cycles_per_ns);
    do {
        uint64_t time_ns = global_timer_ns();
        now = clock64();
        if (time_ns != before_ns)
            target =
                min(target, now + (int64_t)((float)(int64_t)(target_ns - time_ns) * cycles_per_ns));
        before_ns = time_ns;
    } while (now < target - margin);
    return target;
}

__device__ post_cycles post_at(int64_t planned, uint4 *entry, int stores, int64_t gap,
                               uint32_t round)
{
    int64_t start;
    do
        start = clock64();
    while (start < planned);
#pragma unroll
    for (int i = 0; i < parts_most; i++) {
        if (i == stores)
            break;
        if (gap > 0)
            while (clock64() < start + i * gap)
                continue;
        asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(&entry[i]),
                     "r"(round)
                     : "memory");
    }
    int64_t issued = clock64();
    __threadfence_system();
    return {(float)(issued - start), (float)(clock64() - start), (float)(start - planned)};
}

__global__ void post_in_time(posting posting)
{
    uint4 *entry = (uint4 *)(posting.entries + posting.stride_bytes * blockIdx.x);
    uint64_t begin_ns = common_begin(posting.begin_ns);
    for (int round = 0; begin_ns != 0 && round < posting.rounds; round++) {
        int kind = round % posting.kinds;
        float delay_ns = posting.delay_ns[kind * (int)gridDim.x + (int)blockIdx.x];
        int64_t gap = (int64_t)(posting.gap_ns[kind] * posting.cycles_per_ns);
        uint64_t target_ns = begin_ns + (uint64_t)((double)posting.period_ns * round);
        int64_t target = clock_at(target_ns, posting.cycles_per_ns);
        posting.cycles[round * (int)gridDim.x + (int)blockIdx.x] =
            post_at(target + (int64_t)(delay_ns * posting.cycles_per_ns), entry, posting.stores,
                    gap, (uint32_t)round + 1);
    }
}

/* --- host threads that look ------------------------------------------------------------------------------ */

/* A clock of the core, read when all loads before have their data. */
uint64_t ticks()
{
#if defined(__x86_64__)
    _mm_lfence();
    return __rdtsc();
#else
    return (uint64_t)now_ns();
#endif
}

double ticks_per_ns()
{
    double start_ns = now_ns();
    uint64_t start = ticks();
    while (now_ns() < start_ns + 2e7)
        continue;
    return (double)(ticks() - start) / (now_ns() - start_ns);
}

/* A look that found something new. */
struct sight {
    uint64_t before, after; // before: 0 if looks are not timed
    int line, vain;         // vain: timed looks since the last one that took as long as a miss
    uint32_t part[parts_most];
};

/* How lines are looked at. */
struct watch {
    const char *name;
    int threads;
    bool first_only; // only the first block's line
    bool timed;      // the clock is read around each look
    double pause_ns; // behind a pass over the lines
};

struct watcher {
    const char *entries;
    size_t stride_bytes;
    int first, step, count, stores;
    watch how;
    double ticks_per_ns;
    std::vector<sight> sights; // room for them
    size_t used = 0;
    uint64_t shortest_miss = 0;

    void look(int cpu, std::atomic<int> *ready, const std::atomic<bool> *stop);
    template <bool timed> void pass(std::vector<sight> &last);
};

/* What a look that is timed takes if it hits, in ticks. */
uint64_t hit_ticks()
{
    uint32_t word = 0;
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t before = ticks();
        system_word(word).load(cuda::memory_order_acquire);
        shortest = std::min(shortest, ticks() - before);
    }
    return shortest;
}

/* The parts are loaded in the order in which they are stored, so that a new one before an old one means that they were stored apart. */
template <bool timed> void watcher::pass(std::vector<sight> &last)
{
    for (int line = first; line < count; line += step) {
        sight &before = last[(size_t)line], now = {timed ? ticks() : 0, 0, line, before.vain, {}};
        uint32_t *words = (uint32_t *)(entries + stride_bytes * (size_t)line);
        bool changed = false;
        for (int i = 0; i < stores; i++) {
            now.part[i] = system_word(words[4 * i]).load(cuda::memory_order_acquire);
            changed |= now.part[i] != before.part[i];
        }
        now.after = timed || changed ? ticks() : 0;
        if (!changed) {
            before.vain += timed && now.after - now.before > shortest_miss;
            continue;
        }
        before = now;
        before.vain = 0;
        if (used < sights.size())
            sights[used++] = now;
    }
}

void watcher::look(int cpu, std::atomic<int> *ready, const std::atomic<bool> *stop)
{
    pin_to_cpu(cpu);
    std::vector<sight> last((size_t)count);
    shortest_miss = hit_ticks() + (uint64_t)(40 * ticks_per_ns);
    ready->fetch_add(1);
    while (!stop->load(std::memory_order_relaxed)) {
        if (how.timed)
            pass<true>(last);
        else
            pass<false>(last);
        if (how.pause_ns > 0)
            for (uint64_t until = ticks() + (uint64_t)(how.pause_ns * ticks_per_ns);
                 ticks() < until;)
                continue;
    }
}

/* --- one run ------------------------------------------------------------------------------------------------ */

struct clocks {
    double gpu_per_ns, host_per_ns;
};

struct shape {
    const char *layout;
    int blocks;
    size_t stride_bytes;
    int stores;
    watch how;
};

/* What each block does in rounds of each kind. */
struct timetable {
    std::vector<float> delay_ns, gap_ns;
    int repetitions;
    float period_ns;
};

/* What the looks tell of one post. */
struct seen_post {
    double first_ns = NAN, whole_ns = NAN; // when a part, and when all of it was seen
    double miss_ns = NAN;                  // of the look that saw a part first
    int in_part = 0;                       // bit k: k of its stores were seen without the others
    int vain = 0;                          // misses before that saw nothing new
};

struct outcome {
    int kinds, rounds, blocks;
    std::vector<post_cycles> cycles;
    std::vector<seen_post> posts; // of each block, for each round

    size_t at(int round, int block) const
    {
        return (size_t)(round * blocks + block);
    }
};

void note_sight(const sight &sight, int stores, double ticks_per_ns, outcome &outcome)
{
    uint32_t newest = *std::max_element(sight.part, sight.part + stores);
    int seen = 0;
    while (seen < stores && sight.part[seen] == newest)
        seen++;
    // 0: the line came between the look's loads, of which the first was made too early.
    if (newest == 0 || newest > (uint32_t)outcome.rounds || seen == 0)
        return;
    seen_post &post = outcome.posts[outcome.at((int)newest - 1, sight.line)];
    double after_ns = (double)sight.after / ticks_per_ns;
    if (std::isnan(post.first_ns)) {
        post.first_ns = after_ns;
        post.vain = sight.vain;
        if (sight.before > 0)
            post.miss_ns = (double)(sight.after - sight.before) / ticks_per_ns;
    }
    if (seen == stores)
        post.whole_ns = after_ns;
    else
        post.in_part |= 1 << seen;
}

template <typename T> T *on_gpu(const std::vector<T> &values)
{
    T *memory = device_alloc<T>(values.size());
    CUDA(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

/* The blocks' part; their cycles go to `outcome`. */
void run_posts(const shape &shape, const timetable &plan, double cycles_per_ns, char *entries,
               outcome &outcome)
{
    float *delay_ns = on_gpu(plan.delay_ns), *gap_ns = on_gpu(plan.gap_ns);
    uint64_t *begin_ns = device_alloc<uint64_t>(1);
    post_cycles *cycles = device_alloc<post_cycles>(outcome.cycles.size());
    post_in_time<<<shape.blocks, 1>>>({entries, shape.stride_bytes, shape.stores, outcome.kinds,
                                       outcome.rounds, plan.period_ns, (float)cycles_per_ns,
                                       delay_ns, gap_ns, begin_ns, cycles});
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(outcome.cycles.data(), cycles, outcome.cycles.size() * sizeof(post_cycles),
                    cudaMemcpyDeviceToHost));
    CUDA(cudaFree(delay_ns));
    CUDA(cudaFree(gap_ns));
    CUDA(cudaFree(begin_ns));
    CUDA(cudaFree(cycles));
}

outcome run(const shape &shape, const timetable &plan, clocks clocks)
{
    outcome outcome = {(int)plan.gap_ns.size(), 0, shape.blocks, {}, {}};
    outcome.rounds = outcome.kinds * plan.repetitions;
    size_t count = (size_t)outcome.rounds * (size_t)shape.blocks;
    outcome.cycles.resize(count);
    outcome.posts.resize(count);
    char *entries = pinned_alloc<char>(shape.stride_bytes * (size_t)shape.blocks + 64);
    std::vector<watcher> watchers;
    std::vector<std::thread> threads;
    std::atomic<int> ready{0};
    std::atomic<bool> stop{false};
    int lines = shape.how.first_only ? 1 : shape.blocks;
    for (int i = 0; i < shape.how.threads; i++)
        watchers.push_back({entries, shape.stride_bytes, i, shape.how.threads, lines, shape.stores,
                            shape.how, clocks.host_per_ns, std::vector<sight>(4 * count)});
    for (int i = 0; i < shape.how.threads; i++)
        threads.emplace_back(&watcher::look, &watchers[(size_t)i], 2 + i, &ready, &stop);
    while (ready.load() < shape.how.threads)
        continue;
    run_posts(shape, plan, clocks.gpu_per_ns, entries, outcome);
    stop = true;
    for (std::thread &thread : threads)
        thread.join();
    for (const watcher &watcher : watchers)
        for (size_t i = 0; i < watcher.used; i++)
            note_sight(watcher.sights[i], shape.stores, clocks.host_per_ns, outcome);
    CUDA(cudaFreeHost(entries));
    return outcome;
}

/* --- what a table says about posts ----------------------------------------------------------------------- */

struct summary {
    samples issued_ns, fenced_ns, apart_ns, miss_ns;
    int posts = 0, late = 0, seen = 0, one = 0, two = 0, vain = 0;

    void add(const outcome &outcome, int round, int block, double cycles_per_ns);
    double share(int count) const
    {
        return seen == 0 ? NAN : (double)count / seen;
    }
};

void summary::add(const outcome &outcome, int round, int block, double cycles_per_ns)
{
    const post_cycles &cycles = outcome.cycles[outcome.at(round, block)];
    const seen_post &post = outcome.posts[outcome.at(round, block)];
    constexpr double punctual_ns = 8;
    posts++;
    late += cycles.late > punctual_ns * cycles_per_ns;
    issued_ns.add(cycles.issued / cycles_per_ns);
    fenced_ns.add(cycles.fenced / cycles_per_ns);
    if (std::isnan(post.first_ns))
        return;
    seen++;
    vain += post.vain;
    one += (post.in_part & 2) != 0;
    two += (post.in_part & 4) != 0;
    if (post.in_part != 0 && !std::isnan(post.whole_ns))
        apart_ns.add(post.whole_ns - post.first_ns);
    if (!std::isnan(post.miss_ns))
        miss_ns.add(post.miss_ns);
}

constexpr const char *summary_columns =
    "posts late issued_ns ns_mean ns_p10 ns_p50 ns_p90 seen one_seen two_seen apart_p10_ns "
    "apart_p50_ns apart_p90_ns miss_p50_ns miss_p90_ns vain_misses";
constexpr const char *summary_comment =
    "issued: from a post's first store until the last is issued; ns: until its fence ends; late: posts that began over 8 ns late.\n"
    "seen: share of the posts of which a look saw something. Of these: one_seen, two_seen: shares of which a look saw the first store, or the\n"
    "first two, without the next; apart: from the look that saw such a part to the look that saw all; miss: duration of the look that saw\n"
    "something first; vain_misses: looks before it, for each post, that took over 40 ns longer than one that hits, and saw nothing new (timed looks only)";

/* Values with so many digits, separated by tabs; "-" where there is none. */
std::string cells(int digits, std::initializer_list<double> values)
{
    std::string all;
    for (double value : values) {
        char text[40] = "-";
        if (!std::isnan(value))
            snprintf(text, sizeof text, "%.*f", digits, value);
        all += (all.empty() ? "" : "\t") + std::string(text);
    }
    return all;
}

std::string text_of(const summary &sum)
{
    return cells(0, {(double)sum.posts, (double)sum.late}) + "\t" +
           cells(1, {sum.issued_ns.mean(), sum.fenced_ns.mean(), sum.fenced_ns.quantile(0.1),
                     sum.fenced_ns.median(), sum.fenced_ns.quantile(0.9)}) +
           "\t" + cells(3, {(double)sum.seen / sum.posts, sum.share(sum.one), sum.share(sum.two)}) +
           "\t" +
           cells(0, {sum.apart_ns.quantile(0.1), sum.apart_ns.median(), sum.apart_ns.quantile(0.9),
                     sum.miss_ns.median(), sum.miss_ns.quantile(0.9)}) +
           "\t" + cells(3, {sum.share(sum.vain)});
}

std::string comment_of(const char *text, clocks clocks)
{
    char line[100];
    snprintf(line, sizeof line, "\nA timed look that hits takes %.1f ns.",
             (double)hit_ticks() / clocks.host_per_ns);
    return std::string(text) + summary_comment + line;
}

std::string shape_text(const shape &shape)
{
    char text[120];
    snprintf(text, sizeof text, "%s\t%d\t%d\t%s\t%d\t%.0f", shape.layout, shape.blocks,
             shape.stores, shape.how.name, shape.how.threads, shape.how.pause_ns);
    return text;
}

constexpr const char *shape_columns = "layout blocks stores looks lookers pause_ns ";

constexpr size_t far_bytes = 1088; // neither neighbours nor in one set of a cache

const watch nobody = {"none", 0, false, false, 0};
const watch one_thread[] = {nobody,
                            {"first", 1, true, false, 0},
                            {"first_timed", 1, true, true, 0},
                            {"all", 1, false, false, 0},
                            {"all_timed", 1, false, true, 0},
                            {"all_timed", 1, false, true, 100},
                            {"all_timed", 1, false, true, 1000}};

/* --- one block that pauses between its stores -------------------------------------------------------- */

void gap_rows(table &table, const shape &shape, clocks clocks)
{
    timetable plan = {{}, {}, 300, 6000};
    for (int gap_ns = 0; gap_ns <= 600; gap_ns += gap_ns < 100 ? 4 : gap_ns < 200 ? 10 : 50)
        plan.gap_ns.push_back((float)gap_ns);
    plan.delay_ns.assign(plan.gap_ns.size(), 0);
    outcome outcome = run(shape, plan, clocks);
    for (int kind = 0; kind < outcome.kinds; kind++) {
        summary sum;
        for (int round = outcome.kinds + kind; round < outcome.rounds; round += outcome.kinds)
            sum.add(outcome, round, 0, clocks.gpu_per_ns);
        table.row("%s\t%.0f\t%s", shape_text(shape).c_str(), plan.gap_ns[(size_t)kind],
                  text_of(sum).c_str());
    }
}

void gap_table(const std::string &folder, clocks clocks)
{
    table table(
        folder, "line_gaps",
        comment_of(
            "one block that stores 16 B `stores` times to its line of host memory, `gap_ns` apart, and fences, while a host thread looks\n"
            "at the line without a pause, or `pause_ns` behind each look; timed: it reads its clock around each look.\n",
            clocks)
            .c_str(),
        (std::string(shape_columns) + "gap_ns " + summary_columns).c_str());
    for (int stores : {1, 2, 3})
        for (const watch &how : one_thread)
            if (how.threads == 0 || !how.first_only)
                gap_rows(table, {"alone", 1, far_bytes, stores, how}, clocks);
}

/* --- two blocks, one of which begins later ------------------------------------------------------------ */

/* By how much later the second block's line was seen than the first's. */
double median_lead_ns(const outcome &outcome, int kind)
{
    samples leads;
    for (int round = outcome.kinds + kind; round < outcome.rounds; round += outcome.kinds) {
        double lead = outcome.posts[outcome.at(round, 1)].first_ns -
                      outcome.posts[outcome.at(round, 0)].first_ns;
        if (!std::isnan(lead))
            leads.add(lead);
    }
    return leads.median();
}

void delay_rows(table &table, const shape &shape, clocks clocks)
{
    timetable plan = {{}, {}, 250, 6000};
    constexpr int earliest_ns = -100, latest_ns = 200, step_ns = 4;
    for (int delay_ns = earliest_ns; delay_ns <= latest_ns; delay_ns += step_ns) {
        plan.delay_ns.push_back((float)std::max(0, -delay_ns));
        plan.delay_ns.push_back((float)std::max(0, delay_ns));
        plan.gap_ns.push_back(0);
    }
    outcome outcome = run(shape, plan, clocks);
    for (int kind = 0; kind < outcome.kinds; kind++)
        for (int block = 0; block < 2; block++) {
            summary sum;
            for (int round = outcome.kinds + kind; round < outcome.rounds; round += outcome.kinds)
                sum.add(outcome, round, block, clocks.gpu_per_ns);
            table.row("%s\t%d\t%d\t%s\t%s", shape_text(shape).c_str(), earliest_ns + step_ns * kind,
                      block, cells(0, {median_lead_ns(outcome, kind)}).c_str(),
                      text_of(sum).c_str());
        }
}

void delay_table(const std::string &folder, clocks clocks)
{
    table table(
        folder, "line_owner",
        comment_of(
            "two blocks that each store 16 B `stores` times to an entry of their own in host memory and fence, the second `delay_ns` later than\n"
            "the first. layout: entries in lines far apart, in neighbouring lines (near), or in the halves of one. Meanwhile a host thread looks at the\n"
            "first line or at all; timed: it reads its clock around each look. lead: by how much later the second entry was seen.\n",
            clocks)
            .c_str(),
        (std::string(shape_columns) + "delay_ns block lead_ns " + summary_columns).c_str());
    for (int stores : {1, 2, 3})
        for (const watch &how : one_thread) {
            delay_rows(table, {"far", 2, far_bytes, stores, how}, clocks);
            delay_rows(table, {"near", 2, 64, stores, how}, clocks);
            if (stores < 3)
                delay_rows(table, {"halves", 2, 32, stores, how}, clocks);
        }
}

/* --- many blocks ------------------------------------------------------------------------------------------- */

void crowd_rows(table &table, const shape &shape, int spread_ns, clocks clocks)
{
    timetable plan = {{}, std::vector<float>(20, 0), 15, 20000};
    std::mt19937 random(1);
    for (size_t i = 0; i < plan.gap_ns.size() * (size_t)shape.blocks; i++)
        plan.delay_ns.push_back((float)(random() % (unsigned)(spread_ns + 1)));
    outcome outcome = run(shape, plan, clocks);
    summary first, others;
    for (int round = outcome.kinds; round < outcome.rounds; round++)
        for (int block = 0; block < shape.blocks; block++)
            (block == 0 ? first : others).add(outcome, round, block, clocks.gpu_per_ns);
    table.row("%s\t%d\tfirst\t%s", shape_text(shape).c_str(), spread_ns, text_of(first).c_str());
    if (shape.blocks > 1)
        table.row("%s\t%d\tothers\t%s", shape_text(shape).c_str(), spread_ns,
                  text_of(others).c_str());
}

void crowd_table(const std::string &folder, clocks clocks)
{
    table table(
        folder, "line_crowds",
        comment_of(
            "`blocks` blocks that each store 16 B `stores` times to a line of their own in host memory and fence, once in 20 us, each at a\n"
            "random time within `spread_ns`, while `lookers` host threads look at their part of the lines, or one looks at the first line only.\n"
            "of: the first block or the others.\n",
            clocks)
            .c_str(),
        (std::string(shape_columns) + "spread_ns of " + summary_columns).c_str());
    for (int blocks : {1, 2, 4, 8, 16, 32, 64})
        for (int stores : {1, 2, 3})
            for (int spread_ns : {0, 200, 2000})
                for (const watch &how :
                     {nobody, watch{"first", 1, true, false, 0}, watch{"all", 1, false, false, 0},
                      watch{"all", 2, false, false, 0}, watch{"all", 4, false, false, 0},
                      watch{"all", 8, false, false, 0}})
                    if (how.threads <= blocks && how.threads + 2 < usable_cpus() &&
                        (blocks > 1 || spread_ns == 0))
                        crowd_rows(table, {"far", blocks, far_bytes, stores, how}, spread_ns,
                                   clocks);
}

} // namespace

void probe_line_owner(const std::string &folder)
{
    pin_to_cpu(1);
    clocks clocks = {cycles_per_ns(0), ticks_per_ns()};
    gap_table(folder, clocks);
    delay_table(folder, clocks);
    crowd_table(folder, clocks);
}
