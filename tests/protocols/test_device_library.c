/* The device library on every design: two nodes whose kernels talk to each other through their services. */
#include "../models/model_test.h"
#include "protocols/device_library.h"
#include "protocols/symmetric_heap.h"

#define NODES 2
#define MOST_WORK_GROUPS 8
#define WORDS_BYTES (64 * 64)
#define PAYLOAD_BYTES (256 * 1024)

struct pair {
    struct bench bench;
    const struct design *design;
    struct service *services[NODES];
    struct kernel kernels[NODES];
    struct side {
        struct pair *pair;
        int64_t node;
    } sides[NODES];
    struct symmetric_heap *heap;
    address words;   /* with contents */
    address payload; /* without */
    void (*program)(struct pair *pair, struct device_context *context, int64_t node,
                    int64_t work_group);
    int64_t work_groups;
    sim_time done_ps[NODES];
    int64_t completion;                    /* enum completion */
    int64_t queue_entries, barrier_cycles; /* 0: as by default */
    sim_time took_ps;                      /* of what the program looks at */
    sim_time short_ps;                     /* of the short get in long_and_short */
    sim_time enough_ps[MOST_WORK_GROUPS]; /* by work-group, in comparisons: when it was written */
};

static void run_side(struct work_group *wg, void *argument)
{
    struct side *side = argument;
    struct device_context context;
    device_context_create(&context, side->pair->services[side->node], wg);
    side->pair->program(side->pair, &context, side->node, wg->index);
    side->pair->done_ps[side->node] = process_now(wg->process);
}

static void stop_when_both_end(struct process *self, void *argument)
{
    struct pair *pair = argument;
    for (int node = 0; node < NODES; node++)
        if (!pair->kernels[node].is_finished)
            signal_wait(&pair->kernels[node].finished, self, "a kernel to end");
    for (int node = 0; node < NODES; node++)
        service_stop(pair->services[node]);
}

static struct store *memory_of(struct pair *pair, int64_t node)
{
    struct node *at = &pair->bench.cluster->nodes[node];
    return pair->design->form == NODE_APU ? host_directory(at->host)->store
                                          : gpu_memory(at->gpu)->store;
}

static uint64_t word_at(struct pair *pair, int64_t node, int64_t index)
{
    uint64_t word;
    store_read(memory_of(pair, node), pair->words + (address)(index * 64), &word, sizeof word);
    return word;
}

static void start(struct pair *pair, const struct design *design)
{
    char why[256];
    bench_start(&pair->bench, design->form);
    pair->bench.spec.software.completion = pair->completion;
    if (pair->queue_entries > 0)
        pair->bench.spec.software.queue_entries = pair->queue_entries;
    if (pair->barrier_cycles > 0)
        pair->bench.spec.gpu.barrier_cycles = pair->barrier_cycles;
    pair->design = design;
    struct cluster *cluster = pair->bench.cluster;
    pair->heap = symmetric_heap_new(cluster, design, WORDS_BYTES + PAYLOAD_BYTES);
    pair->words = symmetric_allocate(pair->heap, WORDS_BYTES, STORE_FINE_GRAINED);
    pair->payload = symmetric_allocate(pair->heap, PAYLOAD_BYTES, STORE_PAYLOAD);
    for (int node = 0; node < NODES; node++) {
        pair->services[node] =
            service_new(cluster, node, design, pair->work_groups, 1, why, sizeof why);
        g_assert_nonnull(pair->services[node]);
        pair->sides[node] = (struct side){pair, node};
        pair->kernels[node] = (struct kernel){.work_groups = pair->work_groups,
                                              .threads = 64,
                                              .program = run_side,
                                              .argument = &pair->sides[node]};
        g_assert_true(gpu_launch(cluster->nodes[node].gpu, &pair->kernels[node], why, sizeof why));
    }
}

static void finish(struct pair *pair)
{
    for (int node = 0; node < NODES; node++)
        service_free(pair->services[node]);
    symmetric_heap_free(pair->heap);
    bench_end(&pair->bench);
}

/* ComPNet18 Fig 5: each work-group pings the other node and waits for its pong. */
static void ping_pong(struct pair *pair, struct device_context *context, int64_t node,
                      int64_t work_group)
{
    address word = pair->words + (address)(work_group * 64);
    for (uint64_t turn = 1; turn <= 5; turn++) {
        if (node == 0)
            device_p(context, 1, word, turn, 4);
        device_wait_until(context, word, COMPARE_EQUAL, turn);
        if (node == 1)
            device_p(context, 0, word, turn, 4);
    }
}

static void check_ping_pong(struct pair *pair)
{
    for (int64_t i = 0; i < pair->work_groups; i++)
        for (int node = 0; node < NODES; node++)
            g_assert_cmpuint(word_at(pair, node, i), ==, 5);
}

/* The signal is not seen before the payload: a payload of 8 B has contents to look at. */
static void put_with_signal(struct pair *pair, struct device_context *context, int64_t node,
                            int64_t work_group)
{
    address data = pair->words + (address)((2 * work_group) * 64), signal = data + 64;
    for (uint64_t turn = 1; turn <= 5; turn++) {
        if (node == 0) {
            agent_store_word(&context->agent, data, 100 + turn);
            agent_release(&context->agent, SCOPE_SYSTEM);
            device_put_signal(context, 1, data, data, 8, signal, turn);
            device_wait_until(context, signal, COMPARE_EQUAL, turn);
        } else {
            device_wait_until(context, signal, COMPARE_EQUAL, turn);
            g_assert_cmpuint(word_at(pair, 1, 2 * work_group), ==, 100 + turn);
            device_p(context, 0, signal, turn, 4);
        }
    }
}

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
    device_p(context, 1, word, test_case->start, 4);
    device_wait_until(context, word, COMPARE_EQUAL, test_case->start); /* node 1 has seen it */
    process_sleep(context->agent.process, 5 * PS_PER_US);
    device_p(context, 1, word, test_case->not_yet, 4);
    process_sleep(context->agent.process, 5 * PS_PER_US);
    pair->enough_ps[context->work_group] = process_now(context->agent.process);
    device_p(context, 1, word, test_case->enough, 4);
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
        device_p(context, 0, word, test_case->start, 4);
        device_wait_until(context, word, test_case->comparison, test_case->value);
        g_assert_cmpuint(device_g(context, 1, word, 8), ==, test_case->enough);
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
        uint64_t old = device_atomic_fetch_add(context, 1, pair->words, node == 0 ? 1 : 1000);
        g_assert_true(i == 0 || old > before);
        before = old;
    }
}

static void check_sum(struct pair *pair)
{
    g_assert_cmpuint(word_at(pair, 1, 0), ==, (uint64_t)pair->work_groups * 6 * 1001);
}

/* The same without asking for old values: blocking, and posted all at once; and on both nodes
 * additions by the node's own kernel. */
static void add(struct pair *pair, struct device_context *context, int64_t node, int64_t work_group)
{
    (void)work_group;
    uint64_t operand = node == 0 ? 1 : 1000;
    for (int i = 0; i < 4; i++) {
        device_atomic_add_nbi(context, 0, pair->words, operand);
        device_atomic_add(context, 1, pair->words, operand);
        agent_atomic(&context->agent, pair->words, ATOMIC_ADD, 1000000, 0);
    }
    device_quiet(context);
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
    device_atomic_set(context, 1, word, 40);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 40);
    g_assert_cmpuint(device_atomic_fetch(context, 1, word), ==, 40);
    g_assert_cmpuint(device_atomic_fetch_add(context, 1, word, 2), ==, 40);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 42);
    g_assert_cmpuint(device_atomic_swap(context, 1, word, 7), ==, 42);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 7);
    g_assert_cmpuint(device_atomic_compare_swap(context, 1, word, 6, 9), ==, 7);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 7);
    g_assert_cmpuint(device_atomic_compare_swap(context, 1, word, 7, 9), ==, 7);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 9);
    device_atomic_add(context, 1, word, 1);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 10);
    device_atomic_add_nbi(context, 1, word, 5);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 10);
    device_quiet(context);
    g_assert_cmpuint(word_at(pair, 1, work_group), ==, 15);
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
        while (device_atomic_compare_swap(context, 1, word, 0, own) != 0)
            continue;
        uint64_t count = device_g(context, 1, counter, 8);
        device_p(context, 1, counter, count + 1, 7);
        g_assert_cmpuint(device_atomic_swap(context, 1, word, 0), ==, own);
    }
}

static void check_count(struct pair *pair)
{
    g_assert_cmpuint(word_at(pair, 1, 1), ==, (uint64_t)(2 * NODES * pair->work_groups));
    g_assert_cmpuint(word_at(pair, 1, 0), ==, 0);
}

/* Of a value its first bytes, and nothing of what came back before. */
static void typed_get(struct pair *pair, struct device_context *context, int64_t node,
                      int64_t work_group)
{
    if (node == 1)
        return;
    const uint64_t value = UINT64_C(0x8877665544332211);
    address word = pair->words + (address)(work_group * 64);
    device_atomic_set(context, 1, word, value);
    for (int64_t bytes = 8; bytes >= 1; bytes--)
        g_assert_cmphex(device_g(context, 1, word, bytes), ==,
                        value & UINT64_MAX >> (64 - 8 * bytes));
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
        device_put_nbi(context, 1, pair->payload, pair->payload, 4096);
    device_put_nbi(context, 1, word, word, 8);
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
    sim_time crossing_ps = transfer_ps(PAYLOAD_BYTES, pair->bench.spec.network.rate_Bps);
    if (node == 0) {
        device_put_nbi(context, 1, pair->payload, pair->payload, PAYLOAD_BYTES);
        device_fence(context);
        device_p(context, 1, flag, 1, 4);
    } else {
        device_wait_until(context, flag, COMPARE_EQUAL, 1);
        g_assert_cmpint(process_now(context->agent.process) - start_ps, >, crossing_ps);
    }
}

/* A short get beside a long one of another work-group on the same service thread. */
static void long_and_short(struct pair *pair, struct device_context *context, int64_t node,
                           int64_t work_group)
{
    if (node == 1 || work_group > 1)
        return;
    sim_time start_ps = process_now(context->agent.process);
    device_get(context, 1, pair->payload, pair->payload, work_group == 0 ? PAYLOAD_BYTES : 8);
    if (work_group == 1)
        pair->short_ps = process_now(context->agent.process) - start_ps;
}

/* Completed together the short one waits for the long one; by context it does not. With its queues
 * across the bus a thread's rounds take longer than either. */
static void test_contexts(void)
{
    for (size_t d = 0; design_names[d] != NULL; d++)
        for (int64_t completion = 0; completion < 2; completion++) {
            struct pair pair = {
                .program = long_and_short, .work_groups = 2, .completion = completion};
            start(&pair, &designs[d]);
            sim_time crossing_ps = transfer_ps(PAYLOAD_BYTES, pair.bench.spec.network.rate_Bps);
            bench_run(&pair.bench, stop_when_both_end, &pair);
            if (completion == COMPLETION_TOGETHER)
                g_assert_cmpint(pair.short_ps, >, crossing_ps);
            else if (strcmp(design_names[d], "dgpu") != 0)
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
        device_put_nbi(context, 1, pair->payload, pair->payload, PAYLOAD_BYTES);
    pair->took_ps = process_now(context->agent.process) - start_ps;
    device_quiet(context);
}

static const struct design *comp_net(void)
{
    size_t d = 0;
    while (strcmp(design_names[d], "comp-net") != 0)
        d++;
    return &designs[d];
}

static sim_time posting_ps(int64_t entries, int64_t barrier_cycles)
{
    struct pair pair = {.program = post_puts,
                        .work_groups = 1,
                        .queue_entries = entries,
                        .barrier_cycles = barrier_cycles};
    start(&pair, comp_net());
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
    machine_spec_defaults(&spec);
    g_assert_cmpint(posting_ps(POSTS / 2, 0), <, transfer_ps(PAYLOAD_BYTES, spec.network.rate_Bps));
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
    machine_spec_defaults(&spec);
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
        device_put_nbi(context, 1, word, word, 7 + i);
        agent_store_word(&context->agent, word, 2);
        agent_release(&context->agent, SCOPE_SYSTEM);
        device_quiet(context);
    }
}

static void test_inline(void)
{
    for (size_t d = 0; design_names[d] != NULL; d++) {
        struct pair pair = {.program = rewrite_behind, .work_groups = 1};
        start(&pair, &designs[d]);
        bench_run(&pair.bench, stop_when_both_end, &pair);
        g_assert_cmpuint(word_at(&pair, 1, 0), ==, 1);
        g_assert_cmpuint(word_at(&pair, 1, 1), ==, 2);
        finish(&pair);
    }
}

/* Nobody leaves a barrier before all have come, however late. */
static void barrier(struct pair *pair, struct device_context *context, int64_t node,
                    int64_t work_group)
{
    (void)work_group;
    static const sim_time late_ps[NODES] = {0, 50 * PS_PER_US};
    process_sleep(context->agent.process, late_ps[node]);
    sim_time all_have_come_ps = pair->bench.spec.gpu.kernel_launch_ps + late_ps[1];
    for (int i = 0; i < 4; i++) {
        device_barrier_all(context, node, NODES);
        g_assert_cmpint(process_now(context->agent.process), >=, all_have_come_ps);
    }
}

struct test_case {
    const char *name;
    void (*program)(struct pair *, struct device_context *, int64_t, int64_t);
    void (*check)(struct pair *);
};

static const struct test_case cases[] = {
    {"ping-pong", ping_pong, check_ping_pong},
    {"put-with-signal", put_with_signal, NULL},
    {"fetch-add", fetch_add, check_sum},
    {"add", add, check_sums},
    {"comparisons", comparisons, NULL},
    {"atomics", atomics, NULL},
    {"lock", lock, check_count},
    {"typed-get", typed_get, NULL},
    {"nbi-then-quiet", nbi_then_quiet, NULL},
    {"fence", fence, NULL},
    {"barrier", barrier, NULL},
};

static void run_case(gconstpointer argument)
{
    const struct test_case *test_case = argument;
    for (size_t d = 0; design_names[d] != NULL; d++)
        for (int64_t i = 0; i < 4; i++) {
            struct pair pair = {.program = test_case->program,
                                .work_groups = i % 2 ? MOST_WORK_GROUPS : 1,
                                .completion = i / 2};
            start(&pair, &designs[d]);
            bench_run(&pair.bench, stop_when_both_end, &pair);
            if (test_case->check != NULL)
                test_case->check(&pair);
            finish(&pair);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *path = g_strdup_printf("/device-library/%s", cases[i].name);
        g_test_add_data_func(path, &cases[i], run_case);
        g_free(path);
    }
    g_test_add_func("/device-library/contexts", test_contexts);
    g_test_add_func("/device-library/marked-at-once", test_marked_at_once);
    g_test_add_func("/device-library/queue-entries", test_queue_entries);
    g_test_add_func("/device-library/barrier-after-each-call", test_barrier_after_each_call);
    g_test_add_func("/device-library/inline", test_inline);
    return g_test_run();
}
