/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that users write in options about GOAL: "2500" (nanoseconds, bytes), "2.5us", "4KiB". */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/simtime.h"
#include "core/units.h"

/* Parses `text` as a number >= 0: without a unit it is nanoseconds, bytes or a count, as `unit` says, else it has a unit of that
 * kind. Times are returned in multiples of `piece_ps` (PS_PER_NS, or 1) and must be whole. Otherwise false and an error of one
 * sentence that calls the number `name`. */
bool goal_quantity(const char *name, const char *text, enum unit_kind unit, sim_time piece_ps,
                   uint64_t *value, GError **error);

/* False and an error if two of the parts KEY=VALUE have the same key, since one of them would be ignored. */
bool goal_keys_differ(const char *const *parts, GError **error);
