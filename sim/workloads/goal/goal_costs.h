/* SPDX-License-Identifier: BSD-3-Clause */
/* The costs of a LogGOPS machine as users write them: "L=2500,o=1500,g=1000,G=6,O=0,S=65535". */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "fabric/loggp/loggp.h"

/* The defaults of LogGOPSim. */
#define GOAL_COSTS_DEFAULT "L=2500,o=1500,g=1000,G=6,O=0,S=65535"

/* Numbers are nanoseconds (S: bytes) or carry a unit ("L=2.5us,G=40ps,S=64KiB"); missing costs are as in GOAL_COSTS_DEFAULT.
 * Ticks are nanoseconds if all times are whole nanoseconds, else picoseconds. False and an error (ERROR_USE) of one sentence if
 * the text is not valid. */
bool goal_costs_parse(const char *text, struct loggp_spec *costs, GError **error);
