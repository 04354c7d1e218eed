/* SPDX-License-Identifier: BSD-3-Clause */
/* The front ends of a NIC: every parameter of the NIC has the effect of its formula behind every front end; front ends share
 * one pipeline; each can keep the order; and a NIC exists as soon as a packet arrives for it. */
#include "nic_test.h"

enum front { QUEUE, VERBS, TRIGGERED_QUEUE, TRIGGERED_VERBS, FRONTS };
static const char *const front_names[] = {"queue", "verbs", "triggered-queue", "triggered-verbs"};

static bool is_verbs(enum front front)
{
    return front == VERBS || front == TRIGGERED_VERBS;
}

static bool is_triggered(enum front front)
{
    return front == TRIGGERED_QUEUE || front == TRIGGERED_VERBS;
}

/* What is asked of the front: operations of node 0 on node 1, with cookies from 0 on. */
struct load {
    enum nic_opcode opcode;
    int64_t bytes;
    int count;
};

static void post_verbs(struct rig *rig, const struct load *load, int counter, int i)
{
    struct verbs_operation operation = rig_verbs(0, 1, load->bytes, (uint64_t)i);
    operation.is_inline = load->opcode == NIC_PUT_INLINE;
    operation.counter = counter;
    operation.threshold = 1;
    if (load->opcode == NIC_GET)
        verbs_read(rig->bench.cluster->nics, &operation);
    else
        verbs_write(rig->bench.cluster->nics, &operation);
}

static void post_command(struct rig *rig, const struct load *load, int counter, int i)
{
    bool is_large = load->bytes > BUS_DATA_BYTES;
    const address *memory = is_large ? rig->payloads : rig->words;
    rig_write(rig, 0,
              (struct nic_command){.opcode = (unsigned)load->opcode & 0x3fu,
                                   .remote_node = 1,
                                   .local = memory[0],
                                   .remote = memory[1],
                                   .bytes = (uint64_t)load->bytes,
                                   .cookie = (uint64_t)i,
                                   .counter = (uint32_t)counter,
                                   .threshold = 1});
}

/* Long enough for a command that waits for its trigger to be in the NIC. */
#define POSTED_PS (100 * PS_PER_US)

static void carry_out(struct rig *rig, enum front front, const struct load *load)
{
    int counter = is_triggered(front) ? nic_add_counter(rig_nic(rig, 0)) : 0;
    for (int i = 0; i < load->count; i++)
        (is_verbs(front) ? post_verbs : post_command)(rig, load, counter, i);
    if (!is_verbs(front))
        rig_ring(rig, 0);
    if (counter != 0)
        rig_store(rig, 0, RIG_HOST_SLOT, nic_trigger_address(rig_nic(rig, 0), counter), 1,
                  POSTED_PS);
    rig_run(rig);
    g_assert_cmpint(rig->delivered, ==, load->count);
}

/* --- parameters -------------------------------------------------------------------------------- */

/* A load whose time moves with a parameter: that of its first operation from the doorbell (or trigger) to
 * the last byte; or, of several, from the first one's last byte to the last one's. */
static sim_time measured_ps(enum front front, const struct load *load, const struct nic_spec *nic)
{
    struct rig rig;
    rig_start(&rig);
    rig.bench.spec.nic = *nic;
    carry_out(&rig, front, load);
    sim_time took_ps = load->count > 1 ? rig.stage_ps[load->count - 1][STAGE_DELIVERED] -
                                             rig.stage_ps[0][STAGE_DELIVERED]
                                       : rig_between(&rig, 0, STAGE_DOORBELL, STAGE_DELIVERED);
    bench_end(&rig.bench);
    return took_ps;
}

static struct nic_spec default_nic(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, NULL);
    return spec.nic;
}

static void assert_moves(enum front front, const struct load *load, const struct nic_spec *before,
                         const struct nic_spec *after, sim_time expected_ps)
{
    sim_time moved_ps = measured_ps(front, load, after) - measured_ps(front, load, before);
    g_test_message("%s:", front_names[front]);
    rig_assert_near(moved_ps, expected_ps);
}

static const struct load put = {NIC_PUT, 8, 1}, get = {NIC_GET, 8, 1},
                         inline_puts = {NIC_PUT_INLINE, 8, 5};

static void test_doorbell_latency(void)
{
    struct nic_spec before = default_nic(), after = before;
    after.doorbell_latency_ps *= 2;
    for (enum front front = 0; front < FRONTS; front++)
        assert_moves(front, &put, &before, &after, before.doorbell_latency_ps);
}

static void test_command_latency(void)
{
    struct nic_spec before = default_nic(), after = before;
    after.command_latency_ps *= 2;
    for (enum front front = 0; front < FRONTS; front++)
        assert_moves(front, &put, &before, &after, before.command_latency_ps);
}

/* The gap is longer than all else between two commands. */
static void test_command_gap(void)
{
    struct nic_spec before = default_nic();
    before.command_gap_ps = 2 * PS_PER_US;
    struct nic_spec after = before;
    after.command_gap_ps *= 2;
    for (enum front front = 0; front < FRONTS; front++)
        assert_moves(front, &inline_puts, &before, &after,
                     (inline_puts.count - 1) * before.command_gap_ps);
}

/* A put's payload is handled there; a get's request there and its payload here. */
static void test_packet_latency(void)
{
    struct nic_spec before = default_nic(), after = before;
    after.packet_latency_ps *= 2;
    for (enum front front = 0; front < FRONTS; front++) {
        assert_moves(front, &put, &before, &after, before.packet_latency_ps);
        assert_moves(front, &get, &before, &after, 2 * before.packet_latency_ps);
    }
}

/* A control packet of verbs takes no bytes of the wires. */
static void test_packet_header(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, NULL);
    struct nic_spec before = spec.nic;
    before.packet_header_bytes = 500;
    struct nic_spec after = before;
    after.packet_header_bytes *= 2;
    sim_time header_ps = transfer_ps(before.packet_header_bytes, spec.network.wire.rate_Bps);
    for (enum front front = 0; front < FRONTS; front++) {
        assert_moves(front, &put, &before, &after, header_ps);
        assert_moves(front, &get, &before, &after, (is_verbs(front) ? 1 : 2) * header_ps);
    }
}

/* Half as many headers; verbs' packets are passed on whole, by either NIC. */
static void test_packet_payload(void)
{
    const struct load large = {NIC_PUT, 1 << 20, 1};
    struct machine_spec spec;
    machine_spec_init(&spec, NULL);
    struct nic_spec before = spec.nic, after = before;
    after.packet_payload_bytes *= 2;
    int64_t fewer = large.bytes / before.packet_payload_bytes / 2;
    sim_time saved_ps = transfer_ps(fewer * before.packet_header_bytes, spec.network.wire.rate_Bps);
    sim_time longer_ps =
        transfer_ps(bus_wire_bytes(&spec.bus, after.packet_payload_bytes), spec.bus.wire.rate_Bps) -
        transfer_ps(bus_wire_bytes(&spec.bus, before.packet_payload_bytes), spec.bus.wire.rate_Bps);
    for (enum front front = 0; front < FRONTS; front++)
        assert_moves(front, &large, &before, &after,
                     (is_verbs(front) ? 2 * longer_ps : 0) - saved_ps);
}

/* With one fetch in flight the third command comes two fetches after the first, with two one. What was
 * posted by verbs is not fetched, and what waits for a trigger has been. */
static void test_fetch_depth(void)
{
    const struct load three = {NIC_PUT_INLINE, 8, 3};
    struct nic_spec before = default_nic(), after = before;
    before.fetch_depth = 1;
    after.fetch_depth = 2;
    struct rig rig;
    rig_start(&rig);
    carry_out(&rig, QUEUE, &put);
    sim_time fetch_ps = rig_between(&rig, 0, STAGE_DOORBELL, STAGE_FETCHED) -
                        rig.bench.spec.nic.doorbell_latency_ps;
    bench_end(&rig.bench);
    g_assert_cmpint(fetch_ps, >, 100 * PS_PER_NS);
    for (enum front front = 0; front < FRONTS; front++)
        assert_moves(front, &three, &before, &after, front == QUEUE ? -fetch_ps : 0);
}

/* --- one back ---------------------------------------------------------------------------------- */

/* Three commands reach one NIC by three fronts within a microsecond: it takes one after the other. */
static void test_shared_pipeline(void)
{
    const sim_time gap_ps = 50 * PS_PER_US;
    const struct load one = {NIC_PUT_INLINE, 8, 1};
    struct rig rig;
    rig_start(&rig);
    rig.bench.spec.nic.command_gap_ps = gap_ps;
    int counter = nic_add_counter(rig_nic(&rig, 0));
    post_command(&rig, &one, counter, 0);
    rig_ring(&rig, 0);
    rig_run(&rig);
    g_assert_cmpint(rig.stage_ps[0][STAGE_DOORBELL], ==, -1);
    post_command(&rig, &one, 0, 1);
    rig_ring(&rig, 0);
    post_verbs(&rig, &one, 0, 2);
    rig_store(&rig, 0, RIG_HOST_SLOT, nic_trigger_address(rig_nic(&rig, 0), counter), 1, 0);
    rig_run(&rig);
    g_assert_cmpint(rig.delivered, ==, 3);
    for (int i = 1; i < 3; i++)
        g_assert_cmpint(rig.stage_ps[rig.order[i]][STAGE_ON_WIRE] -
                            rig.stage_ps[rig.order[i - 1]][STAGE_ON_WIRE],
                        ==, gap_ps);
    bench_end(&rig.bench);
}

/* --- order ------------------------------------------------------------------------------------- */

/* A large put and a small one behind it, by queue or verbs, with or without order. */
static void put_large_and_small(struct rig *rig, enum front front, struct queue_pair *pair)
{
    const struct load loads[] = {{NIC_PUT, RIG_PAYLOAD_BYTES, 1}, {NIC_PUT, 8, 1}};
    for (int i = 0; i < 2; i++) {
        if (front == QUEUE) {
            post_command(rig, &loads[i], 0, i);
            continue;
        }
        struct verbs_operation operation = rig_verbs(0, 1, loads[i].bytes, (uint64_t)i);
        operation.queue = pair;
        verbs_write(rig->bench.cluster->nics, &operation);
    }
    if (front == QUEUE && pair != NULL)
        nic_queue_set(rig_nic(rig, 0), rig->queues[0].number, NIC_QUEUE_ORDERED);
    if (front == QUEUE)
        rig_ring(rig, 0);
    rig_run(rig);
}

static void test_order(void)
{
    for (enum front front = QUEUE; front <= VERBS; front++)
        for (int ordered = 0; ordered < 2; ordered++) {
            struct queue_pair pair = {0};
            struct rig rig;
            rig_start(&rig);
            put_large_and_small(&rig, front, ordered ? &pair : NULL);
            g_assert_cmpint(rig.delivered, ==, 2);
            g_assert_cmpint(rig.order[0], ==, ordered ? 0 : 1);
            bench_end(&rig.bench);
        }
}

/* Many commands of all kinds and sizes in ordered queues, from one node to two: at each of them the puts
 * are delivered in the order of the queue. */
static void put_many(struct rig *rig, uint32_t seed, int *remote_of)
{
    GRand *rand = g_rand_new_with_seed(seed);
    nic_queue_set(rig_nic(rig, 0), rig->queues[0].number, NIC_QUEUE_ORDERED);
    for (int i = 0; i < RIG_ENTRIES; i++) {
        bool is_large = g_rand_boolean(rand);
        const address *memory = is_large ? rig->payloads : rig->words;
        remote_of[i] = g_rand_int_range(rand, 1, RIG_NODES);
        rig_write(rig, 0,
                  (struct nic_command){
                      .opcode = is_large || g_rand_boolean(rand) ? NIC_PUT : NIC_PUT_INLINE,
                      .remote_node = (uint32_t)remote_of[i],
                      .local = memory[0],
                      .remote = memory[remote_of[i]],
                      .bytes = (uint64_t)(is_large ? g_rand_int_range(rand, 65, 100000) : 8),
                      .cookie = (uint64_t)i});
        if (g_rand_int_range(rand, 0, 4) == 0)
            rig_ring(rig, 0);
    }
    rig_ring(rig, 0);
    rig_run(rig);
    g_rand_free(rand);
}

static void test_order_of_many(void)
{
    for (uint32_t seed = 1; seed <= 10; seed++) {
        int remote_of[RIG_ENTRIES], last[RIG_NODES] = {-1, -1, -1};
        struct rig rig;
        rig_start(&rig);
        put_many(&rig, seed, remote_of);
        g_assert_cmpint(rig.delivered, ==, RIG_ENTRIES);
        for (int i = 0; i < RIG_ENTRIES; i++) {
            int cookie = rig.order[i], remote = remote_of[cookie];
            g_assert_cmpint(cookie, >, last[remote]);
            last[remote] = cookie;
        }
        bench_end(&rig.bench);
    }
}

/* --- peers ------------------------------------------------------------------------------------- */

static void note_path(const char *path, const struct stat_info *info, const char *field,
                      double value, void *argument)
{
    (void)field;
    (void)value;
    if (g_str_equal(info->name, "commands") && g_str_has_suffix(path, ".nic0"))
        g_string_append_printf(argument, " %s", path);
}

/* NICs on `platform` without a bus: there when they are asked for, or a packet comes for them. */
static void test_made_by_packet(void)
{
    struct rig rig;
    rig_start(&rig);
    struct cluster *cluster = rig.bench.cluster;
    struct sim *sim = sim_new(1);
    struct transport_spec transport_spec = cluster->spec->transport;
    transport_spec.kind = TRANSPORT_SEGMENT; /* there is one of flows at a time */
    struct transport *transport = transport_new(sim, cluster->platform, &transport_spec);
    struct nic_network *nics =
        nic_network_new(sim, cluster->platform, transport, &cluster->spec->nic, &cluster->spec->bus,
                        NULL, NULL, NULL);
    struct verbs_operation write = rig_verbs(2, 1, 8, 0);
    verbs_write(nics, &write);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    g_autoptr(GString) paths = g_string_new(NULL);
    stat_visit(sim->stats, sim_now(sim), note_path, paths);
    g_assert_cmpstr(paths->str, ==, " node2.nic0 node1.nic0");
    nic_network_free(nics);
    transport_free(transport);
    sim_free(sim);
    bench_end(&rig.bench);
}

/* A packet has all that its receiver needs: what becomes of the memory it came from, and of the command,
 * is nothing to it. */
static void forget(void *argument)
{
    struct rig *rig = argument;
    const uint64_t zero[8] = {0};
    store_write(rig_memory(rig, 0), rig->queues[0].commands, zero, sizeof zero);
    store_write(rig_memory(rig, 0), rig->words[0], zero, sizeof zero[0]);
}

static void test_packet_is_complete(void)
{
    const uint64_t word = 4711;
    sim_time sets_out_ps = 0;
    for (int round = 0; round < 2; round++) {
        struct rig rig;
        uint64_t found = 0;
        rig_start(&rig);
        store_write(rig_memory(&rig, 0), rig.words[0], &word, sizeof word);
        post_command(&rig, &put, 0, 0);
        rig_ring(&rig, 0);
        if (round == 1)
            event_schedule(rig.bench.sim->events, sets_out_ps + 1, forget, &rig);
        rig_run(&rig);
        sets_out_ps = rig.stage_ps[0][STAGE_ON_WIRE];
        store_read(rig_memory(&rig, 1), rig.words[1], &found, sizeof found);
        g_assert_cmpuint(found, ==, word);
        bench_end(&rig.bench);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nic_fronts/doorbell-latency", test_doorbell_latency);
    g_test_add_func("/nic_fronts/command-latency", test_command_latency);
    g_test_add_func("/nic_fronts/command-gap", test_command_gap);
    g_test_add_func("/nic_fronts/packet-latency", test_packet_latency);
    g_test_add_func("/nic_fronts/packet-header", test_packet_header);
    g_test_add_func("/nic_fronts/packet-payload", test_packet_payload);
    g_test_add_func("/nic_fronts/fetch-depth", test_fetch_depth);
    g_test_add_func("/nic_fronts/shared-pipeline", test_shared_pipeline);
    g_test_add_func("/nic_fronts/order", test_order);
    g_test_add_func("/nic_fronts/order-of-many", test_order_of_many);
    g_test_add_func("/nic_fronts/made-by-packet", test_made_by_packet);
    g_test_add_func("/nic_fronts/packet-is-complete", test_packet_is_complete);
    return g_test_run();
}
