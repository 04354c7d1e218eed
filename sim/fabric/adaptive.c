/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/adaptive.h"

#include <string.h>

#include "core/pool.h"
#include "fabric/platform_private.h"

/* Hops of the longest route that is looked at; longer ones stay static. And how many longer ways a transfer looks at. */
enum { MOST_HOPS = 32, LONGER_WAYS = 4 };

struct adaptive {
    struct platform *platform;
    int64_t *bytes;   /* under way, by hop */
    int64_t next_way; /* among longer ones */
    struct pool detours;
};

/* A route of one transfer. */
struct detour {
    struct platform_route route;
    platform_hop hops[MOST_HOPS];
};

/* A way, and how full it is: the bytes on its fullest cable, by how many cables it has; and on all of them. */
struct way {
    platform_hop hops[PLATFORM_MOST_MIDDLE];
    int count;
    int64_t most, sum;
};

struct adaptive *adaptive_new(struct platform *platform)
{
    const struct layout *layout = platform->layout;
    if (layout->nodes == 1 || !network_has_ways(layout->network.topology) ||
        layout->network.routing != ROUTING_ADAPTIVE)
        return NULL;
    struct adaptive *adaptive = g_new0(struct adaptive, 1);
    adaptive->platform = platform;
    adaptive->bytes = g_new0(int64_t, 2 * platform_link_count(platform));
    pool_init(&adaptive->detours, sizeof(struct detour));
    return adaptive;
}

void adaptive_free(struct adaptive *adaptive)
{
    if (!adaptive)
        return;
    pool_clear(&adaptive->detours);
    g_free(adaptive->bytes);
    g_free(adaptive);
}

static void weigh(const struct adaptive *adaptive, struct way *way)
{
    way->most = way->sum = 0;
    for (int i = 0; i < way->count; i++) {
        int64_t bytes = adaptive->bytes[way->hops[i]];
        way->most = MAX(way->most, bytes * way->count);
        way->sum += bytes;
    }
}

static bool is_less(const struct way *one, const struct way *other)
{
    return one->most < other->most || (one->most == other->most && one->sum < other->sum);
}

/* Returns whether no way with the same first and last cable can be emptier than the best one, since these two are too full. */
static bool look_at(const struct adaptive *adaptive, const struct platform_route *route, int number,
                    struct way *best)
{
    struct way way;
    way.count = routes_way(adaptive->platform->routes, route, number, way.hops);
    int64_t first = adaptive->bytes[way.hops[0]], last = adaptive->bytes[way.hops[way.count - 1]];
    struct way least = {.most = MAX(first, last) * way.count,
                        .sum = way.count > 1 ? first + last : first};
    if (!is_less(&least, best))
        return true;
    weigh(adaptive, &way);
    if (is_less(&way, best))
        *best = way;
    return false;
}

/* The emptiest way; the first of those that are equally empty, counted from the static one. */
static void find_way(struct adaptive *adaptive, const struct platform_route *route,
                     struct way *best)
{
    struct platform_ways ways = routes_ways(adaptive->platform->routes, route);
    best->count = route->middle_count;
    memcpy(best->hops, &route->hops[route->middle], (size_t)best->count * sizeof *best->hops);
    weigh(adaptive, best);
    for (int number = 0; number < ways.shortest && best->sum > 0;)
        number += look_at(adaptive, route, number, best) ? ways.alike - number % ways.alike : 1;
    for (int i = 0; i < MIN(LONGER_WAYS, ways.longer) && best->sum > 0; i++)
        (void)look_at(adaptive, route, ways.shortest + (int)(adaptive->next_way++ % ways.longer),
                      best);
}

static bool is_own_way(const struct platform_route *route, const struct way *way)
{
    return way->count == route->middle_count && memcmp(way->hops, &route->hops[route->middle],
                                                       (size_t)way->count * sizeof *way->hops) == 0;
}

static const struct platform_route *
detour(struct adaptive *adaptive, const struct platform_route *route, const struct way *way)
{
    struct detour *detour = pool_take(&adaptive->detours);
    size_t before = (size_t)route->middle, count = (size_t)way->count;
    size_t behind = before + (size_t)route->middle_count, after = route->count - behind;
    memcpy(detour->hops, route->hops, before * sizeof *route->hops);
    memcpy(&detour->hops[before], way->hops, count * sizeof *way->hops);
    memcpy(&detour->hops[before + count], &route->hops[behind], after * sizeof *route->hops);
    detour->route = *route;
    detour->route.is_detour = true;
    detour->route.hops = detour->hops;
    detour->route.count = before + count + after;
    detour->route.middle_count = way->count;
    routes_complete(adaptive->platform->routes, &detour->route);
    return &detour->route;
}

static void count(struct adaptive *adaptive, const struct platform_route *route, int64_t bytes)
{
    for (int i = 0; i < route->middle_count; i++)
        adaptive->bytes[route->hops[route->middle + i]] += bytes;
}

/* Whether a detour of it may have no room. */
static bool is_too_long(const struct platform_route *route)
{
    return route->count - (size_t)route->middle_count + PLATFORM_MOST_MIDDLE > MOST_HOPS;
}

const struct platform_route *adaptive_enter(struct adaptive *adaptive,
                                            const struct platform_route *route, int64_t bytes)
{
    struct way way;
    if (route->middle < 0 || is_too_long(route))
        return route;
    find_way(adaptive, route, &way);
    if (!is_own_way(route, &way))
        route = detour(adaptive, route, &way);
    count(adaptive, route, bytes);
    return route;
}

void adaptive_leave(struct adaptive *adaptive, const struct platform_route *route, int64_t bytes)
{
    if (route->middle < 0 || (!route->is_detour && is_too_long(route)))
        return;
    count(adaptive, route, -bytes);
    if (route->is_detour)
        pool_give(&adaptive->detours, (void *)(uintptr_t)route);
}
