/* SPDX-License-Identifier: BSD-3-Clause */
/* Long runs stop when steady: when steps repeat, the rest of them need not be simulated. Steps are an application's iterations, or
 * the steps of an algorithm; parties (ranks, chares, work-groups) go through them each at its own time, and a step is over when all
 * whose steps are noted have ended it.
 *
 *   repeated   each party took as long for each of the last steps as for the one a period before, to the picosecond, with as much
 *              in stock: then the rest is counted on, exactly. That takes all parties to be noted.
 *   steady     two windows of steps took as long as each other, for the first party to end them and for the last one, within a
 *              tolerance. Who polls makes single steps longer and shorter by turns, which a window evens out. While parties
 *              drift apart, first and last differ.
 *
 * All parties have to stop after the same step, and some are ahead of others: the last step is the first one that nobody
 * has begun when it shows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/observe.h"
#include "core/simtime.h"

#define STEADY_PERIODS 4 /* longest that is looked for */
#define STEADY_REPEATS 3 /* steps that have to repeat, at least, and no fewer than two periods */

/* Mixes a number into a digest of what a step did. */
uint64_t steady_mix(uint64_t digest, int64_t number);

/* The shortest period, 1 to `longest` steps, with which the last of `count` steps repeat: `least` of them, and no fewer than two
 * periods, have the digest of the step a period before. 0: none. */
int64_t steady_period_of(const uint64_t *digests, int64_t count, int64_t longest, int64_t least);

struct steady_setup {
    int64_t warmup, steps; /* steps before those that count, and these (>= 1) */
    int64_t parties;       /* whose steps are noted (>= 1) */
    bool are_all;          /* these are all that there are: steps may be found to repeat */
    int64_t window;        /* steps of a window (>= 1) */
    double
        tolerance; /* by which the means of two windows may differ, as a share; 0: not looked at */
};

struct steady_note;

struct steady_stop {
    struct steady_setup setup;
    sim_time start_ps; /* of the first step */
    int64_t begun;     /* the last step that any party has begun; from 0 on, warm-up and all */
    int64_t last;      /* the last one that parties do */
    int64_t ended;     /* steps that are over */
    int64_t period;    /* 0: none found */
    int64_t shown;     /* steps that were over when it showed that the rest need not be simulated */
    struct steady_note *notes;
    uint64_t *digests; /* by step: of which party took how long, with which levels */
};

/* Copies the setup, whose steps, parties and window are at least 1. steady_stop_close frees the notes. */
void steady_stop_open(struct steady_stop *stop, const struct steady_setup *setup);
void steady_stop_close(struct steady_stop *stop);

/* A party asks whether it is to do step number `step`. */
bool steady_stop_begins(struct steady_stop *stop, int64_t step);

/* What is recorded of a party's step: its duration, where steps may repeat; its end; what the party has in stock and a
 * run uses up, as one number; and any other level of the party, as one number. */
struct steady_step {
    sim_time took_ps, now_ps;
    int64_t stock, level;
};

/* A party has ended it. True if the step is over with that. Steps repeat if times, stocks and levels do; they may be steady
 * if stocks are what they were. */
bool steady_stop_note(struct steady_stop *stop, int64_t step, int64_t party,
                      const struct steady_step *note);

/* Steps that count and are left out, and how long these take: as the period that was found; else each as long as those of the two
 * windows that agreed, on the average. */
int64_t steady_stop_left(const struct steady_stop *stop);
sim_time steady_stop_rest_ps(const struct steady_stop *stop);

/* The same for observers: which steps the left out ones are like, those that count numbered from 0 on. */
struct observe_repeat steady_stop_repeat(const struct steady_stop *stop);

/* When that step was over, which it is. */
sim_time steady_stop_end_ps(const struct steady_stop *stop, int64_t step);

/* Steps that count and were simulated, once all parties have stopped; and how long all that count take, left out ones too. */
int64_t steady_stop_simulated(const struct steady_stop *stop);
sim_time steady_stop_total_ps(const struct steady_stop *stop);
