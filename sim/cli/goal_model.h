/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of `gpunetsim derive` as a machine of `gpunetsim goal`. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "fabric/loggp/loggp.h"
#include "workloads/goal/goal_fault.h"

/* The model in a file, which views/model.lua reads; the caller frees it. NULL and an error of one sentence. */
struct loggp_model *goal_model_load(const char *path, GError **error);
void goal_model_free(struct loggp_model *model);

/* True unless the fault is LOGGP_OUTSIDE_MODEL; then an error of one sentence: what was sent, and what the model says. */
bool goal_model_check(const struct loggp_model *model, const char *path,
                      const struct loggp_fault *fault, const struct goal_source *source,
                      GError **error);
