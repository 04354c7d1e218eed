/* Runs a schedule on a machine of the project, with messages on its links. */
#ifndef GPUNETSIM_WORKLOADS_GOAL_MACHINE_H
#define GPUNETSIM_WORKLOADS_GOAL_MACHINE_H

#include <glib.h>

#include "fabric/loggp.h"
#include "models/node.h"
#include "workloads/goal_fault.h"

/* Where calculations run and messages begin and end. */
enum goal_place {
    GOAL_ON_HOST, /* CPU stream c of the i-th rank of a node on core (i * streams + c) mod cores */
    GOAL_ON_GPU,  /* as kernels of the node's GPU, one after the other, launched and noticed at its
                     cost; messages go straight to and from GPU memory */
};

/* Rank r lives on node r mod nodes. A calculation takes its time, and its core or GPU before it if
 * that is taken; a send is done when it goes, and its message travels by the machine's transport at
 * once; a receive is done when its message has arrived. What software costs is not in it.
 * Writes when each rank's last operation was done to `ends_ps` (of program->ranks). `stop` (NULL: never)
 * is asked now and then whether to give up. False and an error if it said so, if the machine cannot be
 * built, if some receives never get their message or have no room for it, or if the run would take longer
 * than the clock goes, SIM_TIME_LAST; errors name places in `source`. */
bool goal_machine_run(const struct machine_spec *machine, const struct loggp_program *program,
                      const struct goal_source *source, enum goal_place place, sim_time *ends_ps,
                      bool (*stop)(void), GError **error);

#endif
