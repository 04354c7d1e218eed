/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim run FILE.lua, and gpunetsim sweep FILE.lua, which is run --only-store. */
#include <stdio.h>
#include <string.h>

#include "cli/run.h"
#include "core/error.h"
#include "core/home.h"
#include "core/shown.h"
#include "script/commands/dry_run.h"
#include "script/commands/outputs.h"
#include "script/commands/run_options.h"
#include "script/machine/override.h"
#include "script/script.h"
#include "script/views/export.h"
#include "script/views/settings.h"
#include "script/views/terminal.h"
#include "script/views/views.h"
#include "study/rehearsal.h"
#include "study/resolved.h"
#include "study/results_text.h"
#include "study/statistics.h"
#include "study/system/interrupt.h"
#include "study/table/output.h"

/* So many failures of one reason at the beginning are no accident. */
#define DOUBTFUL_POINTS 20

struct run_request {
    struct run_options common;
    gboolean only_store; /* results are kept there for a later look, not shown and drawn */
    bool is_helper;
    runner_dispatch *dispatch; /* who runs points; NULL: worker processes of this machine */
    void *dispatch_context;
    char *stats;      /* file of the statistics; NULL: none is asked for */
    gboolean is_wide; /* lines of any length */
    char *columns;    /* names separated by commas, to be shown; NULL: those that are plotted */
    char **column_list;
    gboolean names_defaults, keeps_going;
    char *folder;             /* NULL: nothing goes into one */
    struct resolved resolved; /* of a resolved.json that is run again */
    const char *file;         /* that was named: a study or a resolved.json */
    char **inputs;            /* files that are read */
    GPtrArray *planned;       /* and written (struct output_rules) */
    bool was_interrupted;
    struct output_rules files, own; /* of -o, and of the folder */
};

static void request_clear(struct run_request *request)
{
    g_strfreev(request->column_list);
    resolved_clear(&request->resolved);
    g_free(request->folder);
    g_strfreev(request->inputs);
    if (request->planned)
        g_ptr_array_unref(request->planned);
}

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct run_request *request, GError **error)
{
    const GOptionEntry own[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &request->common.outputs,
         "Write the results to FILE (- is standard output)", OUTPUTS_FORMS},
        {"keep-going", 0, 0, G_OPTION_ARG_NONE, &request->keeps_going,
         "Run all points, even if the first 20 have all failed for one reason", NULL},
        {"stats", 0, 0, G_OPTION_ARG_FILENAME, &request->stats,
         "Write every statistic of every point to FILE; all points are then simulated, even if a "
         "store has them",
         "FILE.csv|FILE.json"},
        {"only-store", 0, 0, G_OPTION_ARG_NONE, &request->only_store,
         "Only keep the results in the store: print a summary, write and draw nothing that is not "
         "asked for",
         NULL},
        {"shard", 0, 0, G_OPTION_ARG_STRING, &request->common.shard,
         "Run the I-th of N shares of the points; implies --only-store", "I/N"},
        {"defaults", 0, 0, G_OPTION_ARG_NONE, &request->names_defaults,
         "Name the machine values that the run reads and that are defaults", NULL},
        {"columns", 0, 0, G_OPTION_ARG_STRING, &request->columns,
         "Print these measures beside the axes instead of what is plotted", "NAME,...|all"},
        {"wide", 0, 0, G_OPTION_ARG_NONE, &request->is_wide,
         "Print lines as long as they need to be, and all measures if --columns names none", NULL},
        {0},
    };
    g_autofree GOptionEntry *entries =
        run_options_entries(&request->common, "set " RUN_OPTIONS_OF_POINTS, own);
    if (!command_parse(command, argc, argv, entries, 1, 1, error))
        return false;
    if (request->stats && !g_str_has_suffix(request->stats, ".csv") &&
        !g_str_has_suffix(request->stats, ".json"))
        return error_set(error, "--stats %s: the name ends in .csv or .json", request->stats);
    request->only_store = request->only_store || request->common.shard;
    if (request->only_store && !request->common.store)
        return error_set(error, "sweep, --only-store and --shard need --store FILE.db");
    if (request->only_store && (request->columns || request->is_wide || request->names_defaults))
        return error_set(
            error, "--columns, --wide and --defaults say what is printed; with only a store that "
                   "is a summary");
    if (request->columns && outputs_use_stdout(request->common.outputs))
        return error_set(error,
                         "--columns says what is printed; with an output to - that is nothing");
    const char *columns = request->is_wide && !request->columns ? "all" : request->columns;
    request->column_list = columns ? g_strsplit(columns, ",", -1) : NULL;
    return true;
}

/* --- what is written ---------------------------------------------------------------------------
 */

/* The study and its store are read: they are never outputs. */
static void set_rules(struct run_request *request, const struct study *study)
{
    request->inputs = outputs_inputs(study, request->file, request->common.store);
    request->planned = g_ptr_array_new_with_free_func(g_free);
    request->files = (struct output_rules){.force = request->common.force,
                                           .inputs = (const char *const *)request->inputs,
                                           .planned = request->planned};
    request->own = request->files;
    request->own.owner = study->path;
}

static char *resolved_path(const struct run_request *request)
{
    return g_build_filename(request->folder, "resolved.json", NULL);
}

/* That of a run which is made again stays as it is. */
static bool writes_resolved(const struct run_request *request)
{
    g_autofree char *path = request->folder ? resolved_path(request) : NULL;
    return path && !output_is_same_file(path, request->file);
}

static bool prepare_resolved(const struct run_request *request, GError **error)
{
    g_autofree char *path = writes_resolved(request) ? resolved_path(request) : NULL;
    return !path || output_prepare_file(path, &request->own, error);
}

static bool write_resolved(const struct run_request *request, const struct experiment *experiment,
                           uint64_t seed, GError **error)
{
    g_autofree char *path = writes_resolved(request) ? resolved_path(request) : NULL;
    if (!path)
        return true;
    char **overrides =
        request->resolved.study ? request->resolved.overrides : request->common.overrides;
    g_autofree char *text = resolved_json(experiment->study, (const char *const *)overrides, seed);
    return output_write(path, text, strlen(text), &request->own, error);
}

/* "out/s/results-partial.csv" for "out/s/results.csv". */
static char *partial_path(const char *path)
{
    g_autofree char *stem = g_str_has_suffix(path, ".csv")
                                ? g_strndup(path, strlen(path) - strlen(".csv"))
                                : g_strdup(path);
    return g_strconcat(stem, "-partial.csv", NULL);
}

/* Where the CSV goes: the first that is asked for, or the folder's; NULL: nowhere, or to standard output. */
static char *csv_path(const struct run_request *request)
{
    for (char **output = request->common.outputs; output && *output; output++)
        if (g_str_has_prefix(*output, "csv:") && strcmp(*output, "csv:-") != 0)
            return g_strdup(*output + strlen("csv:"));
    return request->common.outputs || !request->folder
               ? NULL
               : g_build_filename(request->folder, "results.csv", NULL);
}

/* What an interrupted run leaves must not stand where another output does. */
static bool prepare_partial(const struct run_request *request, GError **error)
{
    g_autofree char *whole = csv_path(request), *path = whole ? partial_path(whole) : NULL;
    return !path || output_is_device(whole) ||
           output_prepare_file(path, request->common.outputs ? &request->files : &request->own,
                               error);
}

/* A run writes into a folder, unless it is told where else to; one that only keeps results, if it is told to. */
static bool prepare_outputs(struct run_request *request, const struct study *study, GError **error)
{
    const struct run_options *common = &request->common;
    bool needs_folder =
        request->only_store ? common->out != NULL : !request->common.outputs || !common->no_plot;
    set_rules(request, study);
    if (needs_folder)
        request->folder =
            common->out ? g_strdup(common->out) : run_options_folder("out", study, error);
    return (!needs_folder || request->folder) &&
           (!needs_folder || !common->out || output_prepare_folder(common->out, error)) &&
           outputs_prepare(request->common.outputs, study, &request->files, error) &&
           (!request->stats || output_prepare_file(request->stats, &request->files, error)) &&
           (!needs_folder ||
            run_options_prepare_folder(study, request->folder, !request->common.outputs,
                                       !common->no_plot, &request->own, error)) &&
           prepare_resolved(request, error) && prepare_partial(request, error);
}

static bool write_stats(const struct run_request *request, const struct experiment *experiment,
                        GError **error)
{
    struct table *table = statistics_table(experiment);
    bool is_json = g_str_has_suffix(request->stats, ".json");
    g_autofree char *text = export_text(table, is_json ? "json" : "csv");
    table_free(table);
    return output_write(request->stats, text, strlen(text), &request->files, error);
}

static bool write_all(const struct run_request *request, struct experiment *experiment,
                      uint64_t seed, GError **error)
{
    if (request->stats && !write_stats(request, experiment, error))
        return false;
    if (request->common.outputs &&
        !outputs_write(request->common.outputs, experiment, &request->files, error))
        return false;
    return (request->common.outputs || !request->folder ||
            run_options_write_results(experiment, request->folder, &request->own, error)) &&
           write_resolved(request, experiment, seed, error);
}

/* --- what is shown -----------------------------------------------------------------------------
 */

static bool print_claims(struct experiment *experiment, GError **error)
{
    g_autofree char *path = home_path("claims/claims.tsv", NULL);
    if (!path || experiment->study->claim_count == 0)
        return true;
    struct claims *claims = claims_open(path, NULL, NULL, error);
    bool good = claims && experiment_answer(experiment, claims, error);
    g_auto(GStrv) lines =
        good ? claims_texts_of(claims, "lines", experiment_claim_ids(experiment->study), error)
             : NULL;
    for (size_t i = 0; lines && lines[i]; i++)
        shown_print(stdout, "%s\n", lines[i]);
    claims_free(claims);
    return lines != NULL;
}

static bool print_conclusion(const struct experiment *experiment, GError **error)
{
    if (!experiment->conclusion)
        return true;
    g_auto(GStrv) texts =
        views_texts("conclusion", "shown", g_variant_new("(^ay)", experiment->conclusion), error);
    if (texts)
        shown_print(stdout, "%s", texts[0]);
    return texts != NULL;
}

/* The columns that are asked for are those of any point. */
static bool check_columns(const struct run_request *request, const struct table *table,
                          GError **error)
{
    for (char **name = request->column_list; name && *name; name++) {
        if (strcmp(*name, "all") != 0 && table_find(table, *name) < 0)
            return table_fail_column(table, "--columns", *name, false, error);
    }
    return true;
}

static bool show(const struct run_request *request, struct experiment *experiment, GError **error)
{
    if (experiment->failed < experiment->row_count &&
        !check_columns(request, experiment->table, error))
        return false;
    const struct results_view view = {request->is_wide ? SIZE_MAX : terminal_width(stdout),
                                      (const char *const *)request->column_list};
    g_autofree char *text = results_text(experiment, &view);
    g_autofree char *defaults =
        settings_defaults_text(experiment->rows, experiment->row_count, request->names_defaults);
    shown_print(stdout, "%s\n%s\n%s%s", experiment->study->title, text, experiment->measured,
                experiment->band);
    if (defaults) {
        GString *lines = g_string_new(NULL);
        terminal_wrap(lines, defaults, view.width);
        shown_print(stdout, "%s\n", lines->str);
        g_string_free(lines, TRUE);
    }
    return print_conclusion(experiment, error) && print_claims(experiment, error);
}

static void show_places(const struct run_request *request, const struct experiment *experiment)
{
    size_t plots = experiment->study->plot_count;
    if (!request->common.outputs)
        shown_print(stdout, "Results: %s/results.csv\n", request->folder);
    if (plots && experiment->figures[0] && request->folder)
        shown_print(stdout, "Figure%s: %s/figure%s.svg and .png\n", plots > 1 ? "s" : "",
                    request->folder, plots > 1 ? "-*" : "");
}

/* --- the commands ------------------------------------------------------------------------------
 */

/* What a run that only keeps results says of them. */
static void show_summary(const struct run_request *request, const struct experiment *experiment)
{
    shown_print(stdout, "%s%s%s: %zu points, %zu failed; %s\n", experiment->measured,
                experiment->band, experiment->study->name, experiment->row_count,
                experiment->failed, request->common.store);
}

static bool finish_outputs(const struct run_request *request, struct experiment *experiment,
                           uint64_t seed, GError **error)
{
    bool is_quiet = outputs_use_stdout(request->common.outputs);
    if (!write_all(request, experiment, seed, error) ||
        (!is_quiet && !request->only_store && !show(request, experiment, error)))
        return false;
    if (request->folder && !request->common.no_plot &&
        !run_options_draw(experiment, request->folder, &request->own, error))
        return false;
    if (!is_quiet)
        (request->only_store ? show_summary : show_places)(request, experiment);
    return true;
}

/* The study of the file that was named: a Lua file, or a run that is made again. */
static struct study *load_study(struct run_request *request, struct runner_options *options,
                                GError **error)
{
    const char *const *overrides = (const char *const *)request->common.overrides;
    if (!resolved_is(request->file))
        return study_load(request->file, overrides, error);
    if (!resolved_read(request->file, overrides, &request->resolved, error))
        return NULL;
    if (request->common.seed == SEED_NOT_GIVEN)
        options->seed = request->resolved.seed;
    if (request->resolved.version && !request->is_helper)
        command_tell("%s was written by version %s of this program; results of this one may differ",
                     request->file, request->resolved.version);
    return request->resolved.study;
}

/* Runs points for another process, which keeps their results. */
static bool help(struct run_request *request, struct runner_options *options, GError **error)
{
    struct study *study = load_study(request, options, error);
    struct row **rows = study ? runner_run(study, options, error) : NULL;
    g_free(rows); /* all NULL: they are elsewhere */
    study_free(study);
    return rows != NULL;
}

/* What was finished when a signal came, under a name that says so. */
static void keep_partial(const struct run_request *request, const struct experiment *experiment)
{
    g_autofree char *whole = csv_path(request), *path = whole ? partial_path(whole) : NULL;
    const struct output_rules *rules = request->common.outputs ? &request->files : &request->own;
    if (!path || experiment->row_count == 0)
        return;
    g_autofree char *csv = export_text(experiment->table, "csv");
    g_autoptr(GError) error = NULL;
    if (output_write(path, csv, strlen(csv), rules, &error))
        command_tell("%zu of %zu points were finished; they are in %s", experiment->row_count,
                     experiment->study->point_count, path);
}

/* What an interrupted run left has been overtaken. */
static void drop_partial(const struct run_request *request)
{
    g_autofree char *whole = csv_path(request), *path = whole ? partial_path(whole) : NULL;
    if (path)
        output_remove(path, request->common.outputs ? &request->files : &request->own);
}

/* The last words on a run. */
static void tell_end(const struct run_request *request, const struct experiment *experiment)
{
    g_autofree char *failure = experiment_failure(experiment);
    g_autofree char *note = settings_unread_text(experiment->rows, experiment->row_count);
    if (failure)
        command_tell("%s", failure);
    if (experiment->claim_failure)
        command_tell("%s", experiment->claim_failure);
    if (note)
        command_tell("%s: %s", request->file, note);
}

static bool finish(struct run_request *request, struct experiment *experiment, uint64_t seed,
                   GError **error)
{
    if (request->was_interrupted) {
        keep_partial(request, experiment);
        return !interrupt_pending(error);
    }
    bool good = finish_outputs(request, experiment, seed, error) && !interrupt_pending(error);
    if (good)
        drop_partial(request);
    tell_end(request, experiment);
    return good;
}

/* Whether the command line gives settings of the study. Then a fault of its first point is one of use. */
static bool has_settings(const struct run_request *request)
{
    char **override = request->common.overrides;
    while (override && *override && !override_is_setting(*override))
        override++;
    return override && *override;
}

static bool run_points(struct run_request *request, struct runner_options *options, bool *failed,
                       GError **error)
{
    if (request->is_helper)
        return help(request, options, error);
    struct study *study = load_study(request, options, error);
    if (!study)
        return false;
    bool is_dry = request->common.dry_run;
    struct runner_costs costs = {.points = 0};
    bool is_good =
        rehearse_apart(study, has_settings(request), error) &&
        (is_dry ? dry_run(study, options, &costs, error) : prepare_outputs(request, study, error));
    if (!is_good || is_dry) {
        study_free(study);
        return is_good;
    }
    options->was_interrupted = request->only_store ? NULL : &request->was_interrupted;
    struct experiment *experiment = experiment_run(study, options, error);
    if (!experiment)
        return false;
    bool good = finish(request, experiment, options->seed, error);
    *failed = experiment->failed > 0 || experiment->claim_failure;
    experiment_free(experiment);
    return good;
}

static bool resolve(struct run_request *request, struct runner_options *options, GError **error)
{
    bool remembers = request->common.store != NULL;
    if (request->is_helper) {
        request->common.store = NULL;
        request->common.redo = NULL;
    }
    if (!outputs_spare_store(request->common.outputs, request->common.store, error) ||
        !run_options_resolve(&request->common, options, error))
        return false;
    options->remembers = remembers;
    options->with_stats = request->stats != NULL;
    options->doubtful = request->keeps_going ? 0 : DOUBTFUL_POINTS;
    options->dispatch = request->dispatch;
    options->dispatch_context = request->dispatch_context;
    if (request->is_helper)
        options->progress = PROGRESS_NONE;
    return true;
}

static int run_request(struct run_request *request, const struct command *command, int argc,
                       char **argv)
{
    GError *error = NULL;
    struct runner_options options = {0};
    bool failed = false;
    bool good = parse(command, &argc, &argv, request, &error);
    request->file = argv[1];
    good = good && resolve(request, &options, &error) &&
           run_points(request, &options, &failed, &error);
    run_options_close(&options);
    request_clear(request);
    if (!good)
        return command_fail(error);
    return failed ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

int run_study(const struct command *command, int argc, char **argv)
{
    struct run_request request = {.common = RUN_OPTIONS_DEFAULT,
                                  .only_store = strcmp(command->name, "sweep") == 0};
    return run_request(&request, command, argc, argv);
}

int sweep_with(const struct command *command, int argc, char **argv, runner_dispatch *dispatch,
               void *context, bool is_helper)
{
    struct run_request request = {.common = RUN_OPTIONS_DEFAULT,
                                  .only_store = true,
                                  .is_helper = is_helper,
                                  .dispatch = dispatch,
                                  .dispatch_context = context};
    return run_request(&request, command, argc, argv);
}
