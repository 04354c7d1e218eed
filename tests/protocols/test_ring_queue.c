/* SPDX-License-Identifier: BSD-3-Clause */
/* The producer/consumer queue between a work-group and a CP thread: nothing lost, nothing twice, in order,
 * never more entries under way than there are places, for any number of places (M-065 to M-070). */
#include "../models/model_test.h"
#include "../software_test.h"
#include "protocols/shmem/ring_queue.h"

#define OPERATIONS 200

struct pair {
    struct bench bench;
    struct ring_queue queue;
    uint64_t consumed, most_taken;
    bool finished;
};

static void produce_all(struct work_group *wg, void *argument)
{
    struct pair *pair = argument;
    struct agent agent;
    struct ring_producer producer;
    agent_init_work_group(&agent, wg);
    ring_producer_init(&producer, &pair->queue, &agent);
    for (uint64_t i = 0; i < OPERATIONS; i++) {
        struct queue_entry entry = {.operation = QUEUE_PUT,
                                    .node = (uint32_t)(i % 7),
                                    .local = i * 3,
                                    .remote = i * 5,
                                    .bytes = i,
                                    .value = i * 11,
                                    .is_inline = i % 2};
        ring_produce(&producer, &entry, &(uint64_t){i + 1}, 1,
                     software_of(&pair->bench.spec, pair->bench.sim));
        g_assert_cmpuint(producer.write_index - pair->consumed, <=, pair->queue.count + 1);
    }
    ring_wait_all(&producer, false, software_of(&pair->bench.spec, pair->bench.sim));
    g_assert_cmpuint(pair->consumed, ==, OPERATIONS);
    pair->finished = true;
}

/* Takes up to three entries before it marks them, so that several are under way. */
static void consume_all(struct process *self, void *argument)
{
    struct pair *pair = argument;
    struct agent agent;
    struct ring_consumer consumer;
    struct agent_place place = {pair->bench.cluster, cluster_site(pair->bench.cluster, 0, 0)};
    agent_init(&agent, &command_processor_kind, place, 0, self);
    ring_consumer_init(&consumer, &pair->queue);
    uint64_t taken[3], count = 0;
    while (!pair->finished) {
        struct queue_entry entry;
        bool ready;
        agent_execute(&agent, 10);
        ring_poll(&consumer, 1, 1, &agent, &entry, &ready, POLL_WHOLE);
        if (ready) {
            uint64_t index;
            ring_take(&consumer, 1, 1, &agent, &ready, &entry, &index);
            g_assert_cmpuint(ring_operation(&pair->queue, index), ==, index + 1);
            g_assert_cmpuint(entry.node, ==, index % 7);
            g_assert_cmpuint(entry.local, ==, index * 3);
            g_assert_cmpuint(entry.remote, ==, index * 5);
            g_assert_cmpuint(entry.bytes, ==, index);
            if (entry.is_inline)
                g_assert_cmpuint(entry.value, ==, index * 11);
            taken[count++] = index;
            pair->most_taken = MAX(pair->most_taken, count);
        }
        if (count == 3 || (count > 0 && !ready)) {
            for (uint64_t i = 0; i < count; i++) {
                g_assert_cmpuint(taken[i], ==, pair->consumed);
                pair->consumed++;
                ring_mark(&consumer, &agent, taken[i]);
            }
            agent_release(&agent, pair->queue.scope);
            ring_advance(&consumer, &agent);
            count = 0;
        }
    }
    agent_release(&agent, pair->queue.scope); /* it lives no longer than its stores */
}

static void run_queue(gconstpointer argument)
{
    struct pair pair = {0};
    uint64_t count = GPOINTER_TO_UINT(argument);
    bench_start(&pair.bench, NODE_DISCRETE, software_tables());
    struct cluster *cluster = pair.bench.cluster;
    pair.queue = (struct ring_queue){
        .entries = site_allocate(cluster, cluster_site(cluster, 0, 0), MEMORY_GPU,
                                 (int64_t)count * 64, STORE_COARSE_GRAINED),
        .read_index = site_allocate(cluster, cluster_site(cluster, 0, 0), MEMORY_GPU, 8,
                                    STORE_COARSE_GRAINED),
        .count = count,
        .scope = SCOPE_DEVICE,
        .operations = g_new0(uint64_t, count),
    };
    struct kernel kernel = {
        .work_groups = 1, .threads = 64, .program = produce_all, .argument = &pair};
    g_autoptr(GError) error = NULL;
    g_assert_true(gpu_launch(cluster_site(cluster, 0, 0)->gpu, &kernel, &error));
    bench_run(&pair.bench, consume_all, &pair);
    g_assert_cmpuint(pair.consumed, ==, OPERATIONS);
    g_assert_cmpuint(pair.most_taken, <=, count);
    g_free(pair.queue.operations);
    bench_end(&pair.bench);
}

/* --- several producers of one queue -------------------------------------------------------------- */

#define PRODUCERS 5
#define EACH 40

struct shared {
    struct pair pair;
    uint64_t places_taken[PRODUCERS * EACH]; /* by place: 1 + number of who has it */
    uint64_t next[PRODUCERS];                /* that it posts; that is next of it */
    uint64_t seen[PRODUCERS];
    int64_t left;
};

/* Every entry says who posted it and which of his it is. */
static void produce_shared(struct work_group *wg, void *argument)
{
    struct shared *shared = argument;
    struct software software = software_of(&shared->pair.bench.spec, shared->pair.bench.sim);
    struct agent agent;
    struct ring_producer producer;
    agent_init_work_group(&agent, wg);
    ring_producer_init(&producer, &shared->pair.queue, &agent);
    for (uint64_t i = 0; i < EACH; i++) {
        struct queue_entry entry = {
            .operation = QUEUE_PUT, .node = (uint32_t)wg->index, .local = i, .is_inline = false};
        ring_produce(&producer, &entry, &(uint64_t){1}, 1, software);
        g_assert_cmpuint(producer.write_index, <=, PRODUCERS * EACH);
        uint64_t *place = &shared->places_taken[producer.write_index - 1];
        g_assert_cmpuint(*place, ==, 0);
        *place = 1 + (uint64_t)wg->index;
        if (i % 8 == 7) {
            ring_wait_all(&producer, true, software);
            g_assert_cmpuint(shared->seen[wg->index], ==, i + 1);
        }
    }
    shared->left--;
}

/* Takes two before it marks them, the later one first. */
static void consume_shared(struct process *self, void *argument)
{
    struct shared *shared = argument;
    struct pair *pair = &shared->pair;
    struct agent agent;
    struct ring_consumer consumer;
    struct agent_place place = {pair->bench.cluster, cluster_site(pair->bench.cluster, 0, 0)};
    agent_init(&agent, &command_processor_kind, place, 0, self);
    ring_consumer_init(&consumer, &pair->queue);
    uint64_t taken[2], count = 0;
    while (shared->left > 0) {
        struct queue_entry entry;
        bool ready;
        agent_execute(&agent, 10);
        ring_poll(&consumer, 1, 1, &agent, &entry, &ready, POLL_WHOLE);
        if (ready) {
            ring_take(&consumer, 1, 1, &agent, &ready, &entry, &taken[count++]);
            g_assert_cmpuint(entry.local, ==, shared->next[entry.node]++);
            shared->seen[entry.node]++;
        }
        if (count == 2 || (count > 0 && !ready)) {
            uint64_t before = consumer.read_index;
            while (count-- > 0)
                ring_mark(&consumer, &agent, taken[count]);
            count = 0;
            g_assert_cmpuint(consumer.read_index, >, before);
            agent_release(&agent, pair->queue.scope);
            ring_advance(&consumer, &agent);
        }
    }
    agent_release(&agent, pair->queue.scope);
}

/* Each place is one producer's, entries of each come in his order, a waiter sees his own done; also with fewer places than
 * producers. */
static void run_shared(gconstpointer argument)
{
    struct shared shared = {.left = PRODUCERS};
    struct pair *pair = &shared.pair;
    uint64_t count = GPOINTER_TO_UINT(argument);
    bench_start(&pair->bench, NODE_DISCRETE, software_tables());
    struct cluster *cluster = pair->bench.cluster;
    struct site *site = cluster_site(cluster, 0, 0);
    bool is_done[64] = {false};
    pair->queue = (struct ring_queue){
        .entries =
            site_allocate(cluster, site, MEMORY_GPU, (int64_t)count * 64, STORE_COARSE_GRAINED),
        .read_index = site_allocate(cluster, site, MEMORY_GPU, 8, STORE_COARSE_GRAINED),
        .write_index = site_allocate(cluster, site, MEMORY_GPU, 8, STORE_COARSE_GRAINED),
        .count = count,
        .scope = SCOPE_DEVICE,
        .is_done = is_done,
    };
    struct kernel kernel = {.work_groups = PRODUCERS,
                            .threads = 64,
                            .program = produce_shared,
                            .argument = &shared,
                            .is_cooperative = true};
    g_autoptr(GError) error = NULL;
    g_assert_true(gpu_launch(site->gpu, &kernel, &error));
    bench_run(&pair->bench, consume_shared, &shared);
    g_assert_cmpint(shared.left, ==, 0);
    for (size_t i = 0; i < PRODUCERS; i++)
        g_assert_cmpuint(shared.seen[i], ==, EACH);
    bench_end(&pair->bench);
}

int main(int argc, char **argv)
{
    static const guint counts[] = {1, 2, 3, 64};
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        char *path = g_strdup_printf("/ring-queue/%u-entries", counts[i]);
        g_test_add_data_func(path, GUINT_TO_POINTER(counts[i]), run_queue);
        g_free(path);
        path = g_strdup_printf("/ring-queue/shared/%u-entries", counts[i]);
        g_test_add_data_func(path, GUINT_TO_POINTER(counts[i]), run_shared);
        g_free(path);
    }
    return g_test_run();
}
