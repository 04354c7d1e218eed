/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and numbers for gnuplot's language. Every text that a script of ours holds goes through here. */
#ifndef GPUNETSIM_STUDY_FIGURE_GNUPLOT_TEXT_H
#define GPUNETSIM_STUDY_FIGURE_GNUPLOT_TEXT_H

#include <glib.h>

/* Appends `NAME = "text"`, a line. Of the text gnuplot gets letters and spaces as they are and all else by
 * number, so that none of it can mean anything; of a long one the start. */
void gnuplot_set_text(GString *script, const char *name, const char *text);

/* The same for a label of a tick, which gnuplot takes for a format where it holds a %. */
void gnuplot_set_label(GString *script, const char *name, const char *label);

void gnuplot_set_number(GString *script, const char *name, double number);

#endif
