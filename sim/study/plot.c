/* Figures.
 *
 * gnuplot gets a folder of its own with the data and a driver script that sets what differs from
 * figure to figure (labels, ticks, names of the series); how figures look is written in plots/
 * alone. Each figure is drawn twice by one process, as SVG and as PNG, and comes back as bytes. */
#include "study/plot.h"

#include <glib/gstdio.h>
#include <string.h>

#include "study/error.h"
#include "study/export.h"
#include "study/project.h"
#include "study/ticks.h"

static const char *const formats[] = {"svg", "png"};

void figure_free(struct figure *figure)
{
    if (!figure)
        return;
    g_clear_pointer(&figure->svg, g_bytes_unref);
    g_clear_pointer(&figure->png, g_bytes_unref);
    g_free(figure);
}

/* --- what to draw -------------------------------------------------------------------------------
 */

static bool find_column(const struct table *results, const char *role, const char *name,
                        int *column, GError **error)
{
    *column = table_find(results, name);
    if (*column >= 0)
        return true;
    GString *known = g_string_new(NULL);
    for (size_t i = 0; i < results->column_count; i++)
        g_string_append_printf(known, "%s%s", i ? ", " : "", results->columns[i].name);
    g_set_error(error, STUDY_ERROR, STUDY_ERROR_USE,
                "the plot's %s is \"%s\", which the results do not have; they have %s", role, name,
                known->str);
    g_string_free(known, TRUE);
    return false;
}

struct table *plot_table(const struct plot_spec *plot, const struct table *results, GError **error)
{
    int x, y, by = -1;
    if (!find_column(results, "x", plot->x, &x, error) ||
        !find_column(results, "y", plot->y, &y, error) ||
        (plot->by && !find_column(results, "by", plot->by, &by, error)))
        return NULL;
    return table_pivot(results, (size_t)x, (size_t)y, by);
}

/* "latency_us" as an axis title: "latency (µs)". */
static char *axis_title(const struct table_column *column)
{
    static const struct {
        const char *suffix, *unit;
    } units[] = {{"_us", "µs"},   {"_bytes", "bytes"}, {"_GBps", "GB/s"},
                 {"_GHz", "GHz"}, {"_W", "W"},         {"_uJ", "µJ"}};
    g_autofree char *title = g_strdup(column->name);
    const char *unit = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(units) && !unit; i++) {
        if (column->kind == SCRIPT_QUANTITY && g_str_has_suffix(title, units[i].suffix)) {
            title[strlen(title) - strlen(units[i].suffix)] = '\0';
            unit = units[i].unit;
        }
    }
    g_strdelimit(title, "_", ' ');
    return unit ? g_strdup_printf("%s (%s)", title, unit) : g_steal_pointer(&title);
}

/* --- the driver script --------------------------------------------------------------------------
 */

/* Single quotes: gnuplot reads nothing within them but '' for a quote. */
static void set_text(GString *script, const char *name, const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "'", -1);
    g_autofree char *quoted = g_strjoinv("''", parts);
    g_strdelimit(quoted, "\r\n", ' ');
    g_string_append_printf(script, "%s = '%s'\n", name, quoted);
}

static void set_labels(GString *script, const struct plot_spec *plot, const struct table *results,
                       const struct table *pivot)
{
    g_autofree char *x_title = axis_title(&pivot->columns[0]);
    g_autofree char *y_title = axis_title(&results->columns[table_find(results, plot->y)]);
    g_autofree char *by_title = g_strdelimit(g_strdup(plot->by ? plot->by : ""), "_", ' ');
    set_text(script, "figure_title", plot->title ? plot->title : "");
    set_text(script, "x_label", plot->x_label ? plot->x_label : x_title);
    set_text(script, "y_label", plot->y_label ? plot->y_label : y_title);
    set_text(script, "series_label", by_title);
}

static void set_series(GString *script, const struct table *pivot)
{
    g_string_append_printf(script, "series_count = %zu\narray series_title[%zu]\n",
                           pivot->column_count - 1, pivot->column_count - 1);
    for (size_t i = 1; i < pivot->column_count; i++) {
        g_autofree char *name = g_strdup_printf("series_title[%zu]", i);
        set_text(script, name, pivot->columns[i].name);
    }
}

static void set_number(GString *script, const char *name, double number)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(script, "%s = %s\n", name, g_ascii_dtostr(text, sizeof text, number));
}

static void set_axes(GString *script, const struct plot_spec *plot, const struct table *pivot)
{
    bool as_names = g_strcmp0(plot->style, "bars") == 0 || !pivot->columns[0].is_number;
    struct tick_ends ends = ticks_ends(pivot);
    g_autofree char *x_ticks = ticks_of_x(pivot, as_names);
    g_autofree char *y_ticks = ticks_of_y(pivot);
    set_text(script, "x_ticks", x_ticks);
    set_text(script, "y_ticks", y_ticks);
    set_number(script, "x_low", ends.x_low);
    set_number(script, "x_high", ends.x_high);
    set_number(script, "y_low", ends.y_low);
    set_number(script, "y_high", ends.y_high);
    set_number(script, "x_column", as_names ? 0 : 1);
    set_number(script, "x_count", (double)pivot->row_count);
}

static char *driver_script(const struct plot_spec *plot, const struct table *results,
                           const struct table *pivot, const char *templates)
{
    const char *style = plot->style ? plot->style : "lines";
    GString *script = g_string_new(NULL);
    set_labels(script, plot, results, pivot);
    set_series(script, pivot);
    set_axes(script, plot, pivot);
    set_text(script, "templates", templates);
    g_string_append(script, "set loadpath templates\n");
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
        g_string_append_printf(script, "format = '%s'\nload '%s.gp'\n", formats[i], style);
    return g_string_free(script, FALSE);
}

/* --- running gnuplot ----------------------------------------------------------------------------
 */

static bool fail(GError **error, const char *why)
{
    g_set_error(error, STUDY_ERROR, STUDY_ERROR_RUN, "the figure is not drawn: %s", why);
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

static bool run_gnuplot(char *folder, GError **error)
{
    char *arguments[] = {"gnuplot", "figure.gp", NULL};
    g_autofree char *words = NULL;
    g_autoptr(GError) cause = NULL;
    int status;
    if (!g_spawn_sync(folder, arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL,
                      NULL, NULL, NULL, &words, &status, &cause)) {
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

static GBytes *read_drawn(const char *folder, const char *format, GError **error)
{
    g_autofree char *name = g_strconcat("figure.", format, NULL);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *content;
    gsize length;
    if (g_file_get_contents(path, &content, &length, NULL) && length > 0)
        return g_bytes_new_take(content, length);
    fail(error, "gnuplot wrote nothing");
    return NULL;
}

static struct figure *draw_in(char *folder, const char *script, const char *data, GError **error)
{
    if (!write_input(folder, "data.tsv", data, error) ||
        !write_input(folder, "figure.gp", script, error) || !run_gnuplot(folder, error))
        return NULL;
    struct figure *figure = g_new0(struct figure, 1);
    figure->svg = read_drawn(folder, "svg", error);
    figure->png = figure->svg ? read_drawn(folder, "png", error) : NULL;
    if (!figure->png)
        g_clear_pointer(&figure, figure_free);
    return figure;
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"data.tsv", "figure.gp", "figure.svg", "figure.png"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);
        g_unlink(path);
    }
    g_rmdir(folder);
}

static struct figure *draw_pivot(const struct plot_spec *plot, const struct table *results,
                                 const struct table *pivot, GError **error)
{
    g_autofree char *templates = project_path("plots", error);
    if (!templates)
        return NULL;
    g_autoptr(GError) cause = NULL;
    g_autofree char *folder = g_dir_make_tmp("gpunetsim-XXXXXX", &cause);
    if (!folder) {
        fail(error, cause->message);
        return NULL;
    }
    g_autofree char *script = driver_script(plot, results, pivot, templates);
    g_autofree char *data = export_gnuplot(pivot);
    struct figure *figure = draw_in(folder, script, data, error);
    remove_folder(folder);
    return figure;
}

static bool has_values(const struct table *pivot)
{
    for (size_t r = 0; r < pivot->row_count; r++) {
        for (size_t c = 1; c < pivot->column_count; c++) {
            if (table_cell(pivot, r, c))
                return true;
        }
    }
    return false;
}

struct figure *plot_draw(const struct plot_spec *plot, const struct table *results, GError **error)
{
    struct table *pivot = plot_table(plot, results, error);
    if (!pivot)
        return NULL;
    struct figure *figure = NULL;
    if (has_values(pivot))
        figure = draw_pivot(plot, results, pivot, error);
    else
        fail(error, "no point gave a value for it");
    table_free(pivot);
    return figure;
}
