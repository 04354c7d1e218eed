/* SPDX-License-Identifier: BSD-3-Clause */
/* Outputs: one row a format. */
#include "script/commands/outputs.h"

#include <string.h>

#include "core/error.h"
#include "script/commands/command.h"
#include "script/script.h"
#include "script/views/export.h"
#include "script/views/views.h"
#include "study/model/measured.h"
#include "study/results_text.h"
#include "study/store/sqlite_export.h"
#include "study/table/output.h"

enum form { FORM_TEXT, FORM_FIGURE, FORM_FILE };

/* The Lua file that the study makes of all its results. */
static char *lua_text(const struct experiment *experiment, GError **error)
{
    const char *of = experiment->conclusion ? experiment->conclusion : "";
    if (experiment->claim_failure)
        return error_set(error, "%s", experiment->claim_failure), NULL;
    g_auto(GStrv) texts = views_texts("conclusion", "lua", g_variant_new("(^ay)", of), error);
    return texts ? g_strdup(texts[0]) : NULL;
}

static const struct format {
    const char *name;
    enum form form;
    char *(*text)(const struct experiment *experiment, GError **error); /* FORM_TEXT */
} formats[] = {
    {"csv", FORM_TEXT, NULL},     {"json", FORM_TEXT, NULL},    {"tsv", FORM_TEXT, NULL},
    {"osu", FORM_TEXT, osu_text}, {"sqlite", FORM_FILE, NULL},  {"svg", FORM_FIGURE, NULL},
    {"png", FORM_FIGURE, NULL},   {"pdf", FORM_FIGURE, NULL},   {"pdf-180mm", FORM_FIGURE, NULL},
    {"gp", FORM_FIGURE, NULL},    {"lua", FORM_TEXT, lua_text},
};

/* The format of "csv:FILE" and the FILE; NULL if there is no such format, or no file. */
static const struct format *find_format(const char *output, const char **file)
{
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        size_t length = strlen(formats[i].name);
        *file = output + length + 1;
        if (strncmp(output, formats[i].name, length) == 0 && output[length] == ':' && **file)
            return &formats[i];
    }
    return NULL;
}

/* The file of figure `number`: the first one's is `file`, the others' are beside it: name-2.pdf. */
static char *figure_file(const char *file, size_t number)
{
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    int stem = dot && dot > slash ? (int)(dot - file) : (int)strlen(file);
    if (number == 0 || strcmp(file, "-") == 0)
        return g_strdup(file);
    return g_strdup_printf("%.*s-%zu%s", stem, file, number + 1, file + stem);
}

char **outputs_inputs(const struct study *study, const char *file, const char *store)
{
    g_autoptr(GStrvBuilder) inputs = g_strv_builder_new();
    g_autoptr(GPtrArray) files = study_files(study);
    g_strv_builder_add(inputs, file);
    for (guint i = 0; i < files->len; i++)
        g_strv_builder_add(inputs, ((const struct study_file *)g_ptr_array_index(files, i))->path);
    for (size_t i = 0; i < study->measured_count; i++)
        g_strv_builder_add(inputs, study->measured[i].path);
    if (store)
        g_strv_builder_add(inputs, store);
    return g_strv_builder_end(inputs);
}

static bool prepare_one(const char *output, const struct study *study,
                        const struct output_rules *rules, GError **error)
{
    const char *file;
    const struct format *format = find_format(output, &file);
    if (!format)
        return error_set(error, "-o %s: accepted are " OUTPUTS_FORMS, output);
    if (format->form == FORM_FILE && strcmp(file, "-") == 0)
        return error_set(error, "-o %s: this cannot go to standard output", output);
    size_t count = format->form == FORM_FIGURE ? MAX(study->plot_count, 1) : 1;
    for (size_t i = 0; i < count; i++) {
        g_autofree char *path = figure_file(file, i);
        if (!output_prepare_file(path, rules, error))
            return false;
    }
    return true;
}

bool outputs_prepare(char *const *outputs, const struct study *study,
                     const struct output_rules *rules, GError **error)
{
    for (; outputs && *outputs; outputs++) {
        if (!prepare_one(*outputs, study, rules, error))
            return false;
    }
    return true;
}

bool outputs_spare_store(char *const *outputs, const char *store, GError **error)
{
    const char *file;
    for (; store && outputs && *outputs; outputs++)
        if (find_format(*outputs, &file) && output_is_same_file(file, store))
            return error_set(error, "cannot write %s: this command reads it (--store)", file);
    return true;
}

bool outputs_use_stdout(char *const *outputs)
{
    const char *file;
    for (; outputs && *outputs; outputs++) {
        if (find_format(*outputs, &file) && strcmp(file, "-") == 0)
            return true;
    }
    return false;
}

static char *make_text(const struct format *format, const struct experiment *experiment,
                       GError **error)
{
    return format->text ? format->text(experiment, error)
                        : export_text(experiment->table, format->name);
}

static bool write_figures(const char *format, const char *file, struct experiment *experiment,
                          const struct output_rules *rules, GError **error)
{
    if (experiment->study->plot_count == 0)
        return error_set(error, "-o %s:%s: the study has no plot", format, file);
    if (!experiment->figures[0] && !experiment_draw(experiment, error))
        return false;
    for (size_t i = 0; i < experiment->study->plot_count; i++) {
        g_autofree char *path = figure_file(file, i);
        gsize length;
        const char *content =
            g_bytes_get_data(figure_bytes(experiment->figures[i], format), &length);
        if (!output_write(path, content, length, rules, error))
            return false;
    }
    return true;
}

static bool write_one(const struct format *format, const char *file, struct experiment *experiment,
                      const struct output_rules *rules, GError **error)
{
    if (format->form == FORM_FIGURE)
        return write_figures(format->name, file, experiment, rules, error);
    if (format->form == FORM_FILE)
        return sqlite_export(experiment->table, file, rules, error);
    g_autofree char *text = make_text(format, experiment, error);
    return text && output_write(file, text, strlen(text), rules, error);
}

bool outputs_write(char *const *outputs, struct experiment *experiment,
                   const struct output_rules *rules, GError **error)
{
    const char *file;
    for (; outputs && *outputs; outputs++) {
        const struct format *format = find_format(*outputs, &file);
        if (!write_one(format, file, experiment, rules, error))
            return false;
    }
    return true;
}
