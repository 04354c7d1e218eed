/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim solve FILE.lua --point AXIS=VALUE,... --target T --vary COMPONENT.PARAMETER,... : the other way round. */
#include <stdio.h>

#include "cli/answers.h"
#include "cli/command.h"
#include "core/error.h"
#include "script/searches/vary_lua.h"
#include "script/views/views.h"

struct solve_request {
    struct run_options common;
    char *target;
    char **knobs, **constraints, **predicted;
};

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct solve_request *request, GError **error)
{
    const GOptionEntry own[] = {
        {"target", 0, 0, G_OPTION_ARG_STRING, &request->target,
         "Target of the measure: a value, or the measure at another point whose other "
         "axes are the same; or least: the smallest value, and all sets of values that do "
         "about as well",
         "VALUE|AXIS=VALUE|least"},
        {"vary", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->knobs,
         "Parameters that may change, and within which range",
         "COMPONENT.PARAMETER[=LOW..HIGH],..."},
        {"constraint", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->constraints,
         "A condition that the solution must also meet", "MEASURE<=VALUE"},
        {"predict", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->predicted,
         "With --target least: also show the range of this measure over all sets of values "
         "that do about as well",
         "MEASURE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &request->common.outputs,
         "Write everything that was tried", "FILE.csv|json"},
        {0},
    };
    g_autofree GOptionEntry *entries = run_options_entries(
        &request->common, "point measure set workers seed store progress force json", own);
    if (!command_parse(command, argc, argv, entries, 1, 1, error))
        return false;
    if (!request->target)
        return error_set(error, "solve needs --target: a value, or AXIS=VALUE of another point");
    if (!request->knobs)
        return error_set(error, "solve needs --vary: the parameters that may change");
    return answers_check(&request->common, ".csv or .json", error);
}

static void add_list(GVariantBuilder *asked, const char *name, char **texts)
{
    static char *none[] = {NULL};
    g_variant_builder_add(asked, "{sv}", name,
                          g_variant_new_bytestring_array((void *)(texts ? texts : none), -1));
}

/* What views/solve.lua is asked. */
static GVariant *asked(const struct solve_request *request, size_t point)
{
    GVariantBuilder asked;
    g_variant_builder_init(&asked, G_VARIANT_TYPE_VARDICT);
    views_add_text(&asked, "target", request->target);
    views_add_text(&asked, "measure", request->common.measure);
    add_list(&asked, "knobs", request->knobs);
    add_list(&asked, "constraints", request->constraints);
    add_list(&asked, "predicted", request->predicted);
    g_variant_builder_add(&asked, "{sv}", "point", g_variant_new_int64((gint64)point));
    g_variant_builder_add(&asked, "{sv}", "seed",
                          g_variant_new_int64((gint64)run_options_seed(&request->common)));
    return g_variant_builder_end(&asked);
}

/* The text of its answer that says what failed. */
#define FAILURE 3

static bool solve(const struct solve_request *request, const char *path, struct variants *variants,
                  GError **error)
{
    g_autoptr(GArray) points =
        run_options_points(&request->common, variants->study, 1, "solved at a time", error);
    if (!points)
        return false;
    g_auto(GStrv) texts = search_texts(
        "solve", "answer", variants,
        g_variant_new("(@a{sv})", asked(request, g_array_index(points, guint, 0))), error);
    return texts && answers_give(&request->common, path, texts, error) &&
           (!texts[FAILURE] || error_set_code(error, ERROR_RUN, "%s", texts[FAILURE]));
}

int cmd_solve(const struct command *command, int argc, char **argv)
{
    struct solve_request request = {.common = RUN_OPTIONS_DEFAULT};
    struct runner_options resolved = {0};
    struct variants *variants = NULL;
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) &&
                (variants = answers_variants(&request.common, argv[1], &resolved, &error)) &&
                solve(&request, argv[1], variants, &error);
    variants_free(variants);
    run_options_close(&resolved);
    return good ? EXIT_CODE_OK : command_fail(error);
}
