/* SPDX-License-Identifier: BSD-3-Clause */
/* What platform.c and platform_text.c know of a platform, and the room's own questions to it. */
#pragma once

#include "fabric/layout.h"
#include "fabric/platform.h"
#include "fabric/routes.h"

struct platform {
    char *name;
    char *description; /* the spec as text, to tell another one apart */
    struct layout *layout;
    struct routes *routes;
};

/* Ports of one node. */
int platform_slot_count(const struct platform *platform);
