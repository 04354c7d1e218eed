/* SPDX-License-Identifier: BSD-3-Clause */
/* A point that is watched while it runs, in a process of its own: a process has one machine (SimGrid's platform), and commands
 * look at points on several. */
#pragma once

#include "study/model/study.h"

struct apart_point {
    struct study *study;
    guint point;
    guint64 seed;                      /* master seed */
    struct observe_listener *listener; /* of its machine */
    /* What is handed on of the run, of `type`, a floating reference or not. It is called in the child. */
    GVariant *(*pack)(void *context, const struct row *row);
    void *context;
    const char *type;
};

/* NULL and one sentence if the point failed or the process ended before its time. To be freed with g_variant_unref. */
GVariant *apart_run(const struct apart_point *call, GError **error);
