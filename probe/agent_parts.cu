/* SPDX-License-Identifier: BSD-3-Clause */
/* What of an operation takes an agent of the GPU longer beside blocks that stream: one thread serves queues as in gpu_agent.cu, and
 * notes the cycles of each part. And what a load takes of a line that was stored to after it had left the L2. */
#include "queues.h"
#include "streams.h"

enum part { LOOK_IN_VAIN, LOOK_THAT_FINDS, PAYLOAD, ANSWER, PARTS };
constexpr const char *part_names[PARTS] = {"look_in_vain", "look_that_finds", "payload", "answer"};

struct part_sums {
    double cycles[PARTS], most[PARTS];
    unsigned long long count[PARTS];
    double post_cycles, whole_cycles; // of the first work-group
    unsigned sm;                      // that the agent ran on
};

struct timed_run {
    queue *queues;
    part_sums *sums;
    int work_groups, operations, ring; // entries of a ring that are used
};

static __device__ uint64_t add_part(part_sums &sums, part part, uint64_t start)
{
    uint64_t now = clock64();
    double cycles = (double)(now - start);
    sums.cycles[part] += cycles;
    sums.most[part] = sums.most[part] > cycles ? sums.most[part] : cycles;
    sums.count[part]++;
    return now;
}

/* `next` counts the operations of each queue. Only those after the first lap count. */
static __device__ void serve_timed(const timed_run &run, uint32_t *next)
{
    part_sums sums = {};
    patience patience;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sums.sm));
    int left = run.work_groups * run.operations;
    bool counts = false;
    uint64_t start = clock64();
    while (left > 0 && !patience.lost()) {
        if (!counts && left < run.work_groups * run.operations / 2) {
            unsigned sm = sums.sm;
            sums = {};
            sums.sm = sm;
            counts = true;
        }
        for (int i = 0; i < run.work_groups; i++) {
            entry *entry = &run.queues[i].ring[next[i] % (uint32_t)run.ring];
            bool found =
                next[i] < (uint32_t)run.operations &&
                device_word(entry->status).load(cuda::memory_order_acquire) == 2 * next[i] + 1;
            start = add_part(sums, found ? LOOK_THAT_FINDS : LOOK_IN_VAIN, start);
            if (!found)
                continue;
            uint32_t sum = __ldcg(&entry->payload[0]).x + __ldcg(&entry->payload[1]).x +
                           __ldcg(&entry->payload[2]).x;
            if (sum == 1) // never: the payload is read
                return;
            start = add_part(sums, PAYLOAD, start);
            device_word(entry->status).store(2 * next[i]++ + 2, cuda::memory_order_release);
            start = add_part(sums, ANSWER, start);
            left--;
        }
    }
    for (int part = 0; part < PARTS; part++) {
        run.sums->cycles[part] = sums.cycles[part];
        run.sums->most[part] = sums.most[part];
        run.sums->count[part] = sums.count[part];
    }
    run.sums->sm = sums.sm;
}

static __device__ void post_timed(const timed_run &run, int number)
{
    patience patience;
    double post_cycles = 0, whole_cycles = 0;
    for (int i = 0; i < run.operations; i++) {
        entry *entry = &run.queues[number].ring[i % run.ring];
        uint32_t posted = 2 * (uint32_t)i + 1;
        uint64_t start = clock64();
        for (int part = 0; part < 3; part++)
            entry->payload[part] = make_uint4(posted, posted, posted, posted);
        device_word(entry->status).store(posted, cuda::memory_order_release);
        uint64_t told = clock64();
        if (!wait_for(device_word(entry->status), posted + 1, cuda::memory_order_acquire, patience))
            return;
        if (i >= run.operations / 2) {
            post_cycles += (double)(told - start);
            whole_cycles += (double)(clock64() - start);
        }
    }
    if (number == 0) {
        run.sums->post_cycles = post_cycles / (run.operations - run.operations / 2);
        run.sums->whole_cycles = whole_cycles / (run.operations - run.operations / 2);
    }
}

static __global__ void timed_agent(timed_run run)
{
    __shared__ uint32_t next[128];
    for (int i = (int)threadIdx.x; i < run.work_groups; i += (int)blockDim.x)
        next[i] = 0;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0)
        serve_timed(run, next);
    else
        post_timed(run, (int)blockIdx.x - 1);
}

static void parts_row(table &table, int work_groups, int ring, int streams,
                      const streaming::shape &shape, streaming &beside, double ratio)
{
    constexpr int operations = 400;
    timed_run run = {device_alloc<queue>((size_t)work_groups), pinned_alloc<part_sums>(1),
                     work_groups, operations, ring};
    beside.begin(streams);
    timed_agent<<<1 + work_groups, 32, shape.shared_bytes>>>(run);
    CUDA(cudaStreamSynchronize(nullptr));
    double GBps = beside.end();
    const part_sums &sums = *run.sums;
    auto row = [&](const char *part, double cycles, double most, unsigned long long count) {
        table.row("%d\t%d\t%d\t%zu\t%zu\t%d\t%s\t%.1f\t%.1f\t%llu\t%.1f\t%u", work_groups, ring,
                  streams, shape.bytes >> 20, shape.piece_bytes >> 10, shape.shared_bytes > 0, part,
                  cycles / ratio, most / ratio, count, GBps, sums.sm);
    };
    for (int part = 0; part < PARTS; part++)
        if (sums.count[part] > 0)
            row(part_names[part], sums.cycles[part] / (double)sums.count[part], sums.most[part],
                sums.count[part]);
    row("post", sums.post_cycles, 0, 1);
    row("whole", sums.whole_cycles, 0, 1);
    CUDA(cudaFree(run.queues));
    CUDA(cudaFreeHost(run.sums));
}

/* --- lines that have left the L2 and are stored to --- */

constexpr int lines = 512;

/* Thread 0 stores `bytes` to each line, fences, and loads a word that it stored of each, one after the other. */
template <int bytes> static __global__ void store_and_load(flag *words, float *mean_cycles)
{
    uint64_t sum = 0;
    uint32_t seen = 0;
    for (int i = 0; i < lines && bytes > 0; i++) {
        uint4 *at = (uint4 *)&words[i * 33];
        if (bytes >= 16)
            for (int part = 0; part < bytes / 16; part++)
                __stcg(&at[part], make_uint4(1, 1, 1, 1));
        else
            __stcg((uint32_t *)at, 1u);
    }
    __threadfence();
    for (uint64_t start = clock64(); clock64() - start < 100000;)
        continue;
    for (int i = 0; i < lines; i++) {
        uint64_t start = clock64();
        seen += device_word(words[i * 33].value).load(cuda::memory_order_relaxed);
        if (seen == 0xffffffff)
            return;
        sum += clock64() - start;
    }
    *mean_cycles = (float)sum / lines;
}

static void partial_sectors(const std::string &folder)
{
    table table(
        folder, "partial_sectors",
        "a load of a word by one thread, on a quiet GPU: of each of 512 lines, which a memset of 4 GiB has pushed out of the L2 (away 1) or\n"
        "which were loaded just before (away 0), after the same thread has stored `bytes` to their beginning, fenced and waited 50 us",
        "bytes away mean_ns");
    double ratio = cycles_per_ns(0);
    flag *words = device_alloc<flag>(lines * 33);
    float *mean_cycles = pinned_alloc<float>(1);
    constexpr size_t much = (size_t)4 << 30;
    char *other = device_alloc<char>(much);
    struct {
        int bytes;
        void (*kernel)(flag *, float *);
    } kinds[] = {{0, store_and_load<0>},    {4, store_and_load<4>},   {16, store_and_load<16>},
                 {32, store_and_load<32>},  {48, store_and_load<48>}, {64, store_and_load<64>},
                 {128, store_and_load<128>}};
    for (const auto &kind : kinds)
        for (int away : {0, 1}) {
            store_and_load<0><<<1, 1>>>(words, mean_cycles);
            if (away)
                CUDA(cudaMemset(other, 1, much));
            kind.kernel<<<1, 1>>>(words, mean_cycles);
            CUDA(cudaDeviceSynchronize());
            table.row("%d\t%d\t%.1f", kind.bytes, away, *mean_cycles / ratio);
        }
    CUDA(cudaFree(other));
    CUDA(cudaFree(words));
    CUDA(cudaFreeHost(mean_cycles));
}

static void rows_beside(table &table, const streaming::shape &shape, int sms, double ratio)
{
    streaming beside(shape);
    for (int work_groups : {1, 8, 32})
        for (int ring : {1, 64})
            for (int streams : {0, 32, 64, 96, 120, 131})
                if (shape.shared_bytes == 0 || streams + 1 + work_groups <= sms)
                    parts_row(table, work_groups, ring, streams, shape, beside, ratio);
}

void probe_agent_parts(const std::string &folder)
{
    partial_sectors(folder);
    table table(
        folder, "agent_parts",
        "one thread of the GPU that serves queues as in gpu_agent, alone and beside blocks that copy `MiB` in pieces of `piece_KiB` each:\n"
        "the mean and the longest time of each part of what it does for an operation, and the mean of what the first work-group does\n"
        "(post: stores and release; whole: until the answer); ring: entries of each queue that are used; apart: agents and streams\n"
        "have SMs of their own; sm: the agent's",
        "wgs ring streaming MiB piece_KiB apart part mean_ns most_ns count GBps sm");
    double ratio = cycles_per_ns(0);
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    int alone = (int)properties.sharedMemPerMultiprocessor / 2 + 4096;
    CUDA(cudaFuncSetAttribute(timed_agent, cudaFuncAttributeMaxDynamicSharedMemorySize, alone));
    constexpr size_t MiB = 1 << 20;
    const streaming::shape shapes[] = {{256 * MiB, MiB, 0},       {256 * MiB, MiB, alone},
                                       {1024 * MiB, MiB, 0},      {2048 * MiB, MiB, 0},
                                       {2048 * MiB, 16 << 10, 0}, {8192 * MiB, MiB, 0},
                                       {8192 * MiB, 16 << 10, 0}};
    for (const streaming::shape &shape : shapes)
        rows_beside(table, shape, properties.multiProcessorCount, ratio);
}
