/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a schedule on a machine of the project, with messages on its links. */
#pragma once

#include <glib.h>

#include "core/param_use.h"
#include "fabric/loggp/loggp.h"
#include "models/run_energy.h"
#include "workloads/goal/goal_fault.h"
#include "workloads/goal/goal_placement.h"

/* Between which memories a message goes. How it goes there is the runtime's. */
enum goal_path {
    GOAL_PATH_SHARED_MEMORY, /* host memories of a node */
    GOAL_PATH_GPU_MEMORY,    /* ranks that share a GPU */
    GOAL_PATH_NODE_LINKS,    /* GPUs of a node: NVLink, socket link, PCIe */
    GOAL_PATH_NETWORK,       /* nodes, through each rank's NIC */
    GOAL_PATHS
};
extern const char *const goal_path_names[]; /* NULL-ended */

struct goal_machine_result {
    sim_time
        *ends_ps; /* by rank: when its last operation was done; the caller's, of program->ranks */
    int64_t sent_bytes[GOAL_PATHS]; /* by path */
    int64_t arrived_bytes;          /* on all of them */
    struct run_energy energy;       /* of the whole run */
    struct param_use uses;          /* parameters of the machine that the run could read */
};

/* Each rank is a process of the placement's design, whose runtime carries its sends and receives, which do not block; it
 * stands where `placement` says. Its process calculates on its own core, and does nothing else meanwhile; its other CPU
 * streams are bound to the next cores, round the node's, which take one calculation after the other. On a GPU calculations
 * are kernels, which have the GPU for themselves. `stop` (NULL: never) is asked now and then whether to give up. False and
 * an error if it said so, if the machine cannot be built or has no room for the ranks, if some receives never get their
 * message or have no room for it, or if the run would take longer than the clock goes, SIM_TIME_LAST; errors
 * name places in `source`. */
bool goal_machine_run(const struct machine_spec *machine, const struct goal_placement *placement,
                      const struct loggp_program *program, const struct goal_source *source,
                      bool (*stop)(void), struct goal_machine_result *result, GError **error);
