/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a deadlock among work-groups (ComPNet18 section 4.1; M-076): which work-group waits for which other or for
 * which word, how many work-groups run, were launched and fit, and what would resolve it. */
#pragma once

#include <glib.h>

#include "models/node.h"

/* After sim_run has returned SIM_DEADLOCK: one sentence, then lines, about 1000 bytes with names of usual
 * length. */
void deadlock_explain(const struct cluster *cluster, GError **error);
