/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim explain FILE.lua --point AXIS=VALUE,... : where the time of a point goes, and why. */
#include <stdio.h>
#include <string.h>

#include "cli/answers.h"
#include "cli/apart.h"
#include "cli/command.h"
#include "core/error.h"
#include "core/shown.h"
#include "script/script.h"
#include "script/study/point.h"
#include "script/views/views.h"
#include "study/explain/bars.h"
#include "study/model/select.h"
#include "study/table/export.h"

/* Nobody reads more, and each is simulated. */
#define MOST_POINTS 64

struct explain_request {
    struct run_options common;
    char *by, *of;
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
    const GOptionEntry own[] = {
        {"point", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->common.points,
         "The points with these values of axes; given twice with one point each, the two are "
         "compared",
         "AXIS=VALUE,..."},
        {"of", 0, 0, G_OPTION_ARG_STRING, &request->of,
         "Explain other measured operations: messages within iterations, gets beside "
         "messages",
         "PATH"},
        {"by", 0, 0, G_OPTION_ARG_STRING, &request->by,
         "For an application: one row for each place (its rank or kernel, and GPU), or "
         "for each iteration",
         "place|iteration"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &request->common.outputs,
         "Draw the stages as stacked bars, one for each point, or write them as a table",
         "FILE.svg|png|pdf|csv|json"},
        {0},
    };
    g_autofree GOptionEntry *entries = run_options_entries(&request->common, "set seed force", own);
    if (!command_parse(command, argc, argv, entries, 1, 1, error))
        return false;
    if (request->by && strcmp(request->by, "place") != 0 && strcmp(request->by, "iteration") != 0)
        return error_set(error, "--by %s: accepted are place and iteration", request->by);
    return run_options_check_seed(&request->common, error) &&
           answers_check(&request->common, ".svg, .png, .pdf, .csv or .json", error);
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

/* measured, cache; explanation */
#define RUN_TYPE "(msmsa" EXPLAINED_TYPE ")"

static GVariant *pack_run(void *context, const struct row *row)
{
    struct explanation *explanation = context;
    g_autofree char *measured = measured_of(row), *cache = explain_cache(row->stats);
    explanation_follow(explanation);
    return g_variant_new("(msms@a" EXPLAINED_TYPE ")", measured, cache,
                         explanation_pack(explanation));
}

static void take_run(struct explained_run *run, GVariant *packed)
{
    g_autoptr(GVariant) explanation = g_variant_get_child_value(packed, 2);
    g_variant_get_child(packed, 0, "ms", &run->measured);
    g_variant_get_child(packed, 1, "ms", &run->cache);
    run->explanation = explanation_unpack(explanation);
}

static bool run_point(struct study *study, guint point, const struct explain_request *request,
                      GArray *runs, GError **error)
{
    struct explained_run run = {.name = point_label(study, point), .point = point};
    struct explanation *explanation = explanation_new();
    const struct apart_point call = {.study = study,
                                     .point = point,
                                     .seed = run_options_seed(&request->common),
                                     .listener = &explanation->listener,
                                     .pack = pack_run,
                                     .context = explanation,
                                     .type = RUN_TYPE};
    g_autoptr(GVariant) packed = apart_run(&call, error);
    explanation_free(explanation);
    if (packed)
        take_run(&run, packed);
    bool good = packed && choose(&run, request->of, error);
    g_array_append_val(runs, run);
    return good;
}

static bool run_all(struct study *study, const struct explain_request *request, GArray *runs,
                    GError **error)
{
    g_autoptr(GArray) points =
        run_options_points(&request->common, study, MOST_POINTS, "explained at a time", error);
    bool good = points != NULL;
    for (guint i = 0; good && i < points->len; i++)
        good = run_point(study, g_array_index(points, guint, i), request, runs, error);
    return good;
}

/* --- showing ----------------------------------------------------------------------------------- */

static struct explained_point point_of(const struct explained_run *run)
{
    return (struct explained_point){run->name, run->chosen};
}

/* Prints what a function of views/explain.lua says. */
static bool say(const char *function, GVariant *arguments, const char *before, GError **error)
{
    g_auto(GStrv) texts = views_texts("explain", function, arguments, error);
    if (texts)
        shown_print(stdout, "%s%s", before, texts[0]);
    return texts != NULL;
}

/* An application by place or iteration. */
static bool show_parts(const struct explained_run *run, const char *by, GError **error)
{
    const struct explained *of = by ? explanation_of(run->explanation, "iterations") : NULL;
    if (by && !of)
        return error_set(error, "--by %s: at %s no application runs that has iterations", by,
                         run->name);
    return !by || say("parts", g_variant_new("(@a{sv}s)", explained_value(of), by), "", error);
}

/* The critical path of an application's iterations: where the time of what they waited for went; NULL: none. */
static const struct explained *path_of(const struct explained_run *run)
{
    bool is_main = run->chosen == explanation_main(run->explanation);
    const struct explained *iterations =
        is_main ? explanation_of(run->explanation, "iterations") : run->chosen;
    return iterations ? explanation_path(run->explanation, iterations) : NULL;
}

static bool show_run(const struct explained_run *run, GError **error)
{
    const struct explained *of = run->chosen, *path = path_of(run);
    const struct agent_kind *kind = of->design ? design_server_kind(of->design) : NULL;
    g_autofree char *others = explanation_others(run->explanation, of);
    GVariantBuilder value;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    views_add_text(&value, "name", run->name);
    views_add_text(&value, "measured", run->measured);
    views_add_text(&value, "others", others);
    views_add_text(&value, "cache", kind && kind->pool == CORES_OF_CP ? run->cache : NULL);
    g_variant_builder_add(&value, "{sv}", "chosen", explained_value(of));
    if (path)
        g_variant_builder_add(&value, "{sv}", "path", explained_value(path));
    return say("point", g_variant_new("(a{sv})", &value), "", error);
}

struct drawn_bars {
    const struct table *bars;
    const char *title;
};

static struct figure *draw_bars(const void *of, GError **error)
{
    const struct drawn_bars *drawn = of;
    return explained_figure(drawn->bars, drawn->title, error);
}

static bool write_outputs(const struct explain_request *request, const struct study *study,
                          const GArray *runs, GError **error)
{
    g_autofree struct explained_point *points = g_new(struct explained_point, runs->len);
    for (guint i = 0; i < runs->len; i++)
        points[i] = point_of(&g_array_index(runs, struct explained_run, i));
    struct table *bars = explained_bars(points, runs->len);
    g_autofree char *csv = export_csv(bars), *json = export_json(bars);
    const struct drawn_bars drawn = {bars, study->title};
    const struct answer answer = {csv, json, draw_bars, &drawn};
    bool good = answers_write(&request->common, study->path, &answer, error);
    table_free(bars);
    return good;
}

/* "gpu.clock (1GHz, 2GHz)" for each parameter in which the machines differ. */
static void add_differing(GVariantBuilder *texts, const struct machine *a, const struct machine *b)
{
    for (guint i = 0; i < a->provenance->len; i++) {
        const struct provenance *one = g_ptr_array_index(a->provenance, i),
                                *other = g_ptr_array_index(b->provenance, i);
        g_autofree char *text = g_strdup_printf("%s (%s, %s)", one->path, one->value, other->value);
        if (strcmp(one->value, other->value) != 0)
            g_variant_builder_add(texts, "^ay", text);
    }
}

/* `of`: what is explained of each run. */
static bool say_difference(const GArray *runs, const struct explained *const *of,
                           GVariantBuilder *machines, const char *before, GError **error)
{
    GVariant *points[2];
    for (guint i = 0; i < 2; i++) {
        GVariantBuilder point;
        g_variant_builder_init(&point, G_VARIANT_TYPE_VARDICT);
        views_add_text(&point, "name", g_array_index(runs, struct explained_run, i).name);
        g_variant_builder_add(&point, "{sv}", "of", explained_value(of[i]));
        points[i] = g_variant_builder_end(&point);
    }
    return say("difference", g_variant_new("(@a{sv}@a{sv}aay)", points[0], points[1], machines),
               before, error);
}

static bool show_difference(struct study *study, const GArray *runs, GError **error)
{
    const struct explained_run *one = &g_array_index(runs, struct explained_run, 0),
                               *other = &g_array_index(runs, struct explained_run, 1);
    const struct explained *const chosen[2] = {one->chosen, other->chosen}, *const paths[2] = {
                                                                                path_of(one),
                                                                                path_of(other)};
    struct machine *a = study_machine(study, one->point, error);
    struct machine *b = a ? study_machine(study, other->point, error) : NULL;
    bool good = b != NULL;
    for (int i = 0; good && i < (paths[0] && paths[1] ? 2 : 1); i++) {
        GVariantBuilder machines;
        g_variant_builder_init(&machines, G_VARIANT_TYPE("aay"));
        add_differing(&machines, a, b);
        good = say_difference(runs, i ? paths : chosen, &machines,
                              i ? "\nAlong the critical paths:\n" : "", error);
    }
    machine_free(a);
    machine_free(b);
    return good;
}

static bool explain(const char *path, const struct explain_request *request, GArray *runs,
                    GError **error)
{
    char **points = request->common.points;
    struct study *study = study_load(path, (const char *const *)request->common.overrides, error);
    if (study)
        study_set_stats(study, true);
    bool good = study && answers_prepare(&request->common, study, path, error) &&
                run_all(study, request, runs, error);
    for (guint i = 0; good && i < runs->len; i++) {
        const struct explained_run *run = &g_array_index(runs, struct explained_run, i);
        good = show_run(run, error) && show_parts(run, request->by, error);
    }
    bool is_pair = points && g_strv_length(points) == 2 && runs->len == 2;
    good = good && (!is_pair || show_difference(study, runs, error)) &&
           (!request->common.outputs || write_outputs(request, study, runs, error));
    study_free(study);
    return good;
}

int cmd_explain(const struct command *command, int argc, char **argv)
{
    struct explain_request request = {.common = RUN_OPTIONS_DEFAULT};
    GError *error = NULL;
    GArray *runs = g_array_new(FALSE, FALSE, sizeof(struct explained_run));
    g_array_set_clear_func(runs, run_clear);
    bool good =
        parse(command, &argc, &argv, &request, &error) && explain(argv[1], &request, runs, &error);
    g_array_unref(runs);
    return good ? EXIT_CODE_OK : command_fail(error);
}
