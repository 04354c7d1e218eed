/* SPDX-License-Identifier: BSD-3-Clause */
/* What a loaded study has in Lua: the machine, the run and the claims of its points. */
#pragma once

#include "study/model/machine.h"
#include "study/model/study.h"

/* The machine of point `n` (studies may vary it). The caller frees it with machine_free. */
struct machine *study_machine(struct study *study, size_t n, GError **error);

/* Whether all points have the same machine: the study gives one, not a function. */
bool study_has_one_machine(struct study *study);

/* Remembers what the study's functions can reach, before any point is run. */
void study_mark(struct study *study);

/* Of the point that was run last: whether it took so many instructions that a limit is near; and whether it left nothing
 * in what the study's functions can reach for another point in this process to see. The
 * first is to be asked before the second. */
bool study_is_near_limit(const struct study *study);
bool study_left_nothing(struct study *study);

/* Runs point `n` in this process, on its machine (study_machine), and returns its row; a point that
 * fails is a row with `failure`. */
struct row *study_run_point(struct study *study, size_t n, const struct machine *machine,
                            uint64_t master_seed);

/* The result of rehearsing a point. */
struct rehearsal {
    struct row *row;      /* if the point came to its end without results; else NULL */
    int64_t instructions; /* what it took is added */
    bool is_long;         /* that is more than one call of a script may take */
    bool is_guess;        /* it went on with unknown values where results are needed */
    char *read,
        *unread; /* parameters that the user set, as in a row: those that a run of the point may read, and those that none can;
                             the caller's */
};

/* Runs point `n` on its machine as far as that goes without simulating: workloads check their
 * arguments, results are unknown values (script/sandbox/unknown.h), and where one has to be known the point is left.
 * False and an error if that shows a fault. */
bool study_rehearse_point(struct study *study, size_t n, const struct machine *machine,
                          struct rehearsal *rehearsal, GError **error);

/* The calls of workloads that such a rehearsal comes to: of each a line of its name, a tab and JSON of its arguments. The caller
 * frees it with g_free. */
char *study_rehearsed_calls(struct study *study, size_t n, const struct machine *machine);

/* From now on rows get the statistics of their simulations; nothing is remembered of workloads then. */
void study_set_stats(struct study *study, bool are_wanted);

/* NULL: nobody. The memory has to last as long as points are run. */
void study_set_memory(struct study *study, const struct workload_memory *memory);

/* Calls the scenario's function for the claim: a dictionary as views/tables/claims.lua makes it, which the caller frees with
 * g_variant_unref. NULL and an error if that fails. */
GVariant *study_evaluate_claim(struct study *study, const char *claim, struct row *const *rows,
                               size_t row_count, GError **error);

/* What the study's function `conclude` makes of all rows: tables as one text (views/conclusion.lua), which the caller frees with
 * g_free. NULL: it has none; and, with an error, the function fails. */
char *study_conclude(struct study *study, struct row *const *rows, size_t row_count,
                     GError **error);

/* The published values of plot number `plot`, which may depend on the results: a list as views/tables/plots.lua makes it, which the
 * caller frees with g_variant_unref. NULL and an error if the study's function for it fails. */
GVariant *study_plot_marks(struct study *study, size_t plot, struct row *const *rows,
                           size_t row_count, GError **error);
