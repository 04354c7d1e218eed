/* How long iterations take that many blocks do, each at its own time, and when they need not be simulated any more.
 *
 * An iteration is over when all blocks have ended it. Iterations repeat with a period when each block took as long for
 * each of the last ones as for the one a period before, to the picosecond: then the rest is counted on. Where they never
 * do, they may be taken to be steady when the means of two windows of them agree within a tolerance. All blocks have to
 * stop after the same iteration: the first one that nobody has begun when it shows. */
#ifndef GPUNETSIM_WORKLOADS_JACOBI3D_PACE_H
#define GPUNETSIM_WORKLOADS_JACOBI3D_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/simtime.h"

#define PACE_PERIODS 4 /* longest that is looked for */
#define PACE_REPEATS 3 /* iterations that have to repeat, at least, and no fewer than two periods */
#define PACE_WINDOW 4  /* iterations of a window */

struct pace_note;

struct pace {
    int64_t warmup, iterations; /* iterations before those that count, and these */
    int64_t blocks;
    double tolerance; /* 0: only what repeats is counted on; below 0: nothing is */
    int64_t begun;    /* the last iteration that any block has begun; from 0 on, warm-up and all */
    int64_t last;     /* the last one that blocks do */
    int64_t ended;    /* iterations that all blocks have ended */
    int64_t period;   /* 0: none found */
    struct pace_note *notes;
};

void pace_open(struct pace *pace, int64_t warmup, int64_t iterations, int64_t blocks,
               double tolerance);
void pace_close(struct pace *pace);

/* A block asks whether it is to do that iteration. */
bool pace_begins(struct pace *pace, int64_t iteration);

/* What is noted of a block's iteration: how long it took and when it ended; what its process has in stock and a run uses
 * up, as one number; and any other level of it, likewise. */
struct pace_step {
    sim_time took_ps, now_ps;
    int64_t stock, level;
};

/* A block has ended it. True if it was the last block to do so. Iterations repeat if times, stocks and levels do; they may be
 * steady if stocks are what they were. */
bool pace_note(struct pace *pace, int64_t iteration, int64_t block, const struct pace_step *step);

/* When all blocks had ended that iteration, which they have. */
sim_time pace_end_ps(const struct pace *pace, int64_t iteration);

/* How many of the last iterations those that are counted on are like. */
int64_t pace_like(const struct pace *pace);

/* Measured iterations that were simulated; the time that all measured iterations take, those counted on too. */
int64_t pace_simulated(const struct pace *pace);
sim_time pace_total_ps(const struct pace *pace);

#endif
