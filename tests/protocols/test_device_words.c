/* SPDX-License-Identifier: BSD-3-Clause */
/* The device library on words: atomics, and waits with a comparison, on every design. */
#include "device_pair.h"

/* A word that goes from `start` over `not_yet` to `enough` in steps of 5 us: who waits for it with
 * a comparison goes on after the last step, not before. Node 1 waits, node 0 writes. */
static const struct comparison_case {
    enum word_comparison comparison;
    uint64_t value, start, not_yet, enough;
} comparison_cases[COMPARISONS] = {
    {COMPARE_EQUAL, 3, 1, 2, 3},         {COMPARE_NOT_EQUAL, 1, 1, 1, 2},
    {COMPARE_GREATER, 2, 1, 2, 3},       {COMPARE_GREATER_EQUAL, 3, 1, 2, 3},
    {COMPARE_LESS, 2, UINT32_MAX, 2, 1}, {COMPARE_LESS_EQUAL, 1, UINT32_MAX, 2, 1},
};

static void write_in_steps(struct pair *pair, struct device_context *context, address word,
                           const struct comparison_case *test_case)
{
    device_p(context, &(struct device_transfer){
                          .node = 1, .remote = word, .bytes = 4, .value = test_case->start});
    device_wait_until(context, word, COMPARE_EQUAL, test_case->start); /* node 1 has seen it */
    process_sleep(context->agent.process, 5 * PS_PER_US);
    device_p(context, &(struct device_transfer){
                          .node = 1, .remote = word, .bytes = 4, .value = test_case->not_yet});
    process_sleep(context->agent.process, 5 * PS_PER_US);
    pair->enough_ps[context->work_group] = process_now(context->agent.process);
    device_p(context, &(struct device_transfer){
                          .node = 1, .remote = word, .bytes = 4, .value = test_case->enough});
}

static void comparisons(struct pair *pair, struct device_context *context, int64_t node,
                        int64_t work_group)
{
    for (int i = 0; i < COMPARISONS; i++) {
        const struct comparison_case *test_case = &comparison_cases[i];
        address word = pair->words + (address)(work_group * 64 + i * 8);
        if (node == 0) {
            write_in_steps(pair, context, word, test_case);
            continue;
        }
        device_wait_until(context, word, COMPARE_EQUAL, test_case->start);
        device_p(context,
                 &(struct device_transfer){.remote = word, .bytes = 4, .value = test_case->start});
        device_wait_until(context, word, test_case->comparison, test_case->value);
        g_assert_cmpuint(device_atomic(context, 1, word, ATOMIC_ADD, 0, 0), ==, test_case->enough);
        g_assert_cmpint(process_now(context->agent.process), >, pair->enough_ps[work_group]);
        device_wait_until(context, word, test_case->comparison, test_case->value); /* still so */
    }
}

/* Additions of all work-groups of both nodes to one word of node 1: none is lost, old values are all
 * different. */
static void fetch_add(struct pair *pair, struct device_context *context, int64_t node,
                      int64_t work_group)
{
    (void)work_group;
    uint64_t before = 0;
    for (int i = 0; i < 6; i++) {
        uint64_t old = device_atomic(context, 1, pair->words, ATOMIC_ADD, node == 0 ? 1 : 1000, 0);
        g_assert_true(i == 0 || old > before);
        before = old;
    }
}

static void check_sum(struct pair *pair)
{
    g_assert_cmpuint(word_at(pair, 1, 0), ==, (uint64_t)pair->work_groups * 6 * 1001);
}

/* The same on words of both nodes, to one of which a node's own kernel adds. */
static void add(struct pair *pair, struct device_context *context, int64_t node, int64_t work_group)
{
    (void)work_group;
    uint64_t operand = node == 0 ? 1 : 1000;
    for (int i = 0; i < 4; i++) {
        device_atomic(context, 0, pair->words, ATOMIC_ADD, operand, 0);
        device_atomic(context, 1, pair->words, ATOMIC_ADD, operand, 0);
        agent_atomic(&context->agent, pair->words, ATOMIC_ADD, 1000000, 0);
    }
}

static void check_sums(struct pair *pair)
{
    for (int node = 0; node < NODES; node++)
        g_assert_cmpuint(word_at(pair, node, 0), ==, (uint64_t)pair->work_groups * 4 * 1001001);
}

/* What each atomic returns, and what it leaves behind at the time when it returns. */
static void atomics(struct pair *pair, struct device_context *context, int64_t node,
                    int64_t work_group)
{
    if (node == 1)
        return;
    address word = pair->words + (address)(work_group * 64);
    device_atomic(context, 1, word, ATOMIC_SWAP, 40, 0);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 40);
    g_assert_cmpuint(device_atomic(context, 1, word, ATOMIC_ADD, 0, 0), ==, 40);
    g_assert_cmpuint(device_atomic(context, 1, word, ATOMIC_ADD, 2, 0), ==, 40);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 42);
    g_assert_cmpuint(device_atomic(context, 1, word, ATOMIC_SWAP, 7, 0), ==, 42);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 7);
    g_assert_cmpuint(device_atomic(context, 1, word, ATOMIC_COMPARE_SWAP, 9, 6), ==, 7);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 7);
    g_assert_cmpuint(device_atomic(context, 1, word, ATOMIC_COMPARE_SWAP, 9, 7), ==, 7);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 9);
    device_atomic(context, 1, word, ATOMIC_ADD, 1, 0);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 10);
    g_assert_cmpuint(word_at(pair, 0, work_group), ==, 0);
}

/* A lock on node 1 guards a counter there that is read and written, not added to: without it
 * work-groups would write each other's counts over. */
static void lock(struct pair *pair, struct device_context *context, int64_t node,
                 int64_t work_group)
{
    address word = pair->words, counter = word + 64;
    uint64_t own = 1 + (uint64_t)(node * pair->work_groups + work_group);
    for (int i = 0; i < 2; i++) {
        while (device_atomic(context, 1, word, ATOMIC_COMPARE_SWAP, own, 0) != 0)
            continue;
        uint64_t count = device_atomic(context, 1, counter, ATOMIC_ADD, 0, 0);
        device_p(context, &(struct device_transfer){
                              .node = 1, .remote = counter, .bytes = 7, .value = count + 1});
        g_assert_cmpuint(device_atomic(context, 1, word, ATOMIC_SWAP, 0, 0), ==, own);
    }
}

static void check_count(struct pair *pair)
{
    g_assert_cmpuint(word_at(pair, 1, 1), ==, (uint64_t)(2 * NODES * pair->work_groups));
    g_assert_cmpuint(word_at(pair, 1, 0), ==, 0);
}

static const struct test_case cases[] = {
    {"fetch-add", fetch_add, check_sum}, {"add", add, check_sums},
    {"comparisons", comparisons, NULL},  {"atomics", atomics, NULL},
    {"lock", lock, check_count},
};

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_cases("device-words", cases, G_N_ELEMENTS(cases));
    return g_test_run();
}
