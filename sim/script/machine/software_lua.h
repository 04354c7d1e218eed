/* SPDX-License-Identifier: BSD-3-Clause */
/* Software that is data: the words message_library { ... } and mpi { ... } describe one more instance of a kind
 * (protocols/runtimes/software_tables.h), in a machine file or in configs/runtimes.lua. */
#pragma once

#include <glib.h>
#include <lua.h>
#include <stdbool.h>

#include "models/node.h"

/* Adds a word for each kind. */
void software_open(lua_State *L);

/* The kind of which the value at `index` describes an instance; NULL if it is no such value. */
const struct param_table *software_kind_at(lua_State *L, int index);

/* Pushes the table of such a value: parameters by name, and perhaps `from` and `description`. */
void software_push_values(lua_State *L, int index);

/* Whether a user's software may have this name if nothing else has it. */
bool software_is_name(const char *name);

/* Raises an error unless an instance of `kind` can have this name in the machine `all`: the name of such an instance, or a new
 * one. Returns whether it is new. */
bool software_check_name(lua_State *L, const struct machine_spec *all,
                         const struct param_table *kind, const char *name);

/* Reads the file at `path`, which returns a table { openmpi = mpi { ... }, ... } of instances with descriptions, and makes them
 * part of every machine of this program. False and an error (ERROR_DOMAIN) if the file is bad; then nothing changes. */
bool runtimes_load(const char *path, GError **error);
