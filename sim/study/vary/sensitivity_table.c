/* Sensitivities as tables and tornado plots. */
#include <math.h>
#include <string.h>

#include "study/vary/outcome.h"
#include "study/vary/sensitivity.h"

#define MOST_BARS 24 /* of a tornado; the others do least */

const char *const vary_origins[] = {"default",  "given",     "published",
                                    "measured", "estimated", "fitted"};

enum column {
    COLUMN_POINT,
    COLUMN_PARAMETER,
    COLUMN_VALUE,
    COLUMN_ORIGIN,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_MEASURE_LOW,
    COLUMN_MEASURE_HIGH,
    COLUMN_PERCENT_LOW,
    COLUMN_PERCENT_HIGH,
    COLUMN_ELASTICITY,
    COLUMN_NOTE,
    COLUMNS,
};

static char *number_text(const char *format, double number)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    return isfinite(number) ? g_strdup(g_ascii_formatd(text, sizeof text, format, number)) : NULL;
}

static double percent_of(const struct sensitivity *of, const struct sensitivity_entry *entry,
                         int side)
{
    if (!entry->has_try[side] || isnan(entry->tries[side].number))
        return NAN;
    return 100 * (entry->tries[side].number / outcome_number(of->base) - 1);
}

static void append_entry(struct table *table, const struct sensitivity *of,
                         const struct sensitivity_entry *entry)
{
    char *texts[COLUMNS] = {[COLUMN_POINT] = g_strdup(of->name),
                            [COLUMN_PARAMETER] = g_strdup(entry->parameter.path),
                            [COLUMN_VALUE] = g_strdup(entry->parameter.text),
                            [COLUMN_ORIGIN] = g_strdup(vary_origins[entry->parameter.source]),
                            [COLUMN_ELASTICITY] = number_text(
                                "%.4f", fabs(entry->elasticity) < 5e-5 ? 0 : entry->elasticity),
                            [COLUMN_NOTE] = g_strdup(entry->note)};
    for (int side = 0; side < 2; side++) {
        const struct sensitivity_try *try = &entry->tries[side];
        texts[COLUMN_PERCENT_LOW + side] = number_text("%.3f", percent_of(of, entry, side));
        if (entry->has_try[side])
            texts[COLUMN_LOW + side] = vary_text(&entry->parameter, try->value);
        if (texts[COLUMN_PERCENT_LOW + side])
            texts[COLUMN_MEASURE_LOW + side] = outcome_column_text(of->base, try->number);
    }
    table_append(table, (const char *const *)texts);
    for (int i = 0; i < COLUMNS; i++)
        g_free(texts[i]);
}

static bool fails_at(const struct sensitivity_entry *entry)
{
    return entry->tries[0].failure || entry->tries[1].failure;
}

struct table *sensitivity_table(const GPtrArray *list, bool all)
{
    const struct sensitivity *first = g_ptr_array_index(list, 0);
    g_autofree char *column = value_column(first->base->name, &first->base->value);
    g_autofree char *low = g_strconcat(column, "_low", NULL);
    g_autofree char *high = g_strconcat(column, "_high", NULL);
    const char *const names[COLUMNS] = {"point",       "parameter",    "value",      "origin",
                                        "low",         "high",         low,          high,
                                        "low_percent", "high_percent", "elasticity", "note"};
    struct table *table = table_of_texts(names, COLUMNS);
    for (int i = COLUMN_MEASURE_LOW; i <= COLUMN_ELASTICITY; i++)
        table->columns[i].is_number = true;
    for (guint i = 0; i < list->len; i++) {
        const struct sensitivity *of = g_ptr_array_index(list, i);
        for (guint k = 0; k < of->entries->len; k++) {
            const struct sensitivity_entry *entry =
                &g_array_index(of->entries, struct sensitivity_entry, k);
            bool fails = fails_at(entry) && !vary_is_axis(&entry->parameter);
            if (all || entry->effect > 0 || fails)
                append_entry(table, of, entry);
        }
    }
    return table;
}

/* Whether another value of the same parameter does something, or fails. */
static bool is_told(const struct sensitivity *of, const char *path)
{
    for (guint i = 0; i < of->entries->len; i++) {
        const struct sensitivity_entry *entry =
            &g_array_index(of->entries, struct sensitivity_entry, i);
        if (strcmp(entry->parameter.path, path) == 0 && (entry->effect > 0 || fails_at(entry)))
            return true;
    }
    return false;
}

char *sensitivity_idle(const struct sensitivity *of)
{
    GString *names = g_string_new(NULL);
    guint count = 0;
    const char *last = "";
    for (guint i = 0; i < of->entries->len; i++) {
        const struct sensitivity_entry *entry =
            &g_array_index(of->entries, struct sensitivity_entry, i);
        if (strcmp(last, entry->parameter.path) == 0 || is_told(of, entry->parameter.path))
            continue;
        last = entry->parameter.path;
        g_string_append_printf(names, "%s%s", count++ ? ", " : "", last);
    }
    if (count == 0)
        return g_string_free(names, TRUE);
    g_string_prepend(names, " were read and change nothing, or are not changed: ");
    g_autofree char *number = g_strdup_printf("%u parameters", count);
    g_string_prepend(names, number);
    return g_string_free(names, FALSE);
}

char *sensitivity_apart(const struct sensitivity *of)
{
    GString *names = g_string_new(NULL);
    for (guint i = 0; i < of->entries->len; i++) {
        const struct sensitivity_entry *entry =
            &g_array_index(of->entries, struct sensitivity_entry, i);
        for (int side = 0; side < 2 && vary_is_axis(&entry->parameter); side++) {
            const struct sensitivity_try *try = &entry->tries[side];
            if (!entry->has_try[side] || !try->failure)
                continue;
            g_autofree char *value = vary_override(&entry->parameter, try->value);
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", value);
        }
    }
    if (names->len > 0)
        g_string_append(names, " do not go together with the design's other axes, or with the "
                               "machine or the workload (-o FILE.csv has the reasons)");
    return g_string_free(names, names->len == 0);
}

/* --- tornado ------------------------------------------------------------------------------------ */

static void add_column(struct table *table, const char *key, const char *name, bool is_number)
{
    table->columns = g_renew(struct table_column, table->columns, table->column_count + 1);
    table->columns[table->column_count++] =
        (struct table_column){.key = g_strdup(key),
                              .name = g_strdup(name),
                              .is_axis = !is_number,
                              .is_number = is_number,
                              .kind = is_number ? VALUE_NUMBER : VALUE_TEXT};
}

/* The axis of names grows upwards, so the greatest comes last. */
static void append_bars(struct table *table, const struct sensitivity *of)
{
    guint shown = 0;
    while (shown < MIN(of->entries->len, MOST_BARS) &&
           g_array_index(of->entries, struct sensitivity_entry, shown).effect > 0)
        shown++;
    for (guint i = shown; i-- > 0;) {
        const struct sensitivity_entry *entry =
            &g_array_index(of->entries, struct sensitivity_entry, i);
        g_autofree char *low = number_text("%.6g", percent_of(of, entry, 0));
        g_autofree char *high = number_text("%.6g", percent_of(of, entry, 1));
        table_append(table, (const char *[]){of->name, entry->parameter.path, low, high});
    }
}

struct figure *sensitivity_figure(const GPtrArray *list, const char *title, double step,
                                  GError **error)
{
    const struct sensitivity *first = g_ptr_array_index(list, 0);
    struct table *bars = g_new0(struct table, 1);
    g_autofree char *own_title = g_strdup(title);
    g_autofree char *less = g_strdup_printf("%g %% less", 100 * step);
    g_autofree char *more = g_strdup_printf("%g %% more", 100 * step);
    g_autofree char *label = g_strdup_printf("Change of %s (%%)", first->base->name);
    char x[] = "parameter", style[] = "tornado", no_label[] = "", panels[] = "point";
    add_column(bars, panels, panels, false);
    add_column(bars, x, x, false);
    add_column(bars, less, less, true);
    add_column(bars, more, more, true);
    for (guint i = 0; i < list->len; i++)
        append_bars(bars, g_ptr_array_index(list, i));
    g_autofree char *ys = g_strdup_printf("%s,%s", less, more);
    const struct plot_spec plot = {.x = x,
                                   .y = ys,
                                   .style = style,
                                   .panels = list->len > 1 ? panels : NULL,
                                   .title = own_title,
                                   .x_label = no_label,
                                   .y_label = label};
    struct figure *figure = plot_draw(&plot, bars, NULL, 0, error);
    table_free(bars);
    return figure;
}
