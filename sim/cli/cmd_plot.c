/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim plot FILE.lua --store STORE.db */
#include <stdio.h>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/run_options.h"
#include "core/error.h"
#include "core/shown.h"
#include "script/script.h"
#include "study/table/output.h"

struct plot_request {
    struct run_options common;
    gboolean partial;
};

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct plot_request *request, GError **error)
{
    const GOptionEntry own[] = {
        {"store", 0, 0, G_OPTION_ARG_FILENAME, &request->common.store, "Where the results are",
         "FILE.db"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &request->common.outputs,
         "Write to FILE instead of the folder", OUTPUTS_FORMS},
        {"partial", 0, 0, G_OPTION_ARG_NONE, &request->partial, "Draw the points that there are",
         NULL},
        {0},
    };
    g_autofree GOptionEntry *entries =
        run_options_entries(&request->common, "out set seed force", own);
    if (!command_parse(command, argc, argv, entries, 1, 1, error))
        return false;
    return request->common.store || error_set(error, "plot needs --store FILE.db");
}

static bool has_plot(const struct study *study, GError **error)
{
    return study->plot_count > 0 ||
           error_set(error, "%s: the study has no plot, so there is nothing to draw", study->path);
}

static bool draw(const struct plot_request *request, struct experiment *experiment, GError **error)
{
    const struct study *study = experiment->study;
    g_auto(GStrv) inputs = outputs_inputs(study, study->path, request->common.store);
    g_autoptr(GPtrArray) planned = g_ptr_array_new_with_free_func(g_free);
    struct output_rules rules = {
        .force = request->common.force, .inputs = (const char *const *)inputs, .planned = planned};
    if (request->common.outputs)
        return outputs_prepare(request->common.outputs, study, &rules, error) &&
               outputs_write(request->common.outputs, experiment, &rules, error);
    g_autofree char *folder = request->common.out ? g_strdup(request->common.out)
                                                  : run_options_folder("out", study, error);
    rules.owner = study->path;
    if (!folder || !run_options_prepare_folder(study, folder, false, true, &rules, error) ||
        !run_options_draw(experiment, folder, &rules, error))
        return false;
    shown_print(stdout, "Figures: %s\n", folder);
    return true;
}

static bool is_complete(const struct plot_request *request, const struct experiment *experiment,
                        GError **error)
{
    size_t points = experiment->study->point_count;
    if (experiment->row_count == points || (request->partial && experiment->row_count > 0))
        return true;
    return error_set(error,
                     "the store has %zu of the study's %zu points, as it is now and for this "
                     "version of gpunetsim; gpunetsim sweep runs the others%s",
                     experiment->row_count, points,
                     experiment->row_count ? ", --partial draws what there is" : "");
}

static bool plot(struct plot_request *request, const char *path, GError **error)
{
    struct runner_options options;
    request->common.only_reads = true;
    if (!run_options_resolve(&request->common, &options, error))
        return false;
    struct study *study = study_load(path, (const char *const *)request->common.overrides, error);
    bool good = false;
    if (study && !has_plot(study, error)) {
        study_free(study);
    } else if (study) {
        struct experiment *experiment = experiment_recall(study, &options, error);
        good = experiment && is_complete(request, experiment, error) &&
               draw(request, experiment, error);
        experiment_free(experiment);
    }
    run_options_close(&options);
    return good;
}

int cmd_plot(const struct command *command, int argc, char **argv)
{
    struct plot_request request = {.common = RUN_OPTIONS_DEFAULT};
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) && plot(&request, argv[1], &error);
    return good ? EXIT_CODE_OK : command_fail(error);
}
