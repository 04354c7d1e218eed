/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues of work-groups, as the simulator has them: 64 entries of 64 B each, a status word in every entry. */
#pragma once

#include "words.h"

constexpr int entries = 64;

struct alignas(64) entry {
    uint4 payload[3];
    uint32_t status; // 2 i + 1: posted as operation i; 2 i + 2: done
    uint32_t left_over[3];
};

struct alignas(64) queue {
    entry ring[entries];
};

/* How a work-group posts. */
enum post {
    POST_FENCED, // 48 B of payload by plain stores, then the status word with release
    POST_PACKED, // one store of 16 B with status and operation
    POST_APART, // as fenced, but payload and status word lie on lines of their own, two entries of the ring
    POST_FENCED_2, // as fenced, with 32 B of payload, 16 B, and none
    POST_FENCED_1,
    POST_FENCED_0,
    POST_UNFENCED, // 16 B of payload and the status word, without a fence
};

/* Stores of 16 B before the fence. */
__host__ __device__ constexpr int payload_stores(post post)
{
    return post == POST_FENCED || post == POST_APART        ? 3
           : post == POST_FENCED_2                          ? 2
           : post == POST_FENCED_1 || post == POST_UNFENCED ? 1
                                                            : 0;
}

/* Where operation `i` has its payload, and its status word. */
__host__ __device__ inline entry *payload_entry(queue *queue, post post, int i)
{
    return &queue->ring[(post == POST_APART ? 2 * i : i) % entries];
}

__host__ __device__ inline entry *status_entry(queue *queue, post post, int i)
{
    return &queue->ring[(post == POST_APART ? 2 * i + 1 : i) % entries];
}

/* When a work-group began and ended, by the GPU's global timer. */
struct span {
    uint64_t begin_ns, end_ns;
};

/* A work-group of one thread: repeatedly posts `window` operations behind one fence and waits for each of them. It notes the cycles
 * from the posts to each completion that it sees. `scope_device`: the server is on the GPU. */
template <bool scope_device>
__device__ void post_operations(queue *queue, post post, int operations, int window, float *cycles,
                                span *span)
{
    constexpr cuda::thread_scope scope =
        scope_device ? cuda::thread_scope_device : cuda::thread_scope_system;
    using word = cuda::atomic_ref<uint32_t, scope>;
    patience patience;
    span->begin_ns = global_timer_ns();
    for (int first = 0; first < operations; first += window) {
        uint64_t start = clock64();
        for (int i = first; i < first + window; i++) {
            uint32_t posted = 2 * (uint32_t)i + 1;
            for (int part = 0; part < payload_stores(post); part++)
                payload_entry(queue, post, i)->payload[part] =
                    make_uint4(posted, posted, posted, posted);
        }
        for (int i = first; i < first + window; i++) {
            entry *entry = status_entry(queue, post, i);
            uint32_t posted = 2 * (uint32_t)i + 1;
            if (post == POST_PACKED)
                asm volatile(
                    "st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(&entry->status),
                    "r"(posted), "r"(posted), "r"(posted), "r"(posted)
                    : "memory");
            else
                word(entry->status)
                    .store(posted, i == first && post != POST_UNFENCED
                                       ? cuda::memory_order_release
                                       : cuda::memory_order_relaxed);
        }
        for (int i = first; i < first + window; i++) {
            if (!wait_for(word(status_entry(queue, post, i)->status), 2 * (uint32_t)i + 2,
                          cuda::memory_order_acquire, patience))
                return;
            cycles[i] = (float)(clock64() - start);
        }
    }
    span->end_ns = global_timer_ns();
}

/* What a table of served queues says about one run. `cycles` has `operations` values for each work-group; the first tenth of them
 * is dropped. */
void write_queue_row(table &table, int work_groups, int servers, int service_ns, int window,
                     const char *variant, int operations, const float *cycles, const span *spans,
                     double ratio, double pass_us);
constexpr const char *queue_columns =
    "wgs servers service_ns window variant ops_per_wg lat_mean_us lat_p10_us lat_p50_us "
    "lat_p90_us lat_p99_us n throughput_Mops sweep_mean_us";
