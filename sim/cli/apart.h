/* Work in a process of its own: a process has one machine (SimGrid's platform), and commands look at points on several. */
#ifndef GPUNETSIM_CLI_APART_H
#define GPUNETSIM_CLI_APART_H

#include <glib.h>

/* What the work gives, of `type`; a floating reference or not. It runs in the child. */
typedef GVariant *apart_work(void *argument);

/* NULL and one sentence if the process ended without. To be freed with g_variant_unref. */
GVariant *apart_run(apart_work *work, void *argument, const char *type, GError **error);

#endif
