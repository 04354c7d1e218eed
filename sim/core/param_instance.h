/* SPDX-License-Identifier: BSD-3-Clause */
/* Components that share one table of parameters and differ in name and numbers: the instances of a kind, such as the
 * message libraries "ucx" and "pami". A machine has one spec of each instance that it has. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/param.h"

/* The instance of `kind` called `name`, made at the first call with the kind's defaults and description. Two calls with
 * one name return the same table, which lives as long as the program. */
const struct param_table *param_instance(const struct param_table *kind, const char *name);

bool param_instance_is_made(const struct param_table *kind, const char *name);

/* Gives the instance a description and defaults of its own: those in `spec`, of kind->spec_size bytes. To be called before
 * anything has asked for its defaults. */
void param_instance_describe(const struct param_table *instance, const char *description,
                             const void *spec);

/* The instances of all kinds, in the order in which they were made. */
size_t param_instance_count(void);
const struct param_table *param_instance_at(size_t number);

/* Adds `name` to the NULL-ended `choices` of a parameter, an array with room for `most` of them, if it is not there.
 * False and one sentence if there is no room. */
bool param_choices_add(const char **choices, size_t most, const char *name, GError **error);
