/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks on cores of different kinds: what a command processor makes of the times told for a CPU core, where it copies
 * and posts from, and the books of time and energy. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../fabric/fabric_test.h"
#include "../software_test.h"
#include "../workload_once.h"
#include "workloads/bench/osu.h"
#include "workloads/workloads.h"

#define FAST_BPS INT64_C(10000000000000)

/* Copies take next to nothing, but for a CP's loads of 200 ps a line; the bus takes nothing, so that it is the same
 * where a core sits. A CP is as fast as the CPU core that times are told for. */
static struct machine_spec even_machine(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    spec.bus.wire.latency_ps = spec.bus.switch_latency_ps = spec.bus.header_bytes = 0;
    spec.bus.wire.rate_Bps = FAST_BPS;
    spec.gpu.clock_Hz = 10000000000;
    spec.gpu.l2.latency_cycles = 2;
    spec.gpu.memory_latency_ps = 0;
    spec.cp.dcache.latency_cycles = 0;
    spec.cp.core.clock_Hz = spec.host.core.clock_Hz;
    spec.cp.core.instructions_per_cycle = spec.host.core.instructions_per_cycle;
    spec.host_copy.call_ps = 0;
    spec.cuda.gdr_call_ps = 0;
    spec.cuda.gdr_read_rate_Bps = spec.cuda.gdr_write_rate_Bps = FAST_BPS;
    UCX(spec)->device_send_ps = 0;
    UCX(spec)->inline_bytes = 0;
    UCX(spec)->gpu_direct_bytes = 1 << 30; /* as a CP does */
    return spec;
}

/* A ping-pong with these parameters, NULL at the end. */
static bool try_ping_pong(const struct machine_spec *spec, const char *const (*settings)[2],
                          struct workload_result *result, GError **error)
{
    const struct workload *workload = &osu_latency_workload;
    struct osu_spec arguments;
    param_set_defaults(workload->params, &arguments);
    for (; (*settings)[0] != NULL; settings++)
        if (!param_set_text(workload->params, param_find(workload->params, (*settings)[0]),
                            &arguments, (*settings)[1], error))
            return false;
    *result = (struct workload_result){.count = 0};
    return run_or_once(workload, spec, &arguments, 1, result, error);
}

static bool try_osu(const struct machine_spec *spec, const char *design, const char *buffers,
                    int64_t bytes, struct workload_result *result, GError **error)
{
    g_autofree char *size = g_strdup_printf("%" G_GINT64_FORMAT "B", bytes);
    const char *const settings[][2] = {{"design", design},
                                       {"bytes", size},
                                       {"placement", "inter-node"},
                                       {"buffers", buffers},
                                       {NULL, NULL}};
    return try_ping_pong(spec, settings, result, error);
}

static int64_t measure(const struct workload_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++)
        if (strcmp(result->measures[i].name, name) == 0)
            return result->measures[i].quantity;
    g_error("no measure %s", name);
}

static struct workload_result osu(const struct machine_spec *spec, const char *design,
                                  int64_t bytes)
{
    struct workload_result result;
    g_autoptr(GError) error = NULL;
    if (!try_osu(spec, design, "device", bytes, &result, &error))
        g_error("%s: %s", design, error->message);
    return result;
}

static int64_t latency_ps(const struct machine_spec *spec, const char *design, int64_t bytes)
{
    struct workload_result result = osu(spec, design, bytes);
    return measure(&result, "latency");
}

/* The second rank on cores of another kind. */
static bool try_mixed(const struct machine_spec *spec, const char *design, const char *peer,
                      const char *placement, int64_t bytes, struct workload_result *result,
                      GError **error)
{
    g_autofree char *size = g_strdup_printf("%" G_GINT64_FORMAT "B", bytes);
    const char *const settings[][2] = {{"design", design},
                                       {"bytes", size},
                                       {"placement", placement},
                                       {"peer_server", peer},
                                       {NULL, NULL}};
    return try_ping_pong(spec, settings, result, error);
}

static struct workload_result mixed(const struct machine_spec *spec, const char *design,
                                    const char *peer, const char *placement, int64_t bytes)
{
    struct workload_result result;
    g_autoptr(GError) error = NULL;
    if (!try_mixed(spec, design, peer, placement, bytes, &result, &error))
        g_error("%s, peer on %s: %s", design, peer, error->message);
    return result;
}

/* The same design on CPU cores and on command processors. */
static const char *const pairs[][2] = {{"charm-channel", "cp-channel"},
                                       {"openmpi-d", "openmpi-d{server=command_processor}"},
                                       {"charm-messaging", "cp-messaging"},
                                       {"ampi-d", "ampi-d{server=command_processor}"},
                                       {"charm4py-d", "charm4py-d{server=command_processor}"}};

/* --- time ----------------------------------------------------------------------------------------- */

/* On a CP like a CPU core an eager message takes two copies line by line instead of two through a mapping, and a
 * rendezvous, which copies nothing, the same to the picosecond. */
static void test_equal_core(void)
{
    struct machine_spec spec = even_machine();
    for (size_t p = 0; p < 2; p++) {
        for (int64_t bytes = 8; bytes <= 4096; bytes *= 8) {
            int64_t lines = (bytes + 63) / 64;
            int64_t more_ps = 2 * (lines * 200 - transfer_ps(bytes, FAST_BPS));
            g_assert_cmpint(latency_ps(&spec, pairs[p][1], bytes) -
                                latency_ps(&spec, pairs[p][0], bytes),
                            ==, more_ps);
        }
        g_assert_cmpint(latency_ps(&spec, pairs[p][1], 1 << 16), ==,
                        latency_ps(&spec, pairs[p][0], 1 << 16));
    }
}

/* A rank on a CP and one on such a CPU core: each message is copied once through a mapping and once line by line. A
 * ping-pong is the same from either end. */
static void test_mixed_cores(void)
{
    struct machine_spec spec = even_machine();
    for (size_t p = 0; p < 2; p++)
        for (int64_t bytes = 8; bytes <= 1 << 16; bytes *= 8) {
            int64_t hosts_ps = latency_ps(&spec, pairs[p][0], bytes),
                    cps_ps = latency_ps(&spec, pairs[p][1], bytes);
            struct workload_result result =
                mixed(&spec, pairs[p][0], "command_processor", "inter-node", bytes);
            g_assert_cmpint(ABS(2 * measure(&result, "latency") - hosts_ps - cps_ps), <=, 2);
            result = mixed(&spec, pairs[p][1], "host_thread", "inter-node", bytes);
            g_assert_cmpint(ABS(2 * measure(&result, "latency") - hosts_ps - cps_ps), <=, 2);
        }
}

/* Within a node, and under every runtime: messages come, and a core of another kind at the other end is another time. */
static void test_mixed_in_a_node(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    spec.node.gpus_per_socket = 2;
    for (size_t p = 0; p < G_N_ELEMENTS(pairs); p++)
        for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 1 << 6) {
            struct workload_result one = mixed(&spec, pairs[p][0], "command_processor",
                                               "intra-socket", bytes),
                                   other = mixed(&spec, pairs[p][1], "host_thread", "intra-socket",
                                                 bytes),
                                   hosts =
                                       mixed(&spec, pairs[p][0], "design", "intra-socket", bytes);
            g_assert_cmpint(measure(&one, "latency"), !=, measure(&hosts, "latency"));
            g_assert_cmpint(ABS(measure(&one, "latency") - measure(&other, "latency")), <=,
                            measure(&one, "latency") / 50);
        }
}

/* What each end's core draws is its own kind's: with CPU cores that draw nothing a CP's is left, and of the same ping-pong
 * the sum of both is that of all. */
static void test_mixed_energy(void)
{
    struct machine_spec spec = even_machine(), no_host, no_cp;
    spec.host.core.polling_power_mW = spec.host.core.stalled_power_mW =
        spec.host.core.active_power_mW = 7000;
    spec.cp.core.polling_power_mW = spec.cp.core.stalled_power_mW = spec.cp.core.active_power_mW =
        300;
    no_host = no_cp = spec;
    no_host.host.core.polling_power_mW = no_host.host.core.stalled_power_mW =
        no_host.host.core.active_power_mW = 0;
    no_cp.cp.core.polling_power_mW = no_cp.cp.core.stalled_power_mW =
        no_cp.cp.core.active_power_mW = 0;
    struct workload_result all =
                               mixed(&spec, "charm-channel", "command_processor", "inter-node", 8),
                           cp = mixed(&no_host, "charm-channel", "command_processor", "inter-node",
                                      8),
                           host =
                               mixed(&no_cp, "charm-channel", "command_processor", "inter-node", 8);
    g_assert_cmpint(measure(&cp, "rank_energy"), >, 0);
    g_assert_cmpint(measure(&host, "rank_energy"), >, measure(&cp, "rank_energy"));
    g_assert_cmpint(ABS(measure(&all, "rank_energy") - measure(&cp, "rank_energy") -
                        measure(&host, "rank_energy")),
                    <=, 3);
}

/* A faster CP helps, whatever runs there; and what its cores work for a small message is so many instructions,
 * whatever their clock: polls in vain are few. */
static void test_clocks(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    for (size_t p = 0; p < G_N_ELEMENTS(pairs); p++)
        for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 1 << 6) {
            int64_t before_ps = INT64_MAX;
            double work_before = 0;
            for (int64_t clock_Hz = 500000000; clock_Hz <= INT64_C(4000000000); clock_Hz *= 2) {
                spec.cp.core.clock_Hz = clock_Hz;
                struct workload_result result = osu(&spec, pairs[p][1], bytes);
                double work = (double)measure(&result, "energy_active") * (double)clock_Hz;
                g_assert_cmpint(measure(&result, "latency"), <, before_ps);
                before_ps = measure(&result, "latency");
                if (work_before > 0 && bytes == 8)
                    g_assert_cmpfloat_with_epsilon(work / work_before, 1, 0.03);
                work_before = work;
            }
        }
}

/* Times are told for one core: another CPU clock changes ranks on CPU cores as `host.software_rate` does, and leaves
 * those on command processors alone. */
static void test_told_rate(void)
{
    struct machine_spec spec, other;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    other = spec;
    other.host.core.clock_Hz *= 2;
    g_assert_cmpint(latency_ps(&other, "openmpi-d", 8), <, latency_ps(&spec, "openmpi-d", 8));
    g_assert_cmpint(latency_ps(&other, pairs[0][1], 8), ==, latency_ps(&spec, pairs[0][1], 8));
    other.host.software_rate_Hz *= 2;
    g_assert_cmpint(latency_ps(&other, "openmpi-d", 8), ==, latency_ps(&spec, "openmpi-d", 8));
    g_assert_cmpint(latency_ps(&other, pairs[0][1], 8), >, latency_ps(&spec, pairs[0][1], 8));
}

/* Another platform takes another process. */
static struct far_run {
    struct machine_spec spec;
    const char *design;
    int64_t latency_ps;
} * far_run; /* shared with it */

static void run_far(void)
{
    far_run->latency_ps = latency_ps(&far_run->spec, far_run->design, 8);
}

static int64_t latency_with_ps(sim_time nvlink_latency_ps, const char *design)
{
    far_run->spec = even_machine();
    far_run->spec.node.gpu_link = GPU_LINK_NVLINK;
    far_run->spec.nvlink.wire.latency_ps = nvlink_latency_ps;
    far_run->design = design;
    run_in_child((gconstpointer)(uintptr_t)run_far);
    return far_run->latency_ps;
}

/* A CP posts from the GPU: a longer way to the NIC is in each of its messages. From CPU cores only what reads the GPU's
 * memory takes it. */
static void test_way_to_the_nic(void)
{
    far_run = shared_memory(sizeof *far_run);
    g_assert_cmpint(latency_with_ps(300000, "openmpi-d"), ==, latency_with_ps(0, "openmpi-d"));
    /* the doorbell, the payload's reading there and back, and the way into the other's memory */
    g_assert_cmpint(latency_with_ps(300000, pairs[1][1]) - latency_with_ps(0, pairs[1][1]), ==,
                    4 * 300000);
}

/* --- energy --------------------------------------------------------------------------------------- */

static void set_power(struct machine_spec *spec, int64_t power_mW)
{
    spec->host.core.active_power_mW = spec->host.core.polling_power_mW =
        spec->host.core.stalled_power_mW = power_mW;
    spec->cp.core.active_power_mW = spec->cp.core.polling_power_mW =
        spec->cp.core.stalled_power_mW = power_mW;
}

/* Every moment of both cores is in one state: at 1 W in each they draw, for a message, twice its latency times 1 W. At
 * other powers energies are those of the states, and no less than two idle cores take. */
static void check_books(const char *design, int64_t idle_power_mW, int64_t bytes)
{
    struct machine_spec spec, even;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    even = spec;
    set_power(&even, 1000);
    struct workload_result result = osu(&spec, design, bytes),
                           result_even = osu(&even, design, bytes);
    int64_t took_ps = measure(&result, "latency"), energy_fJ = measure(&result, "rank_energy");
    g_assert_cmpint(measure(&result_even, "latency"), ==, took_ps);
    g_assert_cmpfloat_with_epsilon((double)measure(&result_even, "rank_energy"),
                                   2e3 * (double)took_ps, 4000);
    g_assert_cmpint(energy_fJ, ==,
                    measure(&result, "energy_active") + measure(&result, "energy_polling") +
                        measure(&result, "energy_stalled"));
    g_assert_cmpint(energy_fJ, >, 2 * took_ps * idle_power_mW);
}

static void test_books(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    for (size_t p = 0; p < G_N_ELEMENTS(pairs); p++)
        for (int64_t bytes = 8; bytes <= 1 << 18; bytes *= 1 << 5) {
            check_books(pairs[p][0], spec.host.core.idle_power_mW, bytes);
            check_books(pairs[p][1], spec.cp.core.idle_power_mW, bytes);
        }
}

/* --- refusals ------------------------------------------------------------------------------------- */

static void test_refusals(void)
{
    struct machine_spec spec;
    struct workload_result result;
    g_autoptr(GError) error = NULL;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    g_assert_false(try_osu(&spec, "cp-channel", "host", 8, &result, &error));
    g_assert_cmpstr(
        error->message, ==,
        "buffers = host is for ranks on CPU cores; those on a command_processor have the "
        "GPU's memory");
    g_clear_error(&error);
    g_assert_true(try_osu(&spec, "openmpi-d{server=host_thread}", "host", 8, &result, &error));
    _Alignas(max_align_t) char arguments[1024];
    const struct param_table *table = neighbour_exchange_workload.params;
    g_assert_cmpuint(table->spec_size, <=, sizeof arguments);
    param_set_defaults(table, arguments);
    const char *const settings[][2] = {
        {"design", "cp-channel"}, {"work_groups", "3"}, {"bytes", "8B"}};
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
        g_assert_true(param_set_text(table, param_find(table, settings[i][0]), arguments,
                                     settings[i][1], &error));
    g_assert_false(neighbour_exchange_workload.run(&spec, arguments, 1, &result, &error));
    g_assert_cmpstr(
        error->message, ==,
        "design cp-channel runs a rank on a core for each; 3 a GPU are more than the 2 cores of "
        "its command processor");
}

/* A peer's server is refused as the design's own would be, and where parties are no ranks. */
static void test_mixed_refusals(void)
{
    static const char *const cases[][3] = {
        {"charm-channel", "gpu_warp", "threads of a kernel cannot run a rank"},
        {"charm-h", "command_processor", "payload = staged takes data through the host's memory"},
        {"comp-net", "host_thread", "the parties of design comp-net are work-groups"}};
    struct machine_spec spec = even_machine();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct workload_result result;
        g_autoptr(GError) error = NULL;
        g_assert_false(
            try_mixed(&spec, cases[i][0], cases[i][1], "inter-node", 8, &result, &error));
        g_assert_nonnull(strstr(error->message, cases[i][2]));
    }
}

/* The process knows one platform at a time: each test has its own process. */
int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    add_test("/rank_cores/equal_core", test_equal_core);
    add_test("/rank_cores/mixed_cores", test_mixed_cores);
    add_test("/rank_cores/mixed_in_a_node", test_mixed_in_a_node);
    add_test("/rank_cores/mixed_energy", test_mixed_energy);
    add_test("/rank_cores/mixed_refusals", test_mixed_refusals);
    add_test("/rank_cores/clocks", test_clocks);
    add_test("/rank_cores/told_rate", test_told_rate);
    add_test("/rank_cores/way_to_the_nic", test_way_to_the_nic);
    add_test("/rank_cores/books", test_books);
    add_test("/rank_cores/refusals", test_refusals);
    return g_test_run();
}
