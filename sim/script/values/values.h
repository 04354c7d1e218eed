/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that C makes for Lua, and what C reads of those that Lua gives it. */
#pragma once

#include <lua.h>
#include <stdbool.h>

/* Sets a field of the table on top; a text that is NULL is nil. */
void lua_set_text(lua_State *L, const char *field, const char *text);
void lua_set_integer(lua_State *L, const char *field, lua_Integer number);
void lua_set_number(lua_State *L, const char *field, double number);
void lua_set_flag(lua_State *L, const char *field, bool is_set);

/* Appends the value on top, which it pops, to the list below it; appends a text to the list on top, one of the caller's or one that it frees
 * with g_free. */
void lua_append(lua_State *L);
void lua_append_text(lua_State *L, const char *text);
void lua_append_owned(lua_State *L, char *text);

/* Pushes a text, which it frees with g_free; NULL is nil. Returns 1, as a function of one result does. */
int lua_push_owned(lua_State *L, char *text);

/* Pushes a list of texts, NULL-ended; NULL is an empty one. */
void lua_push_texts(lua_State *L, char *const *texts);

/* The list of texts at `index`, for g_strfreev; NULL of nil, an empty one of anything else. */
char **lua_texts_at(lua_State *L, int index);

/* A field of the table at `index`: 0, false or NULL if there is none. The text is the table's. */
lua_Integer lua_integer_field(lua_State *L, int index, const char *field);
bool lua_flag_field(lua_State *L, int index, const char *field);
const char *lua_text_field(lua_State *L, int index, const char *field);
