/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads Lua tables into specs by their parameter tables (core/param.h). Every error names file and line, what was wrong and
 * what is accepted. */
#pragma once

#include <lua.h>
#include <stddef.h>

#include "core/param.h"

/* Raises an error if the table at `index` has a key that is neither a row of the parameter table nor in `more`, a NULL-ended
 * list; either may be NULL. `what` names it in messages; `outer` is the key under which it stands in the constructor, or NULL. */
void bind_check_keys(lua_State *L, int index, const struct param_table *table,
                     const char *const *more, const char *what, const char *outer);

/* Pushes a copy of the table at `index` in which the records of the parameter table have become plain rows: queue = { memory =
 * "gpu" } becomes ["queue.memory"] = "gpu". */
void bind_push_flat(lua_State *L, int index, const struct param_table *table);

/* Sets one parameter of `spec` from the value at `index`, with or without a source. */
void bind_value(lua_State *L, int index, const struct param_table *table, const struct param *param,
                void *spec, const char *outer);

/* Fills `spec` from the table at `index` (nil or none: all defaults), which is a workload's whole argument. */
void bind_table(lua_State *L, int index, const struct param_table *table, void *spec);
