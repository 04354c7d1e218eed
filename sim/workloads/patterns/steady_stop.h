/* SPDX-License-Identifier: BSD-3-Clause */
/* Long runs stop when steady: when steps repeat, the rest of them need not be simulated. Steps are an application's iterations,
 * or the steps of an algorithm; parties (ranks, chares, work-groups) go through them each at its own time, and a step is over
 * when all parties whose steps are noted have ended it.
 *
 *   repeated   each party took exactly as long for each of the last steps as for the step one period before, with the same
 *              stock, and none drifts away from the others, which would make steps longer once it waits for them, or sooner shares
 *              a GPU with them in another way: then the rest is extrapolated exactly. This requires that all parties are noted.
 *   steady     two windows of steps took as long as each other, for the first party to end them and for the last one, within a
 *              tolerance. Polling makes single steps longer or shorter, which a window averages out. While parties drift
 *              apart, first and last differ.
 *
 * All parties have to stop after the same step, although some are ahead: the last step is the first one that no party has begun
 * when the repetition is found. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/observe.h"
#include "core/simtime.h"

#define STEADY_PERIODS 4 /* the longest period that is searched for */
#define STEADY_REPEATS 3 /* least steps that have to repeat, and at least two periods */
#define STEADY_DRIFT                                                                               \
    0.005 /* by how much of a step parties may drift apart in it, since a step's final time lies between theirs */

/* Mixes a number into the digest of a step. */
uint64_t steady_mix(uint64_t digest, int64_t number);

/* The shortest period, 1 to `longest` steps, with which the last of `count` steps repeat: at least `least` steps, and at least
 * two periods, have the same digest as the step one period before. 0: none. */
int64_t steady_period_of(const uint64_t *digests, int64_t count, int64_t longest, int64_t least);

struct steady_setup {
    int64_t warmup, steps; /* steps before the counted ones; counted steps (>= 1) */
    int64_t parties;       /* parties whose steps are noted (>= 1) */
    bool are_all;          /* all parties are noted, so that steps may be found to repeat */
    int64_t window;        /* steps of a window (>= 1) */
    /* relative difference allowed between the means of two windows; 0: windows are not compared */
    double tolerance;
};

struct steady_note;

struct steady_stop {
    struct steady_setup setup;
    sim_time start_ps; /* of the first step */
    int64_t begun;     /* the last step that any party has begun, counted from 0 with the warm-up */
    int64_t last;      /* the last step that parties run */
    int64_t ended;     /* steps that are over */
    int64_t period;    /* 0: none found */
    int64_t shown;     /* steps that were over when the rest was found to be predictable */
    struct steady_note *notes;
    uint64_t *digests; /* by step: digest of the parties' times and levels */
};

/* Copies the setup, whose steps, parties and window are at least 1. steady_stop_close frees the notes. */
void steady_stop_open(struct steady_stop *stop, const struct steady_setup *setup);
void steady_stop_close(struct steady_stop *stop);

/* A party asks whether it has to run step number `step`. */
bool steady_stop_begins(struct steady_stop *stop, int64_t step);

/* The record of a party's step: its duration, if steps may repeat; its end; the party's stock, which a run uses up, as one
 * number; and its other levels, as one number. */
struct steady_step {
    sim_time took_ps, now_ps;
    int64_t stock, level;
};

/* A party has ended its step. True if the step is thereby over. Steps repeat if times, stocks and levels repeat; they may be
 * steady only if stocks are unchanged. */
bool steady_stop_note(struct steady_stop *stop, int64_t step, int64_t party,
                      const struct steady_step *note);

/* The number of counted steps that are left out; and their time, taken from the period that was found, else from the average step
 * of the two windows that agreed. */
int64_t steady_stop_left(const struct steady_stop *stop);
sim_time steady_stop_rest_ps(const struct steady_stop *stop);

/* The same for observers: which steps the left-out steps are like; counted steps are numbered from 0. */
struct observe_repeat steady_stop_repeat(const struct steady_stop *stop);

/* The end of a step, which must be over. */
sim_time steady_stop_end_ps(const struct steady_stop *stop, int64_t step);

/* After all parties have stopped: the number of counted steps that were simulated; and the time of all counted steps, including
 * those left out. */
int64_t steady_stop_simulated(const struct steady_stop *stop);
sim_time steady_stop_total_ps(const struct steady_stop *stop);
