/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of others (studies, stores, claims, names of files) as they may be shown: on a terminal, in a
 * figure, in a page. */
#pragma once

#include <glib.h>
#include <stdio.h>

/* `text` as one line of good UTF-8 that holds no control character: ends of lines and tabs are spaces;
 * what would steer a terminal, what turns the direction of writing and what XML forbids is U+FFFD. NULL
 * is "". The caller frees it with g_free. */
char *shown_text(const char *text);

/* The first `most` characters of such a text, with an ellipsis if there are more. */
char *shown_start(const char *text, size_t most);

/* printf, with all but ends of lines and tabs made so. */
void shown_print(FILE *stream, const char *format, ...) G_GNUC_PRINTF(2, 3);
