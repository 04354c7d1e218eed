/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of an experiment as the terminal shows them, and in the form that the OSU micro-benchmarks print, for tools that
 * read it. */
#pragma once

#include "study/experiment.h"

/* How they are to be shown. */
struct results_view {
    size_t width; /* of a line */
    const char *const *
        columns; /* NULL-ended: measures and axes that are asked for, or "all"; NULL: what the study
                                   plots */
};

/* For each of the study's plots its table, with the axes that it shows; without plots the axes and as many measures as
 * fit; or the columns asked for beside the axes. Below stands why points failed. The caller frees it with g_free. */
char *results_text(const struct experiment *experiment, const struct results_view *view);

/* A block for each series of the study's first plot: `# title`, `# Size  Latency (us)`, then a line
 * a size. If the plot has a title and no curves by an axis, one block: the lines of that title, and its measures beside each
 * other. NULL and one sentence (ERROR_USE) if the study has no plot whose x is in bytes. The
 * caller frees it with g_free. */
char *osu_text(const struct experiment *experiment, GError **error);
