/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a description makes a platform. */
#ifndef GPUNETSIM_FABRIC_PLATFORM_CHECK_H
#define GPUNETSIM_FABRIC_PLATFORM_CHECK_H

#include "fabric/platform.h"

/* Returns true, or false with one sentence (ERROR_USE): unknown, doubled or unusable
 * names, ports without connection, numbers out of range. */
bool platform_check(const struct platform_spec *spec, GError **error);

#endif
