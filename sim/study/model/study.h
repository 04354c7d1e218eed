/* SPDX-License-Identifier: BSD-3-Clause */
/* A study after it has been read: axes, points, figures, claims; rows of results, and calls of workloads with the memory of
 * their results. Lua code fills it (script/script.h); functions that stay in Lua are called by script/study/point.h. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "study/model/machine.h"
#include "study/model/value.h"
#include "workloads/interface/workload.h"

/* An axis and its distinct values. Axes of one group advance together, step by step; `steps` has the number of the axis's value
 * at each step. */
struct axis {
    char *name;
    struct value *values;
    size_t count;
    size_t group; /* groups are numbered from 0, in the order of the axes */
    uint32_t *steps;
    size_t step_count;
};

/* A loaded study; the Lua state lives in it. */
struct study {
    char *path; /* as given */
    char *name; /* the file's name without .lua */
    char *title;
    /* SHA-256 over the texts of all files, the overrides and the named designs */
    char *digest;
    /* the list part of `vary` as written, then its other axes by name, then "trial" if there are trials */
    struct axis *axes;
    size_t axis_count;
    uint32_t *points; /* for each point, the number of its value on each axis */
    size_t point_count;
    /* only while variants are run, which own them: each point's further overrides, NULL-ended; else NULL */
    char ***changes;
    GVariant *
        tables; /* a dictionary of lists: its plots, claims and files of measurements (study_table) */
    /* how many samples of the estimated parameters to run, for bands around curves and for verdicts; 0: none */
    size_t band_samples;
    bool asks_machine; /* the file has a function that makes the machines, */
    bool asks_where;   /* and one that drops points */
    bool concludes;    /* it has conclude, a function of all results */
    bool is_long;      /* takes minutes; left out of quick runs of all studies */
    struct script_state *state;
};

/* One simulated point: the axis values in study order, then its measures. */
struct measure {
    char *name; /* "latency" */
    struct value value;
};
struct row {
    size_t *axis_index; /* the number of the value on each axis */
    struct measure *measures;
    size_t measure_count;
    char *failure; /* why the point failed, which then has no measures; else NULL */

    /* Parameters of the machine that the user set (provenance.is_set), as paths separated by commas: those that some workload of
     * the point could read, and those that none could. NULL: none. In a variant that changes nothing: all parameters. */
    char *read, *unread;
    /* Only if the point ran in this process: parameters that its workloads could read, split into the program's defaults and
     * given values; interned paths separated by commas. */
    const char *read_defaults, *read_given;
    /* of the last workload that the point called; NULL: none, or not run in this process */
    struct design *design;
    char *stats; /* lines of workload_observe if study_set_stats asked for them; else NULL */
    /* Only if the point ran in this process: the peak memory of its process; the workload that simulated many steps without a
     * tolerance (interned; NULL: none), and the share of its time that a tolerance might save. */
    uint64_t memory_bytes;
    const char *patient;
    double saving;
};
void row_free(struct row *row);

/* Turns the row into that of a failed point; takes over `failure`. */
void row_fail(struct row *row, char *failure);

/* Frees everything but the Lua state; study_free (script/script.h) frees that, too. */
void study_clear(struct study *study);

/* One of its tables: "plots", dictionaries that describe the figures, "claims", ids of the claims that the study answers
 * (study_evaluate_claim), or "measured", dictionaries of its files of measurements, as views/tables make them. The caller
 * unrefs it. */
GVariant *study_table(const struct study *study, const char *name);

/* The axis with that name, or NULL. */
const struct axis *study_axis(const struct study *study, const char *name);

/* The number of the value of axis `axis` in point `n`. Points are the combinations of the groups' steps, the last group varying
 * fastest, without the points that `where` drops. */
size_t study_axis_index(const struct study *study, size_t n, size_t axis);

/* The point's values by column, names sorted: {"bytes":"8","design":"dgpu"}; a variant's overrides follow as "set". The text
 * does not depend on how a study orders its axes or writes its values. The caller frees it with g_free. */
char *study_point_json(const struct study *study, size_t n);

/* The seed of point `n`. It depends only on the trial: so points that are compared draw the same random numbers, and adding
 * points to a study leaves the other seeds unchanged. */
uint64_t study_point_seed(const struct study *study, size_t n, uint64_t master_seed);

/* A new row for point `n`, without measures. */
struct row *study_new_row(const struct study *study, size_t n);

/* One call of a workload, with everything that decides its result. */
struct workload_call {
    const char *workload;  /* its name */
    const char *machine;   /* machine_json */
    const char *arguments; /* all arguments of the workload, as JSON */
    uint64_t seed;
};

/* A memory of workloads' results, so that none is simulated twice. It is called while a point runs. */
struct workload_memory {
    /* True, with `result` filled, if the call's result is known. */
    bool (*recall)(void *context, const struct workload_call *call, struct workload_result *result);
    void (*keep)(void *context, const struct workload_call *call,
                 const struct workload_result *result);
    bool is_all; /* a call with an unknown result fails instead of being simulated */
    void *context;
};
