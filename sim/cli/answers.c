/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/answers.h"

#include <stdio.h>
#include <string.h>

#include "cli/outputs.h"
#include "core/error.h"
#include "core/shown.h"
#include "script/script.h"
#include "study/figure/plot.h"
#include "study/table/output.h"

bool answers_check(const struct run_options *options, const char *endings, GError **error)
{
    g_auto(GStrv) known = g_strsplit_set(endings, ", ", -1);
    for (char **output = options->outputs; output && *output; output++) {
        const char *ending = strrchr(*output, '.');
        if (!ending || !g_strv_contains((const char *const *)known, ending))
            return error_set(error, "-o %s: the name ends in %s", *output, endings);
    }
    return true;
}

bool answers_prepare(const struct run_options *options, const struct study *study, const char *path,
                     GError **error)
{
    g_auto(GStrv) inputs = outputs_inputs(study, path, options->store);
    g_autoptr(GPtrArray) planned = g_ptr_array_new_with_free_func(g_free);
    const struct output_rules rules = {
        .force = options->force, .inputs = (const char *const *)inputs, .planned = planned};
    for (char **output = options->outputs; output && *output; output++)
        if (!output_prepare_file(*output, &rules, error))
            return false;
    return true;
}

struct variants *answers_variants(const struct run_options *options, const char *path,
                                  struct runner_options *resolved, GError **error)
{
    struct study *study = study_load(path, (const char *const *)options->overrides, error);
    if (!study)
        return NULL;
    if (answers_prepare(options, study, path, error) &&
        run_options_resolve(options, resolved, error))
        return variants_new(study, resolved);
    study_free(study);
    return NULL;
}

/* The texts of an answer. */
enum { SHOWN, CSV, JSON, SCRIPTS };

/* The text for a file of that name; NULL: it is a figure. */
static const char *text_for(const char *output, char *const *texts)
{
    return g_str_has_suffix(output, ".csv")    ? texts[CSV]
           : g_str_has_suffix(output, ".json") ? texts[JSON]
                                               : NULL;
}

bool answers_draw(const struct run_options *options)
{
    static char none[] = "", *const texts[] = {none, none, none};
    for (char **output = options->outputs; output && *output; output++)
        if (!text_for(*output, texts))
            return true;
    return false;
}

static bool write_figure(const char *output, char *const *scripts, const struct output_rules *rules,
                         GError **error)
{
    struct figure *figure = figure_draw(scripts, error);
    if (!figure)
        return false;
    gsize length;
    const char *content = g_bytes_get_data(figure_bytes(figure, strrchr(output, '.') + 1), &length);
    bool good = output_write(output, content, length, rules, error);
    figure_free(figure);
    return good;
}

bool answers_give(const struct run_options *options, const char *path, char *const *texts,
                  GError **error)
{
    const char *inputs[] = {path, options->store, NULL};
    const struct output_rules rules = {.force = options->force, .inputs = inputs};
    bool good = true;
    if (options->as_json)
        fputs(texts[JSON], stdout);
    else
        shown_print(stdout, "%s", texts[SHOWN]);
    for (char **output = options->outputs; good && output && *output; output++) {
        const char *text = text_for(*output, texts);
        good = text ? output_write(*output, text, strlen(text), &rules, error)
                    : write_figure(*output, texts + SCRIPTS, &rules, error);
    }
    return good;
}
