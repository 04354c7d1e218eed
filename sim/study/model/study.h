/* SPDX-License-Identifier: BSD-3-Clause */
/* A study as it is when it has been read: axes, points, figures, claims; rows of results, and what workloads
 * are asked and remembered by. Lua fills it (script/script.h) and calls what stays in Lua (script/study/point.h). */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "study/model/machine.h"
#include "study/model/value.h"
#include "workloads/interface/workload.h"

/* A dictionary of fields, such as a figure's (views/tables/plots.lua). One of its texts, which lives as long as it does; NULL: it has
 * none of that name. */
const char *fields_text(GVariant *plot, const char *field);

/* Gives it one more text. */
void fields_set_text(GVariant **plot, const char *field, const char *text);

/* An axis has the distinct values that it takes. Axes of one group advance together, a step at a
 * time; `steps` says which of its values the axis has at each. */
struct axis {
    char *name;
    struct value *values;
    size_t count;
    size_t group; /* groups are numbered from 0, in the order of the axes */
    uint32_t *steps;
    size_t step_count;
};

/* A file that a study was read from. */
struct study_file {
    char *path;  /* as shown in messages */
    char *names; /* by which it is required, separated by spaces; "" of the main one */
    char *text;
};
void study_file_free(gpointer file);

/* A loaded study; the Lua state lives in it. */
struct study {
    char *path; /* as given */
    char *name; /* scenario name: the file's name without .lua */
    char *title;
    char *digest;      /* SHA-256 over the text of all its files, the overrides and
                          the named designs */
    struct axis *axes; /* those of the list part of `vary` as written, then the others by name, then
                          "trial" if there are trials */
    size_t axis_count;
    uint32_t *points; /* for each point, the number of its value on each axis */
    size_t point_count;
    char ***
        changes; /* of variants (study/vary/variants.h), whose they are: further overrides of each point,
                        NULL-ended. NULL: the points are the study's own */
    GVariant **plots; /* dictionaries: how figures are to be drawn */
    size_t plot_count;
    size_t band_samples; /* of what is estimated, for bands around curves and verdicts; 0: none */
    bool is_long;        /* takes minutes: not for a quick look at everything */
    char **claims;       /* ids of those that it answers (study_evaluate_claim) */
    size_t claim_count;
    struct measured *measured; /* files of measurements (measured.h) */
    size_t measured_count;
    struct script_state *state;
};

/* One simulated point: the axis values in study order, then its measures. */
struct measure {
    char *name; /* "latency" */
    struct value value;
};
struct row {
    size_t *axis_index; /* for each axis the number of its value */
    struct measure *measures;
    size_t measure_count;
    char *failure; /* NULL, or why the point failed; no measures then */

    /* Parameters of the machine that the user set (provenance.is_set), paths separated by commas: those that the
     * point's workloads could read, and those that none of them could. NULL: none. Of a variant that changes nothing:
     * all of the machine's. */
    char *read, *unread;
    /* Of a point that was run here: parameters that its workloads could read, those that are defaults of the program and
     * those that somebody gave; interned, paths separated by commas. */
    const char *read_defaults, *read_given;
    struct design
        *design; /* of the workload that it called last; NULL: none, or it was not run here */
    char *stats; /* if study_set_stats asks for them: lines of workload_observe; else NULL */
    /* Of a point that was run here: the most memory that its process has held; the workload that simulated many steps without a
     * tolerance (interned; NULL: none did), and the share of its time that a tolerance may save. */
    uint64_t memory_bytes;
    const char *patient;
    double saving;
};
void row_free(struct row *row);

/* Makes it the row of a failed point; takes over `failure`. */
void row_fail(struct row *row, char *failure);

/* Frees all but the Lua state; study_free (script/script.h) frees both. */
void study_clear(struct study *study);

/* The axis of that name, or NULL. */
const struct axis *study_axis(const struct study *study, const char *name);

/* The number of axis `axis`'s value in point `n`. Points are the combinations of the groups' steps,
 * the last group running fastest, without those that `where` drops. */
size_t study_axis_index(const struct study *study, size_t n, size_t axis);

/* The point's values by column, names sorted: {"bytes":"8","design":"dgpu"}; a variant's overrides follow as "set". However
 * a study orders its axes and writes its values, it is the same text. The caller frees it with g_free. */
char *study_point_json(const struct study *study, size_t n);

/* The seed of point `n`. It depends on the trial alone: points that are to be compared draw the
 * same random numbers, and a study that adds points leaves the seeds of the others as they are. */
uint64_t study_point_seed(const struct study *study, size_t n, uint64_t master_seed);

/* A row for point `n`, still without measures. */
struct row *study_new_row(const struct study *study, size_t n);

/* One call of a workload, with everything that decides its result. */
struct workload_call {
    const char *workload;  /* its name */
    const char *machine;   /* machine_json */
    const char *arguments; /* of the workload, all of them, as JSON */
    uint64_t seed;
};

/* Who remembers results of workloads, so that none is simulated twice. Called while a point runs.
 */
struct workload_memory {
    /* True, with `result` filled, if the call's result is known. */
    bool (*recall)(void *context, const struct workload_call *call, struct workload_result *result);
    void (*keep)(void *context, const struct workload_call *call,
                 const struct workload_result *result);
    bool is_all; /* what it does not know is not simulated: the call fails */
    void *context;
};
