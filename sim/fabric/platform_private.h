/* SPDX-License-Identifier: BSD-3-Clause */
/* A platform, as this folder knows it. */
#pragma once

#include "fabric/layout.h"
#include "fabric/platform.h"
#include "fabric/routes.h"

struct platform {
    char *name;
    GString *description; /* of the spec, to recognise an equal one */
    struct layout *layout;
    struct routes *routes;
};
