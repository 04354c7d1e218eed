/* gpunetsim run FILE.lua and gpunetsim sweep FILE.lua: the same work. `run` shows and draws it,
 * `sweep` keeps it in a store, for a later look. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/run_options.h"
#include "cli/sweep.h"
#include "core/error.h"
#include "core/home.h"
#include "core/shown.h"
#include "script/script.h"
#include "study/model/unread.h"
#include "study/results_text.h"
#include "study/statistics.h"
#include "study/system/interrupt.h"
#include "study/table/export.h"
#include "study/table/output.h"
#include "study/table/terminal.h"

struct run_request {
    struct run_options common;
    bool is_sweep, is_helper;
    runner_dispatch *dispatch; /* who runs points; NULL: worker processes of this machine */
    void *dispatch_context;
    char **outputs;   /* "csv:FILE" */
    char **overrides; /* "nic.doorbell_latency=5ns" */
    char *stats;      /* file of the statistics; NULL: none is asked for */
    char *columns;    /* names separated by commas, to be shown; NULL: those that are plotted */
    char **column_list;
    char *folder; /* NULL: nothing goes into one */
    const char *inputs[3];
    struct output_rules files, own; /* of -o, and of the folder */
};

static void request_clear(struct run_request *request)
{
    run_options_clear(&request->common);
    g_strfreev(request->outputs);
    g_strfreev(request->overrides);
    g_free(request->stats);
    g_free(request->columns);
    g_strfreev(request->column_list);
    g_free(request->folder);
}

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct run_request *request, GError **error)
{
    g_autoptr(GArray) entries = run_options_new_entries();
    run_options_add_entry(
        entries, (GOptionEntry){"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &request->outputs,
                                "Write the results to FILE (- is standard output)", OUTPUTS_FORMS});
    run_options_add_entry(
        entries, (GOptionEntry){"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &request->overrides,
                                "Change a parameter of the machine", "COMPONENT.PARAMETER=VALUE"});
    run_options_add_entry(
        entries, (GOptionEntry){"stats", 0, 0, G_OPTION_ARG_FILENAME, &request->stats,
                                "Write every statistic of every point to FILE; all points are "
                                "simulated then, whatever a store has",
                                "FILE.csv|FILE.json"});
    run_options_add(&request->common, entries);
    if (!request->is_sweep)
        run_options_add_entry(
            entries, (GOptionEntry){"columns", 0, 0, G_OPTION_ARG_STRING, &request->columns,
                                    "Print these measures beside the axes instead of what is "
                                    "plotted",
                                    "NAME,...|all"});
    if (request->is_sweep)
        run_options_add_entry(
            entries, (GOptionEntry){"shard", 0, 0, G_OPTION_ARG_STRING, &request->common.shard,
                                    "Run the I-th of N shares of the points", "I/N"});
    const GOptionEntry *list = (const GOptionEntry *)(const void *)entries->data;
    if (!command_parse(command, argc, argv, list, 1, 1, error))
        return false;
    if (request->stats && !g_str_has_suffix(request->stats, ".csv") &&
        !g_str_has_suffix(request->stats, ".json"))
        return error_set(error, "--stats %s: the name ends in .csv or .json", request->stats);
    if (request->columns && outputs_use_stdout(request->outputs))
        return error_set(error,
                         "--columns says what is printed; with an output to - that is nothing");
    request->column_list = request->columns ? g_strsplit(request->columns, ",", -1) : NULL;
    return !request->is_sweep || request->common.store ||
           error_set(error, "sweep needs --store FILE.db");
}

/* --- what is written ---------------------------------------------------------------------------
 */

/* The study and its store are read: they are never outputs. */
static void set_rules(struct run_request *request, const struct study *study)
{
    request->inputs[0] = study->path;
    request->inputs[1] = request->common.store;
    request->files =
        (struct output_rules){.force = request->common.force, .inputs = request->inputs};
    request->own = request->files;
    request->own.owner = study->path;
}

/* A run writes into a folder, unless it is told where else to; a sweep only if it is told to. */
static bool prepare_outputs(struct run_request *request, const struct study *study, GError **error)
{
    const struct run_options *common = &request->common;
    bool needs_folder =
        request->is_sweep ? common->out != NULL : !request->outputs || !common->no_plot;
    set_rules(request, study);
    if (needs_folder)
        request->folder =
            common->out ? g_strdup(common->out) : run_options_folder("out", study, error);
    return (!needs_folder || request->folder) &&
           outputs_prepare(request->outputs, study, &request->files, error) &&
           (!request->stats || output_prepare_file(request->stats, &request->files, error)) &&
           (!needs_folder || run_options_prepare_folder(study, request->folder, !request->outputs,
                                                        !common->no_plot, &request->own, error));
}

static bool write_stats(const struct run_request *request, const struct experiment *experiment,
                        GError **error)
{
    struct table *table = statistics_table(experiment);
    bool is_json = g_str_has_suffix(request->stats, ".json");
    g_autofree char *text = is_json ? export_json(table) : export_csv(table);
    table_free(table);
    return output_write(request->stats, text, strlen(text), &request->files, error);
}

static bool write_all(const struct run_request *request, struct experiment *experiment,
                      GError **error)
{
    if (request->stats && !write_stats(request, experiment, error))
        return false;
    if (request->outputs && !outputs_write(request->outputs, experiment, &request->files, error))
        return false;
    return request->outputs || !request->folder ||
           run_options_write_results(experiment, request->folder, &request->own, error);
}

/* --- what is shown -----------------------------------------------------------------------------
 */

static bool print_claims(const struct experiment *experiment, GError **error)
{
    g_autofree char *path = home_path("claims/claims.tsv", NULL);
    if (!path || experiment->study->claim_count == 0)
        return true;
    struct claim_list *claims = claims_read(path, error);
    bool good = claims && experiment_answer(experiment, claims, error);
    for (size_t i = 0; good && i < experiment->study->claim_count; i++) {
        const struct claim *claim = claims_find(claims, experiment->study->claims[i].id);
        g_autofree char *obtained = claim_obtained(claim);
        shown_print(stdout, "%s %s%s%s: %s%s%s\n", claim->id, claim_status_name(claim->status),
                    *obtained ? ", obtained " : "", obtained, claim->paraphrase,
                    claim->note ? " " : "", claim->note ? claim->note : "");
    }
    claims_free(claims);
    return good;
}

static bool show(const struct run_request *request, const struct experiment *experiment,
                 GError **error)
{
    const struct results_view view = {terminal_width(stdout),
                                      (const char *const *)request->column_list};
    g_autofree char *text = results_text(experiment, &view);
    shown_print(stdout, "%s\n%s\n", experiment->study->title, text);
    return print_claims(experiment, error);
}

static void show_places(const struct run_request *request, const struct experiment *experiment)
{
    size_t plots = experiment->study->plot_count;
    if (!request->outputs)
        shown_print(stdout, "Results: %s/results.csv\n", request->folder);
    if (plots && experiment->figures[0] && request->folder)
        shown_print(stdout, "Figure%s: %s/figure%s.svg and .png\n", plots > 1 ? "s" : "",
                    request->folder, plots > 1 ? "-*" : "");
}

/* --- the commands ------------------------------------------------------------------------------
 */

static bool finish_run(const struct run_request *request, struct experiment *experiment,
                       GError **error)
{
    bool is_quiet = outputs_use_stdout(request->outputs);
    if (!write_all(request, experiment, error) || (!is_quiet && !show(request, experiment, error)))
        return false;
    if (!request->common.no_plot &&
        !run_options_draw(experiment, request->folder, &request->own, error))
        return false;
    if (!is_quiet)
        show_places(request, experiment);
    return true;
}

static bool finish_sweep(const struct run_request *request, struct experiment *experiment,
                         GError **error)
{
    if (!write_all(request, experiment, error))
        return false;
    if (request->folder && !request->common.no_plot &&
        !run_options_draw(experiment, request->folder, &request->own, error))
        return false;
    if (!outputs_use_stdout(request->outputs))
        shown_print(stdout, "%s: %zu points, %zu failed; %s\n", experiment->study->name,
                    experiment->row_count, experiment->failed, request->common.store);
    return true;
}

/* Runs points for another process, which keeps their results. */
static bool help(struct run_request *request, struct runner_options *options, const char *path,
                 GError **error)
{
    struct study *study = study_load(path, (const char *const *)request->overrides, error);
    struct row **rows = study ? runner_run(study, options, error) : NULL;
    g_free(rows); /* all NULL: they are elsewhere */
    study_free(study);
    return rows != NULL;
}

static bool run_points(struct run_request *request, struct runner_options *options,
                       const char *path, bool *failed, GError **error)
{
    if (request->is_helper)
        return help(request, options, path, error);
    struct study *study = study_load(path, (const char *const *)request->overrides, error);
    if (!study)
        return false;
    if (!prepare_outputs(request, study, error)) {
        study_free(study);
        return false;
    }
    struct experiment *experiment = experiment_run(study, options, error);
    if (!experiment)
        return false;
    g_autofree char *failure = experiment_failure(experiment);
    *failed = failure != NULL;
    bool good = (request->is_sweep ? finish_sweep : finish_run)(request, experiment, error) &&
                !interrupt_pending(error);
    if (failure)
        command_tell("%s", failure);
    g_autofree char *note = unread_note_text(experiment->rows, experiment->row_count);
    if (note)
        command_tell("%s: %s", path, note);
    experiment_free(experiment);
    return good;
}

static bool resolve(struct run_request *request, struct runner_options *options, GError **error)
{
    bool remembers = request->common.store != NULL;
    if (request->is_helper) {
        g_clear_pointer(&request->common.store, g_free);
        g_clear_pointer(&request->common.redo, g_free);
    }
    if (!run_options_resolve(&request->common, options, error))
        return false;
    options->remembers = remembers;
    options->with_stats = request->stats != NULL;
    options->columns = (const char *const *)request->column_list;
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
    bool good = parse(command, &argc, &argv, request, &error) &&
                resolve(request, &options, &error) &&
                run_points(request, &options, argv[1], &failed, &error);
    run_options_close(&options);
    request_clear(request);
    if (!good)
        return command_fail(error);
    return failed ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

int cmd_run(const struct command *command, int argc, char **argv)
{
    struct run_request request = {.common = RUN_OPTIONS_DEFAULT};
    return run_request(&request, command, argc, argv);
}

int sweep_with(const struct command *command, int argc, char **argv, runner_dispatch *dispatch,
               void *context, bool is_helper)
{
    struct run_request request = {.common = RUN_OPTIONS_DEFAULT,
                                  .is_sweep = true,
                                  .is_helper = is_helper,
                                  .dispatch = dispatch,
                                  .dispatch_context = context};
    return run_request(&request, command, argc, argv);
}

int cmd_sweep(const struct command *command, int argc, char **argv)
{
    return sweep_with(command, argc, argv, NULL, NULL, false);
}
