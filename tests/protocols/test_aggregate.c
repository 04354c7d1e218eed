/* SPDX-License-Identifier: BSD-3-Clause */
/* Aggregated messages: fewer packets with the same contents, in both directions; by number, by size, by
 * timeout; order and quiet hold. */
#include "../designs.h"
#include "../software_test.h"
#include "device_pair.h"

/* Designs that gather, on servers near and far. */
static const char *const gathering[] = {
    "gravel",
    "comp-net{coalesce.count=16,coalesce.timeout=2us}",
    "dgpu{coalesce.count=16,coalesce.timeout=2us}",
    "gpu-warp{coalesce.count=8,coalesce.timeout=2us}",
    "smart-nic{coalesce.count=8,coalesce.timeout=2us}",
};

static void add_commands(const char *path, const struct stat_info *info, const char *field,
                         double value, void *argument)
{
    (void)field;
    if (strcmp(path, "node0.nic0") == 0 && strcmp(info->name, "commands") == 0)
        *(double *)argument = value;
}

/* Commands that the NIC of node 0 has taken up. */
static double commands_of(struct pair *pair)
{
    double commands = -1;
    stat_visit(pair->bench.sim->stats, sim_now(pair->bench.sim), add_commands, &commands);
    g_assert_cmpfloat(commands, >=, 0);
    return commands;
}

static void run_pair(struct pair *pair, const char *text, int64_t work_groups,
                     void (*program)(struct pair *, struct device_context *, int64_t, int64_t))
{
    struct design design = test_design(text);
    *pair = (struct pair){.program = program, .work_groups = work_groups};
    start(pair, &design);
    bench_run(&pair->bench, stop_when_both_end, pair);
}

/* --- contents ----------------------------------------------------------------------------------- */

#define PUTS 5 /* of each work-group, the last with contents beyond a word */

/* From node `node`: words of 4 and 8 bytes and a line's worth that start at a word; then a quiet. */
static void put_words(struct device_context *context, int64_t peer, address own, uint64_t value)
{
    for (uint64_t i = 0; i < PUTS; i++)
        agent_store_word(&context->agent, own + i * 8, value + i);
    agent_release(&context->agent, SCOPE_SYSTEM);
    device_put_nbi(
        context, &(struct device_transfer){.node = peer, .local = own, .remote = own, .bytes = 4});
    for (uint64_t i = 1; i < PUTS; i++)
        device_put_nbi(context,
                       &(struct device_transfer){
                           .node = peer, .local = own + i * 8, .remote = own + i * 8, .bytes = 8});
    device_quiet(context);
}

static void both_directions(struct pair *pair, struct device_context *context, int64_t node,
                            int64_t work_group)
{
    int64_t line = 2 * work_group + node;
    address own = pair->words + (address)(line * 64);
    uint64_t value = 1000 * (uint64_t)(line + 1);
    put_words(context, 1 - node, own, value);
    for (uint64_t i = 0; i < PUTS; i++) { /* quiet: they are there */
        uint64_t found;
        store_read(memory_of(pair, 1 - node), own + i * 8, &found, sizeof found);
        g_assert_cmpuint(found, ==, value + i);
    }
}

static void test_contents(void)
{
    for (size_t d = 0; d < G_N_ELEMENTS(gathering); d++) {
        struct pair pair;
        run_pair(&pair, gathering[d], MOST_WORK_GROUPS, both_directions);
        finish(&pair);
    }
}

/* --- packets ------------------------------------------------------------------------------------ */

#define MANY 64

static void put_many(struct pair *pair, struct device_context *context, int64_t node,
                     int64_t work_group)
{
    address word = pair->words + (address)(work_group * 64);
    if (node == 1)
        return;
    for (int i = 0; i < MANY; i++)
        device_put_nbi(
            context, &(struct device_transfer){
                         .node = 1, .local = pair->payload, .remote = pair->payload, .bytes = 32});
    device_p(context, &(struct device_transfer){.node = 1, .remote = word, .bytes = 4, .value = 7});
    device_quiet(context);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 7);
}

/* Eight work-groups with 65 puts each, 16 or what the queues give in a message; a message and nothing else is a
 * command of this NIC. */
static void test_fewer_packets(void)
{
    struct pair each, together;
    run_pair(&each, "apu", MOST_WORK_GROUPS, put_many);
    g_assert_cmpfloat(commands_of(&each), ==, MOST_WORK_GROUPS * (MANY + 1));
    finish(&each);
    run_pair(&together, "apu{coalesce.count=16,coalesce.timeout=50us}", MOST_WORK_GROUPS, put_many);
    g_assert_cmpfloat(commands_of(&together), >=, MOST_WORK_GROUPS * (MANY + 1) / 16);
    g_assert_cmpfloat(commands_of(&together), <,
                      MOST_WORK_GROUPS * (MANY + 1) / 16 + 2 * MOST_WORK_GROUPS);
    finish(&together);
}

/* A message has room for three puts of 32 B: a head, and a head and 32 B for each. */
static void test_size(void)
{
    struct pair pair;
    run_pair(&pair, "apu{coalesce.count=64,coalesce.timeout=50us,coalesce.size=256B}", 1, put_many);
    g_assert_cmpfloat(commands_of(&pair), >=, (MANY + 1) / 3);
    g_assert_cmpfloat(commands_of(&pair), <=, (MANY + 1) / 3 + 3);
    finish(&pair);
}

static void put_large(struct pair *pair, struct device_context *context, int64_t node,
                      int64_t work_group)
{
    (void)work_group;
    if (node == 1)
        return;
    for (int i = 0; i < 4; i++)
        device_put_nbi(context, &(struct device_transfer){.node = 1,
                                                          .local = pair->payload,
                                                          .remote = pair->payload,
                                                          .bytes = 4096});
    device_quiet(context);
}

/* What does not fit into a message goes on its own. */
static void test_large_puts(void)
{
    struct pair pair;
    run_pair(&pair, "gravel{coalesce.size=4KiB}", 1, put_large);
    g_assert_cmpfloat(commands_of(&pair), ==, 4);
    finish(&pair);
    run_pair(&pair, "gravel{coalesce.size=32KiB}", 1, put_large);
    g_assert_cmpfloat(commands_of(&pair), ==, 1);
    finish(&pair);
}

/* --- time --------------------------------------------------------------------------------------- */

static void put_one(struct pair *pair, struct device_context *context, int64_t node,
                    int64_t work_group)
{
    address word = pair->words + (address)(work_group * 64);
    if (node == 1)
        return;
    sim_time start_ps = process_now(context->agent.process);
    device_p(context, &(struct device_transfer){.node = 1, .remote = word, .bytes = 4, .value = 9});
    pair->took_ps = process_now(context->agent.process) - start_ps;
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 9);
}

/* One put alone waits for its timeout, and no longer. */
static void test_timeout(void)
{
    static const int64_t timeouts_us[] = {2, 10, 125};
    sim_time rest_ps = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(timeouts_us); i++) {
        struct pair pair;
        g_autofree char *text =
            g_strdup_printf("gravel{coalesce.timeout=%dus}", (int)timeouts_us[i]);
        run_pair(&pair, text, 1, put_one);
        sim_time beyond_ps = pair.took_ps - timeouts_us[i] * PS_PER_US;
        g_assert_cmpint(beyond_ps, >, 2 * pair.bench.spec.network.wire.latency_ps);
        if (i > 0) /* the same, but for where in a round the timeout ends */
            g_assert_cmpint(ABS(beyond_ps - rest_ps), <, 300 * PS_PER_NS);
        rest_ps = beyond_ps;
        finish(&pair);
    }
}

/* --- order -------------------------------------------------------------------------------------- */

/* Each turn the signal comes gathered with its payload, and is never seen before it. */
static void signals(struct pair *pair, struct device_context *context, int64_t node,
                    int64_t work_group)
{
    address data = pair->words + (address)((2 * work_group) * 64), signal = data + 64;
    for (uint64_t turn = 1; turn <= 5; turn++) {
        if (node == 0) {
            agent_store_word(&context->agent, data, 100 + turn);
            agent_release(&context->agent, SCOPE_SYSTEM);
            device_put_signal_nbi(context, &(struct device_transfer){.node = 1,
                                                                     .local = data,
                                                                     .remote = data,
                                                                     .bytes = 8,
                                                                     .signal = signal,
                                                                     .value = turn});
            device_wait_until(context, signal, COMPARE_EQUAL, turn);
        } else {
            device_wait_until(context, signal, COMPARE_EQUAL, turn);
            g_assert_cmpuint(word_at(pair, 1, 2 * work_group), ==, 100 + turn);
            device_p(context,
                     &(struct device_transfer){.remote = signal, .bytes = 4, .value = turn});
        }
    }
}

static void test_signals(void)
{
    for (size_t d = 0; d < G_N_ELEMENTS(gathering); d++) {
        struct pair pair;
        run_pair(&pair, gathering[d], MOST_WORK_GROUPS, signals);
        finish(&pair);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/aggregate/contents", test_contents);
    g_test_add_func("/aggregate/fewer-packets", test_fewer_packets);
    g_test_add_func("/aggregate/size", test_size);
    g_test_add_func("/aggregate/large-puts", test_large_puts);
    g_test_add_func("/aggregate/timeout", test_timeout);
    g_test_add_func("/aggregate/signals", test_signals);
    return g_test_run();
}
