/* SPDX-License-Identifier: BSD-3-Clause */
/* Chakra execution traces, which views/chakra.lua reads and translates into GOAL. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "models/machine_spec.h"
#include "workloads/goal/goal_schedule.h"

/* True of a name that ends with ".et", and of a PREFIX where there is a file PREFIX.0.et. */
bool chakra_is(const char *path);

/* The schedule of the traces PREFIX.0.et, PREFIX.1.et and so on, a rank each, of which `path` names PREFIX or one; or of a
 * single file. `options` are --trace's (NULL: none). `machine` (NULL: none) says how fast its GPU computes. NULL and an error of one
 * sentence, "FILE: record N: ..." if a record is what cannot be replayed. */
struct goal_schedule *chakra_schedule(const char *path, const char *options,
                                      const struct machine_spec *machine, GError **error);

/* What is in the traces, as lines; the caller frees them with g_strfreev. */
char **chakra_info(const char *path, const char *options, GError **error);
