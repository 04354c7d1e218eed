/* SPDX-License-Identifier: BSD-3-Clause */
/* The one writer of JSON, piece by piece into a text.
 *
 * A key is that of a member of an object; NULL for the whole. Keys and texts are UTF-8; what is written is that with quotes,
 * backslashes and control characters escaped. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Filled in by the caller: where it goes, and the style. */
struct json {
    GString *text;
    bool is_spaced; /* a blank behind commas and colons */

    /* the writer's */
    unsigned depth;
    uint64_t filled; /* by depth: has an element already; at most 64 */
};

/* An object begins; the last one that has begun ends. */
void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);

/* A string; NULL writes null. */
void json_text(struct json *json, const char *key, const char *text);

/* A number, or whatever `format` makes, as it is. */
void json_number(struct json *json, const char *key, const char *format, ...) G_GNUC_PRINTF(3, 4);
