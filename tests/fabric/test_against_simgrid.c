/* SPDX-License-Identifier: BSD-3-Clause */
/* Our transport `flow` with its two clocks, among 100,000 events of our own, against SimGrid by
 * itself on the exported platform: 1,000 messages must end at the same times, on a star of eight
 * nodes and on a fat tree of nodes with two rails and links inside. The links have
 * no latency, since SimGrid would share them by it (test_simgrid_traps.c).
 *
 * Tolerance: 1 ps, to which our side rounds up. */
#include "core/rng.h"
#include "simgrid_alone.h"

enum { NODES = 8, MESSAGES = 1000, OWN_EVENTS = 100000, MOST_PORTS = 64 };

/* Common to parent and children. */
static struct {
    struct trip trips[MESSAGES];
    struct alone_message messages[MESSAGES];
    char names[MOST_PORTS][16]; /* of ports */
    struct platform *(*platform)(void);
    char platform_file[512];
    uint64_t own_events;
} * shared;

/* Half of the messages start in groups at the same time, in whole nanoseconds; many overlap. */
static void draw_messages(const char *const *port_names, int ports_a_node)
{
    uint64_t ports = (uint64_t)(NODES * ports_a_node);
    struct rng rng;
    rng_init(&rng, 1, "messages");
    sim_time start_ps = 0;
    for (int i = 0; i < (int)ports; i++)
        g_snprintf(shared->names[i], sizeof shared->names[i], "node%d.%s", i / ports_a_node,
                   port_names[i % ports_a_node]);
    for (int i = 0; i < MESSAGES; i++) {
        int from = (int)rng_below(&rng, ports),
            to = (from + 1 + (int)rng_below(&rng, ports - 1)) % (int)ports;
        if (rng_below(&rng, 2))
            start_ps += (sim_time)rng_below(&rng, 2000) * PS_PER_NS;
        int64_t bytes = 1 + (int64_t)rng_below(&rng, 100000);
        shared->trips[i] = (struct trip){from, to, bytes, start_ps, -1, 0};
        shared->messages[i] = (struct alone_message){shared->names[from], shared->names[to],
                                                     (double)start_ps / 1e12, (double)bytes, -1};
    }
}

static const char *const nic = "nic0";
static struct platform *star(void)
{
    struct platform_spec spec = {
        .name = "star",
        .nodes = NODES,
        .node = {.ports = &nic, .port_count = 1, .gateways = &nic, .gateway_count = 1},
        .network = {.topology = NETWORK_STAR, .wire.latency_ps = 0, .wire.rate_Bps = 12500000000}};
    return get_platform(&spec);
}

/* Two sockets, each a GPU and a NIC, with a link between the sockets. */
static const char *const rails_ports[] = {"nic0", "nic1", "gpu0", "gpu1"};
static struct platform *rails(void)
{
    static const struct node_link links[] = {
        {"gpu0", "nic0", {"bus0", 0, 16 * GBps, false}},
        {"gpu1", "nic1", {"bus1", 0, 16 * GBps, false}},
        {"gpu0", "gpu1", {"pipe", 0, 9 * GBps, false}},
    };
    struct platform_spec spec = {.name = "rails",
                                 .nodes = NODES,
                                 .node = {.ports = rails_ports,
                                          .port_count = 4,
                                          .links = links,
                                          .link_count = 3,
                                          .gateways = rails_ports,
                                          .gateway_count = 2},
                                 .network = {.topology = NETWORK_FAT_TREE,
                                             .wire.latency_ps = 0,
                                             .wire.rate_Bps = 12500000000,
                                             .radix = 4,
                                             .uplinks = 3}};
    return get_platform(&spec);
}

/* --- ours ------------------------------------------------------------------------------------- */

struct ours {
    struct sim *sim;
    struct rng rng;
};

/* Events of our own, one after the other, at most 10 ns apart. */
static void own_event(void *argument)
{
    struct ours *ours = argument;
    if (++shared->own_events < OWN_EVENTS)
        event_schedule(ours->sim->events,
                       sim_now(ours->sim) + (sim_time)rng_below(&ours->rng, 10 * PS_PER_NS),
                       own_event, ours);
}

static void run_ours(void)
{
    struct platform *platform = shared->platform();
    g_autofree char *xml = platform_to_simgrid_xml(platform);
    g_autofree char *path = write_temporary("platform.xml", xml);
    g_strlcpy(shared->platform_file, path, sizeof shared->platform_file);

    struct ours ours = {.sim = sim_new(1)};
    rng_init(&ours.rng, 1, "own events");
    struct transport *transport = transport_new(ours.sim, platform, &by_flow);
    struct trip_at_work work[MESSAGES];
    int places = 0;
    for (int i = 0; i < MESSAGES; i++) {
        work[i] = (struct trip_at_work){ours.sim, transport, &shared->trips[i], &places, NULL};
        event_schedule(ours.sim->events, shared->trips[i].start_ps, trip_starts, &work[i]);
    }
    event_schedule(ours.sim->events, 0, own_event, &ours);
    g_assert_cmpint(sim_run(ours.sim), ==, SIM_FINISHED);
    transport_free(transport);
    sim_free(ours.sim);
}

/* --- SimGrid's -------------------------------------------------------------------------------- */

static void run_alone(void)
{
    alone_start(our_settings, shared->platform_file);
    alone_run(shared->messages, MESSAGES);
}

static void check_ends(struct platform *(*platform)(void), const char *const *port_names,
                       int ports_a_node)
{
    memset(shared, 0, sizeof *shared);
    shared->platform = platform;
    draw_messages(port_names, ports_a_node);
    run_in_child((gconstpointer)(uintptr_t)run_ours);
    run_in_child((gconstpointer)(uintptr_t)run_alone);
    remove_temporary(shared->platform_file);
    g_assert_cmpuint(shared->own_events, ==, OWN_EVENTS);
    double worst_ps = 0;
    for (int i = 0; i < MESSAGES; i++) {
        double off_ps = (double)shared->trips[i].end_ps - shared->messages[i].end_s * 1e12;
        worst_ps = MAX(worst_ps, ABS(off_ps));
    }
    g_test_message("largest difference: %.3f ps", worst_ps);
    g_assert_cmpfloat(worst_ps, <=, 1);
}

static void on_star(void)
{
    check_ends(star, &nic, 1);
}

static void on_rails(void)
{
    check_ends(rails, rails_ports, G_N_ELEMENTS(rails_ports));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    shared = shared_memory(sizeof *shared);
    g_test_add_func("/against-simgrid/star", on_star);
    g_test_add_func("/against-simgrid/rails", on_rails);
    return g_test_run();
}
