/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim calibrate STUDY.lua [--band STUDY.lua]..., and MACHINE DATA... (script/searches/calibrate_machine.c) */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/run_options.h"
#include "core/error.h"
#include "core/home.h"
#include "script/script.h"
#include "script/searches/calibrate_machine.h"
#include "study/calibration/calibration.h"
#include "study/claims/claims.h"
#include "study/experiment.h"

struct request {
    struct run_options common;
    int evaluations, folds;
    gboolean keep;
    char *output, *rows;
    char **bands;
    struct runner_options options;
};

/* Least and most that a claim came to over the ends of all spans, and how often it held. */
struct calibrated_band {
    double least, most;
    size_t tried, held;
    bool has_number;
};

/* --- what is shown ------------------------------------------------------------------------------ */

static double residual_percent(const struct calibration_target *target)
{
    return 100 * (target->simulated / target->target - 1);
}

static bool is_met(const struct calibration_target *target)
{
    double off = target->simulated / target->target - 1;
    return off <= target->tolerance && (target->is_bound || off >= -target->tolerance);
}

static void print_targets(const struct calibration *calibration)
{
    static const char *const names[] = {"target",      "measured",          "simulated",
                                        "off_percent", "tolerance_percent", "met"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t i = 0; i < calibration->target_count; i++) {
        const struct calibration_target *target = &calibration->targets[i];
        table_append_format(table, "%s|%s%g|%.4g|%+.1f|%g|%s", target->name,
                            target->is_bound ? "below " : "", target->target, target->simulated,
                            residual_percent(target), 100 * target->tolerance,
                            is_met(target) ? "yes" : "no");
    }
    command_show_table(table);
}

/* The part of a range that is left. */
static double percent(double low, double high)
{
    return 100 * (high - low);
}

static void print_values(const struct calibration *calibration, const double *x,
                         const struct calibration_span *spans)
{
    static const char *const names[] = {"value",      "fitted",        "range",
                                        "span_alone", "span_together", "range_left_percent"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t i = 0; i < calibration->value_count; i++) {
        const struct calibration_span *span = &spans[i];
        const double places[] = {
            x[i], 0, 1, span->alone_low, span->alone_high, span->together_low, span->together_high};
        char *texts[G_N_ELEMENTS(places)];
        for (size_t k = 0; k < G_N_ELEMENTS(places); k++)
            texts[k] = calibration_value_text(calibration, i, places[k]);
        table_append_format(table, "%s|%s|%s to %s|%s to %s|%s to %s|%.0f",
                            calibration->values[i].path, texts[0], texts[1], texts[2], texts[3],
                            texts[4], texts[5], texts[6],
                            percent(span->together_low, span->together_high));
        for (size_t k = 0; k < G_N_ELEMENTS(places); k++)
            g_free(texts[k]);
    }
    command_show_table(table);
}

/* --- bands -------------------------------------------------------------------------------------- */

static void widen(struct calibrated_band *band, const struct claim *claim)
{
    bool is_first = band->tried++ == 0;
    band->held += claim->status == CLAIM_REPRODUCED;
    band->has_number = claim->has_number;
    band->least = is_first ? claim->obtained : MIN(band->least, claim->obtained);
    band->most = is_first ? claim->obtained : MAX(band->most, claim->obtained);
    if (claim->has_range)
        band->least = MIN(band->least, claim->obtained_low);
}

static struct claim_list *read_claims(GError **error)
{
    g_autofree char *path = home_path("claims/claims.tsv", error);
    return path ? claims_read(path, error) : NULL;
}

/* Runs the study with the values at `x` and widens the bands of its claims. Claims are answered once: each run has its
 * own list. */
static bool answer_at(const struct calibration *calibration, const double *x, const char *path,
                      struct calibrated_band *bands, GError **error)
{
    struct claim_list *claims = read_claims(error);
    g_auto(GStrv) overrides = calibration_overrides(calibration, x);
    struct study *study = claims ? study_load(path, (const char *const *)overrides, error) : NULL;
    struct experiment *experiment =
        study ? experiment_run(study, &calibration->options, error) : NULL;
    bool good = experiment && experiment_answer(experiment, claims, error);
    for (size_t i = 0; good && i < experiment->study->claim_count; i++) {
        const struct claim *claim = claims_find(claims, experiment->study->claims[i].id);
        widen(&bands[claim - claims->claims], claim);
    }
    experiment_free(experiment);
    claims_free(claims);
    return good;
}

static bool answer_all(const struct calibration *calibration, const double *x,
                       const struct calibration_span *spans, const char *path,
                       struct calibrated_band *bands, GError **error)
{
    bool good = answer_at(calibration, x, path, bands, error);
    for (size_t i = 0; good && i < calibration->value_count; i++)
        good = answer_at(calibration, spans[i].at_low, path, bands, error) &&
               answer_at(calibration, spans[i].at_high, path, bands, error);
    return good;
}

static void print_bands(const struct claim_list *claims, const struct calibrated_band *bands)
{
    static const char *const names[] = {"claim", "use", "from", "to", "held_percent"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (size_t i = 0; i < claims->count; i++) {
        const struct calibrated_band *band = &bands[i];
        if (band->tried == 0)
            continue;
        char from[32] = "", to[32] = "";
        if (band->has_number) {
            g_ascii_formatd(from, sizeof from, "%.3g", band->least);
            g_ascii_formatd(to, sizeof to, "%.3g", band->most);
        }
        table_append_format(table, "%s|%s|%s|%s|%zu", claims->claims[i].id, claims->claims[i].use,
                            from, to, 100 * band->held / band->tried);
    }
    command_show_table(table);
}

static bool show_bands(const struct request *request, const struct calibration *calibration,
                       const double *x, const struct calibration_span *spans, GError **error)
{
    if (!request->bands)
        return true;
    struct claim_list *claims = read_claims(error);
    bool good = claims != NULL;
    g_autofree struct calibrated_band *bands =
        good ? g_new0(struct calibrated_band, claims->count) : NULL;
    for (char **band = request->bands; good && *band; band++)
        good = answer_all(calibration, x, spans, *band, bands, error);
    if (good)
        print_bands(claims, bands);
    claims_free(claims);
    return good;
}

/* --- the command -------------------------------------------------------------------------------- */

static bool calibrate(const struct request *request, struct calibration *calibration,
                      GError **error)
{
    g_autofree double *x = g_new(double, calibration->value_count);
    calibration_start(calibration, x);
    if (!request->keep && !calibration_fit(calibration, x, (size_t)request->evaluations, error))
        return false;
    struct calibration_span *spans = calibration_spans(calibration, x, error);
    if (!spans)
        return false;
    print_targets(calibration);
    print_values(calibration, x, spans);
    bool good = show_bands(request, calibration, x, spans, error);
    calibration_spans_free(spans, calibration->value_count);
    return good;
}

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

int cmd_calibrate(const struct command *command, int argc, char **argv)
{
    struct request request = {.common = RUN_OPTIONS_DEFAULT, .evaluations = 300};
    struct calibration *calibration = NULL;
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error);
    if (good && argc > 2)
        good = machine_form(&request, argc, argv, &error);
    else
        good =
            good &&
            (calibration = calibration_new(argv[1], (const char *const *)request.common.overrides,
                                           &request.options, &error)) != NULL &&
            calibrate(&request, calibration, &error);
    calibration_free(calibration);
    return good ? EXIT_CODE_OK : command_fail(error);
}
