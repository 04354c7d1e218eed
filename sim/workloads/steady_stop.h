/* Long runs stop when steady: when steps repeat within a tolerance, the rest of them need not be simulated. Who polls makes
 * single steps longer and shorter by turns, so it is the means of two windows of steps that have to be alike. All parties
 * have to stop after the same step, and some are ahead of others: the last step is the first one that nobody has begun
 * when it shows. */
#ifndef GPUNETSIM_WORKLOADS_STEADY_STOP_H
#define GPUNETSIM_WORKLOADS_STEADY_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/simtime.h"

#define STEADY_WINDOW 8

struct steady_stop {
    int64_t steps; /* that there are */
    double
        tolerance; /* by which the means of the last two windows may differ, as a share; 0: none is left out */
    int64_t begun;                           /* the last step that anybody has begun; from 0 on */
    int64_t last;                            /* the last one that anybody does */
    int64_t noted;                           /* steps that the party that is looked at has ended */
    sim_time ends_ps[2 * STEADY_WINDOW + 1]; /* of its last steps, by their number modulo so many */
};

/* `steps` >= 1 of them, `tolerance` 0 to 1. */
void steady_stop_init(struct steady_stop *stop, int64_t steps, double tolerance);

/* A party asks whether it is to do step number `step`. */
bool steady_stop_begins(struct steady_stop *stop, int64_t step);

/* The party that is looked at has come to its first step; and has ended the next one. */
void steady_stop_start(struct steady_stop *stop, sim_time now_ps);
void steady_stop_note(struct steady_stop *stop, sim_time now_ps);

/* How long the steps that were left out take: each as long as those of the last two windows did, on the average. */
sim_time steady_stop_rest_ps(const struct steady_stop *stop);

#endif
