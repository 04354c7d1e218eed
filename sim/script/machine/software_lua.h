/* SPDX-License-Identifier: BSD-3-Clause */
/* Software that is data: the words message_library { ... } and mpi { ... } describe one more of a kind
 * (protocols/runtimes/software_tables.h), in a machine file or in configs/runtimes.lua. */
#pragma once

#include <glib.h>
#include <lua.h>
#include <stdbool.h>

#include "models/node.h"

/* Adds a word for each kind. */
void software_open(lua_State *L);

/* The kind that the value at `index` describes one of; NULL if it is nothing of that sort. */
const struct param_table *software_kind_at(lua_State *L, int index);

/* Pushes the table of what such a value gives: parameters by name, and perhaps `from` and `description`. */
void software_push_values(lua_State *L, int index);

/* Whether software of one's own can be called so, if nothing else is. */
bool software_is_name(const char *name);

/* Raises an error unless `name` can be that of an instance of `kind` beside what `all`, a machine, has: its own name, or a new
 * one. Returns whether it is new. */
bool software_check_name(lua_State *L, const struct machine_spec *all,
                         const struct param_table *kind, const char *name);

/* Reads the file at `path`, which returns a table { openmpi = mpi { ... }, ... } of instances with descriptions, and makes them
 * part of every machine of this program. False and an error (ERROR_DOMAIN) if it is not good; then nothing changes. */
bool runtimes_load(const char *path, GError **error);
