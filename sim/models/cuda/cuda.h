/* SPDX-License-Identifier: BSD-3-Clause */
/* GPUs as message-passing software sees them: streams with priorities, events, copy engines, kernels,
 * inter-process handles, and memory mapped for the CPU (GDRCopy).
 *
 * Every call costs the calling core time (account CPU_CUDA). Copies travel by the transport, so that they
 * share NVLink, socket link and bus with all else. Kernels run on the GPU of models/gpu/gpu.h, beside kernels with
 * in-kernel queues: one dispatcher, the same compute units, one memory bandwidth, of which copies take theirs. M-030, M-031, M-035, M-121; BenchPress's copies. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/list.h"
#include "core/param.h"
#include "core/sim.h"
#include "fabric/transport.h"
#include "models/cpu/block.h"
#include "models/cpu/cpu.h"
#include "models/gpu/gpu.h"
#include "models/memory/dram.h"

/* What copies of a direction take, beside what all take. */
struct copy_way {
    sim_time setup_ps; /* more of the setup, */
    sim_time ahead_ps; /* and of what of it is done ahead */
    int64_t rate_Bps;  /* of pinned copies, whatever the link carries */
};

/* What copies take that have a property more. */
struct copy_limit {
    sim_time setup_ps; /* more of the setup */
    int64_t rate_Bps;  /* they move no faster than this */
};

/* Component "cuda" of a machine file. */
struct cuda_spec {
    sim_time copy_call_ps;                /* the core in cudaMemcpyAsync */
    sim_time peer_call_ps, local_call_ps; /* more of it between two GPUs, within one */
    sim_time copy_setup_ps; /* of a copy engine, from the stream's head to the first byte; serial on
                                     its engine */
    sim_time copy_ahead_ps; /* of the setup, done while its engine is at the copy before; */
    struct copy_way to_host, to_device;
    sim_time beside_kernel_ps; /* more of the setup while a kernel is on the GPU */
    sim_time
        beside_copy_ps; /* more of the setup while the GPU's engine of the other direction has a copy */
    int64_t both_ways_rate_Bps; /* of a GPU's copies in both directions together */
    int64_t inline_copy_bytes;  /* copies from the host of up to this go within their command: */
    sim_time inline_setup_ps;   /* their setup, */
    sim_time inline_ahead_ps;   /* what of that is done ahead, */
    sim_time inline_pageable_ahead_ps; /* more of that from pageable memory, */
    int64_t inline_rate_Bps;           /* and the rate at which the core writes them */
    int64_t copy_chunk_bytes; /* a copy engine passes data on in chunks: the first one is read whole
                                     before it is written */
    int64_t peer_chunk_bytes; /* likewise between two GPUs */
    sim_time peer_setup_ps;   /* more of it for a copy between two GPUs */
    struct copy_limit cross_socket; /* between two sockets */
    sim_time synchronize_ps; /* from a stream's last completion until cudaStreamSynchronize returns;
                                     what an idle stream's costs, too */
    sim_time
        wake_ps; /* more of it where the thread sleeps until an interrupt (cudaDeviceScheduleBlockingSync), */
    sim_time deep_sleep_after_ps, deep_wake_ps; /* still more after a sleep of this length */
    sim_time slept_call_ps;                     /* more of the call of its next launch */
    sim_time event_record_ps;                   /* the core in cudaEventRecord, timing disabled */
    sim_time event_query_ps;                    /* the core in cudaEventQuery */
    sim_time event_wait_ps;                     /* the core in cudaStreamWaitEvent */
    sim_time
        event_edge_ps; /* between kernels of two streams that an event joins, beside kernel_start's rest */
    sim_time timed_kernel_ps;      /* between two events around a kernel, more than it takes */
    sim_time kernel_launch_ps;     /* the core in a kernel launch */
    sim_time kernel_start_ps;      /* from the stream's head to the first work-group at work */
    sim_time kernel_ahead_ps;      /* of that, done while the stream's kernel before is at work */
    sim_time call_serial_ps;       /* of a copy or launch call, one at a time on a GPU */
    sim_time graph_instantiate_ps; /* the core making an executable graph, a node of it */
    sim_time graph_launch_ps;      /* the core in cudaGraphLaunch, of a graph of one node */
    sim_time graph_node_ps;        /* more of it for each further node */
    sim_time graph_branch_ps;      /* and for each further node that starts beside the first */
    sim_time graph_node_start_ps;  /* from the end of a node to the first work-group of the next */
    sim_time graph_turn_ps;        /* behind a launch, for each further channel of branches, */
    sim_time front_end_gap_ps;     /* between two looks at a word that a stream waits for */
    sim_time front_end_host_ps;    /* more of it where that is in host memory */
    sim_time front_end_operation_ps; /* from a stream's operation on memory to the next one */
    sim_time pointer_query_ps;       /* cuPointerGetAttribute */
    struct copy_limit pageable;      /* from or to pageable memory: staging */
    int64_t
        pageable_chunk_bytes; /* one to the host is read this far before it is passed on; one from
                                       it is staged in such pieces, and blocks the core no longer */
    struct copy_limit shared; /* where several processes share the GPU (MPS) */
    int64_t local_rate_Bps;   /* copies within the memory of one GPU */
    sim_time
        map_ps; /* cudaIpcOpenMemHandle, or gdr_pin and gdr_map; once an allocation and process, then cached */
    sim_time gdr_call_ps;         /* a copy through mapped GPU memory, of nothing */
    sim_time gdr_cross_socket_ps; /* additional time of such a copy across the socket link */
    int64_t gdr_read_rate_Bps;    /* CPU loads from mapped GPU memory */
    int64_t gdr_write_rate_Bps;   /* CPU stores to it */
};
extern struct param_table cuda_params;

struct cuda;        /* all devices of a simulation */
struct cuda_device; /* one GPU */
struct cuda_stream;

/* Spec, platform and transport are kept by the caller until cuda_free. */
struct cuda *cuda_new(struct sim *sim, struct platform *platform, struct transport *transport,
                      const struct cuda_spec *spec);
void cuda_free(struct cuda *cuda);

/* Which socket each of a node's `ports` is on; nodes are alike. The table is copied. Until then all are on one. */
void cuda_set_sockets(struct cuda *cuda, const int32_t *sockets, int ports);

/* The GPU on platform port `port` whose inside kernels run in: made if `make`, else NULL if nobody has asked for it yet.
 * And the memory there. `argument` is handed on. Without it there are copies only. */
typedef struct gpu *cuda_gpu_fn(void *argument, int port, bool make);
void cuda_set_gpus(struct cuda *cuda, cuda_gpu_fn *gpu_of, dram_at_fn *memory_at, void *argument);

/* The GPU whose memory hangs on platform port `port`; made on first use, owned by `cuda`. */
struct cuda_device *cuda_device(struct cuda *cuda, int port);

/* One process more uses the GPU. With several, copies are as cuda.shared_setup and cuda.shared_rate say. */
void cuda_device_share(struct cuda_device *device);

/* A stream, in order; owned by the device. Among the streams that wait for the same engine, or with a
 * kernel for the GPU, the lowest `priority` number goes first (as in CUDA), then who waits longest. */
struct cuda_stream *cuda_stream_new(struct cuda_device *device, int priority);

/* What a copy or kernel in a stream reports to when it has ended. Owned by the caller, all zero at first;
 * `notify` (may be NULL) is a core to be notified, `done` (may be NULL) is called as an event. It may be
 * given again once it is done: then it is not done until that has ended. */
struct cuda_completion {
    bool is_done;
    struct cpu *notify;
    void (*done)(void *argument);
    void *argument;
    bool is_pending;     /* cuda's own: given to something that has not ended */
    struct list waiters; /* cuda's own: operations of streams that wait for it */
};

/* cudaMemcpyAsync of `from.bytes` in `stream`, between host and device, two devices of a node, or within
 * one. With pageable memory it blocks until the copy has ended. `completion` may be NULL. Copies run on
 * the stream's device: one engine for each of the directions host to device, device to host, and device to
 * device, each one copy at a time. */
void cuda_copy_async(struct cuda_stream *stream, struct cpu *cpu, struct block to,
                     struct block from, struct cuda_completion *completion);

/* A kernel launch: what it takes of compute units and does there, that is work_groups to lds_bytes, program or work,
 * programs, chain_ps and is_cooperative of struct kernel, is copied. It has to fit (gpu_kernel_fits; all at once if cooperative): else
 * a failed check. Its work-groups go to the GPU's dispatcher, with the stream's priority, `kernel_start` after the
 * kernel has come to the stream's head. */
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

/* Instantiates a graph of `count` >= 1 nodes, which are copied. cuda_graph_launch runs it in `stream`: the first node
 * starts as a kernel does (`kernel_start`), each further one `graph_node_start` after the one before has ended. One launch
 * of a graph at a time; freed when it is not under way. */
struct cuda_graph *cuda_graph_new(struct cuda *cuda, struct cpu *cpu,
                                  const struct cuda_graph_node *nodes, size_t count);

/* Its first node stands for `branches` >= 1 kernels that start side by side: each but one costs a launch graph_branch. If
 * another launch of its stream was under way when the call began, it starts no sooner than a graph_turn for each channel but one
 * after that has ended. */
void cuda_graph_branches(struct cuda_graph *graph, int64_t branches);
void cuda_graph_free(struct cuda_graph *graph);
void cuda_graph_launch(struct cuda_stream *stream, struct cpu *cpu, struct cuda_graph *graph,
                       struct cuda_completion *completion);

/* Kernels of the device that have ended, and the sum of their times from start to end. */
struct cuda_kernel_time {
    int64_t kernels;
    sim_time sum_ps;
};
struct cuda_kernel_time cuda_device_kernels(const struct cuda_device *device);

/* How long the GPU has had work-groups of kernels at work up to now. */
sim_time cuda_device_busy_ps(const struct cuda_device *device);

/* cudaEventRecord: `completion` is done when all that is in the stream now has ended. */
void cuda_event_record(struct cuda_stream *stream, struct cpu *cpu,
                       struct cuda_completion *completion);

/* cudaEventQuery: whether it has happened. */
bool cuda_event_query(struct cuda *cuda, struct cpu *cpu, const struct cuda_completion *completion);

/* cudaStreamWaitEvent: what comes later in `stream` waits for what `event` was last given to; for nothing
 * if it was given to nothing. The completion outlives it. */
void cuda_stream_wait_event(struct cuda_stream *stream, struct cpu *cpu,
                            struct cuda_completion *event);

/* From now on a thread that waits for this stream sleeps, and is woken by an interrupt. */
void cuda_stream_sleeps(struct cuda_stream *stream);

/* cudaStreamSynchronize: blocks the core (M-038). */
void cuda_stream_synchronize(struct cuda_stream *stream, struct cpu *cpu);

/* cudaMemcpyAsync and cudaStreamSynchronize: what BenchPress measures. */
void cuda_copy(struct cuda_stream *stream, struct cpu *cpu, struct block to, struct block from);

/* The core copies device.bytes from (is_write false) or to mapped GPU memory with loads or stores; maps it
 * the first time. `is_cross_socket`: the GPU hangs on another socket. Account CPU_LIBRARY. */
void cuda_gdr_copy(struct cuda *cuda, struct cpu *cpu, struct block device, bool is_write,
                   bool is_cross_socket);

/* Opens the handle of a peer process's block unless this core has it in its cache. */
void cuda_ipc_open(struct cuda *cuda, struct cpu *cpu, struct block peer);

/* The core asks the driver whose memory a pointer is; it creates an event. Account CPU_CUDA. */
void cuda_pointer_query(struct cuda *cuda, struct cpu *cpu);
void cuda_event_create(struct cpu *cpu);

/* Costs, beside its bytes, of a copy between two GPUs whose end is polled by an event: the core's time in the calls;
 * and the engine's setup. */
sim_time cuda_peer_calls_ps(const struct cuda *cuda);
sim_time cuda_peer_setup_ps(const struct cuda *cuda);
