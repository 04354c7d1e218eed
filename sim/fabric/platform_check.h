/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a description makes a platform. */
#pragma once

#include "fabric/platform.h"

/* Returns true, or false with one sentence (ERROR_USE): unknown, doubled or unusable
 * names, ports without connection, numbers out of range. */
bool platform_check(const struct platform_spec *spec, GError **error);
