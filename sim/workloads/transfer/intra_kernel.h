/* SPDX-License-Identifier: BSD-3-Clause */
/* What workloads of intra-kernel networking share: a machine some of whose GPUs run a kernel, the same on
 * each, whose work-groups are served by one of the designs. */
#ifndef GPUNETSIM_WORKLOADS_TRANSFER_INTRA_KERNEL_H
#define GPUNETSIM_WORKLOADS_TRANSFER_INTRA_KERNEL_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/job.h"
#include "protocols/shmem/device_library.h"
#include "protocols/shmem/symmetric_heap.h"
#include "workloads/interface/workload.h"

/* What is built: `kernels` GPUs (>= 1), each with a service of `service_threads` threads (0: as many as the
 * design says) for `work_groups` work-groups; and a symmetric heap over the first GPUs of all nodes. Of a design
 * that gathers puts, or whose servers set words, the other node has a service, too. */
struct intra_kernel_setup {
    const struct design *design;
    struct cluster *cluster; /* whose guest it is, the caller's; NULL: a machine of its own */
    uint64_t seed;
    int64_t kernels;
    const struct job_place
        *places; /* of these GPUs; NULL: the first ones of nodes 0 to kernels - 1 */
    int64_t work_groups;
    int64_t service_threads;
    int64_t heap_bytes;   /* a node: symmetric_size of all that is to be allocated */
    int64_t stream_bytes; /* of node 0: of buffers beside the heap */
};

struct intra_kernel {
    struct sim *sim;
    struct cluster *cluster;
    const struct design *design;
    int64_t kernels;
    int64_t service_count;     /* of the kernels, and of others behind them */
    int64_t service_threads;   /* of each */
    struct site **sites;       /* of the services */
    struct service **services; /* likewise */
    struct symmetric_heap *heap;
    bool is_guest;           /* of another's cluster */
    struct host_wait *waits; /* of the hosts for the kernels */
    int64_t running;         /* kernels that have not ended */
    sim_time launched_ps,
        ended_ps; /* the host calls for the kernels; it knows that all have ended */
};

/* Builds the machine (at least 2 nodes, the caller's), if there is none yet, and the services. False with an error
 * if that does not go; then there is nothing to end. */
bool intra_kernel_start(struct intra_kernel *kernel, const struct machine_spec *machine,
                        const struct intra_kernel_setup *setup, GError **error);

/* The kernel that each of the nodes runs; `arguments`, one a node, are what its program gets. */
struct intra_kernel_launch {
    int64_t work_groups;
    int64_t threads; /* work-items a work-group */
    int64_t
        held; /* more work-groups, which hold their places and run nothing; all run at once then */
    bool is_cooperative;
    int64_t stack_bytes; /* of a work-group's process; 0: as usual */
    kernel_program *program;
    void *const *arguments;
};

/* Launches it on all of these nodes at once. False with one sentence if it does not fit. */
bool intra_kernel_begin(struct intra_kernel *kernel, const struct intra_kernel_launch *launch,
                        GError **error);

/* Frees what the kernel made: services, heap, and (unless it is a guest in a cluster of others) the cluster and the simulation.
 * Read the measures before. */
void intra_kernel_end(struct intra_kernel *kernel);

/* Measures of the first kernel: energy, as workload_observe; the mean of each stage of its operations, polls and events. */
void intra_kernel_report_stages(const struct intra_kernel *kernel, double units,
                                struct workload_result *result);

#endif
