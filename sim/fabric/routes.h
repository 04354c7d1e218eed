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

/* Routes over `layout`, which the caller keeps longer than them. */
struct routes *routes_new(const struct layout *layout);
void routes_free(struct routes *routes);

/* As platform_route_via; owned by `routes`, looked up once and kept. */
const struct platform_route *routes_get(struct routes *routes, int from, int gateway,
                                        int to_gateway, int to);

/* The same for callers that send nothing over it: watchers are not told. */
const struct platform_route *routes_look(struct routes *routes, int from, int gateway,
                                         int to_gateway, int to);

/* How many alternative ways there are for the middle of a route. */
struct platform_ways routes_ways(const struct routes *routes, const struct platform_route *route);

/* The ways between two leaves of a fat tree, by the number of their spine and, over the cores, of the spine's core. The hops of
 * the others follow from those over the first spine and its first core: spine after spine, and in each core after core. */
struct tree_ways {
    int spines, cores; /* cores of a spine; 1 if the ways stay below the cores */
    int spine, core;   /* over which a route goes itself */
    int hops;
    platform_hop up, down;   /* from the leaf to the spine, and from the spine to the other leaf */
    platform_hop rise, fall; /* from the spine to the core, and from the core to the other spine */
};

/* The ways for the middle of a route in a fat tree; and writes the hops of one of them. */
struct tree_ways routes_tree_ways(const struct routes *routes, const struct platform_route *route);
void routes_tree_way(const struct tree_ways *ways, int spine, int core, platform_hop *hops);

/* Writes the hops of way `number`, those of the fewest cables first, and returns how many; number 0 may be the route's own. In a
 * fat tree the ways are counted round from it, core after core. */
int routes_way(struct routes *routes, const struct platform_route *route, int number,
               platform_hop hops[PLATFORM_MOST_MIDDLE]);

/* Sets what follows from a route's hops: latency and bandwidth. */
void routes_complete(const struct routes *routes, struct platform_route *route);

/* As platform_watch. */
void routes_watch(struct routes *routes, platform_told *told, void *context);
