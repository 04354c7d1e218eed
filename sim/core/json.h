/* SPDX-License-Identifier: BSD-3-Clause */
/* The one writer of JSON, piece by piece into a text.
 *
 * A key names a member of an object; it is NULL for the outermost value. Keys and texts are UTF-8; quotes, backslashes and
 * control characters in them are escaped. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The caller fills in the text to write to, and the style. */
struct json {
    GString *text;
    bool is_spaced; /* a blank behind commas and colons */

    /* used by the writer */
    unsigned depth;
    uint64_t filled; /* bit d: the object at depth d has an element already; at most 64 */
};

/* Begins an object; ends the innermost open one. */
void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);

/* A string; NULL writes null. */
void json_text(struct json *json, const char *key, const char *text);

/* Writes the text that `format` makes, such as a number, as it is. */
void json_number(struct json *json, const char *key, const char *format, ...) G_GNUC_PRINTF(3, 4);
