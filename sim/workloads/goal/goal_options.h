/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of a LogGOPS machine and patterns (goal_pattern.h) as users write them: "L=2500,o=1500,g=1000,G=6,O=0,S=65535". GOAL's own
 * numbers have no units, so its users expect plain numbers; a unit is better and allowed: "2500" (nanoseconds, bytes), "2.5us",
 * "4KiB". */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/units.h"
#include "fabric/loggp/loggp.h"

/* The defaults of LogGOPSim. */
#define GOAL_COSTS_DEFAULT "L=2500,o=1500,g=1000,G=6,O=0,S=65535"

/* Numbers are nanoseconds (S: bytes) or carry a unit ("L=2.5us,G=40ps,S=64KiB"); missing costs are as in GOAL_COSTS_DEFAULT.
 * Ticks are nanoseconds if all times are whole nanoseconds, else picoseconds. False and an error (ERROR_USE) of one sentence if
 * the text is not valid. */
bool goal_costs_parse(const char *text, struct loggp_spec *costs, GError **error);

/* An option KEY=VALUE, and where its number goes. */
struct goal_option {
    const char *name;
    enum unit_kind unit;
    int64_t
        piece_ps; /* of a time: the unit in which it is kept, and of which it must be a whole number */
    size_t offset; /* of a uint64_t in the struct that the options fill in */
};

/* Reads the parts KEY=VALUE into `spec`. A value is a number >= 0: without a unit it is nanoseconds, bytes or a count, as the option
 * says, else it has a unit of that kind. False and an error of one sentence if a value is wrong, if two parts have the same key,
 * since one of them would be ignored, or if a key is none of the options; the key then stands between `before` and `behind`. */
bool goal_options_parse(const char *const *parts, const struct goal_option *options, size_t count,
                        void *spec, const char *before, const char *behind, GError **error);
