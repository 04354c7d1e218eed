/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts for a terminal. */
#pragma once

#include <glib.h>
#include <stdio.h>

/* Columns of the terminal behind `stream`; else what COLUMNS says; else 80. */
size_t terminal_width(FILE *stream);

/* Appends a sentence as lines that are no longer than `width`, all but the first indented; words stay whole. */
void terminal_wrap(GString *text, const char *sentence, size_t width);
