/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/vary/outcome.h"

#include <string.h>

#include "core/error.h"

static bool is_called(const struct measure *measure, const char *name)
{
    g_autofree char *column = value_column(measure->name, &measure->value);
    return strcmp(measure->name, name) == 0 || strcmp(column, name) == 0;
}

static const struct measure *find(const struct row *row, const char *name)
{
    for (size_t i = 0; i < row->measure_count; i++)
        if (row->measures[i].value.kind != VALUE_TEXT &&
            (!name || is_called(&row->measures[i], name)))
            return &row->measures[i];
    return NULL;
}

static const struct measure *usual(const struct row *row)
{
    const struct measure *measure = find(row, "latency");
    if (!measure)
        measure = find(row, "time");
    return measure ? measure : find(row, NULL);
}

const struct measure *outcome_find(const struct row *row, const char *name, const char *place,
                                   GError **error)
{
    if (row->failure) {
        error_set_code(error, ERROR_RUN, "%s: %s", place, row->failure);
        return NULL;
    }
    const struct measure *measure = name ? find(row, name) : usual(row);
    if (measure)
        return measure;
    GString *known = g_string_new(NULL);
    for (size_t i = 0; i < row->measure_count; i++)
        if (row->measures[i].value.kind != VALUE_TEXT)
            g_string_append_printf(known, "%s%s", known->len ? ", " : "", row->measures[i].name);
    error_set(error, "%s: no measure \"%s\" with a number; those are %s", place, name ? name : "",
              known->len ? known->str : "none");
    g_string_free(known, TRUE);
    return NULL;
}

double outcome_number(const struct measure *measure)
{
    return measure->value.kind == VALUE_QUANTITY ? (double)measure->value.quantity
                                                 : measure->value.number;
}

double outcome_spread(const struct row *row, const struct measure *measure)
{
    g_autofree char *name = g_strconcat(measure->name, "_spread", NULL);
    for (size_t i = 0; i < row->measure_count; i++)
        if (strcmp(row->measures[i].name, name) == 0 &&
            row->measures[i].value.kind == measure->value.kind)
            return outcome_number(&row->measures[i]);
    return 0;
}
