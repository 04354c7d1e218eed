/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that all commands which run points have. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/experiment.h"

/* As given on the command line; see run_options_entries. */
struct run_options {
    char **points, **overrides, **outputs, *measure;
    int workers; /* or WORKERS_NOT_GIVEN */
    gint64 seed;
    char *progress, *best;
    char *store, *redo, *shard;
    bool only_reads; /* the store, which has to be there */
    char *time_limit, *memory_limit;
    gboolean no_plot, force, as_json, dry_run;
    char *out;
};

#define WORKERS_NOT_GIVEN G_MININT
#define SEED_NOT_GIVEN G_MININT64 /* it is 1 then, or what resolved.json says */

#define RUN_OPTIONS_DEFAULT                                                                        \
    {                                                                                              \
        .workers = WORKERS_NOT_GIVEN, .seed = SEED_NOT_GIVEN                                       \
    }

/* Names of those that commands have which run all points of studies. */
#define RUN_OPTIONS_OF_POINTS                                                                      \
    "dry-run workers seed progress best store redo time-limit memory-limit no-plot out force"

/* The common option of that name, whose value goes into `options`. */
GOptionEntry run_options_entry(struct run_options *options, const char *name);

/* What command_parse takes for a command that has the common options of these names ("workers seed"), after its own ones (NULL:
 * none). The caller frees it with g_free. */
GOptionEntry *run_options_entries(struct run_options *options, const char *names,
                                  const GOptionEntry *own);

/* Checks them and turns them into what an experiment needs; opens the store, which
 * run_options_close closes. False and one sentence if they are bad. */
bool run_options_resolve(const struct run_options *options, struct runner_options *resolved,
                         GError **error);
/* The number of workers: as given, or one a core. False and one sentence if it is out of range. */
bool run_options_resolve_workers(int given, unsigned *workers, GError **error);
/* Whether the seed is 0 or more, or not given. False and one sentence. run_options_seed: it, or the default. */
bool run_options_check_seed(const struct run_options *options, GError **error);
uint64_t run_options_seed(const struct run_options *options);
void run_options_close(struct runner_options *resolved);

/* A study's own folder in `parent`: of its name. NULL and one sentence for a name that is none of a
 * folder; the caller frees it with g_free. */
char *run_options_folder(const char *parent, const struct study *study, GError **error);

/* Makes `folder` and checks that the figures and, if `has_results`, results.csv may be written into it. */
bool run_options_prepare_folder(const struct study *study, const char *folder, bool has_results,
                                bool has_figures, const struct output_rules *rules, GError **error);

/* Draws the figures and writes them into `folder`, unless no point has a result. */
bool run_options_draw(struct experiment *experiment, const char *folder,
                      const struct output_rules *rules, GError **error);

/* Writes all results into `folder`/results.csv. */
bool run_options_write_results(const struct experiment *experiment, const char *folder,
                               const struct output_rules *rules, GError **error);
