/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that say where they come from: published(value, source), measured(value, source), estimated(value, low, high, why),
 * fitted(value, low, high, claims, why); inferred is like fitted, for a value that was fitted together with others where many
 * sets of values fit as well. */
#pragma once

#include <lua.h>
#include <stdbool.h>

#include "study/model/study.h"

/* Adds published, measured, estimated, fitted and inferred to the script's globals. */
void source_open(lua_State *L);

/* Whether the value at `index` is such a value with a source. Then source_push pushes one of its parts: "value", "low" or
 * "high" as written, or nil. */
bool source_is(lua_State *L, int index);
int source_push(lua_State *L, int index, const char *part);

/* Fills in kind, low, high, source and claims; for a plain value only the kind. */
void source_read(lua_State *L, int index, struct provenance *provenance);
