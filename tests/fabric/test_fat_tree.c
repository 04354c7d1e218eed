/* SPDX-License-Identifier: BSD-3-Clause */
/* Fat trees of three levels, and adaptive routing: which ways routes take, and how long permutations take by
 * either routing. Nodes of one port, cables of 10 GB/s and 100 ns. */
#include "../run_until.h"
#include "core/rng.h"
#include "fabric/adaptive.h"
#include "fabric/paths.h"
#include "fabric/platform_private.h"
#include "fabric_test.h"

enum { RADIX = 4, UPLINKS = 4, POD = 4, POD_UPLINKS = 4, NODES = 64 };

#define CABLE_PS (100 * PS_PER_NS)
#define CABLE_Bps (10 * GBps)
#define BYTES (1 << 20)

static struct platform_spec tree(int64_t nodes, enum network_routing routing)
{
    static const char *const nic = "nic0";
    return (struct platform_spec){
        .name = "tree",
        .nodes = nodes,
        .node = {.ports = &nic, .port_count = 1, .gateways = &nic, .gateway_count = 1},
        .network = {.topology = NETWORK_FAT_TREE,
                    .wire.latency_ps = CABLE_PS,
                    .wire.rate_Bps = CABLE_Bps,
                    .radix = RADIX,
                    .uplinks = UPLINKS,
                    .pod = POD,
                    .pod_uplinks = POD_UPLINKS,
                    .routing = routing}};
}

/* --- three levels ----------------------------------------------------------------------------- */

/* 64 nodes: 16 leaves in 4 pods. Cables: 64, 16 x 4 to spines, 4 x 4 x 4 to cores. Two hops at a leaf, four in a
 * pod, six else; the way back has the same cables in number. */
static void three_levels(void)
{
    struct platform_spec spec = tree(NODES, ROUTING_STATIC);
    struct platform *platform = get_platform(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 64 + 64 + 64);
    for (int from = 0; from < NODES; from++)
        for (int to = 0; to < NODES; to++) {
            const struct platform_route *route = platform_route(platform, from, to);
            size_t hops = from == to                               ? 0
                          : from / RADIX == to / RADIX             ? 2
                          : from / RADIX / POD == to / RADIX / POD ? 4
                                                                   : 6;
            g_assert_cmpuint(route->count, ==, hops);
            g_assert_cmpint(route->latency_ps, ==, (sim_time)hops * CABLE_PS);
        }
}

/* With fewer leaves than a pod takes there are two levels, with the cables of such. */
static void one_pod(void)
{
    struct platform_spec spec = tree(RADIX * POD, ROUTING_STATIC);
    struct platform *platform = get_platform(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 16 + 16);
    g_assert_cmpuint(platform_route(platform, 0, 15)->count, ==, 4);
}

/* Each cable of a route begins where the one before ended: the text of the platform names both ends. */
static void routes_are_ways(void)
{
    struct platform_spec spec = tree(NODES, ROUTING_STATIC);
    struct platform *platform = get_platform(&spec);
    const struct platform_route *route = platform_route(platform, 1, 62);
    static const char *const names[] = {"cable-node1",
                                        "cable-leaf0-spine2",
                                        "cable-pod0-spine2-core3",
                                        "cable-pod3-spine2-core3",
                                        "cable-leaf15-spine2",
                                        "cable-node62"};
    for (size_t i = 0; i < route->count; i++) {
        g_assert_cmpstr(platform_link(platform, (size_t)route->hops[i] / 2)->name, ==, names[i]);
        g_assert_cmpint(route->hops[i] % 2, ==, i >= 3);
    }
}

/* Any other way has other cables between the same switches, and all of them are different. */
static void detours(void)
{
    struct platform_spec spec = tree(NODES, ROUTING_STATIC);
    struct platform *platform = get_platform(&spec);
    const struct platform_route *route = platform_route(platform, 1, 62);
    struct platform_ways ways = routes_ways(platform->routes, route);
    g_assert_cmpint(ways.shortest, ==, UPLINKS * POD_UPLINKS);
    g_assert_cmpint(ways.longer, ==, 0);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_direct_hash, g_direct_equal);
    for (int by = 0; by < UPLINKS; by++)
        for (int by_core = 0; by_core < POD_UPLINKS; by_core++) {
            platform_hop hops[PLATFORM_MOST_MIDDLE];
            g_assert_cmpint(routes_way(platform->routes, route, by * POD_UPLINKS + by_core, hops),
                            ==, 4);
            char expected[4][32];
            int spine = (2 + by) % UPLINKS, core = (3 + by_core) % POD_UPLINKS;
            snprintf(expected[0], 32, "cable-leaf0-spine%d", spine);
            snprintf(expected[1], 32, "cable-pod0-spine%d-core%d", spine, core);
            snprintf(expected[2], 32, "cable-pod3-spine%d-core%d", spine, core);
            snprintf(expected[3], 32, "cable-leaf15-spine%d", spine);
            for (int i = 0; i < 4; i++)
                g_assert_cmpstr(platform_link(platform, (size_t)hops[i] / 2)->name, ==,
                                expected[i]);
            g_assert_true(g_hash_table_add(seen, GINT_TO_POINTER(hops[1])));
        }
    g_assert_cmpuint(g_hash_table_size(seen), ==, UPLINKS * POD_UPLINKS);
}

/* --- by number, and by search ------------------------------------------------------------------- */

/* A graph of a tree's switches and the cables between them: nothing in it but what was drawn. */
static struct paths *drawn_paths(const struct layout *layout)
{
    int first = layout->leaf_cables, cables = (int)layout->cables->len - first;
    int nodes = layout->nodes * layout->vertices;
    g_autofree struct link_ends *ends = g_new(struct link_ends, (gsize)cables);
    for (int i = 0; i < cables; i++) {
        ends[i] = g_array_index(layout->cable_ends, struct link_ends, first + i);
        ends[i].from -= nodes, ends[i].to -= nodes;
    }
    return paths_new((int)layout->switch_names->len, ends, cables, 0, 0);
}

static void check_hops(struct paths *paths, const struct layout *layout, const int leaves[2],
                       int number, const platform_hop *hops, int count)
{
    platform_hop searched[PLATFORM_MOST_MIDDLE];
    int first = 2 * (layout->nodes * layout->node_link_count + layout->leaf_cables);
    g_assert_cmpint(count, ==, paths_length(paths, leaves[0], leaves[1]));
    paths_write(paths, leaves[0], leaves[1], number, searched);
    for (int i = 0; i < count; i++)
        g_assert_cmpint(hops[i], ==, searched[i] + first);
}

/* The static way of a route and all others, as the search through the switches numbers them. */
static void check_route(const struct platform *platform, struct paths *paths, const int leaves[2],
                        const struct platform_route *route, int to)
{
    const struct layout *layout = platform->layout;
    struct platform_ways ways = routes_ways(platform->routes, route);
    int spines = (int)layout->network.uplinks, cores = ways.shortest / spines;
    check_hops(paths, layout, leaves, to, &route->hops[route->middle], route->middle_count);
    for (int number = 0; number < ways.shortest; number++) {
        platform_hop hops[PLATFORM_MOST_MIDDLE];
        int count = routes_way(platform->routes, route, number, hops);
        int spine = (to + number / cores) % spines, core = (to / spines + number) % cores;
        check_hops(paths, layout, leaves, spine + core * spines, hops, count);
    }
}

/* Between all leaves of a tree whose sizes have no common divisor. */
static void check_tree(enum network_topology topology, int gateways, int64_t pod)
{
    static const char *const nics[] = {"nic0", "nic1"};
    static const struct node_link between = {"nic0", "nic1", {"bus", 0, GBps, false}};
    struct platform_spec spec = tree(14, ROUTING_STATIC);
    spec.node.links = &between;
    spec.node.link_count = (size_t)gateways - 1;
    spec.node.ports = spec.node.gateways = nics;
    spec.node.port_count = spec.node.gateway_count = (size_t)gateways;
    spec.network.topology = topology;
    spec.network.radix = 2;
    spec.network.uplinks = 3;
    spec.network.pod = pod;
    spec.network.pod_uplinks = 5;
    struct platform *platform = get_platform(&spec);
    struct paths *paths = drawn_paths(platform->layout);
    int ports = 14 * gateways;
    for (int i = 0; i < ports * ports; i++) {
        int from = i / ports, to = i % ports, by = from % gateways, to_by = to % gateways;
        int leaves[] = {layout_leaf(platform->layout, from / gateways, by),
                        layout_leaf(platform->layout, to / gateways, to_by)};
        int number = topology == NETWORK_RAIL_TREE ? 2 * leaves[1] + to / gateways % 2 : to;
        if (from / gateways != to / gateways && leaves[0] != leaves[1])
            check_route(platform, paths, leaves, platform_route_via(platform, from, by, to_by, to),
                        number);
    }
    paths_free(paths);
}

/* The last pod is not full. */
static void ways_as_searched(void)
{
    check_tree(NETWORK_FAT_TREE, 1, 2);
}

static void ways_of_rails(void)
{
    check_tree(NETWORK_RAIL_TREE, 2, 2);
}

static void ways_of_one_pod(void)
{
    check_tree(NETWORK_FAT_TREE, 1, 0);
}

/* Destinations at a leaf that come from one leaf each have a spine of their own, those of a pod a core: shifts by whole
 * leaves meet nowhere, and take as long as a lone transfer. */
static void shifts_meet_nowhere(void)
{
    struct platform_spec spec = tree(NODES, ROUTING_STATIC);
    struct platform *platform = get_platform(&spec);
    struct trip trips[NODES];
    for (int shift = RADIX; shift < NODES; shift += RADIX) {
        for (int i = 0; i < NODES; i++)
            trips[i] = (struct trip){i, (i + shift) % NODES, BYTES, 0, 0, 0};
        run_trips(platform, &by_segment, trips, NODES);
        for (int i = 0; i < NODES; i++) {
            sim_time latency_ps = platform_route(platform, i, trips[i].to)->latency_ps;
            assert_within(trips[i].end_ps, latency_ps + transfer_ps(BYTES, CABLE_Bps), 6);
        }
    }
}

/* --- adaptive and static ---------------------------------------------------------------------- */

/* When the last of a permutation's transfers has arrived, by either routing and either transport; in
 * memory that the children share. */
struct outcome {
    sim_time last_ps[2][2];
    struct trip again[NODES];
};

static void permute(int kind, int *to)
{
    struct rng rng;
    rng_init(&rng, (uint64_t)kind, "permutation");
    for (int i = 0; i < NODES; i++)
        to[i] = kind == 0   ? i % RADIX * (NODES / RADIX) + i / RADIX /* a leaf's go to one spine */
                : kind == 1 ? (i + RADIX) % NODES
                : kind == 2 ? (i + NODES / 2) % NODES
                : kind == 3 ? NODES - 1 - i
                            : i;
    for (int i = NODES - 1; i > 0 && kind > 3; i--) {
        int other = (int)rng_below(&rng, (uint64_t)i + 1), own = to[i];
        to[i] = to[other];
        to[other] = own;
    }
}

enum { KINDS = 24 };

static sim_time run_permutation(struct platform *platform, const struct transport_spec *by,
                                int kind, struct trip *trips)
{
    sim_time last_ps = 0;
    int to[NODES];
    permute(kind, to);
    for (int i = 0; i < NODES; i++)
        trips[i] = (struct trip){i, to[i], BYTES, 0, 0, 0};
    run_trips(platform, by, trips, NODES);
    for (int i = 0; i < NODES; i++)
        last_ps = MAX(last_ps, trips[i].end_ps);
    return last_ps;
}

static struct outcome *outcomes;

static void run_permutations(enum network_routing routing)
{
    const struct transport_spec *transports[] = {&by_flow, &by_segment};
    struct platform_spec spec = tree(NODES, routing);
    struct platform *platform = get_platform(&spec);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < 2; i++) {
            struct trip trips[NODES], again[NODES];
            sim_time last_ps = run_permutation(platform, transports[i], kind, trips);
            outcomes[kind].last_ps[routing][i] = last_ps;
            assert_within(run_permutation(platform, transports[i], kind, again), last_ps, 1 - i);
            for (int j = 0; j < NODES && i == 1;
                 j++) /* flow's clock goes on and rounds otherwise */
                g_assert_true(trips[j].end_ps == again[j].end_ps &&
                              trips[j].place == again[j].place);
        }
}

static void run_static(void)
{
    run_permutations(ROUTING_STATIC);
}

static void run_adaptive(void)
{
    run_permutations(ROUTING_ADAPTIVE);
}

/* Adaptive routing is never slower than static routing, and equal where that collides nowhere; the transpose, whose four
 * transfers of a leaf all take one spine by static routing, becomes faster. A picosecond is flow's rounding. */
static void adaptive_and_static(void)
{
    outcomes = shared_memory(KINDS * sizeof *outcomes);
    run_in_child((gconstpointer)(uintptr_t)run_static);
    run_in_child((gconstpointer)(uintptr_t)run_adaptive);
    int faster = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < 2; i++) {
            sim_time static_ps = outcomes[kind].last_ps[ROUTING_STATIC][i];
            sim_time adaptive_ps = outcomes[kind].last_ps[ROUTING_ADAPTIVE][i];
            g_test_message("permutation %d by %s: static %.1f us, adaptive %.1f us", kind,
                           i ? "segment" : "flow", (double)static_ps / (double)PS_PER_US,
                           (double)adaptive_ps / (double)PS_PER_US);
            g_assert_cmpint(adaptive_ps, <=, static_ps + 1);
            if (static_ps <= 6 * CABLE_PS + transfer_ps(BYTES, CABLE_Bps) + 6)
                assert_within(adaptive_ps, static_ps, 1);
            faster += adaptive_ps < static_ps * 3 / 4;
        }
    g_assert_cmpint(outcomes[0].last_ps[ROUTING_STATIC][0], >, 3 * transfer_ps(BYTES, CABLE_Bps));
    g_assert_cmpint(outcomes[0].last_ps[ROUTING_ADAPTIVE][0], <=,
                    6 * CABLE_PS + 2 * transfer_ps(BYTES, CABLE_Bps));
    g_assert_cmpint(faster, >, 0);
}

/* --- the emptiest way --------------------------------------------------------------------------- */

/* Bytes under way, by hop, as the test counts them. */
static void count_bytes(int64_t *bytes, const struct platform_route *route, int64_t more)
{
    for (int i = 0; i < route->middle_count; i++)
        bytes[route->hops[route->middle + i]] += more;
}

/* Of a way the bytes on its fullest cable, and on all. */
static void weigh_way(const int64_t *bytes, const platform_hop *hops, int count, int64_t weight[2])
{
    weight[0] = weight[1] = 0;
    for (int i = 0; i < count; i++) {
        weight[0] = MAX(weight[0], bytes[hops[i]]);
        weight[1] += bytes[hops[i]];
    }
}

/* The way that is found when every one is looked at: the static one, or the first of those that are emptier. */
static void look_at_all(const struct platform *platform, const struct platform_route *route,
                        const int64_t *bytes, platform_hop best[PLATFORM_MOST_MIDDLE])
{
    int64_t least[2], weight[2];
    int count = route->middle_count, ways = routes_ways(platform->routes, route).shortest;
    memcpy(best, &route->hops[route->middle], (size_t)count * sizeof *best);
    weigh_way(bytes, best, count, least);
    for (int number = 0; number < ways; number++) {
        platform_hop hops[PLATFORM_MOST_MIDDLE];
        routes_way(platform->routes, route, number, hops);
        weigh_way(bytes, hops, count, weight);
        if (weight[0] < least[0] || (weight[0] == least[0] && weight[1] < least[1])) {
            memcpy(best, hops, (size_t)count * sizeof *best);
            memcpy(least, weight, sizeof least);
        }
    }
}

enum { TRANSFERS = 4000, UNDER_WAY = 300 };

/* Transfers of few sizes, so that many ways are equally full, come and go in a network that is full. */
static void emptiest_way(void)
{
    struct platform_spec spec = tree(NODES, ROUTING_ADAPTIVE);
    struct platform *platform = get_platform(&spec);
    struct adaptive *adaptive = adaptive_new(platform);
    const struct platform_route *routes[UNDER_WAY] = {NULL};
    int64_t sizes[UNDER_WAY];
    g_autofree int64_t *bytes = g_new0(int64_t, 2 * platform_link_count(platform));
    struct rng rng;
    int detours = 0;
    rng_init(&rng, 1, "transfers");
    for (int i = 0; i < TRANSFERS; i++) {
        int place = (int)rng_below(&rng, UNDER_WAY), from = (int)rng_below(&rng, NODES);
        int to = (from + RADIX + (int)rng_below(&rng, NODES - 2 * RADIX)) % NODES;
        platform_hop best[PLATFORM_MOST_MIDDLE];
        if (routes[place] != NULL) {
            count_bytes(bytes, routes[place], -sizes[place]);
            adaptive_leave(adaptive, routes[place], sizes[place]);
        }
        const struct platform_route *own = platform_route(platform, from, to), *taken;
        look_at_all(platform, own, bytes, best);
        sizes[place] = 1000 * (1 + (int64_t)rng_below(&rng, 3));
        taken = routes[place] = adaptive_enter(adaptive, own, sizes[place]);
        count_bytes(bytes, taken, sizes[place]);
        g_assert_cmpint(taken->middle_count, ==, own->middle_count);
        for (int j = 0; j < own->middle_count; j++)
            g_assert_cmpint(taken->hops[taken->middle + j], ==, best[j]);
        detours += taken != own;
    }
    g_assert_cmpint(detours, >, TRANSFERS / 4);
    g_assert_cmpint(detours, <, TRANSFERS);
    adaptive_free(adaptive);
}

/* Transfers that drop out in mid-way leave nothing behind. */
static void freed_in_mid_way(void)
{
    struct platform_spec spec = tree(NODES, ROUTING_ADAPTIVE);
    struct platform *platform = get_platform(&spec);
    struct sim *sim = sim_new(1);
    struct transport *transport = transport_new(sim, platform, &by_segment);
    struct trip trip = {0, 63, BYTES, 0, -1, 0};
    int places = 0;
    struct trip_at_work work = {sim, transport, &trip, &places, NULL};
    for (int i = 0; i < 3; i++)
        transport_send_via(transport, i, -1, -1, 60, BYTES,
                           &(struct transport_calls){.done = trip_ended, .argument = &work});
    run_until(sim->events, PS_PER_US);
    transport_free(transport);
    sim_free(sim);
    g_assert_cmpint(trip.end_ps, ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/fat-tree/three-levels", three_levels);
    add_test("/fat-tree/one-pod", one_pod);
    add_test("/fat-tree/routes-are-ways", routes_are_ways);
    add_test("/fat-tree/detours", detours);
    add_test("/fat-tree/ways-as-searched", ways_as_searched);
    add_test("/fat-tree/ways-of-rails", ways_of_rails);
    add_test("/fat-tree/ways-of-one-pod", ways_of_one_pod);
    add_test("/fat-tree/emptiest-way", emptiest_way);
    add_test("/fat-tree/shifts-meet-nowhere", shifts_meet_nowhere);
    add_test("/fat-tree/freed-in-mid-way", freed_in_mid_way);
    g_test_add_func("/fat-tree/adaptive-and-static", adaptive_and_static);
    return g_test_run();
}
