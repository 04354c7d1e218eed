/* What workloads of intra-kernel networking share: a machine of which node 0 runs a kernel whose
 * work-groups are served by one of the designs. */
#ifndef GPUNETSIM_WORKLOADS_INTRA_KERNEL_H
#define GPUNETSIM_WORKLOADS_INTRA_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/device_library.h"
#include "workloads/workload.h"

struct intra_kernel {
    struct sim *sim;
    struct cluster *cluster;
    const struct design *design;
    struct service *service; /* of node 0 */
};

/* Builds the machine (at least 2 nodes, the caller's) and the service of node 0 for `work_groups`
 * work-groups. False with one sentence in `why` if that does not go; then there is nothing to end. */
bool intra_kernel_start(struct intra_kernel *kernel, const struct machine_spec *machine,
                        const struct design *design, uint64_t seed, int64_t work_groups,
                        int64_t service_threads, char *why, size_t why_size);

/* Launches a kernel of `work_groups` work-groups of `threads` work-items on node 0 and runs until it has
 * ended. False with one sentence if it does not fit or ends in a deadlock. */
bool intra_kernel_run(struct intra_kernel *kernel, int64_t work_groups, int64_t threads,
                      kernel_program *program, void *argument, char *why, size_t why_size);

void intra_kernel_end(struct intra_kernel *kernel);

/* The measures that all of them give: latency (mean, min, p50, p99, max), the mean of each stage, polls
 * and events. */
void intra_kernel_report(const struct intra_kernel *kernel, struct workload_result *result);

#endif
