/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads are the programs that run on a machine. A workload is a parameter table, a list of measures and a function; the Lua
 * function of the same name, its validation and its manual are derived from these. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/param.h"
#include "core/stat.h"
#include "core/units.h"
#include "models/node.h"
#include "models/run_energy.h"
#include "protocols/design.h"

/* One number that a run measures. Quantities are integers in base units, ratios doubles. */
struct workload_measure {
    const char *name; /* "latency"; columns get the unit appended ("latency_us") */
    bool is_ratio;
    /* it has no value: the run does not model it, or an energy exceeds INT64_MAX fJ (9.2 kJ) */
    bool is_absent;
    enum unit_kind unit;
    int64_t quantity;
    double ratio;
    bool is_mean; /* added by workload_add_mean_...: it gets a spread where phases are drawn */
    bool
        is_whole; /* of a run as a whole: it gets a spread where several runs were made, of which it asks for none */
    double spread;             /* spread of a mean within its run; below 0: not known */
    struct stat_groups groups; /* of several runs; lower_share 0: they fall into no groups */
    bool is_of_values;         /* the mean of a histogram */
    struct stat_groups kinds;  /* of its values (stat_two_kinds); lower_share 0: of one kind */
};

#define WORKLOAD_MAX_MEASURES 160

/* The result that a run fills in. Before the run all of it is 0, except `stats`. */
struct workload_result {
    struct workload_measure measures[WORKLOAD_MAX_MEASURES];
    size_t count;
    struct run_energy energy; /* energy of the measured part, if it ran on a machine */
    struct param_use uses;    /* parameters of the machine that the run could read */
    /* phases that were drawn, plus cores whose interruptions were drawn */
    int64_t phases;
    uint64_t events; /* events of its simulations */
    /* NULL: not wanted. Else workload_observe appends the simulation's statistics; the caller's */
    GString *stats;
};

/* Records the energy and statistics of a finished run. Each workload on a machine calls it once, after its first measure and
 * before the machine is freed. The energy of the measured part (models/run_energy.h) is divided by `units`, the number of units
 * of the main measure (messages or iterations) that were simulated in it; 1: the energy of all together. Statistics are one
 * line each, separated by tabs: path, name, unit, description, field ("" for a counter), value. */
void workload_observe(struct workload_result *result, struct cluster *cluster, double units);
void workload_add_quantity(struct workload_result *result, const char *name, enum unit_kind unit,
                           int64_t value);
/* Adds measures: "energy", the sum of all parts that the run models; each part, such as "nic_energy"; the energy of cores by
 * activity, such as "energy_polling"; the time over which they are counted. A part that the run does not model is "not
 * modelled"; so is a sum without parts. */
void workload_add_run_energy(struct workload_result *result, const struct run_energy *energy);
/* Adds NAME (mean), NAME_min, _p50, _p99 and _max of a histogram. */
void workload_add_histogram(struct workload_result *result, const char *name, enum unit_kind unit,
                            const struct stat_histogram *values);

/* Adds a mean, followed by its uncertainty "NAME_spread": half of its 95 % interval, where the phase of a polling loop was drawn
 * in `sim`, or a core was interrupted (workload_run). `units` are the times that are averaged, or, for a rate or ratio, the times
 * whose mean it is the reciprocal of; NULL: none. All means over operations or repeats that wait for a server use these. */
void workload_add_mean_rate(struct workload_result *result, const char *name, int64_t rate_Bps,
                            const struct stat_units *units);
void workload_add_mean_quantity(struct workload_result *result, const char *name,
                                enum unit_kind unit, int64_t value, const struct stat_units *units);
void workload_add_mean_ratio(struct workload_result *result, const char *name, double ratio,
                             const struct stat_units *units);
/* Adds "NAME_p90", "NAME_p99_9" ... of a histogram of times, for a list of percentiles (core/percentiles.h); existing ones are
 * not added again. */
void workload_add_percentiles(struct workload_result *result, const char *name,
                              const struct stat_histogram *times, int64_t percentiles);
void workload_add_ratio(struct workload_result *result, const char *name, double value);

/* A rule: a parameter is read only if another one has one of the given values. Rules of one parameter follow one another, and all
 * must hold. */
struct workload_rule {
    const char *name;
    const char *of; /* the other parameter */
    /* the values as text between bars: "|write_bw|read_bw|"; NULL: all except its default */
    const char *values;
};

struct workload {
    const char *name;                 /* "get_latency" */
    const struct param_table *params; /* table of its spec, with the description of the workload */

    /* Whether the workload can run with this design; else false and one sentence. NULL: it has no parameter `design`. */
    bool (*accepts)(const struct design *design, GError **error);

    /* Runs the workload on a machine. Returns true with `result` filled, or false with an error (deadlock, a machine that lacks
     * a part, ...). */
    bool (*run)(const struct machine_spec *machine, const void *spec, uint64_t seed,
                struct workload_result *result, GError **error);

    /* Chooses by trials the parameters that were left open, once for all runs, and writes them into the spec. NULL: it has none. */
    bool (*settle)(const struct workload *workload, const struct machine_spec *machine, void *spec,
                   uint64_t seed, GError **error);

    /* Removes from `may` parameters that no run with that spec can read, although runs with its design may. NULL: removes
     * nothing. */
    void (*narrow)(const struct machine_spec *machine, const void *spec, struct param_use *may);

    const struct workload_rule *rules; /* ended by a rule without a name; NULL: no rules */
};

/* Calls `note` once for each parameter that has rules and is not at its default, and says whether a run with this spec reads it. */
void workload_note_arguments(const struct workload *workload, const void *spec,
                             void (*note)(const char *name, bool is_read, void *argument),
                             void *argument);

/* Runs a workload; only this function calls its `run`. False, too, if a measure does not fit.
 *
 * Where phases of polling loops are drawn, one run is only a sample: its repeats follow one another, so effects of the first
 * draws may last (the order in a queue, or which of several periodic states two loops settle in). So the workload runs several
 * times, with new draws and all else the same, until the means are known well enough or that would take too long
 * (independent_runs.c). A measure is then the mean of all runs, "NAME_min" the least and "NAME_max" the greatest. If a mean's runs
 * fall into two groups (stat_two_groups), more than 2 % apart, the groups' medians are "NAME_lower" and "NAME_upper", and the first
 * one's share of the runs "NAME_lower_share". If a run's operations come in two kinds, whose shares any change may shift, the spread
 * is half of the distance between the kinds at least, and that of what follows from the operations (duration, rate) likewise; the
 * mean's own interval is then "NAME_interval_95". Listeners and statistics see only the first run; a machine with a listener is run once. */
bool workload_run(const struct workload *workload, const struct machine_spec *machine,
                  const void *spec, uint64_t seed, struct workload_result *result, GError **error);

/* The same for runs of programs in Lua, which are no workloads of the list. Each run gives `count` results, 1 to 8. `run` fills
 * in the results of run `number`, which are zero before; `stats` of the first result is the caller's. */
#define INDEPENDENT_RESULTS_MOST 8
enum independent_run_end {
    RUN_FAILED,     /* with an error */
    RUN_MAY_REPEAT, /* another run would start from the same state */
    RUN_WAS_LAST    /* this run counts and is the last */
};
struct independent_runs {
    enum independent_run_end (*run)(void *argument, uint64_t number,
                                    struct workload_result *results, GError **error);
    void *argument;
    size_t count;
    /* by a listener: run once; spreads that one run does not know are absent, since the script may read them */
    bool is_observed;
};
bool independent_runs(const struct independent_runs *how, struct workload_result *results,
                      GError **error);
