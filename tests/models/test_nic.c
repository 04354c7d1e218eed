/* SPDX-License-Identifier: BSD-3-Clause */
/* The NIC alone: commands written by hand into its queue, doorbell, completions; times of the stages by
 * formula. Here all queues and payloads lie in host memory. */
#include "model_test.h"
#include "models/nic/nic_queue.h"

#define ENTRIES 4

struct actor {
    struct bench bench;
    struct host_thread core;
    address commands, completions, here, there;
    int queue;
    uint64_t posted, completed;
    sim_time stage_ps[STAGES];
    struct observe_listener listener;
};

static void observe(void *observer, uint64_t cookie, enum stage stage, sim_time at_ps)
{
    struct actor *actor = observer;
    g_assert_cmpuint(cookie, ==, 1000 + actor->posted);
    actor->stage_ps[stage] = at_ps;
}

static void listen(struct actor *actor)
{
    actor->listener = (struct observe_listener){.self = actor, .stage = observe};
    observe_listen(&actor->bench.sim->observe, &actor->listener);
}

/* Writes a command, rings, waits for its completion entry. */
static void carry_out(struct actor *actor, struct nic_command command)
{
    struct nic *nic = cluster_site(actor->bench.cluster, 0, 0)->nic;
    struct nic_completion completion;
    command.cookie = 1000 + actor->posted + 1;
    host_thread_store(&actor->core, actor->commands + actor->posted % ENTRIES * sizeof command,
                      &command, sizeof command);
    actor->posted++;
    host_thread_store(&actor->core, nic_doorbell(nic, actor->queue), &actor->posted,
                      sizeof actor->posted);
    uint64_t valid_now = 1 - actor->completed / ENTRIES % 2;
    address place = actor->completions + actor->completed % ENTRIES * sizeof completion;
    do
        host_thread_load(&actor->core, place, &completion, sizeof completion);
    while (completion.valid != valid_now);
    g_assert_cmpuint(completion.cookie, ==, command.cookie);
    actor->completed++;
}

static void write_word(struct actor *actor, int64_t node, address at, uint64_t word)
{
    store_write(host_directory(cluster_site(actor->bench.cluster, node, 0)->host)->store, at, &word,
                sizeof word);
}

static uint64_t read_word(struct actor *actor, int64_t node, address at)
{
    uint64_t word;
    store_read(host_directory(cluster_site(actor->bench.cluster, node, 0)->host)->store, at, &word,
               sizeof word);
    return word;
}

/* Contents arrive, and the queues' wrap-around works: more operations than entries. */
static void contents(struct process *self, void *argument)
{
    struct actor *actor = argument;
    host_thread_init(&actor->core, cluster_site(actor->bench.cluster, 0, 0)->host, 0, self);
    for (uint64_t i = 1; i <= 3 * ENTRIES; i++) {
        write_word(actor, 1, actor->there, i);
        carry_out(actor, (struct nic_command){.opcode = NIC_GET,
                                              .remote_node = 1,
                                              .local = actor->here,
                                              .remote = actor->there,
                                              .bytes = 8});
        process_sleep(self, PS_PER_US);
        g_assert_cmpuint(read_word(actor, 0, actor->here), ==, i);
    }
    write_word(actor, 0, actor->here, 33);
    carry_out(actor, (struct nic_command){.opcode = NIC_PUT,
                                          .remote_node = 1,
                                          .local = actor->here,
                                          .remote = actor->there,
                                          .bytes = 8});
    g_assert_cmpuint(read_word(actor, 1, actor->there), ==, 33); /* acknowledged: it is there */
    carry_out(actor, (struct nic_command){.opcode = NIC_PUT_INLINE,
                                          .remote_node = 1,
                                          .local = 44,
                                          .remote = actor->there,
                                          .bytes = 4});
    g_assert_cmpuint(read_word(actor, 1, actor->there), ==, 44);
}

/* An atomic command on the word of node 1; what it was is to come to node 0, or nowhere. */
static struct nic_command atomic(const struct actor *actor, enum atomic_op op, bool fetches)
{
    return (struct nic_command){.opcode = NIC_ATOMIC,
                                .atomic = (uint8_t)op,
                                .remote_node = 1,
                                .local = fetches ? actor->here : ADDRESS_NONE,
                                .remote = actor->there,
                                .bytes = 8};
}

/* Each atomic, with and without the old value: then nothing is written here. */
static void atomics(struct process *self, void *argument)
{
    struct actor *actor = argument;
    struct nic_command add = atomic(actor, ATOMIC_ADD, false);
    struct nic_command swap = atomic(actor, ATOMIC_SWAP, true);
    struct nic_command compare_swap = atomic(actor, ATOMIC_COMPARE_SWAP, true);
    host_thread_init(&actor->core, cluster_site(actor->bench.cluster, 0, 0)->host, 0, self);
    write_word(actor, 0, actor->here, 5);
    write_word(actor, 1, actor->there, 10);
    add.operand = 3;
    carry_out(actor, add);
    g_assert_cmpuint(read_word(actor, 1, actor->there), ==, 13);
    g_assert_cmpuint(read_word(actor, 0, actor->here), ==, 5);
    swap.operand = 20;
    carry_out(actor, swap);
    g_assert_cmpuint(read_word(actor, 1, actor->there), ==, 20);
    g_assert_cmpuint(read_word(actor, 0, actor->here), ==, 13); /* behind it, so it is there */
    for (uint64_t compare = 19; compare <= 20; compare++) {
        compare_swap.compare = compare;
        compare_swap.operand = 30;
        carry_out(actor, compare_swap);
        g_assert_cmpuint(read_word(actor, 1, actor->there), ==, compare == 20 ? 30 : 20);
        g_assert_cmpuint(read_word(actor, 0, actor->here), ==, 20);
    }
}

/* One way over the network for a packet: both cables' latency and, in one go, its bytes. */
static sim_time wire_ps(const struct machine_spec *spec, int64_t payload)
{
    return 2 * spec->network.wire.latency_ps +
           transfer_ps(payload + spec->nic.packet_header_bytes, spec->network.wire.rate_Bps);
}

static sim_time memory_ps(const struct machine_spec *spec, bool in_l3)
{
    sim_time l3_ps = cycles_ps(spec->host.l3.latency_cycles, spec->host.core.clock_Hz);
    return in_l3 ? l3_ps
                 : l3_ps + spec->host.memory_latency_ps +
                       transfer_ps(CACHE_LINE_BYTES, spec->host.memory_rate_Bps);
}

/* doorbell -> fetched: the register, a read of 64 B of host memory (which pcie-bench measured as 547 ns
 * at a NIC); fetched -> on wire: the command; on wire -> delivered: request packet, read, payload packet,
 * write. */
static void stages_of_a_get(struct process *self, void *argument)
{
    struct actor *actor = argument;
    const struct machine_spec *spec = &actor->bench.spec;
    host_thread_init(&actor->core, cluster_site(actor->bench.cluster, 0, 0)->host, 0, self);
    listen(actor);
    carry_out(actor, (struct nic_command){.opcode = NIC_GET,
                                          .remote_node = 1,
                                          .local = actor->here,
                                          .remote = actor->there,
                                          .bytes = 8});
    process_sleep(self, PS_PER_US); /* the payload may land after its completion was seen */
    sim_time read_ps = bus_one_way_ps(&spec->bus, 0) + 2 * spec->host.bus_latency_ps +
                       bus_one_way_ps(&spec->bus, 64);
    sim_time fetch_ps = read_ps + memory_ps(spec, true); /* the core has just written it */
    g_assert_cmpint(fetch_ps + spec->host.memory_latency_ps, >, 500 * PS_PER_NS);
    g_assert_cmpint(fetch_ps + spec->host.memory_latency_ps, <, 650 * PS_PER_NS);
    sim_time expected_ps[] = {
        [STAGE_FETCHED] = spec->nic.doorbell_latency_ps + fetch_ps,
        [STAGE_ON_WIRE] = spec->nic.command_latency_ps,
        [STAGE_DELIVERED] = wire_ps(spec, 0) + spec->nic.packet_latency_ps +
                            bus_one_way_ps(&spec->bus, 0) + 2 * spec->host.bus_latency_ps +
                            memory_ps(spec, false) + bus_one_way_ps(&spec->bus, 8) +
                            wire_ps(spec, 8) + spec->nic.packet_latency_ps +
                            bus_one_way_ps(&spec->bus, 8) + spec->host.bus_latency_ps,
    };
    for (int stage = STAGE_FETCHED; stage <= STAGE_DELIVERED; stage++) {
        sim_time took_ps = actor->stage_ps[stage] - actor->stage_ps[stage - 1];
        g_test_message("stage %d: expected %" G_GINT64_FORMAT " ps, took %" G_GINT64_FORMAT " ps",
                       stage, expected_ps[stage], took_ps);
        g_assert_cmpint(ABS(took_ps - expected_ps[stage]), <=, 4 * BUS_ROUNDING_PS);
    }
}

/* A large get: as a small one, but the payload streams at the rate of the slowest link, which is the
 * network; its packets have headers. */
static void large_get(struct process *self, void *argument)
{
    struct actor *actor = argument;
    const struct machine_spec *spec = &actor->bench.spec;
    int64_t bytes = 1 << 20;
    host_thread_init(&actor->core, cluster_site(actor->bench.cluster, 0, 0)->host, 0, self);
    listen(actor);
    carry_out(actor, (struct nic_command){.opcode = NIC_GET,
                                          .remote_node = 1,
                                          .local = actor->here,
                                          .remote = actor->there,
                                          .bytes = (uint64_t)bytes});
    process_sleep(self, PS_PER_US);
    int64_t packets = bytes / spec->nic.packet_payload_bytes;
    sim_time stream_ps =
        transfer_ps(bytes + packets * spec->nic.packet_header_bytes, spec->network.wire.rate_Bps);
    sim_time took_ps = actor->stage_ps[STAGE_DELIVERED] - actor->stage_ps[STAGE_ON_WIRE];
    g_assert_cmpint(took_ps, >, stream_ps);
    g_assert_cmpint(took_ps, <, stream_ps + 2 * PS_PER_US);
}

static void run_case(gconstpointer argument)
{
    process_fn *const *fn = argument;
    struct actor actor = {0};
    bench_start(&actor.bench, NODE_DISCRETE, NULL);
    struct cluster *cluster = actor.bench.cluster;
    actor.commands = site_allocate(cluster, cluster_site(cluster, 0, 0), MEMORY_HOST, ENTRIES * 64,
                                   STORE_FINE_GRAINED);
    actor.completions = site_allocate(cluster, cluster_site(cluster, 0, 0), MEMORY_HOST,
                                      ENTRIES * 16, STORE_FINE_GRAINED);
    actor.queue =
        nic_add_queue(cluster_site(cluster, 0, 0)->nic, actor.commands, actor.completions, ENTRIES);
    enum store_kind kind = *fn == large_get ? STORE_PAYLOAD : STORE_FINE_GRAINED;
    int64_t bytes = *fn == large_get ? 1 << 20 : 64;
    actor.here = site_allocate(cluster, cluster_site(cluster, 0, 0), MEMORY_HOST, bytes, kind);
    actor.there = site_allocate(cluster, cluster_site(cluster, 1, 0), MEMORY_HOST, bytes, kind);
    bench_run(&actor.bench, *fn, &actor);
    bench_end(&actor.bench);
}

int main(int argc, char **argv)
{
    static process_fn *const fns[] = {contents, atomics, stages_of_a_get, large_get};
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/nic/contents", &fns[0], run_case);
    g_test_add_data_func("/nic/atomics", &fns[1], run_case);
    g_test_add_data_func("/nic/stages-of-a-get", &fns[2], run_case);
    g_test_add_data_func("/nic/large-get", &fns[3], run_case);
    return g_test_run();
}
