/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts from users (studies, stores, claims, names of files) made safe to show on a terminal, in a figure or a page. */
#pragma once

#include <glib.h>
#include <stdio.h>

/* `text` as one line of good UTF-8 that holds no control character: ends of lines and tabs become spaces; control characters,
 * marks that turn the direction of writing and characters that XML forbids become U+FFFD. NULL is "". The caller frees it with
 * g_free. */
char *shown_text(const char *text);

/* The first `most` characters of such a text, with an ellipsis if there are more. */
char *shown_start(const char *text, size_t most);

/* printf, whose output is cleaned in the same way but keeps ends of lines and tabs. */
void shown_print(FILE *stream, const char *format, ...) G_GNUC_PRINTF(2, 3);
