/* Outputs: one row a format. */
#include "cli/outputs.h"

#include <string.h>

#include "cli/command.h"
#include "study/export.h"
#include "study/osu.h"
#include "study/output.h"
#include "study/sqlite_export.h"

enum form { FORM_TEXT, FORM_FIGURE, FORM_FILE };

static const struct format {
    const char *name;
    enum form form;
    char *(*text)(const struct experiment *experiment, GError **error); /* FORM_TEXT */
} formats[] = {
    {"csv", FORM_TEXT, NULL},     {"json", FORM_TEXT, NULL},   {"tsv", FORM_TEXT, NULL},
    {"osu", FORM_TEXT, osu_text}, {"sqlite", FORM_FILE, NULL}, {"svg", FORM_FIGURE, NULL},
    {"png", FORM_FIGURE, NULL},   {"pdf", FORM_FIGURE, NULL},
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

bool outputs_prepare(char *const *outputs, GError **error)
{
    const char *file;
    for (; outputs && *outputs; outputs++) {
        const struct format *format = find_format(*outputs, &file);
        if (!format)
            return command_misuse(error, "-o %s: accepted are " OUTPUTS_FORMS, *outputs);
        if (format->form == FORM_FILE && strcmp(file, "-") == 0)
            return command_misuse(error, "-o %s: this cannot go to standard output", *outputs);
        if (!output_prepare_file(file, error))
            return false;
    }
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
    if (format->text)
        return format->text(experiment, error);
    if (strcmp(format->name, "json") == 0)
        return export_json(experiment->table);
    return strcmp(format->name, "tsv") == 0 ? export_tsv(experiment->table)
                                            : export_csv(experiment->table);
}

/* The first figure into `file`; where there are several, the others beside it: name-2.pdf. */
static bool write_figures(const char *format, const char *file, struct experiment *experiment,
                          GError **error)
{
    if (experiment->study->plot_count == 0)
        return command_misuse(error, "-o %s:%s: the study has no plot", format, file);
    if (!experiment->figures[0] && !experiment_draw(experiment, error))
        return false;
    for (size_t i = 0; i < experiment->study->plot_count; i++) {
        const char *dot = strrchr(file, '.');
        int stem = dot ? (int)(dot - file) : (int)strlen(file);
        g_autofree char *path =
            i == 0 ? g_strdup(file)
                   : g_strdup_printf("%.*s-%zu%s", stem, file, i + 1, dot ? dot : "");
        gsize length;
        const char *content =
            g_bytes_get_data(figure_bytes(experiment->figures[i], format), &length);
        if (!output_write(path, content, length, error))
            return false;
    }
    return true;
}

static bool write_one(const struct format *format, const char *file, struct experiment *experiment,
                      GError **error)
{
    if (format->form == FORM_FIGURE)
        return write_figures(format->name, file, experiment, error);
    if (format->form == FORM_FILE)
        return sqlite_export(experiment->table, file, error);
    g_autofree char *text = make_text(format, experiment, error);
    return text && output_write(file, text, strlen(text), error);
}

bool outputs_write(char *const *outputs, struct experiment *experiment, GError **error)
{
    const char *file;
    for (; outputs && *outputs; outputs++) {
        const struct format *format = find_format(*outputs, &file);
        if (!write_one(format, file, experiment, error))
            return false;
    }
    return true;
}
