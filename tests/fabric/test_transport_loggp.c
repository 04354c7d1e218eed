/* SPDX-License-Identifier: BSD-3-Clause */
/* The LogGP kind of transport against closed forms, with the parameters of a LogGOPSim answer: a message of
 * 1,000 B at L = 2500, o = 1500, g = 1000 ns and G = 6 ns a byte ends at 11,494 ns (tests/goal: pingpong,
 * whose second rank then takes 1,500 ns more to send). */
#include "fabric_test.h"

#define NS PS_PER_NS
#define L (2500 * NS)
#define O_SEND (1500 * NS)
#define GAP (1000 * NS)
#define BYTE_PS (6 * NS)

static struct transport_spec by_loggp(void)
{
    return (struct transport_spec){.kind = TRANSPORT_LOGGP,
                                   .loggp_latency_ps = L,
                                   .loggp_overhead_ps = O_SEND,
                                   .loggp_gap_ps = GAP,
                                   .loggp_rate_Bps = PS_PER_S / BYTE_PS,
                                   .loggp_eager_bytes = 65535};
}

/* The rate is a whole number of bytes per second, so G is a little more than 6 ns. */
static sim_time further_ps(int64_t bytes)
{
    return transfer_ps(bytes - 1, PS_PER_S / BYTE_PS);
}

static struct platform *star(void)
{
    static const char *const ports[] = {"p0"};
    struct platform_spec spec = {
        .name = "star",
        .nodes = 4,
        .node = {.ports = ports, .port_count = 1, .gateways = ports, .gateway_count = 1},
        .network = {.topology = NETWORK_STAR, .latency_ps = 77, .rate_Bps = GBps}};
    return get_platform(&spec);
}

static void lone_message(void)
{
    struct transport_spec spec = by_loggp();
    struct trip trips[] = {
        {0, 1, 1000, 0, 0, 0}, {0, 1, 1, PS_PER_S, 0, 0}, {0, 1, 0, 2 * PS_PER_S, 0, 0}};
    run_trips(star(), &spec, trips, G_N_ELEMENTS(trips));
    g_assert_cmpint(trips[0].end_ps, ==, 2 * O_SEND + L + further_ps(1000));
    assert_within(trips[0].end_ps, 11494 * NS, NS);
    g_assert_cmpint(trips[1].end_ps - PS_PER_S, ==, 2 * O_SEND + L);
    g_assert_cmpint(trips[2].end_ps - 2 * PS_PER_S, ==, 2 * O_SEND + L);
}

/* Three messages of one sender to different receivers: each goes when processor and NIC are free. */
static void fan_out(void)
{
    struct transport_spec spec = by_loggp();
    struct trip trips[] = {{0, 1, 1000, 0, 0, 0}, {0, 2, 1000, 0, 0, 0}, {0, 3, 1000, 0, 0, 0}};
    sim_time busy_ps = MAX(O_SEND, GAP + further_ps(1000));
    run_trips(star(), &spec, trips, G_N_ELEMENTS(trips));
    for (int i = 0; i < 3; i++)
        g_assert_cmpint(trips[i].end_ps, ==, i * busy_ps + 2 * O_SEND + L + further_ps(1000));
}

/* Three senders to one receiver: it takes them one after the other. */
static void fan_in(void)
{
    struct transport_spec spec = by_loggp();
    struct trip trips[] = {{1, 0, 1000, 0, 0, 0}, {2, 0, 1000, 0, 0, 0}, {3, 0, 1000, 0, 0, 0}};
    sim_time busy_ps = MAX(O_SEND, GAP) + further_ps(1000);
    run_trips(star(), &spec, trips, G_N_ELEMENTS(trips));
    for (int i = 0; i < 3; i++)
        g_assert_cmpint(trips[i].end_ps, ==, i * busy_ps + 2 * O_SEND + L + further_ps(1000));
}

/* Above S the sender is not free before the receiver takes the message, L after it has gone. */
static void rendezvous(void)
{
    struct transport_spec spec = by_loggp();
    struct trip trips[] = {{0, 1, 2, 0, 0, 0}, {0, 2, 2, 0, 0, 0}};
    run_trips(star(), &spec, trips, 2);
    g_assert_cmpint(trips[1].end_ps - trips[0].end_ps, ==, O_SEND);
    spec.loggp_eager_bytes = 1;
    run_trips(star(), &spec, trips, 2);
    g_assert_cmpint(trips[1].end_ps - trips[0].end_ps, ==, O_SEND + L);
}

/* With O above G the receiver's processor is taken for longer than its NIC. */
static void overhead_by_byte(void)
{
    struct transport_spec spec = by_loggp();
    spec.loggp_overhead_rate_Bps = spec.loggp_rate_Bps / 2;
    struct trip trips[] = {{0, 1, 1000, 0, 0, 0}};
    run_trips(star(), &spec, trips, 1);
    g_assert_cmpint(trips[0].end_ps, ==,
                    2 * O_SEND + L + transfer_ps(999, spec.loggp_overhead_rate_Bps));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/transport-loggp/lone-message", lone_message);
    add_test("/transport-loggp/fan-out", fan_out);
    add_test("/transport-loggp/fan-in", fan_in);
    add_test("/transport-loggp/rendezvous", rendezvous);
    add_test("/transport-loggp/overhead-by-byte", overhead_by_byte);
    return g_test_run();
}
