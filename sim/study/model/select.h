/* SPDX-License-Identifier: BSD-3-Clause */
/* Selects points of a study by a user's text: "design=comp-net,bytes=64". */
#pragma once

#include "study/model/study.h"

/* Numbers (guint) of the points whose axes have these values, in the study's order; NULL or "" selects all. A quantity may have
 * any unit, or be a bare number of base units. NULL and one sentence (ERROR_USE) if an axis or value is unknown, an axis is
 * named twice, or no point matches. Free with g_array_unref. */
GArray *points_select(const struct study *study, const char *text, GError **error);

/* The point's values on the axes that vary: "design comp-net, bytes 64B". The caller frees it. */
char *point_label(const struct study *study, size_t point);
