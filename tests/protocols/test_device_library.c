/* SPDX-License-Identifier: BSD-3-Clause */
/* The device library: puts, gets, order and waits on every design. */
#include "../designs.h"
#include "../software_test.h"
#include "device_pair.h"

/* ComPNet18 Fig 5: each work-group pings the other node and waits for its pong. */
static void ping_pong(struct pair *pair, struct device_context *context, int64_t node,
                      int64_t work_group)
{
    address word = pair->words + (address)(work_group * 64);
    for (uint64_t turn = 1; turn <= 5; turn++) {
        if (node == 0)
            device_p(context, &(struct device_transfer){
                                  .node = 1, .remote = word, .bytes = 4, .value = turn});
        device_wait_until(context, word, COMPARE_EQUAL, turn);
        if (node == 1)
            device_p(context, &(struct device_transfer){.remote = word, .bytes = 4, .value = turn});
    }
}

static void check_ping_pong(struct pair *pair)
{
    for (int64_t i = 0; i < pair->work_groups; i++)
        for (int node = 0; node < NODES; node++)
            g_assert_cmpuint(word_at(pair, node, i), ==, 5);
}

/* The signal is not seen before the payload: a payload of 8 B has contents to poll. */
static void put_with_signal(struct pair *pair, struct device_context *context, int64_t node,
                            int64_t work_group)
{
    address data = pair->words + (address)((2 * work_group) * 64), signal = data + 64;
    for (uint64_t turn = 1; turn <= 5; turn++) {
        if (node == 0) {
            agent_store_word(&context->agent, data, 100 + turn);
            agent_release(&context->agent, SCOPE_SYSTEM);
            device_put_signal(context, &(struct device_transfer){.node = 1,
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

/* Non-blocking puts return before they have arrived; after a quiet they are there. */
static void nbi_then_quiet(struct pair *pair, struct device_context *context, int64_t node,
                           int64_t work_group)
{
    if (node == 1)
        return;
    address word = pair->words + (address)(work_group * 64);
    agent_store_word(&context->agent, word, 7);
    agent_release(&context->agent, SCOPE_SYSTEM);
    for (int i = 0; i < 10; i++)
        device_put_nbi(context, &(struct device_transfer){.node = 1,
                                                          .local = pair->payload,
                                                          .remote = pair->payload,
                                                          .bytes = 4096});
    device_put_nbi(context,
                   &(struct device_transfer){.node = 1, .local = word, .remote = word, .bytes = 8});
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 0);
    device_quiet(context);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 7);
}

/* A fence keeps a small put behind a large one that it would overtake: the flag cannot be there before the
 * large payload has crossed the network at its rate. */
static void fence(struct pair *pair, struct device_context *context, int64_t node,
                  int64_t work_group)
{
    address flag = pair->words + (address)(work_group * 64);
    sim_time start_ps = process_now(context->agent.process);
    sim_time crossing_ps = transfer_ps(PAYLOAD_BYTES, pair->bench.spec.network.wire.rate_Bps);
    if (node == 0) {
        device_put_nbi(context, &(struct device_transfer){.node = 1,
                                                          .local = pair->payload,
                                                          .remote = pair->payload,
                                                          .bytes = PAYLOAD_BYTES});
        device_fence(context);
        device_p(context,
                 &(struct device_transfer){.node = 1, .remote = flag, .bytes = 4, .value = 1});
    } else {
        device_wait_until(context, flag, COMPARE_EQUAL, 1);
        g_assert_cmpint(process_now(context->agent.process) - start_ps, >, crossing_ps);
    }
}

/* A short get beside a long put of another work-group on the same service thread: its answer goes the other way, so that the
 * NIC's queue, where payloads of one direction go in turn, does not hold it up. */
static void long_and_short(struct pair *pair, struct device_context *context, int64_t node,
                           int64_t work_group)
{
    if (node == 1 || work_group > 1)
        return;
    sim_time start_ps = process_now(context->agent.process);
    if (work_group == 0) {
        device_put_nbi(context, &(struct device_transfer){.node = 1,
                                                          .local = pair->payload,
                                                          .remote = pair->payload,
                                                          .bytes = PAYLOAD_BYTES});
        device_quiet(context);
        return;
    }
    device_get(context,
               &(struct device_transfer){
                   .node = 1, .local = pair->payload, .remote = pair->payload, .bytes = 8});
    pair->short_ps = process_now(context->agent.process) - start_ps;
}

static bool polls_across_bus(const struct design *design)
{
    return design->node == NODE_DISCRETE && design->queue.memory == MEMORY_GPU &&
           design_scope(design) == SCOPE_SYSTEM;
}

/* Completed together the short one waits for the long one; by context it does not, but in a queue that both share: of work-groups,
 * or of the NIC if it keeps their order at the far side. With its queues across the bus a thread's rounds take longer than either. */
static void test_contexts(void)
{
    for (size_t d = 0; kernel_designs()[d] != NULL; d++)
        for (int64_t completion = 0; completion < 2; completion++) {
            struct pair pair = {
                .program = long_and_short, .work_groups = 2, .completion = completion};
            start(&pair, design_named(kernel_designs()[d]));
            sim_time crossing_ps =
                transfer_ps(PAYLOAD_BYTES, pair.bench.spec.network.wire.rate_Bps);
            bench_run(&pair.bench, stop_when_both_end, &pair);
            bool is_direct = design_server_kind(design_named(kernel_designs()[d]))
                                 ->is_initiator; /* each waits for its own */
            bool is_shared = design_named(kernel_designs()[d])->queue.count > 0 ||
                             design_named(kernel_designs()[d])->nic_queue.order == ORDER_QUEUE;
            if ((completion == COMPLETION_TOGETHER || is_shared) && !is_direct)
                g_assert_cmpint(pair.short_ps, >, crossing_ps);
            else if (!polls_across_bus(design_named(kernel_designs()[d])))
                g_assert_cmpint(pair.short_ps, <, crossing_ps / 2);
            finish(&pair);
        }
}

/* Posts large non-blocking puts; the time that posting takes. */
#define POSTS 4
static void post_puts(struct pair *pair, struct device_context *context, int64_t node,
                      int64_t work_group)
{
    (void)work_group;
    if (node == 1)
        return;
    sim_time start_ps = process_now(context->agent.process);
    for (int i = 0; i < POSTS; i++)
        device_put_nbi(context, &(struct device_transfer){.node = 1,
                                                          .local = pair->payload,
                                                          .remote = pair->payload,
                                                          .bytes = PAYLOAD_BYTES});
    pair->took_ps = process_now(context->agent.process) - start_ps;
    device_quiet(context);
}

static sim_time posting_ps(int64_t entries, int64_t barrier_cycles)
{
    struct pair pair = {.program = post_puts,
                        .work_groups = 1,
                        .queue_entries = entries,
                        .barrier_cycles = barrier_cycles};
    start(&pair, design_named("comp-net"));
    bench_run(&pair.bench, stop_when_both_end, &pair);
    finish(&pair);
    return pair.took_ps;
}

/* N-64: a command processor frees the entry of a non-blocking put long before the put has crossed the network:
 * with room for two entries, as many as the NIC's queue then has, the last of four is posted before the first
 * has arrived. */
static void test_marked_at_once(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    g_assert_cmpint(posting_ps(POSTS / 2, 0), <,
                    transfer_ps(PAYLOAD_BYTES, spec.network.wire.rate_Bps));
}

/* N-35: a work-group posts without waiting as long as its own queue has room. */
static void test_queue_entries(void)
{
    sim_time never_full_ps = posting_ps(64, 0);
    g_assert_cmpint(posting_ps(POSTS, 0), ==, never_full_ps);
    g_assert_cmpint(posting_ps(1, 0), >, never_full_ps);
}

/* N-67: after every call a barrier of the work-group. */
static void test_barrier_after_each_call(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    sim_time more_ps = cycles_ps(150, spec.gpu.clock_Hz) - cycles_ps(15, spec.gpu.clock_Hz);
    g_assert_cmpint(posting_ps(64, 150) - posting_ps(64, 15), ==, POSTS * more_ps);
}

/* N-38: less than 8 bytes are taken at the call; of more the NIC finds what is there when it reads. */
static void rewrite_behind(struct pair *pair, struct device_context *context, int64_t node,
                           int64_t work_group)
{
    (void)work_group;
    if (node == 1)
        return;
    for (int64_t i = 0; i < 2; i++) {
        address word = pair->words + (address)(i * 64);
        agent_store_word(&context->agent, word, 1);
        agent_release(&context->agent, SCOPE_SYSTEM);
        device_put_nbi(context, &(struct device_transfer){
                                    .node = 1, .local = word, .remote = word, .bytes = 7 + i});
        agent_store_word(&context->agent, word, 2);
        agent_release(&context->agent, SCOPE_SYSTEM);
        device_quiet(context);
    }
}

/* A command that was posted beforehand carries no payload. */
static bool is_posted_beforehand(const struct design *design)
{
    return design_server_kind(design)->is_trigger;
}

static void test_inline(void)
{
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        struct pair pair = {.program = rewrite_behind, .work_groups = 1};
        start(&pair, design_named(kernel_designs()[d]));
        bench_run(&pair.bench, stop_when_both_end, &pair);
        g_assert_cmpuint(word_at(&pair, 1, 0), ==, is_posted_beforehand(pair.design) ? 2 : 1);
        g_assert_cmpuint(word_at(&pair, 1, 1), ==, 2);
        finish(&pair);
    }
}

/* Nobody leaves a barrier of signals before all have come, however late. */
static void barrier(struct pair *pair, struct device_context *context, int64_t node,
                    int64_t work_group)
{
    address word = pair->words + (address)(work_group * 64);
    static const sim_time late_ps[NODES] = {0, 50 * PS_PER_US};
    process_sleep(context->agent.process, late_ps[node]);
    sim_time all_have_come_ps = pair->bench.spec.gpu.kernel_launch_ps + late_ps[1];
    for (uint64_t i = 0; i < 4; i++) {
        device_p(context, &(struct device_transfer){
                              .node = 1 - node, .remote = word, .bytes = 4, .value = i + 1});
        device_wait_until_from(context, word, COMPARE_GREATER, i, 1 - node, work_group);
        g_assert_cmpint(process_now(context->agent.process), >=, all_have_come_ps);
    }
}

static const struct test_case cases[] = {
    {"ping-pong", ping_pong, check_ping_pong},
    {"put-with-signal", put_with_signal, NULL},
    {"nbi-then-quiet", nbi_then_quiet, NULL},
    {"fence", fence, NULL},
    {"barrier", barrier, NULL},
};

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    add_cases("device-library", cases, G_N_ELEMENTS(cases));
    g_test_add_func("/device-library/contexts", test_contexts);
    g_test_add_func("/device-library/marked-at-once", test_marked_at_once);
    g_test_add_func("/device-library/queue-entries", test_queue_entries);
    g_test_add_func("/device-library/barrier-after-each-call", test_barrier_after_each_call);
    g_test_add_func("/device-library/inline", test_inline);
    return g_test_run();
}
