/* SPDX-License-Identifier: BSD-3-Clause */
/* RDMA writes and reads between nodes of several NICs: closed forms of lone operations from the
 * parameters and the drawn links, then what operations do to each other. */
#include <glib.h>
#include <string.h>

#include "ac922_test.h"
#include "fabric/transport_kind.h"
#include "models/nic/nic_queue.h"
#include "models/nic/verbs.h"

#define MB INT64_C(1000000)
#define ROUNDING_PS 2
#define MOST 64

struct scene;
struct noted {
    struct scene *scene;
    int number;
};

struct scene {
    struct sim *sim;
    struct machine_spec spec;
    struct platform *platform;
    struct transport *transport;
    struct nic_network *nics;
    struct noted noted[MOST];
    sim_time delivered_ps[MOST], completed_ps[MOST];
    int order[MOST], delivered;
    struct bus *buses[3];  /* of nodes whose NICs needed one */
    struct host *hosts[3]; /* socket 1 of these nodes */
};

/* The bus of a node, with a host on socket 1. */
static struct bus *bus_of_node(void *argument, int64_t node)
{
    struct scene *scene = argument;
    const struct machine_spec *spec = &scene->spec;
    if (scene->buses[node] == NULL) {
        scene->buses[node] = bus_new(scene->sim, scene->platform, node, &spec->bus);
        scene->hosts[node] = host_new(scene->sim, &spec->host, scene->buses[node],
                                      topology_cpu_port(&spec->node, 1), false);
    }
    return scene->buses[node];
}

static struct scene *scene_new(enum transport_kind kind)
{
    struct scene *scene = g_new0(struct scene, 1);
    GError *error = NULL;
    scene->sim = sim_new(1);
    scene->spec = ac922_spec();
    scene->spec.transport.kind = kind;
    scene->platform = machine_platform(&scene->spec, &error);
    g_assert_no_error(error);
    scene->transport = transport_new(scene->sim, scene->platform, &scene->spec.transport);
    scene->nics = nic_network_new(scene->sim, scene->platform, scene->transport, &scene->spec.nic,
                                  &scene->spec.bus, bus_of_node, NULL, scene);
    for (int i = 0; i < MOST; i++) {
        scene->noted[i] = (struct noted){scene, i};
        scene->delivered_ps[i] = scene->completed_ps[i] = -1;
    }
    return scene;
}

static void scene_run(struct scene *scene)
{
    g_assert_cmpint(sim_run(scene->sim), ==, SIM_FINISHED);
    g_assert_cmpint(scene->transport->bytes_sent, ==, scene->transport->bytes_arrived);
}

static void scene_free(struct scene *scene)
{
    nic_network_free(scene->nics);
    for (int node = 0; node < 3; node++) {
        host_free(scene->hosts[node]);
        bus_free(scene->buses[node]);
    }
    transport_free(scene->transport);
    sim_free(scene->sim);
    g_free(scene);
}

static void note_delivered(void *argument)
{
    struct noted *noted = argument;
    struct scene *scene = noted->scene;
    g_assert_cmpint(scene->delivered_ps[noted->number], ==, -1);
    scene->delivered_ps[noted->number] = sim_now(scene->sim);
    scene->order[scene->delivered++] = noted->number;
}

static void note_completed(void *argument)
{
    struct noted *noted = argument;
    struct scene *scene = noted->scene;
    g_assert_cmpint(scene->completed_ps[noted->number], ==, -1);
    scene->completed_ps[noted->number] = sim_now(scene->sim);
}

/* From node 0 to node 1, host to host on socket 0, rail 0. */
static struct verbs_operation operation(struct scene *scene, int number, int64_t bytes)
{
    const struct machine_spec *spec = &scene->spec;
    return (struct verbs_operation){.node = 0,
                                    .remote_node = 1,
                                    .core_port = cpu_of(spec, 0, 0),
                                    .local_port = cpu_of(spec, 0, 0),
                                    .remote_port = cpu_of(spec, 1, 0),
                                    .bytes = bytes,
                                    .delivered = note_delivered,
                                    .completed = note_completed,
                                    .argument = &scene->noted[number]};
}

/* --- expectations, from the machine's numbers ----------------------------------------------------- */

static sim_time bus_ps(const struct machine_spec *spec, int64_t payload_bytes)
{
    return transfer_ps(bus_wire_bytes(&spec->bus, payload_bytes), spec->bus.wire.rate_Bps);
}

static sim_time first_ps(const struct machine_spec *spec, int64_t bytes)
{
    return bus_ps(spec, MIN(bytes, spec->nic.packet_payload_bytes));
}

/* Between a CPU and a NIC of its socket. */
static sim_time pcie_ps(const struct machine_spec *spec)
{
    return 2 * bus_link_latency_ps(&spec->bus);
}

/* From a NIC to the other end of the network: two cables of a star. */
static sim_time network_ps(const struct machine_spec *spec)
{
    return 2 * spec->network.wire.latency_ps;
}

static int64_t wire_bytes(const struct machine_spec *spec, int64_t bytes)
{
    int64_t payload = spec->nic.packet_payload_bytes;
    int64_t packets = MAX(1, (bytes + payload - 1) / payload);
    return bytes + packets * spec->nic.packet_header_bytes;
}

static sim_time wire_ps(const struct machine_spec *spec, int64_t bytes)
{
    return transfer_ps(wire_bytes(spec, bytes), spec->network.wire.rate_Bps);
}

/* A lone operation's ends, its memories and its core `local_ps`, `remote_ps` and `core_ps` away from the
 * NICs. */
struct expected {
    sim_time delivered_ps, completed_ps;
};

static sim_time command_ps(const struct machine_spec *spec, sim_time core_ps, int64_t inline_bytes)
{
    return core_ps + bus_ps(spec, 64 + inline_bytes) + spec->nic.doorbell_latency_ps +
           spec->nic.command_latency_ps;
}

static sim_time fetch_ps(const struct machine_spec *spec, sim_time memory_ps, int64_t bytes)
{
    return memory_ps + transfer_ps(spec->bus.header_bytes, spec->bus.wire.rate_Bps) +
           first_ps(spec, bytes);
}

static struct expected expected_write(const struct machine_spec *spec, sim_time core_ps,
                                      sim_time local_ps, sim_time remote_ps, int64_t bytes,
                                      bool is_inline)
{
    struct expected expected;
    expected.delivered_ps = command_ps(spec, core_ps, is_inline ? bytes : 0) + network_ps(spec) +
                            wire_ps(spec, bytes) + remote_ps + spec->nic.packet_latency_ps +
                            first_ps(spec, bytes);
    if (!is_inline)
        expected.delivered_ps += fetch_ps(spec, local_ps, bytes) + local_ps;
    expected.completed_ps = expected.delivered_ps + network_ps(spec) + spec->nic.packet_latency_ps +
                            core_ps + bus_ps(spec, 16);
    return expected;
}

static sim_time expected_read_ps(const struct machine_spec *spec, sim_time core_ps,
                                 sim_time local_ps, sim_time remote_ps, int64_t bytes)
{
    return command_ps(spec, core_ps, 0) + network_ps(spec) + spec->nic.packet_latency_ps +
           fetch_ps(spec, remote_ps, bytes) + remote_ps + network_ps(spec) + wire_ps(spec, bytes) +
           local_ps + spec->nic.packet_latency_ps + first_ps(spec, bytes) + bus_ps(spec, 16);
}

static void assert_near(sim_time found_ps, sim_time expected_ps)
{
    g_assert_cmpint(found_ps, >=, expected_ps - ROUNDING_PS);
    g_assert_cmpint(found_ps, <=, expected_ps + ROUNDING_PS);
}

/* --- lone operations ------------------------------------------------------------------------------ */

static const int64_t sizes[] = {1, 8, 4095, 4096, 4097, 4 * MB};
static const enum transport_kind kinds[] = {TRANSPORT_FLOW, TRANSPORT_SEGMENT};

static void test_lone_write(void)
{
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
        for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
            struct scene *scene = scene_new(kinds[kind]);
            struct verbs_operation write = operation(scene, 0, sizes[i]);
            verbs_write(scene->nics, &write);
            scene_run(scene);
            sim_time near_ps = pcie_ps(&scene->spec);
            struct expected expected =
                expected_write(&scene->spec, near_ps, near_ps, near_ps, sizes[i], false);
            assert_near(scene->delivered_ps[0], expected.delivered_ps);
            assert_near(scene->completed_ps[0], expected.completed_ps);
            scene_free(scene);
        }
}

static void test_inline_write(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW);
    struct verbs_operation write = operation(scene, 0, 100);
    write.is_inline = true;
    verbs_write(scene->nics, &write);
    scene_run(scene);
    sim_time near_ps = pcie_ps(&scene->spec);
    struct expected expected = expected_write(&scene->spec, near_ps, near_ps, near_ps, 100, true);
    assert_near(scene->delivered_ps[0], expected.delivered_ps);
    assert_near(scene->completed_ps[0], expected.completed_ps);
    scene_free(scene);
}

/* Nothing has to be fetched. */
static void test_empty_write(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW);
    struct verbs_operation write = operation(scene, 0, 0);
    write.completed = NULL;
    verbs_write(scene->nics, &write);
    scene_run(scene);
    sim_time near_ps = pcie_ps(&scene->spec);
    assert_near(scene->delivered_ps[0],
                expected_write(&scene->spec, near_ps, near_ps, near_ps, 0, true).delivered_ps);
    g_assert_cmpint(scene->completed_ps[0], ==, -1);
    scene_free(scene);
}

/* GPU 4 hangs on socket 1: by rail 1 its payload goes gpu-cpu-nic, by rail 0 over the socket link too, and
 * so do doorbell and completion of the core on socket 1. */
static void test_gpu_memory_near_and_far(void)
{
    for (int rail = 0; rail < 2; rail++) {
        struct scene *scene = scene_new(TRANSPORT_FLOW);
        const struct machine_spec *spec = &scene->spec;
        struct verbs_operation write = operation(scene, 0, MB);
        write.core_port = cpu_of(spec, 0, 1);
        write.local_port = gpu_of(spec, 0, 4);
        write.remote_port = gpu_of(spec, 1, 5);
        write.rail = write.remote_rail = rail;
        verbs_write(scene->nics, &write);
        scene_run(scene);
        sim_time core_ps = pcie_ps(spec) + (rail == 0 ? spec->socket_link.wire.latency_ps : 0);
        sim_time memory_ps = core_ps + spec->nvlink.wire.latency_ps;
        struct expected expected = expected_write(spec, core_ps, memory_ps, memory_ps, MB, false);
        assert_near(scene->delivered_ps[0], expected.delivered_ps);
        assert_near(scene->completed_ps[0], expected.completed_ps);
        scene_free(scene);
    }
}

static void test_lone_read(void)
{
    for (size_t kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
        for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
            struct scene *scene = scene_new(kinds[kind]);
            const struct machine_spec *spec = &scene->spec;
            struct verbs_operation read = operation(scene, 0, sizes[i]);
            read.remote_port = gpu_of(spec, 1, 2);
            verbs_read(scene->nics, &read);
            scene_run(scene);
            sim_time near_ps = pcie_ps(spec);
            assert_near(scene->completed_ps[0],
                        expected_read_ps(spec, near_ps, near_ps,
                                         near_ps + spec->nvlink.wire.latency_ps, sizes[i]));
            g_assert_cmpint(scene->delivered, ==, 0);
            scene_free(scene);
        }
}

/* --- the other front ------------------------------------------------------------------------------ */

static void note_stage(void *argument, uint64_t cookie, enum stage stage, sim_time at_ps)
{
    struct scene *scene = argument;
    if (stage == STAGE_ON_WIRE)
        scene->delivered_ps[cookie] = -at_ps;
    if (stage == STAGE_DELIVERED)
        scene->delivered_ps[cookie] += at_ps;
}

/* A work queue of NIC 1 in a node of two: a put goes by rail 1, to the NIC of the same number, unless the
 * command says another, which has the socket link between it and the memory. */
static void test_queue_by_rail(void)
{
    for (int remote_nic = 0; remote_nic <= 2; remote_nic++) {
        struct scene *scene = scene_new(TRANSPORT_FLOW);
        const struct machine_spec *spec = &scene->spec;
        struct nic *nic = nic_network_nic(scene->nics, 0, 1);
        bus_of_node(scene, 0);
        bus_of_node(scene, 1);
        struct store *memory = host_directory(scene->hosts[0])->store;
        address queue = store_allocate(memory, 64 + 16, STORE_FINE_GRAINED);
        int number = nic_add_queue(nic, queue, queue + 64, 1);
        struct nic_command put = {
            .opcode = NIC_PUT_INLINE,
            .remote_nic = (uint16_t)remote_nic,
            .remote_node = 1,
            .remote = store_allocate(host_directory(scene->hosts[1])->store, 8, STORE_FINE_GRAINED),
            .bytes = 8,
        };
        store_write(memory, queue, &put, sizeof put);
        struct observe_listener listener = {.self = scene, .stage = note_stage};
        observe_listen(&scene->sim->observe, &listener);
        struct bus_request *ring = bus_request(scene->buses[0]);
        ring->op = BUS_WRITE;
        ring->from_slot = topology_cpu_port(&spec->node, 1);
        ring->at = nic_doorbell(nic, number);
        ring->bytes = 8;
        ring->data[0] = 1;
        bus_send(scene->buses[0], ring, 0);
        scene_run(scene);
        sim_time expected_ps = network_ps(spec) + wire_ps(spec, 8) + spec->nic.packet_latency_ps +
                               pcie_ps(spec) + bus_ps(spec, 8) + spec->host.bus_latency_ps;
        if (remote_nic == 1)
            expected_ps +=
                spec->socket_link.wire.latency_ps +
                transfer_ps(bus_wire_bytes(&spec->bus, 8), spec->socket_link.wire.rate_Bps);
        assert_near(scene->delivered_ps[0], expected_ps);
        scene_free(scene);
    }
}

/* --- several operations --------------------------------------------------------------------------- */

/* A NIC takes a command every command_gap, one of the other rail does not wait for them. */
static void test_command_gap(void)
{
    struct scene *scene = scene_new(TRANSPORT_FLOW);
    scene->spec.nic.command_gap_ps = 5 * PS_PER_US;
    for (int i = 0; i < 5; i++) {
        struct verbs_operation write = operation(scene, i, 8);
        write.is_inline = true;
        if (i == 4) {
            write.rail = write.remote_rail = 1;
            write.core_port = write.local_port = cpu_of(&scene->spec, 0, 1);
            write.remote_port = cpu_of(&scene->spec, 1, 1);
        }
        verbs_write(scene->nics, &write);
    }
    scene_run(scene);
    for (int i = 1; i < 4; i++)
        g_assert_cmpint(scene->delivered_ps[i] - scene->delivered_ps[0], ==, i * 5 * PS_PER_US);
    g_assert_cmpint(scene->delivered_ps[4], ==, scene->delivered_ps[0]);
    scene_free(scene);
}

/* Half a payload on each rail takes the time of half a payload; both halves on one rail that of all. */
static void test_two_rails(void)
{
    for (int rails = 1; rails <= 2; rails++) {
        struct scene *scene = scene_new(TRANSPORT_FLOW);
        const struct machine_spec *spec = &scene->spec;
        for (int i = 0; i < 2; i++) {
            struct verbs_operation read = operation(scene, i, 8 * MB);
            read.rail = read.remote_rail = i % rails;
            verbs_read(scene->nics, &read);
        }
        scene_run(scene);
        sim_time near_ps = pcie_ps(spec), far_ps = near_ps + spec->socket_link.wire.latency_ps;
        sim_time first_rail_ps = expected_read_ps(spec, near_ps, near_ps, near_ps, 8 * MB);
        sim_time second_rail_ps = expected_read_ps(spec, far_ps, far_ps, far_ps, 8 * MB);
        if (rails == 2) {
            assert_near(scene->completed_ps[0], first_rail_ps);
            assert_near(scene->completed_ps[1], second_rail_ps);
        } else {
            /* the second starts a command later, and both share one cable */
            sim_time last_ps = MAX(scene->completed_ps[0], scene->completed_ps[1]);
            assert_near(last_ps, first_rail_ps + wire_ps(spec, 8 * MB));
        }
        scene_free(scene);
    }
}

/* A small write behind a large one: overtakes it in no queue, waits for it in the same one. */
static void test_queue_keeps_order(void)
{
    for (int queued = 0; queued < 2; queued++) {
        struct scene *scene = scene_new(TRANSPORT_FLOW);
        struct queue_pair queue = {0};
        for (int i = 0; i < 3; i++) {
            struct verbs_operation write = operation(scene, i, i == 0 ? MB : 8);
            write.queue = queued ? &queue : NULL;
            verbs_write(scene->nics, &write);
        }
        scene_run(scene);
        const int order[2][3] = {{1, 2, 0}, {0, 1, 2}};
        g_assert_cmpint(scene->delivered, ==, 3);
        for (int i = 0; i < 3; i++)
            g_assert_cmpint(scene->order[i], ==, order[queued][i]);
        if (queued)
            g_assert_cmpint(scene->delivered_ps[2], ==, scene->delivered_ps[0]);
        sim_time near_ps = pcie_ps(&scene->spec);
        struct expected lone = expected_write(&scene->spec, near_ps, near_ps, near_ps, MB, false);
        g_assert_cmpint(scene->delivered_ps[0], >=, lone.delivered_ps);
        g_assert_null(queue.early.first);
        g_assert_cmpuint(queue.next, ==, queued ? 3 : 0);
        scene_free(scene);
    }
}

/* When the last bytes of `count` operations are there, which are posted at once to `queues` queues (0: to none), one after the other. */
static void time_turns(enum transport_kind kind, bool reads, int queues, int count, int64_t bytes,
                       sim_time *delivered_ps)
{
    struct scene *scene = scene_new(kind);
    struct queue_pair pairs[2] = {{.posted = 0}};
    scene->spec.nic.command_gap_ps = 0;
    for (int i = 0; i < count; i++) {
        struct verbs_operation posted = operation(scene, i, bytes);
        posted.queue = queues > 0 ? &pairs[i % queues] : NULL;
        (reads ? verbs_read : verbs_write)(scene->nics, &posted);
    }
    scene_run(scene);
    memcpy(delivered_ps, reads ? scene->completed_ps : scene->delivered_ps,
           (gsize)count * sizeof *delivered_ps);
    for (int i = 0; i < 4; i++) {
        g_assert_null(pairs[i / 2].turns[i % 2].held.first);
        g_assert_false(pairs[i / 2].turns[i % 2].is_taken);
    }
    scene_free(scene);
}

/* A queue pair sends its messages one after the other, and the responder what is read likewise: of n that are posted together the
 * k-th ends k times its bytes / rate behind the latency, which all but the last have under way while the next one is sent. Those of
 * no queue share the cable and end together, when the last one of a queue does. */
static void test_queue_sends_in_turn(void)
{
    enum { COUNT = 8 };
    static const int64_t message_bytes[] = {16 << 10, 4 * MB};
    sim_time alone_ps, queued_ps[COUNT], shared_ps[COUNT];
    for (int i = 0; i < 8; i++) {
        enum transport_kind kind = kinds[i / 4];
        bool reads = i / 2 % 2;
        int64_t bytes = message_bytes[i % 2];
        struct machine_spec spec = ac922_spec();
        sim_time one_ps = wire_ps(&spec, bytes);
        time_turns(kind, reads, 1, 1, bytes, &alone_ps);
        time_turns(kind, reads, 1, COUNT, bytes, queued_ps);
        time_turns(kind, reads, 0, COUNT, bytes, shared_ps);
        for (int k = 0; k < COUNT; k++)
            g_assert_cmpint(llabs(queued_ps[k] - alone_ps - k * one_ps), <=, COUNT * ROUNDING_PS);
        g_assert_cmpint(llabs(shared_ps[COUNT - 1] - queued_ps[COUNT - 1]), <=, one_ps / 100);
        g_assert_cmpint(shared_ps[0] - alone_ps, >, (COUNT - 2) * one_ps);
    }
}

/* Two queues share the port: their k-th messages end together, when one queue would have sent both. */
static void test_queues_share(void)
{
    enum { COUNT = 8 };
    sim_time alone_ps, shared_ps[COUNT];
    struct machine_spec spec = ac922_spec();
    sim_time one_ps = wire_ps(&spec, MB);
    time_turns(TRANSPORT_FLOW, false, 1, 1, MB, &alone_ps);
    time_turns(TRANSPORT_FLOW, false, 2, COUNT, MB, shared_ps);
    for (int k = 0; k < COUNT; k++)
        g_assert_cmpint(llabs(shared_ps[k] - alone_ps - (k / 2 * 2 + 1) * one_ps), <=,
                        COUNT * ROUNDING_PS);
}

/* What is read comes the other way and waits for nothing that is written. */
static void test_directions_are_apart(void)
{
    sim_time alone_ps;
    time_turns(TRANSPORT_FLOW, true, 1, 1, MB, &alone_ps);
    struct scene *scene = scene_new(TRANSPORT_FLOW);
    struct queue_pair queue = {.posted = 0};
    scene->spec.nic.command_gap_ps = 0;
    for (int i = 0; i < 2; i++) {
        struct verbs_operation posted = operation(scene, i, MB);
        posted.queue = &queue;
        (i == 1 ? verbs_read : verbs_write)(scene->nics, &posted);
    }
    scene_run(scene);
    g_assert_cmpint(llabs(scene->completed_ps[1] - alone_ps), <=,
                    2 * scene->spec.nic.packet_header_bytes * PS_PER_NS);
    scene_free(scene);
}

/* Many at once, of all sizes, between three nodes, reads among them: all end; in each queue in order; and
 * again at the same times. */
static void run_many(struct scene *scene, uint32_t seed)
{
    GRand *rand = g_rand_new_with_seed(seed);
    struct queue_pair queues[4] = {{.posted = 0}};
    int queue_of[MOST];
    for (int i = 0; i < MOST; i++) {
        const struct machine_spec *spec = &scene->spec;
        struct verbs_operation many = operation(scene, i, g_rand_int_range(rand, 0, 100000));
        int node = g_rand_int_range(rand, 0, 3), remote = (node + g_rand_int_range(rand, 1, 3)) % 3;
        many.node = node;
        many.remote_node = remote;
        many.rail = g_rand_int_range(rand, 0, 2);
        many.remote_rail = g_rand_int_range(rand, 0, 2);
        many.core_port = cpu_of(spec, node, g_rand_int_range(rand, 0, 2));
        many.local_port = gpu_of(spec, node, g_rand_int_range(rand, 0, 6));
        many.remote_port = gpu_of(spec, remote, g_rand_int_range(rand, 0, 6));
        queue_of[i] = g_rand_int_range(rand, 0, 5);
        if (queue_of[i] < 4)
            many.queue = &queues[queue_of[i]];
        if (queue_of[i] == 4 && g_rand_boolean(rand))
            verbs_read(scene->nics, &many);
        else
            verbs_write(scene->nics, &many);
    }
    scene_run(scene);
    int last_of[4] = {-1, -1, -1, -1};
    for (int i = 0; i < scene->delivered; i++) {
        int number = scene->order[i], queue = queue_of[number];
        if (queue == 4)
            continue;
        g_assert_cmpint(number, >, last_of[queue]);
        last_of[queue] = number;
    }
    for (int i = 0; i < MOST; i++)
        g_assert_cmpint(scene->completed_ps[i], >, 0);
    g_rand_free(rand);
}

static void test_many(void)
{
    for (uint32_t seed = 1; seed <= 10; seed++) {
        struct scene *once = scene_new(TRANSPORT_SEGMENT), *again = scene_new(TRANSPORT_SEGMENT);
        run_many(once, seed);
        run_many(again, seed);
        for (int i = 0; i < MOST; i++)
            g_assert_cmpint(once->completed_ps[i], ==, again->completed_ps[i]);
        scene_free(once);
        scene_free(again);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/verbs/lone_write", test_lone_write);
    g_test_add_func("/verbs/inline_write", test_inline_write);
    g_test_add_func("/verbs/empty_write", test_empty_write);
    g_test_add_func("/verbs/gpu_memory_near_and_far", test_gpu_memory_near_and_far);
    g_test_add_func("/verbs/lone_read", test_lone_read);
    g_test_add_func("/verbs/queue_by_rail", test_queue_by_rail);
    g_test_add_func("/verbs/command_gap", test_command_gap);
    g_test_add_func("/verbs/two_rails", test_two_rails);
    g_test_add_func("/verbs/queue_keeps_order", test_queue_keeps_order);
    g_test_add_func("/verbs/queue_sends_in_turn", test_queue_sends_in_turn);
    g_test_add_func("/verbs/queues_share", test_queues_share);
    g_test_add_func("/verbs/directions_are_apart", test_directions_are_apart);
    g_test_add_func("/verbs/many", test_many);
    return g_test_run();
}
