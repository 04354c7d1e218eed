/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a study before all its points run: machines, tables of workloads and columns of plots. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "script/study/point.h"
#include "study/model/study.h"

/* Makes the machine of each point and runs the point as far as possible without simulating (study_rehearse_point). If all points
 * reach their end, their measures are known, and plots are checked against them. Else the first point is run; if it lacks a
 * column of a plot, at most seven more are run, spread over the study, until one has it; a point that takes longer than 10 s is
 * not judged. A parameter that was set and that no point can read is a fault, too. If some point can read it, at most eight
 * points are run to see whether one does: if none does, that is a fault if the study has no more points, else a `doubt`, one
 * sentence (NULL: none; the caller frees it with g_free). False and an error, with the point, at the first fault. If the points
 * together exceed the limit on a script's instructions, only the first ones are rehearsed. */
bool rehearse(struct study *study, char **doubt, GError **error);

/* Rehearses before a run, in a separate process that leaves the study unchanged. False and an error, with the first point, if a
 * parameter was set that no point can read, or if `judges_first` and the first point has a fault. Other faults show when the
 * points run. False and an error, too, if that process ends without a verdict. */
bool rehearse_apart(struct study *study, bool judges_first, GError **error);
