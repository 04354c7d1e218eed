/* SPDX-License-Identifier: BSD-3-Clause */
/* What workloads of intra-kernel networking share: a machine on which some GPUs run the same kernel, whose work-groups are served
 * by one of the designs. */
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
    int64_t service_count;          /* services of the kernels, then of other places */
    struct site **sites;            /* sites of the services */
    struct service **services;      /* likewise */
    struct symmetric_heap *heap;
    bool is_guest;           /* the kernel runs in the cluster of another world */
    struct host_wait *waits; /* how the hosts wait for the kernels */
    int64_t running;         /* kernels that have not ended */
    sim_time launched_ps,
        ended_ps; /* the hosts launch the kernels; the hosts know that all have ended */
};

/* Builds the machine (the caller's spec, at least 2 nodes), unless it is a guest, and a service for each served place; if the
 * design gathers puts, or its servers set words, the other node has a service, too. Places are those of the setup; if they are
 * the first GPUs of nodes (`is_symmetric`), all of these have a heap of `heap_bytes`. Node 0 needs `stream_bytes` more. False
 * with an error on failure; then there is nothing to end. */
bool intra_kernel_start(struct intra_kernel *kernel, const struct machine_spec *machine,
                        const struct world_setup *setup, bool is_symmetric, int64_t heap_bytes,
                        int64_t stream_bytes, GError **error);

/* Launches the setup's kernel on all served places at once; `arguments` has the argument of its program for each place. False
 * with one sentence if the kernel does not fit. */
bool intra_kernel_begin(struct intra_kernel *kernel, const struct world_setup *setup,
                        kernel_program *program, void *const *arguments, GError **error);

/* Frees everything made for the kernel: services, heap, and (unless it is a guest) the cluster and the simulation. Read the
 * measures before. */
void intra_kernel_end(struct intra_kernel *kernel);

/* Reports measures of the first kernel: energy, as workload_observe; the mean time of each stage of its operations, polls and
 * events. */
void intra_kernel_report_stages(const struct intra_kernel *kernel, double units,
                                struct workload_result *result);
