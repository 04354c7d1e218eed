/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules on a machine of the project, by Open MPI unless another design is told. First with all transports on two nodes
 * of default devices on a star: what a message takes on its route at least is asked of the platform. Then placements on
 * nodes like the AC922, where that is computed from the parameters of its links. What software adds is bounded here; that
 * it is what the same program takes by the same design is tested by /goal/machine/as-programs. */
#include "../designs.h"
#include "../fabric/fabric_test.h"
#include "../models/ac922_test.h"
#include "../param_valid.h"
#include "../software_test.h"
#include "core/error.h"
#include "goal_test.h"
#include "workloads/goal/goal_machine.h"
#include "workloads/goal/goal_pattern.h"
#include "workloads/transfer/transfer.h"
#include "workloads/workloads.h"

static struct machine_spec machine(enum transport_kind kind)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    spec.transport.kind = kind;
    return spec;
}

static struct goal_placement placement_of(const char *text)
{
    GError *error = NULL;
    struct goal_placement placement;
    goal_placement_parse(text, NULL, &placement, &error);
    g_assert_no_error(error);
    return placement;
}

static sim_time *run_on(const struct machine_spec *spec, const char *text, const char *place)
{
    GError *error = NULL;
    const struct goal_placement placement = placement_of(place);
    struct goal_schedule *schedule = read_text(text, &error);
    g_assert_no_error(error);
    struct loggp_program program = goal_schedule_program(schedule);
    const struct goal_source source = {"t.goal", schedule};
    struct goal_machine_result result = {.ends_ps = g_new(sim_time, program.ranks)};
    goal_machine_run(spec, &placement, &program, &source, NULL, &result, &error);
    g_assert_no_error(error);
    goal_schedule_free(schedule);
    return result.ends_ps;
}

/* It takes what the machine needs, and no more than that and what software may add. */
static void assert_takes(sim_time took_ps, sim_time machine_ps, sim_time software_ps)
{
    g_assert_cmpint(took_ps, >=, machine_ps);
    g_assert_cmpint(took_ps, <=, machine_ps + software_ps);
}

/* Latency and bytes over the slowest link, as the transports promise for a lone transfer. */
static sim_time message_ps(const struct machine_spec *spec, const char *port, int64_t bytes)
{
    struct platform *platform = machine_platform(spec, NULL);
    const struct platform_route *route = platform_route(platform, platform_port(platform, 0, port),
                                                        platform_port(platform, 1, port));
    return route->latency_ps + transfer_ps(bytes, route->bandwidth_Bps);
}

#define APART_ON_CORES "core,order=round-robin"
#define MEGABYTE 1000000
static const char ping_pong[] = "num_ranks 2\n"
                                "rank 0 { a: send 1000000b to 1; b: recv 1000000b from 1 }\n"
                                "rank 1 { a: recv 1000000b from 0; b: calc 5000; b requires a\n"
                                "c: send 1000000b to 0; c requires b }\n";

/* There, a calculation of 5 us, back; segments are cut, which costs at most one more a link. */
static void test_ping_pong(void)
{
    struct machine_spec flow = machine(TRANSPORT_FLOW), segment = machine(TRANSPORT_SEGMENT);
    sim_time expected_ps = 2 * message_ps(&flow, "cpu0", MEGABYTE) + 5 * PS_PER_US;
    g_autofree sim_time *exact = run_on(&flow, ping_pong, APART_ON_CORES);
    assert_takes(exact[0], expected_ps, 100 * PS_PER_US);
    g_autofree sim_time *cut = run_on(&segment, ping_pong, APART_ON_CORES);
    g_assert_cmpint(ABS(cut[0] - exact[0]), <=, exact[0] / 10);
}

/* On the GPU a calculation is a kernel: launched, and noticed when it has ended. */
static void test_on_gpu(void)
{
    struct machine_spec flow = machine(TRANSPORT_FLOW);
    const struct cuda_spec *cuda = &flow.cuda;
    sim_time kernel_ps = cuda->kernel_launch_ps + cuda->kernel_start_ps + 5 * PS_PER_US;
    sim_time expected_ps = 2 * message_ps(&flow, "gpu0", MEGABYTE) + kernel_ps;
    g_autofree sim_time *ends = run_on(&flow, ping_pong, "gpu");
    assert_takes(ends[0], expected_ps, 250 * PS_PER_US);
}

/* Five ranks, three of them on node 0: they have cores of their own, or share the one GPU. */
static void test_places(void)
{
    struct machine_spec spec = machine(TRANSPORT_SEGMENT);
    const char *text = "num_ranks 5\nrank 0 { calc 1000 }\nrank 2 { calc 1000 }\n"
                       "rank 4 { a: calc 1000; b: calc 500; b requires a }\n";
    g_autofree sim_time *cores = run_on(&spec, text, APART_ON_CORES);
    g_assert_cmpint(cores[0], ==, PS_PER_US);
    g_assert_cmpint(cores[2], ==, PS_PER_US);
    g_assert_cmpint(cores[4], ==, PS_PER_US + 500 * PS_PER_NS);
    g_assert_cmpint(cores[1], ==, 0);
    sim_time launch_ps = spec.cuda.kernel_launch_ps, start_ps = spec.cuda.kernel_start_ps;
    g_autofree sim_time *gpu = run_on(&spec, text, "gpu,ranks_per_node=3,order=round-robin");
    assert_takes(MAX(gpu[0], gpu[2]), launch_ps + start_ps + 2 * PS_PER_US, 20 * PS_PER_US);
}

/* CPU streams have cores of their own, as far as there are any. */
static void test_streams(void)
{
    struct machine_spec spec = machine(TRANSPORT_SEGMENT);
    const char *text = "num_ranks 2\nrank 0 { calc 1000; calc 1000 cpu 1; calc 1000 cpu 2 }\n"
                       "rank 1 { calc 1000 cpu 2 }\n";
    spec.host.cores = 3;
    g_autofree sim_time *own = run_on(&spec, text, "core");
    g_assert_cmpint(own[0], ==, PS_PER_US);
    spec.host.cores = 2;
    g_autofree sim_time *shared = run_on(&spec, text, "core");
    g_assert_cmpint(shared[0], ==, 2 * PS_PER_US);
    g_assert_cmpint(shared[1], ==, PS_PER_US);
}

/* A message that comes before its receive waits; irequires goes on at once. */
static void test_unexpected(void)
{
    struct machine_spec spec = machine(TRANSPORT_SEGMENT);
    const char *text = "num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { a: calc 900000\n"
                       "b: recv 8b from 0; b requires a; c: calc 50 cpu 1; c irequires b\n"
                       "d: calc 7; d requires b }\n";
    g_autofree sim_time *ends = run_on(&spec, text, APART_ON_CORES);
    assert_takes(ends[1], 900050 * PS_PER_NS, 2 * PS_PER_US);
}

static void test_waits_for_ever(void)
{
    struct machine_spec spec = machine(TRANSPORT_SEGMENT);
    const char *text = "num_ranks 2\nrank 0 { a: recv 8b from 1; b: send 8b to 1; b requires a }\n"
                       "rank 1 { a: recv 8b from 0; b: send 8b to 0; b requires a }\n";
    struct goal_schedule *schedule = read_text(text, NULL);
    struct loggp_program program = goal_schedule_program(schedule);
    sim_time ends_ps[2];
    struct goal_machine_result result = {.ends_ps = ends_ps};
    g_autoptr(GError) error = NULL;
    const struct goal_source source = {"t.goal", schedule};
    const struct goal_placement placement = placement_of("core");
    g_assert_false(goal_machine_run(&spec, &placement, &program, &source, NULL, &result, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_RUN);
    g_assert_nonnull(strstr(error->message,
                            "t.goal:2: the schedule does not end: 2 receives wait "
                            "for ever, the first a receive at rank 0, from 1 with tag 0"));
    goal_schedule_free(schedule);
}

static void assert_refused_on(const struct machine_spec *spec, const char *text, const char *place,
                              const char *expected)
{
    struct goal_schedule *schedule = read_text(text, NULL);
    struct loggp_program program = goal_schedule_program(schedule);
    const struct goal_source source = {"t.goal", schedule};
    const struct goal_placement placement = placement_of(place);
    struct goal_machine_result result = {.ends_ps = g_new(sim_time, program.ranks)};
    g_autoptr(GError) error = NULL;
    g_assert_false(goal_machine_run(spec, &placement, &program, &source, NULL, &result, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    if (!g_str_has_prefix(error->message, expected))
        g_error("\"%s\" does not begin with \"%s\"", error->message, expected);
    g_free(result.ends_ps);
    goal_schedule_free(schedule);
}

static void assert_refused(enum transport_kind kind, const char *text, const char *expected)
{
    struct machine_spec spec = machine(kind);
    assert_refused_on(&spec, text, APART_ON_CORES, expected);
    assert_refused_on(&spec, text, "gpu", expected);
}

/* What the clock or a counter cannot hold is told with its line, not wrapped around. By flow two
 * messages of 10^16 bytes take the clock's time only together, on the link that they share. */
static void test_too_much(void)
{
    static const char late[] = "num_ranks 1\nrank 0 {\ncalc 2305843009213\ncalc %s\n}\n";
    static const char message[] = "num_ranks 2\nrank 0 {\nsend %sb to 1\n}\n"
                                  "rank 1 { recv %sb from 0 }\n";
    const char *const durations[] = {"2305843009213693", "9223372036854775", "9223372036854775807"};
    for (size_t i = 0; i < G_N_ELEMENTS(durations); i++) {
        g_autofree char *calc = g_strdup_printf(late, durations[i]);
        assert_refused(TRANSPORT_SEGMENT, calc, "t.goal:4: the calculation of rank 0 ends after ");
    }
    g_autofree char *huge = g_strdup_printf(message, "9223372036854775807", "9223372036854775807");
    assert_refused(TRANSPORT_FLOW, huge, "t.goal:3: the send of rank 0 ends after ");
    assert_refused(TRANSPORT_SEGMENT, huge, "t.goal:3: the send of rank 0 ends after ");
    struct machine_spec spec = machine(TRANSPORT_FLOW);
    assert_refused_on(&spec, huge, "core", "t.goal:3: the send of rank 0 ends after ");
    assert_refused_on(&spec, huge, "gpu,ranks_per_node=2",
                      "t.goal:3: the send of rank 0 ends after ");
    assert_refused(TRANSPORT_FLOW,
                   "num_ranks 2\nrank 0 {\nsend 300000000000000b to 1 tag 1\n"
                   "send 300000000000000b to 1 tag 2\n}\nrank 1 {\n"
                   "recv 300000000000000b from 0 tag 1\nrecv 300000000000000b from 0 tag 2\n}\n",
                   "t.goal:4: the send of rank 0 ends after ");
    for (enum transport_kind kind = TRANSPORT_FLOW; kind <= TRANSPORT_SEGMENT; kind++)
        assert_refused(kind,
                       "num_ranks 2\nrank 0 {\nsend 100b to 1\n}\nrank 1 {\nrecv 50b from 0\n}\n",
                       "t.goal:6: rank 1 receives 50 bytes here, and the message from rank 0 (line "
                       "3) has 100");
}

/* --- placements --------------------------------------------------------------------------------- */

/* Three GPUs and two NICs a socket, two sockets a node; 16 cores a socket. */
static struct machine_spec ac922(int64_t nic_policy)
{
    struct machine_spec spec = machine(TRANSPORT_FLOW), devices = ac922_spec();
    spec.nodes = devices.nodes;
    spec.node = devices.node;
    spec.nvlink = devices.nvlink;
    spec.socket_link = devices.socket_link;
    spec.network = devices.network;
    spec.node.nics_per_socket = 2;
    spec.node.nic_policy = nic_policy;
    return spec;
}

/* When a megabyte from rank `from` has come to `to`, of `ranks`. */
static sim_time one_message_ps(const struct machine_spec *spec, int ranks, int from, int to,
                               const char *place)
{
    g_autofree char *text = g_strdup_printf("num_ranks %d\nrank %d { send 1000000b to %d }\n"
                                            "rank %d { recv 1000000b from %d }\n",
                                            ranks, from, to, to, from);
    g_autofree sim_time *ends = run_on(spec, text, place);
    return ends[to];
}

/* The first and the second socket's GPUs by their links; two ranks on one GPU by its memory. */
static void test_gpus_of_a_node(void)
{
    const struct machine_spec spec = ac922(NIC_NEAREST);
    sim_time nvlink_ps = spec.nvlink.wire.latency_ps, socket_ps = spec.socket_link.wire.latency_ps;
    sim_time beside_ps = nvlink_ps + transfer_ps(MEGABYTE, spec.nvlink.wire.rate_Bps);
    sim_time across_ps =
        2 * nvlink_ps + socket_ps + transfer_ps(MEGABYTE, spec.socket_link.wire.rate_Bps);
    sim_time within_ps = transfer_ps(MEGABYTE, spec.cuda.local_rate_Bps);
    assert_takes(one_message_ps(&spec, 2, 0, 1, "gpu"), beside_ps, 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 6, 2, 3, "gpu"), across_ps, 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 2, 0, 1, "gpu,ranks_per_node=2"), across_ps,
                 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 2, 0, 1, "gpu,ranks_per_node=12"), within_ps,
                 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 12, 5, 6, "gpu,ranks_per_node=12"), across_ps,
                 150 * PS_PER_US);
    /* Cores 0 to 5 of 16 have the first of three GPUs, core 6 the second. */
    assert_takes(one_message_ps(&spec, 7, 0, 6, "core,memory=gpu"), beside_ps, 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 7, 0, 5, "core,memory=gpu"), within_ps, 150 * PS_PER_US);
}

/* A core copies; it does nothing else meanwhile, and begins when there is a receive. */
static void test_cores_of_a_node(void)
{
    const struct machine_spec spec = ac922(NIC_NEAREST);
    const struct host_copy_spec *copy = &spec.host_copy;
    sim_time beside_ps = copy->call_ps + transfer_ps(MEGABYTE, copy->rate_Bps);
    sim_time across_ps = copy->call_ps + transfer_ps(MEGABYTE, copy->cross_socket_rate_Bps);
    assert_takes(one_message_ps(&spec, 2, 0, 1, "core"), beside_ps, 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 17, 15, 16, "core"), across_ps, 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 2, 0, 1, "core,ranks_per_node=2"), across_ps,
                 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 2, 0, 1, "gpu,memory=host"), beside_ps, 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 4, 2, 3, "gpu,memory=host"), across_ps, 150 * PS_PER_US);
    g_autofree sim_time *late =
        run_on(&spec,
               "num_ranks 2\nrank 0 { send 1000000b to 1; send 1000000b to 1 tag 1 }\n"
               "rank 1 { a: calc 500000; b: recv 1000000b from 0; b requires a\n"
               "c: recv 1000000b from 0 tag 1; c requires a; d: calc 7000; d requires b }\n",
               "core");
    assert_takes(late[1], 500 * PS_PER_US + 2 * beside_ps + 7 * PS_PER_US, 20 * PS_PER_US);
}

/* A message that has its links for itself; `far_ps` is from memory to CPU, at both ends. */
static sim_time network_ps(const struct machine_spec *spec, int64_t bytes, sim_time far_ps)
{
    sim_time pcie_ps = 2 * bus_link_latency_ps(&spec->bus);
    return 2 * (far_ps + pcie_ps + spec->network.wire.latency_ps) +
           transfer_ps(bytes, spec->network.wire.rate_Bps);
}

/* Ranks 0 and 1 of a socket send to their like of the next node at once: through one NIC, or one each. */
static void assert_nics(int64_t policy, int per_node, const char *form, sim_time far_ps)
{
    const struct machine_spec spec = ac922(policy);
    g_autofree char *place = g_strdup_printf(form, per_node);
    g_autofree char *text =
        g_strdup_printf("num_ranks %d\nrank 0 { send 1000000b to %d }\n"
                        "rank 1 { send 1000000b to %d }\nrank %d { recv 1000000b from 0 }\n"
                        "rank %d { recv 1000000b from 1 }\n",
                        2 * per_node, per_node, per_node + 1, per_node, per_node + 1);
    g_autofree sim_time *ends = run_on(&spec, text, place);
    int64_t through_one = policy == NIC_SPREAD ? MEGABYTE : 2 * MEGABYTE;
    sim_time expected_ps = network_ps(&spec, through_one, far_ps);
    assert_takes(MAX(ends[per_node], ends[per_node + 1]), expected_ps, 100 * PS_PER_US);
}

static void test_nodes(void)
{
    struct machine_spec spec = ac922(NIC_NEAREST);
    sim_time nvlink_ps = spec.nvlink.wire.latency_ps;
    sim_time alone_ps = network_ps(&spec, MEGABYTE, nvlink_ps);
    assert_takes(one_message_ps(&spec, 7, 0, 6, "gpu"), alone_ps, 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 2, 0, 1, "gpu,order=round-robin"), alone_ps,
                 150 * PS_PER_US);
    assert_takes(one_message_ps(&spec, 2, 0, 1, APART_ON_CORES), network_ps(&spec, MEGABYTE, 0),
                 60 * PS_PER_US);
    for (int64_t policy = NIC_NEAREST; policy <= NIC_SPREAD; policy++) {
        assert_nics(policy, 6, "gpu,ranks_per_node=%d", nvlink_ps);
        assert_nics(policy, 12, "gpu,ranks_per_node=%d", nvlink_ps); /* both on one GPU */
        assert_nics(policy, 4, "core,ranks_per_node=%d", 0);
        assert_nics(policy, 6, "gpu,memory=host,ranks_per_node=%d", 0);
    }
}

static struct goal_machine_result run_pattern(const struct machine_spec *spec, const char *text,
                                              const char *place, sim_time *last_ps)
{
    GError *error = NULL;
    struct goal_pattern_spec pattern_spec;
    g_assert_true(goal_pattern_parse(text, &pattern_spec, NULL));
    struct goal_pattern *pattern = goal_pattern_new(&pattern_spec);
    const struct loggp_program program = goal_pattern_program(pattern);
    const struct goal_placement placement = placement_of(place);
    const struct goal_source source = {text, NULL};
    struct goal_machine_result result = {.ends_ps = g_new(sim_time, program.ranks)};
    goal_machine_run(spec, &placement, &program, &source, NULL, &result, &error);
    g_assert_no_error(error);
    *last_ps = 0;
    for (uint32_t rank = 0; rank < program.ranks; rank++)
        *last_ps = MAX(*last_ps, result.ends_ps[rank]);
    g_free(result.ends_ps);
    result.ends_ps = NULL;
    goal_pattern_free(pattern);
    return result;
}

/* 2 (n - 1) blocks of 4 MiB pass each link: the slowest takes at least as long. Ranks do not wait for all
 * others: now and then two blocks share it, and the next rank waits for both. */
static void test_ring(void)
{
    const struct machine_spec spec = ac922(NIC_NEAREST);
    const struct direct_link_spec *nvlink = &spec.nvlink, *socket = &spec.socket_link;
    const int64_t block = 4 << 20;
    const struct {
        const char *pattern;
        int phases;
        sim_time phase_ps;
    } rings[] = {
        {"ring:2,bytes=4MiB", 2,
         nvlink->wire.latency_ps + transfer_ps(block, nvlink->wire.rate_Bps)},
        {"ring:4,bytes=4MiB", 6,
         2 * nvlink->wire.latency_ps + socket->wire.latency_ps +
             transfer_ps(block, socket->wire.rate_Bps)},
        {"ring:12,bytes=4MiB", 22, transfer_ps(block, spec.network.wire.rate_Bps)},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rings); i++) {
        sim_time took_ps, least_ps = rings[i].phases * rings[i].phase_ps;
        run_pattern(&spec, rings[i].pattern, "gpu", &took_ps);
        assert_takes(took_ps, least_ps, least_ps / 4 + 150 * PS_PER_US);
    }
    sim_time took_ps, copy_ps = host_copy_ps(&spec.host_copy, HOST_COPY_SAME_SOCKET, block);
    run_pattern(&spec, "ring:4,bytes=4MiB", "core", &took_ps);
    assert_takes(took_ps, 6 * copy_ps, 6 * 10 * PS_PER_US);
}

/* --- the same program, written otherwise -------------------------------------------------------- */

static void assert_alike(const char *design, int64_t one_ps, int64_t other_ps)
{
    if (ABS(one_ps - other_ps) * 100 > other_ps)
        g_error("%s: %" G_GINT64_FORMAT " ps and %" G_GINT64_FORMAT " ps", design, one_ps,
                other_ps);
}

#define ROUND_TRIPS 20

/* Ping-pong is half of osu_latency's round trip, between sockets. */
static void compare_ping_pong(const struct machine_spec *spec, const char *design,
                              const char *bytes)
{
    const struct workload *workload = &osu_latency_workload;
    const char *const settings[][2] = {{"design", design},
                                       {"bytes", bytes},
                                       {"placement", "cross-socket"},
                                       {"warmup", "0"},
                                       {"iterations", G_STRINGIFY(ROUND_TRIPS)}};
    g_autofree void *arguments = g_malloc0(workload->params->spec_size);
    param_set_defaults(workload->params, arguments);
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
        g_assert_true(param_set_text(workload->params, param_find(workload->params, settings[i][0]),
                                     arguments, settings[i][1], NULL));
    struct workload_result result = {0};
    g_assert_true(workload_run(workload, spec, arguments, 0, &result, NULL));
    g_assert_cmpstr(result.measures[0].name, ==, "latency");
    g_autofree char *count = g_ascii_strdown(bytes, -1);
    g_autoptr(GString) ping = g_string_new("num_ranks 2\nrank 0 {\n");
    g_autoptr(GString) pong = g_string_new("rank 1 {\n");
    for (int i = 0; i < 2 * ROUND_TRIPS; i++) {
        const char *const calls[] = {"send %s to %d", "recv %s from %d"};
        for (int rank = 0; rank < 2; rank++) {
            GString *text = rank == 0 ? ping : pong;
            g_string_append_printf(text, "l%d: ", i);
            g_string_append_printf(text, calls[(i + rank) % 2], count, 1 - rank);
            g_string_append_printf(text, i > 0 ? "\nl%d requires l%d\n" : "\n", i, i - 1);
        }
    }
    g_autofree char *text = g_strdup_printf("%s}\n%s}\n", ping->str, pong->str);
    g_autofree char *place = g_strdup_printf("gpu,ranks_per_node=2,design=%s", design);
    g_autofree sim_time *ends = run_on(spec, text, place);
    assert_alike(design, ends[0], 2 * ROUND_TRIPS * result.measures[0].quantity);
}

#define RING_RANKS 12
#define RING_BYTES 65536

/* Operations that become ready together are called sends first (fabric/loggp/loggp_ready.h). */
static void ring_program(struct party *party, void *argument)
{
    const struct transfer_buffer *buffers = argument;
    for (int phase = 0; phase < 2 * (RING_RANKS - 1); phase++) {
        struct message messages[2];
        transfer_send(party, &messages[1],
                      &(struct party_call){.place = (party->place + 1) % RING_RANKS,
                                           .buffer = buffers[1],
                                           .bytes = RING_BYTES,
                                           .channel = 0});
        transfer_receive(party, &messages[0],
                         &(struct party_call){.place = (party->place + RING_RANKS - 1) % RING_RANKS,
                                              .buffer = buffers[0],
                                              .bytes = RING_BYTES,
                                              .channel = 0});
        transfer_wait(party, messages, 2);
    }
}

static void compare_ring(const struct machine_spec *spec, const char *name)
{
    GError *error = NULL;
    sim_time took_ps;
    const struct design design = test_design(name);
    int64_t count;
    g_autofree struct job_place *places =
        world_places(spec, 2, "gpus", RING_RANKS / 2, &count, &error);
    g_assert_no_error(error);
    g_assert_cmpint(count, ==, RING_RANKS);
    const struct world_setup setup = {.design = &design,
                                      .places = places,
                                      .place_count = RING_RANKS,
                                      .groups = 1,
                                      .served_places = RING_RANKS,
                                      .has_channels = true};
    struct world *world = world_new(spec, &setup, &error);
    g_assert_no_error(error);
    struct transfer_buffer buffers[] = {world_buffer(world, RING_BYTES, TRANSFER_PAYLOAD),
                                        world_buffer(world, RING_BYTES, TRANSFER_PAYLOAD)};
    void *arguments[RING_RANKS];
    for (int i = 0; i < RING_RANKS; i++)
        arguments[i] = buffers;
    g_assert_true(world_run(world, ring_program, arguments, &error));
    g_autofree char *place = g_strdup_printf("gpu,design=%s", name);
    run_pattern(spec, "ring:12,bytes=65536", place, &took_ps);
    assert_alike(name, took_ps, sim_now(world_sim(world)));
    world_free(world);
}

/* A schedule takes what the same program takes by the same design. */
static void test_as_programs(void)
{
    static const char *const designs[] = {"openmpi-d",     "openmpi-h",  "spectrum-d", "ampi-d",
                                          "charm-channel", "charm4py-d", "charm-h"};
    struct machine_spec spec = ac922(NIC_NEAREST);
    spec.transport.kind = TRANSPORT_SEGMENT;
    for (size_t i = 0; i < G_N_ELEMENTS(designs); i++) {
        compare_ping_pong(&spec, designs[i], "8B");
        compare_ping_pong(&spec, designs[i], "1000000B");
        compare_ring(&spec, designs[i]);
    }
}

/* All to all of 12 ranks, 6 a node: what is sent arrives, and each pair's bytes go their way. */
static void test_bytes(void)
{
    struct machine_spec spec = ac922(NIC_SPREAD);
    const int64_t bytes = 10000, within = 2 * 6 * 5 * bytes, between = 2 * 6 * 6 * bytes;
    const struct {
        const char *place;
        int64_t paths[GOAL_PATHS];
    } cases[] = {
        {"gpu", {0, 0, within, between}},
        {"gpu,order=round-robin", {0, 0, 36 * bytes, 96 * bytes}},
        {"gpu,memory=host", {within, 0, 0, between}},
        {"core,ranks_per_node=6", {within, 0, 0, between}},
        {"gpu,ranks_per_node=12", {0, 12 * bytes, 120 * bytes, 0}},
    };
    for (enum transport_kind kind = TRANSPORT_FLOW; kind <= TRANSPORT_SEGMENT; kind++) {
        spec.transport.kind = kind;
        for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
            sim_time took_ps;
            const struct goal_machine_result result =
                run_pattern(&spec, "alltoall:12,bytes=10000", cases[i].place, &took_ps);
            for (int path = 0; path < GOAL_PATHS; path++)
                g_assert_cmpint(result.sent_bytes[path], ==, cases[i].paths[path]);
            g_assert_cmpint(result.arrived_bytes, ==, 12 * 11 * bytes);
        }
    }
}

/* Who has no room is told how many have. */
static void test_room(void)
{
    const struct machine_spec spec = ac922(NIC_NEAREST);
    const char form[] = "num_ranks %d\nrank 0 { calc 1 cpu %d }\n";
    const struct {
        int ranks, cpu;
        const char *place, *expected;
    } cases[] = {
        {19, 0, "gpu",
         "19 ranks do not fit on the machine: 3 nodes of 6 ranks, one a GPU, have room for 18"},
        {97, 0, "core",
         "97 ranks do not fit on the machine: 3 nodes of 32 ranks, one a core, have room for 96"},
        {25, 3, "core,order=round-robin",
         "25 ranks do not fit on the machine: 3 nodes of 8 ranks, with 4 cores each, have room for "
         "24"},
        {7, 0, "gpu,ranks_per_node=2",
         "7 ranks do not fit on the machine: 3 nodes of 2 ranks, as ranks_per_node says, have room "
         "for 6"},
        {1, 0, "core,ranks_per_node=33", "ranks_per_node=33: a node has 32 cores"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf(form, cases[i].ranks, cases[i].cpu);
        assert_refused_on(&spec, text, cases[i].place, cases[i].expected);
    }
}

/* What is not a placement. */
static void test_placement_text(void)
{
    const char *const cases[][2] = {
        {"", "placement.device: \"\""},
        {"gpus", "placement.device: \"gpus\""},
        {"gpu,host", "placement: expected key=value and found \"host\""},
        {"gpu,memory=disk", "placement.memory: \"disk\""},
        {"gpu,ranks=4",
         "a placement has no \"ranks\": it has memory, ranks_per_node, order and design"},
        {"gpu,ranks_per_node=-1", "placement.ranks_per_node: "},
    };
    g_assert_true(param_table_valid(&goal_placement_params, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        struct goal_placement placement;
        g_assert_false(goal_placement_parse(cases[i][0], NULL, &placement, &error));
        g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
        if (!g_str_has_prefix(error->message, cases[i][1]))
            g_error("\"%s\" does not begin with \"%s\"", error->message, cases[i][1]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    add_test("/goal/machine/ping-pong", test_ping_pong);
    add_test("/goal/machine/on-gpu", test_on_gpu);
    add_test("/goal/machine/places", test_places);
    add_test("/goal/machine/streams", test_streams);
    add_test("/goal/machine/unexpected", test_unexpected);
    add_test("/goal/machine/waits-for-ever", test_waits_for_ever);
    add_test("/goal/machine/too-much", test_too_much);
    add_test("/goal/machine/gpus-of-a-node", test_gpus_of_a_node);
    add_test("/goal/machine/cores-of-a-node", test_cores_of_a_node);
    add_test("/goal/machine/nodes", test_nodes);
    add_test("/goal/machine/ring", test_ring);
    add_test("/goal/machine/as-programs", test_as_programs);
    add_test("/goal/machine/bytes", test_bytes);
    add_test("/goal/machine/room", test_room);
    add_test("/goal/machine/placement-text", test_placement_text);
    return g_test_run();
}
