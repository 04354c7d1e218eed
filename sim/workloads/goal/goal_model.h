/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs schedules on models of `gpunetsim derive`. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "fabric/loggp/loggp.h"
#include "workloads/goal/goal_fault.h"

/* Parses a model from lines of whole numbers: gpus_per_node, gpus_per_socket, nodes_per_leaf, gpus_sharing and kernel_ps; then
 * a line for each piece, by distance and size: the distance's number, from, to, waits (0 or 1), and of each cost its ps and its
 * as for each byte. The caller frees it. NULL and an error of one sentence if a line is not of this form. */
struct loggp_model *goal_model_parse(const char *const *lines, GError **error);
void goal_model_free(struct loggp_model *model);

/* Runs the program at the model's costs; `ends_ps` gets the end of each rank. `stop` (NULL: never) is called now and then.
 * False and an error of one sentence; false without an error if it was stopped. `path` names the model in errors. */
bool goal_model_run(const struct loggp_model *model, const char *path,
                    const struct loggp_program *program, const struct goal_source *source,
                    bool (*stop)(void), int64_t *ends_ps, GError **error);
