/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables as figures show them. */
#include <string.h>

#include "study/table/table.h"

/* --- series ------------------------------------------------------------------------------------
 */

static bool takes_several_values(const struct table *table, size_t column)
{
    for (size_t i = 1; i < table->row_count; i++) {
        if (g_strcmp0(table_cell(table, i, column), table_cell(table, 0, column)) != 0)
            return true;
    }
    return false;
}

/* Whether the axis tells series apart that x, by, panels and over do not. */
static bool splits_series(const struct table *table, const struct pivot *pivot, size_t axis)
{
    const struct table_column *column = &table->columns[axis];
    int number = (int)axis;
    if (!column->is_axis || number == pivot->x || number == pivot->by || number == pivot->panels)
        return false;
    if (pivot->over >= 0 && column->group == table->columns[pivot->over].group)
        return false;
    for (size_t i = 0; i < pivot->only_count; i++)
        if (pivot->only[i].column == number)
            return false;
    return takes_several_values(table, axis);
}

static void append_part(GString *name, const char *key, const char *text)
{
    g_string_append_printf(name, "%s%s%s%s", name->len ? ", " : "", key, *key ? " " : "", text);
}

size_t pivot_width(const struct pivot *pivot)
{
    return pivot->over >= 0 || pivot->low >= 0 ? 3 : pivot->has_spreads ? 2 : 1;
}

/* "dgpu", or "dgpu, nodes 4" where `nodes` varies as well; the measure's name if there are several.
 */
static char *series_of_row(const struct table *table, const struct pivot *pivot,
                           const char *const *keys, size_t row, size_t y)
{
    GString *series = g_string_new(NULL);
    if (pivot->by >= 0)
        append_part(series, "", table_cell(table, row, (size_t)pivot->by));
    for (size_t i = 0; i < table->column_count; i++) {
        if (keys[i])
            append_part(series, keys[i], table_cell(table, row, i));
    }
    if (pivot->y_count > 1)
        append_part(series, "", table->columns[pivot->ys[y]].name);
    return g_string_free(series, FALSE);
}

static void append_named(GString *name, char *part)
{
    append_part(name, "", part);
    g_free(part);
}

/* The same in names for readers. */
static char *series_name(const struct table *table, const struct pivot *pivot,
                         const char *const *keys, size_t row, size_t y)
{
    GString *name = g_string_new(NULL);
    if (pivot->by >= 0)
        append_named(name, pivot->name_value(&table->columns[pivot->by],
                                             table_cell(table, row, (size_t)pivot->by), false));
    for (size_t i = 0; i < table->column_count; i++) {
        if (keys[i])
            append_named(name,
                         pivot->name_value(&table->columns[i], table_cell(table, row, i), true));
    }
    if (pivot->y_count > 1)
        append_named(name, pivot->name_measure(&table->columns[pivot->ys[y]]));
    return g_string_free(name, FALSE);
}

/* Names of the axes that split series; NULL for all other columns. */
static const char **series_keys(const struct table *table, const struct pivot *pivot)
{
    const char **keys = g_new0(const char *, table->column_count + 1);
    for (size_t i = 0; i < table->column_count; i++) {
        if (splits_series(table, pivot, i))
            keys[i] = table->columns[i].name;
    }
    return keys;
}

/* --- places ------------------------------------------------------------------------------------
 */

/* Texts in the order in which they first came. */
struct places {
    GPtrArray *texts;
    GHashTable *numbers;
};

static struct places places_new(void)
{
    return (struct places){g_ptr_array_new_with_free_func(g_free),
                           g_hash_table_new(g_str_hash, g_str_equal)};
}

static void places_clear(struct places *places)
{
    g_hash_table_unref(places->numbers);
    g_ptr_array_unref(places->texts);
}

/* The number of `text`, which is taken over. */
static size_t place_of(struct places *places, char *text)
{
    gpointer number;
    if (g_hash_table_lookup_extended(places->numbers, text, NULL, &number)) {
        g_free(text);
        return GPOINTER_TO_SIZE(number);
    }
    size_t place = places->texts->len;
    g_ptr_array_add(places->texts, text);
    g_hash_table_insert(places->numbers, text, GSIZE_TO_POINTER(place));
    return place;
}

/* --- cells -------------------------------------------------------------------------------------
 */

/* What falls into one cell. */
struct gathered {
    const char *first; /* text; without a count that of a value that is not modelled */
    size_t count;
    double sum, least, most;
};

static void gather(struct gathered *cell, const struct table *table, size_t row, int column)
{
    const char *text = table_cell(table, row, (size_t)column);
    double value = text ? g_ascii_strtod(text, NULL) : 0;
    if (!text && !cell->first)
        cell->first = table_shown_cell(table, row, (size_t)column);
    if (!text)
        return;
    if (cell->count == 0)
        *cell = (struct gathered){text, 0, 0, value, value};
    cell->count++;
    cell->sum += value;
    cell->least = MIN(cell->least, value);
    cell->most = MAX(cell->most, value);
}

static char *number_text(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup(g_ascii_formatd(text, sizeof text, "%.12g", value));
}

static void fill_cells(char **cells, const struct gathered *cell, bool has_band)
{
    if (!has_band || cell->count == 0) {
        cells[0] = g_strdup(cell->first);
        return;
    }
    cells[0] = number_text(cell->sum / (double)cell->count);
    cells[1] = number_text(cell->least);
    cells[2] = number_text(cell->most);
}

/* --- the table ---------------------------------------------------------------------------------
 */

/* `names`: those for readers; NULL: as the series' keys. */
static void name_columns(struct table *shown, const struct table *table, const struct pivot *pivot,
                         const struct places *series, const GPtrArray *names, size_t width)
{
    static const char *const suffixes[] = {"", " least", " most"};
    bool has_spreads = width == 2;
    shown->columns[0] = table->columns[pivot->x];
    shown->columns[0].key = g_strdup(table->columns[pivot->x].key);
    shown->columns[0].name = g_strdup(table->columns[pivot->x].name);
    for (size_t i = 1; i < shown->column_count; i++) {
        const struct table_column *y = &table->columns[pivot->ys[0]];
        const char *key = g_ptr_array_index(series->texts, (i - 1) / width);
        const char *name = names ? g_ptr_array_index(names, (i - 1) / width) : key;
        shown->columns[i] = *y;
        shown->columns[i].is_axis = false;
        shown->columns[i].spread = has_spreads && i % 2 == 1 ? i + 1 : 0;
        shown->columns[i].key = g_strdup(key);
        shown->columns[i].name =
            g_strconcat(*name ? name : y->name,
                        has_spreads && i % 2 == 0 ? " spread" : suffixes[(i - 1) % width], NULL);
    }
}

static struct table *table_of_size(size_t columns, size_t rows)
{
    struct table *table = g_new0(struct table, 1);
    table->column_count = columns;
    table->row_count = rows;
    table->columns = g_new0(struct table_column, columns);
    table->cells = g_new0(char *, columns *rows);
    return table;
}

static bool is_shown(const struct table *table, const struct pivot *pivot, size_t row)
{
    for (size_t i = 0; i < pivot->only_count; i++)
        if (g_strcmp0(table_cell(table, row, (size_t)pivot->only[i].column), pivot->only[i].text) !=
            0)
            return false;
    return pivot->panels < 0 ||
           g_strcmp0(table_cell(table, row, (size_t)pivot->panels), pivot->panel) == 0;
}

/* What falls into the cells of one series at one x: its value, and the band's ends or the spread if they have columns. */
static void gather_row(struct gathered *cells, const struct table *table, const struct pivot *pivot,
                       size_t row, size_t y)
{
    gather(&cells[0], table, row, pivot->ys[y]);
    if (pivot->low >= 0) {
        gather(&cells[1], table, row, pivot->low);
        gather(&cells[2], table, row, pivot->high);
    } else if (pivot->has_spreads && table->columns[pivot->ys[y]].spread > 0) {
        gather(&cells[1], table, row, (int)table->columns[pivot->ys[y]].spread);
    }
}

static void fill_series(char **cells, const struct gathered *gathered, const struct pivot *pivot)
{
    fill_cells(cells, &gathered[0], pivot->over >= 0);
    for (size_t i = 1; pivot->over < 0 && i < pivot_width(pivot); i++)
        fill_cells(cells + i, &gathered[i], false);
}

struct table *table_pivot(const struct table *table, const struct pivot *pivot)
{
    enum { CELLS = 3 };
    struct places xs = places_new(), series = places_new();
    g_autofree const char **keys = series_keys(table, pivot);
    size_t entries = table->row_count * pivot->y_count, width = pivot_width(pivot);
    g_autofree size_t *places = g_new0(size_t, 2 * entries + 1);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < entries; i++) {
        size_t row = i / pivot->y_count, y = i % pivot->y_count;
        if (!is_shown(table, pivot, row))
            continue;
        places[2 * i] = place_of(&xs, g_strdup(table_cell(table, row, (size_t)pivot->x)));
        places[2 * i + 1] = place_of(&series, series_of_row(table, pivot, keys, row, y));
        if (pivot->name_value && names->len < series.texts->len)
            g_ptr_array_add(names, series_name(table, pivot, keys, row, y));
    }
    size_t rows = xs.texts->len, columns = series.texts->len;
    g_autofree struct gathered *cells = g_new0(struct gathered, CELLS * rows * columns + 1);
    for (size_t i = 0; i < entries; i++) {
        size_t row = i / pivot->y_count, y = i % pivot->y_count;
        if (is_shown(table, pivot, row))
            gather_row(&cells[CELLS * (places[2 * i] * columns + places[2 * i + 1])], table, pivot,
                       row, y);
    }
    struct table *shown = table_of_size(1 + width * columns, rows);
    name_columns(shown, table, pivot, &series, pivot->name_value ? names : NULL, width);
    for (size_t r = 0; r < rows; r++) {
        char **line = &shown->cells[r * shown->column_count];
        line[0] = g_strdup(g_ptr_array_index(xs.texts, r));
        for (size_t c = 0; c < columns; c++)
            fill_series(line + 1 + width * c, &cells[CELLS * (r * columns + c)], pivot);
    }
    places_clear(&xs);
    places_clear(&series);
    return shown;
}

/* --- scatter -----------------------------------------------------------------------------------
 */

struct mark {
    double x, y;
    size_t row;
};

static int compare_marks(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    const struct mark *one = a, *other = b;
    if (one->x != other->x)
        return one->x < other->x ? -1 : 1;
    if (one->y != other->y)
        return one->y < other->y ? -1 : 1;
    return one->row < other->row ? -1 : one->row > other->row;
}

/* Rows that no other is below in both numbers, by growing x. */
static GArray *find_front(const struct table *table, const struct pivot *pivot)
{
    GArray *marks = g_array_new(FALSE, FALSE, sizeof(struct mark));
    for (size_t r = 0; r < table->row_count; r++) {
        const char *x = table_cell(table, r, (size_t)pivot->x);
        const char *y = table_cell(table, r, (size_t)pivot->ys[0]);
        struct mark mark = {0, 0, r};
        if (!x || !y || !is_shown(table, pivot, r))
            continue;
        mark.x = g_ascii_strtod(x, NULL);
        mark.y = g_ascii_strtod(y, NULL);
        g_array_append_val(marks, mark);
    }
    g_array_sort_with_data(marks, compare_marks, NULL);
    guint kept = 0;
    for (guint i = 0; i < marks->len; i++) {
        struct mark mark = g_array_index(marks, struct mark, i);
        if (kept == 0 || mark.y < g_array_index(marks, struct mark, kept - 1).y)
            g_array_index(marks, struct mark, kept++) = mark;
    }
    g_array_set_size(marks, kept);
    return marks;
}

static void set_mark(struct table *shown, size_t line, size_t column, const struct table *table,
                     const struct pivot *pivot, size_t row)
{
    char **cells = &shown->cells[line * shown->column_count];
    size_t spread = table->columns[pivot->ys[0]].spread;
    cells[0] = g_strdup(table_shown_cell(table, row, (size_t)pivot->x));
    cells[column] = g_strdup(table_shown_cell(table, row, (size_t)pivot->ys[0]));
    if (pivot->has_spreads)
        cells[column + 1] = g_strdup(table_shown_cell(table, row, spread));
}

struct table *table_scatter(const struct table *table, const struct pivot *pivot, bool has_front)
{
    struct places series = places_new();
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autofree size_t *places = g_new0(size_t, table->row_count + 1);
    for (size_t r = 0; r < table->row_count; r++) {
        const char *name = pivot->by >= 0 ? table_cell(table, r, (size_t)pivot->by) : "";
        if (!is_shown(table, pivot, r))
            continue;
        places[r] = place_of(&series, g_strdup(name));
        if (pivot->name_value && names->len < series.texts->len)
            g_ptr_array_add(
                names, pivot->by < 0 ? g_strdup("")
                                     : pivot->name_value(&table->columns[pivot->by], name, false));
    }
    g_autoptr(GArray) front = has_front ? find_front(table, pivot) : NULL;
    size_t marks = table->row_count, width = pivot->has_spreads ? 2 : 1;
    if (has_front) {
        place_of(&series, g_strdup("Pareto front"));
        g_ptr_array_add(names, g_strdup("Pareto front"));
    }
    struct table *shown =
        table_of_size(1 + width * series.texts->len, marks + (front ? front->len : 0));
    name_columns(shown, table, pivot, &series, pivot->name_value ? names : NULL, width);
    for (size_t r = 0; r < marks; r++) {
        if (is_shown(table, pivot, r))
            set_mark(shown, r, 1 + width * places[r], table, pivot, r);
    }
    for (guint i = 0; front && i < front->len; i++)
        set_mark(shown, marks + i, shown->column_count - width, table, pivot,
                 g_array_index(front, struct mark, i).row);
    places_clear(&series);
    return shown;
}
