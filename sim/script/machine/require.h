/* SPDX-License-Identifier: BSD-3-Clause */
/* Lua files: finds, reads and runs them. */
#pragma once

#include <glib.h>
#include <lua.h>
#include <stdbool.h>

/* Adds the word `require` and sets the folders it looks in, for a main file at `path` (folders_find). */
void require_open(lua_State *L, const char *path);

/* Loads and runs the main file; pushes the one value that it returns. */
void require_run_main(lua_State *L, const char *path);

/* Runs a file that the command line names, which can also require files from its own folder; pushes the one value that it
 * returns. */
void require_run(lua_State *L, const char *path);

/* A file that returns a table and nothing else. */
struct require_table {
    const char *what;           /* "a table of designs" */
    void (*open)(lua_State *L); /* adds the words that the file may use */
    void (*read)(
        lua_State *L,
        void *context); /* with the table at stack index 1, the sorted list of its names at 2 */
};

/* Runs the file in a state of its own and reads its table. False and one sentence. */
bool require_table(const char *path, const struct require_table *table, void *context,
                   GError **error);
