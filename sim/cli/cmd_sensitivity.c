/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim sensitivity FILE.lua --point AXIS=VALUE,... : what a measure depends on, and how far it can be trusted. */
#include <stdio.h>

#include "cli/answers.h"
#include "cli/command.h"
#include "core/error.h"
#include "script/searches/vary_lua.h"
#include "script/views/views.h"
#include "study/vary/band.h"

/* Nobody reads more tables. */
#define MOST_POINTS 64
#define MOST_STEP_PERCENT 50

struct sensitivity_request {
    struct run_options common;
    double step_percent;
    int samples; /* of the band; 0: none */
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

/* What views/sensitivity.lua is asked. */
static GVariant *asked(const struct sensitivity_request *request, const struct study *study,
                       const GArray *points)
{
    GVariantBuilder asked, numbers;
    g_variant_builder_init(&asked, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_init(&numbers, G_VARIANT_TYPE("ax"));
    for (guint i = 0; i < points->len; i++)
        g_variant_builder_add(&numbers, "x", (gint64)g_array_index(points, guint, i));
    views_add_text(&asked, "measure", request->common.measure);
    views_add_text(&asked, "title", study->title);
    g_variant_builder_add(&asked, "{sv}", "draws",
                          g_variant_new_boolean(answers_draw(&request->common)));
    g_variant_builder_add(&asked, "{sv}", "points", g_variant_builder_end(&numbers));
    g_variant_builder_add(&asked, "{sv}", "step_percent",
                          g_variant_new_double(request->step_percent));
    g_variant_builder_add(&asked, "{sv}", "samples", g_variant_new_int64(request->samples));
    return g_variant_builder_end(&asked);
}

static bool answer(const struct sensitivity_request *request, struct variants *variants,
                   GError **error)
{
    const struct study *study = variants->study;
    g_autoptr(GArray) points = run_options_points(&request->common, variants->study, MOST_POINTS,
                                                  "changed at a time", error);
    if (!points)
        return false;
    g_auto(GStrv) texts =
        search_texts("sensitivity", "answer", variants,
                     g_variant_new("(@a{sv})", asked(request, study, points)), error);
    return texts && answers_give(&request->common, study->path, texts, error);
}

int cmd_sensitivity(const struct command *command, int argc, char **argv)
{
    struct sensitivity_request request = {.common = RUN_OPTIONS_DEFAULT, .step_percent = 10};
    struct runner_options resolved = {0};
    struct variants *variants = NULL;
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) &&
                (variants = answers_variants(&request.common, argv[1], &resolved, &error)) &&
                answer(&request, variants, &error);
    variants_free(variants);
    run_options_close(&resolved);
    return good ? EXIT_CODE_OK : command_fail(error);
}
