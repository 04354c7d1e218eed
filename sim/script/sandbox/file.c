/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/sandbox/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <lauxlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "script/sandbox/sandbox.h"

/* No script written by hand is longer. */
#define FILE_LIMIT (16 << 20)

/* What keeps an open file from being read; NULL if nothing does. Devices and pipes have no end, or
 * keep one waiting, and a second reading would find something else. */
static const char *unfit(int fd)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return g_strerror(errno);
    if (S_ISDIR(about.st_mode))
        return "is a folder, not a Lua file";
    if (!S_ISREG(about.st_mode))
        return "is no regular file; a script is read from one";
    return about.st_size > FILE_LIMIT ? "is too large for a script, which has 16 MiB at most"
                                      : NULL;
}

/* Reads to the end of the file, whatever its length was said to be; what is wrong if that fails. */
static const char *read_all(int fd, GByteArray *text)
{
    guint8 part[16384];
    while (true) {
        ssize_t length = read(fd, part, sizeof part);
        if (length == 0)
            return NULL;
        if (length < 0 && errno != EINTR)
            return g_strerror(errno);
        if (length > 0)
            g_byte_array_append(text, part, (guint)length);
        if (text->len > FILE_LIMIT)
            return "is too large for a script, which has 16 MiB at most";
    }
}

void file_push(lua_State *L, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        luaL_error(L, "%s: cannot be read: %s", path,
                   errno == ENOENT ? "no such file" : g_strerror(errno));
    GByteArray *text = g_byte_array_new();
    const char *problem = unfit(fd);
    if (!problem)
        problem = read_all(fd, text);
    close(fd);
    if (!problem)
        lua_pushlstring(L, (const char *)text->data, text->len);
    g_byte_array_unref(text);
    if (problem)
        luaL_error(L, "%s: %s", path, problem);
    sandbox_take(L, lua_rawlen(L, -1));
    sandbox_charge(L, (int64_t)lua_rawlen(L, -1));
}
