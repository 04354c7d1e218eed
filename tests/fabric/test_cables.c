/* SPDX-License-Identifier: BSD-3-Clause */
/* Networks that a user draws as text: how ranges and options expand, which texts are refused, and that a fat tree drawn this
 * way is the same as the built-in one. */
#include "fabric/cables.h"

#include "core/error.h"
#include "fabric_test.h"

static const struct wire_spec wire = {.latency_ps = 150 * PS_PER_NS, .rate_Bps = 10 * GBps};

/* The cables of a text as "from-to latency rate" each; or its refusal. The caller frees it. */
static char *parsed(const char *text)
{
    GError *error = NULL;
    g_autoptr(GArray) cables = g_array_new(FALSE, FALSE, sizeof(struct node_link));
    GStringChunk *names = g_string_chunk_new(64);
    GString *all = g_string_new(NULL);
    if (!cables_parse(text, &wire, cables, names, &error)) {
        g_string_assign(all, error->message);
        g_error_free(error);
        g_string_chunk_free(names);
        return g_string_free(all, FALSE);
    }
    for (guint i = 0; i < cables->len; i++) {
        const struct node_link *cable = &g_array_index(cables, struct node_link, i);
        g_string_append_printf(all, "%s=%s,%s", cable->link.name, cable->from, cable->to);
        if (cable->link.latency_ps != wire.latency_ps)
            g_string_append_printf(all, ",%" PRId64 "ps", cable->link.latency_ps);
        if (cable->link.bandwidth_Bps != wire.rate_Bps)
            g_string_append_printf(all, ",%" PRId64 "B/s", cable->link.bandwidth_Bps);
        g_string_append(all, " ");
    }
    g_string_chunk_free(names);
    return g_string_free(all, FALSE);
}

static void assert_parsed(const char *text, const char *expected)
{
    g_autofree char *found = parsed(text);
    g_assert_cmpstr(found, ==, expected);
}

static void ranges_and_options(void)
{
    assert_parsed("node0 hub", "cable-node0-hub=node0,hub ");
    assert_parsed(" node0..1   hub ;node2.nic1 hub",
                  "cable-node0-hub=node0,hub cable-node1-hub=node1,hub "
                  "cable-node2-nic1-hub=node2.nic1,hub ");
    assert_parsed("a0..1 b8..9 2us 1GB/s", "cable-a0-b8=a0,b8,2000000ps,1000000000B/s "
                                           "cable-a0-b9=a0,b9,2000000ps,1000000000B/s "
                                           "cable-a1-b8=a1,b8,2000000ps,1000000000B/s "
                                           "cable-a1-b9=a1,b9,2000000ps,1000000000B/s ");
    assert_parsed("r0..2 r0..2", "cable-r0-r1=r0,r1 cable-r0-r2=r0,r2 cable-r1-r2=r1,r2 ");
    assert_parsed("a b x2", "cable-a-b-0=a,b cable-a-b-1=a,b ");
    assert_parsed("node0..1.nic3 rail3", "cable-node0-nic3-rail3=node0.nic3,rail3 "
                                         "cable-node1-nic3-rail3=node1.nic3,rail3 ");
}

static void refusals(void)
{
    assert_parsed("node0 hub; node1",
                  "cables \"node1\": a cable needs two ends, as in \"node0 leaf0\"");
    assert_parsed("a b;", "cables \"\": a cable needs two ends, as in \"node0 leaf0\"");
    assert_parsed("a3..1 b",
                  "cables \"a3..1 b\": \"a3..1\" is no range; write the first and the last "
                  "number, as in leaf0..3");
    assert_parsed("a..1 b", "cables \"a..1 b\": \"a..1\" is no range; write the first and the last "
                            "number, as in leaf0..3");
    assert_parsed("a b fast",
                  "cables \"a b fast\": \"fast\" is no number of cables, rate or latency; "
                  "accepted: as in x2, 25GB/s, 1us");
    assert_parsed("a b x0", "cables \"a b x0\": \"x0\" is no number of cables, rate or latency; "
                            "accepted: as in x2, 25GB/s, 1us");
    assert_parsed("a b 0GB/s", "cables \"a b 0GB/s\": a rate is above 0");
    assert_parsed("a b -1ns", "cables \"a b -1ns\": a latency is 0 or more");
    assert_parsed("a0..999 b0..999", "cables \"a0..999 b0..999\": more than 65536 cables");
}

/* --- a drawn fat tree ------------------------------------------------------------------------- */

enum { NODES = 12, RADIX = 4, UPLINKS = 3 };

static struct platform_spec fat_tree(enum network_topology topology)
{
    static const char *const nic = "nic0";
    return (struct platform_spec){
        .name = "tree",
        .nodes = NODES,
        .node = {.ports = &nic, .port_count = 1, .gateways = &nic, .gateway_count = 1},
        .network = {.topology = topology,
                    .wire = wire,
                    .radix = RADIX,
                    .uplinks = UPLINKS,
                    .routing = ROUTING_ADAPTIVE}};
}

struct found {
    char ways[NODES][NODES][128];
    sim_time end_ps[NODES];
};
static struct found *found;

/* Names of the cables between switches, and when the transfers of a reversal arrive. */
static void find(struct platform *platform, struct found *into)
{
    struct trip trips[NODES];
    for (int from = 0; from < NODES; from++)
        for (int to = 0; to < NODES; to++) {
            const struct platform_route *route = platform_route(platform, from, to);
            for (size_t i = 1; i + 1 < route->count; i++) {
                g_strlcat(into->ways[from][to],
                          platform_link(platform, (size_t)route->hops[i] / 2)->name, 128);
                g_strlcat(into->ways[from][to], route->hops[i] % 2 ? "- " : "+ ", 128);
            }
        }
    for (int i = 0; i < NODES; i++)
        trips[i] = (struct trip){i, NODES - 1 - i, 1 << 20, 0, 0, 0};
    run_trips(platform, &by_segment, trips, NODES);
    for (int i = 0; i < NODES; i++)
        into->end_ps[i] = trips[i].end_ps;
}

static void find_generated(void)
{
    struct platform_spec spec = fat_tree(NETWORK_FAT_TREE);
    find(get_platform(&spec), &found[0]);
}

static void find_drawn(void)
{
    struct platform_spec spec = fat_tree(NETWORK_DRAWN);
    g_autoptr(GArray) cables = g_array_new(FALSE, FALSE, sizeof(struct node_link));
    GStringChunk *names = g_string_chunk_new(64);
    g_assert_true(
        cables_parse("node0..3 leaf0; node4..7 leaf1; node8..11 leaf2; leaf0..2 spine0..2", &wire,
                     cables, names, NULL));
    spec.cables = (const struct node_link *)cables->data;
    spec.cable_count = cables->len;
    find(get_platform(&spec), &found[1]);
    g_string_chunk_free(names);
}

/* Drawn cable by cable a fat tree has the generated one's routes, and by adaptive routing its times. */
static void drawn_fat_tree(void)
{
    found = shared_memory(2 * sizeof *found);
    run_in_child((gconstpointer)(uintptr_t)find_generated);
    run_in_child((gconstpointer)(uintptr_t)find_drawn);
    for (int from = 0; from < NODES; from++) {
        g_assert_cmpint(found[0].end_ps[from], ==, found[1].end_ps[from]);
        for (int to = 0; to < NODES; to++)
            g_assert_cmpstr(found[0].ways[from][to], ==, found[1].ways[from][to]);
    }
    g_assert_cmpstr(found[1].ways[0][5], ==, "cable-leaf0-spine2+ cable-leaf1-spine2- ");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cables/ranges-and-options", ranges_and_options);
    g_test_add_func("/cables/refusals", refusals);
    g_test_add_func("/cables/drawn-fat-tree", drawn_fat_tree);
    return g_test_run();
}
