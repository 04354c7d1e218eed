/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform: routes by formula for each topology, what is refused, and its texts.
 *
 * The node of these tests is a small GPU server: cpu0, gpu0 and nic0 around a root complex, and a
 * direct cable from gpu0 to nic0 of its own. */
#include "../param_valid.h"
#include "core/error.h"
#include "fabric_test.h"
#include "spec_valid.h"

#define PCIE_PS (90 * PS_PER_NS)
#define CABLE_PS (150 * PS_PER_NS)

static const char *const port_names[] = {"cpu0", "gpu0", "nic0"};
static const char *const switch_names[] = {"root0"};
static const struct node_link node_links[] = {
    {"cpu0", "root0", {"pcie-cpu0", PCIE_PS, 16 * GBps, false}},
    {"gpu0", "root0", {"pcie-gpu0", PCIE_PS, 16 * GBps, false}},
    {"root0", "nic0", {"pcie-nic0", PCIE_PS, 8 * GBps, false}},
    {"gpu0", "nic0", {"direct", 7, 50 * GBps, false}},
};

static struct platform_spec spec_of(enum network_topology topology, int64_t nodes)
{
    return (struct platform_spec){.name = "test",
                                  .nodes = nodes,
                                  .node = {.ports = port_names,
                                           .port_count = 3,
                                           .switches = switch_names,
                                           .switch_count = 1,
                                           .links = node_links,
                                           .link_count = 4,
                                           .gateways = &port_names[2],
                                           .gateway_count = 1},
                                  .network = {.topology = topology,
                                              .wire.latency_ps = CABLE_PS,
                                              .wire.rate_Bps = 12 * GBps,
                                              .radix = 4,
                                              .uplinks = 2}};
}

/* The sentence with which a spec is refused; NULL if it is not. The caller frees it. */
static char *refusal(const struct platform_spec *spec, enum error_code code)
{
    GError *error = NULL;
    bool is_read = spec->nodes >= 1 && spec->node.port_count <= 4096;
    if ((!is_read || platform_spec_valid(spec, &error)) && platform_get(spec, &error))
        return NULL;
    g_assert_error(error, ERROR_DOMAIN, (gint)code);
    char *sentence = g_strdup(error->message);
    g_error_free(error);
    return sentence;
}

/* --- routes ----------------------------------------------------------------------------------- */

/* A route has `count` hops and these latencies; the way back has the same links the other way
 * round, unless there is a choice of paths (`chosen`). */
static void check_route(struct platform *platform, int from, int to, size_t count,
                        sim_time latency_ps, int64_t bandwidth_Bps, bool chosen)
{
    const struct platform_route *there = platform_route(platform, from, to);
    const struct platform_route *back = platform_route(platform, to, from);
    g_assert_cmpuint(there->count, ==, count);
    g_assert_cmpint(there->latency_ps, ==, latency_ps);
    g_assert_cmpint(there->bandwidth_Bps, ==, bandwidth_Bps);
    g_assert_cmpuint(back->count, ==, count);
    for (size_t i = 0; i < count && !chosen; i++)
        g_assert_cmpint(back->hops[count - 1 - i], ==, there->hops[i] ^ 1);
    g_assert_true(platform_route(platform, from, to) == there); /* looked up once */
}

/* Within a node the fewest links; direction 1 is against the drawing. */
static void routes_in_a_node(void)
{
    struct platform_spec spec = spec_of(NETWORK_STAR, 1);
    struct platform *platform = get_platform(&spec);
    int cpu = platform_port(platform, 0, "cpu0"), gpu = platform_port(platform, 0, "gpu0"),
        nic = platform_port(platform, 0, "nic0");
    g_assert_cmpint(cpu, ==, 0);
    g_assert_cmpint(gpu, ==, 1);
    g_assert_cmpint(nic, ==, 2);
    g_assert_cmpint(platform_port(platform, 0, "root0"), ==, -1);
    g_assert_cmpint(platform_port(platform, 1, "cpu0"), ==, -1);
    g_assert_cmpint(platform_port(platform, -1, "cpu0"), ==, -1);
    g_assert_cmpint(platform_port_count(platform), ==, 3);
    g_assert_cmpuint(platform_link_count(platform), ==, 4);
    check_route(platform, cpu, gpu, 2, 2 * PCIE_PS, 16 * GBps, false);
    check_route(platform, cpu, nic, 2, 2 * PCIE_PS, 8 * GBps, false);
    check_route(platform, gpu, nic, 1, 7, 50 * GBps, false);
    g_assert_cmpint(platform_route(platform, cpu, gpu)->hops[0], ==, 2 * 0);
    g_assert_cmpint(platform_route(platform, cpu, gpu)->hops[1], ==, 2 * 1 + 1);
    g_assert_cmpint(platform_route(platform, cpu, nic)->hops[1], ==, 2 * 2);
    g_assert_cmpint(platform_route(platform, nic, cpu)->hops[0], ==, 2 * 2 + 1);
    g_assert_cmpuint(platform_route(platform, nic, nic)->count, ==, 0);
    g_assert_cmpint(platform_route(platform, nic, nic)->latency_ps, ==, 0);
    g_assert_cmpstr(platform_port_name(platform, gpu), ==, "node0.gpu0");
    g_assert_cmpstr(platform_link(platform, 3)->name, ==, "direct");
}

/* From every NIC to every other `cables` cables, and as many between GPUs with the links inside. */
static void check_all(struct platform *platform, int64_t nodes,
                      size_t (*cables)(int64_t from, int64_t to), bool chosen)
{
    for (int64_t from = 0; from < nodes; from++)
        for (int64_t to = 0; to < nodes; to++) {
            if (from == to)
                continue;
            size_t count = cables(from, to);
            sim_time latency_ps = (sim_time)count * CABLE_PS;
            check_route(platform, platform_port(platform, from, "nic0"),
                        platform_port(platform, to, "nic0"), count, latency_ps, 12 * GBps, chosen);
            check_route(platform, platform_port(platform, from, "gpu0"),
                        platform_port(platform, to, "cpu0"), count + 3,
                        latency_ps + 2 * PCIE_PS + 7, 8 * GBps, chosen);
        }
}

static size_t cables_of_star(int64_t from, int64_t to)
{
    (void)from, (void)to;
    return 2;
}

static void routes_of_star(void)
{
    struct platform_spec spec = spec_of(NETWORK_STAR, 5);
    struct platform *platform = get_platform(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 5 * 4 + 5);
    check_all(platform, 5, cables_of_star, false);
}

static size_t cables_of_full(int64_t from, int64_t to)
{
    (void)from, (void)to;
    return 1;
}

static void routes_of_full(void)
{
    struct platform_spec spec = spec_of(NETWORK_FULL, 5);
    struct platform *platform = get_platform(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 5 * 4 + 5 * 4 / 2);
    check_all(platform, 5, cables_of_full, false);
}

/* Radix 4: two cables within a leaf switch, four over a spine. */
static size_t cables_of_fat_tree(int64_t from, int64_t to)
{
    return from / 4 == to / 4 ? 2 : 4;
}

/* Ten nodes need three leaves, the last of which is not full. */
static void routes_of_fat_tree(void)
{
    struct platform_spec spec = spec_of(NETWORK_FAT_TREE, 10);
    struct platform *platform = get_platform(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 10 * 4 + 10 + 3 * 2);
    check_all(platform, 10, cables_of_fat_tree, true);
}

/* The destination chooses the spine, whoever sends, and the destinations at a leaf spread evenly
 * over the spines: the cables from leaf 0 (links 50 and 51) serve half of leaf 1's nodes each. */
static void spines_of_fat_tree(void)
{
    struct platform_spec spec = spec_of(NETWORK_FAT_TREE, 10);
    struct platform *platform = get_platform(&spec);
    int used[2] = {0, 0};
    for (int64_t to = 4; to < 8; to++) {
        platform_hop up = -1;
        for (int64_t from = 0; from < 4; from++) {
            const struct platform_route *route =
                platform_route(platform, platform_port(platform, from, "nic0"),
                               platform_port(platform, to, "nic0"));
            g_assert_cmpint(route->hops[0], ==, 2 * (40 + from));
            g_assert_cmpint(route->hops[3], ==, 2 * (40 + to) + 1);
            g_assert_true(from == 0 || route->hops[1] == up);
            up = route->hops[1];
            g_assert_cmpint(route->hops[2], ==, up + 2 * 2 + 1); /* down to leaf 1 */
        }
        g_assert_true(up == 2 * 50 || up == 2 * 51);
        used[up / 2 - 50]++;
    }
    g_assert_cmpint(used[0], ==, 2);
    g_assert_cmpint(used[1], ==, 2);
}

/* Two NICs a node, each at a leaf of its rail: within a rail of four nodes two cables, else four, over a spine. In a fat tree with
 * the same nodes both NICs are at one leaf. */
static void routes_of_rails(void)
{
    static const char *const ports[] = {"nic0", "nic1"}, *const roots[] = {"root0"};
    static const struct node_link links[] = {
        {"nic0", "root0", {"pcie-nic0", PCIE_PS, 16 * GBps, false}},
        {"nic1", "root0", {"pcie-nic1", PCIE_PS, 16 * GBps, false}},
    };
    struct platform_spec spec = spec_of(NETWORK_RAIL_TREE, 10);
    spec.node = (struct node_graph){.ports = ports,
                                    .port_count = 2,
                                    .switches = roots,
                                    .switch_count = 1,
                                    .links = links,
                                    .link_count = 2,
                                    .gateways = ports,
                                    .gateway_count = 2};
    struct platform *platform = get_platform(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 10 * 2 + 10 * 2 + 3 * 2 * 2);
    for (int64_t i = 0; i < 20; i++)
        for (int64_t k = 0; k < 20; k++) {
            if (i / 2 == k / 2)
                continue;
            bool is_one_leaf = i / 2 / 4 == k / 2 / 4 && i % 2 == k % 2;
            const struct platform_route *route =
                platform_route(platform, platform_port(platform, i / 2, ports[i % 2]),
                               platform_port(platform, k / 2, ports[k % 2]));
            g_assert_cmpuint(route->count, ==, is_one_leaf ? 2 : 4);
            g_assert_cmpint(route->latency_ps, ==, (is_one_leaf ? 2 : 4) * CABLE_PS);
        }
    /* the four nodes of a leaf send to those of the next one over the two uplinks in turn, on each rail */
    for (int nic = 0; nic < 2; nic++)
        for (int64_t node = 0; node < 3; node++)
            g_assert_cmpint(platform_route(platform, platform_port(platform, node, ports[nic]),
                                           platform_port(platform, node + 4, ports[nic]))
                                ->hops[1],
                            !=,
                            platform_route(platform, platform_port(platform, node + 1, ports[nic]),
                                           platform_port(platform, node + 5, ports[nic]))
                                ->hops[1]);
}

/* node0 - left - right - node1, and node2 behind node1: a route may lead through a node's gateway.
 */
static void routes_of_drawn(void)
{
    static const struct node_link cables[] = {
        {"node0", "left", {"first", 1, 10 * GBps, false}},
        {"right", "left", {"second", 10, 10 * GBps, false}},
        {"right", "node1", {"third", 100, 9 * GBps, false}},
        {"node1", "node2", {"fourth", 1000, 10 * GBps, false}},
    };
    struct platform_spec spec = spec_of(NETWORK_DRAWN, 3);
    spec.cables = cables;
    spec.cable_count = G_N_ELEMENTS(cables);
    struct platform *platform = get_platform(&spec);
    int nics[3];
    for (int i = 0; i < 3; i++)
        nics[i] = platform_port(platform, i, "nic0");
    check_route(platform, nics[0], nics[1], 3, 111, 9 * GBps, false);
    check_route(platform, nics[0], nics[2], 4, 1111, 9 * GBps, false);
    check_route(platform, nics[1], nics[2], 1, 1000, 10 * GBps, false);
    const platform_hop *hops = platform_route(platform, nics[0], nics[2])->hops;
    g_assert_cmpint(hops[1], ==, 2 * (3 * 4 + 1) + 1); /* "second" was drawn the other way */
    check_route(platform, platform_port(platform, 0, "gpu0"), platform_port(platform, 2, "gpu0"), 6,
                7 + 1111 + 7, 9 * GBps, false);
}

/* Within a node a route leads through a gateway that is named twice: there by the link and back by it. Else it takes the fewest links. */
static void routes_through_own_gateway(void)
{
    struct platform_spec spec = spec_of(NETWORK_FAT_TREE, 2);
    struct platform *platform = get_platform(&spec);
    int gpu = platform_port(platform, 0, "gpu0");
    const struct platform_route *loop = platform_route_via(platform, gpu, 0, 0, gpu);
    g_assert_cmpuint(loop->count, ==, 2);
    g_assert_cmpint(loop->latency_ps, ==, 2 * 7);
    g_assert_cmpint(loop->hops[0], ==, loop->hops[1] ^ 1);
    g_assert_cmpuint(platform_route(platform, gpu, gpu)->count, ==, 0);
}

/* Two paths of two cables each: the destination's number chooses, among the cables to it in the order of their drawing. */
static void ties_of_drawn(void)
{
    static const struct node_link cables[] = {
        {"node0", "left", {"a", 1, GBps, false}},
        {"node0", "right", {"b", 1, GBps, false}},
        {"right", "node1", {"c", 1, GBps, false}},
        {"left", "node1", {"d", 1, GBps, false}},
    };
    enum { FIRST = 2 * 4 };
    struct platform_spec spec = spec_of(NETWORK_DRAWN, 2);
    spec.cables = cables;
    spec.cable_count = G_N_ELEMENTS(cables);
    struct platform *platform = get_platform(&spec);
    int zero = platform_port(platform, 0, "nic0"), one = platform_port(platform, 1, "nic0");
    const struct platform_route *there = platform_route(platform, zero, one);
    const struct platform_route *back = platform_route(platform, one, zero);
    g_assert_cmpuint(there->count, ==, 2);
    g_assert_cmpint(there->hops[0], ==, 2 * (FIRST + 0));
    g_assert_cmpint(there->hops[1], ==, 2 * (FIRST + 3));
    g_assert_cmpuint(back->count, ==, 2);
    g_assert_cmpint(back->hops[0], ==, 2 * (FIRST + 3) + 1);
    g_assert_cmpint(back->hops[1], ==, 2 * (FIRST + 0) + 1);
}

static const char *const nics[] = {"nic0", "nic1"};

/* Two nodes of two NICs, which a link joins within the node, and these cables. */
static struct platform *two_nics_each(const struct node_link *cables, size_t count)
{
    static const struct node_link inside = {"nic0", "nic1", {"i", 7, GBps, false}};
    struct platform_spec spec = spec_of(NETWORK_DRAWN, 2);
    spec.node = (struct node_graph){nics, 2, NULL, 0, &inside, 1, nics, 2, 0};
    spec.cables = cables;
    spec.cable_count = count;
    return get_platform(&spec);
}

/* Of two nodes with two NICs, drawn cable by cable: each NIC has its cable, and a switch joins the rails. */
static void gateways_of_drawn(void)
{
    static const struct node_link cables[] = {
        {"node0", "rail0", {"a", 1, GBps, false}},
        {"node1.nic0", "rail0", {"b", 1, GBps, false}},
        {"node0.nic1", "rail1", {"c", 1, GBps, false}},
        {"node1.nic1", "rail1", {"d", 1, GBps, false}},
        {"rail0", "rail1", {"e", 100, GBps, false}},
    };
    struct platform *platform = two_nics_each(cables, G_N_ELEMENTS(cables));
    for (int from = 0; from < 2; from++)
        for (int to = 0; to < 2; to++) {
            const struct platform_route *route =
                platform_route(platform, platform_port(platform, 0, nics[from]),
                               platform_port(platform, 1, nics[to]));
            g_assert_cmpint(route->latency_ps, ==, from == to ? 2 : 102);
            g_assert_cmpint(route->hops[0] / 2, ==, 2 + (from ? 2 : 0));
        }
}

/* A gateway without a cable is out of use: routes that leave the choice open take the next one of its node. */
static void gateways_without_cable(void)
{
    static const struct node_link cables[] = {
        {"node0.nic1", "hub", {"a", 1, GBps, false}},
        {"node1.nic0", "hub", {"b", 1, GBps, false}},
        {"node1.nic1", "hub", {"c", 1, GBps, false}},
    };
    struct platform *platform = two_nics_each(cables, G_N_ELEMENTS(cables));
    g_assert_cmpint(platform_cabled_gateway(platform, 0, 0), ==, 1);
    g_assert_cmpint(platform_cabled_gateway(platform, 0, 1), ==, 1);
    g_assert_cmpint(platform_cabled_gateway(platform, 1, 0), ==, 0);
    int near = platform_port(platform, 0, "nic0"), far = platform_port(platform, 1, "nic0");
    g_assert_cmpint(platform_route(platform, near, far)->latency_ps, ==, 7 + 2);
    g_assert_cmpint(platform_route(platform, far, near)->latency_ps, ==, 2 + 7);
}

/* --- size ------------------------------------------------------------------------------------- */

/* Summit: 4,608 nodes with two CPUs, six GPUs and two NICs, on a fat tree. It is built and asked for
 * 10,000 routes in some tens of milliseconds; what is asserted is the structure. */
static void summit(void)
{
    enum { NODES = 4608, RADIX = 18, SPINES = 18, INSIDE = 9 };
    static const char *const ports[] = {"cpu0", "cpu1", "gpu0", "gpu1", "gpu2",
                                        "gpu3", "gpu4", "gpu5", "nic0", "nic1"};
    static const struct {
        int from, to;
    } ends[INSIDE] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 8}, {1, 5}, {1, 6}, {1, 7}, {1, 9}};
    struct node_link links[INSIDE];
    for (int i = 0; i < INSIDE; i++)
        links[i] = (struct node_link){
            ports[ends[i].from], ports[ends[i].to], {ports[ends[i].to], PCIE_PS, 50 * GBps, false}};
    struct platform_spec spec = spec_of(NETWORK_FAT_TREE, NODES);
    spec.node = (struct node_graph){ports, 10, NULL, 0, links, INSIDE, &ports[8], 2, 0};
    spec.network.radix = RADIX;
    spec.network.uplinks = SPINES;
    gint64 start_us = g_get_monotonic_time();
    struct platform *platform = get_platform(&spec);
    gint64 built_us = g_get_monotonic_time();
    g_assert_cmpint(platform_port_count(platform), ==, NODES * 10);
    g_assert_cmpuint(platform_link_count(platform), ==,
                     NODES * (INSIDE + 2) + NODES / RADIX * SPINES);
    for (int64_t i = 0; i < 10000; i++) {
        int64_t from = i * 7919 % NODES, to = (i * 104729 + 1) % NODES;
        int gpu = (int)(i % 6), rail = gpu / 3;
        const struct platform_route *route =
            platform_route(platform, (int)from * 10 + 2 + gpu, (int)to * 10 + 7 - gpu);
        if (from == to) {
            g_assert_cmpuint(route->count, ==, 3); /* gpu - cpu - cpu - gpu */
            continue;
        }
        /* gpu - cpu - nic - cables - nic - cpu - cpu - gpu: the other socket, mirrored */
        size_t cables = from / RADIX == to / RADIX ? 2 : 4, first = NODES * INSIDE;
        g_assert_cmpuint(route->count, ==, 2 + cables + 3);
        g_assert_cmpint(route->hops[2], ==, 2 * ((int64_t)first + from * 2 + rail));
        g_assert_cmpint(route->hops[1 + cables], ==, 2 * ((int64_t)first + to * 2 + rail) + 1);
        g_assert_cmpint(route->latency_ps, ==, 5 * PCIE_PS + (sim_time)cables * CABLE_PS);
    }
    g_test_message("built in %.1f ms, 10,000 routes in %.1f ms",
                   (double)(built_us - start_us) / 1000,
                   (double)(g_get_monotonic_time() - built_us) / 1000);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void one_platform_a_process(void)
{
    struct platform_spec spec = spec_of(NETWORK_STAR, 2), other = spec_of(NETWORK_STAR, 3);
    struct platform *platform = get_platform(&spec);
    struct platform_spec again = spec_of(NETWORK_STAR, 2);
    g_assert_true(get_platform(&again) == platform);
    again.network.wire.latency_ps++;
    g_autofree char *later = refusal(&again, ERROR_TAKEN);
    g_assert_nonnull(later);
    g_autofree char *sentence = refusal(&other, ERROR_TAKEN);
    g_assert_cmpstr(sentence, ==,
                    "this process holds the platform \"test\" already, and SimGrid allows for one");
}

static void another_once_dropped(void)
{
    struct platform_spec spec = spec_of(NETWORK_STAR, 2), other = spec_of(NETWORK_STAR, 3);
    get_platform(&spec);
    g_assert_true(platform_drop());
    struct platform *platform = get_platform(&other);
    g_assert_cmpint(platform_port(platform, 2, "cpu0"), >=, 0);
    platform_prepare_simgrid();
    g_assert_false(platform_drop());
    g_assert_true(get_platform(&other) == platform);
}

static void assert_refused(struct platform_spec spec, const char *expected)
{
    g_autofree char *sentence = refusal(&spec, ERROR_USE);
    g_assert_cmpstr(sentence, ==, expected);
}

static void refused_nodes(void)
{
    struct platform_spec spec = spec_of(NETWORK_STAR, 2);
    spec.nodes = 0;
    assert_refused(spec, "a platform has between 1 and 65536 nodes, not 0");
    spec = spec_of(NETWORK_STAR, 2);
    spec.node.port_count = 0;
    assert_refused(spec, "a node needs at least one port");
    spec.node.port_count = 5000; /* refused before any is read */
    assert_refused(spec, "a node has 5001 ports and switches, more than 4096");
    spec = spec_of(NETWORK_STAR, 2);
    spec.node.gateway_count = 0;
    assert_refused(spec, "nodes that a network joins need a gateway port");
    spec.node.gateways = switch_names;
    spec.node.gateway_count = 1;
    assert_refused(spec, "the gateway \"root0\" is no port of the node");
    static const char *const same[] = {"nic0", "nic0"};
    spec.node.gateways = same;
    spec.node.gateway_count = 2;
    assert_refused(spec, "the name \"nic0\" is used twice");
    spec = spec_of(NETWORK_STAR, 2);
    spec.node.link_count = 2;
    assert_refused(spec, "no links join \"cpu0\" to \"nic0\"");
    static const char *const twice[] = {"cpu0", "gpu0", "cpu0"};
    spec.node.ports = twice;
    assert_refused(spec, "the name \"cpu0\" is used twice");
    static const char *const dotted[] = {"cpu.0", "gpu0", "nic0"};
    spec.node.ports = dotted;
    assert_refused(spec, "the name \"cpu.0\" has characters other than letters, digits, - and _");
}

/* The node with its last link replaced. */
static void assert_link_refused(struct node_link link, const char *expected)
{
    struct node_link links[4];
    memcpy(links, node_links, sizeof links);
    links[3] = link;
    struct platform_spec spec = spec_of(NETWORK_STAR, 2);
    spec.node.links = links;
    assert_refused(spec, expected);
}

static void refused_links(void)
{
    assert_link_refused((struct node_link){"gpu0", "nic9", {"x", 1, GBps, false}},
                        "link \"x\" leads to \"nic9\", which is no port or switch of the node");
    assert_link_refused((struct node_link){"gpu0", "gpu0", {"x", 1, GBps, false}},
                        "link \"x\" leads from \"gpu0\" to itself");
    assert_link_refused((struct node_link){"gpu0", "nic0", {"x", -1, GBps, false}},
                        "link \"x\" has a negative latency");
    assert_link_refused((struct node_link){"gpu0", "nic0", {"x", 1, 0, false}},
                        "link \"x\" needs a bandwidth above 0");
    assert_link_refused((struct node_link){"gpu0", "nic0", {"pcie-cpu0", 1, GBps, false}},
                        "the name \"pcie-cpu0\" is used twice");
    assert_link_refused((struct node_link){"gpu0", "nic0", {NULL, 1, GBps, false}},
                        "a port, switch or link has no name");
}

static void refused_networks(void)
{
    struct platform_spec spec = spec_of((enum network_topology)9, 2);
    assert_refused(spec, "unknown network topology 9");
    spec = spec_of(NETWORK_FULL, 2);
    spec.node.gateways = &port_names[1];
    spec.node.gateway_count = 2;
    assert_refused(spec, "a fully connected network joins nodes of one gateway port each");
    spec.network.topology = NETWORK_DRAWN;
    assert_refused(spec, "no cables join node0.gpu0 to node1.gpu0");
    spec = spec_of(NETWORK_FULL, 1025);
    assert_refused(spec, "a fully connected network has at most 1024 nodes, not 1025");
    spec = spec_of(NETWORK_FAT_TREE, 2);
    spec.network.radix = 0;
    assert_refused(spec, "the radix of a network lies between 1 and 65536, not 0");
    spec = spec_of(NETWORK_FAT_TREE, 2);
    spec.network.uplinks = 0;
    assert_refused(spec, "the uplinks of a network lie between 1 and 65536, not 0");
    spec = spec_of(NETWORK_FAT_TREE, 2);
    spec.network.pod = -1;
    assert_refused(spec, "the switches of a pod lie between 0 and 65536, not -1");
    spec.network.pod = 1;
    spec.network.pod_uplinks = 0;
    assert_refused(spec, "the uplinks of a pod of a fat tree lie between 1 and 65536, not 0");
    spec = spec_of(NETWORK_FAT_TREE, 65536);
    spec.network.radix = 1;
    spec.network.uplinks = 65536;
    g_autofree char *links = refusal(&spec, ERROR_USE);
    g_assert_true(g_str_has_suffix(links, " links, more than 16777216"));
    spec = spec_of(NETWORK_DRAGONFLY, 64);
    spec.network.pod = 2;
    assert_refused(spec, "a dragonfly of 8 groups needs 7 cables from each to the others, but 2 "
                         "routers with 2 uplinks each have 4");
    spec = spec_of(NETWORK_STAR, 2);
    spec.network.wire.rate_Bps = 0;
    assert_refused(spec, "link \"cable\" needs a bandwidth above 0");
    struct node_link cable = {"node0", "node5", {"c", 1, GBps, false}};
    spec = spec_of(NETWORK_DRAWN, 2);
    spec.cables = &cable;
    spec.cable_count = 1;
    assert_refused(spec, "a cable leads to \"node5\", but there are 2 nodes, from node0");
    cable.to = "hub";
    assert_refused(spec, "no cables join node0 to node1");
    spec.cable_count = (1 << 24) + 1; /* refused before any is read */
    assert_refused(spec, "a network has at most 16777216 cables");
    spec.cable_count = 1;
    cable.to = "node0";
    assert_refused(spec, "cable \"c\" leads from \"node0\" to itself");
    cable.to = "node1.nic1";
    assert_refused(spec,
                   "a cable leads to \"node1.nic1\", but a node has no port \"nic1\" for cables");
}

/* A refusal uses nothing up: SimGrid has not been started. */
static void refused_then_built(void)
{
    refused_nodes();
    refused_links();
    refused_networks();
    routes_of_star();
}

/* --- texts ------------------------------------------------------------------------------------ */

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        g_error("\"%s\" is missing in:\n%s", part, text);
}

static void as_dot(void)
{
    struct platform_spec spec = spec_of(NETWORK_FAT_TREE, 5);
    g_autofree char *dot = platform_to_dot(get_platform(&spec), false);
    g_assert_true(g_str_has_prefix(dot, "graph \"test\" {\n"));
    g_assert_true(g_str_has_suffix(dot, "}\n"));
    assert_contains(dot, "\"node4.gpu0\" [shape=box];");
    assert_contains(dot, "\"node4.root0\" [shape=circle];");
    assert_contains(dot, "\"node4.root0\" -- \"node4.nic0\" "
                         "[label=\"pcie-nic0\\n90ns\\n8GB/s\", style=solid];");
    assert_contains(dot, "\"node4.nic0\" -- \"leaf1\" "
                         "[label=\"cable-node4\\n150ns\\n12GB/s\", style=solid];");
    assert_contains(dot, "\"leaf1\" -- \"spine1\"");
}

/* SimGrid itself reads it in tests/fabric/test_against_simgrid.c. */
static void as_xml(void)
{
    struct platform_spec spec = spec_of(NETWORK_STAR, 2);
    g_autofree char *xml = platform_to_simgrid_xml(get_platform(&spec));
    assert_contains(xml, "<host id=\"node1.nic0\" speed=\"1Gf\"/>");
    assert_contains(xml, "<link id=\"node0.pcie-nic0\" bandwidth=\"8000000000Bps\" "
                         "latency=\"90000ps\" sharing_policy=\"SPLITDUPLEX\"/>");
    assert_contains(xml, "<route src=\"node0.nic0\" dst=\"node1.cpu0\" symmetrical=\"NO\">"
                         "<link_ctn id=\"cable-node0\" direction=\"UP\"/>"
                         "<link_ctn id=\"cable-node1\" direction=\"DOWN\"/>"
                         "<link_ctn id=\"node1.pcie-nic0\" direction=\"DOWN\"/>"
                         "<link_ctn id=\"node1.pcie-cpu0\" direction=\"DOWN\"/></route>");
}

/* The defaults of the tables lie within their bounds, and topologies stand in the enum's order. */
static void parameter_tables(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(param_table_valid(&network_params, &error));
    g_assert_true(param_table_valid(&transport_params, &error));
    struct network_spec network;
    param_set_defaults(&network_params, &network);
    g_assert_cmpint(network.topology, ==, NETWORK_STAR);
    const struct param *topology = param_find(&network_params, "topology");
    g_assert_cmpstr(topology->choices[NETWORK_DRAWN], ==, "drawn");
    g_assert_cmpstr(topology->choices[NETWORK_FAT_TREE], ==, "fat-tree");
    struct transport_spec transport;
    param_set_defaults(&transport_params, &transport);
    g_assert_cmpint(transport.kind, ==, TRANSPORT_FLOW);
    g_assert_cmpint(transport.segment_bytes, ==, 4096);
}

static bool has_loaded_simgrid(void)
{
    g_autofree char *maps = NULL;
    g_assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
    return strstr(maps, "libsimgrid") != NULL;
}

static void need_nothing(void)
{
}

static void need_simgrid(void)
{
    g_assert_nonnull(platform_simgrid_version(NULL));
}

/* A process loads SimGrid for later children once one of them has needed it, and not before: most runs have no flow. */
static void simgrid_once_needed(void)
{
    run_in_child((gconstpointer)(uintptr_t)need_nothing);
    platform_share_simgrid();
    g_assert_false(has_loaded_simgrid());
    run_in_child((gconstpointer)(uintptr_t)need_simgrid);
    g_assert_false(has_loaded_simgrid());
    platform_share_simgrid();
    g_assert_true(has_loaded_simgrid());
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/platform/simgrid-once-needed", simgrid_once_needed);
    add_test("/platform/routes/node", routes_in_a_node);
    add_test("/platform/routes/star", routes_of_star);
    add_test("/platform/routes/full", routes_of_full);
    add_test("/platform/routes/fat-tree", routes_of_fat_tree);
    add_test("/platform/routes/fat-tree-spines", spines_of_fat_tree);
    add_test("/platform/routes/rails", routes_of_rails);
    add_test("/platform/routes/drawn", routes_of_drawn);
    add_test("/platform/routes/own-gateway", routes_through_own_gateway);
    add_test("/platform/routes/ties", ties_of_drawn);
    add_test("/platform/gateways-of-drawn", gateways_of_drawn);
    add_test("/platform/gateways-without-cable", gateways_without_cable);
    add_test("/platform/size", summit);
    add_test("/platform/refused/second", one_platform_a_process);
    add_test("/platform/dropped", another_once_dropped);
    add_test("/platform/refused/nodes", refused_nodes);
    add_test("/platform/refused/links", refused_links);
    add_test("/platform/refused/networks", refused_networks);
    add_test("/platform/refused/then-built", refused_then_built);
    add_test("/platform/text/dot", as_dot);
    add_test("/platform/text/xml", as_xml);
    add_test("/platform/parameters", parameter_tables);
    return g_test_run();
}
