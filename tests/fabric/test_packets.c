/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over 10^9 packets of odd sizes: the time that the server of each link adds up must be exact. n packets of b bytes at
 * r B/s, sent back to back, leave after ceil(n * b * 10^12 / r) ps. If each packet were rounded up to a picosecond, the sum
 * would be wrong by up to 10^9 ps, a millisecond. */
#include "core/wait.h"
#include "fabric_test.h"

/* 10^7 packets are served one by one, and then 99 times as many in one go: serving many at once is
 * the same as serving each (checked on the first 10^7), so this is the sum of 10^9. */
static void check_sum(int64_t packet_bytes, int64_t rate_Bps)
{
    enum { SINGLY = 10000000, TIMES = 100 };
    struct bandwidth_server one_by_one, at_once;
    bandwidth_server_init(&one_by_one, rate_Bps);
    bandwidth_server_init(&at_once, rate_Bps);
    sim_time end_ps = 0;
    for (int i = 0; i < SINGLY; i++)
        end_ps = bandwidth_server_serve(&one_by_one, 0, packet_bytes);
    g_assert_cmpint(end_ps, ==, transfer_ps(SINGLY * packet_bytes, rate_Bps));
    g_assert_cmpint(bandwidth_server_serve(&at_once, 0, SINGLY * packet_bytes), ==, end_ps);
    g_assert_cmpint(at_once.line.remainder, ==, one_by_one.line.remainder);
    end_ps = bandwidth_server_serve(&one_by_one, 0, (TIMES - 1) * SINGLY * packet_bytes);
    g_assert_cmpint(end_ps, ==, transfer_ps(TIMES * SINGLY * packet_bytes, rate_Bps));
}

static void nvlink_packets(void)
{
    check_sum(1037, 900 * GBps); /* 1152.22 ps each */
}

static void pcie_packets(void)
{
    check_sum(151, 15754000000); /* 9584.86 ps each */
}

static void odd_rate_packets(void)
{
    check_sum(1, 999999999937); /* a prime rate: a hair over a picosecond each */
}

/* The same through the whole transport: a transfer of 10^6 odd segments over three links that do
 * not divide them takes what its bytes take on the slowest, to a picosecond a link, and every link
 * has carried every byte. */
static void through_the_transport(void)
{
    static const char *const ports[] = {"a", "b", "c", "d"};
    static const struct node_link links[] = {
        {"a", "b", {"ab", 0, 900 * GBps, false}},
        {"b", "c", {"bc", 0, 15754000000, false}},
        {"c", "d", {"cd", 0, 25781250000, false}},
    };
    struct platform_spec spec = {
        .name = "line",
        .nodes = 1,
        .node = {.ports = ports, .port_count = 4, .links = links, .link_count = 3}};
    struct platform *platform = get_platform(&spec);
    const struct transport_spec odd = {
        .kind = TRANSPORT_SEGMENT, .segment_bytes = 151, .segments = NO_MOST_SEGMENTS};
    struct trip trip = {0, 3, INT64_C(151) * 1000000, 0, 0, 0};
    run_trips(platform, &odd, &trip, 1);
    assert_within(trip.end_ps, transfer_ps(trip.bytes, 15754000000), 3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/packets/nvlink", nvlink_packets);
    g_test_add_func("/packets/pcie", pcie_packets);
    g_test_add_func("/packets/odd-rate", odd_rate_packets);
    add_test("/packets/transport", through_the_transport);
    return g_test_run();
}
