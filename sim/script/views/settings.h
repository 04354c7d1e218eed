/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences on parameters that nothing read (study/model/unread.h); views/settings.lua has the words. */
#pragma once

#include "core/param_use.h"
#include "study/model/study.h"

/* Fails with "nic.fetch_depth was set, but no queue of this run is fetched" if a run on `machine` could read only the
 * parameters in `uses`, and another one was set. */
bool settings_refuse(const struct machine *machine, const struct param_use *uses, GError **error);

/* Fails the points of a study that set a parameter which no point of it could read. A parameter that matters at some points
 * only is no fault: designs are compared on one machine. Rows are by point; if rows are missing, as in a shard, nothing fails,
 * since the missing points might read the parameter. */
void settings_judge(struct row *const *rows, size_t count);
