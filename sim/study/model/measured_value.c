/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of measurements and what stands in them. */
#include <math.h>
#include <string.h>

#include "study/model/measured.h"

/* The unit with which the name of a column ends, or which it is; NULL if there is none. */
static const char *suffix_of(const char *column, enum unit_kind unit)
{
    const char *ending = strrchr(column, '_');
    const char *suffix = unit_named(ending ? ending + 1 : column, unit);
    bool says_so = unit == UNIT_BYTES && g_str_has_suffix(column, "bytes");
    return suffix == NULL && says_so ? "B" : suffix;
}

/* Whether a column of this name is what the study calls `name`. */
static bool is_named(const char *column, const char *name, const struct value *like)
{
    size_t length = strlen(name);
    if (strncmp(column, name, length) != 0)
        return false;
    if (column[length] == '\0')
        return true;
    return like->kind == VALUE_QUANTITY && column[length] == '_' &&
           suffix_of(column + length + 1, like->unit) != NULL;
}

int measured_column(const struct measured *measured, const char *name, const struct value *like,
                    const char **suffix)
{
    int column = -1;
    for (size_t i = 0; i < measured->name_count; i++)
        if (strcmp(measured->names[i].name, name) == 0)
            column = measured_find(measured, measured->names[i].column);
    for (int i = 0; measured->name_count == 0 && column < 0 && measured->columns[i]; i++)
        column = is_named(measured->columns[i], name, like) ? i : -1;
    bool is_quantity = column >= 0 && like->kind == VALUE_QUANTITY;
    *suffix = is_quantity ? suffix_of(measured->columns[column], like->unit) : NULL;
    return column;
}

static bool is_none(const char *text)
{
    return *text == '\0' || strcmp(text, "-") == 0 || g_ascii_strcasecmp(text, "nan") == 0;
}

/* A plain number, of the unit `suffix`, rounded to base units. */
static bool to_quantity(double number, const char *suffix, enum unit_kind unit, int64_t *quantity)
{
    double exact = number == 0 ? 0 : number * unit_scale(suffix, unit);
    bool fits = fabs(exact) < 0x1p63;
    *quantity = fits ? (int64_t)round(exact) : 0;
    return fits;
}

bool measured_cell(const struct measured *measured, const struct measured_row *row, int column,
                   const struct value *like, const char *suffix, struct value *value,
                   GError **error)
{
    const char *text = row->fields[column], *name = measured->columns[column];
    if (is_none(text))
        return false;
    char *end;
    double number = g_ascii_strtod(text, &end);
    bool is_number = end != text && *end == '\0' && isfinite(number);
    int64_t quantity;
    switch (like->kind) {
    case VALUE_TEXT:
        *value = (struct value){.kind = VALUE_TEXT, .text = g_strdup(text)};
        return true;
    case VALUE_NUMBER:
        if (!is_number)
            return measured_fail(measured, row->line, error, "%s is \"%s\", not a number", name,
                                 text);
        *value = value_number(number);
        return true;
    default:
        if (is_number && suffix == NULL && number != 0)
            return measured_fail(
                measured, row->line, error,
                "%s is %s without a unit; the number or, with \"p\" for \"/\", the "
                "column's name may end with one of %s",
                name, text, unit_suffixes(like->unit));
        if (is_number ? !to_quantity(number, suffix, like->unit, &quantity)
                      : !unit_parse(text, like->unit, &quantity, NULL))
            return measured_fail(
                measured, row->line, error,
                "%s is \"%s\"; write a number, in the column's unit or with one of %s", name, text,
                unit_suffixes(like->unit));
        *value = value_quantity(quantity, like->unit);
        return true;
    }
}
