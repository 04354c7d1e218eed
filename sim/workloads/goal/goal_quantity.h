/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as users write them beside GOAL: "2500" (nanoseconds, bytes), "2.5us", "4KiB". */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/simtime.h"
#include "core/units.h"

/* `text` as a number >= 0: without a unit nanoseconds, bytes or a count, whichever `unit` says, else
 * with one of its units. Times are given in pieces of `piece_ps` (PS_PER_NS, or 1) and must be whole.
 * False and an error of one sentence that calls it `name` otherwise. */
bool goal_quantity(const char *name, const char *text, enum unit_kind unit, sim_time piece_ps,
                   uint64_t *value, GError **error);

/* False and an error if two of the parts KEY=VALUE have one key: one of them would go unheard. */
bool goal_keys_differ(const char *const *parts, GError **error);
