/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences on parameters that nothing read, and on values that nobody gave (study/model/unread.h); views/settings.lua has the
 * words. */
#pragma once

#include "core/param_use.h"
#include "study/model/study.h"

/* Fails with "nic.fetch_depth was set, but no queue of this run is fetched" if a run on `machine` could read only `uses`, and
 * something else was set. */
bool settings_refuse(const struct machine *machine, const struct param_use *uses, GError **error);

/* Fails the points of a study that set a parameter which no point of it could read. A parameter that matters at some
 * points only is no fault: designs are compared on one machine. Rows by point; where some are missing, as in a
 * shard, nothing is known of the others, and nothing fails. */
void settings_judge(struct row *const *rows, size_t count);

/* One sentence on parameters that were set at points which could not read them, while others could; NULL if there
 * are none. Rows are all there. The caller frees it with g_free. */
char *settings_unread_text(struct row *const *rows, size_t count);

/* One sentence on the values that the points read and nobody gave: how many of each component, or by name. If that is not
 * asked for, NULL if they are less than half of all; also for points that were not run here. The caller frees it with
 * g_free. */
char *settings_defaults_text(struct row *const *rows, size_t count, bool are_named);
