/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim explain FILE.lua --point AXIS=VALUE,... : where the time of a point goes, and why. */
#include <stdio.h>
#include <string.h>

#include "cli/apart.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "core/error.h"
#include "core/shown.h"
#include "script/script.h"
#include "script/study/point.h"
#include "study/explain/bars.h"
#include "study/model/select.h"
#include "study/table/export.h"
#include "study/table/output.h"
#include "study/table/terminal.h"

/* Nobody reads more, and each is simulated. */
#define MOST_POINTS 64
#define MOST_REASONS 4

struct explain_request {
    char **points, **overrides;
    char *output, *by, *of;
    gint64 seed;
    gboolean force;
};

/* A point that was run. */
struct explained_run {
    char *name;
    struct explanation *explanation;
    const struct explained *chosen; /* of it */
    char *measured;                 /* "iteration: 12us"; NULL: none */
    char *cache;                    /* explain_cache; NULL */
    guint point;
};

static void run_clear(gpointer data)
{
    struct explained_run *run = data;
    g_free(run->name);
    explanation_free(run->explanation);
    g_free(run->measured);
    g_free(run->cache);
}

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct explain_request *request, GError **error)
{
    const GOptionEntry entries[] = {
        {"point", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->points,
         "The points with these values of axes; given twice with one point each, the two"
         " are compared",
         "AXIS=VALUE,..."},
        COMMAND_SET(&request->overrides),
        {"seed", 0, 0, G_OPTION_ARG_INT64, &request->seed, "Seed of the random streams", "N"},
        {"of", 0, 0, G_OPTION_ARG_STRING, &request->of,
         "Explain other measured operations: messages within iterations, gets beside "
         "messages",
         "PATH"},
        {"by", 0, 0, G_OPTION_ARG_STRING, &request->by,
         "For an application: one row for each place (its rank or kernel, and GPU), or "
         "for each iteration",
         "place|iteration"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &request->output,
         "Draw the stages as stacked bars, one for each point, or write them as a table",
         "FILE.svg|png|pdf|csv|json"},
        {"force", 0, 0, G_OPTION_ARG_NONE, &request->force,
         "Replace a file that gpunetsim did not write", NULL},
        {0},
    };
    if (!command_parse(command, argc, argv, entries, 1, 1, error))
        return false;
    if (request->by && strcmp(request->by, "place") != 0 && strcmp(request->by, "iteration") != 0)
        return error_set(error, "--by %s: accepted are place and iteration", request->by);
    if (request->seed < 0)
        return error_set(error, "--seed %" G_GINT64_FORMAT ": a seed is 0 or more", request->seed);
    const char *const *endings =
        (const char *const[]){".svg", ".png", ".pdf", ".csv", ".json", NULL};
    for (; request->output && *endings; endings++)
        if (g_str_has_suffix(request->output, *endings))
            return true;
    return !request->output ||
           error_set(error, "-o %s: the name ends in .svg, .png, .pdf, .csv or .json",
                     request->output);
}

/* --- running ----------------------------------------------------------------------------------- */

/* What is explained of a point: the operations of the path that is asked for, or the main ones. False and one sentence if there
 * are none. */
static bool choose(struct explained_run *run, const char *of, GError **error)
{
    run->chosen = of ? explanation_of(run->explanation, of) : explanation_main(run->explanation);
    if (run->chosen)
        return true;
    if (!of)
        return error_set_code(
            error, ERROR_RUN,
            "at %s nothing passes stages: no put, get, message or copy was measured", run->name);
    g_autofree char *others = explanation_others(run->explanation, NULL);
    return error_set(error, "--of %s: at %s none was measured; those that were are %s", of,
                     run->name, others ? others : "none");
}

/* The workload's own measure of what is explained: "latency: 5us"; NULL: it has none. */
static char *measured_of(const struct row *row)
{
    static const char *const names[] = {"latency", "time", "iteration", "duration", NULL};
    for (size_t i = 0; i < row->measure_count; i++) {
        const struct measure *measure = &row->measures[i];
        if (measure->value.kind == VALUE_QUANTITY && measure->value.unit == UNIT_TIME &&
            g_strv_contains(names, measure->name))
            return g_strconcat(measure->name, ": ", measure->value.text, NULL);
    }
    return NULL;
}

/* failure; measured, cache; explanation */
#define RUN_TYPE "(msmsmsa" EXPLAINED_TYPE ")"

struct explain_call {
    struct study *study;
    guint point;
    guint64 seed;
};

/* Runs the point, in a process of its own, and hands on what comes of it. */
static GVariant *run_apart(void *argument)
{
    const struct explain_call *call = argument;
    GError *error = NULL;
    struct explanation *explanation = explanation_new();
    struct machine *machine = study_machine(call->study, call->point, &error);
    struct row *row = NULL;
    if (machine) {
        machine->spec.listener = &explanation->listener;
        row = study_run_point(call->study, call->point, machine, call->seed);
    }
    explanation_follow(explanation);
    const char *failure = row ? row->failure : error->message;
    g_autofree char *measured = row ? measured_of(row) : NULL;
    g_autofree char *cache = row ? explain_cache(row->stats) : NULL;
    return g_variant_new("(msmsms@a" EXPLAINED_TYPE ")", failure, measured, cache,
                         explanation_pack(explanation));
}

static void take_run(struct explained_run *run, GVariant *packed, char **failure)
{
    g_autoptr(GVariant) explanation = g_variant_get_child_value(packed, 3);
    g_variant_get_child(packed, 0, "ms", failure);
    g_variant_get_child(packed, 1, "ms", &run->measured);
    g_variant_get_child(packed, 2, "ms", &run->cache);
    run->explanation = explanation_unpack(explanation);
}

static bool run_point(struct study *study, guint point, const struct explain_request *request,
                      GArray *runs, GError **error)
{
    struct explained_run run = {.name = point_label(study, point), .point = point};
    g_autofree char *failure = NULL;
    struct explain_call call = {study, point, (guint64)request->seed};
    g_autoptr(GVariant) packed = apart_run(run_apart, &call, RUN_TYPE, error);
    if (packed)
        take_run(&run, packed, &failure);
    bool good =
        packed && (!failure || error_set_code(error, ERROR_RUN, "at %s: %s", run.name, failure));
    good = good && choose(&run, request->of, error);
    g_array_append_val(runs, run);
    return good;
}

static bool select_points(const struct study *study, const struct explain_request *request,
                          GArray *points, GError **error)
{
    static char *all[] = {NULL};
    char **texts = request->points ? request->points : all;
    guint i = 0;
    do {
        GArray *some = points_select(study, texts[i], error);
        if (!some)
            return false;
        g_array_append_vals(points, some->data, some->len);
        g_array_unref(some);
    } while (texts[i] && texts[++i]);
    return points->len <= MOST_POINTS ||
           error_set(
               error,
               "%u points are asked for, but at most %d can be explained at a time: choose some with --point",
               points->len, MOST_POINTS);
}

static bool run_all(struct study *study, const struct explain_request *request, GArray *runs,
                    GError **error)
{
    g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(guint));
    bool good = select_points(study, request, points, error);
    for (guint i = 0; good && i < points->len; i++)
        good = run_point(study, g_array_index(points, guint, i), request, runs, error);
    return good;
}

/* --- showing ----------------------------------------------------------------------------------- */

static void show_table(struct table *table)
{
    g_autofree char *text = terminal_whole(table);
    shown_print(stdout, "%s\n", text);
    table_free(table);
}

static struct explained_point point_of(const struct explained_run *run)
{
    return (struct explained_point){run->name, run->chosen, NULL};
}

/* An application by place or iteration: of a training, its allreduces. */
static bool show_parts(const struct explained_run *run, const char *by, GError **error)
{
    const struct explained *of = by ? explanation_of(run->explanation, "iterations") : NULL;
    if (by && !of)
        return error_set(error, "--by %s: at %s no application runs that has iterations", by,
                         run->name);
    if (by)
        show_table(*by == 'p' ? explained_places(of) : explained_iterations(of));
    return true;
}

/* Of an application's iterations, or of a training's allreduces; NULL: none. */
static const struct explained *path_of(const struct explained_run *run)
{
    bool is_main = run->chosen == explanation_main(run->explanation);
    const struct explained *iterations =
        is_main ? explanation_of(run->explanation, "iterations") : run->chosen;
    return iterations ? explanation_path(run->explanation, iterations) : NULL;
}

/* Where the time of what iterations waited for went. */
static void show_path(const struct explained_run *run)
{
    const struct explained *path = path_of(run);
    if (!path)
        return;
    g_autofree char *sum = explained_sum(path), *why = explain_why(path, MOST_REASONS);
    shown_print(stdout,
                "The critical path of these iterations, through peers, NICs and servers:\n\n");
    show_table(explained_table(path));
    shown_print(stdout, "%s\n\n%s\n", sum, why);
}

static void show_run(const struct explained_run *run)
{
    struct explained_point point = point_of(run);
    g_autofree char *sum = explained_sum(point.of);
    g_autofree char *why = explain_why(point.of, MOST_REASONS);
    shown_print(stdout, "%s\n\n", run->name);
    show_table(explained_table(point.of));
    show_table(explained_components(point.of));
    shown_print(stdout, "%s\n", sum);
    g_autofree char *place = explained_first_place(point.of);
    if (run->measured)
        shown_print(stdout, "The workload's %s%s\n", run->measured, place ? place : "");
    g_autofree char *others = explanation_others(run->explanation, run->chosen);
    if (others)
        shown_print(stdout, "Measured as well (--of): %s\n", others);
    const struct agent_kind *kind = point.of->design ? design_server_kind(point.of->design) : NULL;
    bool is_cached = run->cache && kind && kind->pool == CORES_OF_CP;
    shown_print(stdout, "\n%s%s%s\n", why, is_cached ? run->cache : "", is_cached ? "\n" : "");
    show_path(run);
}

static bool write_output(const struct explain_request *request, const struct study *study,
                         const GArray *runs, GError **error)
{
    g_autofree struct explained_point *points = g_new(struct explained_point, runs->len);
    for (guint i = 0; i < runs->len; i++)
        points[i] = point_of(&g_array_index(runs, struct explained_run, i));
    struct table *bars = explained_bars(points, runs->len);
    const char *inputs[] = {study->path, NULL};
    const struct output_rules rules = {.force = request->force, .inputs = inputs};
    const char *ending = strrchr(request->output, '.') + 1;
    bool good = false;
    if (strcmp(ending, "csv") == 0 || strcmp(ending, "json") == 0) {
        g_autofree char *text = *ending == 'c' ? export_csv(bars) : export_json(bars);
        good = output_write(request->output, text, strlen(text), &rules, error);
    } else {
        struct figure *figure = explained_figure(bars, study->title, error);
        gsize length;
        const char *content =
            figure ? g_bytes_get_data(figure_bytes(figure, ending), &length) : NULL;
        good = figure && output_write(request->output, content, length, &rules, error);
        figure_free(figure);
    }
    table_free(bars);
    return good;
}

static bool show_difference(struct study *study, const GArray *runs, GError **error)
{
    struct explained_point points[2];
    struct machine *machines[2] = {NULL, NULL};
    bool good = true;
    for (guint i = 0; good && i < 2; i++) {
        const struct explained_run *run = &g_array_index(runs, struct explained_run, i);
        points[i] = point_of(run);
        points[i].machine = machines[i] = study_machine(study, run->point, error);
        good = machines[i] != NULL;
    }
    g_autofree char *difference = good ? explain_difference(&points[0], &points[1]) : NULL;
    if (good)
        shown_print(stdout, "%s", difference);
    for (guint i = 0; good && i < 2; i++) {
        const struct explained_run *run = &g_array_index(runs, struct explained_run, i);
        points[i].of = path_of(run);
        good = points[i].of != NULL;
    }
    g_autofree char *paths = good ? explain_difference(&points[0], &points[1]) : NULL;
    if (paths)
        shown_print(stdout, "\nAlong the critical paths:\n%s", paths);
    for (int i = 0; i < 2; i++)
        machine_free(machines[i]);
    return machines[0] && machines[1];
}

static bool explain(const char *path, const struct explain_request *request, GArray *runs,
                    GError **error)
{
    struct study *study = study_load(path, (const char *const *)request->overrides, error);
    g_auto(GStrv) inputs = study ? outputs_inputs(study, path, NULL) : NULL;
    const struct output_rules rules = {.force = request->force,
                                       .inputs = (const char *const *)inputs};
    if (study)
        study_set_stats(study, true);
    bool good = study &&
                (!request->output || output_prepare_file(request->output, &rules, error)) &&
                run_all(study, request, runs, error);
    for (guint i = 0; good && i < runs->len; i++) {
        show_run(&g_array_index(runs, struct explained_run, i));
        good = show_parts(&g_array_index(runs, struct explained_run, i), request->by, error);
    }
    bool is_pair = request->points && g_strv_length(request->points) == 2 && runs->len == 2;
    good = good && (!is_pair || show_difference(study, runs, error));
    good = good && (!request->output || write_output(request, study, runs, error));
    study_free(study);
    return good;
}

int cmd_explain(const struct command *command, int argc, char **argv)
{
    struct explain_request request = {.points = NULL};
    GError *error = NULL;
    GArray *runs = g_array_new(FALSE, FALSE, sizeof(struct explained_run));
    g_array_set_clear_func(runs, run_clear);
    bool good =
        parse(command, &argc, &argv, &request, &error) && explain(argv[1], &request, runs, &error);
    g_array_unref(runs);
    g_strfreev(request.points);
    g_strfreev(request.overrides);
    g_free(request.output);
    g_free(request.by);
    g_free(request.of);
    return good ? EXIT_CODE_OK : command_fail(error);
}
