/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads: what is run on a machine. Each is a parameter table, a list of measures and a function;
 * from these come the Lua function of the same name, its validation and its manual. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/param.h"
#include "core/units.h"
#include "models/node.h"
#include "models/run_energy.h"
#include "protocols/design.h"

/* One number that a run gives. Quantities are integers in base units, ratios doubles. */
struct workload_measure {
    const char *name; /* "latency"; columns get the unit appended ("latency_us") */
    bool is_ratio;
    bool
        is_absent; /* not modelled in the run, or of energy, more than INT64_MAX fJ (9.2 kJ): it has no value */
    enum unit_kind unit;
    int64_t quantity;
    double ratio;
    bool is_mean;  /* given by workload_add_mean_...: it gets a spread where phases are drawn */
    double spread; /* of a mean, within its run; below 0: not known */
};

#define WORKLOAD_MAX_MEASURES 160

/* What a run fills in. Before it all of it is 0, but for stats. */
struct workload_result {
    struct workload_measure measures[WORKLOAD_MAX_MEASURES];
    size_t count;
    struct run_energy energy; /* of its measured part, if it has run on a machine */
    struct param_use uses;    /* of the machine's parameters: what the run could read */
    int64_t phases;           /* that were drawn, and cores whose interruptions were */
    uint64_t events;          /* of its simulations */
    GString *
        stats; /* NULL: nobody asks. Else each number of the simulation's statistics is appended, as
                       workload_observe says; the caller's */
};

/* What a run that is over leaves: to be called by each workload on a machine once, behind its first measure and before the machine is
 * freed. The energy of its measured part (models/run_energy.h), for one of `units` that were simulated in it: of whatever its main
 * measure is of, messages or iterations; 1 for all together. And its statistics, a line each, separated by tabs: path, name,
 * unit, description, field ("" for a counter), value. */
void workload_observe(struct workload_result *result, struct cluster *cluster, double units);
void workload_add_quantity(struct workload_result *result, const char *name, enum unit_kind unit,
                           int64_t value);
/* As measures: "energy", the sum of all parts that the run models; each part, "nic_energy"; that of cores by what they did,
 * "energy_polling"; the time of all this. What the run does not model is "not modelled"; so is the sum of nothing. */
void workload_add_run_energy(struct workload_result *result, const struct run_energy *energy);
/* NAME (mean), NAME_min, _p50, _p99 and _max of a histogram of times. */
struct stat_histogram;
void workload_add_times(struct workload_result *result, const char *name,
                        const struct stat_histogram *times);

/* A mean, and behind it how far it may be off, "NAME_spread": half of its 95 % interval, where the phase of a polling
 * loop was drawn in `sim`, or a core was interrupted (workload_run). `units` are the times that a time is the mean of, or those that a rate or
 * ratio is the reciprocal of; NULL: there are none. Whatever a workload gives as a mean over operations or repeats that
 * wait for a server goes through these. */
struct stat_units;
void workload_add_mean_time(struct workload_result *result, const char *name, sim_time time_ps,
                            const struct stat_units *units);
void workload_add_mean_rate(struct workload_result *result, const char *name, int64_t rate_Bps,
                            const struct stat_units *units);
void workload_add_mean_quantity(struct workload_result *result, const char *name,
                                enum unit_kind unit, int64_t value, const struct stat_units *units);
void workload_add_mean_ratio(struct workload_result *result, const char *name, double ratio,
                             const struct stat_units *units);
/* "NAME_p90", "NAME_p99_9" ... of a histogram of times, for a list of percentiles (core/percentiles.h); those that are there already
 * are not added again. */
void workload_add_percentiles(struct workload_result *result, const char *name,
                              const struct stat_histogram *times, int64_t percentiles);
void workload_add_ratio(struct workload_result *result, const char *name, double value);

/* A parameter that is read only where another one has one of some values. Rules of one parameter follow one another, and all hold. */
struct workload_rule {
    const char *name;
    const char *of;     /* the other one */
    const char *values; /* as text, between bars: "|write_bw|read_bw|"; NULL: all but its default */
};

struct workload {
    const char *name;                 /* "get_latency" */
    const struct param_table *params; /* of its spec; says what it does */

    /* Whether it can do what it does with this design; else one sentence. NULL if it has no parameter of
     * this kind. */
    bool (*accepts)(const struct design *design, GError **error);

    /* Runs it on a machine. Returns true with `result` filled, or false with an error
     * (deadlock, a machine that lacks a part, ...). */
    bool (*run)(const struct machine_spec *machine, const void *spec, uint64_t seed,
                struct workload_result *result, GError **error);

    /* Finds out by trials what is left to it, once for all runs, and writes it into the spec. NULL: there is no such thing. */
    bool (*settle)(const struct machine_spec *machine, void *spec, uint64_t seed, GError **error);

    /* Takes from `may` what no run with that spec can read, though runs with its design may. NULL: takes nothing. */
    void (*narrow)(const struct machine_spec *machine, const void *spec, struct param_use *may);

    const struct workload_rule *rules; /* ended by one without a name; NULL: there are none */
};

/* Calls `note` once for each parameter with rules that the spec has not at its default: whether a run with this spec reads it. */
void workload_note_arguments(const struct workload *workload, const void *spec,
                             void (*note)(const char *name, bool is_read, void *argument),
                             void *argument);

/* As its `run`, which is called by this alone; false too if a measure does not fit.
 *
 * Where phases of polling loops are drawn, one run is a sample: its repeats follow one another, and what follows from the first
 * draws may stay (who comes first at a queue, which of several orbits two loops settle in). So it is run several times, each
 * with draws of its own and all else the same, until the means are known well enough or that would take too long
 * (independent_runs.c). A measure is then the mean of all runs, "NAME_min" the least and "NAME_max" the greatest. Listeners and
 * statistics see the first run alone; a machine with a listener is run once. */
bool workload_run(const struct workload *workload, const struct machine_spec *machine,
                  const void *spec, uint64_t seed, struct workload_result *result, GError **error);

/* The same of runs that are no workload of that list, each of which gives `count` results, 1 to 8 (programs in Lua). `run` fills in those of
 * run `number`, all zero before; the first one's `stats` are the caller's. */
#define INDEPENDENT_RESULTS_MOST 8
enum independent_run_end {
    RUN_FAILED,     /* with an error */
    RUN_MAY_REPEAT, /* another one would see all as this one did */
    RUN_WAS_LAST    /* this one counts, and there is no other */
};
struct independent_runs {
    enum independent_run_end (*run)(void *argument, uint64_t number,
                                    struct workload_result *results, GError **error);
    void *argument;
    size_t count;
    bool
        is_observed; /* by a listener: run once, and spreads that one run does not know are absent, as the
                         script may read them */
};
bool independent_runs(const struct independent_runs *how, struct workload_result *results,
                      GError **error);
