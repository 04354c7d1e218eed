/* SPDX-License-Identifier: BSD-3-Clause */
/* Our routes against those of SimGrid's own zones, on small machines of every topology: link by
 * link, between all ports, each passed in the direction that leads on.
 *
 * Where several paths have the fewest links the two may differ, so these machines have one way only,
 * but for the fat tree, where the destination's choice of the spine must be the same. */
#include "fabric/routes.h"
#include "fabric_test.h"
#include "simgrid_zones.h"

enum { MOST_HOPS = 32 };

/* A server as in test_platform.c, and two sockets as in an AC922, of which one NIC is the gateway. */
static const struct node_link server_links[] = {
    {"cpu0", "root0", {"pcie-cpu0", 1, GBps, false}},
    {"gpu0", "root0", {"pcie-gpu0", 1, GBps, false}},
    {"root0", "nic0", {"pcie-nic0", 1, GBps, false}},
    {"gpu0", "nic0", {"direct", 1, GBps, false}},
};
static const char *const server_ports[] = {"cpu0", "gpu0", "nic0"}, *const root = "root0";
static const struct node_graph server = {server_ports,     3, &root, 1, server_links, 4,
                                         &server_ports[2], 1, 0};

static const struct node_link socket_links[] = {
    {"gpu0", "cpu0", {"a", 1, GBps, false}}, {"gpu1", "cpu0", {"b", 1, GBps, false}},
    {"gpu0", "gpu1", {"c", 1, GBps, false}}, {"gpu2", "cpu1", {"d", 1, GBps, false}},
    {"gpu3", "cpu1", {"e", 1, GBps, false}}, {"gpu2", "gpu3", {"f", 1, GBps, false}},
    {"cpu1", "cpu0", {"g", 1, GBps, false}}, {"cpu0", "nic0", {"h", 1, GBps, false}},
    {"cpu1", "nic1", {"i", 1, GBps, false}},
};
static const char *const socket_ports[] = {"cpu0", "cpu1", "gpu0", "gpu1",
                                           "gpu2", "gpu3", "nic0", "nic1"};
static const struct node_graph two_sockets = {socket_ports,     8, NULL, 0, socket_links, 9,
                                              &socket_ports[6], 1, 0};

static struct platform_spec spec_of(const struct node_graph *node, int64_t nodes,
                                    enum network_topology topology)
{
    return (struct platform_spec){.name = "zones",
                                  .nodes = nodes,
                                  .node = *node,
                                  .network = {.topology = topology,
                                              .wire.latency_ps = 1,
                                              .wire.rate_Bps = GBps,
                                              .radix = 4,
                                              .uplinks = 3}};
}

/* Our route leads hop by hop from the one port to the other. */
static void check_walk(const struct layout *layout, const struct platform_route *route, int from,
                       int to)
{
    int vertex = layout_port_vertex(layout, from);
    for (size_t i = 0; i < route->count; i++) {
        struct link_ends ends = layout_link_ends(layout, (size_t)route->hops[i] / 2);
        bool backwards = route->hops[i] % 2;
        g_assert_cmpint(backwards ? ends.to : ends.from, ==, vertex);
        vertex = backwards ? ends.from : ends.to;
    }
    g_assert_cmpint(vertex, ==, layout_port_vertex(layout, to));
}

static void check_route(const struct platform_route *ours, int zone_from, int zone_to,
                        int32_t offset)
{
    int32_t links[MOST_HOPS];
    size_t count = zones_route(zone_from, zone_to, links, MOST_HOPS);
    g_assert_cmpuint(ours->count, ==, count);
    for (size_t i = 0; i < count; i++)
        g_assert_cmpint(ours->hops[i] / 2, ==, links[i] + offset);
}

/* All routes of a platform. */
static void compare(const struct platform_spec *spec)
{
    struct layout *layout = layout_new(spec, NULL);
    struct routes *routes = routes_new(layout);
    zones_build(layout);
    int ports = layout->nodes * layout->ports;
    for (int from = 0; from < ports; from++)
        for (int to = 0; to < ports; to++) {
            if (from == to) /* SimGrid's zones have loopbacks, ours have no hops */
                continue;
            const struct platform_route *route = routes_get(routes, from, -1, -1, to);
            check_walk(layout, route, from, to);
            check_route(route, from, to, 0);
        }
    routes_free(routes);
    layout_free(layout);
}

static void one_server(void)
{
    struct platform_spec spec = spec_of(&server, 1, NETWORK_STAR);
    compare(&spec);
}

static void star(void)
{
    struct platform_spec spec = spec_of(&server, 7, NETWORK_STAR);
    compare(&spec);
}

static void star_of_sockets(void)
{
    struct platform_spec spec = spec_of(&two_sockets, 3, NETWORK_STAR);
    compare(&spec);
}

static void full(void)
{
    struct platform_spec spec = spec_of(&server, 6, NETWORK_FULL);
    compare(&spec);
}

/* The last leaf is not full; each node has its spine. */
static void fat_tree(void)
{
    struct platform_spec spec = spec_of(&two_sockets, 14, NETWORK_FAT_TREE);
    compare(&spec);
}

static void one_spine(void)
{
    struct platform_spec spec = spec_of(&server, 9, NETWORK_FAT_TREE);
    spec.network.uplinks = 1;
    compare(&spec);
}

/* A tree, with a node in the middle. */
static void drawn(void)
{
    static const struct node_link cables[] = {
        {"node0", "left", {"a", 1, GBps, false}},   {"middle", "left", {"b", 1, GBps, false}},
        {"middle", "node1", {"c", 1, GBps, false}}, {"node1", "node2", {"d", 1, GBps, false}},
        {"left", "node3", {"e", 1, GBps, false}},
    };
    struct platform_spec spec = spec_of(&server, 4, NETWORK_DRAWN);
    spec.cables = cables;
    spec.cable_count = G_N_ELEMENTS(cables);
    compare(&spec);
}

/* A fat tree of n nodes with two gateways is, between gateways, one of 2 n nodes with twice as many
 * at a leaf. Beside the cables, which come in the same order, each of ours has a link inside. */
static void two_rails(void)
{
    enum { NODES = 10 };
    static const char *const nics[] = {"nic0", "nic1"};
    static const struct node_link inside = {"nic0", "nic1", {"i", 1, GBps, false}};
    static const struct node_graph rails = {nics, 2, NULL, 0, &inside, 1, nics, 2, 0};
    static const struct node_graph lone = {nics, 1, NULL, 0, NULL, 0, nics, 1, 0};
    struct platform_spec ours = spec_of(&rails, NODES, NETWORK_FAT_TREE);
    struct platform_spec theirs = spec_of(&lone, 2 * NODES, NETWORK_FAT_TREE);
    theirs.network.radix = 2 * ours.network.radix;
    struct layout *layout = layout_new(&ours, NULL), *zones = layout_new(&theirs, NULL);
    struct routes *routes = routes_new(layout);
    zones_build(zones);
    for (int from = 0; from < 2 * NODES; from++)
        for (int to = 0; to < 2 * NODES; to++) {
            if (from / 2 == to / 2)
                continue;
            const struct platform_route *route = routes_get(routes, from, -1, -1, to);
            check_walk(layout, route, from, to);
            check_route(route, from, to, NODES);
        }
    routes_free(routes);
    layout_free(layout);
    layout_free(zones);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/zones/node", one_server);
    add_test("/zones/star", star);
    add_test("/zones/star-of-sockets", star_of_sockets);
    add_test("/zones/full", full);
    add_test("/zones/fat-tree", fat_tree);
    add_test("/zones/one-spine", one_spine);
    add_test("/zones/drawn", drawn);
    add_test("/zones/two-rails", two_rails);
    return g_test_run();
}
