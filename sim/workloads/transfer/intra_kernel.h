/* SPDX-License-Identifier: BSD-3-Clause */
/* What workloads of intra-kernel networking share: a machine some of whose GPUs run a kernel, the same on
 * each, whose work-groups are served by one of the designs. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocols/shmem/device_library.h"
#include "protocols/shmem/symmetric_heap.h"
#include "workloads/transfer/transfer.h"

struct intra_kernel {
    struct sim *sim;
    struct cluster *cluster;
    const struct design *design;
    int64_t kernels;
    const struct job_place *places; /* NULL: the first GPUs of nodes 0, 1, ... */
    int64_t service_count;          /* of the kernels, and of others behind them */
    struct site **sites;            /* of the services */
    struct service **services;      /* likewise */
    struct symmetric_heap *heap;
    bool is_guest;           /* of another's cluster */
    struct host_wait *waits; /* of the hosts for the kernels */
    int64_t running;         /* kernels that have not ended */
    sim_time launched_ps,
        ended_ps; /* the host calls for the kernels; it knows that all have ended */
};

/* Builds the machine (at least 2 nodes, the caller's), unless it is a guest's, and a service for each served place; of a design that
 * gathers puts, or whose servers set words, the other node has one, too. Places are the setup's, unless they are the first GPUs
 * of nodes (`is_symmetric`): then there is a heap of `heap_bytes` on all of these. `stream_bytes` of node 0 are needed beside it.
 * False with an error if that does not go; then there is nothing to end. */
bool intra_kernel_start(struct intra_kernel *kernel, const struct machine_spec *machine,
                        const struct world_setup *setup, bool is_symmetric, int64_t heap_bytes,
                        int64_t stream_bytes, GError **error);

/* Launches the setup's kernel on all served places at once; `arguments`, one a place, are what its program gets. False with one
 * sentence if it does not fit. */
bool intra_kernel_begin(struct intra_kernel *kernel, const struct world_setup *setup,
                        kernel_program *program, void *const *arguments, GError **error);

/* Frees what the kernel made: services, heap, and (unless it is a guest in a cluster of others) the cluster and the simulation.
 * Read the measures before. */
void intra_kernel_end(struct intra_kernel *kernel);

/* Measures of the first kernel: energy, as workload_observe; the mean of each stage of its operations, polls and events. */
void intra_kernel_report_stages(const struct intra_kernel *kernel, double units,
                                struct workload_result *result);
