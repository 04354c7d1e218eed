/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments whose size grows with the transfer, compared with numbers computed by hand, with small segments and with flow: a
 * single transfer, equal transfers on one link, small transfers among large ones, and the faces of a halo exchange. Random
 * traffic is tested in test_segment_against_flow.c. */
#include "../sanitized.h"
#include "fabric_test.h"

#define RATE_Bps (10 * GBps)
#define SMALLEST 4096

static struct transport_spec in_segments(int64_t segments)
{
    return (struct transport_spec){
        .kind = TRANSPORT_SEGMENT, .segment_bytes = SMALLEST, .segments = segments};
}

static const int64_t counts[] = {1, 2, 4, 16, NO_MOST_SEGMENTS};

static struct platform *line_of(const int64_t *rates_Bps, size_t links)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const char *const link_names[] = {"ab", "bc", "cd", "de"};
    struct node_link drawn[4];
    for (size_t i = 0; i < links; i++)
        drawn[i] = (struct node_link){
            names[i], names[i + 1], {link_names[i], PS_PER_NS, rates_Bps[i], false}};
    struct platform_spec spec = {
        .name = "line",
        .nodes = 1,
        .node = {.ports = names, .port_count = links + 1, .links = drawn, .link_count = links}};
    return get_platform(&spec);
}

/* Latency and bytes at the slowest link's rate, in however many segments: a picosecond a link. */
static void lone(void)
{
    static const int64_t rates_Bps[] = {20 * GBps, 12500000000, 12500000000, 15754000000};
    struct platform *platform = line_of(rates_Bps, 4);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        struct transport_spec spec = in_segments(counts[i]);
        struct trip trips[] = {{0, 4, 4718592, 0, 0, 0},
                               {0, 4, 100, PS_PER_S, 0, 0},
                               {4, 0, 3000017, 2 * PS_PER_S, 0, 0}};
        run_trips(platform, &spec, trips, G_N_ELEMENTS(trips));
        for (size_t j = 0; j < G_N_ELEMENTS(trips); j++)
            assert_within(trips[j].end_ps - trips[j].start_ps,
                          4 * PS_PER_NS + transfer_ps(trips[j].bytes, 12500000000), 4);
    }
}

/* K equal transfers: all have sent after K T, and none is more than a segment ahead of another, so the first
 * ends a segment of each of the others earlier. */
static void equal(void)
{
    enum { K = 7 };
    static const int64_t bytes = 16 << 18;
    static const int64_t rate_Bps = RATE_Bps;
    struct platform *platform = line_of(&rate_Bps, 1);
    sim_time together_ps = PS_PER_NS + transfer_ps(K * bytes, RATE_Bps);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        struct transport_spec spec = in_segments(counts[i]);
        struct trip trips[K];
        for (int j = 0; j < K; j++)
            trips[j] = (struct trip){0, 1, bytes, 0, 0, 0};
        run_trips(platform, &spec, trips, K);
        int64_t segment_bytes = MAX(SMALLEST, bytes / counts[i]);
        for (int j = 0; j < K; j++)
            assert_within(trips[j].end_ps, together_ps,
                          (K - 1) * transfer_ps(segment_bytes, RATE_Bps));
        g_assert_cmpint(trips[K - 1].end_ps, ==, together_ps);
    }
}

/* Small transfers that come one by one among eight large ones wait for the smallest segment that is being
 * sent and take their own time, however large the others' segments are. The large ones all in all take what
 * all bytes do. */
static void small_among_large(void)
{
    enum { LARGE = 8, SMALL = 100 };
    static const int64_t rate_Bps = RATE_Bps;
    struct platform *platform = line_of(&rate_Bps, 1);
    sim_time segment_ps = transfer_ps(SMALLEST, RATE_Bps);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        struct transport_spec spec = in_segments(counts[i]);
        struct trip trips[LARGE + SMALL];
        int64_t bytes = 0;
        for (int j = 0; j < LARGE + SMALL; j++) {
            bool is_large = j < LARGE;
            trips[j] = (struct trip){
                0, 1, is_large ? 4718592 : SMALLEST - j, is_large ? 0 : 1000 + j * 25 * PS_PER_US,
                0, 0};
            bytes += trips[j].bytes;
        }
        run_trips(platform, &spec, trips, LARGE + SMALL);
        sim_time last_ps = 0;
        for (int j = 0; j < LARGE + SMALL; j++) {
            last_ps = MAX(last_ps, trips[j].end_ps);
            if (j >= LARGE)
                g_assert_cmpint(trips[j].end_ps - trips[j].start_ps, <=,
                                PS_PER_NS + 2 * segment_ps);
        }
        assert_within(last_ps, PS_PER_NS + transfer_ps(bytes, RATE_Bps), SMALL + LARGE);
    }
}

/* A stream of small transfers does not keep a large one from half of the link: each waits for a turn of
 * the large one's. */
static void stream_of_small(void)
{
    enum { SMALL = 1000 };
    static const int64_t rate_Bps = RATE_Bps;
    struct platform *platform = line_of(&rate_Bps, 1);
    struct transport_spec spec = in_segments(1);
    struct trip trips[SMALL + 1];
    for (int j = 0; j < SMALL; j++)
        trips[j] = (struct trip){0, 1, SMALLEST, 0, 0, 0};
    trips[SMALL] = (struct trip){0, 1, SMALL / 2 * SMALLEST, 0, 0, 0};
    run_trips(platform, &spec, trips, SMALL + 1);
    assert_within(trips[SMALL].end_ps, PS_PER_NS + transfer_ps(SMALL * SMALLEST, RATE_Bps),
                  2 * transfer_ps(SMALLEST, RATE_Bps));
}

/* --- the faces of a halo exchange ------------------------------------------------------------- */

enum { NODES = 64, GPUS = 6, SIDE_X = 8, SIDE_Y = 8, SIDE_Z = 6, BLOCKS = NODES * GPUS };

/* Six GPUs behind two NICs. */
static struct platform *machine(void)
{
    static const char *const ports[] = {"nic0", "nic1", "gpu0", "gpu1",
                                        "gpu2", "gpu3", "gpu4", "gpu5"};
    static struct node_link links[GPUS + 1] = {
        [GPUS] = {"nic0", "nic1", {"sockets", 150 * PS_PER_NS, 60 * GBps, false}}};
    static char names[GPUS][8];
    for (int i = 0; i < GPUS; i++) {
        snprintf(names[i], sizeof names[i], "link%d", i);
        links[i] = (struct node_link){
            ports[2 + i], ports[i / 3], {names[i], 90 * PS_PER_NS, 15754000000, false}};
    }
    struct platform_spec spec = {.name = "halo",
                                 .nodes = NODES,
                                 .node = {ports, 8, NULL, 0, links, GPUS + 1, ports, 2, GPUS},
                                 .network = {.topology = NETWORK_FAT_TREE,
                                             .wire.latency_ps = 120 * PS_PER_NS,
                                             .wire.rate_Bps = 12500000000,
                                             .radix = 16,
                                             .uplinks = 32}};
    return get_platform(&spec);
}

static int neighbour(int block, int direction)
{
    static const int sides[] = {SIDE_X, SIDE_Y, SIDE_Z};
    int at[] = {block % SIDE_X, block / SIDE_X % SIDE_Y, block / (SIDE_X * SIDE_Y)};
    int axis = direction / 2;
    at[axis] = (at[axis] + (direction % 2 ? sides[axis] - 1 : 1)) % sides[axis];
    return at[0] + SIDE_X * (at[1] + SIDE_Y * at[2]);
}

/* All faces to other nodes, started within 50 us of each other. */
static size_t faces(struct platform *platform, struct trip *trips, int64_t face_bytes)
{
    static const char *const gpus[] = {"gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5"};
    size_t count = 0;
    for (int block = 0; block < BLOCKS; block++)
        for (int direction = 0; direction < 6; direction++) {
            int to = neighbour(block, direction);
            if (to / GPUS == block / GPUS)
                continue;
            int64_t bytes = direction < 2 ? face_bytes : face_bytes / 3;
            sim_time start_ps = (block * 7919 + direction * 104729) % 50000 * PS_PER_NS;
            trips[count++] =
                (struct trip){platform_port(platform, block / GPUS, gpus[block % GPUS]),
                              platform_port(platform, to / GPUS, gpus[to % GPUS]),
                              bytes,
                              start_ps,
                              0,
                              0};
        }
    return count;
}

static sim_time last_end_ps(struct platform *platform, const struct transport_spec *spec,
                            struct trip *trips, size_t count)
{
    sim_time last_ps = 0;
    run_trips(platform, spec, trips, count);
    for (size_t i = 0; i < count; i++)
        last_ps = MAX(last_ps, trips[i].end_ps);
    return last_ps;
}

static void assert_moves(const char *what, double of_ps, double from_ps, double most)
{
    g_test_message("%s: %+.2f %%", what, 100 * (of_ps / from_ps - 1));
    g_assert_cmpfloat(ABS(of_ps / from_ps - 1), <=, most);
}

/* An exchange is over with its last face. That moves by less than 4 % between segments that grow and small ones,
 * and by less than 5 % from flow, with faces of 96 KiB and of 4.5 MiB and a third of it. Scenarios of Jacobi3D begin with
 * 64 KiB for large faces: less than 2 % from small ones. */
static void halo(void)
{
    static const int64_t sizes[] = {98304, 4718592}, coarse[] = {SMALLEST, 65536};
    struct platform *platform = machine();
    g_autofree struct trip *trips = g_new(struct trip, BLOCKS * 6);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        if (!is_sampled(i, 2))
            continue;
        size_t count = faces(platform, trips, sizes[i]);
        double flow_ps = (double)last_end_ps(platform, &by_flow, trips, count);
        double small_ps = (double)last_end_ps(platform, &by_segment, trips, count);
        for (size_t j = 0; j < G_N_ELEMENTS(counts); j++) {
            if (!is_sampled(j, 2))
                continue;
            struct transport_spec spec = in_segments(counts[j]);
            double grown_ps = (double)last_end_ps(platform, &spec, trips, count);
            bool is_bound = counts[j] >= 4;
            g_test_message("%d B, %d segments", (int)sizes[i], (int)counts[j]);
            assert_moves("from small ones", grown_ps, small_ps, is_bound ? 0.04 : 1);
            assert_moves("from flow", grown_ps, flow_ps, is_bound ? 0.05 : 1);
        }
        struct transport_spec spec = in_segments(16);
        spec.segment_bytes = coarse[i];
        double coarse_ps = (double)last_end_ps(platform, &spec, trips, count);
        g_test_message("%d B, segments of %d B", (int)sizes[i], (int)coarse[i]);
        assert_moves("from small ones", coarse_ps, small_ps, 0.02);
        assert_moves("from flow", coarse_ps, flow_ps, 0.05);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/growing-segments/lone", lone);
    add_test("/growing-segments/equal", equal);
    add_test("/growing-segments/small-among-large", small_among_large);
    add_test("/growing-segments/stream-of-small", stream_of_small);
    add_test("/growing-segments/halo", halo);
    return g_test_run();
}
