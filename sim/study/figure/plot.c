/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures.
 *
 * gnuplot gets a folder of its own with the data and a driver script that sets what differs from
 * figure to figure (places, labels, ticks, names of the series); how figures look is written in plots/
 * alone. One process draws a figure in all formats, and they come back as bytes. */
#include "study/figure/plot.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/home.h"
#include "study/figure/plot_script.h"
#include "study/figure/sheet.h"
#include "study/system/ending.h"
#include "study/system/leftover.h"

/* Widths in em: 88 mm with letters of 7 points, 180 mm with letters of 8 points, 800 dots with letters of 13. */
static const struct figure_page pages[FIGURE_FORMATS] = {
    [FIGURE_SVG] = {"figure.svg", "svg", 800 / 13.0},
    [FIGURE_PNG] = {"figure.png", "png", 800 / 13.0},
    [FIGURE_PDF] = {"figure.pdf", "pdf", 88 / 25.4 * 72 / 7},
    [FIGURE_PDF_WIDE] = {"figure-180mm.pdf", "pdf-180mm", 180 / 25.4 * 72 / 8},
};

const char *figure_format_name(enum figure_format format)
{
    return pages[format].terminal;
}

const char *figure_format_ending(enum figure_format format)
{
    return pages[format].name + strlen("figure");
}

GBytes *figure_bytes(const struct figure *figure, const char *format)
{
    int number = 0;
    while (strcmp(pages[number].terminal, format) != 0)
        number++;
    return figure->formats[number];
}

void figure_free(struct figure *figure)
{
    if (!figure)
        return;
    for (int i = 0; i < FIGURE_FORMATS; i++)
        g_clear_pointer(&figure->formats[i], g_bytes_unref);
    g_free(figure);
}

#define FOLDER_PREFIX "gpunetsim-figure-"

/* --- running gnuplot -------------------------------------------------------------------------- */

static bool fail(GError **error, const char *why)
{
    error_set_code(error, ERROR_RUN, "the figure is not drawn: %s", why);
    return false;
}

/* The line of gnuplot's complaint that says what was wrong. */
static char *complaint(const char *words)
{
    g_auto(GStrv) lines = g_strsplit(words, "\n", -1);
    const char *last = "no reason given";
    for (size_t i = 0; lines[i]; i++) {
        if (*g_strstrip(lines[i]) && strcmp(lines[i], "^") != 0)
            last = lines[i];
    }
    return g_strdup(last);
}

/* That of the user, without what changes how gnuplot draws. Without the time zone the length of a PDF's
 * date would depend on where it is drawn. */
static char **gnuplot_environment(void)
{
    static const char *const settings[] = {
        "GNUTERM", "GNUPLOT_LIB", "GNUPLOT_FONTPATH", "GNUPLOT_FIT_LOG", "GNUPLOT_PS_DIR",
        "FIT_LOG", "FIT_SCRIPT",  "GDFONTPATH",       "PAGER",           "GNUPLOT_DRIVER_DIR"};
    char **environment = g_environ_setenv(g_get_environ(), "TZ", "UTC", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
        environment = g_environ_unsetenv(environment, settings[i]);
    return environment;
}

static bool run_gnuplot(char *folder, GError **error)
{
    char *arguments[] = {"gnuplot", "-d", "figure.gp", NULL}; /* -d: without the user's settings */
    g_autofree char *words = NULL;
    g_autoptr(GError) cause = NULL;
    int status;
    g_auto(GStrv) environment = gnuplot_environment();
    if (!g_spawn_sync(folder, arguments, environment,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &words,
                      &status, &cause)) {
        if (g_error_matches(cause, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
            return fail(error, "gnuplot is not installed (Debian package gnuplot-nox)");
        return fail(error, cause->message);
    }
    if (g_spawn_check_wait_status(status, NULL))
        return true;
    g_autofree char *last = complaint(words);
    g_autofree char *why = g_strdup_printf("gnuplot failed: %s", last);
    return fail(error, why);
}

static bool write_input(const char *folder, const char *name, const char *content, GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GError) cause = NULL;
    return g_file_set_contents(path, content, -1, &cause) || fail(error, cause->message);
}

/* A PDF holds the time at which it was drawn: it is set to a fixed one of the same length, so that
 * the same results give the same bytes. */
static void set_date(char *content, gsize length)
{
    static const char mark[] = "/CreationDate (D:", date[] = "20000101000000";
    char *found = memmem(content, length, mark, strlen(mark));
    if (found && (gsize)(content + length - found) > strlen(mark) + strlen(date))
        memcpy(found + strlen(mark), date, sizeof date - 1);
}

/* Readers without the figures' font take another sans-serif one, which is narrower, not their own letters. */
static GBytes *with_fonts(char *svg)
{
    GString *text = g_string_new(svg);
    g_string_replace(text, "font-family=\"DejaVu Sans\"",
                     "font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\"", 0);
    g_free(svg);
    gsize length = text->len;
    return g_bytes_new_take(g_string_free(text, FALSE), length);
}

static GBytes *read_drawn(const char *folder, enum figure_format format, GError **error)
{
    g_autofree char *path = g_build_filename(folder, pages[format].name, NULL);
    char *content;
    gsize length;
    if (g_file_get_contents(path, &content, &length, NULL) && length > 0) {
        set_date(content, length);
        return format == FIGURE_SVG ? with_fonts(content) : g_bytes_new_take(content, length);
    }
    fail(error, "gnuplot wrote nothing");
    return NULL;
}

static struct figure *read_figure(const char *folder, GError **error)
{
    struct figure *figure = g_new0(struct figure, 1);
    for (int i = 0; i < FIGURE_FORMATS; i++) {
        figure->formats[i] = read_drawn(folder, (enum figure_format)i, error);
        if (!figure->formats[i]) {
            figure_free(figure);
            return NULL;
        }
    }
    return figure;
}

static bool write_sheet(const char *folder, const struct figure_sheets *sheets, size_t number,
                        GError **error)
{
    g_autofree char *data_name = g_strdup_printf("data-%zu.tsv", number + 1);
    g_autofree char *marks_name = g_strdup_printf("marks-%zu.tsv", number + 1);
    g_autofree char *data = sheet_data(sheets, &sheets->sheets[number]);
    g_autofree char *marks = sheet_marks(&sheets->sheets[number]);
    return write_input(folder, data_name, data, error) &&
           write_input(folder, marks_name, marks, error);
}

static struct figure *draw_in(char *folder, const struct figure_sheets *sheets, GError **error)
{
    for (size_t i = 0; i < sheets->count; i++)
        if (!write_sheet(folder, sheets, i, error))
            return NULL;
    g_autofree char *script = plot_script(sheets, pages, FIGURE_FORMATS);
    if (!write_input(folder, "figure.gp", script, error) || !run_gnuplot(folder, error))
        return NULL;
    return read_figure(folder, error);
}

/* A link, because gnuplot would not take every path of the project for one folder: not one with a colon. */
static bool link_templates(const char *folder, const char *templates, GError **error)
{
    g_autofree char *target = g_canonicalize_filename(templates, NULL);
    g_autofree char *path = g_build_filename(folder, PLOT_TEMPLATES, NULL);
    return symlink(target, path) == 0 || fail(error, g_strerror(errno));
}

static struct figure *draw_sheets(const struct figure_sheets *sheets, GError **error)
{
    g_autofree char *templates = home_path("plots", error);
    if (!templates)
        return NULL;
    g_autofree char *folder = NULL;
    leftover_remove(g_get_tmp_dir(), FOLDER_PREFIX);
    int lock = leftover_new_folder(g_get_tmp_dir(), FOLDER_PREFIX, &folder);
    if (lock < 0) {
        fail(error, g_strerror(errno));
        return NULL;
    }
    ending_partial(folder);
    struct figure *figure =
        link_templates(folder, templates, error) ? draw_in(folder, sheets, error) : NULL;
    leftover_drop(folder, lock);
    ending_partial(NULL);
    return figure;
}

struct figure *plot_draw(const struct plot_spec *plot, const struct table *results,
                         const struct plot_mark *marks, size_t mark_count, GError **error)
{
    struct figure_sheets *sheets = sheets_new(plot, results, marks, mark_count, error);
    if (!sheets)
        return NULL;
    bool good = sheets_have_values(sheets) || fail(error, "no point gave a value for it");
    struct figure *figure = good ? draw_sheets(sheets, error) : NULL;
    sheets_free(sheets);
    return figure;
}
