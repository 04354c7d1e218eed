/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/param_use.h"

#include <stdarg.h>

#include "core/check.h"

static uint64_t bit_of(const struct param *param)
{
    return UINT64_C(1) << param->offset / 8;
}

static uint64_t all_bits(const struct param_table *table)
{
    uint64_t bits = 0;
    check_always(table->spec_size <= (size_t)8 * PARAM_USE_MOST_WORDS || table->count == 1,
                 "component %s has more than %d parameters", table->component,
                 PARAM_USE_MOST_WORDS);
    for (size_t i = 0; i < table->count; i++)
        bits |= bit_of(&table->params[i]);
    return bits;
}

static uint64_t bits_of(const struct param_table *table, va_list names)
{
    uint64_t bits = 0;
    for (const char *name = va_arg(names, const char *); name; name = va_arg(names, const char *)) {
        const struct param *param = param_find(table, name);
        check_always(param != NULL, "component %s has no %s", table->component, name);
        bits |= bit_of(param);
    }
    return bits;
}

uint64_t *param_use_of(struct param_use *use, const struct param_table *table)
{
    for (size_t i = 0; i < use->count; i++)
        if (use->tables[i].table == table)
            return &use->tables[i].used;
    check_always(use->count < PARAM_USE_TABLES, "more than %d components are read",
                 PARAM_USE_TABLES);
    use->tables[use->count] = (struct param_use_entry){table, 0};
    return &use->tables[use->count++].used;
}

void param_uses(struct param_use *use, const struct param_table *table)
{
    param_use_add_bits(use, table, all_bits(table));
}

void param_uses_none(struct param_use *use, const struct param_table *table)
{
    *param_use_of(use, table) = 0;
}

void param_uses_only(struct param_use *use, const struct param_table *table, ...)
{
    va_list names;
    va_start(names, table);
    param_use_add_bits(use, table, bits_of(table, names));
    va_end(names);
}

void param_uses_all_but(struct param_use *use, const struct param_table *table, ...)
{
    va_list names;
    va_start(names, table);
    param_use_add_bits(use, table, all_bits(table) & ~bits_of(table, names));
    va_end(names);
}

uint64_t param_use_bits(const struct param_use *use, const struct param_table *table)
{
    for (size_t i = 0; i < use->count; i++)
        if (use->tables[i].table == table)
            return use->tables[i].used;
    return 0;
}

bool param_is_used(const struct param_use *use, const struct param_table *table, size_t number)
{
    return (param_use_bits(use, table) & bit_of(&table->params[number])) != 0;
}

void param_use_join(struct param_use *use, const struct param_use *more)
{
    for (size_t i = 0; i < more->count; i++)
        param_use_add_bits(use, more->tables[i].table, more->tables[i].used);
}
