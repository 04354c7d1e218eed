/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim solve FILE.lua --point AXIS=VALUE,... --target T --vary COMPONENT.PARAMETER,... : the other way round. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/vary_options.h"
#include "core/error.h"
#include "core/shown.h"
#include "study/solve/solve.h"
#include "study/table/export.h"
#include "study/table/terminal.h"

struct solve_request {
    struct vary_options common;
    char *target;
    char **knobs, **constraints;
};

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct solve_request *request, GError **error)
{
    g_autoptr(GArray) entries = run_options_new_entries();
    vary_options_add(&request->common, entries);
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
    };
    static const char *const endings[] = {".csv", ".json", NULL};
    g_array_append_vals(entries, own, G_N_ELEMENTS(own));
    const GOptionEntry *list = (const GOptionEntry *)(const void *)entries->data;
    if (!command_parse(command, argc, argv, list, 1, 1, error))
        return false;
    if (!request->target)
        return error_set(error, "solve needs --target: a value, or AXIS=VALUE of another point");
    if (!request->knobs)
        return error_set(error, "solve needs --vary: the parameters that may change");
    return vary_options_check_outputs(&request->common, endings, error);
}

/* --- what is asked -------------------------------------------------------------------------------- */

static bool take_point(struct solve *solve, const GArray *points, GError **error)
{
    solve->point = g_array_index(points, guint, 0);
    return points->len == 1 ||
           error_set(
               error,
               "%u points are asked for, but only one at a time can be solved: choose it with --point",
               points->len);
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

static bool ask(struct solve *solve, const struct solve_request *request, const GArray *points,
                GError **error)
{
    solve->measure = g_strdup(request->common.measure);
    bool good = take_point(solve, points, error) &&
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
static char *json_of(const struct solve *solve)
{
    struct table *table = solve_table(solve), *tries = solve_tries(solve);
    g_autofree char *parameters = export_json(table), *all = export_json(tries);
    table_free(table);
    table_free(tries);
    return g_strdup_printf("{\"solved\": %s,\n\"parameters\": %s,\n\"tries\": %s}\n",
                           is_solved(solve) ? "true" : "false", g_strchomp(parameters),
                           g_strchomp(all));
}

static void show(const struct solve *solve)
{
    struct table *table = solve_table(solve);
    g_autofree char *text = terminal_whole(table), *words = solve_words(solve);
    table_free(table);
    shown_print(stdout, "%s\n%s", text, words);
}

static bool write_outputs(const struct solve_request *request, const struct solve *solve,
                          const char *path, GError **error)
{
    for (char **output = request->common.outputs; output && *output; output++) {
        struct table *tries = solve_tries(solve);
        bool is_csv = g_str_has_suffix(*output, ".csv");
        g_autofree char *text = is_csv ? export_csv(tries) : json_of(solve);
        table_free(tries);
        if (!vary_options_write(&request->common, *output, text, strlen(text), path, error))
            return false;
    }
    return true;
}

static bool finish(const struct solve_request *request, const struct solve *solve, const char *path,
                   GError **error)
{
    if (request->common.as_json) {
        g_autofree char *json = json_of(solve);
        fputs(json, stdout);
    } else {
        show(solve);
    }
    return write_outputs(request, solve, path, error) &&
           (is_solved(solve) ||
            error_set_code(error, ERROR_RUN, "nothing within the ranges reaches the target%s",
                           solve->end == SOLVE_CONSTRAINED ? " and keeps the constraints" : ""));
}

int cmd_solve(const struct command *command, int argc, char **argv)
{
    struct solve_request request = {.common = VARY_OPTIONS_DEFAULT};
    struct runner_options resolved = {0};
    struct solve solve = {.other = -1};
    GArray *points = NULL;
    GError *error = NULL;
    bool good = parse(command, &argc, &argv, &request, &error) &&
                (solve.variants = vary_options_open(&request.common, argv[1], &resolved, &points,
                                                    &error)) != NULL &&
                ask(&solve, &request, points, &error) && solve_run(&solve, &error) &&
                finish(&request, &solve, argv[1], &error);
    solve_clear(&solve);
    variants_free(solve.variants);
    if (points)
        g_array_unref(points);
    run_options_close(&resolved);
    vary_options_clear(&request.common);
    g_free(request.target);
    g_strfreev(request.knobs);
    g_strfreev(request.constraints);
    return good ? EXIT_CODE_OK : command_fail(error);
}
