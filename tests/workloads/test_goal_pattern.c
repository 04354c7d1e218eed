/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns: who talks with whom, that a generated run ends as the same schedule in memory and as its
 * text does, and closed forms of rings. */
#include <stdlib.h>

#include "core/error.h"
#include "goal_test.h"
#include "workloads/goal/goal_pattern.h"
#include "workloads/goal/goal_writer.h"

static struct goal_pattern_spec pattern(const char *text)
{
    struct goal_pattern_spec spec;
    GError *error = NULL;
    goal_pattern_parse(text, &spec, &error);
    g_assert_no_error(error);
    return spec;
}

static uint64_t *run_pattern(const struct goal_pattern_spec *spec, const struct loggp_spec *machine)
{
    struct goal_pattern *run = goal_pattern_new(spec);
    struct loggp_program program = goal_pattern_program(run);
    uint64_t *ends = run_program(&program, machine, false);
    goal_pattern_free(run);
    return ends;
}

/* The text of a schedule, or of a pattern, read back. */
static struct goal_schedule *round_trip(const struct goal_schedule *schedule,
                                        const struct goal_pattern_spec *spec)
{
    char *text = NULL;
    size_t length;
    GError *error = NULL;
    FILE *file = open_memstream(&text, &length);
    g_assert_true(schedule ? goal_write(file, schedule) : goal_write_pattern(file, spec));
    fclose(file);
    struct goal_schedule *back = read_text(text, &error);
    g_assert_no_error(error);
    free(text);
    return back;
}

static const char *const patterns[] = {
    "halo3d:3x2x4,iterations=5,bytes=100,calc=77",
    "halo3d:1x1x1,iterations=2",
    "ring:17,bytes=4KiB",
    "ring:1",
    "doubling:16,bytes=100",
    "doubling:13,iterations=3,bytes=5000,calc=3us",
    "alltoall:9,bytes=2000,iterations=2",
    "permutation:23,iterations=9,bytes=0,seed=7",
    "hierarchical:4x6,bytes=100,calc=5",
    "hierarchical:1x5,bytes=3,calc=5,iterations=2",
    "moe:8x3,bytes=100,calc=9",
    "train:2x4x2x3,bytes=77,calc=3,iterations=2",
    "train:1x1x1x3,calc=3",
};
static const char *const machines[] = {"L=2500,o=1500,g=1000,G=6,O=0,S=65535",
                                       "L=1000,o=300,g=900,G=2,O=1,S=1500",
                                       "L=0,o=5,g=5,G=0,O=0,S=10"};

static void assert_same(const uint64_t *a, const uint64_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        g_assert_cmpuint(a[i], ==, b[i]);
}

static void test_three_ways(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(patterns) * G_N_ELEMENTS(machines); i++) {
        struct goal_pattern_spec spec = pattern(patterns[i / G_N_ELEMENTS(machines)]);
        struct loggp_spec machine = costs(machines[i % G_N_ELEMENTS(machines)]);
        struct goal_schedule *schedule = goal_pattern_schedule(&spec, UINT32_MAX);
        struct goal_schedule *text = round_trip(NULL, &spec), *twice = round_trip(schedule, NULL);
        g_autofree uint64_t *generated = run_pattern(&spec, &machine);
        g_autofree uint64_t *in_memory = run_schedule(schedule, &machine);
        g_autofree uint64_t *read = run_schedule(text, &machine);
        g_autofree uint64_t *read_twice = run_schedule(twice, &machine);
        assert_same(generated, in_memory, spec.ranks);
        assert_same(generated, read, spec.ranks);
        assert_same(generated, read_twice, spec.ranks);
        goal_schedule_free(schedule);
        goal_schedule_free(text);
        goal_schedule_free(twice);
    }
}

/* Wildcards and streams survive being written. */
static void test_round_trip(void)
{
    const char *text = "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 5 cpu 2 nic 1\nb: calc 7 cpu 3\n"
                       "b irequires a\nc: calc 9\nc requires b\nc requires a }\n"
                       "rank 1 { recv 8b from -1 tag -1 }\n";
    struct goal_schedule *schedule = read_text(text, NULL);
    struct goal_schedule *back = round_trip(schedule, NULL);
    for (uint32_t op = 0; op < 3; op++) {
        struct goal_op a = *goal_schedule_op(schedule, 0, op), b = *goal_schedule_op(back, 0, op);
        a.line = b.line = 0;
        g_assert_cmpint(memcmp(&a, &b, sizeof a), ==, 0);
    }
    g_assert_cmpuint(goal_schedule_op(back, 1, 0)->peer, ==, LOGGP_ANY);
    g_assert_cmpuint(goal_schedule_op(back, 1, 0)->tag, ==, LOGGP_ANY);
    goal_schedule_free(schedule);
    goal_schedule_free(back);
}

/* A step of a ring takes T = o + L + o + (s - 1) G, as the NIC is free again by then; all ranks do
 * the same 2 (N - 1) times. An exchange by recursive doubling takes T, log2(N) times. */
static void test_closed_forms(void)
{
    struct loggp_spec machine = costs("L=2500,o=500,g=500,G=1,O=0,S=1000000");
    const uint64_t step = 500 + 2500 + 500 + 4095;
    struct goal_pattern_spec ring = pattern("ring:50,bytes=4096,iterations=3");
    struct goal_pattern_spec doubling = pattern("doubling:64,bytes=4096,calc=1us");
    g_autofree uint64_t *ring_ends = run_pattern(&ring, &machine);
    g_autofree uint64_t *doubling_ends = run_pattern(&doubling, &machine);
    for (uint32_t rank = 0; rank < 50; rank++)
        g_assert_cmpuint(ring_ends[rank], ==, 3 * 2 * 49 * step);
    for (uint32_t rank = 0; rank < 64; rank++)
        g_assert_cmpuint(doubling_ends[rank], ==, 6 * (1000 + step));
}

/* After an allreduce every rank has heard of every other: of each message's sender all that it knew
 * is known to the receiver. */
static void test_doubling_reaches_all(void)
{
    for (uint32_t ranks = 1; ranks <= 40; ranks++) {
        g_autofree char *text = g_strdup_printf("doubling:%u", ranks);
        struct goal_pattern_spec spec = pattern(text);
        uint64_t known[40], next[40];
        for (uint32_t rank = 0; rank < ranks; rank++)
            known[rank] = UINT64_C(1) << rank;
        for (uint32_t phase = 0; phase < goal_pattern_phases(&spec); phase++) {
            memcpy(next, known, sizeof next);
            for (uint32_t rank = 0; rank < ranks; rank++) {
                struct loggp_op ops[GOAL_PHASE_OPS];
                size_t count = goal_pattern_phase(&spec, rank, phase, ops);
                for (size_t i = 0; i < count; i++)
                    next[ops[i].peer] |= ops[i].kind == LOGGP_SEND ? known[rank] : 0;
            }
            memcpy(known, next, sizeof known);
        }
        for (uint32_t rank = 0; rank < ranks; rank++)
            g_assert_cmphex(known[rank], ==, (UINT64_C(1) << ranks) - 1);
    }
}

/* Each rank is sent to by at most one other, and who sends is who is received from. */
static void test_permutations(void)
{
    struct goal_pattern_spec spec = pattern("permutation:100,iterations=20,seed=3");
    uint32_t first[100], differing = 0;
    for (uint32_t phase = 0; phase < 20; phase++) {
        uint32_t from[100], to[100], sources[100];
        memset(sources, 0xff, sizeof sources);
        for (uint32_t rank = 0; rank < 100; rank++) {
            struct loggp_op ops[GOAL_PHASE_OPS];
            size_t count = goal_pattern_phase(&spec, rank, phase, ops);
            to[rank] = count ? ops[0].peer : rank;
            from[rank] = count ? ops[1].peer : rank;
            g_assert_cmpuint(sources[to[rank]], ==, UINT32_MAX);
            sources[to[rank]] = rank;
        }
        g_assert_cmpint(memcmp(sources, from, sizeof sources), ==, 0);
        if (phase == 0)
            memcpy(first, to, sizeof first);
        differing += memcmp(first, to, sizeof first) != 0;
    }
    g_assert_cmpuint(differing, ==, 19);
}

static void test_refused(void)
{
    static const char *const refused[] = {"",
                                          "ring",
                                          "ring:",
                                          "ring:0",
                                          "ring:4x4",
                                          "tree:4",
                                          "halo3d:4x4",
                                          "halo3d:4x4x0",
                                          "ring:99999999",
                                          "halo3d:9999x9999x9999",
                                          "ring:4,x=",
                                          "ring:4,",
                                          "ring:4,bytes=-1",
                                          "ring:4,calc=1ps",
                                          "ring:4,iterations=0",
                                          "ring:4,bytes=1ns",
                                          "ring:16777216,iterations=4000000000"};
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        struct goal_pattern_spec spec;
        g_autoptr(GError) error = NULL;
        g_assert_false(goal_pattern_parse(refused[i], &spec, &error));
        g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/goal/pattern/three-ways", test_three_ways);
    g_test_add_func("/goal/pattern/round-trip", test_round_trip);
    g_test_add_func("/goal/pattern/closed-forms", test_closed_forms);
    g_test_add_func("/goal/pattern/doubling-reaches-all", test_doubling_reaches_all);
    g_test_add_func("/goal/pattern/permutations", test_permutations);
    g_test_add_func("/goal/pattern/refused", test_refused);
    return g_test_run();
}
