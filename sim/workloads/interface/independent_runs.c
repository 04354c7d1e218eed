/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a workload as often as its means need if phases of polling loops are drawn (workload.h). */
#include <math.h>
#include <string.h>

#include "core/stat.h"
#include "workloads/interface/workload.h"

/* The number of runs depends on their results and events, never on the computer or the time that simulates them. */
#define RUNS_LEAST 4
#define RUNS_MOST STAT_BATCHES
#define SPREAD_ENOUGH 0.01  /* enough spread of each mean, as a share */
#define EVENTS_SHORT 100000 /* events of a run that is repeated more often than necessary */

/* A measure over several runs, as differences from the first run, since most measures are the same each time. */
struct over_runs {
    struct stat_units from_first;
    double least, greatest;
    struct stat_groups kinds; /* the least and the greatest of all runs that have two */
};

struct runs {
    int64_t count;
    struct over_runs measures[WORKLOAD_MAX_MEASURES]; /* of the first run */
};

static const struct workload_measure *find(const struct workload_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++)
        if (strcmp(result->measures[i].name, name) == 0)
            return &result->measures[i];
    return NULL;
}

/* The difference from the first run; 0 if a run lacks the measure. */
static double from_first(const struct workload_measure *first, const struct workload_result *run)
{
    const struct workload_measure *other = find(run, first->name);
    if (first->is_ratio)
        return (other != NULL ? other->ratio : 0) - first->ratio;
    return (double)((other != NULL ? other->quantity : 0) - first->quantity);
}

static void note_kinds(struct stat_groups *kinds, const struct workload_measure *measure)
{
    if (measure == NULL || measure->kinds.lower_share == 0)
        return;
    bool is_first = kinds->lower_share == 0;
    *kinds = (struct stat_groups){
        .lower = is_first ? measure->kinds.lower : MIN(kinds->lower, measure->kinds.lower),
        .upper = is_first ? measure->kinds.upper : MAX(kinds->upper, measure->kinds.upper),
        .lower_share = measure->kinds.lower_share};
}

static void note_run(struct runs *runs, const struct workload_result *first,
                     const struct workload_result *run)
{
    runs->count++;
    for (size_t i = 0; i < first->count; i++) {
        struct over_runs *of = &runs->measures[i];
        double value = from_first(&first->measures[i], run);
        of->least = MIN(of->least, value);
        of->greatest = MAX(of->greatest, value);
        stat_unit(&of->from_first, value);
        note_kinds(&of->kinds, find(run, first->measures[i].name));
    }
}

static double number_of(const struct workload_measure *measure)
{
    return measure->is_ratio ? measure->ratio : (double)measure->quantity;
}

/* Whether the runs know each mean well enough, or another run would take too long. */
static bool is_enough(const struct runs *runs, const struct workload_result *first)
{
    if (runs->count < RUNS_LEAST)
        return false;
    if (runs->count == RUNS_MOST || first->events > EVENTS_SHORT)
        return true;
    for (size_t i = 0; i < first->count; i++)
        if (first->measures[i].is_mean && stat_spread(&runs->measures[i].from_first) >
                                              SPREAD_ENOUGH * number_of(&first->measures[i]))
            return false;
    return true;
}

/* Whether one run is only a sample: it is short, or it does not know the spread of its means; a spread of 0 means that it has
 * settled in one periodic state, and there may be others. */
static bool is_sample(const struct workload_result *first)
{
    bool knows = first->events > EVENTS_SHORT;
    for (size_t i = 0; i < first->count; i++)
        knows = knows && (!first->measures[i].is_mean || first->measures[i].spread > 0);
    return first->phases > 0 && !knows;
}

static double shown_of_runs(const char *name, const struct over_runs *of)
{
    if (g_str_has_suffix(name, "_min"))
        return of->least;
    if (g_str_has_suffix(name, "_max"))
        return of->greatest;
    return stat_units_mean(&of->from_first);
}

/* Notes two groups of a mean's runs, unless they are as near to each other as the ends of a spread that is small enough. */
static void find_groups(const struct stat_units *from_first, double first,
                        struct workload_measure *mean)
{
    struct stat_groups groups;
    if (!mean->is_mean || !stat_two_groups(from_first, &groups) ||
        groups.upper - groups.lower <= 2 * SPREAD_ENOUGH * number_of(mean))
        return;
    mean->groups = groups;
    mean->groups.lower += first;
    mean->groups.upper += first;
}

/* Turns the first run's measures into those of all runs. */
static void join(const struct runs *runs, struct workload_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        struct workload_measure *measure = &result->measures[i];
        const struct workload_measure first = *measure;
        double more = shown_of_runs(measure->name, &runs->measures[i]);
        if (measure->is_ratio)
            measure->ratio += more;
        else
            measure->quantity += llround(more);
        measure->spread = stat_spread(&runs->measures[i].from_first);
        measure->kinds = runs->measures[i].kinds;
        find_groups(&runs->measures[i].from_first, number_of(&first), measure);
    }
}

/* Whether each result is known well enough. */
static bool are_enough(const struct runs *runs, const struct workload_result *firsts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_sample(&firsts[i]) && !is_enough(&runs[i], &firsts[i]))
            return false;
    return true;
}

static bool run_again(const struct independent_runs *how, struct workload_result *results,
                      GError **error)
{
    /* not allocated, since an error of Lua may leave `run` */
    struct runs runs[INDEPENDENT_RESULTS_MOST];
    struct workload_result again[INDEPENDENT_RESULTS_MOST];
    for (size_t i = 0; i < how->count; i++) {
        runs[i] = (struct runs){.count = 0};
        note_run(&runs[i], &results[i], &results[i]);
    }
    while (!are_enough(runs, results, how->count)) {
        memset(again, 0, how->count * sizeof *again);
        enum independent_run_end end = how->run(how->argument, (uint64_t)runs->count, again, error);
        if (end == RUN_FAILED)
            return false;
        for (size_t i = 0; i < how->count; i++) {
            param_use_join(&results[i].uses, &again[i].uses);
            note_run(&runs[i], &results[i], &again[i]);
        }
        if (end == RUN_WAS_LAST)
            break;
    }
    for (size_t i = 0; i < how->count; i++)
        if (runs[i].count > 1)
            join(&runs[i], &results[i]);
    return true;
}

/* Adds a number of the same kind as a mean's, named after it. */
static struct workload_measure *add_beside(struct workload_result *result,
                                           const struct workload_measure *mean, const char *suffix,
                                           double number)
{
    g_autofree char *name = g_strconcat(mean->name, suffix, NULL);
    if (mean->is_ratio)
        workload_add_ratio(result, g_intern_string(name), number);
    else
        workload_add_quantity(result, g_intern_string(name), mean->unit, llround(number));
    return &result->measures[result->count - 1];
}

static void add_groups(struct workload_result *result, const struct workload_measure *mean)
{
    g_autofree char *share = g_strconcat(mean->name, "_lower_share", NULL);
    add_beside(result, mean, "_lower", mean->groups.lower);
    add_beside(result, mean, "_upper", mean->groups.upper);
    workload_add_ratio(result, g_intern_string(share), mean->groups.lower_share);
}

/* A mean over two kinds of operations moves between them with their shares: half of the distance between the kinds, as a share of the
 * mean. */
static double half_between_kinds(const struct workload_measure *mean)
{
    double number = number_of(mean);
    return number == 0 ? 0 : (mean->kinds.upper - mean->kinds.lower) / 2 / number;
}

/* The spread of a mean or of a whole with that of its operations' kinds; `others` is for what has no histogram of its own. */
static double whole_spread(const struct workload_measure *measure, double others)
{
    double kinds = measure->is_of_values ? half_between_kinds(measure) : others;
    return MAX(measure->spread, kinds * number_of(measure));
}

/* Adds the spread, and the mean's interval if kinds make the spread greater. */
static void add_spread(struct workload_result *result, const struct workload_measure *measure,
                       double kinds, bool says_unknown)
{
    bool is_known = measure->spread >= 0;
    double spread = is_known ? whole_spread(measure, kinds) : measure->spread;
    if (measure->is_mean ? is_known || says_unknown : measure->is_whole && is_known)
        add_beside(result, measure, "_spread", spread)->is_absent = !is_known;
    if ((measure->is_mean || measure->is_whole) && is_known && spread > measure->spread)
        add_beside(result, measure, "_interval_95", measure->spread);
}

/* Adds each mean's spread behind it, and its groups if there are any; if the spread is unknown, adds nothing, or that it is
 * absent. */
static void add_spreads(struct workload_result *result, bool says_unknown)
{
    struct workload_result given = *result;
    double kinds = 0;
    for (size_t i = 0; i < given.count; i++)
        kinds = MAX(kinds, half_between_kinds(&given.measures[i]));
    result->count = 0;
    for (size_t i = 0; i < given.count; i++) {
        const struct workload_measure *measure = &given.measures[i];
        result->measures[result->count++] = *measure;
        add_spread(result, measure, kinds, says_unknown);
        if (measure->groups.lower_share > 0)
            add_groups(result, measure);
    }
}

bool independent_runs(const struct independent_runs *how, struct workload_result *results,
                      GError **error)
{
    enum independent_run_end end = how->run(how->argument, 0, results, error);
    if (end == RUN_FAILED)
        return false;
    if (end == RUN_MAY_REPEAT && !how->is_observed && !run_again(how, results, error))
        return false;
    for (size_t i = 0; i < how->count; i++)
        if (results[i].phases > 0)
            add_spreads(&results[i], how->is_observed);
    return true;
}

/* One run of a workload. */
struct once {
    const struct workload *workload;
    const struct machine_spec *machine;
    const void *spec;
    uint64_t seed;
};

static enum independent_run_end run_once(void *argument, uint64_t number,
                                         struct workload_result *result, GError **error)
{
    const struct once *runner = argument;
    struct machine_spec machine = *runner->machine;
    machine.independent_run = number;
    if (!runner->workload->run(&machine, runner->spec, runner->seed, result, error))
        return RUN_FAILED;
    return RUN_MAY_REPEAT;
}

bool workload_run(const struct workload *workload, const struct machine_spec *machine,
                  const void *spec, uint64_t seed, struct workload_result *result, GError **error)
{
    g_autofree void *settled = g_memdup2(spec, workload->params->spec_size);
    if (workload->settle != NULL && !workload->settle(workload, machine, settled, seed, error))
        return false;
    struct once runner = {workload, machine, settled, seed};
    const struct independent_runs how = {
        .run = run_once, .argument = &runner, .count = 1, .is_observed = machine->listener != NULL};
    return independent_runs(&how, result, error);
}
