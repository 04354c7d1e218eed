/* SPDX-License-Identifier: BSD-3-Clause */
/* The only file that knows SimGrid: it starts flows in it and advances them. SimGrid has one engine a process,
 * so these functions have no object: one platform, one clock, which never goes back.
 *
 * A flow is given the links of its route, which SimGrid does not know beforehand: a link is made
 * there when the first flow uses it. Links have latency 0 in SimGrid: latencies are events of ours.
 * Its C interface can do none of this, hence simgrid_module.cpp, the only C++ of the project. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layout;

/* Loads SimGrid and starts it for flows over the links of `layout`, which is kept; once a process, in a fraction
 * of a millisecond however large the layout is. Signal handlers are left as they were. Returns
 * true, or false with what SimGrid says (ERROR_RUN). Before it no flow may start, and the clock is 0. */
bool adapter_start(const struct layout *layout, GError **error);

/* --- flows ------------------------------------------------------------------------------------ */

/* SimGrid's clock in seconds, and the date of its next completion (HUGE_VAL if no flow is left). */
double adapter_now_s(void);
double adapter_next_s(void);

/* Starts a flow of `bytes` > 0, at most 2^46, over `count` >= 1 hops (platform_hop), at SimGrid's
 * clock. `cookie` names it when it ends. The flow returned is valid until then. */
struct adapter_flow *adapter_flow_start(const int32_t *hops, size_t count, double bytes,
                                        void *cookie);

/* Ends a flow early; nothing is reported. The next adapter_advance frees it. */
void adapter_flow_cancel(struct adapter_flow *flow);

/* Advances SimGrid's clock to `to_s` (nothing to do if it lies in the past), then calls `ended` for
 * each flow that ended on the way, in no particular order. `ended` starts no flows; NULL: nobody is told. */
typedef void adapter_ended_fn(void *cookie, double end_s, void *argument);
void adapter_advance(double to_s, adapter_ended_fn *ended, void *argument);
