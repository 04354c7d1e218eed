/* SPDX-License-Identifier: BSD-3-Clause */
/* `measured = "h200.tsv"` in a study: measurements beside the file of the study, or below its folder (script/views/measured.h).
 * The study says which rows it uses, for which axes the file has no column, and the axes or measures of columns with other
 * names:
 *
 *     measured = { file = "copies.tsv", only = { dir = "D2H" }, every = { "design" }, bytes = "size_B",
 *                  time = { column = "Latency", unit = "us" } }
 *
 * A list has several files. */
#include <stdlib.h>
#include <string.h>

#include "script/sandbox/file.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"
#include "script/study/study_lua.h"
#include "script/views/measured.h"

#define FIELD_BYTES 8 /* for each of its characters */

/* Whether the path lies in the folder after links are followed. True if the file does not exist, since reading it then fails. */
static bool is_inside(const char *folder, const char *path)
{
    char *real_folder = realpath(folder, NULL), *real = realpath(path, NULL);
    size_t length = real_folder ? strlen(real_folder) : 0;
    bool is_root = length == 1;
    bool inside = real && real_folder && strncmp(real, real_folder, length) == 0 &&
                  (is_root || real[length] == '/');
    bool is_missing = real == NULL;
    free(real_folder);
    free(real);
    return inside || is_missing;
}

/* Pushes the path of the file whose name is on top of the stack. */
static const char *push_path(lua_State *L)
{
    const char *name = lua_tostring(L, -1), *key = "measured";
    char *folder = g_path_get_dirname(sandbox_of(L)->main_path);
    char *path = strcmp(folder, ".") == 0 ? g_strdup(name) : g_build_filename(folder, name, NULL);
    bool is_good = is_inside(folder, path);
    lua_pushstring(L, path);
    g_free(path);
    g_free(folder);
    if (!is_good)
        script_fail_at(L, &key, 1,
                       "measured: a file has to be in the folder of the study or below it, not %s",
                       name);
    return lua_tostring(L, -1);
}

/* Reads the entry on top of the stack, { file, names, only, every }, and pops it. */
static void read_one(lua_State *L, const struct study *study, struct measured *measured)
{
    static const struct text_kind kind = {
        .name = "a table of measurements", .most_bytes = 16 << 20, .is_utf8 = true};
    GError *error = NULL;
    lua_getfield(L, -1, "file");
    measured->path = g_strdup(push_path(L));
    lua_setfield(L, -3, "path");
    lua_pop(L, 1);
    file_push(L, measured->path, &kind);
    sandbox_take(L, (size_t)lua_rawlen(L, -1) * FIELD_BYTES);
    lua_insert(L, -2);
    tables_variant(L, &measured->value);
    fields_set_text(&measured->value, "text", lua_tostring(L, -1));
    lua_pop(L, 1);
    if (!measured_check(study, measured, &error)) {
        lua_pushstring(L, error->message);
        g_error_free(error);
        lua_error(L);
    }
}

void study_read_measured(lua_State *L, struct study *study)
{
    modules_call(L, "measured", "read", 1);
    size_t count = (size_t)lua_rawlen(L, -1);
    sandbox_take(L, count * sizeof *study->measured);
    study->measured = g_new0(struct measured, count);
    while (study->measured_count < count) {
        lua_rawgeti(L, -1, (lua_Integer)study->measured_count + 1);
        read_one(L, study, &study->measured[study->measured_count++]);
    }
    lua_pop(L, 1);
}
