/* SPDX-License-Identifier: BSD-3-Clause */
/* From a study's results to what its figure shows. Panels share series and axes, so all tables are made first. */
#include "study/figure/sheet.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/units.h"
#include "study/figure/label.h"
#include "study/figure/sheet_private.h"
#include "study/table/terminal.h"

#define MOST_MEASURES 64
/* From here on measures are drawn on logarithmic axes. */
#define SCATTER_LOG_RATIO 30
#define BARS_LOG_RATIO 100
#define BARS_ROOM 1.5 /* from the low end of a logarithmic axis to the shortest bar, as a factor */
/* Of the height of a panel; a band that is nowhere wider would be hidden by the line of its curve. */
#define LEAST_SPREAD 0.02
/* From here on labels count in a larger unit. */
#define LONG_LINEAR 1e5
#define LONG_LOG 1e3 /* the low end */

/* --- columns ------------------------------------------------------------------------------------ */

static bool find_column(const struct table *results, const char *role, const char *name,
                        int *column, GError **error)
{
    *column = table_find(results, name);
    if (*column >= 0)
        return true;
    const char *nearest = table_nearest(results, name);
    GString *known = g_string_new(NULL);
    for (size_t i = 0; i < results->column_count; i++)
        g_string_append_printf(known, "%s%s", i ? ", " : "", results->columns[i].name);
    error_set(error, "the plot's %s is \"%s\", which the results do not have%s%s; they have %s",
              role, name, nearest ? ": did you mean " : "", nearest ? nearest : "", known->str);
    g_string_free(known, TRUE);
    return false;
}

static bool find_choice(const struct table *results, const char *role, const char *name,
                        int *column, GError **error)
{
    *column = -1;
    return !name || find_column(results, role, name, column, error);
}

/* The columns of a plot's measures; `names` is its y. */
static bool find_measures(const struct table *results, const char *names, int *ys, size_t *count,
                          GError **error)
{
    g_auto(GStrv) parts = g_strsplit(names, ",", MOST_MEASURES);
    *count = 0;
    for (char **part = parts; *part; part++) {
        if (!find_column(results, "y", *part, &ys[(*count)++], error))
            return false;
    }
    return true;
}

/* A pivot and the arrays that it points to. */
struct choice {
    struct pivot pivot;
    int ys[MOST_MEASURES];
    struct pivot_only *only;
};

static bool find_only(const struct plot_spec *plot, const struct table *results,
                      struct choice *choice, GError **error)
{
    choice->only = g_new0(struct pivot_only, plot->only_count + 1);
    for (size_t i = 0; i < plot->only_count; i++) {
        choice->only[i].text = plot->only[i].text;
        if (!find_column(results, "only", plot->only[i].axis, &choice->only[i].column, error))
            return false;
    }
    choice->pivot.only = choice->only;
    choice->pivot.only_count = plot->only_count;
    return true;
}

/* A mean over phases is shown with its spread where nothing else is shown around it. */
static bool find_spreads(const struct table *results, struct choice *choice)
{
    struct pivot *pivot = &choice->pivot;
    for (size_t i = 0; pivot->over < 0 && pivot->low < 0 && i < pivot->y_count; i++)
        pivot->has_spreads = pivot->has_spreads || results->columns[pivot->ys[i]].spread > 0;
    return true;
}

static bool choose(const struct plot_spec *plot, const struct table *results, const char *panel,
                   struct choice *choice, GError **error)
{
    struct pivot *pivot = &choice->pivot;
    *choice = (struct choice){.pivot = {.ys = choice->ys, .panel = panel}};
    return find_column(results, "x", plot->x, &pivot->x, error) &&
           find_measures(results, plot->y, choice->ys, &pivot->y_count, error) &&
           find_choice(results, "by", plot->by, &pivot->by, error) &&
           find_choice(results, "over", plot->over, &pivot->over, error) &&
           find_choice(results, "bands", plot->band_low, &pivot->low, error) &&
           find_choice(results, "bands", plot->band_high, &pivot->high, error) &&
           find_choice(results, "panels", panel ? plot->panels : NULL, &pivot->panels, error) &&
           find_only(plot, results, choice, error) && find_spreads(results, choice);
}

bool plot_has_style(const struct plot_spec *plot, const char *style)
{
    return g_strcmp0(plot->style, style) == 0;
}

static bool is_scatter(const struct plot_spec *plot)
{
    return plot->style && plot_is_scatter(plot);
}

static struct table *make_table(const struct plot_spec *plot, const struct table *results,
                                struct pivot *pivot)
{
    if (is_scatter(plot))
        return table_scatter(results, pivot, plot_has_style(plot, "pareto"));
    if (plot_has_style(plot, "heatmap") && pivot->by >= 0) { /* a line for each value of `by` */
        int x = pivot->x;
        pivot->x = pivot->by;
        pivot->by = x;
    }
    return table_pivot(results, pivot);
}

/* Names of series in a table: "64 KiB", "nodes 4". */
static char *plain_value(const struct table_column *column, const char *text, bool is_of)
{
    g_autofree char *value = terminal_value(column, text);
    return is_of ? g_strdup_printf("%s %s", column->name, value) : g_steal_pointer(&value);
}

static char *plain_measure(const struct table_column *column)
{
    return g_strdup(column->name);
}

struct table *plot_table(const struct plot_spec *plot, const struct table *results,
                         const char *panel, GError **error)
{
    struct choice choice;
    struct table *table = NULL;
    if (choose(plot, results, panel, &choice, error)) {
        choice.pivot.name_value = plain_value;
        choice.pivot.name_measure = plain_measure;
        table = make_table(plot, results, &choice.pivot);
    }
    g_free(choice.only);
    return table;
}

static char *name_value(const struct table_column *column, const char *text, bool is_of)
{
    return is_of ? label_value_of(column, text) : label_value(column, text);
}

/* Measures that differ in it have it in their curves' names; of others the axis says it. */
static bool have_one_unit(const struct table *results, const struct pivot *pivot)
{
    const struct table_column *first = &results->columns[pivot->ys[0]];
    for (size_t i = 1; i < pivot->y_count; i++) {
        const struct table_column *column = &results->columns[pivot->ys[i]];
        if (column->kind != first->kind || column->unit != first->unit)
            return false;
    }
    return first->kind == VALUE_QUANTITY;
}

/* The same with names for readers; `width` is what a series takes. */
static struct table *named_table(const struct plot_spec *plot, const struct table *results,
                                 const char *panel, size_t *width, GError **error)
{
    struct choice choice;
    struct table *table = NULL;
    if (choose(plot, results, panel, &choice, error)) {
        choice.pivot.name_value = name_value;
        choice.pivot.name_measure =
            have_one_unit(results, &choice.pivot) ? label_measure : label_column;
        *width = pivot_width(&choice.pivot);
        table = make_table(plot, results, &choice.pivot);
    }
    g_free(choice.only);
    return table;
}

GPtrArray *plot_panels(const struct plot_spec *plot, const struct table *results)
{
    GPtrArray *panels = g_ptr_array_new_with_free_func(g_free);
    int column = plot->panels ? table_find(results, plot->panels) : -1;
    for (size_t r = 0; column >= 0 && r < results->row_count; r++) {
        const char *text = table_cell(results, r, (size_t)column);
        if (!g_ptr_array_find_with_equal_func(panels, text, g_str_equal, NULL))
            g_ptr_array_add(panels, g_strdup(text));
    }
    return panels;
}

/* --- series ------------------------------------------------------------------------------------- */

bool series_is_named(const char *key, const char *value)
{
    return g_str_has_prefix(key, value) &&
           (key[strlen(value)] == '\0' || key[strlen(value)] == ',');
}

static enum series_kind kind_of(const struct plot_spec *plot, const char *key, bool is_last)
{
    if (plot_has_style(plot, "bars") || plot_has_style(plot, "stack") ||
        plot_has_style(plot, "tornado"))
        return SERIES_BOX;
    if (is_scatter(plot))
        return plot_has_style(plot, "pareto") && is_last ? SERIES_FRONT : SERIES_MARKS;
    for (char **mark = plot->marks; mark && *mark; mark++)
        if (series_is_named(key, *mark))
            return SERIES_MARKS;
    return SERIES_CURVE;
}

/* What the plot itself calls the value; NULL: nothing. */
static const char *own_label(const struct plot_spec *plot, const char *value)
{
    for (size_t i = 0; i < plot->label_count; i++)
        if (strcmp(plot->labels[i].text, value) == 0)
            return plot->labels[i].label;
    return NULL;
}

/* The number of the series with this key, which is new if no other panel has it. */
static int series_number(struct figure_sheets *sheets, const struct table_column *column,
                         bool is_last)
{
    for (guint i = 0; i < sheets->series->len; i++)
        if (strcmp(g_array_index(sheets->series, struct figure_series, i).key, column->key) == 0)
            return (int)i;
    const char *label = own_label(sheets->plot, column->key);
    struct figure_series series = {.key = g_strdup(column->key),
                                   .label = g_strdup(label ? label : column->name),
                                   .kind = kind_of(sheets->plot, column->key, is_last)};
    g_array_append_val(sheets->series, series);
    return (int)sheets->series->len - 1;
}

size_t sheet_series_count(const struct figure_sheets *sheets, const struct figure_sheet *sheet)
{
    return (sheet->shown->column_count - 1) / sheets->width;
}

static void number_series(struct figure_sheets *sheets, struct figure_sheet *sheet)
{
    size_t count = sheet_series_count(sheets, sheet);
    sheet->series = g_new0(int, count + 1);
    for (size_t i = 0; i < count; i++)
        sheet->series[i] =
            series_number(sheets, &sheet->shown->columns[1 + i * sheets->width], i + 1 == count);
}

static bool make_sheet(struct figure_sheets *sheets, const struct table *results, const char *panel,
                       GError **error)
{
    struct figure_sheet *sheet = &sheets->sheets[sheets->count];
    sheet->shown = named_table(sheets->plot, results, panel, &sheets->width, error);
    if (!sheet->shown)
        return false;
    sheets->count++;
    sheet->marks = g_array_new(FALSE, FALSE, sizeof(struct figure_mark));
    const char *label = panel ? own_label(sheets->plot, panel) : NULL;
    if (panel)
        sheet->title =
            label ? g_strdup(label)
                  : label_value_of(&results->columns[table_find(results, sheets->plot->panels)],
                                   panel);
    number_series(sheets, sheet);
    return true;
}

/* Whether a cell of the series has a value; and whether one has none because it is not modelled. */
static void look_at_series(const struct figure_sheets *sheets, const struct figure_sheet *sheet,
                           size_t number, bool *has_value, bool *is_absent)
{
    for (size_t r = 0; r < sheet->shown->row_count; r++) {
        size_t column = 1 + number * sheets->width;
        bool has_x = table_cell(sheet->shown, r, 0) != NULL;
        bool has_y = table_cell(sheet->shown, r, column) != NULL;
        *has_value = *has_value || (has_x && has_y);
        *is_absent = *is_absent || (!has_y && table_shown_cell(sheet->shown, r, column)) ||
                     (has_y && !has_x);
    }
}

/* Of a measure that none of its runs models a series has no place in the figure but in its key. */
static void name_absent_series(struct figure_sheets *sheets)
{
    for (guint number = 0; number < sheets->series->len; number++) {
        struct figure_series *series = &g_array_index(sheets->series, struct figure_series, number);
        bool has_value = false, is_absent = false;
        for (size_t i = 0; i < sheets->count; i++)
            for (size_t k = 0; k < sheet_series_count(sheets, &sheets->sheets[i]); k++)
                if (sheets->sheets[i].series[k] == (int)number)
                    look_at_series(sheets, &sheets->sheets[i], k, &has_value, &is_absent);
        if (has_value || !is_absent)
            continue;
        char *label = g_strconcat(series->label, " (" VALUE_ABSENT ")", NULL);
        g_free(series->label);
        series->label = label;
    }
}

/* --- axes --------------------------------------------------------------------------------------- */

const char *sheet_cell(const struct figure_sheet *sheet, size_t row, size_t column)
{
    return table_cell(sheet->shown, row, column);
}

double sheet_number(const char *text)
{
    return unit_is_number(text) ? g_ascii_strtod(text, NULL) : NAN;
}

struct sheet_value sheet_value(const struct figure_sheets *sheets, const struct figure_sheet *sheet,
                               size_t row, size_t i)
{
    size_t column = 1 + i * sheets->width;
    struct sheet_value at = {sheet_number(sheet_cell(sheet, row, column)), NAN, NAN};
    if (sheets->has_bands && sheets->width == 3) {
        at.low = sheet_number(sheet_cell(sheet, row, column + 1));
        at.high = sheet_number(sheet_cell(sheet, row, column + 2));
    } else if (sheets->has_bands) {
        double spread = sheet_number(sheet_cell(sheet, row, column + 1));
        at.low = at.value - spread;
        at.high = at.value + spread;
    }
    return at;
}

double sheet_low(const struct figure_sheets *sheets, double low)
{
    return sheets->y.scale == AXIS_LOG && low <= 0 ? sheets->y.low : low;
}

bool sheets_are_turned(const struct figure_sheets *sheets)
{
    return plot_has_style(sheets->plot, "heatmap") || plot_has_style(sheets->plot, "tornado");
}

static bool x_is_named(const struct figure_sheets *sheets)
{
    const struct plot_spec *plot = sheets->plot;
    return plot_has_style(plot, "bars") || plot_has_style(plot, "stack") ||
           sheets_are_turned(sheets) || !sheets->sheets[0].shown->columns[0].is_number;
}

/* Whether no series has a value there, since what would be is not modelled. */
static bool x_is_absent(const struct figure_sheets *sheets, const char *text)
{
    bool has_value = false, is_absent = false;
    for (size_t i = 0; i < sheets->count; i++) {
        const struct table *shown = sheets->sheets[i].shown;
        for (size_t r = 0; r < shown->row_count; r++)
            for (size_t c = 1; c < shown->column_count; c++) {
                if (g_strcmp0(table_cell(shown, r, 0), text) != 0)
                    continue;
                has_value = has_value || table_cell(shown, r, c);
                is_absent = is_absent || table_shown_cell(shown, r, c);
            }
    }
    return is_absent && !has_value;
}

double sheets_x_of(struct figure_sheets *sheets, const char *text)
{
    if (sheets->x.scale != AXIS_NAMED)
        return sheet_number(text);
    g_autofree char *label = label_value(&sheets->sheets[0].shown->columns[0], text);
    g_autofree char *name =
        g_strconcat(label, x_is_absent(sheets, text) ? " (" VALUE_ABSENT ")" : "", NULL);
    return axis_add_name(&sheets->x, name);
}

/* Names stand in the order of the study's points, whatever was published of them. */
static void add_names(struct figure_sheets *sheets)
{
    for (size_t i = 0; sheets->x.scale == AXIS_NAMED && i < sheets->count; i++)
        for (size_t r = 0; r < sheets->sheets[i].shown->row_count; r++)
            sheets_x_of(sheets, sheet_cell(&sheets->sheets[i], r, 0));
}

static void add_sheet_values(struct figure_sheets *sheets, const struct figure_sheet *sheet)
{
    bool is_stack = plot_has_style(sheets->plot, "stack");
    for (size_t r = 0; r < sheet->shown->row_count; r++) {
        double sum = 0;
        bool has_some = false;
        for (size_t i = 0; i < sheet_series_count(sheets, sheet); i++) {
            struct sheet_value at = sheet_value(sheets, sheet, r, i);
            has_some = has_some || isfinite(at.value);
            sum += isfinite(at.value) ? at.value : 0;
            axis_add(&sheets->y, is_stack ? sum : at.value);
            if (sheets->y.scale != AXIS_LOG || at.low > 0)
                axis_add(&sheets->y, at.low);
            axis_add(&sheets->y, at.high);
        }
        if (has_some || sheets->x.scale == AXIS_NAMED)
            axis_add(&sheets->x, sheets_x_of(sheets, sheet_cell(sheet, r, 0)));
    }
}

static void set_scales(struct figure_sheets *sheets)
{
    const struct plot_spec *plot = sheets->plot;
    const struct table *first = sheets->sheets[0].shown;
    bool x_is_log = plot_has_style(plot, "loglog") || plot_has_style(plot, "semilogx");
    sheets->x = axis_new(x_is_named(sheets) ? AXIS_NAMED
                         : x_is_log         ? AXIS_LOG
                                            : AXIS_LINEAR,
                         label_is_bytes(&first->columns[0]));
    sheets->y = axis_new(plot_has_style(plot, "loglog") ? AXIS_LOG : AXIS_LINEAR,
                         first->column_count > 1 && label_is_bytes(&first->columns[1]));
}

/* A heat map has `by` upwards and x to the right, both by name, and its measure in colours. */
static void turn_heatmap(struct figure_sheets *sheets)
{
    sheets->z = sheets->y;
    sheets->y = sheets->x;
    sheets->x = axis_new(AXIS_NAMED, false);
    for (guint i = 0; i < sheets->series->len; i++)
        axis_add_name(&sheets->x, g_array_index(sheets->series, struct figure_series, i).label);
    axis_settle(&sheets->z);
    axis_end_round(&sheets->z, false);
    axis_end_near(&sheets->x);
    axis_end_near(&sheets->y);
}

/* A tornado has its names upwards and its measures to both sides of zero. */
static void turn_tornado(struct figure_sheets *sheets)
{
    struct figure_axis names = sheets->x;
    sheets->x = sheets->y;
    sheets->y = names;
    axis_settle(&sheets->x);
    axis_end_round(&sheets->x, true);
    axis_end_near(&sheets->y);
}

/* Of a measure it is known only now; x is known as the study is read. */
static bool can_be_drawn(const struct figure_sheets *sheets, GError **error)
{
    const struct plot_spec *plot = sheets->plot;
    if (axis_can_be_drawn(&sheets->x) && axis_can_be_drawn(&sheets->y))
        return true;
    return error_set(
        error,
        "plot.style is \"%s\", which takes numbers above 0, and %s has others; use \"lines\" or "
        "\"semilogx\"",
        plot->style, axis_can_be_drawn(&sheets->x) ? plot->y : plot->x);
}

static void set_axes(struct figure_sheets *sheets)
{
    if (plot_has_style(sheets->plot, "heatmap")) {
        turn_heatmap(sheets);
        return;
    }
    if (plot_has_style(sheets->plot, "tornado")) {
        turn_tornado(sheets);
        return;
    }
    axis_settle(&sheets->x);
    axis_settle(&sheets->y);
    if (is_scatter(sheets->plot)) {
        axis_log_if_wide(&sheets->x, SCATTER_LOG_RATIO);
        axis_log_if_wide(&sheets->y, SCATTER_LOG_RATIO);
        axis_end_round(&sheets->x, true);
    } else {
        axis_end_near(&sheets->x);
    }
    if (plot_has_style(sheets->plot, "bars")) {
        axis_log_if_wide(&sheets->y, BARS_LOG_RATIO);
        if (sheets->y.scale == AXIS_LOG)
            axis_leave_room(&sheets->y, BARS_ROOM);
    }
    axis_end_round(&sheets->y, true);
}

/* --- bands -------------------------------------------------------------------------------------- */

static bool draws_bands(const struct plot_spec *plot)
{
    return !plot_has_style(plot, "stack") && !plot_has_style(plot, "heatmap") &&
           !plot_has_style(plot, "tornado");
}

/* Whether a spread of the sheet reaches further than the line of its curve. */
static bool is_seen(const struct figure_sheets *sheets, const struct figure_sheet *sheet)
{
    for (size_t r = 0; r < sheet->shown->row_count; r++)
        for (size_t i = 0; i < sheet_series_count(sheets, sheet); i++) {
            struct sheet_value at = sheet_value(sheets, sheet, r, i);
            double low = sheet_low(sheets, at.low);
            if (axis_share(&sheets->y, at.high) - axis_share(&sheets->y, low) >= LEAST_SPREAD)
                return true;
        }
    return false;
}

/* Once the axes have their ends: spreads that nobody could see are not drawn, nor told. */
static void drop_unseen_bands(struct figure_sheets *sheets)
{
    bool is_needed = sheets->width == 3;
    for (size_t i = 0; sheets->has_bands && !is_needed && i < sheets->count; i++)
        is_needed = is_seen(sheets, &sheets->sheets[i]);
    sheets->has_bands = sheets->has_bands && is_needed;
}

/* --- texts -------------------------------------------------------------------------------------- */

static const struct table_column *column_of(const struct table *results, const char *names)
{
    g_auto(GStrv) parts = g_strsplit(names, ",", 2);
    int column = table_find(results, parts[0]);
    return column < 0 ? NULL : &results->columns[column];
}

static char *axis_label(const struct table *results, const char *name, const char *given,
                        double unit)
{
    const struct table_column *column = name ? column_of(results, name) : NULL;
    if (!column)
        return g_strdup(given ? given : "");
    return given ? label_given(given, column, unit) : label_column_in(column, unit);
}

/* What several measures have in common: their unit. */
static char *common_label(const struct table_column *column, double unit)
{
    static const char *const kinds[] = {"time",  "size",   "rate", "frequency",
                                        "power", "energy", "count"};
    struct table_column common = *column;
    g_autofree char *name =
        g_strdup(column->kind == VALUE_QUANTITY ? kinds[column->unit] : "value");
    common.key = name;
    return label_column_in(&common, unit);
}

/* A column's words inside of a line. */
static char *words_inside(const struct table *results, const char *name)
{
    const struct table_column *column = column_of(results, name);
    char *words = label_words(column ? column->key : name);
    if (words[0] && g_ascii_islower(words[1])) /* not PCIe */
        words[0] = g_ascii_tolower(words[0]);
    return words;
}

static char *measure_label(const struct plot_spec *plot, const struct table *results, double unit)
{
    const struct table_column *column = column_of(results, plot->y);
    g_autofree char *label = strchr(plot->y, ',') && column && !plot->y_label
                                 ? common_label(column, unit)
                                 : axis_label(results, plot->y, plot->y_label, unit);
    if (!plot->over)
        return g_steal_pointer(&label);
    g_autofree char *words = words_inside(results, plot->over);
    return g_strdup_printf("%s, mean over %s", label, words);
}

/* What stands around the values, said once above the legend; "" if nothing does. */
static char *bands_note(const struct figure_sheets *sheets, const struct table *results)
{
    const struct plot_spec *plot = sheets->plot;
    const char *shape = plot_has_style(plot, "bars") ? "Whiskers"
                        : is_scatter(plot)           ? "Bars"
                                                     : "Bands";
    if (!sheets->has_bands)
        return g_strdup("");
    if (sheets->width == 2)
        return g_strdup_printf("%s: 95 %% interval of the mean over phases", shape);
    if (plot->band_of)
        return g_strdup_printf("%s: %s", shape, plot->band_of);
    g_autofree char *from = plot->over ? NULL : words_inside(results, plot->band_low);
    g_autofree char *to = words_inside(results, plot->over ? plot->over : plot->band_high);
    return plot->over ? g_strdup_printf("%s: least to most over %s", shape, to)
                      : g_strdup_printf("%s: %s to %s", shape, from, to);
}

/* Long numbers count in a larger unit, unless the study has named one: 3·10⁶ µJ as 3 J. */
static void choose_unit(struct figure_sheets *sheets, const struct table *results)
{
    const struct plot_spec *plot = sheets->plot;
    const struct table_column *column = column_of(results, plot->y);
    struct figure_axis *axis = &sheets->y;
    bool is_log = axis->scale == AXIS_LOG;
    bool is_long = is_log ? axis->low >= LONG_LOG : axis->high >= LONG_LINEAR;
    bool is_named = plot->y_label && g_str_has_suffix(plot->y_label, ")");
    if (column && is_long && !is_named && !sheets_are_turned(sheets))
        axis->unit = label_unit_size(column, is_log ? axis->low : axis->high);
}

/* Designs, and what a table of measurements calls "what", need no word that says what they are. */
static char *series_label(const struct plot_spec *plot, const struct table *results)
{
    if (!plot->by || strcmp(plot->by, "design") == 0 || strcmp(plot->by, "what") == 0)
        return g_strdup("");
    const struct table_column *column = column_of(results, plot->by);
    return label_words(column ? column->key : plot->by); /* values have their unit with them */
}

static void set_texts(struct figure_sheets *sheets, const struct table *results)
{
    const struct plot_spec *plot = sheets->plot;
    sheets->title = g_strdup(plot->title ? plot->title : "");
    choose_unit(sheets, results);
    sheets->x_label = axis_label(results, plot->x, plot->x_label, 1);
    sheets->z_label = measure_label(plot, results, sheets->y.unit);
    sheets->y_label = plot_has_style(plot, "heatmap") ? axis_label(results, plot->by, NULL, 1)
                                                      : g_strdup(sheets->z_label);
    if (plot_has_style(plot, "tornado")) {
        char *names = sheets->x_label;
        sheets->x_label = sheets->y_label;
        sheets->y_label = names;
    }
    sheets->series_label = series_label(plot, results);
    sheets->note = bands_note(sheets, results);
}

/* --- the whole ---------------------------------------------------------------------------------- */

static void clear_series(gpointer data)
{
    struct figure_series *series = data;
    g_free(series->key);
    g_free(series->label);
}

struct figure_sheets *sheets_new(const struct plot_spec *plot, const struct table *results,
                                 const struct plot_mark *marks, size_t mark_count, GError **error)
{
    g_autoptr(GPtrArray) panels = plot_panels(plot, results);
    struct figure_sheets *sheets = g_new0(struct figure_sheets, 1);
    sheets->plot = plot;
    sheets->series = g_array_new(FALSE, FALSE, sizeof(struct figure_series));
    g_array_set_clear_func(sheets->series, clear_series);
    sheets->sheets = g_new0(struct figure_sheet, MAX(panels->len, 1));
    for (size_t i = 0; i < MAX(panels->len, 1); i++) {
        if (!make_sheet(sheets, results, panels->len ? g_ptr_array_index(panels, i) : NULL,
                        error)) {
            sheets_free(sheets);
            return NULL;
        }
    }
    name_absent_series(sheets);
    sheets->has_bands = sheets->width > 1 && draws_bands(plot);
    set_scales(sheets);
    add_names(sheets);
    sheets_add_marks(sheets, results, marks, mark_count);
    for (size_t i = 0; i < sheets->count; i++)
        add_sheet_values(sheets, &sheets->sheets[i]);
    if (!can_be_drawn(sheets, error)) {
        sheets_free(sheets);
        return NULL;
    }
    set_axes(sheets);
    drop_unseen_bands(sheets);
    sheets_place_marks(sheets);
    set_texts(sheets, results);
    return sheets;
}

void sheets_free(struct figure_sheets *sheets)
{
    for (size_t i = 0; i < sheets->count; i++) {
        struct figure_sheet *sheet = &sheets->sheets[i];
        table_free(sheet->shown);
        g_free(sheet->title);
        g_free(sheet->series);
        g_array_unref(sheet->marks);
    }
    char *texts[] = {sheets->title,   sheets->x_label,      sheets->y_label,
                     sheets->z_label, sheets->series_label, sheets->note};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    axis_clear(&sheets->x);
    axis_clear(&sheets->y);
    axis_clear(&sheets->z);
    g_array_unref(sheets->series);
    g_free(sheets->sheets);
    g_free(sheets);
}

bool sheets_have_values(const struct figure_sheets *sheets)
{
    for (size_t i = 0; i < sheets->count; i++) {
        const struct table *shown = sheets->sheets[i].shown;
        for (size_t r = 0; r < shown->row_count; r++)
            for (size_t c = 1; c < shown->column_count; c++)
                if (table_cell(shown, r, c))
                    return true;
    }
    return false;
}
