/* SPDX-License-Identifier: BSD-3-Clause */
/* Both kinds of transport against numbers worked out by hand.
 *
 * Platforms are single nodes with the ports a, b, c, d in a line. `flow` must be exact to the
 * rounding of a picosecond; `segment` to some segments' time on a link where transfers meet, and
 * exact to a picosecond a link for a lone one. */
#include "../run_until.h"
#include "fabric_test.h"

static const char *const port_names[] = {"a", "b", "c", "d"};
enum { A, B, C, D };

static struct platform *line(size_t links, const struct link_spec *specs)
{
    struct node_link drawn[3];
    for (size_t i = 0; i < links; i++)
        drawn[i] = (struct node_link){port_names[i], port_names[i + 1], specs[i]};
    struct platform_spec spec = {
        .name = "line",
        .nodes = 1,
        .node = {
            .ports = port_names, .port_count = links + 1, .links = drawn, .link_count = links}};
    return get_platform(&spec);
}

static sim_time segment_ps(int64_t rate_Bps)
{
    return transfer_ps(by_segment.segment_bytes, rate_Bps);
}

/* --- a lone transfer -------------------------------------------------------------------------- */

/* latency + bytes / bandwidth, rounded up: one transfer after the other, so none meets another.
 * What `flow` reads from SimGrid's clock is rounded up but for 1/8 ps, so it may be one less. */
static void check_lone(const struct link_spec *link)
{
    static const int64_t sizes[] = {0, 1, 7, 64, 4095, 4096, 4097, 65536, 1000003, 1 << 30};
    struct platform *platform = line(1, link);
    struct trip trips[G_N_ELEMENTS(sizes)];
    sim_time start_ps = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        trips[i] = (struct trip){A, B, sizes[i], start_ps, 0, 0};
        start_ps += 100 * PS_PER_MS + 12345;
    }
    const struct transport_spec *kinds[] = {&by_flow, &by_segment};
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        run_trips(platform, kinds[kind], trips, G_N_ELEMENTS(sizes));
        for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
            g_assert_cmpint(trips[i].end_ps - trips[i].start_ps, ==,
                            link->latency_ps + transfer_ps(sizes[i], link->bandwidth_Bps));
    }
}

static void lone_on_pcie(void)
{
    check_lone(&(struct link_spec){"pcie", 90 * PS_PER_NS, 15754000000, false});
}

static void lone_on_nvlink(void)
{
    check_lone(&(struct link_spec){"nvlink", 700 * PS_PER_NS, 900 * GBps, false});
}

static void lone_on_infiniband(void)
{
    check_lone(&(struct link_spec){"ib", 600 * PS_PER_NS, 12500000000, false});
}

static const struct link_spec three_links[] = {
    {"ab", 90 * PS_PER_NS, 20 * GBps, false},
    {"bc", 600 * PS_PER_NS, 12500000000, false},
    {"cd", 33, 15754000000, false},
};

/* Over three links: the sum of the latencies and the slowest link's bandwidth. Rates fall and then
 * rise, so that `segment` never lacks bytes for the slowest link: one picosecond a link. Backwards
 * 15.754 GB/s come before 20 GB/s, behind the slowest, which costs nothing either. */
static void lone_over_three_links(void)
{
    struct platform *platform = line(3, three_links);
    sim_time latency_ps = 690 * PS_PER_NS + 33;
    struct trip trips[] = {{A, D, 3000017, 0, 0, 0}, {D, A, 3000017, PS_PER_S, 0, 0}};
    run_trips(platform, &by_flow, trips, 2);
    for (int i = 0; i < 2; i++)
        g_assert_cmpint(trips[i].end_ps - trips[i].start_ps, ==,
                        latency_ps + transfer_ps(3000017, 12500000000));
    run_trips(platform, &by_segment, trips, 2);
    for (size_t i = 0; i < 2; i++)
        assert_within(trips[i].end_ps - trips[i].start_ps,
                      latency_ps + transfer_ps(3000017, 12500000000), 3);
}

/* A link of 20 GB/s behind one of 15.754 and before one of 12.5 waits until a segment can pass it
 * without a gap: the difference of one segment at both rates, stated in segment.c. */
static void lone_segment_waits_for_slower_link(void)
{
    struct link_spec links[] = {three_links[2], three_links[0], three_links[1]};
    struct platform *platform = line(3, links);
    struct trip trip = {A, D, 3000017, 0, 0, 0};
    run_trips(platform, &by_segment, &trip, 1);
    sim_time wait_ps = segment_ps(15754000000) - segment_ps(20 * GBps);
    assert_within(trip.end_ps, 690 * PS_PER_NS + 33 + transfer_ps(3000017, 12500000000) + wait_ps,
                  3);
}

static void nothing_to_occupy(void)
{
    struct platform *platform = line(3, three_links);
    struct trip trips[] = {{A, D, 0, 5, 0, 0}, {B, B, 1 << 20, 7, 0, 0}, {A, B, 0, 0, 0, 0}};
    const struct transport_spec *kinds[] = {&by_flow, &by_segment};
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        run_trips(platform, kinds[kind], trips, 3);
        g_assert_cmpint(trips[0].end_ps, ==, 5 + 690 * PS_PER_NS + 33); /* the latency alone */
        g_assert_cmpint(trips[1].end_ps, ==, 7);                        /* a port to itself */
        g_assert_cmpint(trips[2].end_ps, ==, 90 * PS_PER_NS);
    }
}

/* --- sharing ---------------------------------------------------------------------------------- */

static const struct link_spec ten = {"ten", 100 * PS_PER_NS, 10 * GBps, false};

/* k equal transfers on one link, started together, end together after k times as long. */
static void equal_transfers(void)
{
    enum { K = 7 };
    struct platform *platform = line(1, &ten);
    struct trip trips[K];
    for (int i = 0; i < K; i++)
        trips[i] = (struct trip){A, B, 1000000, 0, 0, 0};
    sim_time expected_ps = ten.latency_ps + transfer_ps(K * INT64_C(1000000), 10 * GBps);
    run_trips(platform, &by_flow, trips, K);
    for (int i = 0; i < K; i++) {
        g_assert_cmpint(trips[i].end_ps, ==, expected_ps);
        g_assert_cmpint(trips[i].place, ==, i); /* ends of one time come in the order of sending */
    }
    run_trips(platform, &by_segment, trips, K);
    for (int i = 0; i < K; i++) /* in turns: the first is done K - 1 segments before the last */
        assert_within(trips[i].end_ps, expected_ps, (K - 1) * segment_ps(10 * GBps));
    g_assert_cmpint(trips[K - 1].end_ps, ==, expected_ps);
}

/* The textbook's line: one transfer over links of 10, 6 and 8 GB/s, and one on each link. Max-min:
 * the second link is the narrowest and gives 3 to each of its two; what the long one leaves is 7
 * and
 * 5. With bytes in proportion to these rates all four end together, after 1 ms. */
static void three_link_line(void)
{
    struct link_spec links[] = {
        {"ab", 0, 10 * GBps, false}, {"bc", 0, 6 * GBps, false}, {"cd", 0, 8 * GBps, false}};
    struct platform *platform = line(3, links);
    struct trip trips[] = {{A, D, 3000000, 0, 0, 0},
                           {A, B, 7000000, 0, 0, 0},
                           {B, C, 3000000, 0, 0, 0},
                           {C, D, 5000000, 0, 0, 0}};
    run_trips(platform, &by_flow, trips, 4);
    for (int i = 0; i < 4; i++) {
        g_assert_cmpint(trips[i].end_ps, ==, PS_PER_MS);
        g_assert_cmpint(trips[i].place, ==, i);
    }
    run_trips(platform, &by_segment, trips, 4);
    for (int i = 0; i < 4; i++) /* a few segments' time on the narrowest link: 0.3 % */
        assert_within(trips[i].end_ps, PS_PER_MS, 4 * segment_ps(6 * GBps));
}

/* T = 1 ms alone. The second starts when the first is half done: from then on each has half of the
 * link, so the first's other half takes T, and the second, half done by then, T / 2 more. */
static void meeting_half_way(void)
{
    struct platform *platform = line(1, &ten);
    struct trip trips[] = {{A, B, 10000000, 0, 0, 0}, {A, B, 10000000, PS_PER_MS / 2, 0, 0}};
    run_trips(platform, &by_flow, trips, 2);
    g_assert_cmpint(trips[0].end_ps, ==, ten.latency_ps + 3 * PS_PER_MS / 2);
    g_assert_cmpint(trips[1].end_ps, ==, ten.latency_ps + 2 * PS_PER_MS);
    run_trips(platform, &by_segment, trips, 2);
    assert_within(trips[0].end_ps, ten.latency_ps + 3 * PS_PER_MS / 2, segment_ps(10 * GBps));
    g_assert_cmpint(trips[1].end_ps, ==, ten.latency_ps + 2 * PS_PER_MS);
}

/* Both directions at once take T, two transfers in the same direction 2 T. */
static void both_directions(void)
{
    struct link_spec link = {"link", 0, 10 * GBps, false};
    struct platform *platform = line(1, &link);
    struct trip both[] = {{A, B, 10000000, 0, 0, 0}, {B, A, 10000000, 0, 0, 0}};
    struct trip same[] = {{A, B, 10000000, 0, 0, 0}, {A, B, 10000000, 0, 0, 0}};
    const struct transport_spec *kinds[] = {&by_flow, &by_segment};
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        sim_time tolerance_ps = kinds[kind] == &by_flow ? 0 : segment_ps(10 * GBps);
        run_trips(platform, kinds[kind], both, 2);
        run_trips(platform, kinds[kind], same, 2);
        for (int i = 0; i < 2; i++) {
            assert_within(both[i].end_ps, PS_PER_MS, tolerance_ps);
            assert_within(same[i].end_ps, 2 * PS_PER_MS, tolerance_ps);
        }
    }
}

/* Latency does not change the shares: a transfer over a far link and one over a near link have half
 * of the link between them each (SimGrid's own latencies would make it 1 to 100). */
static void shares_ignore_latency(void)
{
    struct link_spec links[] = {{"ab", 0, 100 * GBps, false},
                                {"bc", PS_PER_NS, 10 * GBps, false},
                                {"cd", 99 * PS_PER_NS, 100 * GBps, false}};
    struct platform *platform = line(3, links);
    struct trip trips[] = {{B, D, 5000000, 0, 0, 0}, {A, C, 5000000, 0, 0, 0}};
    run_trips(platform, &by_flow, trips, 2);
    g_assert_cmpint(trips[0].end_ps, ==, PS_PER_MS + 100 * PS_PER_NS);
    g_assert_cmpint(trips[1].end_ps, ==, PS_PER_MS + PS_PER_NS);
}

/* A transfer over two links meets one on the first and later one on the second: 10 GB/s alone for 1
 * ms, then half of the first link, then still half of the second, where 20 GB/s are shared with
 * two. 0 to 1 ms: 10 MB.  1 to 2 ms: 5 MB, and the second is through.  2 to 3 ms: alone again, 10
 * MB. */
static void alone_and_not_alone(void)
{
    struct link_spec links[] = {{"ab", 0, 10 * GBps, false}, {"bc", 0, 20 * GBps, false}};
    struct platform *platform = line(2, links);
    struct trip trips[] = {{A, C, 25000000, 0, 0, 0},
                           {A, B, 5000000, PS_PER_MS, 0, 0},
                           {B, C, 10000000, 2 * PS_PER_MS, 0, 0},
                           {C, A, 25000000, PS_PER_MS / 2, 0, 0}};
    run_trips(platform, &by_flow, trips, 4);
    g_assert_cmpint(trips[0].end_ps, ==, 3 * PS_PER_MS);
    g_assert_cmpint(trips[1].end_ps, ==, 2 * PS_PER_MS);
    g_assert_cmpint(trips[2].end_ps, ==, 3 * PS_PER_MS); /* 10 of 20 GB/s each */
    g_assert_cmpint(trips[3].end_ps, ==, 3 * PS_PER_MS); /* the other way: meets nobody */
}

/* A transfer that starts in the very picosecond in which another one ends finds the link free. */
static void one_after_the_other(void)
{
    struct platform *platform = line(1, &ten);
    struct trip trips[] = {{A, B, 12345, 0, 0, 0}, {A, B, 12345, 1234500, 0, 0}};
    const struct transport_spec *kinds[] = {&by_flow, &by_segment};
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        run_trips(platform, kinds[kind], trips, 2);
        g_assert_cmpint(trips[0].end_ps, ==, ten.latency_ps + 1234500);
        g_assert_cmpint(trips[1].end_ps, ==, ten.latency_ps + 2 * 1234500);
    }
}

/* --- books, ends and errors ------------------------------------------------------------------- */

struct books {
    struct sim *sim;
    struct transport *transport;
    int in_flight;
    int64_t link_bytes;
};

static void book_arrival(void *argument)
{
    ((struct books *)argument)->in_flight--;
}

/* Half way through: a link has carried at most what was sent, nothing has arrived. */
static void look_half_way(void *argument)
{
    struct books *books = argument;
    g_assert_cmpint(books->transport->bytes_sent, ==, 20000000);
    g_assert_cmpint(books->transport->bytes_arrived, ==, 0);
    g_assert_cmpint(books->in_flight, ==, 2);
    books->link_bytes = transport_link_bytes(books->transport, 0);
    sim_stop(books->sim);
}

static void keep_books(const struct transport_spec *kind, int64_t at_least, int64_t at_most)
{
    struct platform *platform = line(1, &ten);
    struct books books = {.sim = sim_new(1), .in_flight = 2};
    books.transport = transport_new(books.sim, platform, kind);
    transport_send_via(books.transport, A, -1, -1, B, 10000000,
                       &(struct transport_calls){.done = book_arrival, .argument = &books});
    transport_send_via(books.transport, A, -1, -1, B, 10000000,
                       &(struct transport_calls){.done = book_arrival, .argument = &books});
    event_schedule(books.sim->events, PS_PER_MS, look_half_way, &books);
    g_assert_cmpint(sim_run(books.sim), ==, SIM_STOPPED);
    g_assert_cmpint(books.link_bytes, >=, at_least);
    g_assert_cmpint(books.link_bytes, <=, at_most);
    g_assert_cmpint(sim_run(books.sim), ==, SIM_FINISHED);
    g_assert_cmpint(books.in_flight, ==, 0);
    g_assert_cmpint(books.transport->bytes_arrived, ==, 20000000);
    g_assert_cmpint(transport_link_bytes(books.transport, 0), ==, 20000000);
    g_assert_cmpint(transport_link_bytes(books.transport, 1), ==, 0);
    transport_free(books.transport);
    sim_free(books.sim);
}

/* Half way through neither transfer has left the link, so that none is counted. */
static void books_balance(void)
{
    keep_books(&by_flow, 0, 0);
    keep_books(&by_segment, 0, 0);
}

static void never(void *argument)
{
    (void)argument;
    g_assert_not_reached();
}

/* A transport freed in mid-way drops what is under way, and the next one starts with free links. */
static void free_in_mid_way(void)
{
    struct platform *platform = line(3, three_links);
    const struct transport_spec *kinds[] = {&by_flow, &by_segment, &by_flow};
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        struct sim *sim = sim_new(1);
        struct transport *transport = transport_new(sim, platform, kinds[kind]);
        for (int i = 0; i < 5; i++)
            transport_send_via(transport, A, -1, -1, D, 1000000,
                               &(struct transport_calls){.done = never, .argument = NULL});
        transport_send_via(transport, A, -1, -1, D, 0,
                           &(struct transport_calls){.done = never, .argument = NULL});
        run_until(sim->events, 600 * PS_PER_NS);
        transport_free(transport);
        g_assert_cmpuint(event_pending(sim->events), ==, 0);
        sim_free(sim);

        struct trip trip = {A, B, 1000000, 0, 0, 0};
        run_trips(platform, kinds[kind], &trip, 1);
        g_assert_cmpint(trip.end_ps, ==, 90 * PS_PER_NS + transfer_ps(1000000, 20 * GBps));
    }
}

/* --- chains: `done` sends the next ------------------------------------------------------------ */

struct chain {
    struct sim *sim;
    struct transport *transport;
    int left;
};

static void next_of_chain(void *argument)
{
    struct chain *chain = argument;
    if (chain->left-- > 0)
        transport_send_via(chain->transport, A, -1, -1, B, 10000,
                           &(struct transport_calls){.done = next_of_chain, .argument = chain});
}

/* n transfers one after the other take n times (latency + bytes / bandwidth): nothing is lost in
 * going from one clock to the other and back. 10000 bytes at 10 GB/s are a whole microsecond. */
static void chain_of_transfers(void)
{
    struct platform *platform = line(1, &ten);
    const struct transport_spec *kinds[] = {&by_flow, &by_segment};
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        struct chain chain = {.sim = sim_new(1), .left = 5000};
        chain.transport = transport_new(chain.sim, platform, kinds[kind]);
        next_of_chain(&chain);
        g_assert_cmpint(sim_run(chain.sim), ==, SIM_FINISHED);
        g_assert_cmpint(sim_now(chain.sim), ==, 5000 * (PS_PER_US + ten.latency_ps));
        transport_free(chain.transport);
        sim_free(chain.sim);
    }
}

/* --- forks ------------------------------------------------------------------------------------ */

enum { FORKED_TRIPS = 50 };
static struct trip *forked_trips;

static void run_forked(void)
{
    run_trips(line(3, three_links), &by_flow, forked_trips, FORKED_TRIPS);
}

/* A worker builds its platform once and forks for each run: every run finds SimGrid's clock at 0,
 * so equal runs are equal to the picosecond, also where transfers share links. */
static void runs_after_a_fork(void)
{
    size_t bytes = FORKED_TRIPS * sizeof(struct trip);
    struct trip first[FORKED_TRIPS];
    forked_trips = shared_memory(bytes);
    line(3, three_links);
    for (int run = 0; run < 3; run++) {
        for (int i = 0; i < FORKED_TRIPS; i++)
            forked_trips[i] = (struct trip){
                i % 3, i % 3 + 1 + (i % 7 > 4 && i % 3 < 2), 1000 + 7919 * i, i * 3000000, 0, 0};
        run_in_child((gconstpointer)(uintptr_t)run_forked);
        if (run == 0)
            memcpy(first, forked_trips, bytes);
        g_assert_true(memcmp(first, forked_trips, bytes) == 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/transport/lone/pcie", lone_on_pcie);
    add_test("/transport/lone/nvlink", lone_on_nvlink);
    add_test("/transport/lone/infiniband", lone_on_infiniband);
    add_test("/transport/lone/three-links", lone_over_three_links);
    add_test("/transport/lone/slower-link-first", lone_segment_waits_for_slower_link);
    add_test("/transport/lone/nothing-to-occupy", nothing_to_occupy);
    add_test("/transport/sharing/equal", equal_transfers);
    add_test("/transport/sharing/three-link-line", three_link_line);
    add_test("/transport/sharing/half-way", meeting_half_way);
    add_test("/transport/sharing/directions", both_directions);
    add_test("/transport/sharing/latency", shares_ignore_latency);
    add_test("/transport/sharing/alone-and-not", alone_and_not_alone);
    add_test("/transport/sharing/one-after-the-other", one_after_the_other);
    add_test("/transport/books", books_balance);
    add_test("/transport/free-in-mid-way", free_in_mid_way);
    add_test("/transport/chain", chain_of_transfers);
    add_test("/transport/forks", runs_after_a_fork);
    return g_test_run();
}
