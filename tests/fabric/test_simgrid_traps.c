/* SPDX-License-Identifier: BSD-3-Clause */
/* What SimGrid does to a fabric of GPUs unless it is told otherwise, each trap once with SimGrid's
 * own setting and once with ours (fabric/simgrid_module.cpp). If one of these numbers changes with
 * a new SimGrid, look at the adapter again. Each measurement is a process of its own. */
#include <math.h>
#include <signal.h>

#include "fabric/simgrid_adapter.h"
#include "simgrid_alone.h"

/* One link between the hosts a and b. */
static char *link_platform(double bandwidth_Bps, const char *latency)
{
    return g_strdup_printf(
        "<?xml version=\"1.0\"?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
        "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>"
        "<link id=\"l\" bandwidth=\"%.0fBps\" latency=\"%s\""
        " sharing_policy=\"SPLITDUPLEX\"/>"
        "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\" direction=\"UP\"/></route>"
        "</zone></platform>\n",
        bandwidth_Bps, latency);
}

/* What one child is to measure, and the answer. */
struct measurement {
    const char *const *settings;
    const char *platform_file;
    struct alone_message messages[2];
    size_t count;
    double clock_s;
};
static struct measurement *shared;

static void measure_messages(void)
{
    alone_start(shared->settings, shared->platform_file);
    alone_run(shared->messages, shared->count);
}

static void measure(const char *const *settings, const char *xml, void (*body)(void))
{
    g_autofree char *path = write_temporary("platform.xml", xml);
    shared->settings = settings;
    shared->platform_file = path;
    run_in_child((gconstpointer)(uintptr_t)body);
    remove_temporary(path);
}

/* Seconds that a lone message takes. */
static double lone_s(const char *const *settings, double bytes, double bandwidth_Bps,
                     const char *latency)
{
    g_autofree char *xml = link_platform(bandwidth_Bps, latency);
    shared->messages[0] = (struct alone_message){"a", "b", 0, bytes, -1};
    shared->count = 1;
    measure(settings, xml, measure_messages);
    return shared->messages[0].end_s;
}

static void assert_near(double found, double expected, double relative)
{
    g_assert_cmpfloat_with_epsilon(found, expected, relative * expected);
}

/* 100 kB over 1 us and 10 GB/s are 11 us. The model by default (LV08) multiplies the latency
 * by 13.01 and the bandwidth by 0.97, for TCP over wide areas: 23.3 us. */
static void model(void)
{
    static const char *const standard[] = {NULL};
    assert_near(lone_s(standard, 1e5, 1e10, "1us"), 23.32e-6, 1e-3);
    assert_near(lone_s(our_settings, 1e5, 1e10, "1us"), 11e-6, 1e-9);
}

/* 1 GB at 900 GB/s over 5 us: a window of 4 MiB a round trip of 10 us caps it at 419 GB/s. */
static void tcp_window(void)
{
    static const char *const standard[] = {"network/model:CM02", NULL};
    double capped_s = 5e-6 + 1e9 / (4194304 / 10e-6), right_s = 5e-6 + 1e9 / 900e9;
    assert_near(lone_s(standard, 1e9, 900e9, "5us"), capped_s, 1e-4);
    assert_near(lone_s(our_settings, 1e9, 900e9, "5us"), right_s, 1e-9);
}

/* Acknowledgements take 5 % of the way back, which a lone message notices on a link that counts
 * both paths together only; here they make the message itself slower by as much. */
static void cross_traffic(void)
{
    static const char *const standard[] = {"network/model:CM02", "network/TCP-gamma:0", NULL};
    static const char *const shared_link =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
        "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>"
        "<link id=\"l\" bandwidth=\"900GBps\" latency=\"0\" sharing_policy=\"SHARED\"/>"
        "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone></platform>\n";
    shared->messages[0] = (struct alone_message){"a", "b", 0, 1e9, -1};
    shared->count = 1;
    measure(standard, shared_link, measure_messages);
    assert_near(shared->messages[0].end_s, 1.05 * 1e9 / 900e9, 1e-4);
    measure(our_settings, shared_link, measure_messages);
    assert_near(shared->messages[0].end_s, 1e9 / 900e9, 1e-9);
}

/* Two messages over one link share it in inverse proportion to the latencies of their routes, here
 * 10 and 100 ns: the near one has 10/11 of it. Hence links without latency, which share evenly. */
static void check_shares(const char *near, const char *far, double near_part)
{
    g_autofree char *xml = g_strdup_printf(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
        "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/>"
        "<link id=\"l\" bandwidth=\"10GBps\" latency=\"%s\" sharing_policy=\"SHARED\"/>"
        "<link id=\"m\" bandwidth=\"100GBps\" latency=\"%s\" sharing_policy=\"SHARED\"/>"
        "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>"
        "<route src=\"a\" dst=\"c\"><link_ctn id=\"l\"/><link_ctn id=\"m\"/></route>"
        "</zone></platform>\n",
        near, far);
    shared->messages[0] = (struct alone_message){"a", "b", 0, 1e7, -1};
    shared->messages[1] = (struct alone_message){"a", "c", 0, 1e9, -1};
    shared->count = 2;
    measure(our_settings, xml, measure_messages);
    assert_near(shared->messages[0].end_s, 1e7 / (near_part * 10e9), 1e-3);
}

static void shares_follow_latency(void)
{
    check_shares("10ns", "90ns", 10.0 / 11.0);
    check_shares("0", "0", 0.5);
}

/* --- precision -------------------------------------------------------------------------------- */

static void sleeping_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < 5; i++)
        sg_actor_sleep_for(0.3e-9);
    shared->clock_s = simgrid_get_clock();
}

static void measure_sleeps(void)
{
    alone_start(shared->settings, shared->platform_file);
    sg_actor_start_(sg_actor_init("sleeper", sg_host_by_name("a")), sleeping_actor, 0, NULL);
    simgrid_run();
}

/* Five sleeps of 0.3 ns each take 1 ns each, the precision by default. */
static void precision(void)
{
    static const char *const standard[] = {NULL};
    g_autofree char *xml = link_platform(1e10, "0");
    measure(standard, xml, measure_sleeps);
    assert_near(shared->clock_s, 5e-9, 1e-6);
    measure(our_settings, xml, measure_sleeps);
    assert_near(shared->clock_s, 1.5e-9, 1e-6);
}

/* Messages of 1000 and 1400 bytes at 1 TB/s in opposite directions end 0.4 ns apart; by default
 * they end at once. Ends 1 ps apart are told from each other with our setting. */
static void precision_of_ends(void)
{
    static const char *const standard[] = {"network/model:CM02", "network/crosstraffic:no",
                                           "network/TCP-gamma:0", NULL};
    g_autofree char *xml = link_platform(1e12, "0");
    shared->messages[0] = (struct alone_message){"a", "b", 0, 1000, -1};
    shared->messages[1] = (struct alone_message){"b", "a", 0, 1400, -1};
    shared->count = 2;
    measure(standard, xml, measure_messages);
    g_assert_cmpfloat(shared->messages[1].end_s, ==, shared->messages[0].end_s);
    shared->messages[1].bytes = 1001;
    measure(our_settings, xml, measure_messages);
    assert_near(shared->messages[1].end_s - shared->messages[0].end_s, 1e-12, 1e-2);
}

/* Two ports of ours on a link of 1 GB/s. */
static struct platform *pair(void)
{
    static const char *const ports[] = {"a", "b"};
    const struct node_link link = {"a", "b", {"l", 0, GBps, false}};
    struct platform_spec spec = {
        .name = "pair",
        .nodes = 1,
        .node = {.ports = ports, .port_count = 2, .links = &link, .link_count = 1}};
    return get_platform(&spec);
}

/* --- the clock -------------------------------------------------------------------------------- */

static void count_ended(void *cookie, double end_s, void *argument)
{
    g_assert_cmpfloat_with_epsilon(end_s, *(double *)cookie, 2e-14);
    ++*(int *)argument;
}

/* SimGrid's run_until returns early at any event that lies within 10 us of its limit; the adapter
 * advances all the way. It says HUGE_VAL when nothing is left, and a flow of 0 bytes, which SimGrid
 * would never start, ends at once (after 1/65536 B). */
static void advance_all_the_way(void)
{
    pair();
    platform_prepare_simgrid();
    const platform_hop hop = 0, back = 1;
    double ends_s[] = {3e-6, 5e-6, 6e-6, 0}; /* the first three share */
    for (int i = 0; i < 3; i++)
        adapter_flow_start(&hop, 1, 1000 * (i + 1), &ends_s[i]);
    adapter_flow_start(&back, 1, 1e-9, &ends_s[3]);
    int ended = 0;
    adapter_advance(8e-6, count_ended, &ended);
    g_assert_cmpint(ended, ==, 4);
    g_assert_cmpfloat(adapter_now_s(), ==, 8e-6);
    g_assert_true(isinf(adapter_next_s()));
}

static void whole_advance(void)
{
    run_in_child((gconstpointer)(uintptr_t)advance_all_the_way);
}

/* --- manners ---------------------------------------------------------------------------------- */

static void measure_handlers(void)
{
    alone_start(shared->settings, shared->platform_file);
    struct sigaction action;
    sigaction(SIGINT, NULL, &action);
    shared->clock_s = action.sa_handler != SIG_DFL;
}

static void our_handlers(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGSEGV, SIGBUS};
    struct sigaction before[G_N_ELEMENTS(signals)], after;
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        sigaction(signals[i], NULL, &before[i]);
    struct trip trips[] = {{0, 1, 1000, 0, 0, 0}, {0, 1, 1000, 0, 0, 0}};
    run_trips(pair(), &by_flow, trips, 2);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        sigaction(signals[i], NULL, &after);
        g_assert_true(after.sa_handler == before[i].sa_handler);
    }
}

/* SimGrid takes SIGINT for itself; the adapter gives it back. */
static void signal_handlers(void)
{
    static const char *const standard[] = {NULL};
    g_autofree char *xml = link_platform(10e9, "0");
    measure(standard, xml, measure_handlers);
    g_assert_cmpfloat(shared->clock_s, ==, 1);
    run_in_child((gconstpointer)(uintptr_t)our_handlers);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    shared = shared_memory(sizeof *shared);
    g_test_add_func("/simgrid-traps/model", model);
    g_test_add_func("/simgrid-traps/tcp-window", tcp_window);
    g_test_add_func("/simgrid-traps/cross-traffic", cross_traffic);
    g_test_add_func("/simgrid-traps/shares", shares_follow_latency);
    g_test_add_func("/simgrid-traps/precision", precision);
    g_test_add_func("/simgrid-traps/precision-of-ends", precision_of_ends);
    g_test_add_func("/simgrid-traps/whole-advance", whole_advance);
    g_test_add_func("/simgrid-traps/signal-handlers", signal_handlers);
    return g_test_run();
}
