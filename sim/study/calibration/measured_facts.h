/* SPDX-License-Identifier: BSD-3-Clause */
/* What tables tell of a machine by themselves, without a simulated twin:
 *
 *   platform    the host's GPUs: gpu.compute_units, gpu.clock
 *   host, core_pairs  flags from core to core: host.bounced_line, the nearest pairs of different cores (of a run the 5th percentile,
 *               of several the median), and host.mesh_hop, from there to the 95th percentile by the 10 hops of a mesh of 8 x 4 (of
 *               several runs the least)
 *   launch      calls of events, and of a stream that is idle: cuda.event_record, event_query, event_wait, synchronize
 *   launch_blockingsync  kernels of several times under a thread that sleeps: cuda.deep_sleep_after, deep_wake (measured_waits.c)
 *   scaling     atomics of many blocks on lines of their own in the host's memory: host.atomic_turn (measured_waits.c)
 *   front_end   with loads of `signal`: cuda.front_end_gap, front_end_host, front_end_operation (measured_front_end.c)
 *   concurrent  whether two GPUs have a root port each: bus.root_links
 *   power       gpu.idle_power
 *   signal      whether a fence of the GPU reads behind a write to the host's memory: gpu.fence_reads_back. It cannot where store and
 *               fence take less than a load of that memory */
#ifndef GPUNETSIM_STUDY_CALIBRATION_MEASURED_FACTS_H
#define GPUNETSIM_STUDY_CALIBRATION_MEASURED_FACTS_H

#include <glib.h>
#include <stdbool.h>

#include "study/model/delimited.h"

/* The value of a parameter, and the row that determines it. */
struct measured_fact {
    char *path, *value, *source;
};

/* How the GPU's front end polls flags in one memory: once in a period. The answer to a flag comes `behind_ns` after the
 * last poll before the flag could be set, modulo the period. 0: not known. */
struct measured_looks {
    double period_ns, behind_ns;
    char *source;
};
enum { LOOK_DEVICE, LOOK_HOST, LOOK_PLACES };

/* All facts; of several for one parameter the last one counts. */
struct measured_facts {
    struct measured_fact *facts;
    size_t count;
    struct measured_looks looks[LOOK_PLACES];
    char *gpu;                   /* name and units of the host's GPUs; NULL: not told */
    double load_ns[LOOK_PLACES]; /* of a GPU thread; 0: not known */
};
void measured_facts_clear(struct measured_facts *facts);

/* Whether the table is one of the host's GPUs. */
bool measured_is_platform(const struct delimited *table);

/* Adds what the probe's table tells. False and one sentence with the line if a
 * cell of a table of GPUs is no number, or if these are of another kind than those before. */
bool measured_facts_read(struct measured_facts *facts, const struct delimited *table,
                         GError **error);

/* Adds what only several tables together tell, after the last was read. */
void measured_facts_finish(struct measured_facts *facts);

#endif
