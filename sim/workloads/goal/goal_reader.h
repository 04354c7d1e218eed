/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads schedules from GOAL text or from the binary format (workloads/goal/goal_binary.h); the first byte shows which it is. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "workloads/goal/goal_schedule.h"

/* Reads `file` in one forward pass. `name` stands for it in errors. NULL and an error of one sentence ("NAME:LINE: ...", "NAME:
 * rank N, operation N: ...") if it is not GOAL, names unknown ranks, or has cycles, sends without receives or receives without
 * sends (workloads/goal/goal_check.h). The caller frees the schedule. */
struct goal_schedule *goal_read(FILE *file, const char *name, GError **error);

/* The same for the file at `path`; "-" is standard input. */
struct goal_schedule *goal_read_file(const char *path, GError **error);
