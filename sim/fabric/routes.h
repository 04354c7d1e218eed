/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes between the ports of a platform, put together from three parts: the way inside the one
 * node to its gateway, the gateways' through the network, and the way inside the other node.
 *
 * The paths inside are those of one node, since all are alike. Those through a generated network
 * follow from the numbers of the nodes; through a hand-drawn one they are searched. So nothing here
 * grows with the nodes but the routes that have been asked for. */
#pragma once

#include "fabric/layout.h"

struct routes;

/* On `layout`, which is the caller's and outlives them. */
struct routes *routes_new(const struct layout *layout);
void routes_free(struct routes *routes);

/* As platform_route_via; owned by `routes`, looked up once and kept. */
const struct platform_route *routes_get(struct routes *routes, int from, int gateway,
                                        int to_gateway, int to);

/* The same for who does not send anything by it: nobody who watches is told. */
const struct platform_route *routes_look(struct routes *routes, int from, int gateway,
                                         int to_gateway, int to);

/* As platform_ways and platform_way. */
struct platform_ways routes_ways(const struct routes *routes, const struct platform_route *route);
int routes_way(struct routes *routes, const struct platform_route *route, int number,
               platform_hop hops[PLATFORM_MOST_MIDDLE]);

/* As platform_watch. */
void routes_watch(struct routes *routes, platform_told *told, void *context);
