/* SPDX-License-Identifier: BSD-3-Clause */
/* The ground of a point is the platform of its machine. One process surveys it, and a worker builds it from the survey, for all
 * processes that it forks. */
#pragma once

#include "study/model/machine.h"

/* The parameters that determine the platform, as text, since a machine's spec has pointers that are valid only in its own
 * process. Paths and values alternate, each with its NUL. */
GBytes *ground_survey(const struct machine *machine);

/* Makes the platform; each point reports the error itself if that fails. */
void ground_build(GBytes *ground);
