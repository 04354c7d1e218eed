/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of nodes: their ports, links and routes, against what one reads off a drawing of the
 * machine. The large node is IBM's AC922 as in Summit: two POWER9, three V100 each by NVLink, the
 * X-Bus between the CPUs, and a port of the network adapter at each CPU. */
#include "../fabric/fabric_test.h"
#include "../fabric/spec_valid.h"
#include "../param_valid.h"
#include "models/node.h"

/* Efficiencies that make round numbers: 40 of 50 GB/s, 32 of 64. */
static void ac922(struct machine_spec *spec, int64_t nodes, int64_t topology)
{
    machine_spec_init(spec, NULL);
    spec->nodes = nodes;
    spec->node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 3, .nics_per_socket = 1, .gpu_link = GPU_LINK_NVLINK};
    spec->nvlink = (struct direct_link_spec){{300 * PS_PER_NS, 50 * GBps, 0}, 0.8, 1};
    spec->socket_link = (struct direct_link_spec){{500 * PS_PER_NS, 64 * GBps, 0}, 0.5, 1};
    spec->bus.wire.latency_ps = 90 * PS_PER_NS;
    spec->bus.switch_latency_ps = 50 * PS_PER_NS;
    spec->bus.wire.rate_Bps = 16 * GBps;
    spec->network.topology = topology;
    spec->network.wire.latency_ps = 150 * PS_PER_NS;
    spec->network.wire.rate_Bps = 12 * GBps;
    spec->network.radix = 2;
    spec->network.uplinks = 4;
}

/* And whether its node is drawn as it should be. */
static struct platform *platform_of(const struct machine_spec *spec)
{
    GError *error = NULL;
    struct topology *topology =
        topology_draw(&spec->node, &spec->bus, &spec->nvlink, &spec->socket_link);
    struct platform_spec drawn = {
        .nodes = spec->nodes, .node = topology->graph, .network = spec->network};
    platform_spec_valid(&drawn, &error);
    topology_free(topology);
    g_assert_no_error(error);
    struct platform *platform = machine_platform(spec, &error);
    g_assert_no_error(error);
    return platform;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void numbers(void)
{
    struct node_shape shape = {
        .sockets = 2, .gpus_per_socket = 3, .nics_per_socket = 2, .gpu_link = GPU_LINK_NVLINK};
    g_assert_cmpint(topology_port_count(&shape), ==, 2 + 6 + 4);
    g_assert_cmpint(topology_gpu_count(&shape), ==, 6);
    g_assert_cmpint(topology_nic_count(&shape), ==, 4);
    g_assert_cmpint(topology_cpu_port(&shape, 1), ==, 1);
    g_assert_cmpint(topology_gpu_port(&shape, 0), ==, 2);
    g_assert_cmpint(topology_gpu_port(&shape, 5), ==, 7);
    g_assert_cmpint(topology_nic_port(&shape, 3), ==, 11);
    g_assert_cmpint(topology_gpu_socket(&shape, 2), ==, 0);
    g_assert_cmpint(topology_gpu_socket(&shape, 3), ==, 1);
    g_assert_cmpint(topology_nic_socket(&shape, 1), ==, 0);
    g_assert_cmpint(topology_nic_socket(&shape, 2), ==, 1);
    g_assert_cmpint(topology_socket_nic(&shape, 1), ==, 2);
}

static void tables(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(param_table_valid(&node_params, &error));
    g_assert_true(param_table_valid(&nvlink_params, &error));
    g_assert_true(param_table_valid(&socket_link_params, &error));
    const struct param *link = param_find(&node_params, "gpu_link");
    g_assert_cmpstr(link->choices[GPU_LINK_PCIE], ==, "pcie");
    g_assert_cmpstr(link->choices[GPU_LINK_NVLINK], ==, "nvlink");
}

/* --- routes ----------------------------------------------------------------------------------- */

/* The port called "node1.gpu5". */
static int port(struct platform *platform, const char *name)
{
    const char *dot = strchr(name, '.');
    int found = platform_port(platform, atoi(name + strlen("node")), dot + 1);
    g_assert_cmpint(found, >=, 0);
    return found;
}

/* A route as the names of its links with a sign for the direction: "+pcie-cpu0 -pcie-gpu0". */
static char *spelled(struct platform *platform, const struct platform_route *route)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < route->count; i++)
        g_string_append_printf(text, "%s%c%s", i ? " " : "", route->hops[i] % 2 ? '-' : '+',
                               platform_link(platform, (size_t)route->hops[i] / 2)->name);
    return g_string_free(text, FALSE);
}

static void check_via(struct platform *platform, const char *from, int gateway, int to_gateway,
                      const char *to, const char *links)
{
    const struct platform_route *route =
        platform_route_via(platform, port(platform, from), gateway, to_gateway, port(platform, to));
    g_autofree char *found = spelled(platform, route);
    g_assert_cmpstr(found, ==, links);
}

static void check(struct platform *platform, const char *from, const char *to, const char *links)
{
    check_via(platform, from, -1, -1, to, links);
    g_assert_true(platform_route(platform, port(platform, from), port(platform, to)) ==
                  platform_route_via(platform, port(platform, from), -1, -1, port(platform, to)));
}

/* The node of ComP-Net and of every machine that says nothing about its shape. */
static void default_node(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, NULL);
    struct platform *platform = platform_of(&spec);
    g_assert_cmpint(platform_port_count(platform), ==, 2 * 3);
    g_assert_cmpuint(platform_link_count(platform), ==, 2 * 3 + 2);
    g_assert_cmpint(port(platform, "node1.cpu0"), ==, 3);
    g_assert_cmpint(port(platform, "node1.gpu0"), ==, 3 + 1);
    g_assert_cmpint(port(platform, "node1.nic0"), ==, 3 + 2);
    check(platform, "node0.cpu0", "node0.gpu0", "+pcie-cpu0 -pcie-gpu0");
    check(platform, "node0.gpu0", "node0.nic0", "+pcie-gpu0 -pcie-nic0");
    check(platform, "node0.gpu0", "node1.cpu0",
          "+pcie-gpu0 -pcie-nic0 +cable-node0 -cable-node1 +pcie-nic0 -pcie-cpu0");
    const struct platform_route *route = platform_route(platform, 0, 1);
    g_assert_cmpint(route->latency_ps, ==, 2 * bus_link_latency_ps(&spec.bus));
    g_assert_cmpint(route->bandwidth_Bps, ==, spec.bus.wire.rate_Bps);
}

/* Two sockets on PCIe: between sockets through both root complexes and the socket link. */
static void pcie_node(void)
{
    struct machine_spec spec;
    ac922(&spec, 1, NETWORK_STAR);
    spec.node = (struct node_shape){.sockets = 2, .gpus_per_socket = 2, .nics_per_socket = 1};
    struct platform *platform = platform_of(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 2 * 4 + 1);
    check(platform, "node0.gpu0", "node0.gpu1", "+pcie-gpu0 -pcie-gpu1");
    check(platform, "node0.gpu3", "node0.nic1", "+pcie-gpu3 -pcie-nic1");
    check(platform, "node0.gpu0", "node0.gpu2",
          "+pcie-gpu0 -pcie-cpu0 +socket-cpu0-cpu1 +pcie-cpu1 -pcie-gpu2");
}

/* Two sockets of two GPUs on PCIe, and NVLink beside it: GPUs reach each other by NVLink, CPUs and NICs
 * by PCIe, and no route passes another GPU. */
static void nvlink_beside_pcie(void)
{
    struct machine_spec spec;
    ac922(&spec, 1, NETWORK_STAR);
    spec.node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 2, .nics_per_socket = 1, .peer_link = PEER_LINK_NODE};
    struct platform *platform = platform_of(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 2 * 4 + 1 + 6);
    check(platform, "node0.gpu0", "node0.gpu1", "+nvlink-gpu0-gpu1");
    check(platform, "node0.gpu3", "node0.gpu0", "-nvlink-gpu0-gpu3");
    check(platform, "node0.gpu0", "node0.cpu0", "+pcie-gpu0 -pcie-cpu0");
    check(platform, "node0.gpu0", "node0.nic0", "+pcie-gpu0 -pcie-nic0");
    check(platform, "node0.gpu0", "node0.cpu1", "+pcie-gpu0 -pcie-cpu0 +socket-cpu0-cpu1");
}

static void nvswitch_node(void)
{
    struct machine_spec spec;
    ac922(&spec, 1, NETWORK_STAR);
    spec.node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 4, .nics_per_socket = 4, .peer_link = PEER_LINK_SWITCH};
    struct platform *platform = platform_of(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 2 * 9 + 1 + 8);
    check(platform, "node0.gpu0", "node0.gpu1", "+nvlink-gpu0-nvswitch0 -nvlink-gpu1-nvswitch0");
    check(platform, "node0.gpu6", "node0.gpu1", "+nvlink-gpu6-nvswitch0 -nvlink-gpu1-nvswitch0");
    check(platform, "node0.gpu5", "node0.nic4", "+pcie-gpu5 -pcie-nic4");
    const struct platform_route *peers =
        platform_route(platform, port(platform, "node0.gpu0"), port(platform, "node0.gpu7"));
    g_assert_cmpint(peers->latency_ps, ==, 2 * 300 * PS_PER_NS);
    g_assert_cmpint(peers->bandwidth_Bps, ==, 40 * GBps);
}

/* HGX H100 and H200: a GPU's 18 links of 25 GB/s are all that an NVSwitch lets it send or receive, 450 GB/s each way. Its four switches
 * have 64 ports of 50 GB/s both ways (NVIDIA Hopper architecture in depth), 12.8 TB/s for the 7.2 TB/s of eight GPUs: inside they
 * never limit. So all GPUs at once send at their links' rate, whoever they send to, and what seven send to one comes at its link's. */
static void nvswitch_ports(void)
{
    enum { GPUS = 8, BYTES = 1 << 20 };
    const int64_t port_Bps = 18 * 25 * GBps;
    struct machine_spec spec;
    ac922(&spec, 1, NETWORK_STAR);
    spec.node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 4, .nics_per_socket = 4, .peer_link = PEER_LINK_SWITCH};
    spec.nvlink = (struct direct_link_spec){{100 * PS_PER_NS, port_Bps, 0}, 1, 1};
    g_assert_cmpint(4 * 64 * INT64_C(50) * GBps, >=, 2 * GPUS * port_Bps);
    struct platform *platform = platform_of(&spec);
    struct trip trips[GPUS];
    for (int shift = 1; shift <= GPUS; shift++) {
        int count = shift < GPUS ? GPUS : GPUS - 1; /* at last all but GPU 0 send to it */
        for (int i = 0; i < count; i++) {
            int from = shift < GPUS ? i : i + 1, to = shift < GPUS ? (i + shift) % GPUS : 0;
            trips[i] = (struct trip){topology_gpu_port(&spec.node, from),
                                     topology_gpu_port(&spec.node, to),
                                     BYTES,
                                     0,
                                     0,
                                     0};
        }
        run_trips(platform, &by_flow, trips, (size_t)count);
        int64_t all_bytes = shift < GPUS ? BYTES : (int64_t)count * BYTES;
        for (int i = 0; i < count; i++)
            assert_within(trips[i].end_ps, 200 * PS_PER_NS + transfer_ps(all_bytes, port_Bps), 2);
    }
}

/* Four GPUs and two NICs of a socket on two PCIe switches. */
static void pcie_switches(void)
{
    struct machine_spec spec;
    ac922(&spec, 1, NETWORK_STAR);
    spec.node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 4, .nics_per_socket = 2, .gpus_per_switch = 2};
    g_assert_cmpint(topology_switch_count(&spec.node), ==, 4);
    g_assert_cmpint(topology_gpu_switch(&spec.node, 3), ==, 1);
    g_assert_cmpint(topology_gpu_switch(&spec.node, 4), ==, 2);
    g_assert_cmpint(topology_nic_switch(&spec.node, 3), ==, 3);
    struct platform *platform = platform_of(&spec);
    check(platform, "node0.gpu0", "node0.gpu1", "+pcie-gpu0 -pcie-gpu1");
    check(platform, "node0.gpu0", "node0.nic0", "+pcie-gpu0 -pcie-nic0");
    check(platform, "node0.gpu1", "node0.gpu2",
          "+pcie-gpu1 +pcie-switch0 -pcie-switch1 -pcie-gpu2");
    check(platform, "node0.gpu6", "node0.cpu1", "+pcie-gpu6 +pcie-switch3 -pcie-cpu1");
}

static void policies(void)
{
    struct node_shape shape = {.sockets = 2, .gpus_per_socket = 4};
    const struct {
        int64_t policy, nics_per_socket, gpus_per_switch;
        int nics[8];
    } cases[] = {
        {NIC_NEAREST, 2, 0, {0, 0, 0, 0, 2, 2, 2, 2}},
        {NIC_NEAREST, 2, 2, {0, 0, 1, 1, 2, 2, 3, 3}},
        {NIC_SPREAD, 2, 0, {0, 1, 0, 1, 2, 3, 2, 3}},
        {NIC_NEAREST, 4, 0, {0, 1, 2, 3, 4, 5, 6, 7}}, /* one each */
        {NIC_NEAREST, 8, 0, {0, 2, 4, 6, 8, 10, 12, 14}},
        {NIC_NEAREST, 4, 2, {0, 2, 1, 3, 4, 6, 5, 7}}, /* those of a switch have theirs */
        {NIC_NEAREST, 1, 1, {0, 0, 0, 0, 1, 1, 1, 1}}, /* a switch without a NIC */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        shape.nic_policy = cases[i].policy;
        shape.nics_per_socket = cases[i].nics_per_socket;
        shape.gpus_per_switch = cases[i].gpus_per_switch;
        for (int gpu = 0; gpu < 8; gpu++)
            g_assert_cmpint(topology_gpu_nic(&shape, gpu), ==, cases[i].nics[gpu]);
    }
}

/* Several processes on a GPU: spread over all its NICs, or all on the nearest. */
static void policies_of_processes(void)
{
    struct node_shape shape = {
        .sockets = 2, .gpus_per_socket = 1, .nics_per_socket = 4, .nic_policy = NIC_SPREAD};
    for (int sharers = 0; sharers < 8; sharers++)
        g_assert_cmpint(topology_process_nic(&shape, 1, sharers), ==, 4 + sharers % 4);
    shape.gpus_per_socket = 3; /* GPUs 0 to 2 have NICs 0 to 2, and then 3, 0, 1 */
    for (int gpu = 0; gpu < 3; gpu++)
        g_assert_cmpint(topology_process_nic(&shape, gpu, 1), ==, (3 + gpu) % 4);
    shape.nic_policy = NIC_NEAREST;
    g_assert_cmpint(topology_process_nic(&shape, 5, 3), ==, 6); /* its GPU's own */
    shape.nics_per_socket = 2;
    g_assert_cmpint(topology_process_nic(&shape, 5, 3), ==, 2);
}

static void ac922_node(void)
{
    struct machine_spec spec;
    ac922(&spec, 1, NETWORK_STAR);
    struct platform *platform = platform_of(&spec);
    g_assert_cmpint(platform_port_count(platform), ==, 10);
    /* A socket has 3 links between GPUs, 3 to the CPU, 1 to the NIC; one X-Bus. */
    g_assert_cmpuint(platform_link_count(platform), ==, 2 * 7 + 1);
    check(platform, "node0.gpu0", "node0.gpu2", "+nvlink-gpu0-gpu2");
    check(platform, "node0.gpu5", "node0.gpu4", "-nvlink-gpu4-gpu5");
    check(platform, "node0.cpu1", "node0.gpu3", "-nvlink-gpu3-cpu1");
    check(platform, "node0.gpu0", "node0.cpu1", "+nvlink-gpu0-cpu0 +socket-cpu0-cpu1");
    check(platform, "node0.gpu4", "node0.gpu1",
          "+nvlink-gpu4-cpu1 -socket-cpu0-cpu1 -nvlink-gpu1-cpu0");
    check(platform, "node0.gpu0", "node0.nic0", "+nvlink-gpu0-cpu0 +pcie-nic0");
    check(platform, "node0.nic1", "node0.cpu0", "-pcie-nic1 -socket-cpu0-cpu1");

    const struct platform_route *across =
        platform_route(platform, port(platform, "node0.gpu0"), port(platform, "node0.gpu3"));
    g_assert_cmpint(across->latency_ps, ==, (300 + 500 + 300) * PS_PER_NS);
    g_assert_cmpint(across->bandwidth_Bps, ==, 32 * GBps); /* half of the X-Bus */
    const struct platform_route *beside =
        platform_route(platform, port(platform, "node0.gpu0"), port(platform, "node0.gpu1"));
    g_assert_cmpint(beside->bandwidth_Bps, ==, 40 * GBps);
    /* CPU and NIC: two links of 90 ns and a root complex of 50 ns, as where they are drawn. */
    const struct platform_route *nic =
        platform_route(platform, port(platform, "node0.cpu0"), port(platform, "node0.nic0"));
    g_assert_cmpint(nic->latency_ps, ==, (2 * 90 + 50) * PS_PER_NS);
    g_assert_cmpint(nic->bandwidth_Bps, ==, 16 * GBps);
}

/* By default through the sender's nearest NIC, on its rail; a NIC is its own. */
static void default_rails(void)
{
    struct machine_spec spec;
    ac922(&spec, 2, NETWORK_STAR);
    struct platform *platform = platform_of(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 2 * 15 + 4);
    check(platform, "node0.gpu1", "node1.gpu2",
          "+nvlink-gpu1-cpu0 +pcie-nic0 +cable-node0-nic0 -cable-node1-nic0 -pcie-nic0 "
          "-nvlink-gpu2-cpu0");
    check(platform, "node0.gpu3", "node1.gpu4",
          "+nvlink-gpu3-cpu1 +pcie-nic1 +cable-node0-nic1 -cable-node1-nic1 -pcie-nic1 "
          "-nvlink-gpu4-cpu1");
    check(platform, "node0.gpu0", "node1.gpu5",
          "+nvlink-gpu0-cpu0 +pcie-nic0 +cable-node0-nic0 -cable-node1-nic0 -pcie-nic0 "
          "+socket-cpu0-cpu1 -nvlink-gpu5-cpu1");
    check(platform, "node1.cpu1", "node0.cpu0",
          "+pcie-nic1 +cable-node1-nic1 -cable-node0-nic1 -pcie-nic1 -socket-cpu0-cpu1");
    check(platform, "node0.nic1", "node1.nic1", "+cable-node0-nic1 -cable-node1-nic1");
    check(platform, "node0.nic0", "node1.nic1", "+cable-node0-nic0 -cable-node1-nic1");
}

static void chosen_rails(void)
{
    struct machine_spec spec;
    ac922(&spec, 2, NETWORK_STAR);
    struct platform *platform = platform_of(&spec);
    check_via(platform, "node0.cpu0", 1, -1, "node1.cpu0",
              "+socket-cpu0-cpu1 +pcie-nic1 +cable-node0-nic1 -cable-node1-nic1 -pcie-nic1 "
              "-socket-cpu0-cpu1");
    check_via(platform, "node0.cpu0", 0, 1, "node1.cpu1",
              "+pcie-nic0 +cable-node0-nic0 -cable-node1-nic1 -pcie-nic1");
    check_via(platform, "node0.cpu1", -1, 0, "node1.cpu0",
              "+pcie-nic1 +cable-node0-nic1 -cable-node1-nic0 -pcie-nic0");
    check_via(platform, "node0.cpu0", 1, 0, "node0.cpu1", "+socket-cpu0-cpu1"); /* no network */
}

/* Two nodes a leaf; rail 1 of a node takes the next spine after rail 0. */
static void rails_of_fat_tree(void)
{
    struct machine_spec spec;
    ac922(&spec, 5, NETWORK_FAT_TREE);
    struct platform *platform = platform_of(&spec);
    g_assert_cmpuint(platform_link_count(platform), ==, 5 * 15 + 5 * 2 + 3 * 4);
    check(platform, "node0.nic0", "node1.nic0", "+cable-node0-nic0 -cable-node1-nic0");
    check(platform, "node0.nic0", "node3.nic0",
          "+cable-node0-nic0 +cable-leaf0-spine2 -cable-leaf1-spine2 -cable-node3-nic0");
    check(platform, "node0.nic1", "node3.nic1",
          "+cable-node0-nic1 +cable-leaf0-spine3 -cable-leaf1-spine3 -cable-node3-nic1");
    check(platform, "node4.nic1", "node2.nic0",
          "+cable-node4-nic1 +cable-leaf2-spine0 -cable-leaf1-spine0 -cable-node2-nic0");
}

/* --- bandwidth -------------------------------------------------------------------------------- */

/* Bytes from node to node by one rail take twice as long as half of them by each. */
static void check_two_rails(const struct transport_spec *kind, sim_time tolerance_ps)
{
    struct machine_spec spec;
    ac922(&spec, 2, NETWORK_STAR);
    struct platform *platform = platform_of(&spec);
    int from = port(platform, "node0.cpu0"), to = port(platform, "node1.cpu0");
    const int64_t bytes = 24000000;
    const sim_time bus_ps = 2 * 230 * PS_PER_NS, cables_ps = 2 * 150 * PS_PER_NS;
    sim_time one_ps = bus_ps + cables_ps + transfer_ps(2 * bytes, 12 * GBps);
    sim_time two_ps = bus_ps + cables_ps + transfer_ps(bytes, 12 * GBps);
    sim_time xbus_ps = 2 * 500 * PS_PER_NS; /* rail 1 is beyond it */
    static const struct rails one[] = {{0, 0}, {0, 0}}, two[] = {{0, 0}, {1, 1}};
    struct trip trips[] = {{from, to, bytes, 0, 0, 0}, {from, to, bytes, 0, 0, 0}};
    run_trips_by(platform, kind, one, trips, 2);
    for (int i = 0; i < 2; i++)
        assert_within(trips[i].end_ps, one_ps, tolerance_ps);
    run_trips_by(platform, kind, two, trips, 2);
    for (int i = 0; i < 2; i++)
        assert_within(trips[i].end_ps, two_ps + i * xbus_ps, tolerance_ps);
}

static void two_rails_by_flow(void)
{
    check_two_rails(&by_flow, 1);
}

/* A few segments' time. */
static void two_rails_by_segment(void)
{
    check_two_rails(&by_segment, 4 * transfer_ps(by_segment.segment_bytes, 12 * GBps));
}

/* --- devices ---------------------------------------------------------------------------------- */

/* Each GPU has its socket's host and NIC, and what nobody asks for is not made. */
static void sites(void)
{
    struct machine_spec spec;
    ac922(&spec, 2, NETWORK_STAR);
    struct sim *sim = sim_new(1);
    GError *error = NULL;
    struct cluster *cluster = cluster_new(sim, &spec, NODE_DISCRETE, &error);
    g_assert_no_error(error);
    const struct site *first = cluster_site(cluster, 1, 0), *last = cluster_site(cluster, 1, 5);
    g_assert_cmpint(last->host_slot, ==, 1);
    g_assert_cmpint(last->gpu_slot, ==, 7);
    g_assert_cmpint(last->nic_slot, ==, 9);
    g_assert_true(first->bus == last->bus);
    g_assert_true(first->host != last->host);
    g_assert_true(first->gpu != last->gpu);
    g_assert_true(first->nic != last->nic);
    g_assert_true(cluster_site(cluster, 1, 4)->host == last->host);
    g_assert_true(cluster_site(cluster, 1, 4)->nic == last->nic);
    g_assert_true(cluster_site(cluster, 1, 5) == last);
    g_assert_null(cluster_made_site(cluster, 1, 2));
    g_assert_null(cluster_made_site(cluster, 0, 0));
    cluster_free(cluster);
    sim_free(sim);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/topology/numbers", numbers);
    g_test_add_func("/topology/tables", tables);
    add_test("/topology/routes/default", default_node);
    add_test("/topology/routes/pcie", pcie_node);
    add_test("/topology/routes/nvlink-beside-pcie", nvlink_beside_pcie);
    add_test("/topology/routes/nvswitch", nvswitch_node);
    add_test("/topology/nvswitch-ports", nvswitch_ports);
    add_test("/topology/routes/pcie-switches", pcie_switches);
    g_test_add_func("/topology/policies", policies);
    g_test_add_func("/topology/policies-of-processes", policies_of_processes);
    add_test("/topology/routes/ac922", ac922_node);
    add_test("/topology/rails/default", default_rails);
    add_test("/topology/rails/chosen", chosen_rails);
    add_test("/topology/rails/fat-tree", rails_of_fat_tree);
    add_test("/topology/rails/flow", two_rails_by_flow);
    add_test("/topology/rails/segment", two_rails_by_segment);
    add_test("/topology/sites", sites);
    return g_test_run();
}
