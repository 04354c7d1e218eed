/* Long runs stop when steady: when steps repeat within a tolerance, the rest of them need not be simulated. All parties
 * have to stop after the same step, and some are ahead of others: the last step is the first one that nobody has begun
 * when it shows. */
#ifndef GPUNETSIM_WORKLOADS_STEADY_STOP_H
#define GPUNETSIM_WORKLOADS_STEADY_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/simtime.h"

struct steady_stop {
    int64_t steps;      /* that there are */
    int64_t window;     /* steps in a row that have to repeat; 0: none is left out */
    double tolerance;   /* by which the shortest and the longest of them may differ, as a share */
    int64_t begun;      /* the last step that anybody has begun; from 0 on */
    int64_t last;       /* the last one that anybody does */
    int64_t noted, alike; /* of the party that is looked at: steps it has ended; in a row that repeat */
    sim_time ended_ps, shortest_ps, longest_ps; /* its last end; of those in a row */
    sim_time alike_since_ps; /* when the first of these began */
};

/* `steps` >= 1; the first one begins at `now_ps` with `tolerance` 0 (all are done) to 1. */
void steady_stop_init(struct steady_stop *stop, int64_t steps, int64_t window, double tolerance);

/* A party asks whether it is to do step number `step`. */
bool steady_stop_begins(struct steady_stop *stop, int64_t step);

/* The party that is looked at has come to its first step; and has ended the next one. */
void steady_stop_start(struct steady_stop *stop, sim_time now_ps);
void steady_stop_note(struct steady_stop *stop, sim_time now_ps);

/* How long the steps from its start on take in all, when those done took until `now_ps`: those left out take as long as
 * those in a row that repeated did, on the average. */
sim_time steady_stop_total_ps(const struct steady_stop *stop, sim_time start_ps, sim_time now_ps);

#endif
