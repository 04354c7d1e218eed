/* SPDX-License-Identifier: BSD-3-Clause */
/* Noise of the operating system: timer interrupts and what they set off take a core away from the thread that computes or polls
 * on it. A program of many processes waits for the slowest of them, so that it loses more than one core does (Petrini et al.,
 * SC03; Hoefler et al., SC10).
 *
 *   noise.period      on each core the interruptions begin this far apart, from a phase on that is drawn for each core
 *   noise.durations   each takes a time that is drawn from a histogram, as rtla osnoise hist prints it
 *
 * A thread that works loses what falls into its work; one that waits goes on when the interruption ends in which it was woken.
 * So w of work take w + w E[d] / (period - E[d]) on the average. Streams are seeded by the run and the process's name.
 *
 *   noise.slow_gpus   GPUs of one kind have clocks that differ by their silicon, power limit and cooling (Sinha et al., SC22: 8 %
 *                     on the average of five machines, 22 % at most, single ones 1.5 times slower than the median): 1 + x times
 *                     the time for what depends on gpu.clock, with an x that is drawn once for each GPU and run
 *
 * Left out: memory of a slow GPU, which keeps its rate; caches that are cold behind an interruption (for the histogram's own
 * loop they are in it), daemons that take milliseconds on many cores (a histogram may have them), ticks that cores of a node
 * have at the same time, and clocks that change during a run. */
#pragma once

#include "core/param.h"
#include "core/rng.h"
#include "core/simtime.h"

/* Component "noise" of a machine file. */
struct noise_spec {
    sim_time period_ps; /* 0: none */
    int64_t durations;  /* param_words */
    int64_t slow_gpus;  /* param_words; 0: all are alike */
    int64_t nodes;      /* >= 1 */
};
extern const struct param_table noise_params;

/* False and one sentence if a duration is longer than the period, or there is none. */
bool noise_spec_valid(const struct noise_spec *spec, GError **error);

/* Whether noise reaches a run on `nodes` nodes, `is_application` or not. */
static inline bool noise_reaches(const struct noise_spec *spec, int64_t nodes, bool is_application)
{
    return spec->nodes == 1 || (is_application && nodes >= spec->nodes);
}

#define NOISE_CLASSES_MOST 64

/* Durations, or slowdowns, above the end of the class before, or above 0, up to its own. */
struct noise_class {
    int64_t end;     /* ps, or of slowdowns millionths */
    uint64_t weight; /* of this class and those before it */
};

/* What the cores of a machine have in common. */
struct noise_source {
    sim_time period_ps;
    uint64_t seed; /* of the run */
    struct noise_class classes[NOISE_CLASSES_MOST];
    size_t count;
};

/* `spec` is valid and has a period. */
void noise_source_init(struct noise_source *source, const struct noise_spec *spec, uint64_t seed);

/* Of a core. All zero: nothing interrupts it. */
struct noise {
    const struct noise_source *source;
    struct rng rng;
    sim_time next_ps; /* when the next interruption begins that has not been drawn yet */
};

/* `source` is kept by the caller; `path` names the process that is bound to the core. */
void noise_init(struct noise *noise, const struct noise_source *source, const char *path);

/* How much longer than `work_ps` >= 0 a thread takes that begins to work at `from_ps`; of no work, until the interruption ends
 * that is under way then. `from_ps` never falls, and lies behind the end that the last call told. */
sim_time noise_delay_ps(struct noise *noise, sim_time from_ps, sim_time work_ps);

/* How much longer the GPU whose component is `path` takes for what depends on its clock: 1, or what noise.slow_gpus gives it in the
 * run of that seed. */
double noise_slowdown(const struct noise_spec *spec, uint64_t seed, const char *path);
