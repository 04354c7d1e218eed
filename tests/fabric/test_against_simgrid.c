/* Our transport `flow` with its two clocks, among 100,000 events of our own, against SimGrid by
 * itself on the exported platform: 1,000 messages on a star of eight nodes must end at the same
 * times. The star has no latency, since SimGrid would share the links by it (test_simgrid_traps.c).
 *
 * Tolerance: 1 ps, to which our side rounds up. */
#include "core/rng.h"
#include "simgrid_alone.h"

enum { NODES = 8, MESSAGES = 1000, OWN_EVENTS = 100000 };

/* Common to parent and children. */
static struct {
    struct trip trips[MESSAGES];
    struct alone_message messages[MESSAGES];
    char names[NODES][16];
    char platform_file[512];
    uint64_t own_events;
} * shared;

/* Half of the messages start in groups at the same time, in whole nanoseconds; many overlap. */
static void draw_messages(void)
{
    struct rng rng;
    rng_init(&rng, 1, "messages");
    sim_time start_ps = 0;
    for (int i = 0; i < NODES; i++)
        g_snprintf(shared->names[i], sizeof shared->names[i], "node%d.nic0", i);
    for (int i = 0; i < MESSAGES; i++) {
        int from = (int)rng_below(&rng, NODES),
            to = (from + 1 + (int)rng_below(&rng, NODES - 1)) % NODES;
        if (rng_below(&rng, 2))
            start_ps += (sim_time)rng_below(&rng, 2000) * PS_PER_NS;
        int64_t bytes = 1 + (int64_t)rng_below(&rng, 100000);
        shared->trips[i] = (struct trip){from, to, bytes, start_ps, -1, 0};
        shared->messages[i] = (struct alone_message){shared->names[from], shared->names[to],
                                                     (double)start_ps / 1e12, (double)bytes, -1};
    }
}

static struct platform *star(void)
{
    static const char *const nic = "nic0";
    struct platform_spec spec = {
        .name = "star",
        .nodes = NODES,
        .node = {.ports = &nic, .port_count = 1, .gateways = &nic, .gateway_count = 1},
        .network = {.topology = NETWORK_STAR, .latency_ps = 0, .rate_Bps = 12500000000}};
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
    struct platform *platform = star();
    g_autofree char *xml = platform_to_simgrid_xml(platform);
    g_autofree char *path = write_temporary("star.xml", xml);
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

static void same_ends(void)
{
    draw_messages();
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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    shared = shared_memory(sizeof *shared);
    g_test_add_func("/against-simgrid/same-ends", same_ends);
    return g_test_run();
}
