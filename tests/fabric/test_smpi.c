/* SPDX-License-Identifier: BSD-3-Clause */
/* A second opinion from outside: unmodified MPI programs (smpi/), run by SimGrid's smpirun on the
 * platform file that we export, against the same exchanges made with our transport `flow`.
 *
 * smpirun is told to add nothing of its own (no costs of calls, no factors on latency or bandwidth,
 * every message a rendezvous), so both sides are latency + bytes / bandwidth of the same routes.
 * What it cannot be told to leave out is a header of 16 bytes a message, which our side sends as
 * well. Messages do not share links here, since SimGrid would share them by latency. Tolerance: 1
 * ps for each message, to which our side rounds up, and a relative 10^-9 for SimGrid's doubles. */
#include "simgrid_alone.h"

#define CABLE_PS (600 * PS_PER_NS)
#define PCIE_PS (90 * PS_PER_NS)

enum { RADIX = 4, HEADER_BYTES = 16 };

/* Each node a GPU behind a NIC. */
static struct platform *cluster(int64_t nodes)
{
    static const char *const ports[] = {"gpu0", "nic0"};
    static const struct node_link pcie = {"gpu0", "nic0", {"pcie", PCIE_PS, 15754000000, false}};
    struct platform_spec spec = {.name = "mpi",
                                 .nodes = nodes,
                                 .node = {.ports = ports,
                                          .port_count = 2,
                                          .links = &pcie,
                                          .link_count = 1,
                                          .gateways = &ports[1],
                                          .gateway_count = 1},
                                 .network = {.topology = NETWORK_FAT_TREE,
                                             .wire.latency_ps = CABLE_PS,
                                             .wire.rate_Bps = 12500000000,
                                             .radix = RADIX,
                                             .uplinks = 4}};
    return get_platform(&spec);
}

/* --- smpirun ---------------------------------------------------------------------------------- */

/* Runs `program` with its arguments on the GPUs of `nodes` nodes; the lines of its output, each a
 * number and seconds, come in any order. */
static void smpirun(struct platform *platform, int nodes, const char *program,
                    const char *const *arguments, double *seconds, size_t count)
{
    g_autofree char *xml = platform_to_simgrid_xml(platform);
    g_autofree char *platform_file = write_temporary("platform.xml", xml);
    GString *hosts = g_string_new(NULL);
    for (int node = 0; node < nodes; node++)
        g_string_append_printf(hosts, "node%d.gpu0\n", node);
    g_autofree char *host_file = write_temporary("hosts", hosts->str);
    g_string_free(hosts, TRUE);

    g_autofree char *ranks = g_strdup_printf("%d", nodes);
    g_autofree char *path = g_build_filename("smpi", program, NULL);
    const char *const fixed[] = {"smpirun",
                                 "-np",
                                 ranks,
                                 "-platform",
                                 platform_file,
                                 "-hostfile",
                                 host_file,
                                 "--log=root.thresh:critical",
                                 "--cfg=network/model:CM02",
                                 "--cfg=network/crosstraffic:no",
                                 "--cfg=network/TCP-gamma:0",
                                 "--cfg=surf/precision:1e-13",
                                 "--cfg=smpi/simulate-computation:no",
                                 "--cfg=smpi/wtime:0",
                                 "--cfg=smpi/send-is-detached-thresh:0",
                                 "--cfg=smpi/async-small-thresh:0",
                                 path};
    GPtrArray *command = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
        g_ptr_array_add(command, (gpointer)(uintptr_t)fixed[i]);
    for (; *arguments; arguments++)
        g_ptr_array_add(command, (gpointer)(uintptr_t)*arguments);
    g_ptr_array_add(command, NULL);

    g_autofree char *output = NULL;
    int status;
    GError *error = NULL;
    g_spawn_sync(NULL, (char **)command->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output,
                 NULL, &status, &error);
    g_assert_no_error(error);
    g_assert_cmpint(status, ==, 0);
    g_ptr_array_free(command, TRUE);
    remove_temporary(platform_file);
    remove_temporary(host_file);

    g_auto(GStrv) lines = g_strsplit(g_strstrip(output), "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, count);
    for (size_t i = 0; i < count; i++) {
        char *rest;
        guint64 number = g_ascii_strtoull(lines[i], &rest, 10);
        seconds[number < count ? number : i] = g_ascii_strtod(rest, NULL);
    }
}

static void assert_agree(double smpi_s, double ours_ps, int messages)
{
    g_test_message("smpirun %.3f ps, ours %.3f ps", smpi_s * 1e12, ours_ps);
    g_assert_cmpfloat_with_epsilon(ours_ps, smpi_s * 1e12, messages + 1e-9 * ours_ps);
}

/* --- ping-pong -------------------------------------------------------------------------------- */

static const char *const sizes[] = {"100", "1001", "4096", "65537", "1048576", "33333333", NULL};

static void ping_pong(void)
{
    struct platform *platform = cluster(2);
    enum { SIZES = G_N_ELEMENTS(sizes) - 1 };
    double smpi_s[SIZES];
    smpirun(platform, 2, "ping_pong", sizes, smpi_s, SIZES);
    struct trip trips[SIZES];
    for (int i = 0; i < SIZES; i++)
        trips[i] = (struct trip){platform_port(platform, 0, "gpu0"),
                                 platform_port(platform, 1, "gpu0"),
                                 atoi(sizes[i]) + HEADER_BYTES,
                                 i * 10 * PS_PER_MS,
                                 -1,
                                 0};
    run_trips(platform, &by_flow, trips, SIZES);
    for (int i = 0; i < SIZES; i++) {
        sim_time ours_ps = trips[i].end_ps - trips[i].start_ps;
        assert_within(ours_ps, 2 * (PCIE_PS + CABLE_PS) + transfer_ps(trips[i].bytes, 12500000000),
                      1);
        assert_agree(smpi_s[i], (double)ours_ps, 1);
    }
}

/* --- ring ------------------------------------------------------------------------------------- */

enum { RANKS = 12, ROUNDS = 7, RING_BYTES = 1000003 };

/* Message i of a round goes from rank i to the next one and starts when both have finished the
 * round before; a rank has finished a round when both its messages have arrived. */
struct ring {
    struct sim *sim;
    struct transport *transport;
    struct ring_rank {
        struct ring *ring;
        int number, port;
        int arrived; /* messages of this round, out and in */
        int rounds;  /* finished */
        sim_time end_ps;
    } ranks[RANKS];
};

static void ring_arrived(void *argument);

static void ring_send(struct ring *ring, int number)
{
    struct ring_rank *from = &ring->ranks[number], *to = &ring->ranks[(number + 1) % RANKS];
    if (from->rounds == to->rounds && from->rounds < ROUNDS)
        transport_send_via(ring->transport, from->port, -1, -1, to->port, RING_BYTES + HEADER_BYTES,
                           &(struct transport_calls){.done = ring_arrived, .argument = from});
}

/* A rank that has finished a round may send to the next one and receive from the one before, if
 * these have finished it too; if they finish later, it is they who start the message. */
static void ring_count(struct ring_rank *rank)
{
    if (++rank->arrived < 2)
        return;
    rank->arrived = 0;
    rank->rounds++;
    rank->end_ps = sim_now(rank->ring->sim);
    ring_send(rank->ring, rank->number);
    ring_send(rank->ring, (rank->number + RANKS - 1) % RANKS);
}

static void ring_arrived(void *argument)
{
    struct ring_rank *from = argument;
    ring_count(from);
    ring_count(&from->ring->ranks[(from->number + 1) % RANKS]);
}

static void ring(void)
{
    struct platform *platform = cluster(RANKS);
    double smpi_s[RANKS];
    g_autofree char *bytes = g_strdup_printf("%d", RING_BYTES);
    g_autofree char *rounds = g_strdup_printf("%d", ROUNDS);
    const char *const arguments[] = {bytes, rounds, NULL};
    smpirun(platform, RANKS, "ring", arguments, smpi_s, RANKS);

    struct ring ring = {.sim = sim_new(1)};
    ring.transport = transport_new(ring.sim, platform, &by_flow);
    for (int i = 0; i < RANKS; i++)
        ring.ranks[i] = (struct ring_rank){&ring, i, platform_port(platform, i, "gpu0"), 0, 0, 0};
    for (int i = 0; i < RANKS; i++)
        ring_send(&ring, i);
    g_assert_cmpint(sim_run(ring.sim), ==, SIM_FINISHED);
    for (int i = 0; i < RANKS; i++) {
        g_assert_cmpint(ring.ranks[i].rounds, ==, ROUNDS);
        assert_agree(smpi_s[i], (double)ring.ranks[i].end_ps, ROUNDS);
    }
    transport_free(ring.transport);
    sim_free(ring.sim);
}

static void run_if_there(gconstpointer body)
{
    if (g_file_test("smpi/ring", G_FILE_TEST_IS_EXECUTABLE))
        run_in_child(body);
    else
        g_test_skip("smpicc is not installed");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/smpi/ping-pong", (gconstpointer)(uintptr_t)ping_pong, run_if_there);
    g_test_add_data_func("/smpi/ring", (gconstpointer)(uintptr_t)ring, run_if_there);
    return g_test_run();
}
