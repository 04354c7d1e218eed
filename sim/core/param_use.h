/* SPDX-License-Identifier: BSD-3-Clause */
/* Which parameters a run reads. A part of the machine notes the parameters that it always reads when it is opened, and others
 * where it reads them (PARAM_READ), which costs one instruction more. A parameter that the user set and that nothing noted had
 * no effect, and the user is told so. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/param.h"

#define PARAM_USE_TABLES 80
#define PARAM_USE_MOST_WORDS 64 /* of a spec */

/* A set of parameters: a plain value, empty if all of it is 0. */
struct param_use {
    struct param_use_entry {
        const struct param_table *table;
        uint64_t used; /* one bit for each word of 8 bytes of the table's spec */
    } tables[PARAM_USE_TABLES];
    size_t count;
};

/* Notes parameters as read: all of a table; the named ones; all but these. Lists end with NULL; all names must be in the table. */
void param_uses(struct param_use *use, const struct param_table *table);
void param_uses_only(struct param_use *use, const struct param_table *table,
                     ...) G_GNUC_NULL_TERMINATED;
void param_uses_all_but(struct param_use *use, const struct param_table *table,
                        ...) G_GNUC_NULL_TERMINATED;

/* Removes all notes on a table. */
void param_uses_none(struct param_use *use, const struct param_table *table);

/* The bits of a table, for a part that notes parameters where it reads them; they live as long as `use`. */
uint64_t *param_use_of(struct param_use *use, const struct param_table *table);

/* The value of a field of a spec; notes in `used` (param_use_of) that it was read. */
#define PARAM_READ(used, spec, field) (PARAM_NOTE(used, spec, field), (spec)->field)
#define PARAM_NOTE(used, spec, field)                                                              \
    param_use_note(used, (const char *)&(spec)->field - (const char *)(spec))

/* Notes the field that begins `offset` bytes behind the beginning of the spec. */
static inline void param_use_note(uint64_t *used, ptrdiff_t offset)
{
    *used |= UINT64_C(1) << offset / 8;
}

/* The bits of a table: 0 if none of its parameters is noted. */
uint64_t param_use_bits(const struct param_use *use, const struct param_table *table);
static inline void param_use_add_bits(struct param_use *use, const struct param_table *table,
                                      uint64_t bits)
{
    *param_use_of(use, table) |= bits;
}

/* Whether the table's parameter number `number` is noted. */
bool param_is_used(const struct param_use *use, const struct param_table *table, size_t number);

/* Adds the notes of `more`. */
void param_use_join(struct param_use *use, const struct param_use *more);
