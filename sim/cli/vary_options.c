/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/vary_options.h"

#include <string.h>

#include "cli/command.h"
#include "cli/outputs.h"
#include "core/error.h"
#include "script/script.h"
#include "study/model/select.h"

void vary_options_add(struct vary_options *options, GArray *entries)
{
    struct run_options *run = &options->run;
    const GOptionEntry list[] = {
        {"point", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->points,
         "The points with these values of axes", "AXIS=VALUE,..."},
        {"measure", 0, 0, G_OPTION_ARG_STRING, &options->measure,
         "The measure to examine (default: latency or time, otherwise the first)", "NAME"},
        COMMAND_SET(&options->overrides),
        {"workers", 'j', 0, G_OPTION_ARG_INT, &run->workers,
         "Points run at a time (default: one per core)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &run->seed, "Master seed (default: 1)", "N"},
        {"store", 0, 0, G_OPTION_ARG_FILENAME, &run->store,
         "Keep results here; points that it already has are not run again", "FILE.db"},
        {"progress", 0, 0, G_OPTION_ARG_STRING, &run->progress,
         "auto (a bar on a terminal), plain, json or none", "MODE"},
        RUN_OPTIONS_FORCE(&run->force),
        COMMAND_JSON(&options->as_json),
    };
    g_array_append_vals(entries, list, G_N_ELEMENTS(list));
}

void vary_options_clear(struct vary_options *options)
{
    run_options_clear(&options->run);
    g_strfreev(options->points);
    g_strfreev(options->overrides);
    g_strfreev(options->outputs);
    g_free(options->measure);
}

bool vary_options_check_outputs(const struct vary_options *options, const char *const *endings,
                                GError **error)
{
    for (char **output = options->outputs; output && *output; output++) {
        const char *ending = strrchr(*output, '.');
        g_autofree char *known = g_strjoinv(", ", (char **)(uintptr_t)endings);
        if (!ending || !g_strv_contains(endings, ending))
            return error_set(error, "-o %s: the name ends in one of %s", *output, known);
    }
    return true;
}

static GArray *select_points(const struct vary_options *options, const struct study *study,
                             GError **error)
{
    static char *all[] = {NULL};
    GArray *points = g_array_new(FALSE, FALSE, sizeof(guint));
    char **texts = options->points ? options->points : all;
    guint i = 0;
    do {
        g_autoptr(GArray) some = points_select(study, texts[i], error);
        if (!some) {
            g_array_unref(points);
            return NULL;
        }
        g_array_append_vals(points, some->data, some->len);
    } while (texts[i] && texts[++i]);
    return points;
}

static bool prepare_outputs(const struct vary_options *options, const struct study *study,
                            const char *path, GError **error)
{
    g_auto(GStrv) inputs = outputs_inputs(study, path, options->run.store);
    g_autoptr(GPtrArray) planned = g_ptr_array_new_with_free_func(g_free);
    const struct output_rules rules = {
        .force = options->run.force, .inputs = (const char *const *)inputs, .planned = planned};
    for (char **output = options->outputs; output && *output; output++)
        if (!output_prepare_file(*output, &rules, error))
            return false;
    return true;
}

struct variants *vary_options_open(const struct vary_options *options, const char *path,
                                   struct runner_options *resolved, GArray **points, GError **error)
{
    struct study *study = study_load(path, (const char *const *)options->overrides, error);
    if (!study)
        return NULL;
    *points = select_points(options, study, error);
    if (*points && prepare_outputs(options, study, path, error) &&
        run_options_resolve(&options->run, resolved, error))
        return variants_new(study, resolved);
    study_free(study);
    return NULL;
}

bool vary_options_write(const struct vary_options *options, const char *output, const char *text,
                        size_t length, const char *path, GError **error)
{
    const char *inputs[] = {path, options->run.store, NULL};
    const struct output_rules rules = {.force = options->run.force, .inputs = inputs};
    return output_write(output, text, length, &rules, error);
}
