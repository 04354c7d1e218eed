/* SPDX-License-Identifier: BSD-3-Clause */
/* Options and steps that the commands which run points share. */
#include "script/commands/run_options.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/units.h"
#include "script/views/export.h"
#include "study/run/workers.h"
#include "study/table/output.h"

#define MOST_WORKERS 1024
#define MOST_SHARDS 1000000
#define PICOSECONDS_PER_US 1000000
#define LEAST_MEMORY (INT64_C(256) << 20) /* a program with its libraries has to fit */

/* The common options; where their values go is an offset in struct run_options. */
static const struct {
    GOptionEntry entry;
    size_t offset;
} options_table[] = {
#define OPTION(name, short_name, kind, field, description, argument)                               \
    {                                                                                              \
        {name, short_name, 0, G_OPTION_ARG_##kind, NULL, description, argument},                   \
            offsetof(struct run_options, field)                                                    \
    }
    OPTION("point", 0, STRING_ARRAY, points,
           "The points with these values of axes; may be given again", "AXIS=VALUE,..."),
    OPTION("measure", 0, STRING, measure,
           "The measure to examine (default: latency or time, otherwise the first)", "NAME"),
    OPTION("set", 's', STRING_ARRAY, overrides, "Change a parameter of the machine",
           "COMPONENT.PARAMETER=VALUE"),
    OPTION("workers", 'j', INT, workers, "Points run at a time (default: one per core)", "N"),
    OPTION("seed", 0, INT64, seed, "Master seed (default: 1)", "N"),
    OPTION("progress", 0, STRING, progress,
           "auto (a bar on a terminal, else a line every 30 s), plain, json or none", "MODE"),
    OPTION("best", 0, STRING, best, "Show the smallest value of this measure so far", "COLUMN"),
    OPTION("store", 0, FILENAME, store,
           "Keep results here; points that it already has are not run again", "FILE.db"),
    OPTION("redo", 0, STRING, redo, "Run failed points of the store again, or all", "failed|all"),
    OPTION("time-limit", 0, STRING, time_limit, "A point that takes longer has failed", "TIME"),
    OPTION("memory-limit", 0, STRING, memory_limit,
           "A point that needs more address space has failed", "BYTES"),
    OPTION(
        "dry-run", 'n', NONE, dry_run,
        "Write nothing: only say how many points there are, how many the store has, and, from a few points, how much time and "
        "memory the others take",
        NULL),
    OPTION("no-plot", 0, NONE, no_plot, "Draw no figures", NULL),
    OPTION("out", 0, FILENAME, out, "Folder for the outputs", "DIR"),
    OPTION("force", 0, NONE, force,
           "Replace files that gpunetsim did not write, or not for this study", NULL),
    OPTION("json", 0, NONE, as_json, "Print JSON instead of text", NULL),
#undef OPTION
};

GOptionEntry run_options_entry(struct run_options *options, const char *name)
{
    size_t i = 0;
    while (strcmp(options_table[i].entry.long_name, name) != 0)
        i++;
    GOptionEntry entry = options_table[i].entry;
    entry.arg_data = (char *)options + options_table[i].offset;
    return entry;
}

bool run_options_check_seed(const struct run_options *options, GError **error)
{
    return options->seed >= 0 || options->seed == SEED_NOT_GIVEN ||
           error_set(error, "--seed %" G_GINT64_FORMAT ": a seed is 0 or more", options->seed);
}

uint64_t run_options_seed(const struct run_options *options)
{
    return options->seed == SEED_NOT_GIVEN ? 1 : (uint64_t)options->seed;
}

GOptionEntry *run_options_entries(struct run_options *options, const char *names,
                                  const GOptionEntry *own)
{
    GArray *entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
    g_auto(GStrv) list = g_strsplit(names, " ", -1);
    for (; own && own->long_name; own++)
        g_array_append_val(entries, *own);
    for (char **name = list; *name; name++) {
        GOptionEntry entry = run_options_entry(options, *name);
        g_array_append_val(entries, entry);
    }
    return (GOptionEntry *)(void *)g_array_free(entries, FALSE);
}

/* --- checking --------------------------------------------------------------------------------- */

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
    const char *progress = options->progress ? options->progress : "auto";
    if (!run_options_resolve_workers(options->workers, &resolved->workers, error) ||
        !run_options_check_seed(options, error))
        return false;
    if (!progress_parse(progress, &resolved->progress))
        return error_set(error, "--progress %s: accepted are auto, plain, json, none", progress);
    resolved->seed = run_options_seed(options);
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
    bool is_to_come =
        options->dry_run && options->store && !g_file_test(options->store, G_FILE_TEST_EXISTS);
    if (!options->store || is_to_come)
        return true;
    bool only_reads = options->only_reads || options->dry_run;
    resolved->store = store_open(options->store, only_reads ? STORE_READ : STORE_WRITE, error);
    resolved->remembers = resolved->store != NULL;
    return resolved->remembers;
}

void run_options_close(struct runner_options *resolved)
{
    g_clear_pointer(&resolved->store, store_close);
}

/* --- what they all do ------------------------------------------------------------------------- */

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
    g_autofree char *csv = export_text(experiment->table, "csv");
    return output_write(path, csv, strlen(csv), rules, error);
}
