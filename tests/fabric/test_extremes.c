/* SPDX-License-Identifier: BSD-3-Clause */
/* Transports at the bounds of their parameters: rates of 1 B/s and 1000 TB/s, 0 bytes and 2^63 - 1 bytes. Each transport is
 * compared with its formula in 128 bits. A transfer ends at the time of the formula, exact to the picosecond (two transfers
 * that share a link: as exact as a double). If that time is beyond the range of the clock, the run reports that it takes too
 * long. */
#include "fabric_test.h"

enum { A, B };

static const int64_t rates_Bps[] = {1, 3, 1000, 12500000000, 1000000000000000};
static const int64_t sizes[] = {0,
                                1,
                                4097,
                                1000003,
                                18000000,
                                INT64_C(1) << 40,
                                (INT64_C(1) << 46) + 1,
                                INT64_C(1) << 60,
                                INT64_MAX};

#define LATENCY_PS (90 * PS_PER_NS)

static struct platform *pair(int64_t rate_Bps)
{
    static const char *const ports[] = {"a", "b"};
    const struct node_link link = {"a", "b", {"ab", LATENCY_PS, rate_Bps, false}};
    const struct platform_spec spec = {
        .name = "pair",
        .nodes = 1,
        .node = {.ports = ports, .port_count = 2, .links = &link, .link_count = 1}};
    return get_platform(&spec);
}

/* Runs trips of one size that start together. Returns how the run ended. */
static enum sim_end run_alike(struct platform *platform, const struct transport_spec *spec,
                              int64_t bytes, struct trip *trips, size_t count)
{
    struct sim *sim = sim_new(1);
    struct transport *transport = transport_new(sim, platform, spec);
    struct trip_at_work work[4];
    int places = 0;
    for (size_t i = 0; i < count; i++) {
        trips[i] = (struct trip){A, B, bytes, 0, -1, 0};
        work[i] = (struct trip_at_work){sim, transport, &trips[i], &places, NULL};
        trip_starts(&work[i]);
    }
    enum sim_end end = sim_run(sim);
    transport_free(transport);
    sim_free(sim);
    return end;
}

/* Latency + bytes / rate, rounded up; SIM_TIME_NEVER beyond the clock. */
static sim_time expected_ps(int64_t bytes, int64_t rate_Bps, int times)
{
    sim_uint128 work = product_128(bytes, PS_PER_S) * (unsigned)times;
    sim_uint128 exact = (work + (uint64_t)(rate_Bps - 1)) / (uint64_t)rate_Bps + LATENCY_PS;
    return duration_ps(exact);
}

/* Services of segments are events: so many are still quick. */
static bool is_quick(const struct transport_spec *spec, int64_t bytes)
{
    return spec->kind == TRANSPORT_FLOW || bytes / spec->segment_bytes < 20000;
}

static void lone(int64_t rate_Bps)
{
    static const struct transport_spec kinds[] = {
        {.kind = TRANSPORT_FLOW, .segment_bytes = 4096},
        {.kind = TRANSPORT_SEGMENT, .segment_bytes = 4096, .segments = NO_MOST_SEGMENTS},
        {.kind = TRANSPORT_SEGMENT, .segment_bytes = 1 << 30, .segments = NO_MOST_SEGMENTS},
    };
    struct platform *platform = pair(rate_Bps);
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
            struct trip trip;
            sim_time end_ps = expected_ps(sizes[i], rate_Bps, 1);
            if (!is_quick(&kinds[kind], sizes[i]))
                continue;
            enum sim_end end = run_alike(platform, &kinds[kind], sizes[i], &trip, 1);
            g_assert_cmpint(end, ==, end_ps > SIM_TIME_LAST ? SIM_TOO_LONG : SIM_FINISHED);
            g_assert_cmpint(trip.end_ps, ==, end_ps > SIM_TIME_LAST ? -1 : end_ps);
        }
    }
}

/* Three at once: all end after three times as long by flow, to 45 bits (a double has 53, and each of up to
 * 2^14 pieces is rounded). By segments the last one does. */
static void check_shared(int64_t rate_Bps)
{
    struct platform *platform = pair(rate_Bps);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes) - 1 && sizes[i] < INT64_MAX / 3; i++) {
        struct trip trips[3];
        sim_time end_ps = expected_ps(sizes[i], rate_Bps, 3);
        enum sim_end expected = end_ps > SIM_TIME_LAST ? SIM_TOO_LONG : SIM_FINISHED;
        g_assert_cmpint(run_alike(platform, &by_flow, sizes[i], trips, 3), ==, expected);
        for (int k = 0; k < 3; k++) {
            if (expected == SIM_FINISHED)
                assert_within(trips[k].end_ps, end_ps, 2 + (end_ps >> 44));
            else
                g_assert_cmpint(trips[k].end_ps, ==, -1);
        }
        if (!is_quick(&by_segment, sizes[i]))
            continue;
        g_assert_cmpint(run_alike(platform, &by_segment, sizes[i], trips, 3), ==, expected);
        if (expected == SIM_FINISHED)
            g_assert_cmpint(MAX(trips[0].end_ps, MAX(trips[1].end_ps, trips[2].end_ps)), ==,
                            end_ps);
    }
}

struct extreme {
    const char *name;
    void (*body)(int64_t rate_Bps);
};

static const struct extreme *at_work;
static int64_t rate_at_work_Bps;

static void run_extreme(void)
{
    at_work->body(rate_at_work_Bps);
}

/* Each rate in a process of its own: SimGrid holds one platform. */
static void test_extreme(const void *argument)
{
    at_work = argument;
    for (size_t i = 0; i < G_N_ELEMENTS(rates_Bps); i++) {
        rate_at_work_Bps = rates_Bps[i];
        run_in_child((gconstpointer)(uintptr_t)run_extreme);
    }
}

int main(int argc, char **argv)
{
    static const struct extreme extremes[] = {{"lone", lone}, {"shared", check_shared}};
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(extremes); i++) {
        g_autofree char *path = g_strdup_printf("/extremes/%s", extremes[i].name);
        g_test_add_data_func(path, &extremes[i], test_extreme);
    }
    return g_test_run();
}
