/* SPDX-License-Identifier: BSD-3-Clause */
/* `measured = "h200.tsv"` in a study: measurements beside the file of the study, or below its folder
 * (study/model/measured.h). The study says which rows are meant, which axes the file has no column of, and what columns of other
 * names are:
 *
 *     measured = { file = "copies.tsv", only = { dir = "D2H" }, every = { "design" }, bytes = "size_B",
 *                  time = { column = "Latency", unit = "us" } }
 *
 * A list has several files. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "script/sandbox/file.h"
#include "script/sandbox/list.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/study/study_lua.h"
#include "study/model/measured.h"

#define FIELD_BYTES 8 /* for each of its characters */
#define VALUE_BYTES (sizeof(struct value) + 32)

static _Noreturn void fail(lua_State *L, const char *problem, const char *what)
{
    const char *key = "measured";
    script_fail_at(L, &key, 1, "measured: %s%s", problem, what);
}

/* Whether the name leads nowhere but into the study's folder, by its letters. */
static bool is_plain(const char *name)
{
    g_auto(GStrv) parts = g_strsplit(name, "/", -1);
    for (char **part = parts; *part; part++)
        if (**part == '\0' || strcmp(*part, "..") == 0)
            return false;
    return *name != '\0';
}

/* The same of what it is when links are followed. */
static bool is_inside(const char *folder, const char *path)
{
    char *real_folder = realpath(folder, NULL), *real = realpath(path, NULL);
    size_t length = real_folder ? strlen(real_folder) : 0;
    bool is_root = length == 1;
    bool inside = real && real_folder && strncmp(real, real_folder, length) == 0 &&
                  (is_root || real[length] == '/');
    bool is_missing = real == NULL; /* file_push says so */
    free(real_folder);
    free(real);
    return inside || is_missing;
}

/* Pushes the path of the file named on top, which it leaves there. */
static const char *push_path(lua_State *L)
{
    bool is_text = lua_type(L, -1) == LUA_TSTRING;
    const char *name = is_text ? lua_tostring(L, -1) : "";
    if (!is_text || strlen(name) != lua_rawlen(L, -1))
        fail(L, "needs the name of a file", "");
    if (!g_str_has_suffix(name, ".tsv") && !g_str_has_suffix(name, ".csv"))
        fail(L, "a file is called NAME.tsv or NAME.csv, not ", name);
    char *folder = g_path_get_dirname(sandbox_of(L)->main_path);
    char *path = strcmp(folder, ".") == 0 ? g_strdup(name) : g_build_filename(folder, name, NULL);
    bool is_good = is_plain(name) && is_inside(folder, path);
    lua_pushstring(L, path);
    g_free(path);
    g_free(folder);
    if (!is_good)
        fail(L, "a file has to be in the folder of the study or below it, not ", name);
    return lua_tostring(L, -1);
}

/* The text of a field of the table on top, which it leaves there; NULL if there is none. */
static char *read_text_field(lua_State *L, const char *name, const char *field)
{
    lua_pushstring(L, field);
    int type = lua_rawget(L, -2);
    if (type != LUA_TSTRING && type != LUA_TNIL)
        fail(L, "a text, or { column = \"NAME\", unit = \"us\" }, is needed for ", name);
    char *text = type == LUA_TSTRING ? sandbox_copy_text(L, -1) : NULL;
    lua_pop(L, 1);
    return text;
}

/* Reads what is on top, a column's name or a table with it and its unit. */
static void read_column(lua_State *L, struct measured_name *next, bool has_unit)
{
    static const char *const fields[] = {"column", "unit", NULL};
    if (lua_type(L, -1) == LUA_TSTRING) {
        next->column = sandbox_copy_text(L, -1);
        return;
    }
    if (!lua_istable(L, -1) || !has_unit)
        fail(L, "a text is needed for ", next->name);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -2) != LUA_TSTRING || !g_strv_contains(fields, lua_tostring(L, -2)))
            fail(L, "{ column = \"NAME\", unit = \"us\" } has no other fields: ", next->name);
    next->column = read_text_field(L, next->name, "column");
    next->unit = read_text_field(L, next->name, "unit");
    if (!next->column)
        fail(L, "{ column = \"NAME\", unit = \"us\" } needs a column for ", next->name);
}

/* Reads the pairs of the table on top, which are texts, or with `has_unit` columns, into *names; leaves out the keys of `others`. */
static void read_names(lua_State *L, struct measured_name **names, size_t *count,
                       const char *const *others, bool has_unit)
{
    int table = lua_gettop(L);
    record_sorted_keys(L, table);
    lua_Integer keys = list_length(L, -1);
    sandbox_take(L, (size_t)keys * sizeof **names);
    *names = g_new0(struct measured_name, (gsize)keys + 1);
    for (lua_Integer i = 1; i <= keys; i++) {
        lua_rawgeti(L, table + 1, i);
        const char *name = lua_tostring(L, -1);
        if (g_strv_contains(others, name)) {
            lua_pop(L, 1);
            continue;
        }
        lua_pushvalue(L, -1);
        lua_rawget(L, table);
        struct measured_name *next = &(*names)[(*count)++];
        next->name = sandbox_copy_text(L, -2);
        read_column(L, next, has_unit);
        lua_pop(L, 2);
    }
    lua_settop(L, table);
}

/* Reads the list on top, of names of axes. */
static void read_every(lua_State *L, struct measured *measured)
{
    lua_Integer count = lua_istable(L, -1) ? list_part(L, lua_gettop(L)) : 0;
    if (count == 0)
        fail(L, "every needs a list of axes such as { \"design\" }", "");
    sandbox_take(L, (size_t)(count + 1) * sizeof *measured->every);
    measured->every = g_new0(char *, (gsize)count + 1);
    for (lua_Integer i = 0; i < count; i++) {
        if (lua_rawgeti(L, -1, i + 1) != LUA_TSTRING)
            fail(L, "every needs a list of axes such as { \"design\" }", "");
        measured->every[i] = sandbox_copy_text(L, -1);
        lua_pop(L, 1);
    }
}

static void read_table(lua_State *L, struct measured *measured)
{
    static const char *const none[] = {NULL}, *const own[] = {"file", "only", "every", NULL};
    int table = lua_gettop(L);
    if (list_part(L, table) > 0)
        fail(L, "a file is { file = \"NAME.tsv\", ... }", "");
    read_names(L, &measured->names, &measured->name_count, own, true);
    lua_pushliteral(L, "only");
    if (lua_rawget(L, table) == LUA_TTABLE)
        read_names(L, &measured->only, &measured->only_count, none, false);
    else if (!lua_isnil(L, -1))
        fail(L, "only needs a table such as { dir = \"D2H\" }", "");
    lua_settop(L, table);
    lua_pushliteral(L, "every");
    if (lua_rawget(L, table) != LUA_TNIL)
        read_every(L, measured);
    lua_settop(L, table);
    lua_pushliteral(L, "file");
    lua_rawget(L, table);
}

/* Counts what is kept of a text: its fields and, a row, the values of its axes. */
static void take_memory(lua_State *L, const struct study *study, const char *text, size_t length)
{
    size_t lines = 1;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    sandbox_take(L, length * FIELD_BYTES);
    sandbox_take(L, lines * (sizeof(struct measured_row) + study->axis_count * VALUE_BYTES));
}

/* Reads the file on top, a name or a table, and pops it. */
static void read_one(lua_State *L, struct study *study)
{
    GError *error = NULL;
    int top = lua_gettop(L);
    study->measured = g_renew(struct measured, study->measured, study->measured_count + 1);
    struct measured *measured = &study->measured[study->measured_count++];
    *measured = (struct measured){.names = NULL};
    if (lua_istable(L, top))
        read_table(L, measured);
    else
        lua_pushvalue(L, top);
    measured->table.path = g_strdup(push_path(L));
    file_push(L, measured->table.path, &delimited_file);
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    take_memory(L, study, text, length);
    if (!measured_parse(measured, study, text, &error)) {
        lua_pushstring(L, error->message);
        g_error_free(error);
        lua_error(L);
    }
    lua_settop(L, top - 1);
}

void study_read_measured(lua_State *L, struct study *study)
{
    int top = lua_gettop(L);
    lua_Integer count = lua_istable(L, top) ? list_part(L, top) : 0;
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, top, i);
        read_one(L, study);
    }
    if (count == 0)
        read_one(L, study);
    lua_settop(L, top - 1);
}
