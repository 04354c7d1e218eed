/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim explain FILE.lua --point AXIS=VALUE,... : where the time of a point goes, and why. */
#include <stdio.h>
#include <string.h>

#include "cli/answers.h"
#include "cli/apart.h"
#include "cli/command.h"
#include "core/error.h"
#include "script/script.h"
#include "script/study/point.h"
#include "script/views/views.h"
#include "study/explain/explain.h"
#include "study/model/select.h"
#include "study/rehearsal.h"

/* Nobody reads more, and each is simulated. */
#define MOST_POINTS 64

struct explain_request {
    struct run_options common;
    char *by, *of;
};

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

struct observed_point {
    const char *name;
    struct view_listener *explanation;
};

static GVariant *pack_run(void *context, const struct row *row)
{
    struct observed_point *point = context;
    g_autoptr(GError) fault = NULL;
    g_autofree char *measured = measured_of(row);
    g_autofree char *seen = view_listener_result(point->explanation, &fault);
    GVariantBuilder run;
    g_variant_builder_init(&run, G_VARIANT_TYPE_VARDICT);
    views_add_text(&run, "name", point->name);
    views_add_text(&run, "measured", measured);
    views_add_text(&run, "stats", row->stats);
    views_add_text(&run, "observed", seen);
    views_add_text(&run, "fault", fault ? fault->message : NULL);
    return g_variant_builder_end(&run);
}

/* What was observed at a point; NULL and one sentence if it failed. */
static GVariant *run_point(struct study *study, guint point, const struct explain_request *request,
                           GError **error)
{
    g_autofree char *name = point_label(study, point);
    struct observed_point observed = {name, explanation_new(error)};
    if (!observed.explanation)
        return NULL;
    const struct apart_point call = {.study = study,
                                     .point = point,
                                     .seed = run_options_seed(&request->common),
                                     .listener = view_listener_of(observed.explanation),
                                     .pack = pack_run,
                                     .context = &observed,
                                     .type = "a{sv}"};
    GVariant *run = apart_run(&call, error);
    view_listener_free(observed.explanation);
    return run;
}

/* --- asking views/explain.lua ------------------------------------------------------------------ */

/* "gpu.clock (1GHz, 2GHz)" for each parameter in which the machines differ. */
static GVariant *differing(const struct machine *a, const struct machine *b)
{
    GVariantBuilder texts;
    g_variant_builder_init(&texts, G_VARIANT_TYPE("aay"));
    for (guint i = 0; i < a->provenance->len; i++) {
        const struct provenance *one = g_ptr_array_index(a->provenance, i),
                                *other = machine_find(b, one->path);
        const char *value = other ? other->value : "not said";
        g_autofree char *text = g_strdup_printf("%s (%s, %s)", one->path, one->value, value);
        if (strcmp(one->value, value) != 0)
            g_variant_builder_add(&texts, "^ay", text);
    }
    for (guint i = 0; i < b->provenance->len; i++) {
        const struct provenance *other = g_ptr_array_index(b->provenance, i);
        g_autofree char *text = g_strdup_printf("%s (not said, %s)", other->path, other->value);
        if (machine_find(a, other->path) == NULL)
            g_variant_builder_add(&texts, "^ay", text);
    }
    return g_variant_builder_end(&texts);
}

/* Two points that are given by themselves are compared. */
static bool add_machines(GVariantBuilder *asked, const struct explain_request *request,
                         struct study *study, const GArray *points, GError **error)
{
    if (points->len != 2 || !request->common.points || g_strv_length(request->common.points) != 2)
        return true;
    struct machine *one = study_machine(study, g_array_index(points, guint, 0), error);
    struct machine *other =
        one ? study_machine(study, g_array_index(points, guint, 1), error) : NULL;
    if (other)
        g_variant_builder_add(asked, "{sv}", "machines", differing(one, other));
    machine_free(one);
    machine_free(other);
    return other != NULL;
}

/* What it is asked; NULL and one sentence if a machine cannot be made. */
static GVariant *asked(const struct explain_request *request, struct study *study,
                       const GArray *points, GError **error)
{
    GVariantBuilder asked;
    g_variant_builder_init(&asked, G_VARIANT_TYPE_VARDICT);
    views_add_text(&asked, "of", request->of);
    views_add_text(&asked, "by", request->by);
    views_add_text(&asked, "title", study->title);
    g_variant_builder_add(&asked, "{sv}", "draws",
                          g_variant_new_boolean(answers_draw(&request->common)));
    if (add_machines(&asked, request, study, points, error))
        return g_variant_builder_end(&asked);
    g_variant_builder_clear(&asked);
    return NULL;
}

/* Whether the operations that --of names are among those of the run: said before the next one. */
static bool has_operations(GVariant *run, GVariant *asked, GError **error)
{
    g_auto(GStrv) none =
        views_texts("explain", "check", g_variant_new("(@a{sv}@a{sv})", run, asked), error);
    return none != NULL;
}

static bool run_all(struct study *study, const GArray *points,
                    const struct explain_request *request, GVariant *asked, GVariantBuilder *runs,
                    GError **error)
{
    bool good = true;
    for (guint i = 0; good && i < points->len; i++) {
        g_autoptr(GVariant) run = run_point(study, g_array_index(points, guint, i), request, error);
        good = run && (!request->of || has_operations(run, asked, error));
        if (good)
            g_variant_builder_add_value(runs, run);
    }
    return good;
}

static bool explain_points(struct study *study, const struct explain_request *request,
                           GError **error)
{
    g_auto(GVariantBuilder) runs = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE("aa{sv}"));
    g_autoptr(GArray) points =
        run_options_points(&request->common, study, MOST_POINTS, "explained at a time", error);
    g_autoptr(GVariant) question = points ? asked(request, study, points, error) : NULL;
    if (!question)
        return false;
    g_variant_ref_sink(question);
    if (!run_all(study, points, request, question, &runs, error))
        return false;
    g_auto(GStrv) texts =
        views_texts("explain", "answer", g_variant_new("(aa{sv}@a{sv})", &runs, question), error);
    return texts && answers_give(&request->common, study->path, texts, error);
}

static bool explain(const char *path, const struct explain_request *request, GError **error)
{
    struct study *study = study_load(path, (const char *const *)request->common.overrides, error);
    if (study)
        study_set_stats(study, true);
    bool good = study && rehearse_apart(study, false, error) &&
                answers_prepare(&request->common, study, path, error) &&
                explain_points(study, request, error);
    study_free(study);
    return good;
}

int cmd_explain(const struct command *command, int argc, char **argv)
{
    struct explain_request request = {.common = RUN_OPTIONS_DEFAULT};
    GError *error = NULL;
    bool good =
        parse(command, &argc, &argv, &request, &error) && explain(argv[1], &request, &error);
    return good ? EXIT_CODE_OK : command_fail(error);
}
