/* SPDX-License-Identifier: BSD-3-Clause */
/* The one writer of JSON: piece by piece into a file or a text, so that what is written need not be in memory whole.
 *
 * A key is that of a member of an object; NULL in arrays and for the whole. Keys and texts are UTF-8; what is written is
 * that with quotes, backslashes and control characters escaped. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Filled in by the caller: where it goes, one of the two, and the style. */
struct json {
    FILE *file;
    GString *text;
    bool is_spaced; /* a blank behind commas and colons */

    /* the writer's */
    const char *row; /* stands before each row */
    unsigned depth, row_depth;
    uint64_t filled; /* by depth: has an element already; at most 64 */
};

/* An object or array begins; the last one that has begun ends. */
void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);

/* An array whose elements each begin a line, behind `row` ("\n  "), and its end, too; one at a time. */
void json_begin_rows(struct json *json, const char *key, const char *row);
void json_end_rows(struct json *json);

/* A string; NULL writes null. */
void json_text(struct json *json, const char *key, const char *text);

/* A number, or whatever `format` makes, as it is. */
void json_number(struct json *json, const char *key, const char *format, ...) G_GNUC_PRINTF(3, 4);
