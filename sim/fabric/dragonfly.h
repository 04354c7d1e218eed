/* SPDX-License-Identifier: BSD-3-Clause */
/* A dragonfly's numbers: groups of routers with a cable between every two of a group, and as many cables between every two
 * groups as the routers' global ports allow (Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA
 * 2008).
 *
 * A group's global ports are dealt out to its routers in turn, copy after copy of a cable to each other group: so the
 * cables between two groups end at different routers, and a router's global cables lead to different groups. Ports that
 * would not reach all groups alike stay free. */
#pragma once

#include "fabric/platform.h"

struct dragonfly {
    int routers; /* routers of a group; the last group has all of them, too */
    int groups;
    int copies;        /* cables between every two groups; 0: there is one group */
    int local_cables;  /* the number of the first cable within a group, among the network's, */
    int global_cables; /* and between groups */
};

/* Hops of the longest way between two routers: over a third group. */
#define DRAGONFLY_MOST_HOPS 5

/* The dragonfly of `nodes` nodes, for values within their bounds. The caller sets the cables' numbers, and refuses several
 * groups with 0 copies. */
struct dragonfly dragonfly_of(const struct network_spec *network, int64_t nodes);

/* The number of cables within all groups, and between groups. */
int64_t dragonfly_local_count(const struct dragonfly *dragonfly);
int64_t dragonfly_global_count(const struct dragonfly *dragonfly);

/* The router (numbered over all groups) at which the group's copy of a cable to another group ends. */
int dragonfly_exit(const struct dragonfly *dragonfly, int group, int other, int copy);

/* How many ways there are from one router to another: with the fewest cables, and longer ones over a third group or, within a
 * group, over a third router. */
struct platform_ways dragonfly_ways(const struct dragonfly *dragonfly, int from, int to);

/* Writes the hops of way `number` (those of the fewest cables first), as cables of the network: number * 2, + 1 against the
 * drawing. Returns how many. */
int dragonfly_way(const struct dragonfly *dragonfly, int from, int to, int number,
                  platform_hop hops[DRAGONFLY_MOST_HOPS]);
