/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameter tables that network software adds to the description of a machine. */
#pragma once

#include "core/param.h"

/* The parameter tables of all software, for machine_spec_init: the network software's, those of the runtimes, each
 * once, and those of configs/runtimes.lua. The list ends with NULL and is static. */
const struct param_table *const *software_tables(void);

/* Kinds of software of which a machine has as many as it wants, by name (core/param_instance.h): message libraries and MPIs.
 * NULL-ended. */
extern const struct param_table *const software_kinds[];

/* Declares an instance of a kind under `name`, which designs can then name as their runtime, or MPIs as their library.
 * NULL and one sentence if there is no room for more names. */
const struct param_table *software_declare(const struct param_table *kind, const char *name,
                                           GError **error);

/* Makes these instances (struct param_table, from software_declare) part of every machine that is made from now on.
 * Takes ownership of the array. */
void software_records_set(GPtrArray *instances);
