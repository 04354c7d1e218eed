/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether parameter tables are as they should be: unique names and fields, bounds that parse, defaults within them. */
#pragma once

#include <glib.h>
#include <string.h>

#include "core/error.h"
#include "core/param.h"

static inline bool refuse_row(const struct param_table *table, const struct param *param,
                              const char *reason, GError **error)
{
    return error_set(error, "%s.%s: %s", table->component, param->name, reason);
}

/* A bound as a number; false and an error if it does not parse. There may be none. */
static inline bool bound_valid(const struct param_table *table, const struct param *param,
                               const char *bound, double *number, GError **error)
{
    if (!bound || param_parse_number(param, bound, number, error))
        return true;
    g_prefix_error(error, "%s.%s: ", table->component, param->name);
    return false;
}

/* A record's names come when the program runs, so its default cannot be looked up; its text has room. */
static inline const char *record_fault(const struct param_table *table, const struct param *param)
{
    const struct param_table *fields = param->record->table;
    size_t most = 100;
    if (param->offset + fields->spec_size > table->spec_size)
        return "lies outside the spec";
    for (size_t i = 0; i < fields->count; i++) {
        most += strlen(fields->params[i].name) + UNIT_TEXT_SIZE / 2;
        if (fields->params[i].kind == PARAM_RECORD || !fields->params[i].default_text)
            return "has a field without default, or a record";
    }
    return most > PARAM_TEXT_SIZE ? "has too many fields" : NULL;
}

static inline bool param_table_valid(const struct param_table *table, GError **error);

/* False and an error if something is wrong with one parameter by itself. */
static inline bool param_valid(const struct param_table *table, const struct param *param,
                               GError **error)
{
    double low = 0, high = 0;
    if (!param->description || !*param->description)
        return refuse_row(table, param, "has no sentence", error);
    if (param->offset + sizeof(int64_t) > table->spec_size || param->offset % sizeof(int64_t) != 0)
        return refuse_row(table, param, "lies outside the spec", error);
    if (param->kind == PARAM_CHOICE && (!param->choices || !*param->choices))
        return refuse_row(table, param, "has no choices", error);
    if (!bound_valid(table, param, param->low, &low, error) ||
        !bound_valid(table, param, param->high, &high, error))
        return false;
    if (param->low && param->high && low > high)
        return refuse_row(table, param, "has its bounds the wrong way round", error);
    if (param->kind == PARAM_RECORD) {
        const char *fault = record_fault(table, param);
        return fault ? refuse_row(table, param, fault, error)
                     : param_table_valid(param->record->table, error);
    }
    g_autofree char *spec = g_malloc0(table->spec_size);
    return !param->default_text || param_set_text(table, param, spec, param->default_text, error);
}

/* Returns true, or false with a sentence. Every table is put through this. */
static inline bool param_table_valid(const struct param_table *table, GError **error)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        if (!param_valid(table, param, error))
            return false;
        for (size_t j = 0; j < i; j++) {
            if (strcmp(param->name, table->params[j].name) == 0)
                return refuse_row(table, param, "stands twice in the table", error);
            if (param->offset == table->params[j].offset)
                return refuse_row(table, param, "shares its field with another", error);
        }
    }
    return true;
}
