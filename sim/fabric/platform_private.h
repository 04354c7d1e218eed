/* SPDX-License-Identifier: BSD-3-Clause */
/* What this room knows of a platform. */
#pragma once

#include "fabric/layout.h"
#include "fabric/platform.h"
#include "fabric/routes.h"

struct platform {
    char *name;
    GString *description; /* of the spec, to tell another one apart */
    struct layout *layout;
    struct routes *routes;
};
