/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that a file in views/ writes to a stream, one after the other, so that memory need not hold all of them. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A record: texts, which may be NULL, then numbers. */
#define STREAM_TEXTS 3
#define STREAM_NUMBERS 4
struct stream_record {
    const char *texts[STREAM_TEXTS];
    int64_t numbers[STREAM_NUMBERS];
};

/* Fills in the next record; false at the end. NULL: there are none. */
typedef bool stream_next(void *context, struct stream_record *record);

/* Calls `function` of views/FILE.lua as views_texts does, with two arguments before the others: the file, which stays open, and a
 * function that returns the texts and numbers of the next record, or nothing at the end. */
char **stream_write(const char *file, const char *function, FILE *stream, stream_next *next,
                    void *context, GVariant *arguments, GError **error);
