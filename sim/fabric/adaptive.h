/* SPDX-License-Identifier: BSD-3-Clause */
/* Adaptive routing: a transfer takes the way on whose cables the fewest bytes are under way when it sets out; the static one
 * (fabric/routes.h) if none has fewer.
 *
 * What counts is the fullest cable of a way, then the sum over its cables: as if each switch knew how full the queues behind the
 * next ones are, as credits tell it, and without delay. A longer way (of a dragonfly, over a third group) must be emptier by more
 * than it is longer: bytes times cables are compared, as UGAL does (Kim et al., ISCA 2008, section 4). All ways of the fewest
 * cables are looked at, and a few of the longer ones, each transfer the next ones. Switches decide for each packet; here a
 * transfer, which is a message or a fragment of one, stays on its way. So packets need not be put in order again. */
#pragma once

#include "fabric/platform.h"

struct adaptive;

/* NULL if the platform's routing is not adaptive. */
struct adaptive *adaptive_new(struct platform *platform);
void adaptive_free(struct adaptive *adaptive);

/* The route that a transfer of `bytes` (at least 1) takes instead of the static one. Its bytes count as in flight until
 * adaptive_leave. */
const struct platform_route *adaptive_enter(struct adaptive *adaptive,
                                            const struct platform_route *route, int64_t bytes);

/* Says that the bytes have left the links of `route`, which adaptive_enter returned and which may be freed now. */
void adaptive_leave(struct adaptive *adaptive, const struct platform_route *route, int64_t bytes);
