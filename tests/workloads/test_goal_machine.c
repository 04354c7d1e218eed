/* Schedules on a machine of the project, with both transports. The machine: default devices, two
 * nodes on a star; what a message takes on its route is asked of the platform. */
#include "../software_test.h"
#include "goal_test.h"
#include "workloads/goal_machine.h"

static struct machine_spec machine(enum transport_kind kind)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    spec.transport.kind = kind;
    return spec;
}

static sim_time *run_on(const struct machine_spec *spec, const char *text, enum goal_place place)
{
    GError *error = NULL;
    struct goal_schedule *schedule = read_text(text, &error);
    g_assert_no_error(error);
    struct loggp_program program = goal_schedule_program(schedule);
    const struct goal_source source = {"t.goal", schedule};
    sim_time *ends_ps = g_new(sim_time, program.ranks);
    goal_machine_run(spec, &program, &source, place, ends_ps, NULL, &error);
    g_assert_no_error(error);
    goal_schedule_free(schedule);
    return ends_ps;
}

/* Latency and bytes over the slowest link, as the transports promise for a lone transfer. */
static sim_time message_ps(const struct machine_spec *spec, const char *port, int64_t bytes)
{
    struct platform *platform = machine_platform(spec, NULL);
    const struct platform_route *route = platform_route(platform, platform_port(platform, 0, port),
                                                        platform_port(platform, 1, port));
    return route->latency_ps + transfer_ps(bytes, route->bandwidth_Bps);
}

#define MEGABYTE 1000000
static const char ping_pong[] = "num_ranks 2\n"
                                "rank 0 { a: send 1000000b to 1; b: recv 1000000b from 1 }\n"
                                "rank 1 { a: recv 1000000b from 0; b: calc 5000; b requires a\n"
                                "c: send 1000000b to 0; c requires b }\n";

/* There, a calculation of 5 us, back; segments are cut, which costs at most one more a link. */
static void test_ping_pong(void)
{
    struct machine_spec flow = machine(TRANSPORT_FLOW), segment = machine(TRANSPORT_SEGMENT);
    sim_time expected_ps = 2 * message_ps(&flow, "cpu0", MEGABYTE) + 5 * PS_PER_US;
    g_autofree sim_time *exact = run_on(&flow, ping_pong, GOAL_ON_HOST);
    g_assert_cmpint(ABS(exact[0] - expected_ps), <=, 10 * PS_PER_NS);
    g_autofree sim_time *cut = run_on(&segment, ping_pong, GOAL_ON_HOST);
    g_assert_cmpint(ABS(cut[0] - expected_ps), <=, expected_ps / 10);
    g_assert_cmpint(cut[0], >, expected_ps / 2);
}

/* On the GPU a calculation is a kernel: launched, and noticed when it has ended. */
static void test_on_gpu(void)
{
    struct machine_spec flow = machine(TRANSPORT_FLOW);
    sim_time kernel_ps = flow.gpu.kernel_launch_ps + 5 * PS_PER_US + flow.gpu.kernel_end_ps;
    sim_time expected_ps = 2 * message_ps(&flow, "gpu0", MEGABYTE) + kernel_ps;
    g_autofree sim_time *ends = run_on(&flow, ping_pong, GOAL_ON_GPU);
    g_assert_cmpint(ABS(ends[0] - expected_ps), <=, 10 * PS_PER_NS);
}

/* Five ranks, three of them on node 0: they have cores of their own, or share the one GPU. */
static void test_places(void)
{
    struct machine_spec spec = machine(TRANSPORT_SEGMENT);
    const char *text = "num_ranks 5\nrank 0 { calc 1000 }\nrank 2 { calc 1000 }\n"
                       "rank 4 { a: calc 1000; b: calc 500; b requires a }\n";
    g_autofree sim_time *host = run_on(&spec, text, GOAL_ON_HOST);
    g_assert_cmpint(host[0], ==, PS_PER_US);
    g_assert_cmpint(host[2], ==, PS_PER_US);
    g_assert_cmpint(host[4], ==, PS_PER_US + 500 * PS_PER_NS);
    g_assert_cmpint(host[1], ==, 0);
    spec.host.cores = 2;
    g_autofree sim_time *two_cores = run_on(&spec, text, GOAL_ON_HOST);
    g_assert_cmpint(two_cores[4], ==, 2 * PS_PER_US + 500 * PS_PER_NS);
    sim_time launch_ps = spec.gpu.kernel_launch_ps, end_ps = spec.gpu.kernel_end_ps;
    g_autofree sim_time *gpu = run_on(&spec, text, GOAL_ON_GPU);
    g_assert_cmpint(gpu[2], ==, 2 * (launch_ps + PS_PER_US) + end_ps);
}

/* A message that comes before its receive waits; irequires goes on at once. */
static void test_unexpected(void)
{
    struct machine_spec spec = machine(TRANSPORT_SEGMENT);
    const char *text = "num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { a: calc 900000\n"
                       "b: recv 8b from 0; b requires a; c: calc 50 cpu 1; c irequires b\n"
                       "d: calc 7; d requires b }\n";
    g_autofree sim_time *ends = run_on(&spec, text, GOAL_ON_HOST);
    g_assert_cmpint(ends[1], ==, 900050 * PS_PER_NS);
}

static void test_waits_for_ever(void)
{
    struct machine_spec spec = machine(TRANSPORT_SEGMENT);
    const char *text = "num_ranks 2\nrank 0 { a: recv 8b from 1; b: send 8b to 1; b requires a }\n"
                       "rank 1 { a: recv 8b from 0; b: send 8b to 0; b requires a }\n";
    struct goal_schedule *schedule = read_text(text, NULL);
    struct loggp_program program = goal_schedule_program(schedule);
    sim_time ends_ps[2];
    g_autoptr(GError) error = NULL;
    const struct goal_source source = {"t.goal", schedule};
    g_assert_false(goal_machine_run(&spec, &program, &source, GOAL_ON_HOST, ends_ps, NULL, &error));
    g_assert_error(error, GOAL_ERROR, GOAL_ERROR_RUN);
    g_assert_nonnull(strstr(error->message, "2 receives wait for ever"));
    goal_schedule_free(schedule);
}

static void assert_refused(enum transport_kind kind, const char *text, const char *expected)
{
    struct machine_spec spec = machine(kind);
    struct goal_schedule *schedule = read_text(text, NULL);
    struct loggp_program program = goal_schedule_program(schedule);
    const struct goal_source source = {"t.goal", schedule};
    g_autofree sim_time *ends_ps = g_new(sim_time, program.ranks);
    for (enum goal_place place = GOAL_ON_HOST; place <= GOAL_ON_GPU; place++) {
        g_autoptr(GError) error = NULL;
        program = goal_schedule_program(schedule);
        g_assert_false(goal_machine_run(&spec, &program, &source, place, ends_ps, NULL, &error));
        g_assert_error(error, GOAL_ERROR, GOAL_ERROR_INPUT);
        if (!g_str_has_prefix(error->message, expected))
            g_error("\"%s\" does not begin with \"%s\"", error->message, expected);
    }
    goal_schedule_free(schedule);
}

/* What the clock or a counter cannot hold is told with its line, not wrapped around. By flow two
 * messages of 10^16 bytes take the clock's time only together, on the link that they share. */
static void test_too_much(void)
{
    static const char late[] = "num_ranks 1\nrank 0 {\ncalc 2305843009213\ncalc %s\n}\n";
    static const char message[] = "num_ranks 2\nrank 0 {\nsend %sb to 1\n}\n"
                                  "rank 1 { recv %sb from 0 }\n";
    const char *const durations[] = {"2305843009213693", "9223372036854775", "9223372036854775807"};
    for (size_t i = 0; i < G_N_ELEMENTS(durations); i++) {
        g_autofree char *calc = g_strdup_printf(late, durations[i]);
        assert_refused(TRANSPORT_SEGMENT, calc, "t.goal:4: the calculation of rank 0 ends after ");
    }
    g_autofree char *huge = g_strdup_printf(message, "9223372036854775807", "9223372036854775807");
    assert_refused(TRANSPORT_FLOW, huge, "t.goal:3: the send of rank 0 ends after ");
    assert_refused(TRANSPORT_SEGMENT, huge, "t.goal:3: the send of rank 0 ends after ");
    assert_refused(TRANSPORT_LOGGP, huge, "t.goal:5: the receive of rank 1 ends after ");
    assert_refused(
        TRANSPORT_FLOW,
        "num_ranks 2\nrank 0 {\nsend 16000000000000000b to 1 tag 1\n"
        "send 16000000000000000b to 1 tag 2\n}\nrank 1 {\n"
        "recv 16000000000000000b from 0 tag 1\nrecv 16000000000000000b from 0 tag 2\n}\n",
        "t.goal:7: the receive of rank 1 ends after ");
    for (enum transport_kind kind = TRANSPORT_FLOW; kind <= TRANSPORT_LOGGP; kind++)
        assert_refused(kind,
                       "num_ranks 2\nrank 0 {\nsend 100b to 1\n}\nrank 1 {\nrecv 50b from 0\n}\n",
                       "t.goal:6: rank 1 receives 50 bytes here, and the message from rank 0 (line "
                       "3) has 100");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/goal/machine/ping-pong", test_ping_pong);
    g_test_add_func("/goal/machine/on-gpu", test_on_gpu);
    g_test_add_func("/goal/machine/places", test_places);
    g_test_add_func("/goal/machine/unexpected", test_unexpected);
    g_test_add_func("/goal/machine/waits-for-ever", test_waits_for_ever);
    g_test_add_func("/goal/machine/too-much", test_too_much);
    return g_test_run();
}
