/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: the project's own files, existing files, and files to be written. */
#include <glib/gstdio.h>
#include <lauxlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/error.h"
#include "fabric/platform.h"
#include "script/commands/catalogue.h"
#include "script/commands/session.h"
#include "script/searches/vary_lua.h"
#include "script/values/values.h"
#include "script/views/home_file.h"
#include "script/views/units_lua.h"
#include "study/run/workers.h"
#include "study/system/ending.h"
#include "study/system/leftover.h"
#include "study/table/output.h"
#include "study/table/version.h"

/* --- existing files ----------------------------------------------------------------------------- */

/* home_machine(name): the path of the machine file that a user names. */
static int home_machine(lua_State *L, GError **error)
{
    return lua_push_owned(L, home_file(luaL_checkstring(L, 1), false, true, error));
}

/* file(path): "file", "folder" or "other", and its size in bytes; nil if it does not exist. */
static int file(lua_State *L)
{
    GStatBuf status;
    if (g_stat(luaL_checkstring(L, 1), &status) != 0)
        return 0;
    lua_pushstring(L, S_ISREG(status.st_mode)   ? "file"
                      : S_ISDIR(status.st_mode) ? "folder"
                                                : "other");
    lua_pushinteger(L, status.st_size);
    return 2;
}

/* free_bytes(): free space on the disk of the current folder. */
static int free_bytes(lua_State *L)
{
    struct statvfs disk;
    bool is_known = statvfs(".", &disk) == 0;
    lua_pushnumber(L, is_known ? (double)disk.f_bavail * (double)disk.f_frsize : 0);
    return 1;
}

/* versions(): a list of rows, each the name of a part and its version. */
static int versions(lua_State *L)
{
    g_auto(GStrv) parts = version_parts();
    lua_newtable(L);
    for (char **part = parts; *part; part += 2) {
        lua_push_texts(L, (char *[]){part[0], part[1], NULL});
        lua_append(L);
    }
    return 1;
}

/* version(): the program's version, which distinguishes results in a store. */
static int version(lua_State *L)
{
    lua_pushstring(L, version_key());
    return 1;
}

static int base64(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    return lua_push_owned(L, g_base64_encode((const guchar *)text, length));
}

static int from_base64(lua_State *L)
{
    gsize length;
    g_autofree guchar *bytes = g_base64_decode(luaL_checkstring(L, 1), &length);
    lua_pushlstring(L, (const char *)bytes, length);
    return 1;
}

/* simgrid(): the version of the SimGrid that is used. */
static int simgrid(lua_State *L, GError **error)
{
    lua_pushstring(L, platform_simgrid_version(error));
    return 1;
}

static int cores(lua_State *L)
{
    lua_pushinteger(L, workers_default());
    return 1;
}

/* quantity(option, unit, text): the text in base units. */
static int quantity(lua_State *L, GError **error)
{
    int64_t base;
    if (unit_parse(luaL_checkstring(L, 3), units_lua_check_unit(L, 2), &base, error))
        lua_pushinteger(L, base);
    else
        g_prefix_error(error, "%s %s: ", luaL_checkstring(L, 1), luaL_checkstring(L, 3));
    return 1;
}

static int by_name(gconstpointer one, gconstpointer other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* tables(folder): the paths of its tables (*.tsv), sorted by name. */
static int tables(lua_State *L)
{
    const char *folder = luaL_checkstring(L, 1);
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir)) != NULL;)
        if (g_str_has_suffix(name, ".tsv"))
            g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
    if (dir)
        g_dir_close(dir);
    g_ptr_array_sort(paths, by_name);
    g_ptr_array_add(paths, NULL);
    lua_push_texts(L, (char *const *)paths->pdata);
    return 1;
}

/* --- a folder for a while ----------------------------------------------------------------------- */

struct new_folder {
    char *path;
    int lock;
};

static void drop_folder(gpointer of)
{
    struct new_folder *folder = of;
    leftover_drop(folder->path, folder->lock);
    ending_partial(NULL);
    g_free(folder->path);
    g_free(folder);
}

/* new_folder(prefix): makes a folder for temporary files, which is removed when it is closed, and those of killed processes. */
static int new_folder(lua_State *L, GError **error)
{
    const char *prefix = luaL_checkstring(L, 1);
    char *path;
    leftover_remove(g_get_tmp_dir(), prefix);
    int lock = leftover_new_folder(g_get_tmp_dir(), prefix, &path);
    if (lock < 0) {
        error_set_code(error, ERROR_RUN, "%s: a folder cannot be made there", g_get_tmp_dir());
        return 0;
    }
    struct new_folder *folder = g_new(struct new_folder, 1);
    *folder = (struct new_folder){path, lock};
    ending_partial(path);
    session_push_object(L, folder, drop_folder);
    return 1;
}

/* write_into(folder, name, text): writes a file in the folder; returns its path. */
static int write_into(lua_State *L, GError **error)
{
    const struct new_folder *folder = session_object(L, 1);
    size_t length;
    const char *text = luaL_checklstring(L, 3, &length);
    char *path = g_build_filename(folder->path, luaL_checkstring(L, 2), NULL);
    g_file_set_contents(path, text, (gssize)length, error);
    return lua_push_owned(L, path);
}

/* --- written files ------------------------------------------------------------------------------ */

/* prepare(path, rules): fails if the file may not be written; called before anything is run. */
static int prepare(lua_State *L, GError **error)
{
    g_auto(GStrv) inputs = NULL;
    const struct output_rules rules = session_rules(L, 2, &inputs);
    output_prepare_file(luaL_checkstring(L, 1), &rules, error);
    return 0;
}

static int prepare_folder(lua_State *L, GError **error)
{
    output_prepare_folder(luaL_checkstring(L, 1), error);
    return 0;
}

static int write_file(lua_State *L, GError **error)
{
    size_t length;
    const char *content = luaL_checklstring(L, 2, &length);
    g_auto(GStrv) inputs = NULL;
    const struct output_rules rules = session_rules(L, 3, &inputs);
    output_write(luaL_checkstring(L, 1), content, length, &rules, error);
    return 0;
}

/* Keeps Lua from closing the file, which belongs to the caller. */
static int leave_open(lua_State *L)
{
    (void)L;
    return 0;
}

/* Calls the function at stack index 3 with the file. */
static bool call_writer(void *context, FILE *file, GError **error)
{
    lua_State *L = context;
    lua_pushvalue(L, 3);
    luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    *stream = (luaL_Stream){file, leave_open};
    luaL_setmetatable(L, LUA_FILEHANDLE);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK)
        return true;
    return error_set_code(error, ERROR_RUN, "%s",
                          lua_istable(L, -1) ? lua_text_field(L, -1, "sentence")
                                             : lua_tostring(L, -1));
}

/* write_stream(path, rules, function): the function writes the content to the file that it gets. */
static int write_stream(lua_State *L, GError **error)
{
    g_auto(GStrv) inputs = NULL;
    const struct output_rules rules = session_rules(L, 2, &inputs);
    output_write_stream(luaL_checkstring(L, 1), call_writer, L, &rules, error);
    return 0;
}

/* remove(path, rules): removes a file if this program wrote it and it is unchanged. */
static int remove_file(lua_State *L)
{
    g_auto(GStrv) inputs = NULL;
    const struct output_rules rules = session_rules(L, 2, &inputs);
    output_remove(luaL_checkstring(L, 1), &rules);
    return 0;
}

#define USUAL_WIDTH 80
#define LEAST_WIDTH 20
#define MOST_WIDTH 100000

/* width(): the columns of the terminal behind standard output; else what COLUMNS says; else 80. */
static int width(lua_State *L)
{
    struct winsize size;
    guint64 width = 0;
    const char *columns = g_getenv("COLUMNS");
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    else if (!g_ascii_string_to_unsigned(columns ? columns : "", 10, LEAST_WIDTH, MOST_WIDTH,
                                         &width, NULL))
        width = USUAL_WIDTH;
    lua_pushinteger(L, (lua_Integer)MAX(width, LEAST_WIDTH));
    return 1;
}

static int is_same_file(lua_State *L)
{
    lua_pushboolean(L, output_is_same_file(luaL_checkstring(L, 1), luaL_checkstring(L, 2)));
    return 1;
}

const struct session_function session_files[] = {{"home_machine", home_machine, NULL},
                                                 {"file", NULL, file},
                                                 {"free_bytes", NULL, free_bytes},
                                                 {"versions", NULL, versions},
                                                 {"simgrid", simgrid, NULL},
                                                 {"cores", NULL, cores},
                                                 {"catalogue", NULL, catalogue},
                                                 {"quantity", quantity, NULL},
                                                 {"prepare", prepare, NULL},
                                                 {"prepare_folder", prepare_folder, NULL},
                                                 {"write", write_file, NULL},
                                                 {"write_stream", write_stream, NULL},
                                                 {"is_same_file", NULL, is_same_file},
                                                 {"remove", NULL, remove_file},
                                                 {"version", NULL, version},
                                                 {"base64", NULL, base64},
                                                 {"from_base64", NULL, from_base64},
                                                 {"tables", NULL, tables},
                                                 {"new_folder", new_folder, NULL},
                                                 {"write_into", write_into, NULL},
                                                 {"width", NULL, width},
                                                 {NULL, NULL, NULL}};
