/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of a machine that nobody gave: defaults of the program, which have no source. */
#pragma once

#include <stddef.h>

#include "core/param_use.h"
#include "study/model/machine.h"
#include "study/model/study.h"

/* Whether a run that reads `uses` reads this value: of a kind of nodes, whether one of them took part and read the parameter. */
bool defaults_is_read(const struct provenance *origin, const struct param_use *uses);

/* Fills row->read_defaults and row->read_given for a point that ran on `machine` and whose workloads could read `uses`. */
void defaults_note(const struct machine *machine, const struct param_use *uses, struct row *row);

/* One sentence on the values that the points read and nobody gave: how many of each component, or by name. If that is not
 * asked for, NULL if they are less than half of all; also for points that were not run here. The caller frees it with
 * g_free. */
char *defaults_text(struct row *const *rows, size_t count, bool are_named);
