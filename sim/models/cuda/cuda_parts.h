/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share: operations in streams, the engines that they need, and the calls between the files.
 * stream.c keeps the order, engine.c the time on the hardware, cuda.c owns the objects. */
#pragma once

#include "core/list.h"
#include "core/pool.h"
#include "core/shared_rate.h"
#include "core/stat.h"
#include "models/cuda/cuda.h"

enum cuda_operation_kind { CUDA_COPY, CUDA_KERNEL, CUDA_GRAPH, CUDA_RECORD, CUDA_WAIT };

/* The engines, each of which makes one copy at a time. */
enum cuda_engine_kind {
    CUDA_ENGINE_TO_DEVICE,
    CUDA_ENGINE_TO_HOST,
    CUDA_ENGINE_PEER, /* between two GPUs, or within one */
    CUDA_ENGINES,
};

/* An operation in a stream, from its call until its end. */
struct cuda_operation {
    struct list_link link;    /* in its stream */
    struct list_link waiting; /* the list of those that wait for its engine, or for its event */
    struct cuda_stream *stream;
    struct cuda_completion *completion; /* may be NULL */
    struct cpu *blocked;                /* core that waits for it, or NULL */
    bool *is_over;                      /* the flag that the blocked core waits for */
    uint8_t kind;                       /* enum cuda_operation_kind */
    uint8_t engine;                     /* copies: enum cuda_engine_kind */
    bool is_held;                       /* a wait whose event has not occurred yet */
    bool is_ahead;                      /* issued while its stream, or its engine, was at work */
    bool is_turned;                     /* graphs: its channels wait for the previous launch */
    bool is_inline, is_pageable;        /* copies: within its command; from or to pageable memory */
    bool from_device, to_device;        /* whether these are ports of GPUs: */
    int32_t from, to;
    int64_t bytes, chunk_bytes;
    int64_t rate_Bps;            /* the rate of a copy alone on its route */
    sim_time setup_ps;           /* the setup time of a copy, on its engine */
    sim_time queued_ps;          /* since when it can be prepared while others are at work */
    sim_time earliest_ps;        /* a copy's last byte arrives no sooner */
    sim_time started_ps;         /* since when it is at work on its engine */
    uint64_t observed;           /* the operation that it is part of (cpu_work_for) */
    struct observe_place *place; /* the place of the core that issued it, or NULL */
    struct shared_job both_ways; /* copies: the share of its GPU's rate in both directions */
    struct dram_flow flows[2];   /* copies: the shares of GPUs' memories */
    struct kernel *kernel;       /* the kernel of a launch, or of a graph's node */
    struct cuda_graph *graph;    /* the graph of a graph's launch, */
    int32_t node;                /* and the node that is at work */
};

struct cuda_engine {
    struct cuda_operation *current; /* NULL if idle */
    struct list waiting;            /* by priority, then in order of arrival */
};

struct cuda_stream {
    struct cuda_device *device;
    struct list_link link; /* of the device */
    int priority;
    bool is_slept_for;        /* the thread that waits for the stream sleeps */
    bool has_slept;           /* it has slept since its last launch */
    sim_time launch_ended_ps; /* when its last launch ended */
    int64_t number;           /* the stream's number on its device, from 1 on */
    struct list operations;   /* the first one is at work or waits for its engine */
};

struct cuda_device {
    struct cuda *cuda;
    int32_t port;
    struct gpu *gpu; /* NULL: not asked for yet, or not made */
    struct list streams;
    int32_t processes; /* that share it */
    struct cuda_kernel_time kernel_time;
    sim_time calls_free_ps; /* when the next call may begin its serial part */
    struct cuda_engine engines[CUDA_ENGINES];
    struct shared_rate both_ways; /* the rate that copies from and to the host share */
};

struct cuda {
    struct sim *sim;
    struct platform *platform;
    struct transport *transport;
    const struct cuda_spec *spec;
    uint64_t *used;               /* marks the spec's values that were read (CUDA_READ) */
    struct cuda_device **devices; /* by port; NULL: not made yet */
    int device_slots;
    int32_t *sockets; /* by port of a node, socket_ports of them; NULL: all on one */
    int socket_ports;
    cuda_gpu_fn *gpu_of; /* NULL: kernels are not simulated */
    dram_at_fn *memory_at;
    void *gpus;
    struct pool operations; /* struct cuda_operation */
    struct pool kernels;    /* struct kernel */
    GHashTable *mapped;     /* struct known_allocation: mapped for the CPU */
    GHashTable *opened;     /* struct known_allocation: handles opened */
    struct stat_counter *copies, *copied_bytes, *kernels_ended;
};

/* Reads a parameter, and notes that it was read. */
#define CUDA_READ(cuda, field) PARAM_READ((cuda)->used, (cuda)->spec, field)

/* cuda.c: the device's GPU, made if `make`; NULL if there is none. */
struct gpu *cuda_device_gpu(struct cuda_device *device, bool make);

/* The socket within its node that a port is on. */
static inline int32_t cuda_socket(const struct cuda *cuda, int32_t port)
{
    return cuda->sockets == NULL ? 0 : cuda->sockets[port % cuda->socket_ports];
}

/* stream.c: makes an operation for a stream; adds it to the stream; ends it (an event); spends the core's time in a call. */
struct cuda_operation *cuda_operation_new(struct cuda_stream *stream, enum cuda_operation_kind kind,
                                          struct cuda_completion *completion);
void cuda_operation_push(struct cuda_operation *operation);
struct cuda *cuda_enter(struct cuda_stream *stream, struct cpu *cpu, sim_time call_ps);
void cuda_note_launch(struct cuda_operation *operation, struct cpu *cpu);
void cuda_operation_ended(struct cuda_operation *operation);

/* Has what the start of a kernel touches prefetched. */
void cuda_stream_fetch(struct sim *sim);

/* What is left, at the stream's or engine's turn, of a preparation of `whole_ps` that may be done before that turn for up to
 * `ahead_ps`: it begins once the operation is queued. */
sim_time cuda_left_ps(const struct cuda_operation *operation, sim_time whole_ps, sim_time ahead_ps,
                      sim_time now_ps);

/* Whether an operation issued now would follow a kernel or a graph that has not ended. */
bool cuda_stream_is_launching(const struct cuda_stream *stream);

/* engine.c: a copy at its stream's head asks for its engine. It and a kernel end by cuda_operation_ended. */
void cuda_engine_request(struct cuda_operation *operation);

/* graph.c: ends the node at work. Returns false if it was the last. */
bool cuda_graph_goes_on(struct cuda_operation *operation);
void cuda_graph_begin(struct cuda_operation *operation);

/* Minimum time from the end of the previous launch to the start of a graph that has waited for it. */
sim_time cuda_graph_turn_ps(const struct cuda_graph *graph);

/* engine.c, an event: the start-up time of the kernel of an operation (a struct cuda_operation) is over. */
void cuda_kernel_begin(void *argument);
