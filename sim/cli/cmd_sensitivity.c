/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim sensitivity FILE.lua --point AXIS=VALUE,... : what a measure depends on, and how far it can be trusted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/answers.h"
#include "cli/command.h"
#include "core/error.h"
#include "core/shown.h"
#include "study/table/export.h"
#include "study/vary/band.h"
#include "study/vary/outcome.h"
#include "study/vary/sensitivity.h"

/* Nobody reads more tables. */
#define MOST_POINTS 64
#define MOST_STEP_PERCENT 50

struct sensitivity_request {
    struct run_options common;
    double step_percent;
    int samples; /* of the band; 0: none */
};

/* All that is shown. */
struct sensitivities {
    struct variants *variants;
    double step;        /* relative */
    GPtrArray *list;    /* of struct sensitivity */
    struct band *bands; /* one each; NULL: not asked for */
};

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct sensitivity_request *request, GError **error)
{
    const GOptionEntry own[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &request->common.outputs,
         "Write the table, or draw it as a tornado plot", "FILE.csv|json|svg|png|pdf"},
        {"step", 0, 0, G_OPTION_ARG_DOUBLE, &request->step_percent,
         "Change parameters by this much, up and down (default: 10)", "PERCENT"},
        {"band", 0, 0, G_OPTION_ARG_INT, &request->samples,
         "Also draw all estimated parameters from their ranges, this many times, and print the "
         "band of the measure",
         "SAMPLES"},
        {0},
    };
    g_autofree GOptionEntry *entries = run_options_entries(
        &request->common, "point measure set workers seed store progress force json", own);
    if (!command_parse(command, argc, argv, entries, 1, 1, error))
        return false;
    if (!(request->step_percent > 0 && request->step_percent <= MOST_STEP_PERCENT))
        return error_set(error, "--step %g: accepted is more than 0 and up to %d percent",
                         request->step_percent, MOST_STEP_PERCENT);
    if (request->samples != 0 && (request->samples < 2 || request->samples > BAND_MOST_SAMPLES))
        return error_set(error, "--band %d: the number of samples is 2 to %d", request->samples,
                         BAND_MOST_SAMPLES);
    return answers_check(&request->common, ".csv, .json, .svg, .png or .pdf", error);
}

/* --- running ------------------------------------------------------------------------------------ */

static bool run_bands(struct sensitivities *answer, size_t samples, GError **error)
{
    const GPtrArray *list = answer->list;
    for (guint i = 0; i < list->len; i++) {
        const struct sensitivity *of = g_ptr_array_index(list, i);
        g_auto(GStrv) paths = g_strsplit(of->row->read ? of->row->read : "", ",", -1);
        band_add(answer->variants, of->point, of->machine, paths, samples);
    }
    g_autoptr(GPtrArray) rows = variants_run(answer->variants, error);
    if (!rows)
        return false;
    answer->bands = g_new0(struct band, list->len);
    for (guint i = 0; i < list->len; i++) {
        const struct sensitivity *of = g_ptr_array_index(list, i);
        band_take(&answer->bands[i], rows, i * samples, samples, of->base->name);
    }
    return true;
}

static bool run(const struct sensitivity_request *request, struct sensitivities *answer,
                GError **error)
{
    g_autoptr(GArray) points = run_options_points(&request->common, answer->variants->study,
                                                  MOST_POINTS, "changed at a time", error);
    if (!points)
        return false;
    answer->step = request->step_percent / 100;
    answer->list =
        sensitivity_run(answer->variants, points, request->common.measure, answer->step, error);
    return answer->list &&
           (request->samples == 0 || run_bands(answer, (size_t)request->samples, error));
}

/* --- showing ------------------------------------------------------------------------------------ */

static struct table *band_table(const struct sensitivities *answer)
{
    static const char *const names[] = {"point",  "measure", "value", "least",   "p5",
                                        "median", "p95",     "most",  "samples", "failed"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    table->columns[8].is_number = table->columns[9].is_number = true;
    for (guint i = 0; i < answer->list->len; i++) {
        const struct sensitivity *of = g_ptr_array_index(answer->list, i);
        const struct band *band = &answer->bands[i];
        const double numbers[] = {band->least, band->p5, band->median, band->p95, band->most};
        char *texts[G_N_ELEMENTS(names)] = {g_strdup(of->name), g_strdup(of->base->name),
                                            g_strdup(of->base->value.text)};
        for (size_t k = 0; k < G_N_ELEMENTS(numbers); k++)
            texts[3 + k] = isnan(numbers[k]) ? NULL : outcome_text(of->base, numbers[k]);
        texts[8] = g_strdup_printf("%zu", band->samples);
        texts[9] = g_strdup_printf("%zu", band->failed);
        table_append(table, (const char *const *)texts);
        for (size_t k = 0; k < G_N_ELEMENTS(texts); k++)
            g_free(texts[k]);
    }
    return table;
}

static void show_bands(const struct sensitivities *answer)
{
    shown_print(stdout, "Within the ranges of what is estimated:\n\n");
    command_show_table(band_table(answer));
    for (guint i = 0; i < answer->list->len; i++) {
        const struct sensitivity *of = g_ptr_array_index(answer->list, i);
        const struct band *band = &answer->bands[i];
        g_auto(GStrv) paths = g_strsplit(of->row->read ? of->row->read : "", ",", -1);
        struct table *varied = band_parameters(of->machine, paths);
        shown_print(stdout, "%s: %zu estimated parameters are varied together.\n", of->name,
                    varied->row_count);
        table_free(varied);
        if (band->failure)
            shown_print(stdout, "%zu of %zu samples failed, the first one: %s\n", band->failed,
                        band->samples, band->failure);
    }
}

static void show(const struct sensitivity_request *request, const struct sensitivities *answer)
{
    const struct sensitivity *first = g_ptr_array_index(answer->list, 0);
    shown_print(
        stdout,
        "%s, each parameter changed by %g %% down (low) and up (high), or by more where that "
        "changes nothing\n\n",
        first->base->name, request->step_percent);
    command_show_table(sensitivity_table(answer->list, false));
    for (guint i = 0; i < answer->list->len; i++) {
        const struct sensitivity *of = g_ptr_array_index(answer->list, i);
        shown_print(stdout, "%s: %s is %s.\n", of->name, of->base->name, of->base->value.text);
        for (int outcome = SENSITIVITY_BELOW_SPREAD; outcome <= SENSITIVITY_NOT_READ; outcome++) {
            g_autofree char *idle = sensitivity_idle(of, (enum sensitivity_outcome)outcome);
            if (idle)
                shown_print(stdout, "%s.\n", idle);
        }
        g_autofree char *apart = sensitivity_apart(of);
        if (apart)
            shown_print(stdout, "%s.\n", apart);
    }
    shown_print(stdout, "%zu variants of the points were run or recalled.\n",
                answer->variants->runs);
    if (answer->bands) {
        shown_print(stdout, "\n");
        show_bands(answer);
    }
}

/* {"parameters": [...], "band": [...]}. */
static char *json_of(const struct sensitivities *answer, const struct table *table)
{
    struct table *bands = answer->bands ? band_table(answer) : NULL;
    g_autofree char *parameters = export_json(table);
    g_autofree char *band = bands ? export_json(bands) : g_strdup("[]");
    table_free(bands);
    return g_strdup_printf("{\"parameters\": %s,\n\"band\": %s}\n", g_strchomp(parameters),
                           g_strchomp(band));
}

static struct figure *draw(const void *of, GError **error)
{
    const struct sensitivities *answer = of;
    return sensitivity_figure(answer->list, answer->variants->study->title, answer->step, error);
}

static bool finish(const struct sensitivity_request *request, const struct sensitivities *answer,
                   const char *path, GError **error)
{
    struct table *table = sensitivity_table(answer->list, true);
    g_autofree char *csv = export_csv(table), *json = json_of(answer, table);
    const struct answer written = {csv, json, draw, answer};
    if (request->common.as_json)
        fputs(json, stdout);
    else
        show(request, answer);
    bool good = answers_write(&request->common, path, &written, error);
    table_free(table);
    return good;
}

static void answer_clear(struct sensitivities *answer)
{
    for (guint i = 0; answer->bands && i < answer->list->len; i++)
        band_clear(&answer->bands[i]);
    g_free(answer->bands);
    if (answer->list)
        g_ptr_array_unref(answer->list);
    variants_free(answer->variants);
}

int cmd_sensitivity(const struct command *command, int argc, char **argv)
{
    struct sensitivity_request request = {.common = RUN_OPTIONS_DEFAULT, .step_percent = 10};
    struct runner_options resolved = {0};
    struct sensitivities answer = {.variants = NULL};
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) &&
                (answer.variants = answers_variants(&request.common, argv[1], &resolved, &error)) &&
                run(&request, &answer, &error) && finish(&request, &answer, argv[1], &error);
    answer_clear(&answer);
    run_options_close(&resolved);
    return good ? EXIT_CODE_OK : command_fail(error);
}
