/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim solve FILE.lua --point AXIS=VALUE,... --target T --vary COMPONENT.PARAMETER,... : the other way round. */
#include <stdio.h>
#include <string.h>

#include "cli/answers.h"
#include "cli/command.h"
#include "core/error.h"
#include "core/shown.h"
#include "study/solve/solve.h"
#include "study/table/export.h"

struct solve_request {
    struct run_options common;
    char *target;
    char **knobs, **constraints;
};

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct solve_request *request, GError **error)
{
    const GOptionEntry own[] = {
        {"target", 0, 0, G_OPTION_ARG_STRING, &request->target,
         "Target of the measure: a value, or the measure at another point whose other "
         "axes are the same",
         "VALUE|AXIS=VALUE"},
        {"vary", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->knobs,
         "Parameters that may change, and within which range",
         "COMPONENT.PARAMETER[=LOW..HIGH],..."},
        {"constraint", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->constraints,
         "A condition that the solution must also meet", "MEASURE<=VALUE"},
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

/* --- what is asked -------------------------------------------------------------------------------- */

static bool take_point(struct solve *solve, const struct solve_request *request, GError **error)
{
    g_autoptr(GArray) points =
        run_options_points(&request->common, solve->variants->study, 1, "solved at a time", error);
    if (points)
        solve->point = g_array_index(points, guint, 0);
    return points != NULL;
}

static bool add_knobs(struct solve *solve, const struct solve_request *request, GError **error)
{
    solve->machine = variants_machine(solve->variants, solve->point, error);
    bool good = solve->machine != NULL;
    for (char **texts = request->knobs; good && *texts; texts++) {
        g_auto(GStrv) parts = g_strsplit(*texts, ",", -1);
        for (char **part = parts; good && *part; part++)
            good = solve_add_knob(solve, *part, error);
    }
    return good;
}

static bool ask(struct solve *solve, const struct solve_request *request, GError **error)
{
    solve->measure = g_strdup(request->common.measure);
    bool good = take_point(solve, request, error) &&
                solve_set_target(solve, request->target, error) && add_knobs(solve, request, error);
    for (char **text = request->constraints; good && text && *text; text++)
        good = solve_add_constraint(solve, *text, error);
    return good;
}

/* --- what is shown -------------------------------------------------------------------------------- */

static bool is_solved(const struct solve *solve)
{
    return solve->end == SOLVE_FOUND || solve->end == SOLVE_JUMPS;
}

/* {"solved": true, "parameters": [...], "tries": [...]}. */
static char *json_of(const struct solve *solve, const struct table *tries)
{
    struct table *table = solve_table(solve);
    g_autofree char *parameters = export_json(table), *all = export_json(tries);
    table_free(table);
    return g_strdup_printf("{\"solved\": %s,\n\"parameters\": %s,\n\"tries\": %s}\n",
                           is_solved(solve) ? "true" : "false", g_strchomp(parameters),
                           g_strchomp(all));
}

static void show(const struct solve *solve)
{
    g_autofree char *words = solve_words(solve);
    command_show_table(solve_table(solve));
    shown_print(stdout, "%s", words);
}

static bool finish(const struct solve_request *request, const struct solve *solve, const char *path,
                   GError **error)
{
    struct table *tries = solve_tries(solve);
    g_autofree char *json = json_of(solve, tries);
    const struct answer answer = {.table = tries, .json = json};
    if (request->common.as_json)
        fputs(json, stdout);
    else
        show(solve);
    bool good =
        answers_write(&request->common, path, &answer, error) &&
        (is_solved(solve) ||
         error_set_code(error, ERROR_RUN, "nothing within the ranges reaches the target%s",
                        solve->end == SOLVE_CONSTRAINED ? " and keeps the constraints" : ""));
    table_free(tries);
    return good;
}

int cmd_solve(const struct command *command, int argc, char **argv)
{
    struct solve_request request = {.common = RUN_OPTIONS_DEFAULT};
    struct runner_options resolved = {0};
    struct solve solve = {.other = -1};
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) &&
                (solve.variants = answers_variants(&request.common, argv[1], &resolved, &error)) &&
                ask(&solve, &request, &error) && solve_run(&solve, &error) &&
                finish(&request, &solve, argv[1], &error);
    solve_clear(&solve);
    variants_free(solve.variants);
    run_options_close(&resolved);
    return good ? EXIT_CODE_OK : command_fail(error);
}
