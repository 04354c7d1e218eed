/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes tables for Lua, and reads tables from Lua. */
#pragma once

#include <lua.h>
#include <stdbool.h>

/* Sets a field of the table on top of the stack; a NULL text becomes nil. */
void lua_set_text(lua_State *L, const char *field, const char *text);
void lua_set_integer(lua_State *L, const char *field, lua_Integer number);
void lua_set_number(lua_State *L, const char *field, double number);
void lua_set_flag(lua_State *L, const char *field, bool is_set);

/* lua_append pops the value on top of the stack and appends it to the list below. The others append a text to the list on top:
 * lua_append_text a copy of the caller's text, lua_append_owned one that it frees with g_free. */
void lua_append(lua_State *L);
void lua_append_text(lua_State *L, const char *text);
void lua_append_owned(lua_State *L, char *text);

/* Pushes a text, which it frees with g_free; NULL becomes nil. Returns 1, the number of results. */
int lua_push_owned(lua_State *L, char *text);

/* Pushes a NULL-ended list of texts; NULL becomes an empty list. */
void lua_push_texts(lua_State *L, char *const *texts);

/* The list of texts at `index`, to be freed with g_strfreev: NULL for nil, an empty list for a value that is no list. */
char **lua_texts_at(lua_State *L, int index);

/* A field of the table at `index`: 0, false or NULL if there is none. The text is the table's. */
lua_Integer lua_integer_field(lua_State *L, int index, const char *field);
bool lua_flag_field(lua_State *L, int index, const char *field);
const char *lua_text_field(lua_State *L, int index, const char *field);
