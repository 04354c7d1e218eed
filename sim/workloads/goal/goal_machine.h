/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a schedule on a simulated machine, with messages on its links. */
#pragma once

#include <glib.h>

#include "core/param_use.h"
#include "fabric/loggp/loggp.h"
#include "models/run_energy.h"
#include "workloads/goal/goal_fault.h"
#include "workloads/goal/goal_placement.h"

/* The memories between which a message goes. The runtime decides how it gets there. */
enum goal_path {
    GOAL_PATH_SHARED_MEMORY, /* host memories of a node */
    GOAL_PATH_GPU_MEMORY,    /* ranks that share a GPU */
    GOAL_PATH_NODE_LINKS,    /* GPUs of a node: NVLink, socket link, PCIe */
    GOAL_PATH_NETWORK,       /* nodes, through each rank's NIC */
    GOAL_PATHS
};
extern const char *const goal_path_names[]; /* NULL-ended */

struct goal_machine_result {
    /* by rank: the end of its last operation; the caller's, program->ranks long */
    sim_time *ends_ps;
    int64_t sent_bytes[GOAL_PATHS]; /* by path */
    int64_t arrived_bytes;          /* bytes that arrived, on all paths */
    struct run_energy energy;       /* of the whole run */
    struct param_use uses;          /* parameters of the machine that the run could read */
};

/* Each rank is a process on the place that `placement` gives it. The runtime of the placement's design carries its sends and
 * receives, which do not block. The process calculates on its own core, and does nothing else meanwhile; its other CPU streams
 * are bound to the next cores of the node, cyclically, each of which runs one calculation after the other. On a GPU calculations
 * are kernels, each of which has the GPU to itself. `stop` (NULL: never) is called now and then and says whether to give up.
 * False and an error if it gave up, if the machine cannot be built or has no room for the ranks, if some receives never get
 * their message or have no room for it, or if the run would last beyond SIM_TIME_LAST; errors name places in `source`. */
bool goal_machine_run(const struct machine_spec *machine, const struct goal_placement *placement,
                      const struct loggp_program *program, const struct goal_source *source,
                      bool (*stop)(void), struct goal_machine_result *result, GError **error);
