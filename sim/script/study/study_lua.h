/* SPDX-License-Identifier: BSD-3-Clause */
/* Internals of a loaded study. study_lua.c reads the whole, and files in views/tables its tables. All readers
 * raise Lua errors, and keep the study in a state in which it can be freed at any moment. */
#pragma once

#include <glib.h>
#include <lua.h>

#include "study/model/study.h"

/* Largest length of the name of an axis or a measure, and largest number of a point's measures. */
#define STUDY_NAME_MAX 100
#define STUDY_MEASURES_MAX 1000

/* Adds the word `study`. */
void study_open(lua_State *L);

/* Takes the study out of the object at `index`, for the caller to own; NULL if the value is no study. */
struct study *study_take(lua_State *L, int index);

/* Pushes a part of the study that lives in Lua: "machine", "run", "where", "conclude" or "axes" (as views/tables/axes.lua makes
 * them); returns its type. */
int study_push(lua_State *L, const char *part);

/* The function `results` of `core` (script/sandbox/modules.h), for files that call a study's functions of its results. */
int core_results(lua_State *L);

/* Pushes the record of axis values that the script's functions get. `values` has the number of the
 * value on each axis. */
void study_push_point(lua_State *L, const struct study *study, const uint32_t *values);

/* Enumerates the points of a study whose `state` and `path` are set, and calls its `where`. False and an error if `where` fails
 * or drops all points. */
bool study_make_points(struct study *study, GError **error);

/* Pushes the value of an axis as written. */
void study_push_value(lua_State *L, size_t axis, size_t value);

/* Plain tables, as the files in views/tables make them, for files in views/: pops the table on top of the stack and turns it into
 * *value: a dictionary or, if it has a list part, a list, of texts, numbers, switches and such tables. The caller owns it, even if
 * an error ends the call. */
void tables_variant(lua_State *L, GVariant **value);

/* Adds functions about studies to `core` (script/sandbox/modules.h), and words that are files of views/tables alone. */
void tables_open(lua_State *L);
