/* SPDX-License-Identifier: BSD-3-Clause */
/* What the steps of the library with tag matching cost, and where its protocols change. All times are of
 * one core of the machine. */
#pragma once

#include <stdint.h>

#include "core/param.h"
#include "core/simtime.h"

/* A control message on the wire: tag, sizes, address and key (estimated, 40 to 128 B). */
#define UCX_CONTROL_BYTES 64

/* The core compares a tag with an entry of the posted or the unexpected queue: a cached line (estimated, 2 to 30 ns). */
#define UCX_MATCH_PS (10 * PS_PER_NS)

/* The core registers an allocation with the NIC, once: UCX's own model of that cost (openucx/ucx v1.10), to which
 * registration_growth adds. */
#define UCX_REGISTRATION_PS (16 * PS_PER_US)

/* A library with tag matching, eager and rendezvous protocols (M-117 to M-123). Libraries take the same steps, and differ in
 * numbers and switches. */
struct ucx_spec {
    /* the core's time */
    sim_time send_ps;    /* a tagged send, up to what its protocol adds */
    sim_time control_ps; /* making a control message: announcement, request, acknowledgement */
    sim_time post_ps;    /* handing a command to the NIC: a message, a read or a write */
    sim_time
        progress_ps; /* a receive posted, or one arrival taken up: segment, control message or completion */
    sim_time
        poll_ps; /* a poll of progress that finds nothing; ending a request that did not end within its call, and every
                                receive */
    sim_time memory_type_ps; /* finding whose memory a pointer is, by the cache of allocations */
    sim_time
        registration_growth_ps; /* of memory with the NIC, once an allocation: more for each KiB */
    sim_time registration_hit_ps; /* found in the registration cache */
    int64_t segment_bytes;        /* an eager message is copied and sent in segments of this */

    /* between processes of a node */
    sim_time
        same_socket_latency_ps; /* shared memory: from a store to the sight of it, same socket */
    sim_time cross_socket_latency_ps; /* other socket */
    int64_t
        intra_node_eager_bytes; /* host memory: up to this eager, two copies through shared memory */
    sim_time cross_attach_ps;   /* a system call that copies out of the other process (CMA) */
    int64_t intra_node_device_eager_bytes; /* GPU memory: up to this eager */
    int64_t device_queue;                  /* flag: GPU copies of rendezvous are waited for with
                                 cudaStreamSynchronize, not found by event queries in progress */

    /* between nodes */
    int64_t eager_bytes;         /* host memory */
    int64_t inline_bytes;        /* up to this the payload travels with the command */
    int64_t device_eager_bytes;  /* GPU memory */
    int64_t rails;               /* of a rendezvous transfer; eager has 1 (M-122) */
    int64_t gpu_direct_bytes;    /* GPU memory: rendezvous up to this by GPUDirect RDMA, above it
                                       staged through host memory; 0: always staged (M-032 to M-034) */
    int64_t fragment_bytes;      /* of the staging pipeline (M-118) */
    int64_t fragments_in_flight; /* of a message: asked for and not yet in its place */
    int64_t fragments_on_wire;   /* of a process, written by its NIC at a time */
    sim_time fragment_cost_ps; /* each side's core, for each fragment beside copies and messages */
    sim_time direct_setup_ps;  /* more of a GPUDirect read: the NIC's way to GPU memory */

    /* GPU memory, eager */
    int64_t gdr_copy;        /* flag: GDRCopy was found (M-030, M-119, P-L05) */
    sim_time device_send_ps; /* more of a send or receive of GPU memory */
};

/* The kind, and its instance UCX, which every machine has: Charm++ stands on it. The others are data (configs/runtimes.lua). */
extern const struct param_table message_library_params, ucx_params;
