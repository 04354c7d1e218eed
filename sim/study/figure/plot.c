/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures.
 *
 * gnuplot gets its own folder with a script that has the data, the settings of the figure (places, labels, ticks, names of the
 * series) and the templates of plots/; views/figure.lua writes it. One process draws a figure in all formats and returns them as
 * bytes. */
#include "study/figure/plot.h"

#include <errno.h>
#include <string.h>

#include "core/error.h"
#include "script/views/views.h"
#include "study/system/ending.h"
#include "study/system/leftover.h"

const char *const figure_formats[FIGURE_FORMATS] = {"pdf", "pdf-180mm", "svg", "png", "gp"};

/* The files, as in FORMATS of views/figure.lua. The script is not drawn. */
static const char *const files[FIGURE_FORMATS] = {"figure.pdf", "figure-180mm.pdf", "figure.svg",
                                                  "figure.png", "figure.gp"};

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

/* The line of gnuplot's output that names the error. */
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

/* The user's environment without variables that change gnuplot's drawing, and with UTC as the time zone: else the length of a
 * PDF's date would depend on the place. */
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
    char *arguments[] = {"gnuplot", "-d", "figure.gp", NULL}; /* -d: ignores the user's settings */
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

/* A PDF contains the time of its drawing: this sets it to a fixed time of the same length, so that the same results give the same
 * bytes. */
static void set_date(char *content, gsize length)
{
    static const char mark[] = "/CreationDate (D:", date[] = "20000101000000";
    char *found = memmem(content, length, mark, strlen(mark));
    if (found && (gsize)(content + length - found) > strlen(mark) + strlen(date))
        memcpy(found + strlen(mark), date, sizeof date - 1);
}

/* figure.svg, finished by views/svg.lua. */
static GBytes *finished_svg(const char *svg, const char *values, GError **error)
{
    g_auto(GStrv) texts =
        views_texts("svg", "finish", g_variant_new("(^ay^ay)", svg, values), error);
    gsize length = texts ? strlen(texts[0]) : 0;
    return texts ? g_bytes_new_take(g_steal_pointer(&texts[0]), length) : NULL;
}

static GBytes *read_drawn(const char *folder, enum figure_format format, const char *values,
                          GError **error)
{
    g_autofree char *path = g_build_filename(folder, files[format], NULL);
    g_autofree char *content = NULL;
    gsize length;
    if (!g_file_get_contents(path, &content, &length, NULL) || length == 0) {
        fail(error, "gnuplot wrote nothing");
        return NULL;
    }
    if (format == FIGURE_SVG)
        return finished_svg(content, values, error);
    set_date(content, length);
    return g_bytes_new_take(g_steal_pointer(&content), length);
}

/* `scripts`: the script that gnuplot ran, the script for readers, and the values in figure.svg. */
static struct figure *read_figure(const char *folder, char *const *scripts, GError **error)
{
    struct figure *figure = g_new0(struct figure, 1);
    figure->formats[FIGURE_SCRIPT] = g_bytes_new(scripts[1], strlen(scripts[1]));
    for (int i = 0; i < FIGURE_SCRIPT; i++) {
        figure->formats[i] = read_drawn(folder, (enum figure_format)i, scripts[2], error);
        if (!figure->formats[i]) {
            figure_free(figure);
            return NULL;
        }
    }
    return figure;
}

static struct figure *draw_in(char *folder, char *const *scripts, GError **error)
{
    bool good =
        write_input(folder, files[FIGURE_SCRIPT], scripts[0], error) && run_gnuplot(folder, error);
    return good ? read_figure(folder, scripts, error) : NULL;
}

struct figure *figure_draw(char *const *scripts, GError **error)
{
    g_autofree char *folder = NULL;
    leftover_remove(g_get_tmp_dir(), FOLDER_PREFIX);
    int lock = leftover_new_folder(g_get_tmp_dir(), FOLDER_PREFIX, &folder);
    if (lock < 0) {
        fail(error, g_strerror(errno));
        return NULL;
    }
    ending_partial(folder);
    struct figure *figure = draw_in(folder, scripts, error);
    leftover_drop(folder, lock);
    ending_partial(NULL);
    return figure;
}

bool plot_check(GVariant *plot, const struct table *results, GError **error)
{
    g_auto(GStrv) none = views_texts(
        "figure", "check", g_variant_new("(@t@a{sv})", views_table(results), plot), error);
    return none != NULL;
}
