/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads schedules from GOAL text, or its binary (workloads/goal/goal_binary.h), which the first byte tells. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "workloads/goal/goal_schedule.h"

/* Reads all of `file`, once and forward. `name` stands for it in errors. NULL and an error of one
 * sentence ("NAME:LINE: ...", "NAME: rank N, operation N: ...") if it is not GOAL, or names unknown ranks, or has circles, or sends
 * that nobody receives or the reverse (workloads/goal/goal_check.h). The caller frees the schedule. */
struct goal_schedule *goal_read(FILE *file, const char *name, GError **error);

/* The same, of the file at `path`; "-" is standard input. */
struct goal_schedule *goal_read_file(const char *path, GError **error);
