/* SPDX-License-Identifier: BSD-3-Clause */
/* The same queues in GPU memory, served by agents on the GPU: one thread each, or a warp that polls 32 queues at once. */
#include "queues.h"
#include "streams.h"

/* An agent looks at every `step`th queue from `first` on, until each of them has given it `operations`. */
struct agent {
    queue *queues;
    int first, step, count, operations;
    uint64_t service_cycles;

    __device__ bool posted(int queue, uint32_t next) const
    {
        return next < (uint32_t)operations &&
               device_word(queues[queue].ring[next % entries].status)
                       .load(cuda::memory_order_acquire) == 2 * next + 1;
    }

    __device__ void serve(int queue, uint32_t next) const
    {
        entry *entry = &queues[queue].ring[next % entries];
        uint32_t sum = __ldcg(&entry->payload[0]).x + __ldcg(&entry->payload[1]).x +
                       __ldcg(&entry->payload[2]).x;
        uint64_t start = clock64();
        while (clock64() - start < service_cycles)
            continue;
        if (sum == 1) // never: the payload is read
            return;
        device_word(entry->status).store(2 * next + 2, cuda::memory_order_release);
    }
};

static __device__ uint64_t poll_by_thread(const agent &agent, uint32_t *next)
{
    patience patience;
    uint64_t passes = 0;
    int left = 0;
    for (int i = agent.first; i < agent.count; i += agent.step)
        left += agent.operations;
    for (; left > 0 && !patience.lost(); passes++)
        for (int i = agent.first; i < agent.count; i += agent.step)
            if (agent.posted(i, next[i])) {
                agent.serve(i, next[i]++);
                left--;
            }
    return passes;
}

/* Each lane polls a queue, 32 at a time; the operations found are served one after the other. */
static __device__ uint64_t poll_by_warp(const agent &agent, uint32_t *next)
{
    patience patience;
    uint64_t passes = 0;
    int mine = agent.first + (int)threadIdx.x * agent.step;
    int stride = 32 * agent.step;
    int left = 0;
    for (int i = agent.first; i < agent.count; i += agent.step)
        left += agent.operations;
    for (; left > 0 && !__any_sync(~0u, patience.lost()); passes++)
        for (int base = 0; agent.first + base < agent.count; base += stride) {
            int queue = mine + base;
            unsigned found =
                __ballot_sync(~0u, queue < agent.count && agent.posted(queue, next[queue]));
            left -= __popc(found);
            for (; found; found &= found - 1) {
                if ((int)threadIdx.x == __ffs((int)found) - 1)
                    agent.serve(queue, next[queue]++);
                __syncwarp();
            }
        }
    return passes;
}

constexpr int most_work_groups = 480;

struct run {
    queue *queues;
    float *cycles;
    span *spans;      // of each work-group
    uint64_t *passes; // of each agent
    uint64_t *nanoseconds;
    int work_groups, agents, operations;
    post how;
    bool warp;
};

/* The first blocks are agents; all blocks fit onto the GPU at once. */
static __global__ void agents_and_work_groups(run run, uint64_t service_cycles)
{
    int agent_number = (int)blockIdx.x;
    if (agent_number >= run.agents) {
        int number = agent_number - run.agents;
        if (threadIdx.x == 0)
            post_operations<true>(&run.queues[number], run.how, run.operations, 1,
                                  &run.cycles[number * run.operations], &run.spans[number]);
        return;
    }
    __shared__ uint32_t next[most_work_groups]; // of each queue: the operation that it gives next
    for (int i = (int)threadIdx.x; i < run.work_groups; i += (int)blockDim.x)
        next[i] = 0;
    __syncthreads();
    agent agent = {run.queues,      agent_number,   run.agents,
                   run.work_groups, run.operations, service_cycles};
    uint64_t start = global_timer_ns();
    uint64_t passes = 0;
    if (run.warp)
        passes = poll_by_warp(agent, next);
    else if (threadIdx.x == 0)
        passes = poll_by_thread(agent, next);
    if (threadIdx.x == 0) {
        run.passes[agent_number] = passes;
        run.nanoseconds[agent_number] = global_timer_ns() - start;
    }
}

static void one_run(table &table, double ratio, int work_groups, int agents, bool warp, post post,
                    int service_ns, streaming *beside = nullptr, int streams = 0)
{
    int operations = work_groups > 32 ? 200 : 600;
    run run = {};
    run.queues = device_alloc<queue>((size_t)work_groups);
    run.cycles = pinned_alloc<float>((size_t)work_groups * (size_t)operations);
    run.spans = pinned_alloc<span>((size_t)work_groups);
    run.passes = pinned_alloc<uint64_t>((size_t)agents);
    run.nanoseconds = pinned_alloc<uint64_t>((size_t)agents);
    run.work_groups = work_groups;
    run.agents = agents;
    run.operations = operations;
    run.how = post;
    run.warp = warp;
    if (beside)
        beside->begin(streams);
    agents_and_work_groups<<<agents + work_groups, 32>>>(run, (uint64_t)(ratio * service_ns));
    CUDA(cudaStreamSynchronize(nullptr));
    if (beside)
        beside->end();
    double pass_us =
        1e-3 * (double)run.nanoseconds[0] / (double)(run.passes[0] ? run.passes[0] : 1);
    std::string variant = std::string(post == POST_PACKED ? "packed_" : "") +
                          (warp ? "warp" : "thread") +
                          (beside ? "_beside_" + std::to_string(streams) : "");
    write_queue_row(table, work_groups, agents, service_ns, 1, variant.c_str(), operations,
                    run.cycles, run.spans, ratio, pass_us);
    CUDA(cudaFree(run.queues));
    CUDA(cudaFreeHost(run.cycles));
    CUDA(cudaFreeHost(run.spans));
    CUDA(cudaFreeHost(run.passes));
    CUDA(cudaFreeHost(run.nanoseconds));
}

void probe_gpu_agent(const std::string &folder)
{
    table table(
        folder, "gpu_agent",
        "queues in device memory served by `servers` agent blocks on the same GPU through the L2 (device\n"
        "scope). variant thread: one thread polls its queues one after the other; warp: 32 lanes poll 32\n"
        "queues at once, operations still served one after the other; packed_*: 16 B post without fence",
        queue_columns);
    double ratio = cycles_per_ns(0);
    for (int agents : values({1, 2, 4}, {1, 3}, {1, 2}))
        for (bool warp : {false, true})
            for (post post : {POST_FENCED, POST_PACKED})
                for (int work_groups :
                     values({1, 2, 4, 8, 16, 64, 128, 256, 480}, {3, 6, 12, 24, 48, 96, 192, 320},
                            {5, 10, 20, 40, 80, 160, 240, 400}))
                    if (work_groups >= agents)
                        one_run(table, ratio, work_groups, agents, warp, post, 0);
    for (bool warp : {false, true})
        for (int service_ns : values({500}, {250, 1000}, {100, 700}))
            for (int work_groups : values({1, 16, 128}, {3, 24, 96}, {5, 40, 160}))
                one_run(table, ratio, work_groups, 1, warp, POST_FENCED, service_ns);
}

void agents_beside_streams(const std::string &folder)
{
    table table(
        folder, "agent_streams",
        "as gpu_agent, beside blocks of 1,024 threads that copy 256 MiB within the GPU again and again;\n"
        "variant: its end is their number",
        queue_columns);
    double ratio = cycles_per_ns(0);
    streaming streaming;
    for (int streams : values({0, 8, 32, 64}, {0, 4, 16, 24, 48}, {0, 12, 40}))
        for (bool warp : {false, true})
            for (int work_groups : values({1, 4, 16, 64, 256}, {2, 8, 32}, {3, 12, 48}))
                one_run(table, ratio, work_groups, 1, warp, POST_FENCED, 0, &streaming, streams);
}

/* Agents beside so many streams that these reach what the memory gives. */
void agents_at_saturation(const std::string &folder)
{
    table table(
        folder, "agents_at_saturation",
        "as agent_streams, with 1 to 8 agents beside streams that leave hardly any memory bandwidth",
        queue_columns);
    double ratio = cycles_per_ns(0);
    streaming streaming;
    for (int streams : {0, 64, 96, 120, 130})
        for (int agents : {1, 2, 4, 8})
            for (bool warp : {false, true})
                for (int work_groups : {8, 32, 128})
                    one_run(table, ratio, work_groups, agents, warp, POST_FENCED, 0, &streaming,
                            streams);
}
