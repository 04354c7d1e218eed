/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/dragonfly.h"

struct dragonfly dragonfly_of(const struct network_spec *network, int64_t nodes)
{
    int64_t all = (nodes + network->radix - 1) / network->radix;
    int64_t routers = network->pod > 0 ? network->pod : all;
    int64_t groups = (all + routers - 1) / routers;
    int64_t copies = groups > 1 ? routers * network->uplinks / (groups - 1) : 0;
    return (struct dragonfly){
        .routers = (int)routers, .groups = (int)groups, .copies = (int)MIN(copies, INT_MAX)};
}

/* The number of pairs among `count`. */
static int64_t pairs(int64_t count)
{
    return count * (count - 1) / 2;
}

int64_t dragonfly_local_count(const struct dragonfly *dragonfly)
{
    return dragonfly->groups * pairs(dragonfly->routers);
}

int64_t dragonfly_global_count(const struct dragonfly *dragonfly)
{
    return pairs(dragonfly->groups) * dragonfly->copies;
}

/* The place of a pair among all pairs of `count`, which are drawn row after row, from the smaller number of each pair. */
static int pair_number(int count, int one, int other)
{
    int low = MIN(one, other), high = MAX(one, other);
    return low * count - low * (low + 1) / 2 + high - low - 1;
}

int dragonfly_exit(const struct dragonfly *dragonfly, int group, int other, int copy)
{
    int distance = (other - group + dragonfly->groups) % dragonfly->groups;
    int port = copy * (dragonfly->groups - 1) + distance - 1;
    return group * dragonfly->routers + port % dragonfly->routers;
}

/* Adds the hop between two routers of a group, none if they are the same. Returns the number of hops afterwards. */
static int add_local(const struct dragonfly *dragonfly, int from, int to, platform_hop *hops,
                     int count)
{
    int routers = dragonfly->routers, group = from / routers;
    if (from == to)
        return count;
    int cable = dragonfly->local_cables + group * (int)pairs(routers) +
                pair_number(routers, from % routers, to % routers);
    hops[count] = 2 * cable + (from > to);
    return count + 1;
}

/* Adds the hops from a router to another group, where *at is the router that it ends at. */
static int add_global(const struct dragonfly *dragonfly, int *at, int other, int copy,
                      platform_hop *hops, int count)
{
    int group = *at / dragonfly->routers;
    count = add_local(dragonfly, *at, dragonfly_exit(dragonfly, group, other, copy), hops, count);
    int cable = dragonfly->global_cables +
                pair_number(dragonfly->groups, group, other) * dragonfly->copies + copy;
    *at = dragonfly_exit(dragonfly, other, group, copy);
    hops[count] = 2 * cable + (group > other);
    return count + 1;
}

struct platform_ways dragonfly_ways(const struct dragonfly *dragonfly, int from, int to)
{
    if (from / dragonfly->routers == to / dragonfly->routers)
        return (struct platform_ways){1, dragonfly->routers - 2};
    return (struct platform_ways){dragonfly->copies, (dragonfly->groups - 2) * dragonfly->copies};
}

/* The number at `place` among all numbers but `one` and `other`. */
static int third(int place, int one, int other)
{
    int low = MIN(one, other), high = MAX(one, other);
    place += place >= low;
    return place + (place >= high);
}

static int way_within(const struct dragonfly *dragonfly, int from, int to, int number,
                      platform_hop *hops)
{
    int first = from / dragonfly->routers * dragonfly->routers;
    int by = number == 0 ? to : first + third(number - 1, from - first, to - first);
    int count = add_local(dragonfly, from, by, hops, 0);
    return add_local(dragonfly, by, to, hops, count);
}

int dragonfly_way(const struct dragonfly *dragonfly, int from, int to, int number,
                  platform_hop hops[DRAGONFLY_MOST_HOPS])
{
    int group = from / dragonfly->routers, other = to / dragonfly->routers;
    int copy = number % MAX(1, dragonfly->copies), at = from, count = 0;
    if (group == other)
        return way_within(dragonfly, from, to, number, hops);
    if (number >= dragonfly->copies) {
        int by = third(number / dragonfly->copies - 1, group, other);
        count = add_global(dragonfly, &at, by, copy, hops, count);
    }
    count = add_global(dragonfly, &at, other, copy, hops, count);
    return add_local(dragonfly, at, to, hops, count);
}
