/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of measurements and what stands in them. */
#include <math.h>
#include <string.h>

#include "study/model/measured.h"

/* --- units -------------------------------------------------------------------------------------- */

/* The unit that is called so, "GB/s", "GBps" or "bytes"; NULL if there is none. */
static const char *unit_called(const char *name, enum unit_kind unit)
{
    g_autofree char *plain = g_strdelimit(g_strdup(name), "/", 'p');
    const char *suffix = unit_named(plain, unit);
    return suffix == NULL && unit == UNIT_BYTES && strcmp(plain, "bytes") == 0 ? "B" : suffix;
}

/* The unit with which the name of a column ends, "latency_us" or "Latency (us)", or which it is; NULL if there is none. */
static const char *unit_of(const char *column, enum unit_kind unit)
{
    bool is_bracketed = g_str_has_suffix(column, ")") || g_str_has_suffix(column, "]");
    const char *last = column;
    for (const char *at = column; *at; at++)
        if (strchr(is_bracketed ? "([" : "_ ", *at))
            last = at + 1;
    g_autofree char *name = g_strndup(last, strlen(last) - is_bracketed);
    return unit_called(g_strstrip(name), unit);
}

/* --- which column ------------------------------------------------------------------------------- */

/* Whether a column of this name is what the study calls `name`. */
static bool is_named(const char *column, const char *name, const struct value *like)
{
    size_t length = strlen(name);
    if (strncmp(column, name, length) != 0)
        return false;
    if (column[length] == '\0')
        return true;
    return like->kind == VALUE_QUANTITY && column[length] == '_' &&
           unit_called(column + length + 1, like->unit) != NULL;
}

static bool is_taken(const struct measured *measured, const char *column)
{
    for (size_t i = 0; i < measured->name_count; i++)
        if (strcmp(measured->names[i].column, column) == 0)
            return true;
    return false;
}

/* The column that has the name by itself, if no other name was given to it. */
static bool find_by_name(const struct measured *measured, const char *name,
                         const struct value *like, int *found, GError **error)
{
    char *const *columns = measured->table.columns;
    for (int i = 0; columns[i]; i++) {
        if (!is_named(columns[i], name, like) || is_taken(measured, columns[i]))
            continue;
        if (*found >= 0)
            return delimited_fail(&measured->table, measured->table.names_line, error,
                                  "two columns are %s: %s and %s; the study's measured says which, "
                                  "%s = \"COLUMN\"",
                                  name, columns[*found], columns[i], name);
        *found = i;
    }
    return true;
}

/* The unit that the study gives to a column; its name must not say another one. */
static bool set_unit(const struct measured *measured, const char *unit,
                     struct measured_column *column, GError **error)
{
    const struct delimited *table = &measured->table;
    const char *name = table->columns[column->at], *by_name = column->suffix;
    if (column->like.kind != VALUE_QUANTITY)
        return delimited_fail(table, table->names_line, error,
                              "column %s is for what has no unit in the results, but the study's "
                              "measured says unit = \"%s\"",
                              name, unit);
    column->suffix = unit_called(unit, column->like.unit);
    if (column->suffix == NULL)
        return delimited_fail(table, table->names_line, error,
                              "the unit \"%s\" that the study's measured gives to column %s is "
                              "none of %s",
                              unit, name, unit_suffixes(column->like.unit));
    if (by_name != NULL && strcmp(by_name, column->suffix) != 0)
        return delimited_fail(table, table->names_line, error,
                              "column %s is in %s by its name, and in %s by the study's measured",
                              name, by_name, column->suffix);
    return true;
}

bool measured_find(const struct measured *measured, const char *name, const struct value *like,
                   bool is_axis, struct measured_column *column, GError **error)
{
    const struct measured_name *given = NULL;
    *column = (struct measured_column){
        .at = -1, .is_axis = is_axis, .like = {.kind = like->kind, .unit = like->unit}};
    for (size_t i = 0; i < measured->name_count; i++)
        if (strcmp(measured->names[i].name, name) == 0)
            given = &measured->names[i];
    if (given)
        column->at = delimited_find(&measured->table, given->column);
    else if (!find_by_name(measured, name, like, &column->at, error))
        return false;
    if (column->at >= 0 && like->kind == VALUE_QUANTITY)
        column->suffix = unit_of(measured->table.columns[column->at], like->unit);
    return !given || !given->unit || set_unit(measured, given->unit, column, error);
}

/* --- cells -------------------------------------------------------------------------------------- */

bool measured_is_none(const char *text)
{
    static const char *const none[] = {"", "-", "nan", "na", "n/a"};
    for (size_t i = 0; i < G_N_ELEMENTS(none); i++)
        if (g_ascii_strcasecmp(text, none[i]) == 0)
            return true;
    return false;
}

/* Of an axis a whole number of base units: 8.4 B is not 8 B. */
#define ROUNDING 1e-9

/* A plain number, of the unit `suffix`, rounded to base units. */
static bool to_quantity(double number, const struct measured_column *column, int64_t *quantity)
{
    double exact = number == 0 ? 0 : number * unit_scale(column->suffix, column->like.unit);
    bool fits = fabs(exact) < 0x1p63;
    bool is_whole = fabs(exact - round(exact)) <= ROUNDING * fabs(exact);
    *quantity = fits ? (int64_t)round(exact) : 0;
    return fits && (is_whole || !column->is_axis);
}

/* Nothing is below 0; and what takes no time, or comes at no rate, was not measured. */
static bool is_possible(int64_t quantity, const struct measured_column *column)
{
    bool is_above =
        !column->is_axis && (column->like.unit == UNIT_TIME || column->like.unit == UNIT_RATE);
    return is_above ? quantity > 0 : quantity >= 0;
}

static bool read_quantity(const struct measured *measured, const struct measured_row *row,
                          const struct measured_column *column, struct value *value, GError **error)
{
    const struct delimited *table = &measured->table;
    const char *text = row->fields[column->at], *name = table->columns[column->at];
    enum unit_kind unit = column->like.unit;
    bool is_number = unit_is_number(text);
    int64_t quantity;
    if (is_number && column->suffix == NULL && g_ascii_strtod(text, NULL) != 0)
        return delimited_fail(
            table, row->line, error,
            "%s is %s without a unit; the column's name may end with one of %s (with \"p\" for "
            "\"/\"), or the study's measured give it: { column = \"%s\", unit = \"%s\" }",
            name, text, unit_suffixes(unit), name, unit_base_suffix(unit));
    if (is_number && !to_quantity(g_ascii_strtod(text, NULL), column, &quantity))
        return delimited_fail(table, row->line, error,
                              "%s is %s, which is no whole number of %s below 2^63", name, text,
                              unit_base_suffix(unit));
    if (!is_number && !unit_parse(text, unit, &quantity, NULL))
        return delimited_fail(
            table, row->line, error,
            "%s is \"%s\"; write a number, in the column's unit or with one of %s", name, text,
            unit_suffixes(unit));
    if (!is_possible(quantity, column))
        return delimited_fail(table, row->line, error,
                              "%s is %s, which cannot be; what was not measured is -", name, text);
    *value = value_quantity(quantity, unit);
    return true;
}

bool measured_cell(const struct measured *measured, const struct measured_row *row,
                   const struct measured_column *column, struct value *value, GError **error)
{
    const char *text = row->fields[column->at];
    if (measured_is_none(text))
        return false;
    if (column->like.kind == VALUE_QUANTITY)
        return read_quantity(measured, row, column, value, error);
    if (column->like.kind == VALUE_NUMBER && !unit_is_number(text))
        return delimited_fail(&measured->table, row->line, error, "%s is \"%s\", not a number",
                              measured->table.columns[column->at], text);
    *value = column->like.kind == VALUE_NUMBER
                 ? value_number(g_ascii_strtod(text, NULL))
                 : (struct value){.kind = VALUE_TEXT, .text = g_strdup(text)};
    return true;
}
