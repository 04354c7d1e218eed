/* SPDX-License-Identifier: BSD-3-Clause */
/* Which parameters something in a run can read. Whoever is opened in a run notes what it reads, once, when it is
 * opened, or the first time that it does something that a run need not do; nothing is noted event by event. A parameter that the user set and nobody noted had no effect, and the
 * user is told so. */
#ifndef GPUNETSIM_CORE_PARAM_USE_H
#define GPUNETSIM_CORE_PARAM_USE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/param.h"

#define PARAM_USE_TABLES 80
#define PARAM_USE_MOST_PARAMS 64 /* of a table */

/* A set of parameters: a plain value, empty if all of it is 0. */
struct param_use {
    struct param_use_entry {
        const struct param_table *table;
        uint64_t used; /* bit by bit as the table's parameters */
    } tables[PARAM_USE_TABLES];
    size_t count;
};

/* Notes all parameters of a table; those of the names given; all but those. Lists of names end with NULL, and
 * every name is one of the table's. */
void param_uses(struct param_use *use, const struct param_table *table);
void param_uses_only(struct param_use *use, const struct param_table *table,
                     ...) G_GNUC_NULL_TERMINATED;
void param_uses_all_but(struct param_use *use, const struct param_table *table,
                        ...) G_GNUC_NULL_TERMINATED;

/* The same, the first time that a flag of the caller's is seen, which it sets: where a value is read in the course of a run. */
#define PARAM_USES_ONCE(is_noted, use, table, ...)                                                 \
    do {                                                                                           \
        if (!(is_noted))                                                                           \
            param_uses_only(use, table, __VA_ARGS__, NULL);                                        \
        (is_noted) = true;                                                                         \
    } while (0)

/* The bits of a table: 0 if nothing of it is noted. */
uint64_t param_use_bits(const struct param_use *use, const struct param_table *table);
void param_use_add_bits(struct param_use *use, const struct param_table *table, uint64_t bits);

/* Whether the table's parameter number `number` is noted. */
bool param_is_used(const struct param_use *use, const struct param_table *table, size_t number);

/* Adds what `more` has. */
void param_use_join(struct param_use *use, const struct param_use *more);

#endif
