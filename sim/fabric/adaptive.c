/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/adaptive.h"

#include <string.h>

#include "core/pool.h"

/* Hops of the longest route that is looked at; longer ones stay static. */
enum { MOST_HOPS = 32, MOST_MIDDLE = 4 };

struct adaptive {
    struct platform *platform;
    struct platform_tree tree;
    int64_t *bytes; /* under way, by lane */
    struct pool detours;
};

/* A route of one transfer. */
struct detour {
    struct platform_route route;
    platform_hop hops[MOST_HOPS], lanes[MOST_HOPS];
};

/* How full a way is. */
struct load {
    int64_t most, sum;
};

struct adaptive *adaptive_new(struct platform *platform)
{
    if (!platform_is_adaptive(platform))
        return NULL;
    struct adaptive *adaptive = g_new0(struct adaptive, 1);
    adaptive->platform = platform;
    adaptive->tree = platform_tree(platform);
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

static struct load load_of(const struct adaptive *adaptive, const platform_hop *hops, int count)
{
    struct load load = {0, 0};
    for (int i = 0; i < count; i++) {
        int64_t bytes = adaptive->bytes[hops[i]];
        load.most = MAX(load.most, bytes);
        load.sum += bytes;
    }
    return load;
}

static bool is_less(struct load one, struct load other)
{
    return one.most < other.most || (one.most == other.most && one.sum < other.sum);
}

/* The hops of the emptiest way; the first of those that are equally empty, counted from the static one. */
static void find_way(const struct adaptive *adaptive, const struct platform_route *route,
                     platform_hop *best)
{
    int count = route->middle_count, cores = count == MOST_MIDDLE ? adaptive->tree.cores : 1;
    memcpy(best, &route->hops[route->middle], (size_t)count * sizeof *best);
    struct load least = load_of(adaptive, best, count);
    for (int by = 0; by < adaptive->tree.spines && least.sum > 0; by++)
        for (int by_core = 0; by_core < cores && least.sum > 0; by_core++) {
            platform_hop hops[MOST_MIDDLE];
            platform_detour(adaptive->platform, route, by, by_core, hops);
            struct load load = load_of(adaptive, hops, count);
            if (!is_less(load, least))
                continue;
            least = load;
            memcpy(best, hops, sizeof hops);
        }
}

static const struct platform_route *
detour(struct adaptive *adaptive, const struct platform_route *route, const platform_hop *middle)
{
    struct detour *detour = pool_take(&adaptive->detours);
    memcpy(detour->hops, route->hops, route->count * sizeof *route->hops);
    memcpy(detour->lanes, route->lanes, route->count * sizeof *route->lanes);
    for (int i = 0; i < route->middle_count; i++) {
        detour->hops[route->middle + i] = middle[i];
        detour->lanes[route->middle + i] = platform_lane(adaptive->platform, middle[i]);
    }
    detour->route = *route;
    detour->route.is_detour = true;
    detour->route.hops = detour->hops;
    detour->route.lanes = detour->lanes;
    return &detour->route;
}

static void count(struct adaptive *adaptive, const struct platform_route *route, int64_t bytes)
{
    for (int i = 0; i < route->middle_count; i++)
        adaptive->bytes[route->hops[route->middle + i]] += bytes;
}

const struct platform_route *adaptive_enter(struct adaptive *adaptive,
                                            const struct platform_route *route, int64_t bytes)
{
    if (route->middle < 0)
        return route;
    platform_hop middle[MOST_MIDDLE];
    find_way(adaptive, route, middle);
    size_t middle_bytes = (size_t)route->middle_count * sizeof *middle;
    if (route->count <= MOST_HOPS && memcmp(middle, &route->hops[route->middle], middle_bytes) != 0)
        route = detour(adaptive, route, middle);
    count(adaptive, route, bytes);
    return route;
}

void adaptive_leave(struct adaptive *adaptive, const struct platform_route *route, int64_t bytes)
{
    if (route->middle < 0)
        return;
    count(adaptive, route, -bytes);
    if (route->is_detour)
        pool_give(&adaptive->detours, (void *)(uintptr_t)route);
}
