/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's own Lua files for tables that scripts pass: views/tables/NAME.lua checks and orders them instead of C code. The
 * files run in the script's state and under its limits, and their errors have the script's line. Beside the language they have
 * `core`: functions that other folders of C add. */
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* Pushes `core`, to which functions are added before a file is called. */
void modules_push_core(lua_State *L);

/* Calls `function` of views/tables/FILE.lua with the `arguments` values on top of the stack, which it pops, and leaves the one
 * result. */
void modules_call(lua_State *L, const char *file, const char *function, int arguments);

/* A word of scripts that is a function of the same name in a file, with so many arguments; further ones are dropped. */
struct modules_word {
    const char *name, *file;
    int arguments;
};
void modules_add_words(lua_State *L, const struct modules_word *words, size_t count);

/* Pushes the chunk of one of the project's own files, at `path`, which is compiled once in a process; false if it cannot be
 * read or compiled, with the error pushed instead. Its name in messages is `name`, as luaL_loadbufferx has it. */
bool compiled_load(lua_State *L, const char *path, const char *name);
