/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/adaptive.h"

#include <string.h>

#include "core/pool.h"
#include "fabric/platform_private.h"

/* The most hops of a route that adapts: longer routes stay static. And the number of longer ways that a transfer compares. */
enum { MOST_HOPS = 32, LONGER_WAYS = 4 };

struct adaptive {
    struct platform *platform;
    int64_t *bytes;   /* bytes under way, by hop */
    int64_t next_way; /* the next of the longer ways to compare */
    struct pool detours;
};

/* The route of one transfer that takes another way. */
struct detour {
    struct platform_route route;
    platform_hop hops[MOST_HOPS];
};

/* A way, and how full it is: `most` is the bytes on its fullest cable times its cables; `sum` those on all its cables. */
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

/* Compares way `number` with the best one. */
static void look_at(const struct adaptive *adaptive, const struct platform_route *route, int number,
                    struct way *best)
{
    struct way way;
    way.count = routes_way(adaptive->platform->routes, route, number, way.hops);
    weigh(adaptive, &way);
    if (is_less(&way, best))
        *best = way;
}

/* Compares the ways of a tree over one spine with the best one so far, whose spine and core are `at`: those over its cores only
 * as long as the cables from and to the leaves, which all of them share, are emptier than the best way. */
static void look_at_spine(const int64_t *bytes, const struct tree_ways *ways, int spine,
                          struct way *best, int at[2])
{
    int64_t up = bytes[ways->up + 2 * spine], down = bytes[ways->down + 2 * spine];
    const struct way shared = {.most = MAX(up, down) * ways->hops, .sum = up + down};
    for (int i = 0; i < ways->cores && is_less(&shared, best); i++) {
        int core = (ways->core + i) % ways->cores;
        int by_core = 2 * (spine * ways->cores + core);
        int64_t rise = ways->hops > 2 ? bytes[ways->rise + by_core] : 0;
        int64_t fall = ways->hops > 2 ? bytes[ways->fall + by_core] : 0;
        int64_t most = MAX(shared.most, MAX(rise, fall) * ways->hops);
        int64_t sum = shared.sum + rise + fall;
        if (most > best->most || (most == best->most && sum >= best->sum))
            continue;
        best->most = most, best->sum = sum;
        at[0] = spine, at[1] = core;
    }
}

static void find_tree_way(const struct adaptive *adaptive, const struct platform_route *route,
                          struct way *best)
{
    struct tree_ways ways = routes_tree_ways(adaptive->platform->routes, route);
    int at[2] = {ways.spine, ways.core};
    for (int i = 0; i < ways.spines && best->sum > 0; i++)
        look_at_spine(adaptive->bytes, &ways, (ways.spine + i) % ways.spines, best, at);
    routes_tree_way(&ways, at[0], at[1], best->hops);
}

/* Finds the emptiest way; of equally empty ways the first, counted from the static one. */
static void find_way(struct adaptive *adaptive, const struct platform_route *route,
                     struct way *best)
{
    best->count = route->middle_count;
    memcpy(best->hops, &route->hops[route->middle], (size_t)best->count * sizeof *best->hops);
    weigh(adaptive, best);
    if (best->sum == 0)
        return;
    if (network_is_tree(adaptive->platform->layout->network.topology)) {
        find_tree_way(adaptive, route, best);
        return;
    }
    struct platform_ways ways = routes_ways(adaptive->platform->routes, route);
    for (int number = 0; number < ways.shortest && best->sum > 0; number++)
        look_at(adaptive, route, number, best);
    for (int i = 0; i < MIN(LONGER_WAYS, ways.longer) && best->sum > 0; i++)
        look_at(adaptive, route, ways.shortest + (int)(adaptive->next_way++ % ways.longer), best);
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
    if (way->count != route->middle_count ||
        adaptive->platform->layout->network.topology == NETWORK_DRAWN)
        routes_complete(adaptive->platform->routes, &detour->route); /* else cables are as before */
    return &detour->route;
}

static void count(struct adaptive *adaptive, const struct platform_route *route, int64_t bytes)
{
    for (int i = 0; i < route->middle_count; i++)
        adaptive->bytes[route->hops[route->middle + i]] += bytes;
}

/* Whether a detour of the route may have more than MOST_HOPS hops. */
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
