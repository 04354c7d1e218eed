/* SPDX-License-Identifier: BSD-3-Clause */
/* `-o FORMAT:FILE`, as often as wanted: where results go. */
#ifndef GPUNETSIM_CLI_OUTPUTS_H
#define GPUNETSIM_CLI_OUTPUTS_H

#include <glib.h>
#include <stdbool.h>

#include "study/experiment.h"

/* "csv:FILE|json:FILE|...", for the option's help. */
#define OUTPUTS_FORMS "csv|json|tsv|osu|sqlite|svg|png|pdf|pdf-180mm:FILE"

/* Checks a NULL-ended list (NULL is none), and that each file can be made and no two are one. To be called
 * before a run. */
bool outputs_prepare(char *const *outputs, const struct study *study,
                     const struct output_rules *rules, GError **error);

/* Whether one of them is standard output. */
bool outputs_use_stdout(char *const *outputs);

/* Writes them all; figures are drawn if they are not yet. */
bool outputs_write(char *const *outputs, struct experiment *experiment,
                   const struct output_rules *rules, GError **error);

#endif
