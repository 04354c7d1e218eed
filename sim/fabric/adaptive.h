/* SPDX-License-Identifier: BSD-3-Clause */
/* Adaptive routing through a fat tree: a transfer between leaf switches takes the spine, and the core, on whose
 * cables the fewest bytes are under way when it sets out; the static ones (fabric/routes.h) if none has fewer.
 *
 * What counts is the fullest cable of a way, up or down, then the sum over its cables: as if each switch knew how
 * full the queues behind the next ones are, as credits tell it, and without delay. Switches decide for each
 * packet; here a transfer, which is a message or a fragment of one, stays on its way. So packets need not be
 * put in order again. */
#ifndef GPUNETSIM_FABRIC_ADAPTIVE_H
#define GPUNETSIM_FABRIC_ADAPTIVE_H

#include "fabric/platform.h"

struct adaptive;

/* NULL if the platform's routing is not adaptive. */
struct adaptive *adaptive_new(struct platform *platform);
void adaptive_free(struct adaptive *adaptive);

/* The route that a transfer of `bytes` (at least 1) takes instead of the static one. Its bytes count as in flight until
 * adaptive_leave. */
const struct platform_route *adaptive_enter(struct adaptive *adaptive,
                                            const struct platform_route *route, int64_t bytes);

/* They have left its links; `route`, which adaptive_enter returned, may be gone. */
void adaptive_leave(struct adaptive *adaptive, const struct platform_route *route, int64_t bytes);

#endif
