/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a loaded study that are Lua: the machine, the run and the claims of its points. */
#pragma once

#include "study/model/machine.h"
#include "study/model/study.h"

/* The machine of point `n` (studies may vary it). The caller frees it with machine_free. */
struct machine *study_machine(struct study *study, size_t n, GError **error);

/* Whether all points have the same machine: the study gives one, not a function. */
bool study_has_one_machine(const struct study *study);

/* Remembers the values that the study's functions can reach, before any point is run. */
void study_mark(struct study *study);

/* About the point that was run last. study_is_near_limit: whether it used so many instructions that a limit is near.
 * study_left_nothing: whether it changed no value that the study's functions can reach, so that another point in this process
 * sees no difference. The first is to be called before the second. */
bool study_is_near_limit(const struct study *study);
bool study_left_nothing(struct study *study);

/* Runs point `n` in this process, on its machine (study_machine), and returns its row; a point that
 * fails is a row with `failure`. */
struct row *study_run_point(struct study *study, size_t n, const struct machine *machine,
                            uint64_t master_seed);

/* The result of rehearsing a point. */
struct rehearsal {
    struct row *row;      /* the point's row if it ended without results; else NULL */
    int64_t instructions; /* the instructions used are added to it */
    bool is_long;         /* the sum exceeds the limit of one call of a script */
    bool is_guess;        /* the point went on with unknown values where results are needed */
    /* Parameters that the user set, as in a row: those that a run of the point may read, and those that none can. The caller
     * frees both. */
    char *read, *unread;
};

/* Runs point `n` on its machine as far as that is possible without simulation: workloads check their arguments, results are
 * unknown values (script/sandbox/unknown.h), and where one has to be known the rehearsal ends. False and an error if a fault is
 * found. */
bool study_rehearse_point(struct study *study, size_t n, const struct machine *machine,
                          struct rehearsal *rehearsal, GError **error);

/* The calls of workloads that such a rehearsal reaches: for each call a line of its name, a tab and its arguments as JSON. The
 * caller frees it with g_free. */
char *study_rehearsed_calls(struct study *study, size_t n, const struct machine *machine);

/* If `are_wanted`, rows get the statistics of their simulations from now on, and results of workloads are not remembered. */
void study_set_stats(struct study *study, bool are_wanted);

/* Sets the memory of results of workloads; NULL: none. It has to live as long as points are run. */
void study_set_memory(struct study *study, const struct workload_memory *memory);

/* Calls the scenario's function for the claim: a dictionary as views/tables/claims.lua makes it, which the caller frees with
 * g_variant_unref. NULL and an error if that fails. */
GVariant *study_evaluate_claim(struct study *study, const char *claim, struct row *const *rows,
                               size_t row_count, GError **error);

/* The tables that the study's function `conclude` makes from all rows, as one text (views/conclusion.lua) that the caller frees
 * with g_free. NULL if the study has no such function; NULL and an error if the function fails. */
char *study_conclude(struct study *study, struct row *const *rows, size_t row_count,
                     GError **error);

/* The published values of plot number `plot`, which may depend on the results: a list as views/tables/plots.lua makes it, which the
 * caller frees with g_variant_unref. NULL and an error if the study's function for it fails. */
GVariant *study_plot_marks(struct study *study, size_t plot, struct row *const *rows,
                           size_t row_count, GError **error);
