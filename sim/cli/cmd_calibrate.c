/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim calibrate STUDY.lua [--band STUDY.lua]..., and MACHINE DATA... */
#include "cli/command.h"
#include "cli/run_options.h"
#include "core/error.h"
#include "script/searches/calibrate_machine.h"
#include "script/searches/calibrate_study.h"

struct request {
    struct run_options common;
    int evaluations, folds;
    gboolean keep;
    char *output, *rows;
    char **bands;
    struct runner_options options;
};

static bool parse(const struct command *command, int *argc, char ***argv, struct request *request,
                  GError **error)
{
    const GOptionEntry own[] = {
        {"band", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &request->bands,
         "Answer this study's claims at both ends of each value's span", "FILE.lua"},
        {"evaluations", 0, 0, G_OPTION_ARG_INT, &request->evaluations,
         "Runs of the study that the search may take (default: 300)", "N"},
        {"keep", 0, 0, G_OPTION_ARG_NONE, &request->keep,
         "Do not search; show how well the present values are determined", NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &request->output,
         "With MACHINE DATA...: write the machine with the values found", "FILE.lua"},
        {"folds", 0, 0, G_OPTION_ARG_INT, &request->folds,
         "With MACHINE DATA...: also predict each row that sets values without it, in N folds",
         "N"},
        {"rows", 0, 0, G_OPTION_ARG_FILENAME, &request->rows,
         "With MACHINE DATA...: write a line for each row of the measurements", "FILE.csv"},
        {0},
    };
    g_autofree GOptionEntry *entries =
        run_options_entries(&request->common, "set force workers", own);
    if (!command_parse(command, argc, argv, entries, 1, 64, error))
        return false;
    if (*argc == 2 && (request->output || request->rows || request->folds))
        return error_set(error, "--output, --rows and --folds are for calibrate MACHINE DATA...; "
                                "a study's values are printed");
    if (*argc > 2 && request->bands)
        return error_set(error, "--band is for calibrate STUDY.lua");
    if (request->folds && (request->folds < 2 || request->folds > FOLDS_MOST))
        return error_set(error, "--folds %d: 2 to %d", request->folds, FOLDS_MOST);
    if (request->folds && request->keep)
        return error_set(error, "--folds searches for values, --keep for none");
    if (request->evaluations < 1)
        return error_set(error, "--evaluations %d: at least 1", request->evaluations);
    request->options = (struct runner_options){.seed = 1, .progress = PROGRESS_NONE};
    return run_options_resolve_workers(request->common.workers, &request->options.workers, error);
}

static bool machine_form(const struct request *request, int argc, char **argv, GError **error)
{
    const struct calibrate_request machine = {.machine = argv[1],
                                              .data = &argv[2],
                                              .count = argc - 2,
                                              .output = request->output,
                                              .rows = request->rows,
                                              .fixed =
                                                  (const char *const *)request->common.overrides,
                                              .force = request->common.force,
                                              .keep = request->keep,
                                              .folds = (size_t)request->folds,
                                              .options = request->options};
    return calibrate_machine(&machine, error);
}

static bool study_form(const struct request *request, const char *path, GError **error)
{
    struct calibrate_study study = {.path = path,
                                    .overrides = request->common.overrides,
                                    .bands = request->bands,
                                    .evaluations = (size_t)request->evaluations,
                                    .keep = request->keep,
                                    .options = request->options};
    return calibrate_study(&study, error);
}

int cmd_calibrate(const struct command *command, int argc, char **argv)
{
    struct request request = {.common = RUN_OPTIONS_DEFAULT, .evaluations = 300};
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) &&
                (argc > 2 ? machine_form(&request, argc, argv, &error)
                          : study_form(&request, argv[1], &error));
    return good ? EXIT_CODE_OK : command_fail(error);
}
