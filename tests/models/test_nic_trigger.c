/* SPDX-License-Identifier: BSD-3-Clause */
/* Triggers: when a command that was posted beforehand starts, who starts it, and in which order commands start. */
#include "models/nic/nic_parts.h"
#include "nic_test.h"

/* A put of a number to the word of another node, waiting for a counter. */
static struct nic_command waiting_put(const struct rig *rig, int remote_node, int cookie,
                                      int counter, uint32_t threshold)
{
    return (struct nic_command){.opcode = NIC_PUT_INLINE,
                                .remote_node = (uint32_t)remote_node,
                                .local = (uint64_t)cookie + 100,
                                .remote = rig->words[remote_node] + (uint64_t)cookie * 8,
                                .bytes = 8,
                                .cookie = (uint64_t)cookie,
                                .counter = (uint32_t)counter,
                                .threshold = threshold};
}

static void post(struct rig *rig, int node, struct nic_command command)
{
    rig_write(rig, node, command);
    rig_ring(rig, node);
    rig_run(rig);
}

static void assert_not_started(const struct rig *rig, int cookie)
{
    g_assert_cmpint(rig->stage_ps[cookie][STAGE_DOORBELL], ==, -1);
}

/* A store whose way to the NIC takes no time. */
static void add_to(struct nic *nic, int counter, uint32_t amount)
{
    nic_front_trigger.store(nic, (uint64_t)counter, amount);
}

static sim_time start_ps(const struct rig *rig)
{
    return rig->bench.spec.nic.doorbell_latency_ps + rig->bench.spec.nic.command_latency_ps;
}

/* store of the GPU -> bus -> register -> pipeline -> wire -> other NIC -> its memory: no fetch. */
static void test_store_starts_it(void)
{
    struct rig rig;
    uint64_t found = 0;
    rig_start(&rig);
    const struct machine_spec *spec = &rig.bench.spec;
    int counter = nic_add_counter(rig_nic(&rig, 0));
    post(&rig, 0, waiting_put(&rig, 1, 0, counter, 1));
    assert_not_started(&rig, 0);
    sim_time stored_ps = sim_now(rig.bench.sim);
    rig_store(&rig, 0, RIG_GPU_SLOT, nic_trigger_address(rig_nic(&rig, 0), counter), 1, 0);
    rig_run(&rig);
    rig_assert_near(rig.stage_ps[0][STAGE_DOORBELL] - stored_ps, bus_one_way_ps(&spec->bus, 8));
    g_assert_cmpint(rig_between(&rig, 0, STAGE_DOORBELL, STAGE_FETCHED), ==,
                    spec->nic.doorbell_latency_ps);
    g_assert_cmpint(rig_between(&rig, 0, STAGE_FETCHED, STAGE_ON_WIRE), ==,
                    spec->nic.command_latency_ps);
    rig_assert_near(rig_between(&rig, 0, STAGE_ON_WIRE, STAGE_DELIVERED),
                    rig_wire_ps(&rig, 8) + spec->nic.packet_latency_ps +
                        bus_one_way_ps(&spec->bus, 8) + spec->host.bus_latency_ps);
    store_read(rig_memory(&rig, 1), rig.words[1], &found, sizeof found);
    g_assert_cmpuint(found, ==, 100);
    bench_end(&rig.bench);
}

/* Three stores of 1, 1 and 3: the counter comes to 2 with the second and to 5 with the third. Each is on
 * its way by itself, though the next one comes while it is. */
static void test_threshold(void)
{
    const sim_time apart_ps = 15 * PS_PER_NS;
    struct rig rig;
    rig_start(&rig);
    g_assert_cmpint(apart_ps, <, rig.bench.spec.nic.doorbell_latency_ps);
    int counter = nic_add_counter(rig_nic(&rig, 0));
    post(&rig, 0, waiting_put(&rig, 1, 0, counter, 5));
    post(&rig, 0, waiting_put(&rig, 1, 1, counter, 2));
    post(&rig, 0, waiting_put(&rig, 1, 2, counter, 6));
    sim_time first_ps = sim_now(rig.bench.sim) + bus_one_way_ps(&rig.bench.spec.bus, 8);
    address trigger = nic_trigger_address(rig_nic(&rig, 0), counter);
    for (int i = 0; i < 3; i++)
        rig_store(&rig, 0, RIG_HOST_SLOT, trigger, i == 2 ? 3 : 1, i * apart_ps);
    rig_run(&rig);
    rig_assert_near(rig.stage_ps[1][STAGE_ON_WIRE] - first_ps, apart_ps + start_ps(&rig));
    rig_assert_near(rig.stage_ps[0][STAGE_ON_WIRE] - first_ps, 2 * apart_ps + start_ps(&rig));
    assert_not_started(&rig, 2);
    bench_end(&rig.bench);
}

/* The trigger may come before the command: it then starts when it is in the NIC. */
static void test_trigger_first(void)
{
    struct rig rig;
    rig_start(&rig);
    int counter = nic_add_counter(rig_nic(&rig, 0));
    rig_store(&rig, 0, RIG_HOST_SLOT, nic_trigger_address(rig_nic(&rig, 0), counter), 7, 0);
    rig_run(&rig);
    post(&rig, 0, waiting_put(&rig, 1, 0, counter, 7));
    post(&rig, 0, waiting_put(&rig, 1, 1, 0, 0));
    for (enum stage stage = STAGE_FETCHED; stage <= STAGE_DELIVERED; stage++)
        rig_assert_near(rig_between(&rig, 0, STAGE_DOORBELL, stage),
                        rig_between(&rig, 1, STAGE_DOORBELL, stage));
    bench_end(&rig.bench);
}

/* By thresholds, then as they came; one command_gap after the other. */
static void test_order(void)
{
    const uint32_t thresholds[] = {3, 1, 3, 2, 1};
    const int order[] = {1, 4, 3, 0, 2};
    struct rig rig;
    rig_start(&rig);
    int counter = nic_add_counter(rig_nic(&rig, 0));
    for (int i = 0; i < 5; i++)
        post(&rig, 0, waiting_put(&rig, 1, i, counter, thresholds[i]));
    add_to(rig_nic(&rig, 0), counter, 3);
    sim_time now_ps = sim_now(rig.bench.sim);
    rig_run(&rig);
    for (int i = 0; i < 5; i++) {
        g_assert_cmpint(rig.order[i], ==, order[i]);
        g_assert_cmpint(rig.stage_ps[order[i]][STAGE_ON_WIRE], ==,
                        now_ps + start_ps(&rig) + i * rig.bench.spec.nic.command_gap_ps);
    }
    bench_end(&rig.bench);
}

/* Counters wrap: a threshold beyond the wrap waits for it. */
static void test_wrap(void)
{
    struct rig rig;
    rig_start(&rig);
    struct nic *nic = rig_nic(&rig, 0);
    int counter = nic_add_counter(nic);
    add_to(nic, counter, UINT32_MAX / 2);
    add_to(nic, counter, UINT32_MAX / 2);
    rig_run(&rig);
    post(&rig, 0, waiting_put(&rig, 1, 0, counter, 2));
    post(&rig, 0, waiting_put(&rig, 1, 1, counter, UINT32_MAX));
    add_to(nic, counter, 1);
    rig_run(&rig);
    assert_not_started(&rig, 0);
    g_assert_cmpint(rig.order[0], ==, 1);
    add_to(nic, counter, 3);
    rig_run(&rig);
    g_assert_cmpint(rig.delivered, ==, 2);
    bench_end(&rig.bench);
}

/* A put of node 0 to the trigger address of node 1, as its target or its signal, starts what waits there:
 * no processor takes part. */
static void test_packet_starts_it(void)
{
    for (int by_signal = 0; by_signal < 2; by_signal++) {
        struct rig rig;
        rig_start(&rig);
        const struct nic_spec *nic = &rig.bench.spec.nic;
        int counter = nic_add_counter(rig_nic(&rig, 1));
        address trigger = nic_trigger_address(rig_nic(&rig, 1), counter);
        post(&rig, 1, waiting_put(&rig, 2, 1, counter, 1));
        struct nic_command first = waiting_put(&rig, 1, 0, 0, 0);
        first.local = 1;
        if (by_signal) {
            first.signal = trigger;
            first.signal_value = 1;
        } else {
            first.remote = trigger;
        }
        post(&rig, 0, first);
        sim_time handled_ps =
            rig.stage_ps[0][STAGE_ON_WIRE] + rig_wire_ps(&rig, 8) + nic->packet_latency_ps;
        rig_assert_near(rig.stage_ps[1][STAGE_DOORBELL], handled_ps);
        g_assert_cmpint(rig_between(&rig, 1, STAGE_DOORBELL, STAGE_ON_WIRE), ==, start_ps(&rig));
        g_assert_cmpint(rig.delivered, ==, 2);
        bench_end(&rig.bench);
    }
}

/* A write of verbs counts when it has been delivered, which starts a read of verbs that waits. */
struct chain {
    struct rig *rig;
    int counter;
    sim_time delivered_ps, completed_ps;
};

static void note_delivered(void *argument)
{
    struct chain *chain = argument;
    chain->delivered_ps = sim_now(chain->rig->bench.sim);
    add_to(rig_nic(chain->rig, 1), chain->counter, 1);
}

static void note_completed(void *argument)
{
    struct chain *chain = argument;
    chain->completed_ps = sim_now(chain->rig->bench.sim);
}

static void test_verbs_wait(void)
{
    struct rig rig;
    rig_start(&rig);
    struct chain chain = {.rig = &rig, .counter = nic_add_counter(rig_nic(&rig, 1))};
    struct verbs_operation read = rig_verbs(1, 2, 4096, 0), write = rig_verbs(0, 1, 4096, 1);
    read.counter = chain.counter;
    read.threshold = 1;
    read.completed = note_completed;
    read.argument = write.argument = &chain;
    write.delivered = note_delivered;
    verbs_read(rig.bench.cluster->nics, &read);
    rig_run(&rig);
    g_assert_cmpint(chain.completed_ps, ==, 0);
    verbs_write(rig.bench.cluster->nics, &write);
    rig_run(&rig);
    g_assert_cmpint(rig.stage_ps[0][STAGE_ON_WIRE], ==, chain.delivered_ps + start_ps(&rig));
    g_assert_cmpint(chain.completed_ps, >, rig.stage_ps[0][STAGE_DELIVERED]);
    bench_end(&rig.bench);
}

/* What waits for its trigger holds up nobody in an ordered queue. */
static void test_waits_outside_the_order(void)
{
    struct rig rig;
    rig_start(&rig);
    int counter = nic_add_counter(rig_nic(&rig, 0));
    nic_queue_set(rig_nic(&rig, 0), rig.queues[0].number, NIC_QUEUE_ORDERED);
    post(&rig, 0, waiting_put(&rig, 1, 0, counter, 1));
    post(&rig, 0, waiting_put(&rig, 1, 1, 0, 0));
    g_assert_cmpint(rig.delivered, ==, 1);
    add_to(rig_nic(&rig, 0), counter, 1);
    rig_run(&rig);
    g_assert_cmpint(rig.order[1], ==, 0);
    bench_end(&rig.bench);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nic_trigger/store-starts-it", test_store_starts_it);
    g_test_add_func("/nic_trigger/threshold", test_threshold);
    g_test_add_func("/nic_trigger/trigger-first", test_trigger_first);
    g_test_add_func("/nic_trigger/order", test_order);
    g_test_add_func("/nic_trigger/wrap", test_wrap);
    g_test_add_func("/nic_trigger/packet-starts-it", test_packet_starts_it);
    g_test_add_func("/nic_trigger/verbs-wait", test_verbs_wait);
    g_test_add_func("/nic_trigger/waits-outside-the-order", test_waits_outside_the_order);
    return g_test_run();
}
