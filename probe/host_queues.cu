/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues in pinned host memory, each of one work-group, served by host threads that poll them in turn. */
#include "queues.h"

#include <algorithm>
#include <atomic>
#include <thread>

void write_queue_row(table &table, int work_groups, int servers, int service_ns, int window,
                     const char *variant, int operations, const float *cycles, const span *spans,
                     double ratio, double pass_us)
{
    samples times;
    for (int i = 0; i < work_groups * operations; i++)
        if (i % operations >= operations / 10)
            times.add(1e-3 * cycles[i] / ratio);
    span all = spans[0];
    for (int i = 1; i < work_groups; i++) {
        all.begin_ns = std::min(all.begin_ns, spans[i].begin_ns);
        all.end_ns = std::max(all.end_ns, spans[i].end_ns);
    }
    table.row("%d\t%d\t%d\t%d\t%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%zu\t%.5f\t%.4f", work_groups,
              servers, service_ns, window, variant, operations, times.mean(), times.quantile(0.1),
              times.median(), times.quantile(0.9), times.quantile(0.99), times.count(),
              1e3 * work_groups * operations / (double)(all.end_ns - all.begin_ns), pass_us);
}

/* Queues that begin `stride_bytes` apart: sizeof(queue), or more if there is room between them. */
struct queue_row {
    char *first;
    size_t stride_bytes;

    __host__ __device__ queue *at(int i) const
    {
        return (queue *)(first + stride_bytes * (size_t)i);
    }
};

static __global__ void work_groups_post(queue_row queues, post post, int operations, int window,
                                        float *cycles, span *spans)
{
    post_operations<false>(queues.at((int)blockIdx.x), post, operations, window,
                           &cycles[blockIdx.x * operations], &spans[blockIdx.x]);
}

/* One host thread; it serves every `step`th queue from `first` on. */
struct server {
    queue_row queues;
    int first, step, count, operations;
    double service_ns;
    post how;
    uint64_t passes = 0;
    double busy_ns = 0;

    void serve(int cpu, std::atomic<int> *ready);
    bool serve_one(queue *queue, uint32_t *next);
};

bool server::serve_one(queue *queue, uint32_t *next)
{
    system_word status(status_entry(queue, how, (int)*next)->status);
    uint32_t posted = 2 * *next + 1;
    if (status.load(cuda::memory_order_acquire) != posted)
        return false;
    const entry *entry = payload_entry(queue, how, (int)*next);
    uint32_t sum = entry->payload[0].x + entry->payload[1].x + entry->payload[2].x;
    asm volatile("" ::"r"(sum)); // the entry is read, as a server that acts on it would
    // Without a service time the clock is not read: a reading takes as long as the rest of an operation.
    if (service_ns > 0)
        for (double until = now_ns() + service_ns; now_ns() < until;)
            continue;
    status.store(posted + 1, cuda::memory_order_release);
    (*next)++;
    return true;
}

void server::serve(int cpu, std::atomic<int> *ready)
{
    pin_to_cpu(cpu);
    std::vector<uint32_t> next((size_t)count, 0);
    int left = 0;
    for (int i = first; i < count; i += step)
        left += operations;
    ready->fetch_add(1);
    double start = now_ns(), until = start + (double)patience_ns;
    for (; left > 0; passes++) {
        for (int i = first; i < count; i += step)
            left -=
                next[(size_t)i] < (uint32_t)operations && serve_one(queues.at(i), &next[(size_t)i]);
        if (passes % 1024 == 0 && now_ns() > until)
            return;
    }
    busy_ns = now_ns() - start;
}

static void one_run(table &table, double ratio, int work_groups, int servers, int service_ns,
                    post post, int window, const char *variant, size_t stride_bytes = sizeof(queue),
                    int cpu_step = 1)
{
    int operations = work_groups > 32 ? 200 : 600;
    queue_row queues = {pinned_alloc<char>(stride_bytes * (size_t)work_groups), stride_bytes};
    float *cycles = pinned_alloc<float>((size_t)work_groups * (size_t)operations);
    span *spans = pinned_alloc<span>((size_t)work_groups);
    std::vector<server> all;
    std::vector<std::thread> threads;
    std::atomic<int> ready{0};
    for (int i = 0; i < servers; i++)
        all.push_back({queues, i, servers, work_groups, operations, (double)service_ns, post});
    for (int i = 0; i < servers; i++)
        threads.emplace_back(&server::serve, &all[(size_t)i], 2 + cpu_step * i, &ready);
    while (ready.load() < servers)
        continue;
    work_groups_post<<<work_groups, 1>>>(queues, post, operations, window, cycles, spans);
    CUDA(cudaDeviceSynchronize());
    double pass_us = 0;
    for (int i = 0; i < servers; i++) {
        threads[(size_t)i].join();
        pass_us += 1e-3 * all[(size_t)i].busy_ns / (double)all[(size_t)i].passes / servers;
    }
    write_queue_row(table, work_groups, servers, service_ns, window, variant, operations, cycles,
                    spans, ratio, pass_us);
    CUDA(cudaFreeHost(queues.first));
    CUDA(cudaFreeHost(cycles));
    CUDA(cudaFreeHost(spans));
}

void probe_host_queues(const std::string &folder)
{
    table table(
        folder, "host_queues",
        "queues in pinned host memory served by `servers` pinned host threads, each polling its queues\n"
        "round-robin. lat: post to completion seen by the work-group (first 10% of operations dropped);\n"
        "variant fenced: 48 B of payload, system-scope release store of the status word; packed: one 16 B\n"
        "store holding status and operation, no fence; `window` posts behind one fence. sweep_mean: mean time of a helper's pass",
        queue_columns);
    double ratio = cycles_per_ns(0);
    for (int servers : values({1, 2, 4, 8}, {1, 3, 5}, {1, 2, 6}))
        for (post post : {POST_FENCED, POST_PACKED})
            for (int service_ns : values({0, 500}, {0, 200, 1000}, {0, 100, 2000}))
                for (int work_groups :
                     values({1, 2, 4, 8, 16, 64, 128, 256, 480}, {3, 6, 12, 24, 48, 96, 192, 320},
                            {5, 10, 20, 40, 80, 160, 240, 400}))
                    for (int window : values({1}, {1, 4, 20}, {1, 2, 10}))
                        if (work_groups >= servers && servers + 2 < usable_cpus() &&
                            (window == 1 || servers == 1))
                            one_run(table, ratio, work_groups, servers, service_ns, post, window,
                                    post == POST_FENCED ? "fenced" : "packed");
}

/* Threads without service time, whose lines then move back and forth as fast as they can; three times each, since a thread at its
 * limit is bistable. */
void probe_host_threads(const std::string &folder)
{
    constexpr struct {
        const char *name;
        post post;
    } variants[] = {{"fenced", POST_FENCED}, {"fenced_apart", POST_APART}, {"packed", POST_PACKED}};
    table table(folder, "host_threads",
                "as host_queues, by 1 to 8 threads without service time, three times each\n"
                "variant fenced_apart: payload and status word lie on lines of their own",
                queue_columns);
    double ratio = cycles_per_ns(0);
    for (const auto &variant : variants)
        for (int servers = 1; servers <= 8 && servers + 2 < usable_cpus(); servers++)
            for (int work_groups : {16, 64, 256})
                for (int i = 0; i < 3; i++)
                    one_run(table, ratio, work_groups, servers, 0, variant.post, 1, variant.name);
}

/* What of a post makes several threads slow: the number of its stores, its fence, or threads that share a core. */
void probe_host_posts(const std::string &folder)
{
    constexpr struct {
        const char *name;
        post post;
        int cpu_step;
    } variants[] = {{"fenced", POST_FENCED, 1},     {"fenced_2", POST_FENCED_2, 1},
                    {"fenced_1", POST_FENCED_1, 1}, {"fenced_0", POST_FENCED_0, 1},
                    {"unfenced", POST_UNFENCED, 1}, {"fenced_apart", POST_APART, 1},
                    {"packed", POST_PACKED, 1},     {"fenced_cpus_apart", POST_FENCED, 2}};
    table table(
        folder, "host_posts",
        "as host_queues, by 1 to 8 threads without service time, twice each\n"
        "variant fenced_2, _1, _0: 32, 16 and 0 B of payload before the fence instead of 48; unfenced: 16 B and\n"
        "the status word without a fence; fenced_cpus_apart: threads on each second CPU",
        queue_columns);
    double ratio = cycles_per_ns(0);
    for (const auto &variant : variants)
        for (int servers : {1, 2, 3, 4, 6, 8})
            for (int work_groups : {16, 64, 128, 256})
                for (int i = 0; i < 2; i++)
                    if (variant.cpu_step * servers + 2 < usable_cpus())
                        one_run(table, ratio, work_groups, servers, 0, variant.post, 1,
                                variant.name, sizeof(queue), variant.cpu_step);
}

/* Windows of posts by many work-groups to one thread, which is then at its limit. Queues that begin 4 KiB apart have their lines of the
 * same number in the same set of the core's cache; those of a variant with "_apart" begin one line later each. */
void probe_host_windows(const std::string &folder)
{
    struct {
        const char *name;
        post post;
        size_t stride_bytes;
    } variants[] = {{"fenced", POST_FENCED, sizeof(queue)},
                    {"packed", POST_PACKED, sizeof(queue)},
                    {"fenced_apart", POST_FENCED, sizeof(queue) + sizeof(entry)},
                    {"packed_apart", POST_PACKED, sizeof(queue) + sizeof(entry)}};
    table table(
        folder, "host_windows",
        "as host_queues, by one thread without service time; three times each, since a thread at its limit is bistable\n"
        "variant: fenced and packed: the queues begin 4 KiB apart; *_apart: 4 KiB and 64 B apart",
        queue_columns);
    double ratio = cycles_per_ns(0);
    for (const auto &variant : variants)
        for (int work_groups : {64, 96, 128, 192, 256, 320, 480})
            for (int window : {1, 2, 4, 8, 20})
                for (int i = 0; i < 3; i++)
                    one_run(table, ratio, work_groups, 1, 0, variant.post, window, variant.name,
                            variant.stride_bytes);
}
