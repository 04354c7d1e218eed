/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of percentiles in one integer, so that it can be a field of a spec: up to four, each a number of hundredths of a
 * percent in 1 .. 10,000, ascending, 14 bits each from the lowest on; 0 ends the list. As text "90,99.9"; an empty one is
 * "none". */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define PERCENTILES_MOST 4
#define PERCENTILES_TEXT_SIZE 48

/* Number `i` (0 .. PERCENTILES_MOST - 1) in hundredths of a percent; 0: there are no more. */
static inline int percentiles_at(int64_t list, int i)
{
    return i < PERCENTILES_MOST ? (int)(list >> (14 * i) & 0x3fff) : 0;
}

/* Parses "90,99.9" or "none". False and one sentence if the text is no such list. */
bool percentiles_parse(const char *text, int64_t *list, GError **error);

/* Writes a list into `text`, which has PERCENTILES_TEXT_SIZE bytes. Returns `text`. */
char *percentiles_format(int64_t list, char *text);
