/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes schedules as GOAL text, which LogGOPSim and this program can read. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "workloads/goal/goal_pattern.h"

/* Writes a whole schedule, or all ranks of a pattern, one after the other. A schedule that is read from this text ends
 * at the same times. False, with errno set, if `file` cannot be written. */
bool goal_write(FILE *file, const struct goal_schedule *schedule);
bool goal_write_pattern(FILE *file, const struct goal_pattern_spec *spec);
