/* SPDX-License-Identifier: BSD-3-Clause */
/* `-o FORMAT:FILE`, as often as wanted: where results go. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/experiment.h"

/* "csv:FILE|json:FILE|...", for the option's help. */
#define OUTPUTS_FORMS "csv|json|tsv|osu|sqlite|svg|png|pdf|pdf-180mm|gp|lua:FILE"

/* The files that a command with this study reads: the `file` that was named, those that it requires, its measurements, and
 * the store (NULL: none). The caller frees the list with g_strfreev. */
char **outputs_inputs(const struct study *study, const char *file, const char *store);

/* Checks a NULL-ended list (NULL is none), and that each file can be made. To be called before a run. */
bool outputs_prepare(char *const *outputs, const struct study *study,
                     const struct output_rules *rules, GError **error);

/* Whether one of them is standard output. */
/* False and one sentence if one of the outputs is the store, which need not be there yet. */
bool outputs_spare_store(char *const *outputs, const char *store, GError **error);

bool outputs_use_stdout(char *const *outputs);

/* Writes them all; figures are drawn if they are not yet. */
bool outputs_write(char *const *outputs, struct experiment *experiment,
                   const struct output_rules *rules, GError **error);
