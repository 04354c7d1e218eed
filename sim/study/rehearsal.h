/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be known of a study before all its points run: whether machines, tables of workloads
 * and columns of plots are right. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "script/study/point.h"
#include "study/model/study.h"

/* Makes the machine of each point and runs the point as far as that goes without simulating
 * (study_rehearse_point). If all come to their end, their measures are known, and plots are compared
 * with them. Else the first point is run, and if it lacks a column of a plot seven more at most, spread over the
 * study, until one has it; a point that takes longer than 10 s is not judged. A parameter that was set and that no point can
 * read is a fault, too. Whether one that points can read is read, eight points at most are run to see: if not, that is a fault if there
 * are no others, else a `doubt`, one sentence (NULL: none; the caller frees it with g_free). False and an error, with the point, at the
 * first fault. Of a study whose points take more than a script's instructions together, only the first are rehearsed. */
bool rehearse(struct study *study, char **doubt, GError **error);

/* Before a run, in a process of its own, which leaves the study as it is: false and an error, with the first point, if a
 * parameter was set that no point can read, or if `judges_first`, and the first point has a fault. Other faults are told by the
 * points when they run. False and an error, too, if that process ends without having come to a verdict. */
bool rehearse_apart(struct study *study, bool judges_first, GError **error);
