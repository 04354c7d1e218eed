/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that users write in options about GOAL: "2500" (nanoseconds, bytes), "2.5us", "4KiB". */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/simtime.h"
#include "core/units.h"

/* An option KEY=VALUE, and where its number goes. */
struct goal_option {
    const char *name;
    enum unit_kind unit;
    sim_time
        piece_ps; /* of a time: the unit in which it is kept, and of which it must be a whole number */
    size_t offset; /* of a uint64_t in the struct that the options fill in */
};

/* Reads the parts KEY=VALUE into `spec`. A value is a number >= 0: without a unit it is nanoseconds, bytes or a count, as the option
 * says, else it has a unit of that kind. False and an error of one sentence if a value is wrong, if two parts have the same key,
 * since one of them would be ignored, or if a key is none of the options; the key then stands between `before` and `behind`. */
bool goal_options_parse(const char *const *parts, const struct goal_option *options, size_t count,
                        void *spec, const char *before, const char *behind, GError **error);
