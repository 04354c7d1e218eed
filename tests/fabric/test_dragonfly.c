/* SPDX-License-Identifier: BSD-3-Clause */
/* Dragonflies: cables and routes follow from formulas; one published tapered network is built; static and adaptive routing
 * are compared where groups collide. Nodes have one port; cables have 10 GB/s and 100 ns. */
#include "core/rng.h"
#include "fabric/layout.h"
#include "fabric/routes.h"
#include "fabric_test.h"

/* 9 groups of 4 routers with 2 nodes and 2 global cables each: one cable between every two groups, none left over. */
enum { RADIX = 2, POD = 4, UPLINKS = 2, GROUPS = 9, GROUP_NODES = RADIX * POD, NODES = 72 };

#define CABLE_PS (100 * PS_PER_NS)
#define CABLE_Bps (10 * GBps)
#define BYTES (1 << 20)

static struct platform_spec dragonfly(int64_t nodes, enum network_routing routing)
{
    static const char *const nic = "nic0";
    return (struct platform_spec){
        .name = "dragonfly",
        .nodes = nodes,
        .node = {.ports = &nic, .port_count = 1, .gateways = &nic, .gateway_count = 1},
        .network = {.topology = NETWORK_DRAGONFLY,
                    .wire.latency_ps = CABLE_PS,
                    .wire.rate_Bps = CABLE_Bps,
                    .radix = RADIX,
                    .uplinks = UPLINKS,
                    .pod = POD,
                    .routing = routing}};
}

/* --- cables ----------------------------------------------------------------------------------- */

/* 72 cables of nodes, 9 x 6 within groups, 36 between them; each router has two of these. */
static void cables(void)
{
    struct platform_spec spec = dragonfly(NODES, ROUTING_STATIC);
    struct platform *platform = get_platform(&spec);
    struct dragonfly numbers = dragonfly_of(&spec.network, NODES);
    int ends[GROUPS * POD] = {0};
    g_assert_cmpint(numbers.groups, ==, GROUPS);
    g_assert_cmpint(numbers.copies, ==, 1);
    g_assert_cmpuint(platform_link_count(platform), ==, 72 + 54 + 36);
    for (int group = 0; group < GROUPS; group++)
        for (int other = 0; other < GROUPS; other++)
            if (other != group)
                ends[dragonfly_exit(&numbers, group, other, 0)]++;
    for (int router = 0; router < GROUPS * POD; router++)
        g_assert_cmpint(ends[router], ==, UPLINKS);
}

/* Frontier: a group is a cabinet of 128 nodes of four NICs on 32 switches, and 74 such groups have four cables to each other one. What
 * leaves a group is 58.4 of the 102.4 Tbit/s that its NICs send, at 200 Gbit/s a cable (glennklockwood.com/garden/systems/frontier, from
 * HPE's and ORNL's talks). Ten of a switch's 16 ports for other groups are in use. */
static void taper_of_frontier(void)
{
    const struct network_spec network = {.radix = 4, .pod = 32, .uplinks = 10};
    struct dragonfly numbers = dragonfly_of(&network, INT64_C(74) * 128);
    g_assert_cmpint(numbers.groups, ==, 74);
    g_assert_cmpint(numbers.routers, ==, 32);
    g_assert_cmpint(numbers.copies, ==, 4);
    int leaving_Gbps = 200 * (numbers.groups - 1) * numbers.copies, sent_Gbps = 200 * 128 * 4;
    g_assert_cmpint(leaving_Gbps, ==, 58400);
    g_assert_cmpint(sent_Gbps, ==, 102400);
    g_assert_cmpint(dragonfly_global_count(&numbers), ==, INT64_C(74) * 73 / 2 * 4);
}

/* --- ways ------------------------------------------------------------------------------------- */

static int end_of(const struct layout *layout, platform_hop hop, bool is_start)
{
    struct link_ends ends = layout_link_ends(layout, (size_t)hop / 2);
    return (hop % 2 == 1) == is_start ? ends.to : ends.from;
}

/* Each hop begins where the one before ended, and no vertex comes twice but between routers of one way over a third group. */
static void check_walk(const struct layout *layout, const platform_hop *hops, int count, int from,
                       int to)
{
    int at = from;
    for (int i = 0; i < count; i++) {
        g_assert_cmpint(end_of(layout, hops[i], true), ==, at);
        at = end_of(layout, hops[i], false);
    }
    g_assert_cmpint(at, ==, to);
}

static void check_ways(const struct layout *layout, struct routes *routes,
                       const struct platform_route *route)
{
    struct platform_ways ways = routes_ways(routes, route);
    if (route->middle < 0)
        return;
    const platform_hop *own = &route->hops[route->middle];
    int from = end_of(layout, own[0], true),
        to = end_of(layout, own[route->middle_count - 1], false);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int number = 0; number < ways.shortest + ways.longer; number++) {
        platform_hop hops[PLATFORM_MOST_MIDDLE];
        int count = routes_way(routes, route, number, hops);
        check_walk(layout, hops, count, from, to);
        g_assert_cmpint(count, <=, number < ways.shortest ? 3 : DRAGONFLY_MOST_HOPS);
        GString *text = g_string_new(NULL);
        for (int i = 0; i < count; i++)
            g_string_append_printf(text, "%d ", hops[i]);
        g_assert_true(g_hash_table_add(seen, g_string_free(text, FALSE)));
    }
}

/* Two cables at a router, three in a group, else three to five; every way is one, and no two are the same. With a last group
 * that is not full, with several cables between groups, with one group, and with rails. */
static void ways_are_walks(void)
{
    static const char *const nics[] = {"nic0", "nic1"};
    static const struct node_link inside = {"nic0", "nic1", {"i", 1, GBps, false}};
    static const struct {
        int nodes, pod, uplinks, rails;
    } shapes[] = {{72, 4, 2, 1}, {29, 4, 3, 1}, {24, 3, 4, 2}, {10, 0, 1, 1}, {8, 1, 5, 2}};
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        struct platform_spec spec = dragonfly(shapes[i].nodes, ROUTING_STATIC);
        spec.network.pod = shapes[i].pod;
        spec.network.uplinks = shapes[i].uplinks;
        if (shapes[i].rails == 2)
            spec.node = (struct node_graph){nics, 2, NULL, 0, &inside, 1, nics, 2, 0};
        struct layout *layout = layout_new(&spec, NULL);
        struct routes *routes = routes_new(layout);
        int rails = shapes[i].rails, ports = shapes[i].nodes * rails;
        int pod = shapes[i].pod > 0 ? shapes[i].pod : ports;
        for (int from = 0; from < ports; from++)
            for (int to = 0; to < ports; to++) {
                int router = from / rails / RADIX, other = to / rails / RADIX;
                if (from / rails == to / rails)
                    continue;
                const struct platform_route *route = routes_look(routes, from, -1, -1, to);
                check_walk(layout, route->hops, (int)route->count, layout_port_vertex(layout, from),
                           layout_port_vertex(layout, to));
                g_assert_cmpuint(route->count, >=, 2 + (router != other));
                g_assert_cmpuint(route->count, <=,
                                 router == other               ? 2
                                 : router / pod == other / pod ? 3
                                                               : 5);
                check_ways(layout, routes, route);
            }
        routes_free(routes);
        layout_free(layout);
    }
}

/* --- adaptive and static ---------------------------------------------------------------------- */

enum { ALL_TO_NEXT_GROUP, RANDOM, KINDS = 12 };

/* When the last of a permutation's transfers has arrived, by routing; in memory that the children share. */
static sim_time (*last_ps)[KINDS];

static int partner(int kind, struct rng *rng, int *to, int i)
{
    if (kind == ALL_TO_NEXT_GROUP)
        return (i + GROUP_NODES) % NODES;
    int other = (int)rng_below(rng, (uint64_t)i + 1), own = to[other];
    to[other] = i;
    return own;
}

static sim_time run_kind(struct platform *platform, int kind)
{
    struct rng rng;
    struct trip trips[NODES];
    int to[NODES];
    sim_time last = 0;
    rng_init(&rng, (uint64_t)kind, "permutation");
    for (int i = 0; i < NODES; i++) {
        to[i] = i;
        to[i] = partner(kind, &rng, to, i);
    }
    for (int i = 0; i < NODES; i++)
        trips[i] = (struct trip){i, to[i], BYTES, 0, 0, 0};
    run_trips(platform, &by_segment, trips, NODES);
    for (int i = 0; i < NODES; i++)
        last = MAX(last, trips[i].end_ps);
    return last;
}

static void run_kinds(enum network_routing routing)
{
    struct platform_spec spec = dragonfly(NODES, routing);
    struct platform *platform = get_platform(&spec);
    for (int kind = 0; kind < KINDS; kind++) {
        last_ps[routing][kind] = run_kind(platform, kind);
        g_assert_cmpint(run_kind(platform, kind), ==, last_ps[routing][kind]);
    }
}

static void run_static(void)
{
    run_kinds(ROUTING_STATIC);
}

static void run_adaptive(void)
{
    run_kinds(ROUTING_ADAPTIVE);
}

/* All eight nodes of a group send to the next one over the one cable there: eight times a transfer's time. Over other groups
 * there are seven more cables, each of which carries another group's detour, too: at best twice a transfer's time. Of random
 * permutations none gets slower by more than the two cables by which a detour is longer, since a way is left for an emptier one only. */
static void adaptive_and_static(void)
{
    sim_time transfer = transfer_ps(BYTES, CABLE_Bps);
    last_ps = shared_memory(2 * sizeof *last_ps);
    run_in_child((gconstpointer)(uintptr_t)run_static);
    run_in_child((gconstpointer)(uintptr_t)run_adaptive);
    for (int kind = 0; kind < KINDS; kind++) {
        sim_time fixed = last_ps[ROUTING_STATIC][kind], adaptive = last_ps[ROUTING_ADAPTIVE][kind];
        g_test_message("permutation %d: static %.2f, adaptive %.2f times a transfer", kind,
                       (double)fixed / (double)transfer, (double)adaptive / (double)transfer);
        g_assert_cmpint(adaptive, <=, fixed + 2 * CABLE_PS);
    }
    sim_time fixed = last_ps[ROUTING_STATIC][ALL_TO_NEXT_GROUP];
    g_assert_cmpint(fixed, >=, 8 * transfer);
    g_assert_cmpint(fixed, <=, 8 * transfer + 5 * CABLE_PS + transfer / 50);
    g_assert_cmpint(last_ps[ROUTING_ADAPTIVE][ALL_TO_NEXT_GROUP], <=, 4 * transfer + 7 * CABLE_PS);
    g_assert_cmpint(last_ps[ROUTING_ADAPTIVE][ALL_TO_NEXT_GROUP], >=, 2 * transfer);
}

/* A lone transfer stays on the fewest cables, by either routing. */
static void lone_transfer(void)
{
    struct platform_spec spec = dragonfly(NODES, ROUTING_ADAPTIVE);
    struct platform *platform = get_platform(&spec);
    for (int to = 1; to < NODES; to++) {
        struct trip trip = {0, to, BYTES, 0, 0, 0};
        run_trips(platform, &by_segment, &trip, 1);
        assert_within(trip.end_ps,
                      platform_route(platform, 0, to)->latency_ps + transfer_ps(BYTES, CABLE_Bps),
                      6);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/dragonfly/cables", cables);
    g_test_add_func("/dragonfly/taper-of-frontier", taper_of_frontier);
    g_test_add_func("/dragonfly/ways-are-walks", ways_are_walks);
    add_test("/dragonfly/lone-transfer", lone_transfer);
    g_test_add_func("/dragonfly/adaptive-and-static", adaptive_and_static);
    return g_test_run();
}
