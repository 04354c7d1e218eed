/* SPDX-License-Identifier: BSD-3-Clause */
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
    COLUMN_OUTCOME,
    COLUMNS,
};

static const char *const outcomes[] = {[SENSITIVITY_MOVES] = "moves",
                                       [SENSITIVITY_BELOW_SPREAD] = "below the spread",
                                       [SENSITIVITY_NOTHING] = "changes nothing",
                                       [SENSITIVITY_NOT_CHANGED] = "not changed",
                                       [SENSITIVITY_FAILS] = "fails",
                                       [SENSITIVITY_NOT_READ] = "not read"};

static char *number_text(const char *format, double number)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    return isfinite(number) ? g_strdup(g_ascii_formatd(text, sizeof text, format, number)) : NULL;
}

static double percent_of(const struct sensitivity *of, const struct sensitivity_entry *entry,
                         int side)
{
    const struct sensitivity_try *try = &entry->shown.tries[side];
    if (!entry->shown.has_try[side] || isnan(try->number))
        return NAN;
    return 100 * (try->number / outcome_number(of->base) - 1);
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
                            [COLUMN_NOTE] = g_strdup(entry->note),
                            [COLUMN_OUTCOME] = g_strdup(outcomes[entry->outcome])};
    for (int side = 0; side < 2; side++) {
        const struct sensitivity_try *try = &entry->shown.tries[side];
        texts[COLUMN_PERCENT_LOW + side] = number_text("%.3f", percent_of(of, entry, side));
        if (entry->shown.has_try[side])
            texts[COLUMN_LOW + side] = vary_text(&entry->parameter, try->value);
        if (texts[COLUMN_PERCENT_LOW + side])
            texts[COLUMN_MEASURE_LOW + side] = outcome_column_text(of->base, try->number);
    }
    table_append(table, (const char *const *)texts);
    for (int i = 0; i < COLUMNS; i++)
        g_free(texts[i]);
}

struct table *sensitivity_table(const GPtrArray *list, bool all)
{
    const struct sensitivity *first = g_ptr_array_index(list, 0);
    g_autofree char *column = value_column(first->base->name, &first->base->value);
    g_autofree char *low = g_strconcat(column, "_low", NULL);
    g_autofree char *high = g_strconcat(column, "_high", NULL);
    const char *const names[COLUMNS] = {
        "point", "parameter",   "value",        "origin",     "low",  "high",   low,
        high,    "low_percent", "high_percent", "elasticity", "note", "outcome"};
    struct table *table = table_of_texts(names, all ? COLUMNS : COLUMN_OUTCOME);
    for (int i = COLUMN_MEASURE_LOW; i <= COLUMN_ELASTICITY; i++)
        table->columns[i].is_number = true;
    for (guint i = 0; i < list->len; i++) {
        const struct sensitivity *of = g_ptr_array_index(list, i);
        for (guint k = 0; k < of->entries->len; k++) {
            const struct sensitivity_entry *entry =
                &g_array_index(of->entries, struct sensitivity_entry, k);
            bool fails = entry->outcome == SENSITIVITY_FAILS && !vary_is_axis(&entry->parameter);
            if (all || entry->outcome == SENSITIVITY_MOVES || fails)
                append_entry(table, of, entry);
        }
    }
    return table;
}

static const struct sensitivity_entry *entry_at(const struct sensitivity *of, guint number)
{
    return &g_array_index(of->entries, struct sensitivity_entry, number);
}

/* What the values of a parameter come to together, which stands in entries of its own for each choice: the first in this order. */
static enum sensitivity_outcome outcome_of(const struct sensitivity *of, const char *path)
{
    static const enum sensitivity_outcome order[] = {SENSITIVITY_MOVES, SENSITIVITY_FAILS,
                                                     SENSITIVITY_BELOW_SPREAD, SENSITIVITY_NOTHING};
    for (size_t k = 0; k < G_N_ELEMENTS(order); k++)
        for (guint i = 0; i < of->entries->len; i++)
            if (entry_at(of, i)->outcome == order[k] &&
                strcmp(entry_at(of, i)->parameter.path, path) == 0)
                return order[k];
    return SENSITIVITY_NOT_CHANGED;
}

/* How many entries are of the component, and how many of these were not read. */
static guint count_component(const struct sensitivity *of, const char *start, guint *unread)
{
    guint count = *unread = 0;
    for (guint i = 0; i < of->entries->len; i++) {
        if (!g_str_has_prefix(entry_at(of, i)->parameter.path, start))
            continue;
        count++;
        *unread += entry_at(of, i)->outcome == SENSITIVITY_NOT_READ;
    }
    return count;
}

/* Appends "charm.*" where nothing of the component was read, else the path; `*last` is what was appended last. */
static void append_unread(GString *names, const struct sensitivity *of, const char *path,
                          char **last)
{
    const char *dot = strchr(path, '.');
    g_autofree char *start = dot ? g_strndup(path, (gsize)(dot + 1 - path)) : g_strdup(path);
    guint unread, count = count_component(of, start, &unread);
    char *name =
        dot && count == unread && count > 1 ? g_strconcat(start, "*", NULL) : g_strdup(path);
    if (strcmp(name, *last) != 0)
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
    g_free(*last);
    *last = name;
}

static const char *const idle_words[] = {
    [SENSITIVITY_BELOW_SPREAD] = "move it by no more than its own spread",
    [SENSITIVITY_NOTHING] = "were read and change nothing, as far as they were changed",
    [SENSITIVITY_NOT_CHANGED] =
        "were read and not changed: they are 0 without a range, or the machine takes no other value",
    [SENSITIVITY_NOT_READ] = "were not read"};

char *sensitivity_idle(const struct sensitivity *of, enum sensitivity_outcome outcome)
{
    GString *names = g_string_new(NULL);
    g_autofree char *last = g_strdup("");
    bool is_unread = outcome == SENSITIVITY_NOT_READ;
    guint count = 0;
    for (guint i = 0; i < of->entries->len; i++) {
        const char *path = entry_at(of, i)->parameter.path;
        if (is_unread && entry_at(of, i)->outcome == outcome) {
            append_unread(names, of, path, &last);
            count++;
        } else if (!is_unread && strcmp(last, path) != 0 && outcome_of(of, path) == outcome &&
                   entry_at(of, i)->outcome == outcome) {
            g_string_append_printf(names, "%s%s", count++ ? ", " : "", path);
            g_free(last);
            last = g_strdup(path);
        }
    }
    if (count > 0) {
        g_autofree char *start = g_strdup_printf("%u parameters %s: ", count, idle_words[outcome]);
        g_string_prepend(names, start);
    }
    return g_string_free(names, count == 0);
}

char *sensitivity_apart(const struct sensitivity *of)
{
    GString *names = g_string_new(NULL);
    for (guint i = 0; i < of->entries->len; i++) {
        const struct sensitivity_entry *entry =
            &g_array_index(of->entries, struct sensitivity_entry, i);
        for (int side = 0; side < 2 && vary_is_axis(&entry->parameter); side++) {
            const struct sensitivity_try *try = &entry->shown.tries[side];
            if (!entry->shown.has_try[side] || !try->failure)
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
           entry_at(of, shown)->outcome == SENSITIVITY_MOVES)
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
