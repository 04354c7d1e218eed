/* What is set here, and what each variable means, stands in plots/page.gp. */
#include "study/figure/plot_script.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "study/figure/gnuplot_text.h"
#include "study/figure/legend.h"
#include "study/figure/plot.h"
#include "study/figure/ticks.h"

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
        if (column->kind == VALUE_QUANTITY && g_str_has_suffix(title, units[i].suffix)) {
            title[strlen(title) - strlen(units[i].suffix)] = '\0';
            unit = units[i].unit;
        }
    }
    g_strdelimit(title, "_", ' ');
    return unit ? g_strdup_printf("%s (%s)", title, unit) : g_steal_pointer(&title);
}

/* --- the driver script --------------------------------------------------------------------------
 */

static bool has_style(const struct plot_spec *plot, const char *style)
{
    return g_strcmp0(plot->style, style) == 0;
}

/* The title of the plot's first measure. */
static char *measure_title(const struct plot_spec *plot, const struct table *results)
{
    g_auto(GStrv) names = g_strsplit(plot->y, ",", 2);
    int column = table_find(results, names[0]);
    return column < 0 ? g_strdup(plot->y) : axis_title(&results->columns[column]);
}

static void set_labels(GString *script, const struct plot_spec *plot, const struct table *results)
{
    int x = table_find(results, plot->x), by = plot->by ? table_find(results, plot->by) : -1;
    g_autofree char *x_title = x < 0 ? g_strdup(plot->x) : axis_title(&results->columns[x]);
    g_autofree char *y_title = measure_title(plot, results);
    g_autofree char *by_title = by < 0 ? g_strdup("") : axis_title(&results->columns[by]);
    const char *y_label = plot->y_label ? plot->y_label : y_title;
    gnuplot_set_text(script, "figure_title", plot->title ? plot->title : "");
    gnuplot_set_text(script, "x_label", plot->x_label ? plot->x_label : x_title);
    gnuplot_set_text(script, "y_label", has_style(plot, "heatmap") ? by_title : y_label);
    gnuplot_set_text(script, "z_label", y_label);
    gnuplot_set_text(script, "series_label", by_title);
}

/* "65536" bytes as a label: "64 KiB". */
static char *value_label(const struct table_column *column, const char *text)
{
    char size[UNIT_TEXT_SIZE];
    if (column->kind != VALUE_QUANTITY || column->unit != UNIT_BYTES)
        return g_strdup(text);
    return g_strdup(unit_format(g_ascii_strtoll(text, NULL, 10), UNIT_BYTES, size));
}

/* AXIS_tick_count and arrays of the labels, places and levels. */
static void set_ticks(GString *script, const char *axis, const GArray *ticks)
{
    g_string_append_printf(script, "%s_tick_count = %u\n", axis, ticks->len);
    for (size_t i = 0; i < 3; i++)
        g_string_append_printf(script, "array %s_tick_%s[%u]\n", axis,
                               ((const char *[]){"label", "place", "level"})[i],
                               MAX(ticks->len, 1));
    for (guint i = 0; i < ticks->len; i++) {
        const struct tick *tick = &g_array_index(ticks, struct tick, i);
        g_autofree char *label = g_strdup_printf("%s_tick_label[%u]", axis, i + 1);
        g_autofree char *place = g_strdup_printf("%s_tick_place[%u]", axis, i + 1);
        g_autofree char *level = g_strdup_printf("%s_tick_level[%u]", axis, i + 1);
        gnuplot_set_label(script, label, tick->label);
        gnuplot_set_number(script, place, tick->place);
        gnuplot_set_number(script, level, *tick->label == '\0');
    }
}

static void set_series(GString *script, const struct plot_spec *plot, const struct table *results,
                       const struct table *shown)
{
    size_t width = plot->over ? 3 : 1, count = (shown->column_count - 1) / width;
    int x = table_find(results, plot->x);
    g_string_append_printf(script, "series_count = %zu\narray series_title[%zu]\nhas_bands = %d\n",
                           count, MAX(count, 1), plot->over != NULL);
    for (size_t i = 0; i < count; i++) {
        const char *title = shown->columns[1 + width * i].name;
        g_autofree char *name = g_strdup_printf("series_title[%zu]", i + 1);
        g_autofree char *label = has_style(plot, "heatmap") && x >= 0
                                     ? value_label(&results->columns[x], title)
                                     : g_strdup(title);
        if (has_style(plot, "heatmap")) /* they stand at the axis */
            gnuplot_set_label(script, name, label);
        else
            gnuplot_set_text(script, name, label);
    }
}

static bool x_is_named(const struct plot_spec *plot, const struct table *shown)
{
    return has_style(plot, "bars") || has_style(plot, "stack") || has_style(plot, "heatmap") ||
           !shown->columns[0].is_number;
}

static const char *find_legend(const struct plot_spec *plot, const struct table *shown,
                               bool is_on_panel, int *covers)
{
    struct legend_frame frame = {
        .x_is_named = x_is_named(plot, shown),
        .x_is_log = has_style(plot, "loglog") || has_style(plot, "semilogx"),
        .y_is_log = has_style(plot, "loglog"),
        .is_filled = has_style(plot, "bars") || has_style(plot, "stack"),
        .width = plot->over ? 3 : 1,
        .is_on_panel = is_on_panel,
    };
    return legend_corner(shown, &frame, covers);
}

static bool same_series(const struct table *one, const struct table *other)
{
    bool same = one->column_count == other->column_count;
    for (size_t column = 1; same && column < one->column_count; column++)
        same = strcmp(one->columns[column].name, other->columns[column].name) == 0;
    return same;
}

/* Panels with the same curves have one legend, where it covers least: the number of its panel; -1 if each
 * has its own. */
static int panel_of_legend(const struct plot_spec *plot, const struct plot_sheet *sheets,
                           size_t count)
{
    int best = 0, least = INT_MAX;
    for (size_t i = 0; i < count; i++) {
        int covers;
        if (!same_series(sheets[0].shown, sheets[i].shown))
            return -1;
        find_legend(plot, sheets[i].shown, count > 1, &covers);
        if (covers < least) {
            least = covers;
            best = (int)i;
        }
    }
    return best;
}

static void set_axes(GString *script, const struct plot_spec *plot, const struct table *shown)
{
    bool as_names = x_is_named(plot, shown);
    struct tick_ends ends = ticks_ends(shown);
    g_autoptr(GArray) x_ticks = ticks_of_x(shown, as_names);
    g_autoptr(GArray) y_ticks = ticks_of_y(shown);
    set_ticks(script, "x", x_ticks);
    set_ticks(script, "y", y_ticks);
    gnuplot_set_number(script, "x_low", ends.x_low);
    gnuplot_set_number(script, "x_high", ends.x_high);
    gnuplot_set_number(script, "y_low", ends.y_low);
    gnuplot_set_number(script, "y_high", ends.y_high);
    gnuplot_set_number(script, "x_column", as_names ? 0 : 1);
    gnuplot_set_number(script, "x_count", (double)shown->row_count);
}

static void append_sheet(GString *script, const struct plot_spec *plot, const struct table *results,
                         const struct plot_sheet *sheet, size_t number, const char *legend)
{
    set_series(script, plot, results, sheet->shown);
    set_axes(script, plot, sheet->shown);
    gnuplot_set_text(script, "legend", legend);
    if (sheet->title)
        gnuplot_set_text(script, "figure_title", sheet->title);
    g_string_append_printf(script,
                           "data = 'data-%zu.tsv'\nload '" PLOT_TEMPLATES
                           "/panel.gp'\nload '" PLOT_TEMPLATES "/%s.gp'\n",
                           number, plot->style ? plot->style : "lines");
}

char *plot_script(const struct plot_spec *plot, const struct table *results,
                  const struct plot_sheet *sheets, size_t count)
{
    GString *script = g_string_new(NULL);
    int with_legend = panel_of_legend(plot, sheets, count);
    for (int format = 0; format < FIGURE_FORMATS; format++) {
        set_labels(script, plot, results);
        gnuplot_set_text(script, "format", figure_format_name((enum figure_format)format));
        g_string_append_printf(
            script, "panel_count = %zu\npanel_columns = %g\nload '" PLOT_TEMPLATES "/page.gp'\n",
            count, ceil(sqrt((double)count)));
        for (size_t i = 0; i < count; i++) {
            bool has_legend = with_legend < 0 || (size_t)with_legend == i;
            append_sheet(script, plot, results, &sheets[i], i + 1,
                         has_legend ? find_legend(plot, sheets[i].shown, count > 1, NULL) : "off");
        }
        g_string_append(script, count > 1 ? "unset multiplot\nunset output\n" : "unset output\n");
    }
    return g_string_free(script, FALSE);
}

char *plot_data(const struct table *shown)
{
    GString *data = g_string_new(NULL);
    for (size_t r = 0; r < shown->row_count; r++) {
        for (size_t c = 0; c < shown->column_count; c++) {
            const char *text = table_cell(shown, r, c);
            g_string_append_printf(data, "%s%c", table_is_number(text) ? text : "NaN",
                                   c + 1 < shown->column_count ? '\t' : '\n');
        }
    }
    return g_string_free(data, FALSE);
}
