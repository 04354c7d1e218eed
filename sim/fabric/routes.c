/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts routes together, and keeps those that were asked for.
 *
 * In a fat tree the destination alone chooses the spine: the gateways are numbered over all leaves, and each takes the next
 * spine in turn, and after each round of spines the next core (D-mod-k of Zahavi et al., "Optimized InfiniBand fat-tree routing
 * for shift all-to-all communication patterns", 2010; as SimGrid's fat tree does it). tree_way derives the way from the
 * destination's number. In a dragonfly and in a hand-drawn network the destination likewise chooses among the ways with the
 * fewest cables. */
#include "fabric/routes.h"

#include <string.h>

#include "core/check.h"
#include "core/map.h"
#include "fabric/paths.h"

/* The hops between two leaves of a tree of three levels: fewer than a dragonfly's longest way has. */
#define TREE_MOST_HOPS 4
_Static_assert(TREE_MOST_HOPS <= DRAGONFLY_MOST_HOPS, "add_middle makes room for both");

/* A route that is kept, under a key that it holds itself. */
struct kept_route {
    struct platform_route route;
    uint64_t watch; /* the number of the last watcher that was told of it */
    platform_hop hops[];
};

struct routes {
    const struct layout *layout;
    struct paths *inside;  /* paths within a node */
    struct paths *network; /* in a hand-drawn network: between gateways, then switches; else NULL */
    int *nearest;          /* by port of a node: its gateway, -1 if there is none */
    struct map kept;       /* struct kept_route */
    GArray *hops;          /* the hops of the route that is being put together */
    int middle, middle_count;
    platform_told *told; /* NULL: no watcher */
    void *context;
    uint64_t watch; /* how many watchers there have been */
};

/* --- making ----------------------------------------------------------------------------------- */

/* The gateway with the fewest links to `slot`, of several the one with the smallest number. */
static int nearest_gateway(struct routes *routes, int slot)
{
    const struct layout *layout = routes->layout;
    int nearest = -1, fewest = INT_MAX;
    for (int i = 0; i < layout->gateway_count; i++) {
        int length = paths_length(routes->inside, slot, layout->gateways[i]);
        if (length < fewest) {
            fewest = length;
            nearest = i;
        }
    }
    return nearest;
}

/* The number of a gateway as an end of a hand-drawn cable. Gateways are numbered node after node, then switches. */
static int gateway_point(const struct layout *layout, int node, int gateway)
{
    return node * layout->gateway_count + gateway;
}

/* How many gateways come before the switches; 0 in a generated network. */
static int first_switch(const struct layout *layout)
{
    return layout->network.topology == NETWORK_DRAWN ? gateway_point(layout, layout->nodes, 0) : 0;
}

static int point_of(const struct layout *layout, int vertex)
{
    int node = vertex / layout->vertices, gateway = 0;
    if (node >= layout->nodes)
        return first_switch(layout) + vertex - layout->nodes * layout->vertices;
    while (layout->gateways[gateway] != vertex % layout->vertices)
        gateway++;
    return gateway_point(layout, node, gateway);
}

static struct paths *network_paths(const struct layout *layout)
{
    int cables = (int)layout->cables->len;
    g_autofree struct link_ends *ends = g_new(struct link_ends, (gsize)cables);
    for (int i = 0; i < cables; i++) {
        const struct link_ends *drawn = &g_array_index(layout->cable_ends, struct link_ends, i);
        ends[i] = (struct link_ends){point_of(layout, drawn->from), point_of(layout, drawn->to)};
    }
    int points = first_switch(layout) + (int)layout->switch_names->len;
    return paths_new(points, ends, cables, 0, 0);
}

struct routes *routes_new(const struct layout *layout)
{
    struct routes *routes = g_new0(struct routes, 1);
    routes->layout = layout;
    routes->inside = paths_new(layout->vertices, layout->node_ends, layout->node_link_count,
                               layout->first_end, layout->ports);
    if (layout->nodes > 1 && layout->network.topology == NETWORK_DRAWN)
        routes->network = network_paths(layout);
    routes->nearest = g_new(int, (gsize)layout->ports);
    for (int slot = 0; slot < layout->ports; slot++)
        routes->nearest[slot] = nearest_gateway(routes, slot);
    routes->hops = g_array_new(FALSE, FALSE, sizeof(platform_hop));
    return routes;
}

void routes_free(struct routes *routes)
{
    if (!routes)
        return;
    g_array_free(routes->hops, TRUE);
    map_clear_with(&routes->kept, g_free);
    g_free(routes->nearest);
    paths_free(routes->network);
    paths_free(routes->inside);
    g_free(routes);
}

/* --- the parts -------------------------------------------------------------------------------- */

static void add_inside(struct routes *routes, int node, int from_vertex, int to_vertex)
{
    paths_append(routes->inside, from_vertex, to_vertex,
                 (platform_hop)(2 * node * routes->layout->node_link_count), routes->hops);
}

/* Adds cable `number` of the network, along or against the direction in which it is drawn. */
static void add_cable(struct routes *routes, int number, int backwards)
{
    const struct layout *layout = routes->layout;
    platform_hop hop =
        2 * (layout->nodes * layout->node_link_count + number) + (platform_hop)backwards;
    g_array_append_val(routes->hops, hop);
}

/* Adds the cable between two nodes. Cables between every two nodes are drawn row after row, from the smaller number. */
static void add_direct(struct routes *routes, int from_node, int to_node)
{
    int low = MIN(from_node, to_node), high = MAX(from_node, to_node);
    int rows = low * routes->layout->nodes - low * (low + 1) / 2;
    add_cable(routes, rows + high - low - 1, from_node > to_node);
}

/* Whether a way between two leaves of a tree stays below the cores. */
static bool is_in_pod(const struct layout *layout, int from, int to)
{
    return layout->pods == 1 || from / layout->network.pod == to / layout->network.pod;
}

/* The first hop of the cables between switches. */
static platform_hop first_middle(const struct layout *layout)
{
    return 2 * (layout->nodes * layout->node_link_count + layout->leaf_cables);
}

/* The ways between two leaves of a tree, of which the route `number` takes its own. Cables are numbered as lay_out_fat_tree draws
 * them: from each leaf to its spines, then from each pod's spines to their cores. */
static struct tree_ways ways_between(const struct layout *layout, int from, int to, int number)
{
    int spines = (int)layout->network.uplinks, cores = (int)layout->network.pod_uplinks;
    int pod = (int)layout->network.pod;
    platform_hop first = first_middle(layout);
    struct tree_ways ways = {.spines = spines,
                             .cores = 1,
                             .spine = number % spines,
                             .hops = 2,
                             .up = first + 2 * from * spines,
                             .down = first + 2 * to * spines + 1};
    if (is_in_pod(layout, from, to))
        return ways;
    first += 2 * layout->leaves * spines;
    ways.cores = cores;
    ways.core = number / spines % cores;
    ways.hops = TREE_MOST_HOPS;
    ways.rise = first + 2 * (from / pod * spines * cores);
    ways.fall = first + 2 * (to / pod * spines * cores) + 1;
    return ways;
}

void routes_tree_way(const struct tree_ways *ways, int spine, int core, platform_hop *hops)
{
    int by_core = 2 * (spine * ways->cores + core);
    hops[0] = ways->up + 2 * spine;
    hops[1] = ways->rise + by_core;
    hops[ways->hops - 2] = ways->hops > 2 ? ways->fall + by_core : hops[0];
    hops[ways->hops - 1] = ways->down + 2 * spine;
}

/* Writes the way `number` between two points, leaves of a tree, or routers of a dragonfly. Returns how many hops it has. */
static int write_way(struct routes *routes, int from, int to, int number, platform_hop *hops)
{
    const struct layout *layout = routes->layout;
    platform_hop first = first_middle(layout);
    int count = 0;
    if (network_is_tree(layout->network.topology)) {
        struct tree_ways ways = ways_between(layout, from, to, number);
        routes_tree_way(&ways, ways.spine, ways.core, hops);
        return ways.hops;
    } else if (routes->network == NULL) {
        count = dragonfly_way(&layout->dragonfly, from, to, number, hops);
    } else {
        count = paths_length(routes->network, from, to);
        paths_write(routes->network, from, to, number, hops);
    }
    for (int i = 0; i < count; i++)
        hops[i] += first;
    return count;
}

/* Adds the hops for which there are alternative ways. The destination's number among all gateways chooses one. */
static void add_middle(struct routes *routes, int from, int to, int number)
{
    guint at = routes->hops->len;
    int most = DRAGONFLY_MOST_HOPS;
    if (from == to)
        return;
    if (routes->network != NULL)
        most = paths_length(routes->network, from, to);
    else if (!network_is_tree(routes->layout->network.topology))
        number %= dragonfly_ways(&routes->layout->dragonfly, from, to).shortest;
    g_array_set_size(routes->hops, at + (guint)most);
    int count = write_way(routes, from, to, number, &g_array_index(routes->hops, platform_hop, at));
    g_array_set_size(routes->hops, at + (guint)count);
    routes->middle = count <= PLATFORM_MOST_MIDDLE ? (int)at : -1;
    routes->middle_count = count;
}

/* The number of a gateway in the order of leaves, which chooses the way to it: with rails a leaf has one of each of its nodes. */
static int tree_number(const struct layout *layout, int node, int gateway)
{
    int radix = (int)layout->network.radix;
    return layout->network.topology == NETWORK_RAIL_TREE
               ? layout_leaf(layout, node, gateway) * radix + node % radix
               : gateway_point(layout, node, gateway);
}

static void add_network(struct routes *routes, int from_node, int gateway, int to_node,
                        int to_gateway)
{
    const struct layout *layout = routes->layout;
    int from = gateway_point(layout, from_node, gateway),
        to = gateway_point(layout, to_node, to_gateway);
    if (layout->network.topology == NETWORK_FULL) {
        add_direct(routes, from_node, to_node);
        return;
    }
    if (layout->network.topology == NETWORK_DRAWN) {
        add_middle(routes, from, to, to);
        return;
    }
    add_cable(routes, from, 0);
    if (network_has_leaves(layout->network.topology))
        add_middle(routes, layout_leaf(layout, from_node, gateway),
                   layout_leaf(layout, to_node, to_gateway),
                   tree_number(layout, to_node, to_gateway));
    add_cable(routes, to, 1);
}

/* --- other ways ------------------------------------------------------------------------------- */

/* The number of ways that are compared in a hand-drawn network; if there are fewer, some are compared again. */
#define DRAWN_WAYS 16

static int start_vertex(const struct layout *layout, platform_hop hop)
{
    struct link_ends ends = layout_link_ends(layout, (size_t)hop / 2);
    return hop % 2 ? ends.to : ends.from;
}

/* Finds the points at both ends of a route's middle; in a tree these are the leaves, which follow from the cables' numbers. */
static void find_points(const struct layout *layout, const struct platform_route *route, int *from,
                        int *to)
{
    const platform_hop *middle = &route->hops[route->middle];
    platform_hop last = middle[route->middle_count - 1];
    if (network_is_tree(layout->network.topology)) {
        *from = (middle[0] - first_middle(layout)) / 2 / (int)layout->network.uplinks;
        *to = (last - first_middle(layout)) / 2 / (int)layout->network.uplinks;
        return;
    }
    *from = point_of(layout, start_vertex(layout, middle[0]));
    *to = point_of(layout, start_vertex(layout, last ^ 1));
}

struct tree_ways routes_tree_ways(const struct routes *routes, const struct platform_route *route)
{
    const struct layout *layout = routes->layout;
    int from, to;
    find_points(layout, route, &from, &to);
    int end = route->hops[route->middle + route->middle_count] / 2 -
              layout->nodes * layout->node_link_count;
    return ways_between(
        layout, from, to,
        tree_number(layout, end / layout->gateway_count, end % layout->gateway_count));
}

struct platform_ways routes_ways(const struct routes *routes, const struct platform_route *route)
{
    const struct layout *layout = routes->layout;
    int from, to;
    if (route->middle < 0)
        return (struct platform_ways){1, 0};
    if (layout->network.topology == NETWORK_DRAWN)
        return (struct platform_ways){DRAWN_WAYS, 0};
    if (network_is_tree(layout->network.topology)) {
        struct tree_ways ways = routes_tree_ways(routes, route);
        return (struct platform_ways){ways.spines * ways.cores, 0};
    }
    find_points(layout, route, &from, &to);
    return dragonfly_ways(&layout->dragonfly, from, to);
}

int routes_way(struct routes *routes, const struct platform_route *route, int number,
               platform_hop hops[PLATFORM_MOST_MIDDLE])
{
    int64_t topology = routes->layout->network.topology;
    int from, to;
    if (network_is_tree(topology)) {
        struct tree_ways ways = routes_tree_ways(routes, route);
        routes_tree_way(&ways, (ways.spine + number / ways.cores) % ways.spines,
                        (ways.core + number) % ways.cores, hops);
        return ways.hops;
    }
    find_points(routes->layout, route, &from, &to);
    return write_way(routes, from, to, topology == NETWORK_DRAWN ? to + number : number, hops);
}

/* --- a route ---------------------------------------------------------------------------------- */

/* Sets the gateways that the caller leaves open (a route within a node then has none) and returns the route's key. */
static uint64_t settle(const struct routes *routes, int from, int *gateway, int *to_gateway, int to)
{
    const struct layout *layout = routes->layout;
    int slot = from % layout->ports, to_slot = to % layout->ports;
    int node = from / layout->ports, to_node = to / layout->ports;
    if (node != to_node) {
        if (*gateway < 0)
            *gateway = layout_cabled_gateway(layout, node, routes->nearest[slot]);
        if (*to_gateway < 0)
            *to_gateway = layout_cabled_gateway(
                layout, to_node,
                layout->gateways[routes->nearest[to_slot]] == to_slot ? routes->nearest[to_slot]
                                                                      : *gateway);
    }
    gint64 ports = (gint64)layout->nodes * layout->ports, gateways = layout->gateway_count + 1;
    return (uint64_t)(((from * gateways + *gateway + 1) * gateways + *to_gateway + 1) * ports + to);
}

static void put_together(struct routes *routes, int from, int gateway, int to_gateway, int to)
{
    const struct layout *layout = routes->layout;
    int ports = layout->ports, node = from / ports, to_node = to / ports;
    g_array_set_size(routes->hops, 0);
    routes->middle = -1;
    routes->middle_count = 0;
    if (node == to_node && (gateway < 0 || gateway != to_gateway)) {
        add_inside(routes, node, from % ports, to % ports);
    } else if (node == to_node) {
        add_inside(routes, node, from % ports, layout->gateways[gateway]);
        add_inside(routes, node, layout->gateways[gateway], to % ports);
    } else {
        add_inside(routes, node, from % ports, layout->gateways[gateway]);
        add_network(routes, node, gateway, to_node, to_gateway);
        add_inside(routes, to_node, layout->gateways[to_gateway], to % ports);
    }
}

void routes_complete(const struct routes *routes, struct platform_route *route)
{
    route->latency_ps = 0;
    route->bandwidth_Bps = INT64_MAX;
    for (size_t i = 0; i < route->count; i++) {
        const struct link_spec *link = layout_link(routes->layout, (size_t)route->hops[i] / 2);
        route->latency_ps += link->latency_ps;
        route->bandwidth_Bps = MIN(route->bandwidth_Bps, link->bandwidth_Bps);
    }
}

/* Keeps a copy of the route that was put together, with its rate and latency. */
static struct kept_route *keep(const struct routes *routes)
{
    size_t count = routes->hops->len, bytes = count * sizeof(platform_hop);
    struct kept_route *kept = g_malloc0(sizeof *kept + bytes);
    kept->route = (struct platform_route){.hops = kept->hops,
                                          .count = count,
                                          .middle = routes->middle,
                                          .middle_count = routes->middle_count};
    if (bytes > 0) /* GLib's empty arrays have no data */
        memcpy(kept->hops, routes->hops->data, bytes);
    routes_complete(routes, &kept->route);
    return kept;
}

static struct kept_route *look(struct routes *routes, int from, int gateway, int to_gateway, int to)
{
    const struct layout *layout = routes->layout;
    int ports = layout->nodes * layout->ports;
    check_always(from >= 0 && from < ports && to >= 0 && to < ports,
                 "no route from port %d to port %d of %d", from, to, ports);
    check_always(gateway >= -1 && to_gateway >= -1 && gateway < MAX(1, layout->gateway_count) &&
                     to_gateway < MAX(1, layout->gateway_count),
                 "no route by gateways %d and %d of %d", gateway, to_gateway,
                 layout->gateway_count);
    uint64_t key = settle(routes, from, &gateway, &to_gateway, to);
    void **place = &map_at(&routes->kept, key)->pointer;
    if (*place == NULL) {
        put_together(routes, from, gateway, to_gateway, to);
        *place = keep(routes);
    }
    return *place;
}

const struct platform_route *routes_look(struct routes *routes, int from, int gateway,
                                         int to_gateway, int to)
{
    return &look(routes, from, gateway, to_gateway, to)->route;
}

const struct platform_route *routes_get(struct routes *routes, int from, int gateway,
                                        int to_gateway, int to)
{
    struct kept_route *kept = look(routes, from, gateway, to_gateway, to);
    if (kept->watch != routes->watch) {
        kept->watch = routes->watch;
        if (routes->told != NULL)
            routes->told(routes->context, &kept->route);
    }
    return &kept->route;
}

void routes_watch(struct routes *routes, platform_told *told, void *context)
{
    routes->told = told;
    routes->context = context;
    routes->watch++;
}
