/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: the project's own files, existing files, and files to be written. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/error.h"
#include "fabric/platform.h"
#include "script/commands/session.h"
#include "script/searches/vary_lua.h"
#include "script/values/values.h"
#include "script/views/home_file.h"
#include "script/views/units_lua.h"
#include "study/run/workers.h"
#include "study/system/interrupt.h"
#include "study/system/leftover.h"
#include "study/table/version.h"

/* --- existing files ----------------------------------------------------------------------------- */

/* home_machine(name): the path of the machine file that a user names. */
static int home_machine(lua_State *L, GError **error)
{
    return lua_push_owned(L, home_file(luaL_checkstring(L, 1), false, true, error));
}

/* file(path), or a descriptor: "file", "folder" or "other", its size in bytes, which file it is, and if it is a device which one; nil
 * if it does not exist, and the reason if its name is too long. */
static int file(lua_State *L)
{
    struct stat status;
    if ((lua_isinteger(L, 1) ? fstat((int)lua_tointeger(L, 1), &status)
                             : stat(luaL_checkstring(L, 1), &status)) != 0) {
        lua_pushnil(L);
        lua_pushstring(L, errno == ENAMETOOLONG ? g_strerror(errno) : NULL);
        return 2;
    }
    lua_pushstring(L, S_ISREG(status.st_mode)   ? "file"
                      : S_ISDIR(status.st_mode) ? "folder"
                                                : "other");
    lua_pushinteger(L, status.st_size);
    lua_pushfstring(L, "%I:%I", (lua_Integer)status.st_dev, (lua_Integer)status.st_ino);
    if (!S_ISCHR(status.st_mode))
        return 3;
    lua_pushinteger(L, (lua_Integer)status.st_rdev);
    return 4;
}

/* real(path): the path without links, nil if it does not exist; and whether it is a link. */
static int real(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    char *found = realpath(path, NULL);
    lua_pushstring(L, found);
    lua_pushboolean(L, g_file_test(path, G_FILE_TEST_IS_SYMLINK));
    free(found);
    return 2;
}

/* digest(path): SHA-256 of a file's content, in hexadecimal digits; nil and the reason if it cannot be read. */
static int digest(lua_State *L)
{
    guchar part[1 << 16];
    size_t length;
    FILE *file = fopen(luaL_checkstring(L, 1), "rbe");
    if (!file)
        return luaL_fileresult(L, false, NULL);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    while ((length = fread(part, 1, sizeof part, file)) > 0)
        g_checksum_update(sum, part, (gssize)length);
    bool is_read = !ferror(file);
    fclose(file);
    if (!is_read)
        return luaL_fileresult(L, false, NULL);
    lua_pushstring(L, g_checksum_get_string(sum));
    return 1;
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

/* --- files and folders for a while -------------------------------------------------------------- */

struct temporary {
    char *path;
    int lock;
    bool is_folder;
};

static void drop_temporary(gpointer of)
{
    struct temporary *temporary = of;
    if (temporary->is_folder) {
        leftover_drop(temporary->path, temporary->lock);
    } else {
        g_unlink(temporary->path);
        close(temporary->lock);
    }
    ending_partial(NULL);
    g_free(temporary->path);
    g_free(temporary);
}

/* Makes it in the folder, and removes those of killed processes; pushes the object, which removes it when it is closed, and its path,
 * or nil and the reason. */
static int push_temporary(lua_State *L, const char *folder, const char *prefix, bool is_folder)
{
    char *path;
    leftover_remove(folder, prefix);
    int lock = (is_folder ? leftover_new_folder : leftover_new_file)(folder, prefix, &path);
    if (lock < 0)
        return luaL_fileresult(L, false, NULL);
    struct temporary *temporary = g_new(struct temporary, 1);
    *temporary = (struct temporary){path, lock, is_folder};
    ending_partial(path);
    session_push_object(L, temporary, drop_temporary);
    lua_pushstring(L, path);
    return 2;
}

/* new_folder(prefix): makes a folder for temporary files, below /tmp if TMPDIR names none that can be written. */
static int new_folder(lua_State *L, GError **error)
{
    const char *usual = g_get_tmp_dir(),
               *folder = g_access(usual, W_OK | X_OK) == 0 ? usual : "/tmp";
    int results = push_temporary(L, folder, luaL_checkstring(L, 1), true);
    if (lua_isnil(L, -results))
        error_set_code(error, ERROR_RUN, "%s: a folder cannot be made there", folder);
    return results;
}

/* new_file(folder, prefix) */
static int new_file(lua_State *L)
{
    return push_temporary(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2), false);
}

/* put(file, path): syncs a temporary file and gives it this name, under which it stays; true, or nil and the reason. */
static int put(lua_State *L)
{
    const struct temporary *file = session_object(L, 1);
    bool is_there = fsync(file->lock) == 0 && g_rename(file->path, luaL_checkstring(L, 2)) == 0;
    return luaL_fileresult(L, is_there, NULL);
}

/* --- written files ------------------------------------------------------------------------------ */

/* make_folder(path): makes the folder and missing parents; the reason if that fails. */
static int make_folder(lua_State *L)
{
    bool is_there = g_mkdir_with_parents(luaL_checkstring(L, 1), 0777) == 0;
    lua_pushstring(L, is_there ? NULL : g_strerror(errno));
    return 1;
}

/* append(path, line): appends to a file by one write, without following a link; true, or nil and the reason. */
static int append(lua_State *L)
{
    size_t length;
    const char *line = luaL_checklstring(L, 2, &length);
    int fd = open(luaL_checkstring(L, 1),
                  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0)
        return luaL_fileresult(L, false, NULL);
    errno = ENOSPC; /* what a write of a part means */
    int results = luaL_fileresult(L, write(fd, line, length) == (ssize_t)length, NULL);
    close(fd);
    return results;
}

static int close_stream(lua_State *L)
{
    return luaL_fileresult(L, fclose(((luaL_Stream *)lua_touserdata(L, 1))->f) == 0, NULL);
}

/* standard_output(): a file that writes there, and can be closed to see whether all was written. */
static int standard_output(lua_State *L)
{
    luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    *stream = (luaL_Stream){NULL, NULL};
    luaL_setmetatable(L, LUA_FILEHANDLE);
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    stream->f = copy < 0 ? NULL : fdopen(copy, "w");
    if (!stream->f)
        return luaL_fileresult(L, false, NULL);
    stream->closef = close_stream;
    return 1;
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

/* is_terminal(): whether standard error is one. */
static int is_terminal(lua_State *L)
{
    lua_pushboolean(L, isatty(STDERR_FILENO));
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
                                                 {"version", NULL, version},
                                                 {"base64", NULL, base64},
                                                 {"from_base64", NULL, from_base64},
                                                 {"new_folder", new_folder, NULL},
                                                 {"new_file", NULL, new_file},
                                                 {"put", NULL, put},
                                                 {"real", NULL, real},
                                                 {"digest", NULL, digest},
                                                 {"make_folder", NULL, make_folder},
                                                 {"append", NULL, append},
                                                 {"standard_output", NULL, standard_output},
                                                 {"width", NULL, width},
                                                 {"is_terminal", NULL, is_terminal},
                                                 {NULL, NULL, NULL}};
