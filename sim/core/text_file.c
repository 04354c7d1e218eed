/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/units.h"

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

bool text_file_too_large(const char *path, const struct text_kind *kind, GError **error)
{
    char most[UNIT_TEXT_SIZE];
    return error_set(error, "%s: is too large for %s, which has %s at most", path, kind->name,
                     unit_format(kind->most_bytes, UNIT_BYTES, most));
}

static bool cannot_read(const char *path, int number, GError **error)
{
    return error_set(error, "%s: cannot be read: %s", *path ? path : "a file without a name",
                     number == ENOENT ? "no such file" : g_strerror(number));
}

static const char *other_than_file(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

static bool refuse_other(const char *path, const char *what, const struct text_kind *kind,
                         GError **error)
{
    return error_set(error, "%s: is %s; %s is read from a regular file%s", path, what, kind->name,
                     kind->or_from ? kind->or_from : "");
}

/* Opens a file without waiting for the other end of a FIFO. -1 and one sentence if it is not regular or too large. */
static int open_regular(const char *path, const struct text_kind *kind, GError **error)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno == ENXIO)
        refuse_other(path, "a socket or a device", kind, error);
    else if (fd < 0 || fstat(fd, &about) != 0)
        cannot_read(path, errno, error);
    else if (!S_ISREG(about.st_mode))
        refuse_other(path, other_than_file(about.st_mode), kind, error);
    else if (about.st_size > kind->most_bytes)
        text_file_too_large(path, kind, error);
    else
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

FILE *text_file_open(const char *path, const struct text_kind *kind, GError **error)
{
    int fd = open_regular(path, kind, error);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && !file) {
        cannot_read(path, errno, error);
        close(fd);
    }
    return file;
}

/* Reads to the end of the file, whatever length the system reported for it. */
static bool read_all(const char *path, const struct text_kind *kind, int fd, GByteArray *text,
                     GError **error)
{
    guint8 part[16384];
    while (true) {
        ssize_t length = read(fd, part, sizeof part);
        if (length == 0)
            return true;
        if (length < 0 && errno != EINTR)
            return cannot_read(path, errno, error);
        if (length > 0)
            g_byte_array_append(text, part, (guint)length);
        if (text->len > kind->most_bytes)
            return text_file_too_large(path, kind, error);
    }
}

/* The number of the line of a byte, from 1. */
static size_t line_of(const GByteArray *text, size_t at)
{
    size_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text->data[i] == '\n';
    return line;
}

/* Whether the bytes that were read are text. */
static bool check_text(const char *path, const struct text_kind *kind, const GByteArray *text,
                       GError **error)
{
    const guint8 *zero = memchr(text->data, 0, text->len);
    const char *end;
    if (zero)
        return error_set(error, "%s:%zu: has a byte that is 0 and is no text; %s is text in UTF-8",
                         path, line_of(text, (size_t)(zero - text->data)), kind->name);
    if (!kind->is_utf8 || g_utf8_validate((const char *)text->data, (gssize)text->len, &end))
        return true;
    return error_set(error, "%s:%zu: has a character that is not UTF-8; %s is text in UTF-8", path,
                     line_of(text, (size_t)(end - (const char *)text->data)), kind->name);
}

char *text_file_read(const char *path, const struct text_kind *kind, size_t *length, GError **error)
{
    int fd = open_regular(path, kind, error);
    if (fd < 0)
        return NULL;
    GByteArray *text = g_byte_array_new();
    bool good = read_all(path, kind, fd, text, error) &&
                (text->len == 0 || check_text(path, kind, text, error));
    close(fd);
    g_byte_array_append(text, (const guint8 *)"", 1);
    size_t mark = strlen(BYTE_ORDER_MARK);
    if (good && kind->is_utf8 && g_str_has_prefix((const char *)text->data, BYTE_ORDER_MARK))
        g_byte_array_remove_range(text, 0, (guint)mark);
    if (good && length)
        *length = text->len - 1;
    return (char *)g_byte_array_free(text, !good);
}
