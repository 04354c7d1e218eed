/* SPDX-License-Identifier: BSD-3-Clause */
/* How much room a text takes, before it is drawn: in em of the figures' font, DejaVu Sans. */
#ifndef GPUNETSIM_STUDY_FIGURE_TEXT_WIDTH_H
#define GPUNETSIM_STUDY_FIGURE_TEXT_WIDTH_H

#include <glib.h>

/* The width of a text in em, rounded up character by character: no text is wider than that. */
double text_width(const char *text);

/* The text's lines, none wider than `most` em but for words that are: an array of texts, which the caller
 * frees with g_ptr_array_unref. */
GPtrArray *text_lines(const char *text, double most);

/* The text, or as much of its start as takes `most` em with an ellipsis. The caller frees it with g_free. */
char *text_fitting(const char *text, double most);

#endif
