/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a schedule on a machine of the project, with messages on its links. */
#ifndef GPUNETSIM_WORKLOADS_GOAL_GOAL_MACHINE_H
#define GPUNETSIM_WORKLOADS_GOAL_GOAL_MACHINE_H

#include <glib.h>

#include "core/param_use.h"
#include "fabric/loggp/loggp.h"
#include "models/node.h"
#include "workloads/goal/goal_fault.h"
#include "workloads/goal/goal_placement.h"

/* Which way a message takes. */
enum goal_path {
    GOAL_PATH_SHARED_MEMORY, /* between host memories of a node: a core of the receiver copies it out of
                                the sender's at host_copy's rate for one socket or two, once both are
                                there */
    GOAL_PATH_GPU_MEMORY, /* between ranks that share a GPU: copied there, at cuda.local_rate */
    GOAL_PATH_NODE_LINKS, /* between GPUs of a node: NVLink, socket link, PCIe */
    GOAL_PATH_NETWORK,    /* between nodes, through each rank's NIC */
    GOAL_PATHS
};
extern const char *const goal_path_names[]; /* NULL-ended */

struct goal_machine_result {
    sim_time
        *ends_ps; /* by rank: when its last operation was done; the caller's, of program->ranks */
    int64_t sent_bytes[GOAL_PATHS]; /* by path */
    int64_t arrived_bytes;          /* on all of them */
    struct param_use uses;          /* parameters of the machine that the run could read */
};

/* Ranks stand where `placement` says. CPU stream c of a rank on cores is bound to the c-th core from its
 * own on, round the node's; on a GPU calculations are kernels, launched and noticed at its cost. Cores, GPUs
 * and copies in a GPU's memory take one thing after the other, first come first served. A send is done when
 * it goes, and its message sets out at once; a receive is done when its message has arrived. What software
 * costs is not in it. `stop` (NULL: never) is asked now and then whether to give up. False and an error if it
 * said so, if the machine cannot be built or has no room for the ranks, if some receives never get their
 * message or have no room for it, or if the run would take longer than the clock goes, SIM_TIME_LAST; errors
 * name places in `source`. */
bool goal_machine_run(const struct machine_spec *machine, const struct goal_placement *placement,
                      const struct loggp_program *program, const struct goal_source *source,
                      bool (*stop)(void), struct goal_machine_result *result, GError **error);

#endif
