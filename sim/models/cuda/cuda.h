/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs as message-passing software sees them: streams with priorities, events, copy engines, kernels,
 * inter-process handles, and memory mapped for the CPU (GDRCopy).
 *
 * Every call costs the calling core time (account CPU_CUDA). Copies travel by the transport, so that they share NVLink, socket
 * link and bus with all other traffic. Kernels run on the GPU of models/gpu/gpu.h, beside kernels with in-kernel queues: they
 * share one dispatcher, the compute units, and the memory bandwidth, of which copies take a part. M-030, M-031, M-035, M-121;
 * BenchPress's copies. */
#pragma once

#include "core/list.h"
#include "core/param.h"
#include "core/sim.h"
#include "fabric/transport.h"
#include "models/cpu/block.h"
#include "models/cpu/cpu.h"
#include "models/gpu/gpu.h"
#include "models/memory/dram.h"

/* The times and rate of copies in one direction, beside the times of all copies. */
struct copy_way {
    sim_time setup_ps; /* added to the setup, */
    sim_time ahead_ps; /* and to the part of it that is done ahead */
    int64_t rate_Bps;  /* the most of pinned copies, whatever the link carries */
};

/* Limits of copies with a special property. */
struct copy_limit {
    sim_time setup_ps; /* more of the setup */
    int64_t rate_Bps;  /* the most at which they move */
};

/* Component "cuda" of a machine file. */
#define CUDA_ROWS(ROW)                                                                             \
    ROW(TIME, copy_call, "3us", "0ns", "1ms", "Time that the core spends in cudaMemcpyAsync.")     \
    ROW(TIME, peer_call, "0ns", "0ns", "1ms",                                                      \
        "Additional time of the call for a copy between two GPUs.")                                \
    ROW(TIME, local_call, "0ns", "0ns", "1ms",                                                     \
        "Additional time of the call for a copy within the memory of a GPU.")                      \
    ROW(TIME, copy_setup, "2us", "0ns", "1ms",                                                     \
        "Time from when a copy is first in its stream until the copy engine moves its first "      \
        "byte.")                                                                                   \
    ROW(TIME, copy_ahead, "0ns", "0ns", "1ms",                                                     \
        "Part of copy_setup that overlaps with the engine's previous copy.")                       \
    ROW(PART, to_host, struct copy_way, "to_host_", &way_rows, "", "Copies to the host: ")         \
    ROW(PART, to_device, struct copy_way, "to_device_", &way_rows, "", "Copies from the host: ")   \
    ROW(TIME, beside_kernel, "0ns", "0ns", "1ms",                                                  \
        "Additional setup of a copy while a kernel runs on the GPU. No rate can say it: a "        \
        "copy of a few bytes is delayed.")                                                         \
    ROW(TIME, beside_copy, "0ns", "0ns", "1ms",                                                    \
        "Additional setup of a copy from or to the host while the engine for the other "           \
        "direction is copying. both_ways_rate slows large copies in both directions, this "        \
        "delays small ones.")                                                                      \
    ROW(RATE, both_ways_rate, "200TB/s", "1MB/s", "200TB/s",                                       \
        "Upper limit of the rate of a GPU's copies from and to the host together.")                \
    ROW(BYTES, inline_copy, "0B", "0B", "1MiB",                                                    \
        "Copies from the host of up to this size travel inside their command; 0: none.")           \
    ROW(TIME, inline_setup, "0ns", "0ns", "1ms",                                                   \
        "Setup of a copy that travels inside its command (inline_copy).")                          \
    ROW(TIME, inline_ahead, "0ns", "0ns", "1ms",                                                   \
        "Part of inline_setup that overlaps with the engine's previous copy.")                     \
    ROW(TIME, inline_pageable_ahead, "0ns", "0ns", "1ms",                                          \
        "Added to inline_ahead for copies from pageable memory, of which several in a row "        \
        "take less time than from pinned memory.")                                                 \
    ROW(RATE, inline_rate, "100TB/s", "1MB/s", "100TB/s",                                          \
        "Rate at which the core writes the bytes of an inline copy into the command.")             \
    ROW(BYTES, copy_chunk, "64KiB", "64B", "1GiB",                                                 \
        "Bytes that a copy engine reads before it passes them on.")                                \
    ROW(BYTES, peer_chunk, "64KiB", "64B", "1GiB",                                                 \
        "Bytes that a copy engine reads before it passes them on, between two GPUs.")              \
    ROW(TIME, peer_setup, "0ns", "0ns", "1ms", "Additional setup between two GPUs.")               \
    ROW(PART, cross_socket, struct copy_limit, "cross_socket_", &limit_rows, "",                   \
        "Copies between two sockets: ")                                                            \
    ROW(PART, shared, struct copy_limit, "shared_", &limit_rows, "",                               \
        "Copies of a GPU that several processes share: ")                                          \
    ROW(PART, pageable, struct copy_limit, "pageable_", &limit_rows, "setup=2us,rate=10GB/s",      \
        "Copies from or to pageable memory: ")                                                     \
    ROW(TIME, synchronize, "3us", "0ns", "1ms",                                                    \
        "Time from a stream's last completion until cudaStreamSynchronize returns.")               \
    ROW(TIME, wake, "10us", "0ns", "1ms",                                                          \
        "Additional time if the thread sleeps and an interrupt wakes it "                          \
        "(cudaDeviceScheduleBlockingSync).")                                                       \
    ROW(TIME, deep_sleep_after, "1s", "0ns", "1s",                                                 \
        "A core whose thread sleeps for longer than this enters a deeper idle state.")             \
    ROW(TIME, deep_wake, "0ns", "0ns", "10ms",                                                     \
        "Additional time to wake from the deeper idle state (deep_sleep_after).")                  \
    ROW(TIME, slept_call, "0ns", "0ns", "1ms",                                                     \
        "Additional time of a launch's call by a thread that has slept: its core's "               \
        "caches and clock.")                                                                       \
    ROW(TIME, event_record, "250ns", "0ns", "1ms",                                                 \
        "Time that the core spends in cudaEventRecord, with timing disabled.")                     \
    ROW(TIME, event_query, "200ns", "0ns", "1ms", "Time that the core spends in cudaEventQuery.")  \
    ROW(TIME, event_wait, "250ns", "0ns", "1ms",                                                   \
        "Time that the core spends in cudaStreamWaitEvent.")                                       \
    ROW(TIME, event_edge, "0ns", "0ns", "1ms",                                                     \
        "Time from the record of an event to the start of a kernel of another stream that "        \
        "waits for it, in addition to the time between kernels of one stream.")                    \
    ROW(TIME, timed_kernel, "0ns", "0ns", "1ms",                                                   \
        "Time that two events around a kernel measure in addition to the kernel's own.")           \
    ROW(TIME, kernel_launch, "5us", "0ns", "1ms", "Time that the core spends in a kernel launch.") \
    ROW(TIME, kernel_start, "2us", "0ns", "1ms",                                                   \
        "Time from when a kernel is first in its stream until its first work-group runs.")         \
    ROW(TIME, kernel_ahead, "0ns", "0ns", "1ms",                                                   \
        "Part of kernel_start that is done while the stream's previous kernel still "              \
        "runs.")                                                                                   \
    ROW(TIME, call_serial, "0ns", "0ns", "1ms",                                                    \
        "Part of a copy or launch call that holds a lock of the GPU, so that the calls of "        \
        "several threads take turns.")                                                             \
    ROW(TIME, graph_instantiate, "10us", "0ns", "1s",                                              \
        "Time that the core spends on making an executable graph, for each node.")                 \
    ROW(TIME, graph_launch, "6us", "0ns", "1ms",                                                   \
        "Time that the core spends on launching a graph of one node.")                             \
    ROW(TIME, graph_node, "500ns", "0ns", "1ms",                                                   \
        "Additional time of a graph launch for each node beyond the first.")                       \
    ROW(TIME, graph_branch, "500ns", "0ns", "1ms",                                                 \
        "Additional time of a graph launch for each further node that starts beside the first "    \
        "one.")                                                                                    \
    ROW(TIME, graph_node_start, "1us", "0ns", "1ms",                                               \
        "Time from the end of a graph's node to the first work-group of the next node.")           \
    ROW(TIME, graph_turn, "0ns", "0ns", "1ms",                                                     \
        "If a graph with branches is launched while the stream's previous launch runs, it "        \
        "starts this much later after that has ended, for each channel beyond the first.")         \
    ROW(TIME, front_end_gap, "8us", "0ns", "1ms",                                                  \
        "Time between two polls, by the GPU's front end, of a word that a stream waits for.")      \
    ROW(TIME, front_end_host, "0ns", "0ns", "1ms",                                                 \
        "Additional time between two such polls if the word is in host memory. The way over "      \
        "the bus does not explain it all.")                                                        \
    ROW(TIME, front_end_operation, "1.3us", "0ns", "1ms",                                          \
        "Time from a stream's operation on memory (cuStreamWaitValue, cuStreamWriteValue) to "     \
        "its next one.")                                                                           \
    ROW(TIME, pointer_query, "300ns", "0ns", "1ms",                                                \
        "Time in which the driver tells the core to which memory a pointer belongs.")              \
    ROW(BYTES, pageable_chunk, "0B", "0B", "1GiB",                                                 \
        "A copy to pageable memory is read this far before it is passed on; one from it is "       \
        "staged by the core in such pieces, and "                                                  \
        "its call returns when the last is; 0: copy_chunk, and the call waits for the whole "      \
        "copy.")                                                                                   \
    ROW(RATE, local_rate, "350GB/s", "1MB/s", "100TB/s",                                           \
        "Rate of copies within the memory of one GPU.")                                            \
    ROW(TIME, map, "80us", "0ns", "1s",                                                            \
        "Time to map an allocation once: another process's (cudaIpcOpenMemHandle), or for the "    \
        "CPU (GDRCopy).")                                                                          \
    ROW(TIME, gdr_call, "100ns", "0ns", "1ms",                                                     \
        "Fixed cost of a copy through mapped GPU memory, without the bytes.")                      \
    ROW(TIME, gdr_cross_socket, "300ns", "0ns", "1ms",                                             \
        "Additional cost of such a copy from another socket.")                                     \
    ROW(RATE, gdr_read_rate, "500MB/s", "1MB/s", "10TB/s",                                         \
        "Rate of CPU loads from mapped GPU memory.")                                               \
    ROW(RATE, gdr_write_rate, "9.5GB/s", "1MB/s", "10TB/s",                                        \
        "Rate of CPU stores to mapped GPU memory.")
struct cuda_spec {
    CUDA_ROWS(PARAM_FIELD)
};
extern struct param_table cuda_params;

struct cuda;        /* all devices of a simulation */
struct cuda_device; /* one GPU */
struct cuda_stream;

/* Spec, platform and transport are kept by the caller until cuda_free. */
struct cuda *cuda_new(struct sim *sim, struct platform *platform, struct transport *transport,
                      const struct cuda_spec *spec);
void cuda_free(struct cuda *cuda);

/* Says on which socket each of a node's `ports` is; all nodes are alike. The table is copied. Without it there is one socket. */
void cuda_set_sockets(struct cuda *cuda, const int32_t *sockets, int ports);

/* Sets the functions that give the simulated GPU on platform port `port`, in which kernels run (made if `make`; else NULL if it
 * was not made yet), and the memory there. `argument` is passed on. Without them there are copies only. */
typedef struct gpu *cuda_gpu_fn(void *argument, int port, bool make);
void cuda_set_gpus(struct cuda *cuda, cuda_gpu_fn *gpu_of, dram_at_fn *memory_at, void *argument);

/* The GPU whose memory is on platform port `port`; made on first use, owned by `cuda`. */
struct cuda_device *cuda_device(struct cuda *cuda, int port);

/* Says that one more process uses the GPU. With several, cuda.shared_setup and cuda.shared_rate apply to copies. */
void cuda_device_share(struct cuda_device *device);

/* A stream, whose operations run in order; owned by the device. Among the streams that wait for the same engine, or with a
 * kernel for the GPU, the lowest `priority` number goes first (as in CUDA), then the one that has waited longest. */
struct cuda_stream *cuda_stream_new(struct cuda_device *device, int priority);

/* What a copy or kernel in a stream reports to when it has ended. Owned by the caller, all zero at first; `notify` (may be
 * NULL) is a core to be notified, `done` (may be NULL) is called as an event. It may be given to another operation once it is
 * done, and is then not done until that has ended. */
struct cuda_completion {
    bool is_done;
    struct cpu *notify;
    void (*done)(void *argument);
    void *argument;
    bool is_pending;     /* cuda's own: given to an operation that has not ended */
    struct list waiters; /* cuda's own: operations of streams that wait for it */
};

/* cudaMemcpyAsync of `from.bytes` in `stream`, between host and device, two devices of a node, or within one. With pageable
 * memory it blocks until the copy has ended. `completion` may be NULL. Copies run on the stream's device: there is one engine
 * for each of the directions host to device, device to host, and device to device, and each makes one copy at a time. */
void cuda_copy_async(struct cuda_stream *stream, struct cpu *cpu, struct block to,
                     struct block from, struct cuda_completion *completion);

/* A kernel launch. The fields of struct kernel that say what it takes of compute units and does there are copied: work_groups
 * to lds_bytes, program or work, programs, chain_ps and is_cooperative. The kernel has to fit (gpu_kernel_fits; all at once if
 * cooperative), else a check fails. Its work-groups go to the GPU's dispatcher, with the stream's priority, `kernel_start`
 * after the kernel has come to the stream's head. */
void cuda_launch(struct cuda_stream *stream, struct cpu *cpu, const struct kernel *kernel,
                 struct cuda_completion *completion);

/* A graph of kernels captured from one stream: a chain (M-101). */
struct cuda_graph;

/* A node: its kernel as in cuda_launch; `done` (may be NULL) is called as an event when it has ended. */
struct cuda_graph_node {
    struct kernel kernel;
    void (*done)(void *argument);
    void *argument;
};

/* Instantiates a graph of `count` >= 1 nodes, which are copied. cuda_graph_launch runs it in `stream`: the first node starts as
 * a kernel does (`kernel_start`), each further node `graph_node_start` after the previous one has ended. One launch of a graph
 * at a time; freed when it is not under way. */
struct cuda_graph *cuda_graph_new(struct cuda *cuda, struct cpu *cpu,
                                  const struct cuda_graph_node *nodes, size_t count);

/* Says that the graph's first node stands for `branches` >= 1 kernels that start side by side: each kernel but one adds
 * graph_branch to a launch. If another launch of its stream was under way when the call began, the graph starts only after that
 * launch has ended, and then a graph_turn for each channel but one. */
void cuda_graph_branches(struct cuda_graph *graph, int64_t branches);
static inline void cuda_graph_free(struct cuda_graph *graph)
{
    g_free(graph);
}
void cuda_graph_launch(struct cuda_stream *stream, struct cpu *cpu, struct cuda_graph *graph,
                       struct cuda_completion *completion);

/* The number of the device's kernels that have ended, and the sum of their times from start to end. */
struct cuda_kernel_time {
    int64_t kernels;
    sim_time sum_ps;
};
struct cuda_kernel_time cuda_device_kernels(const struct cuda_device *device);

/* How long the GPU has had work-groups of kernels at work up to now. */
sim_time cuda_device_busy_ps(const struct cuda_device *device);

/* cudaEventRecord: `completion` is done when all operations that are in the stream now have ended. */
void cuda_event_record(struct cuda_stream *stream, struct cpu *cpu,
                       struct cuda_completion *completion);

/* cudaEventQuery: whether the event has occurred. */
bool cuda_event_query(struct cuda *cuda, struct cpu *cpu, const struct cuda_completion *completion);

/* cudaStreamWaitEvent: later operations of `stream` wait for the operation that `event` was last given to, if there is one. The
 * completion has to outlive the wait. */
void cuda_stream_wait_event(struct cuda_stream *stream, struct cpu *cpu,
                            struct cuda_completion *event);

/* From now on a thread that waits for this stream sleeps, and is woken by an interrupt. */
void cuda_stream_sleeps(struct cuda_stream *stream);

/* cudaStreamSynchronize: blocks the core (M-038). */
void cuda_stream_synchronize(struct cuda_stream *stream, struct cpu *cpu);

/* cudaMemcpyAsync and cudaStreamSynchronize: what BenchPress measures. */
void cuda_copy(struct cuda_stream *stream, struct cpu *cpu, struct block to, struct block from);

/* The core copies device.bytes from (is_write false) or to mapped GPU memory with loads or stores; the first time it maps the
 * memory. `is_cross_socket`: the GPU belongs to another socket. Account CPU_LIBRARY. */
void cuda_gdr_copy(struct cuda *cuda, struct cpu *cpu, struct block device, bool is_write,
                   bool is_cross_socket);

/* Opens the handle of a peer process's block unless this core has it in its cache. */
void cuda_ipc_open(struct cuda *cuda, struct cpu *cpu, struct block peer);

/* The core asks the driver which memory a pointer belongs to, and creates an event. Account CPU_CUDA. */
void cuda_pointer_query(struct cuda *cuda, struct cpu *cpu);
void cuda_event_create(struct cpu *cpu);

/* The times, beside that of its bytes, of a copy between two GPUs whose end is polled by an event: the core's time in the
 * calls; and the engine's setup. */
sim_time cuda_peer_calls_ps(const struct cuda *cuda);
sim_time cuda_peer_setup_ps(const struct cuda *cuda);
