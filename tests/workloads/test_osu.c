/* SPDX-License-Identifier: BSD-3-Clause */
/* The OSU workloads on a node of two sockets with three GPUs each, and two such nodes. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../fabric/fabric_test.h"
#include "../last_error.h"
#include "../software_test.h"
#include "../workload_once.h"
#include "models/cpu/host_copy.h"
#include "protocols/runtimes/messenger.h"
#include "workloads/bench/osu.h"
#include "workloads/workloads.h"

static struct machine_spec machine(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    spec.node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 3, .nics_per_socket = 1, .gpu_link = GPU_LINK_NVLINK};
    return spec;
}

struct setting {
    const char *name, *value;
};

static bool try_run_on(const struct machine_spec *spec, const struct workload *workload,
                       const struct setting *settings, struct workload_result *result,
                       GError **error)
{
    g_autofree void *arguments = g_malloc0(workload->params->spec_size);
    param_set_defaults(workload->params, arguments);
    for (; settings->name; settings++)
        g_assert_true(param_set_text(workload->params, param_find(workload->params, settings->name),
                                     arguments, settings->value, error));
    *result = (struct workload_result){0};
    return run_or_once(workload, spec, arguments, 1, result, error);
}

static bool try_run(const struct workload *workload, const struct setting *settings,
                    struct workload_result *result, GError **error)
{
    const struct machine_spec spec = machine();
    return try_run_on(&spec, workload, settings, result, error);
}

static struct workload_result run(const struct workload *workload, const struct setting *settings)
{
    struct workload_result result;
    bool good = try_run(workload, settings, &result, fresh_error());
    g_assert_cmpstr(last_words(), ==, "");
    g_assert_true(good);
    return result;
}

static const struct workload_measure *measure(const struct workload_result *result,
                                              const char *name)
{
    for (size_t i = 0; i < result->count; i++) {
        if (strcmp(result->measures[i].name, name) == 0)
            return &result->measures[i];
    }
    g_error("no measure %s", name);
}

static int64_t quantity(const struct workload_result *result, const char *name)
{
    return measure(result, name)->quantity;
}

/* --- latency ---------------------------------------------------------------------------------- */

/* Eager between cores of a socket: calls, two copies, the way between the caches, one look at a
 * queue. What follows on a send is done while its message travels. */
static void test_latency_closed_form(void)
{
    struct machine_spec spec = machine();
    const struct ucx_spec *ucx = UCX(spec);
    for (int64_t bytes = 1; bytes <= 4096; bytes *= 16) {
        g_autofree char *size = g_strdup_printf("%dB", (int)bytes);
        struct workload_result result = run(&osu_latency_workload, (struct setting[]){
                                                                       {"design", "openmpi-d"},
                                                                       {"buffers", "host"},
                                                                       {"bytes", size},
                                                                       {NULL, NULL},
                                                                   });
        sim_time expected_ps = OPENMPI(spec)->call_ps + ucx->send_ps + ucx->memory_type_ps +
                               host_copy_ps(&spec.host_copy, HOST_COPY_SAME_SOCKET, bytes) +
                               ucx->same_socket_latency_ps + ucx->progress_ps + UCX_MATCH_PS +
                               host_copy_ps(&spec.host_copy, HOST_COPY_HANDOFF, bytes) +
                               ucx->poll_ps + OPENMPI(spec)->wait_ps;
        g_assert_cmpint(quantity(&result, "latency"), ==, expected_ps);
        g_assert_cmpfloat(measure(&result, "eager")->ratio, ==, 1);
    }
}

/* A core does one thing at a time: what it did sums up to the time per message. */
static void test_accounts_sum_up(void)
{
    for (int i = 0; host_designs()[i]; i++) {
        for (int far = 0; far < 2; far++) {
            struct workload_result result =
                run(&osu_latency_workload,
                    (struct setting[]){{"design", host_designs()[i]},
                                       {"placement", far ? "inter-node" : "intra-socket"},
                                       {"bytes", "32KiB"},
                                       {NULL, NULL}});
            int64_t sum_ps = 0;
            for (int account = 0; account < CPU_ACCOUNTS; account++) {
                if (account == CPU_SYSTEM) /* reported where cores are interrupted */
                    continue;
                const char *of = account == CPU_LIBRARY ? "ucx" : cpu_account_names[account];
                g_autofree char *name = g_strconcat("time_", of, NULL);
                sum_ps += quantity(&result, name);
            }
            g_assert_cmpint(ABS(sum_ps - quantity(&result, "latency")), <=, CPU_ACCOUNTS);
        }
    }
}

/* --- bandwidth -------------------------------------------------------------------------------- */

static int64_t bandwidth(const char *placement, const char *pairs, bool is_both_ways)
{
    struct setting settings[] = {{"design", "openmpi-d"},
                                 {"placement", placement},
                                 {"bytes", "1MiB"},
                                 {"both_ways", is_both_ways ? "true" : "false"},
                                 {pairs ? "pairs" : NULL, pairs},
                                 {NULL, NULL}};
    struct workload_result result = run(&osu_bandwidth_workload, settings);
    return quantity(&result, "bandwidth");
}

/* Near the link's rate and never above it; two ways at a time as much more as the links allow. */
static void test_bandwidth(void)
{
    struct machine_spec spec = machine();
    int64_t link_Bps = (int64_t)((double)spec.nvlink.wire.rate_Bps * spec.nvlink.efficiency);
    int64_t one_way = bandwidth("intra-socket", NULL, false);
    g_assert_cmpint(one_way, >, link_Bps / 2);
    g_assert_cmpint(one_way, <=, link_Bps);
    int64_t both_ways = bandwidth("intra-socket", NULL, true);
    g_assert_cmpint(both_ways, >, one_way * 3 / 2);
    g_assert_cmpint(both_ways, <=, 2 * link_Bps);
}

/* One pair is the plain test; pairs on sockets of their own do not disturb each other; more than
 * fit into two nodes' network share it. */
static void test_pairs(void)
{
    int64_t one = bandwidth("intra-socket", NULL, false);
    g_assert_cmpint(bandwidth("intra-socket", "1", false), ==, one);
    g_assert_cmpint(ABS(bandwidth("intra-socket", "4", false) - 4 * one), <=, 4);
    int64_t remote = bandwidth("inter-node", NULL, false);
    int64_t shared = bandwidth("inter-node", "6", false);
    struct machine_spec spec = machine();
    g_assert_cmpint(shared, >, remote * 3 / 2);
    g_assert_cmpint(shared, <=, 2 * spec.network.wire.rate_Bps);
}

static int64_t latency_ps(const char *placement, const char *pairs)
{
    struct setting settings[] = {
        {"design", "openmpi-h"}, {"placement", placement},        {"buffers", "host"},
        {"bytes", "1MiB"},       {pairs ? "pairs" : NULL, pairs}, {NULL, NULL}};
    struct workload_result result = run(&osu_latency_workload, settings);
    return quantity(&result, "latency");
}

/* One pair plays as in the plain test, and pairs of sockets of their own as if they were alone; three that share a
 * NIC wait for each other, but no longer than if they took turns. */
static void test_multi_latency(void)
{
    int64_t near = latency_ps("intra-socket", NULL);
    int64_t far = latency_ps("inter-node", NULL);
    g_assert_cmpint(latency_ps("inter-node", "1"), ==, far);
    g_assert_cmpint(latency_ps("intra-socket", "4"), ==, near);
    int64_t shared = latency_ps("inter-node", "3");
    g_assert_cmpint(shared, >, 2 * far);
    g_assert_cmpint(shared, <=, 3 * far);
}

static int64_t pairs_Bps(int64_t nic_policy, const char *pairs)
{
    const struct setting settings[] = {{"design", "openmpi-d"}, {"placement", "inter-node"},
                                       {"pairs", pairs},        {"buffers", "host"},
                                       {"bytes", "1MiB"},       {NULL, NULL}};
    struct machine_spec spec = machine();
    struct workload_result result;
    spec.node.gpus_per_socket = spec.node.nics_per_socket = 4;
    spec.node.nic_policy = nic_policy;
    g_assert_true(try_run_on(&spec, &osu_bandwidth_workload, settings, &result, fresh_error()));
    return quantity(&result, "bandwidth");
}

/* Eight pairs between two nodes of two sockets with four GPUs and four NICs: each GPU has its own NIC, and each pair is as fast as
 * it is alone. */
static void test_nic_policies(void)
{
    int64_t alone_Bps = pairs_Bps(NIC_NEAREST, "1");
    g_assert_cmpint(pairs_Bps(NIC_SPREAD, "1"), ==, alone_Bps);
    for (int64_t policy = NIC_NEAREST; policy <= NIC_SPREAD; policy++)
        g_assert_cmpint(ABS(pairs_Bps(policy, "8") - 8 * alone_Bps), <=, alone_Bps / 100);
}

/* --- iterations that repeat ------------------------------------------------------------------- */

static void assert_same(const struct workload_result *one, const struct workload_result *other)
{
    g_assert_cmpuint(one->count, ==, other->count);
    for (size_t i = 0; i < one->count; i++) {
        const struct workload_measure *a = &one->measures[i], *b = &other->measures[i];
        if (strcmp(a->name, "events") == 0 || strcmp(a->name, "iterations_simulated") == 0)
            continue;
        g_assert_cmpstr(a->name, ==, b->name);
        int64_t rounding = a->unit == UNIT_ENERGY ? 1 : 0; /* an energy is a sum of doubles */
        if (ABS(a->quantity - b->quantity) > rounding)
            g_error("%s: %lld and %lld", a->name, (long long)a->quantity, (long long)b->quantity);
        g_assert_cmpfloat(a->ratio, ==, b->ratio);
    }
}

/* `more` is a setting of its own, with the name NULL where there is none. */
static void compare_with_exact(const struct workload *workload, struct setting more,
                               const char *design, const char *placement, const char *bytes)
{
    /* Charm++'s first 64 messages of a PE meet receives of new memory: in some cases one of them an iteration. */
    enum { ITERATIONS = 101 };
    struct setting settings[] = {
        {"design", design}, {"placement", placement}, {"bytes", bytes}, {"iterations", "101"}, more,
        {NULL, NULL}};
    g_test_message("%s: %s, %s, %s", workload->name, design, placement, bytes);
    struct workload_result quick = run(workload, settings);
    struct machine_spec spec = machine();
    struct workload_result exact;
    SOFTWARE(spec)->exact = true;
    g_assert_true(try_run_on(&spec, workload, settings, &exact, fresh_error()));
    assert_same(&quick, &exact);
    g_assert_cmpint(quantity(&exact, "iterations_simulated"), ==, ITERATIONS);
    g_assert_cmpint(quantity(&quick, "iterations_simulated"), <, ITERATIONS - 10);
    g_assert_cmpint(quantity(&quick, "events"), <, quantity(&exact, "events"));
}

static void test_exact(void)
{
    static const char *const sizes[] = {"4B", "16KiB", "256KiB", "1MiB"};
    static const char *const placements[] = {"intra-socket", "cross-socket", "inter-node"};
    const struct setting none = {NULL, NULL};
    for (int i = 0; host_designs()[i]; i++) {
        for (size_t size = 0; size < G_N_ELEMENTS(sizes); size++) {
            const char *placement = placements[(size + (size_t)i) % G_N_ELEMENTS(placements)];
            if (!is_sampled(size + (size_t)i, 2))
                continue;
            compare_with_exact(&osu_latency_workload, none, host_designs()[i], placement,
                               sizes[size]);
            compare_with_exact(&osu_bandwidth_workload, none, host_designs()[i], placement,
                               sizes[size]);
        }
        compare_with_exact(&osu_bandwidth_workload, (struct setting){"both_ways", "true"},
                           host_designs()[i], "intra-socket", "4KiB");
    }
    compare_with_exact(&osu_bandwidth_workload, (struct setting){"pairs", "2"}, "openmpi-d",
                       "intra-socket", "4KiB");
}

static void test_iterations(void)
{
    struct osu_spec spec = {.bytes = 8192};
    g_assert_cmpint(osu_iterations(&spec), ==, 1000);
    spec.bytes = 8193;
    g_assert_cmpint(osu_iterations(&spec), ==, 100);
    spec.iterations = 7;
    g_assert_cmpint(osu_iterations(&spec), ==, 7);
}

/* --- places ----------------------------------------------------------------------------------- */

static void assert_places(int64_t placement, int64_t pairs, const struct job_place *expected)
{
    struct machine_spec spec = machine();
    spec.nodes = 4;
    struct osu_spec osu = {.placement = placement, .pairs = pairs};
    struct job_place places[8];
    g_assert_true(osu_place(&osu, &spec, places, fresh_error()));
    for (int64_t i = 0; i < 2 * pairs; i++) {
        g_assert_cmpint(places[i].node, ==, expected[i].node);
        g_assert_cmpint(places[i].gpu, ==, expected[i].gpu);
    }
}

static void test_places(void)
{
    assert_places(
        OSU_INTRA_SOCKET, 3,
        (struct job_place[]){
            {0, 0, NULL}, {0, 3, NULL}, {1, 0, NULL}, {0, 1, NULL}, {0, 4, NULL}, {1, 1, NULL}});
    assert_places(OSU_CROSS_SOCKET, 4,
                  (struct job_place[]){{0, 0, NULL},
                                       {0, 1, NULL},
                                       {0, 2, NULL},
                                       {1, 0, NULL},
                                       {0, 3, NULL},
                                       {0, 4, NULL},
                                       {0, 5, NULL},
                                       {1, 3, NULL}});
    assert_places(OSU_INTER_NODE, 2,
                  (struct job_place[]){{0, 0, NULL}, {0, 1, NULL}, {1, 0, NULL}, {1, 1, NULL}});
}

static void assert_refused(struct machine_spec spec, int64_t placement, int64_t pairs,
                           const char *part)
{
    struct osu_spec osu = {.placement = placement, .pairs = pairs};
    struct job_place places[64];
    g_assert_false(osu_place(&osu, &spec, places, fresh_error()));
    g_assert_nonnull(strstr(last_words(), part));
}

static void test_no_room(void)
{
    struct machine_spec spec = machine();
    assert_refused(spec, OSU_INTRA_SOCKET, 5, "room for 4");
    assert_refused(spec, OSU_CROSS_SOCKET, 7, "room for 6");
    assert_refused(spec, OSU_INTER_NODE, 7, "room for 6");
    spec.nodes = 1;
    assert_refused(spec, OSU_INTER_NODE, 1, "at least 2 nodes; it has 1");
    spec.node.sockets = 1;
    assert_refused(spec, OSU_CROSS_SOCKET, 1, "at least 2 sockets; they have 1");
    spec.node.gpus_per_socket = 1;
    assert_refused(spec, OSU_INTRA_SOCKET, 1, "at least 2 GPUs; they have 1");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/osu/nic_policies", test_nic_policies);
    test_designs_load();
    g_test_add_func("/osu/multi_latency", test_multi_latency);
    g_test_add_func("/osu/latency_closed_form", test_latency_closed_form);
    g_test_add_func("/osu/accounts_sum_up", test_accounts_sum_up);
    g_test_add_func("/osu/bandwidth", test_bandwidth);
    g_test_add_func("/osu/pairs", test_pairs);
    g_test_add_func("/osu/exact", test_exact);
    g_test_add_func("/osu/iterations", test_iterations);
    g_test_add_func("/osu/places", test_places);
    g_test_add_func("/osu/no_room", test_no_room);
    return g_test_run();
}
