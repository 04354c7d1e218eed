/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the program and its module gpunetsim-simgrid.so, which is all that is linked with SimGrid. Loading SimGrid
 * takes ten times as long as the program needs to start, and most runs never come to share a link, so the program
 * loads the module when it first needs it (simgrid_adapter.c). The module knows nothing of the program but what
 * `struct simgrid_host` hands to it. */
#pragma once

#include "fabric/simgrid_adapter.h"

#define SIMGRID_MODULE "gpunetsim-simgrid.so"
#define SIMGRID_MODULE_OPS "gpunetsim_simgrid_ops" /* its one symbol, a struct simgrid_ops */

struct link_spec;

struct simgrid_host {
    const struct layout *layout; /* kept */
    size_t (*link_count)(const struct layout *layout);
    const struct link_spec *(*link)(const struct layout *layout, size_t link);
    void (*fail)(const char *what, const char *why); /* ends the process */
};

/* As the functions of simgrid_adapter.h. `start` returns NULL, or what SimGrid says (static until the next call). */
struct simgrid_ops {
    const char *(*version)(void);
    const char *(*start)(const struct simgrid_host *host);
    double (*now_s)(void);
    double (*next_s)(void);
    struct adapter_flow *(*flow_start)(const int32_t *hops, size_t count, double bytes,
                                       void *cookie);
    void (*flow_cancel)(struct adapter_flow *flow);
    void (*advance)(double to_s, adapter_ended_fn *ended, void *argument);
};
