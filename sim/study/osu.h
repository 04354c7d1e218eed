/* SPDX-License-Identifier: BSD-3-Clause */
/* Results in the form that the OSU micro-benchmarks print, for tools that read it. */
#ifndef GPUNETSIM_STUDY_OSU_H
#define GPUNETSIM_STUDY_OSU_H

#include "study/experiment.h"

/* A block for each series of the study's first plot: `# title`, `# Size  Latency (us)`, then a line
 * a size. If the plot has a title and no curves by an axis, one block: the lines of that title, and its measures beside each
 * other. NULL and one sentence (ERROR_USE) if the study has no plot whose x is in bytes. The
 * caller frees it with g_free. */
char *osu_text(const struct experiment *experiment, GError **error);

#endif
