/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/param_use.h"

#include <stdarg.h>

#include "core/check.h"

static uint64_t all_bits(const struct param_table *table)
{
    check_always(table->count <= PARAM_USE_MOST_PARAMS, "component %s has more than %d parameters",
                 table->component, PARAM_USE_MOST_PARAMS);
    return table->count == 64 ? UINT64_MAX : (UINT64_C(1) << table->count) - 1;
}

static uint64_t bits_of(const struct param_table *table, va_list names)
{
    uint64_t bits = 0;
    for (const char *name = va_arg(names, const char *); name; name = va_arg(names, const char *)) {
        const struct param *param = param_find(table, name);
        check_always(param != NULL, "component %s has no %s", table->component, name);
        bits |= UINT64_C(1) << (param - table->params);
    }
    return bits & all_bits(table);
}

void param_use_add_bits(struct param_use *use, const struct param_table *table, uint64_t bits)
{
    for (size_t i = 0; i < use->count; i++)
        if (use->tables[i].table == table) {
            use->tables[i].used |= bits;
            return;
        }
    check_always(use->count < PARAM_USE_TABLES, "more than %d components are read",
                 PARAM_USE_TABLES);
    use->tables[use->count++] = (struct param_use_entry){table, bits};
}

void param_uses(struct param_use *use, const struct param_table *table)
{
    param_use_add_bits(use, table, all_bits(table));
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
    return (param_use_bits(use, table) >> number & 1) != 0;
}

void param_use_join(struct param_use *use, const struct param_use *more)
{
    for (size_t i = 0; i < more->count; i++)
        param_use_add_bits(use, more->tables[i].table, more->tables[i].used);
}
