/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a schedule that need all ranks: whether their sends and receives fit together. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "workloads/goal/goal_schedule.h"

/* True if all peers are ranks of the schedule, it does not have too many streams, and its sends and receives can be paired by
 * source, destination and tag. If a rank has a receive (or a send with a tag) of -1, only the number of its receives is compared
 * with the number of sends to it. Else an error of one sentence that counts the faults and shows the first few; `name` stands
 * for the schedule. */
bool goal_check(const struct goal_schedule *schedule, const char *name, GError **error);
