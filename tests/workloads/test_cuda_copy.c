/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies as BenchPress measures them: the time of each part from the parameters. */
#include <glib.h>
#include <string.h>

#include "../last_error.h"
#include "../software_test.h"
#include "calls.h"
#include "models/node.h"
#include "workloads/workloads.h"

static struct machine_spec machine(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    spec.node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 3, .nics_per_socket = 1, .gpu_link = GPU_LINK_NVLINK};
    spec.cuda.cross_socket.setup_ps = 1234567;
    spec.cuda.cross_socket.rate_Bps = INT64_C(20000000000);
    spec.cuda.peer_setup_ps = 765432;
    spec.cuda.peer_chunk_bytes = 4000;
    return spec;
}

static void set(void *spec, const char *name, const char *value)
{
    const struct param_table *table = cuda_copy_workload.params;
    g_assert_true(param_set_text(table, param_find(table, name), spec, value, fresh_error()));
}

static bool try_copy(const struct machine_spec *spec, const char *direction, const char *distance,
                     const char *bytes, sim_time *time_ps, GError **error)
{
    g_autofree void *arguments = g_malloc0(cuda_copy_workload.params->spec_size);
    struct workload_result result = {0};
    param_set_defaults(cuda_copy_workload.params, arguments);
    set(arguments, "direction", direction);
    set(arguments, "distance", distance);
    set(arguments, "bytes", bytes);
    if (!cuda_copy_workload.run(spec, arguments, 1, &result, error))
        return false;
    g_assert_cmpstr(result.measures[0].name, ==, "time");
    *time_ps = result.measures[0].quantity;
    return true;
}

/* What is between: the link of a GPU to its socket, for another socket's memory the socket link
 * too; GPUs of two sockets have a link at either end. */
static sim_time expected_ps(const struct machine_spec *spec, bool is_peer, bool is_cross_socket,
                            int64_t bytes)
{
    struct platform *platform = machine_platform(spec, NULL);
    int cpu = topology_cpu_port(&spec->node, is_cross_socket),
        gpu = topology_gpu_port(&spec->node, 0);
    int peer = topology_gpu_port(&spec->node, is_cross_socket ? 3 : 1);
    const struct platform_route *route = platform_route(platform, gpu, is_peer ? peer : cpu);
    const struct cuda_spec *cuda = &spec->cuda;
    int64_t rate_Bps = is_cross_socket ? MIN(route->bandwidth_Bps, cuda->cross_socket.rate_Bps)
                                       : route->bandwidth_Bps;
    int64_t chunk_bytes = is_peer ? cuda->peer_chunk_bytes : cuda->copy_chunk_bytes;
    return cuda->copy_call_ps + cuda->copy_setup_ps + is_peer * cuda->peer_setup_ps +
           is_cross_socket * cuda->cross_socket.setup_ps + route->latency_ps +
           transfer_ps(bytes, rate_Bps) + transfer_ps(MIN(bytes, chunk_bytes), rate_Bps) +
           cuda->synchronize_ps;
}

static void test_closed_form(void)
{
    static const char *const directions[] = {"host-to-device", "device-to-host",
                                             "device-to-device"};
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {{"0B", 0}, {"1KiB", 1024}, {"1MiB", 1048576}};
    struct machine_spec spec = machine();
    for (size_t direction = 0; direction < G_N_ELEMENTS(directions); direction++) {
        for (size_t i = 0; i < 2 * G_N_ELEMENTS(sizes); i++) {
            bool is_cross_socket = i % 2;
            sim_time time_ps;
            g_assert_true(try_copy(&spec, directions[direction],
                                   is_cross_socket ? "cross-socket" : "same-socket",
                                   sizes[i / 2].text, &time_ps, fresh_error()));
            g_assert_cmpint(
                time_ps, ==,
                expected_ps(&spec, direction == 2, is_cross_socket, sizes[i / 2].bytes));
        }
    }
}

/* Small copies of processes that share a GPU follow each other on its engine, each with what sharing adds. */
static void test_shared(void)
{
    struct machine_spec spec = machine();
    spec.cuda.shared.setup_ps = 20 * PS_PER_US;
    spec.cuda.shared.rate_Bps = INT64_C(10000000000);
    struct platform *platform = machine_platform(&spec, NULL);
    const struct platform_route *route = platform_route(platform, topology_gpu_port(&spec.node, 0),
                                                        topology_cpu_port(&spec.node, 0));
    int64_t bytes = 4096;
    sim_time engine_ps = spec.cuda.copy_setup_ps + spec.cuda.shared.setup_ps + route->latency_ps +
                         2 * transfer_ps(bytes, spec.cuda.shared.rate_Bps);
    g_autofree void *arguments = g_malloc0(cuda_copy_workload.params->spec_size);
    struct workload_result result = {0};
    g_autoptr(GError) error = NULL;
    param_set_defaults(cuda_copy_workload.params, arguments);
    set(arguments, "bytes", "4096B");
    set(arguments, "processes", "6");
    set(arguments, "repeats", "1000");
    g_assert_true(cuda_copy_workload.run(&spec, arguments, 1, &result, &error));
    /* the last ones have the engine for less than all */
    g_assert_cmpint(result.measures[0].quantity, >, 6 * engine_ps * 99 / 100);
    g_assert_cmpint(result.measures[0].quantity, <=, 6 * engine_ps);
}

static void test_refused(void)
{
    struct machine_spec spec = machine();
    sim_time time_ps;
    spec.node.gpus_per_socket = 1;
    g_assert_false(
        try_copy(&spec, "device-to-device", "same-socket", "8B", &time_ps, fresh_error()));
    g_assert_nonnull(strstr(last_words(), "at least 2 GPUs"));
    spec.node.sockets = 1;
    g_assert_false(
        try_copy(&spec, "host-to-device", "cross-socket", "8B", &time_ps, fresh_error()));
    g_assert_nonnull(strstr(last_words(), "at least 2 sockets"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cuda_copy/closed_form", test_closed_form);
    g_test_add_func("/cuda_copy/shared", test_shared);
    g_test_add_func("/cuda_copy/refused", test_refused);
    return g_test_run();
}
