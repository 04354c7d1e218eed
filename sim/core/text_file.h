/* SPDX-License-Identifier: BSD-3-Clause */
/* The one way in for texts that a user gives as files: scripts, tables, GOAL schedules, resolved.json. Only a regular file is
 * read: a FIFO or a device may never end, or never begin. Its size is bounded, also if it grows while it is read. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text_kind {
    const char *name;    /* the word in messages: "a Lua file" */
    int64_t most_bytes;  /* larger files are refused */
    bool is_utf8;        /* other encodings are refused */
    const char *or_from; /* in messages: other sources (", or from ...") or NULL */
};

/* The file's text with a NUL behind its end, which the caller frees with g_free; without a byte order mark at its beginning if
 * the kind is UTF-8. *length is its size in bytes; `length` may be NULL. NULL and one sentence if the file cannot be read, is
 * not of this kind, or contains a byte that is 0. */
char *text_file_read(const char *path, const struct text_kind *kind, size_t *length,
                     GError **error);

/* The file as a stream, which the caller closes with fclose, for texts that are not held in memory. Its contents are not
 * checked. NULL and one sentence as above. */
FILE *text_file_open(const char *path, const struct text_kind *kind, GError **error);

/* For the reader of a stream: sets the error that the text is larger than its kind allows. Returns false. */
bool text_file_too_large(const char *path, const struct text_kind *kind, GError **error);
