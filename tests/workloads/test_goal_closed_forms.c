/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules whose ends can be written down. T = o + L + o + (s - 1) G is the time from when a send
 * goes until the receiver's CPU is free again, all else idle and O = 0. */
#include "core/error.h"
#include "goal_test.h"
#include "workloads/goal/goal_fault.h"

struct numbers {
    const char *text;
    uint64_t L, o, g, G;
};

static const struct numbers machines[] = {
    {"L=2500,o=1500,g=1000,G=6,O=0,S=1000000", 2500, 1500, 1000, 6},
    {"L=1000,o=300,g=900,G=2,O=0,S=1000000", 1000, 300, 900, 2},
    {"L=10,o=5,g=5,G=0,O=0,S=1000000", 10, 5, 5, 0},
};

#define BYTES 1000u

static uint64_t wire(const struct numbers *m)
{
    return (BYTES - 1) * m->G;
}
static uint64_t whole(const struct numbers *m)
{
    return m->o + m->L + m->o + wire(m);
}

/* Round trips of T each way; rank 1 is rid of its last reply o after sending it. */
static void test_ping_pong(void)
{
    const char *text = "num_ranks 2\n"
                       "rank 0 { a: send 1000b to 1; b: recv 1000b from 1; b requires a\n"
                       " c: send 1000b to 1; c requires b; d: recv 1000b from 1; d requires c }\n"
                       "rank 1 { a: recv 1000b from 0; b: send 1000b to 0; b requires a\n"
                       " c: recv 1000b from 0; c requires b; d: send 1000b to 0; d requires c }\n";
    for (size_t i = 0; i < G_N_ELEMENTS(machines); i++) {
        const struct numbers *m = &machines[i];
        g_autofree uint64_t *ends = run_text(text, m->text);
        g_assert_cmpuint(ends[0], ==, 4 * whole(m));
        g_assert_cmpuint(ends[1], ==, 3 * whole(m) + m->o);
    }
}

#define PEERS 40u

/* All first bytes are there at o + L. The CPU takes them one every max(o, g) + (s - 1) G. */
static void test_fan_in(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "num_ranks %u\nrank 0 {\n", PEERS + 1);
    for (uint32_t i = 1; i <= PEERS; i++)
        g_string_append_printf(text, "recv %ub from %u\n", BYTES, i);
    g_string_append(text, "}\n");
    for (uint32_t i = 1; i <= PEERS; i++)
        g_string_append_printf(text, "rank %u { send %ub to 0 }\n", i, BYTES);
    for (size_t i = 0; i < G_N_ELEMENTS(machines); i++) {
        const struct numbers *m = &machines[i];
        g_autofree uint64_t *ends = run_text(text->str, m->text);
        g_assert_cmpuint(ends[0], ==, whole(m) + (PEERS - 1) * (MAX(m->o, m->g) + wire(m)));
        g_assert_cmpuint(ends[PEERS], ==, m->o);
    }
}

/* The sends go one every max(o, g + (s - 1) G), up to sixteen in the order of the text. */
static void test_fan_out(void)
{
    g_autoptr(GString) text = g_string_new("num_ranks 17\nrank 0 {\n");
    for (uint32_t i = 1; i <= 16; i++)
        g_string_append_printf(text, "send %ub to %u\n", BYTES, i);
    g_string_append(text, "}\n");
    for (uint32_t i = 1; i <= 16; i++)
        g_string_append_printf(text, "rank %u { recv %ub from 0 }\n", i, BYTES);
    for (size_t i = 0; i < G_N_ELEMENTS(machines); i++) {
        const struct numbers *m = &machines[i];
        g_autofree uint64_t *ends = run_text(text->str, m->text);
        for (uint32_t rank = 1; rank <= 16; rank++)
            g_assert_cmpuint(ends[rank], ==, whole(m) + (rank - 1) * MAX(m->o, m->g + wire(m)));
    }
}

/* A message longer than S meets a receive that is posted after a calculation: the sender goes on
 * only then, at 50,000, though its CPU was free at o. */
static void test_rendezvous(void)
{
    const char *text = "num_ranks 2\n"
                       "rank 0 { a: send 1000b to 1; b: calc 77; b requires a }\n"
                       "rank 1 { a: calc 50000; b: recv 1000b from 0; b requires a }\n";
    g_autofree uint64_t *late = run_text(text, "L=2500,o=1500,g=1000,G=6,O=0,S=999");
    g_assert_cmpuint(late[0], ==, 50000 + 77);
    g_assert_cmpuint(late[1], ==, 50000 + 1500 + 999 * 6);
    g_autofree uint64_t *eager = run_text(text, "L=2500,o=1500,g=1000,G=6,O=0,S=1000");
    g_assert_cmpuint(eager[0], ==, 1500 + 77);
    g_assert_cmpuint(eager[1], ==, late[1]);
}

/* O takes the CPU for each byte but the first, at both ends; at the receiver together with G. */
static void test_overhead_per_byte(void)
{
    const char *text = "num_ranks 2\nrank 0 { send 100b to 1 }\nrank 1 { recv 100b from 0 }\n";
    g_autofree uint64_t *ends = run_text(text, "L=1000,o=10,g=20,G=3,O=5,S=100");
    g_assert_cmpuint(ends[0], ==, 10 + 99 * 5);
    g_assert_cmpuint(ends[1], ==, 10 + 1000 + 10 + 99 * 5);
}

/* A fraction of a nanosecond a byte: 25 GB/s. Ticks are picoseconds then. */
static void test_picoseconds(void)
{
    const char *text = "num_ranks 2\nrank 0 { a: calc 7; b: send 1001b to 1; b requires a }\n"
                       "rank 1 { recv 1001b from 0 }\n";
    g_autofree uint64_t *ends = run_text(text, "L=1us,o=100,g=0,G=40ps,O=0,S=64KiB");
    g_assert_cmpuint(ends[0], ==, 107000);
    g_assert_cmpuint(ends[1], ==, 7000 + 100000 + 1000000 + 100000 + 1000 * 40);
}

/* Streams calculate side by side, more of them than fit a byte; a rank ends with the last. */
static void test_streams(void)
{
    g_autoptr(GString) text = g_string_new("num_ranks 1\nrank 0 {\n");
    for (uint32_t i = 0; i < 300; i++)
        g_string_append_printf(text, "calc %u cpu %u\ncalc 5 cpu %u\n", 100 + i, i, i);
    g_string_append(text, "}\n");
    g_autofree uint64_t *ends = run_text(text->str, GOAL_COSTS_DEFAULT);
    g_assert_cmpuint(ends[0], ==, 100 + 299 + 5);
}

/* irequires waits for the start alone, requires for the message: b begins at 0, or when its CPU is
 * free after the message has come, o + L + o. */
static void test_start_and_end(void)
{
    const char *form = "num_ranks 2\nrank 0 { send 1b to 1 }\n"
                       "rank 1 { a: recv 1b from 0; b: calc 10; b %s a }\n";
    g_autofree char *start = g_strdup_printf(form, "irequires");
    g_autofree char *end = g_strdup_printf(form, "requires");
    g_autofree uint64_t *early = run_text(start, "L=1000,o=100,g=0,G=0,O=0,S=9");
    g_autofree uint64_t *late = run_text(end, "L=1000,o=100,g=0,G=0,O=0,S=9");
    g_assert_cmpuint(early[1], ==, 100 + 1000 + 100);
    g_assert_cmpuint(late[1], ==, 100 + 1000 + 100 + 10);
}

/* Why a text does not run on a machine of these costs. The caller frees it. */
static char *fault_of(const char *text, const char *costs_text)
{
    GError *error = NULL;
    struct loggp_spec spec = costs(costs_text);
    struct goal_schedule *schedule = read_text(text, &error);
    g_assert_no_error(error);
    struct loggp_program program = goal_schedule_program(schedule);
    struct loggp *machine = loggp_new(&spec, &program);
    while (loggp_run(machine, 1000))
        ;
    const struct loggp_fault fault = loggp_fault(machine);
    const struct goal_source source = {"t.goal", schedule};
    g_assert_false(goal_fault_fail(&fault, &source, LOGGP_LAST, spec.ticks_per_ns, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    char *message = g_strdup(error->message);
    g_error_free(error);
    loggp_free(machine);
    goal_schedule_free(schedule);
    return message;
}

/* Up to the last nanosecond that fits, and told beyond it: in ticks of a nanosecond and of less. */
static void test_greatest(void)
{
    static const char last[] = "num_ranks 1\nrank 0 {\ncalc 9223372036854775800\ncalc %d\n}\n";
    g_autofree char *fits = g_strdup_printf(last, 7), *too_long = g_strdup_printf(last, 8);
    g_autofree uint64_t *ends = run_text(fits, GOAL_COSTS_DEFAULT);
    g_assert_cmpuint(ends[0], ==, INT64_MAX);
    const char *expected = "t.goal:4: the calculation of rank 0 ends after 9223372036854775807 ns, "
                           "the latest time that can be simulated";
    g_autofree char *late = fault_of(too_long, GOAL_COSTS_DEFAULT);
    g_assert_cmpstr(late, ==, expected);
    g_autofree char *in_ps = fault_of(too_long, "g=1ps");
    g_assert_cmpstr(in_ps, ==,
                    "t.goal:3: the calculation of rank 0 ends after 9223372036854775 ns, "
                    "the latest time that can be simulated");
}

static void test_faults_of_messages(void)
{
    static const char message[] =
        "num_ranks 2\nrank 0 {\nsend %sb to 1\n}\nrank 1 {\nrecv %sb from 0\n}\n";
    g_autofree char *huge = g_strdup_printf(message, "9223372036854775807", "9223372036854775807");
    g_autofree char *cut = g_strdup_printf(message, "100", "50");
    g_autofree char *empty = g_strdup_printf(message, "0", "0");
    g_autofree char *late = fault_of(huge, GOAL_COSTS_DEFAULT);
    g_assert_true(g_str_has_prefix(late, "t.goal:3: the send of rank 0 ends after "));
    g_autofree char *far = fault_of(cut, "L=9223372036854775807ps,o=1s");
    g_assert_true(g_str_has_prefix(far, "t.goal:3: the send of rank 0 ends after "));
    g_autofree char *truncated = fault_of(cut, "S=10");
    g_assert_cmpstr(truncated, ==,
                    "t.goal:6: rank 1 receives 50 bytes here, and the message from rank 0 (line 3) "
                    "has 100; a receive may be as long or longer");
    g_autofree char *early = fault_of(empty, "o=0,O=1");
    g_assert_true(g_str_has_prefix(early, "t.goal:3: the send of 0 bytes of rank 0 is charged "));
}

/* A receive may have more room than its message has bytes, and the message alone decides whether it is a
 * rendezvous: whichever of the two comes first, the send is done once. */
static void test_room(void)
{
    static const char form[] =
        "num_ranks 2\n"
        "rank 0 { a: send 10b to 1; w: calc 5000; b: calc 70; b requires a; b requires w }\n"
        "rank 1 { a: calc %u; b: recv 5000b from 0; b requires a }\n";
    for (unsigned calc = 0; calc <= 100000; calc += 100000) {
        g_autofree char *text = g_strdup_printf(form, calc);
        g_autofree uint64_t *ends = run_text(text, "L=1000,o=10,g=20,G=3,O=0,S=100");
        g_assert_cmpuint(ends[0], ==, 10 + 5000 + 70);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/goal/closed/ping-pong", test_ping_pong);
    g_test_add_func("/goal/closed/fan-in", test_fan_in);
    g_test_add_func("/goal/closed/fan-out", test_fan_out);
    g_test_add_func("/goal/closed/rendezvous", test_rendezvous);
    g_test_add_func("/goal/closed/overhead-per-byte", test_overhead_per_byte);
    g_test_add_func("/goal/closed/picoseconds", test_picoseconds);
    g_test_add_func("/goal/closed/streams", test_streams);
    g_test_add_func("/goal/closed/start-and-end", test_start_and_end);
    g_test_add_func("/goal/closed/greatest", test_greatest);
    g_test_add_func("/goal/closed/faults-of-messages", test_faults_of_messages);
    g_test_add_func("/goal/closed/room", test_room);
    return g_test_run();
}
