/* SPDX-License-Identifier: BSD-3-Clause */
/* Options and steps that the commands which run points share. */
#include "cli/run_options.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/error.h"
#include "core/units.h"
#include "study/run/workers.h"
#include "study/table/export.h"
#include "study/table/output.h"

#define MOST_WORKERS 1024
#define MOST_SHARDS 1000000
#define PICOSECONDS_PER_US 1000000
#define LEAST_MEMORY (INT64_C(256) << 20) /* a program with its libraries has to fit */

GArray *run_options_new_entries(void)
{
    return g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
}

void run_options_add_entry(GArray *entries, GOptionEntry entry)
{
    g_array_append_val(entries, entry);
}

void run_options_add(struct run_options *options, GArray *entries)
{
    const GOptionEntry common[] = {
        {"workers", 'j', 0, G_OPTION_ARG_INT, &options->workers,
         "Points run at a time (default: one per core)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &options->seed, "Master seed (default: 1)", "N"},
        {"progress", 0, 0, G_OPTION_ARG_STRING, &options->progress,
         "auto (a bar on a terminal), plain, json or none", "MODE"},
        {"best", 0, 0, G_OPTION_ARG_STRING, &options->best,
         "Show the smallest value of this measure so far", "COLUMN"},
        {"store", 0, 0, G_OPTION_ARG_FILENAME, &options->store,
         "Keep results here; points that it already has are not run again", "FILE.db"},
        {"redo", 0, 0, G_OPTION_ARG_STRING, &options->redo,
         "Run failed points of the store again, or all", "failed|all"},
        {"time-limit", 0, 0, G_OPTION_ARG_STRING, &options->time_limit,
         "A point that takes longer has failed", "TIME"},
        {"memory-limit", 0, 0, G_OPTION_ARG_STRING, &options->memory_limit,
         "A point that needs more address space has failed", "BYTES"},
        {"no-plot", 0, 0, G_OPTION_ARG_NONE, &options->no_plot, "Draw no figures", NULL},
        {"out", 0, 0, G_OPTION_ARG_FILENAME, &options->out, "Folder for the outputs", "DIR"},
        RUN_OPTIONS_FORCE(&options->force),
    };
    g_array_append_vals(entries, common, G_N_ELEMENTS(common));
}

/* --- checking ----------------------------------------------------------------------------------
 */

static bool resolve_redo(const struct run_options *options, struct runner_options *resolved,
                         GError **error)
{
    resolved->redo = REDO_NONE;
    if (!options->redo)
        return true;
    if (!options->store)
        return error_set(error, "--redo needs --store");
    if (strcmp(options->redo, "failed") == 0)
        resolved->redo = REDO_FAILED;
    else if (strcmp(options->redo, "all") == 0)
        resolved->redo = REDO_ALL;
    else
        return error_set(error, "--redo %s: accepted are failed and all", options->redo);
    return true;
}

/* "3/16" is the third of sixteen. */
static bool resolve_shard(const char *text, struct runner_options *resolved, GError **error)
{
    if (!text)
        return true;
    guint64 shard = 0, shards = 0;
    g_auto(GStrv) parts = g_strsplit(text, "/", 3);
    if (g_strv_length(parts) != 2 ||
        !g_ascii_string_to_unsigned(parts[1], 10, 1, MOST_SHARDS, &shards, NULL) ||
        !g_ascii_string_to_unsigned(parts[0], 10, 1, shards, &shard, NULL))
        return error_set(error,
                         "--shard %s: write I/N, such as 3/16, with I from 1 to N and N up"
                         " to %d",
                         text, MOST_SHARDS);
    resolved->shard = shard - 1;
    resolved->shards = shards;
    return true;
}

/* A limit above zero, in base units; 0 if it is not given. */
static bool resolve_limit(const char *option, const char *text, enum unit_kind unit, int64_t least,
                          int64_t *limit, GError **error)
{
    *limit = 0;
    if (!text)
        return true;
    if (!unit_parse(text, unit, limit, error)) {
        g_prefix_error(error, "%s %s: ", option, text);
        return false;
    }
    char smallest[UNIT_TEXT_SIZE];
    return *limit >= least || error_set(error, "%s %s: the least is %s", option, text,
                                        unit_format(least, unit, smallest));
}

static bool resolve_limits(const struct run_options *options, struct runner_options *resolved,
                           GError **error)
{
    int64_t time_ps, memory_bytes;
    if (!resolve_limit("--time-limit", options->time_limit, UNIT_TIME, PICOSECONDS_PER_US, &time_ps,
                       error) ||
        !resolve_limit("--memory-limit", options->memory_limit, UNIT_BYTES, LEAST_MEMORY,
                       &memory_bytes, error))
        return false;
    resolved->time_limit_us = time_ps / PICOSECONDS_PER_US;
    resolved->memory_limit_bytes = (guint64)memory_bytes;
    return true;
}

bool run_options_resolve_workers(int given, unsigned *workers, GError **error)
{
    bool is_given = given != WORKERS_NOT_GIVEN;
    if (is_given && (given < 1 || given > MOST_WORKERS))
        return error_set(error, "-j %d: the number of workers is 1 to %d", given, MOST_WORKERS);
    *workers = is_given ? (unsigned)given : workers_default();
    return true;
}

static bool resolve_numbers(const struct run_options *options, struct runner_options *resolved,
                            GError **error)
{
    const char *wanted = g_getenv("GPUNETSIM_PROGRESS");
    const char *progress = options->progress ? options->progress : wanted ? wanted : "auto";
    if (!run_options_resolve_workers(options->workers, &resolved->workers, error))
        return false;
    if (options->seed < 0 && options->seed != SEED_NOT_GIVEN)
        return error_set(error, "--seed %" G_GINT64_FORMAT ": a seed is 0 or more", options->seed);
    if (!progress_parse(progress, &resolved->progress))
        return error_set(error, "--progress %s: accepted are auto, plain, json, none", progress);
    resolved->seed = options->seed == SEED_NOT_GIVEN ? 1 : (uint64_t)options->seed;
    resolved->best = options->best;
    return true;
}

bool run_options_resolve(const struct run_options *options, struct runner_options *resolved,
                         GError **error)
{
    *resolved = (struct runner_options){.seed = 0};
    if (!resolve_numbers(options, resolved, error) || !resolve_redo(options, resolved, error) ||
        !resolve_shard(options->shard, resolved, error) ||
        !resolve_limits(options, resolved, error))
        return false;
    if (!options->store)
        return true;
    resolved->store =
        store_open(options->store, options->only_reads ? STORE_READ : STORE_WRITE, error);
    resolved->remembers = resolved->store != NULL;
    return resolved->remembers;
}

void run_options_close(struct runner_options *resolved)
{
    g_clear_pointer(&resolved->store, store_close);
}

void run_options_clear(struct run_options *options)
{
    char *texts[] = {options->progress, options->best,       options->store,        options->redo,
                     options->shard,    options->time_limit, options->memory_limit, options->out};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
}

/* --- what they all do --------------------------------------------------------------------------
 */

char *run_options_folder(const char *parent, const struct study *study, GError **error)
{
    const char *name = study->name;
    if (*name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        return g_build_filename(parent, name, NULL);
    error_set(error, "%s: \"%s\" is no name for a folder of results; --out names one", study->path,
              name);
    return NULL;
}

static char *results_path(const char *folder)
{
    return g_build_filename(folder, "results.csv", NULL);
}

bool run_options_prepare_folder(const struct study *study, const char *folder, bool has_results,
                                bool has_figures, const struct output_rules *rules, GError **error)
{
    g_autofree char *results = results_path(folder);
    return output_prepare_folder(folder, error) &&
           (!has_results || output_prepare_file(results, rules, error)) &&
           (!has_figures || experiment_prepare_figures(study, folder, rules, error));
}

bool run_options_draw(struct experiment *experiment, const char *folder,
                      const struct output_rules *rules, GError **error)
{
    if (experiment->failed == experiment->row_count)
        return true;
    return experiment_draw(experiment, error) &&
           experiment_save_figures(experiment, folder, rules, error);
}

bool run_options_write_results(const struct experiment *experiment, const char *folder,
                               const struct output_rules *rules, GError **error)
{
    g_autofree char *path = results_path(folder);
    g_autofree char *csv = export_csv(experiment->table);
    return output_write(path, csv, strlen(csv), rules, error);
}
