/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run says it can read of a machine, it reads: each parameter that some of the settings below claims to read is
 * changed there, and in one of them at least a result moves or the run is refused. And what a setting does not claim
 * to read moves nothing there. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../designs.h"
#include "../sanitized.h"
#include "../software_test.h"
#include "calls.h"
#include "param_run.h"
#include "workloads/reach.h"
#include "workloads/workloads.h"

/* A workload with its arguments, and what of the machine differs from the defaults. */
static const struct setting {
    const struct workload *workload;
    const char *arguments, *machine; /* "name=value ..." */
} settings[] = {
    {&get_latency_workload, "design=dgpu bytes=64KiB repeats=2", ""},
    {&get_latency_workload, "design=comp-net bytes=64KiB repeats=2",
     "network.topology=fat-tree network.radix=1"},
    {&get_latency_workload, "design=apu bytes=4KiB repeats=2", ""},
    {&queue_service_workload,
     "design=dgpu{service_threads=2} work_groups=70 operations=3 bytes=64B", "gpu.l2_size=64KiB"},
    {&queue_service_workload,
     "design=dgpu{queue.polling=runtime_call,quiet_by=entries} work_groups=4 operations=6 posts=3 "
     "operation=put bytes=4B",
     ""},
    {&queue_service_workload,
     "design=dgpu-host-queue{service_threads=2} work_groups=32 operations=8 posts=8 bytes=64B",
     "host.l1_size=4KiB host.l1_ways=1 host.l2_size=4KiB host.l2_ways=1 host.l3_size=8KiB host.l3_ways=1"},
    {&queue_service_workload,
     "design=comp-net{nic_queue.sharers=1,service_threads=2} work_groups=64 operations=4 posts=4 bytes=64B",
     "cp.private_data=32KiB cp.private_data_a_queue=64B"},
    {&l2_hit_rate_workload, "design=comp-net networking=2 streaming=20 duration=20us warmup=2us",
     "gpu.l2_size=64KiB gpu.compute_units=1"},
    {&queue_service_workload,
     "design=comp-net{poll_loop=unrolled,service_threads=2} work_groups=70 operations=3 bytes=64B",
     ""},
    {&queue_service_workload,
     "design=dgpu-host-queue{poll_loop=unrolled,service_threads=2} work_groups=70 operations=3 bytes=64B",
     ""},
    {&queue_service_workload,
     "design=smart-nic{poll_loop=unrolled,service_threads=2} work_groups=20 operations=3 bytes=64B",
     ""},
    {&queue_service_workload, "design=dgpu{service_threads=2} work_groups=1 operations=4", ""},
    {&queue_service_workload, "design=comp-net{service_threads=2} work_groups=1 operations=4", ""},
    {&queue_service_workload, "design=dgpu work_groups=8 operations=2",
     "gpu.compute_units=1 gpu.work_groups_per_cu=1"},
    {&queue_service_workload,
     "design=gpu-thread{service_threads=2} work_groups=8 operations=3 bytes=64B", ""},
    {&queue_service_workload,
     "design=gpu-warp{service_threads=2} work_groups=24 operations=3 bytes=64B", ""},
    {&queue_service_workload,
     "design=smart-nic{service_threads=2} work_groups=20 operations=3 bytes=64B", ""},
    {&queue_service_workload, "design=smart-nic{service_threads=8} work_groups=1 operations=3", ""},
    {&queue_service_workload,
     "design=gravel work_groups=8 operations=4 posts=4 operation=put bytes=4B", ""},
    {&queue_service_workload, "design=gpu-verbs work_groups=8 operations=4 bytes=64B", ""},
    {&queue_service_workload,
     "design=gpu-verbs{nic_queue.sharers=0} work_groups=8 operations=4 operation=put bytes=4B", ""},
    {&neighbour_exchange_workload, "design=comp-net iterations=2", ""},
    {&neighbour_exchange_workload, "design=openmpi-d iterations=2", "@ac922"},
    {&get_latency_workload, "design=charm-channel bytes=4KiB repeats=2", "@ac922"},
    {&osu_latency_workload, "design=cp-channel placement=inter-node bytes=256B", "@ac922"},
    {&get_latency_workload, "design=comp-net bytes=64KiB repeats=4", "nodes=2"},
    {&osu_latency_workload, "design=cp-channel placement=inter-node bytes=64KiB iterations=4",
     "nodes=2"},
    {&osu_latency_workload, "design=cp-channel placement=inter-node bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=cp-messaging placement=cross-socket bytes=1KiB", "@ac922"},
    {&osu_latency_workload,
     "design=openmpi-d{server=command_processor} placement=intra-socket bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=comp-net placement=inter-node bytes=1KiB", "nodes=2"},
    {&osu_latency_workload, "design=gpu-verbs placement=inter-node bytes=64KiB", "nodes=2"},
    {&queue_service_workload, "design=triggered work_groups=8 operations=80 bytes=64B", ""},
    {&osu_latency_workload, "design=triggered placement=inter-node bytes=64KiB", "nodes=2"},
    {&osu_latency_workload, "design=openmpi-d placement=intra-socket bytes=1MiB",
     "nodes=2 node.gpus_per_socket=2 node.peer_link=socket"},
    {&osu_latency_workload, "design=openmpi-d placement=intra-socket bytes=1MiB",
     "nodes=2 node.gpus_per_socket=2 node.gpus_per_switch=2"},
    {&osu_bandwidth_workload, "design=openmpi-d pairs=2 placement=inter-node bytes=1MiB window=8",
     "@ac922 node.nics_per_socket=2"},
    {&osu_latency_workload, "design=openmpi-d placement=inter-node bytes=1MiB", "@ac922"},
    {&osu_latency_workload, "design=openmpi-d placement=cross-socket bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=openmpi-d placement=cross-socket bytes=4KiB", "@ac922"},
    {&osu_latency_workload, "design=openmpi-d placement=intra-socket bytes=64B", "@ac922"},
    {&osu_latency_workload, "design=openmpi-h placement=inter-node bytes=64B", "@ac922"},
    {&osu_latency_workload, "design=openmpi-h placement=inter-node bytes=1MiB", "@ac922"},
    {&osu_latency_workload, "design=openmpi-h placement=intra-socket bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=openmpi-h placement=cross-socket bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=openmpi-h placement=cross-socket bytes=1KiB", "@ac922"},
    {&osu_latency_workload, "design=openmpi-d placement=intra-socket bytes=64KiB",
     "nodes=2 node.gpus_per_socket=2"},
    {&osu_latency_workload, "design=spectrum-d placement=inter-node bytes=1MiB", "@ac922"},
    {&osu_latency_workload, "design=spectrum-h placement=inter-node bytes=1KiB", "@ac922"},
    {&osu_latency_workload, "design=spectrum-d placement=intra-socket bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=spectrum-h placement=cross-socket bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=spectrum-h placement=intra-socket bytes=1KiB", "@ac922"},
    {&osu_latency_workload, "design=spectrum-d placement=cross-socket bytes=1KiB", "@ac922"},
    {&osu_latency_workload, "design=spectrum-d placement=inter-node bytes=4KiB", "@ac922"},
    {&osu_latency_workload, "design=openmpi-d placement=inter-node bytes=1MiB",
     "@ac922 node.nics_per_socket=2 ucx.rails=4"},
    {&osu_bandwidth_workload, "design=charm-h placement=inter-node bytes=1KiB window=64", "@ac922"},
    {&osu_bandwidth_workload, "design=charm-h placement=inter-node bytes=1MiB window=64", "@ac922"},
    {&osu_latency_workload, "design=ampi-h placement=inter-node bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=charm-h placement=inter-node bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=charm-h placement=inter-node bytes=1KiB", "@ac922"},
    {&osu_latency_workload, "design=charm-messaging placement=inter-node bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=charm-channel placement=inter-node bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=ampi-h placement=inter-node bytes=1MiB", "@ac922"},
    {&osu_latency_workload, "design=ampi-h placement=inter-node bytes=64B", "@ac922"},
    {&osu_bandwidth_workload, "design=ampi-h placement=inter-node bytes=64B", "@ac922"},
    {&osu_latency_workload, "design=ampi-d placement=inter-node bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=charm4py-h placement=inter-node bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=charm4py-d placement=inter-node bytes=64KiB", "@ac922"},
    {&osu_bandwidth_workload, "design=openmpi-d placement=inter-node bytes=1MiB window=32",
     "@ac922 ucx.fragments_on_wire=2 ucx.fragment=64KiB"},
    {&osu_bandwidth_workload, "design=spectrum-d placement=inter-node bytes=1MiB window=32",
     "@ac922 pami.fragments_on_wire=2 pami.fragment=64KiB"},
    {&osu_latency_workload, "design=openmpi-d placement=inter-node bytes=1MiB",
     "@ac922 ucx.gpu_direct=1GiB"},
    {&osu_latency_workload, "design=spectrum-d placement=inter-node bytes=1MiB",
     "@ac922 pami.gpu_direct=1GiB"},
    {&osu_latency_workload, "design=mvapich-d placement=inter-node bytes=1MiB", "@ac922"},
    {&osu_latency_workload, "design=mvapich-h placement=inter-node bytes=1KiB", "@ac922"},
    {&osu_latency_workload, "design=mvapich-d placement=intra-socket bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=mvapich-h placement=cross-socket bytes=64KiB", "@ac922"},
    {&osu_latency_workload, "design=mvapich-h placement=intra-socket bytes=1KiB", "@ac922"},
    {&osu_latency_workload, "design=mvapich-d placement=cross-socket bytes=1KiB", "@ac922"},
    {&osu_latency_workload, "design=mvapich-d placement=inter-node bytes=4KiB", "@ac922"},
    {&osu_bandwidth_workload, "design=mvapich-d placement=inter-node bytes=1MiB window=32",
     "@ac922 mrail.fragments_on_wire=2 mrail.fragment=64KiB"},
    {&osu_latency_workload, "design=mvapich-d placement=inter-node bytes=1MiB",
     "@ac922 mrail.gpu_direct=1GiB"},
    {&osu_bandwidth_workload,
     "design=openmpi-d placement=inter-node bytes=1MiB window=4 iterations=4 pairs=2",
     "@ac922 node.nics_per_socket=1 transport.kind=segment"},
    {&jacobi2d_workload, "design=comp-net nodes=2 edge=512 iterations=2", ""},
    {&jacobi2d_workload, "design=comp-net nodes=2 edge=1024 threads=64 work_groups=24 iterations=2",
     ""},
    {&jacobi2d_workload, "design=apu nodes=2 edge=512 iterations=2", ""},
    {&jacobi2d_workload, "design=inter-kernel nodes=2 edge=512 iterations=2",
     "gpu.simds_per_cu=1 gpu.instruction_cycles=64"},
    {&jacobi2d_workload, "design=cpu nodes=2 edge=1024 iterations=2",
     "host.l2_size=64KiB host.loads_in_flight=4"},
    {&jacobi2d_workload, "design=cpu nodes=2 edge=256 iterations=2", "host.bytes_per_cycle=4"},
    {&jacobi2d_workload, "design=cpu nodes=2 edge=256 iterations=2", "host.flops_per_cycle=1"},
    {&jacobi3d_workload, "design=charm-h grid=64 odf=2 iterations=4", "nodes=1 @ac922"},
    {&jacobi3d_workload, "design=charm-channel grid=64 odf=2 iterations=4 graph=true",
     "nodes=1 @ac922"},
    {&jacobi3d_workload, "design=charm4py-d grid=64 iterations=4", "nodes=1 @ac922"},
    {&allreduce_workload, "design=comp-net nodes=2 bytes=64KiB rings=2 warmup=0", ""},
    {&allreduce_workload, "design=inter-kernel nodes=2 bytes=64KiB warmup=0", ""},
    {&allreduce_workload, "design=cpu nodes=2 bytes=64KiB warmup=0", ""},
    {&allreduce_workload,
     "design=rocshmem-ipc nodes=1 gpus_per_node=2 bytes=64KiB rings=2 warmup=0",
     "nodes=1 node.gpus_per_socket=2 node.peer_link=node gpu.copy_rate=10GB/s"},
    {&allreduce_workload, "design=dgpu nodes=2 bytes=64KiB algorithm=ring", ""},
    {&moe_workload, "design=gpu-verbs nodes=2 tokens=4 packing=token repeats=1", ""},
    {&moe_workload, "design=dgpu-host-queue nodes=2 tokens=4 posting=last repeats=1", ""},
    {&moe_workload,
     "design=dgpu-host-queue{word_set_by=server} nodes=2 tokens=4 telling_groups=2 repeats=1", ""},
    {&perftest_workload, "operation=send_lat bytes=4KiB", "@ac922"},
    {&perftest_workload, "operation=read_bw memory=gpu bytes=64KiB iterations=20", "@ac922"},
    {&cuda_copies_workload, "bytes=1MiB to_host=2 to_device=2", "nodes=2 node.gpus_per_socket=2"},
    {&cuda_copies_workload, "bytes=1MiB", "cuda.both_ways_rate=10GB/s"},
    {&kernel_launch_workload, "sleeps=true spin=5us",
     "@ac922 cuda.deep_sleep_after=6us cuda.deep_wake=1us cuda.slept_call=1us"},
    {&kernel_launch_workload, "measured=period streams=2", "cuda.event_edge=1us"},
    {&kernel_copy_workload, "work_groups=20 bytes=4MiB from=peer",
     "nodes=1 node.gpus_per_socket=2 node.peer_link=node gpu.copy_rate=10GB/s "
     "nvlink.access_efficiency=0.5 cuda.timed_kernel=1us"},
    {&queue_service_workload,
     "design=gpu-thread work_groups=4 operations=40 streaming=8 streaming_lines=64",
     "gpu.far_partition=1us"},
    {&gpu_power_workload, "spinning=3 memory_rate=1TB/s link_rate=10GB/s", ""},
    {&cuda_copy_workload, "direction=host-to-device memory=pageable bytes=1MiB", "@ac922"},
    {&cuda_copy_workload, "direction=device-to-host bytes=1KiB window=4 resident=true", "@ac922"},
    {&cuda_copy_workload, "direction=host-to-device bytes=1KiB window=4",
     "@ac922 cuda.inline_copy=4KiB cuda.inline_setup=3us cuda.inline_ahead=100ns"},
    {&cuda_copy_workload, "direction=device-to-host memory=pageable bytes=1MiB", "@ac922"},
    {&kernel_copy_workload, "work_groups=20 bytes=4MiB",
     "nodes=1 gpu.l2_size=1MiB gpu.memory_rate=100GB/s"},
    {&kernel_launch_workload, "kernels=3 branches=true", ""},
    {&kernel_launch_workload, "measured=back_to_back kernels=12 branches=true",
     "cuda.graph_turn=5us"},
    {&flag_round_trip_workload, "partner=stream delay=2us", ""},
    {&flag_round_trip_workload, "partner=stream place=host delay=2us", ""},
    {&cuda_copy_workload, "direction=host-to-device memory=pageable bytes=1KiB window=4",
     "@ac922 cuda.inline_copy=4KiB cuda.inline_setup=10us"},
    {&cuda_copy_workload, "direction=host-to-device bytes=1MiB processes=2",
     "@ac922 cuda.to_device_rate=1GB/s"},
    {&cuda_copy_workload, "direction=device-to-host bytes=1MiB", "@ac922 cuda.to_host_rate=1GB/s"},
    {&kernel_launch_workload, "measured=period spin=1us", ""},
    {&kernel_launch_workload, "kernels=3", ""},
    {&kernel_launch_workload, "measured=back_to_back processes=2", "cuda.call_serial=4us"},
    {&gpu_operation_workload, "operation=store_fence memory=host work_groups=8",
     "gpu.compute_units=1 gpu.fence_gather=50ns"},
    {&gpu_operation_workload, "operation=store_fence memory=host work_groups=8",
     "gpu.compute_units=2 gpu.fence_gather=100ns gpu.port_spread=60ns"},
    {&gpu_operation_workload, "operation=store_release scope=device", ""},
    {&gpu_operation_workload, "operation=atomic work_groups=8 same_line=true", ""},
    {&gpu_operation_workload, "operation=atomic memory=host work_groups=8 same_line=true",
     "host.atomic_gap=1us"},
    {&gpu_operation_workload, "operation=atomic memory=peer work_groups=8 same_line=true",
     "node.gpus_per_socket=2 gpu.peer_atomic_gap=1us"},
    {&flag_round_trip_workload, "pairs=2", ""},
    {&queue_service_workload,
     "design=dgpu-host-queue{poll_loop=ahead} work_groups=40 operations=10 operation=nop post=packed",
     "host.bounced_line=100ns host.handed_line=50ns host.loads_in_flight=8 host.l3_latency_cycles=1000 host.reorder_instructions=100"},
    {&queue_service_workload,
     "design=dgpu-host-queue{service_threads=2} work_groups=40 operations=10 operation=nop post=fenced",
     "host.bounced_line=100ns host.handed_line=50ns"},
    {&flag_round_trip_workload, "partner=peer", "node.gpus_per_socket=2"},
    {&cuda_copy_workload, "direction=device-to-device distance=cross-socket bytes=64MiB", "@ac922"},
    {&cuda_copy_workload, "direction=host-to-device distance=cross-socket bytes=64MiB", "@ac922"},
    {&cuda_copy_workload, "direction=host-to-device distance=cross-socket bytes=64MiB",
     "@ac922 cuda.cross_socket_rate=20GB/s"},
    {&cuda_copy_workload, "direction=device-to-host bytes=1MiB processes=3",
     "@ac922 cuda.shared_setup=3us cuda.shared_rate=20GB/s"},
    {&osu_latency_workload, "design=openmpi-d placement=inter-node bytes=4KiB pairs=3", "@ac922"},
    {&osu_latency_workload, "design=spectrum-d placement=inter-node bytes=4KiB pairs=2", "@ac922"},
};

/* Read, and yet without effect on results in any of these settings: why. */
static const struct {
    const char *path, *reason;
} silent[] = {
    {"software.exact", "the same results, later: that is what it promises"},
    {"gpu.l1_size", "no work-group here loads a line of its L1 twice"},
    {"gpu.l1_ways", "likewise"},
    {"network.uplinks", "two nodes load one uplink, however many there are"},
    {"network.routing", "likewise; tests/fabric/test_fat_tree.c has what it moves"},
    {"cuda.map", "once, before the measured part"},
    {"cuda.graph_instantiate", "likewise"},
    {"pami.registration_growth", "likewise"},
    {"mrail.registration_growth", "likewise"},
};

static bool is_silent(const char *path)
{
    for (size_t i = 0; i < G_N_ELEMENTS(silent); i++)
        if (g_str_equal(silent[i].path, path))
            return true;
    return false;
}

/* --- running ------------------------------------------------------------------------------------ */

static void set_of_machine(struct machine_spec *spec, const char *path, const char *text)
{
    g_auto(GStrv) names = g_strsplit(path, ".", 2);
    if (names[1] == NULL) {
        param_run_set(&machine_params, spec, names[0], text);
        return;
    }
    for (size_t i = 0; i < machine_component_count(spec); i++) {
        struct machine_component component = machine_component(spec, i);
        if (g_str_equal(component.table->component, names[0]))
            param_run_set(component.table, (char *)spec + component.offset, names[1], text);
    }
}

static void make_machine(const struct setting *setting, struct machine_spec *spec)
{
    g_auto(GStrv) words = g_strsplit(setting->machine, " ", -1);
    machine_spec_init(spec, software_tables());
    for (char **word = words; *word; word++) {
        char *equals = strchr(*word, '=');
        if (g_str_equal(*word, "@ac922"))
            spec->node = (struct node_shape){.sockets = 2,
                                             .gpus_per_socket = 3,
                                             .nics_per_socket = 1,
                                             .gpu_link = GPU_LINK_NVLINK};
        if (equals == NULL)
            continue;
        g_autofree char *path = g_strndup(*word, (gsize)(equals - *word));
        set_of_machine(spec, path, equals + 1);
    }
}

static char *run(const struct setting *setting, const struct machine_spec *machine,
                 struct param_use *uses)
{
    return param_run(setting->workload, setting->arguments, machine, uses);
}

/* --- changing ----------------------------------------------------------------------------------- */

/* Other values for a parameter: what lies on both sides of it; NULL-ended. */
static char **other_values(const struct param *param, const void *spec)
{
    GPtrArray *texts = g_ptr_array_new();
    const char *field = (const char *)spec + param->offset;
    int64_t now;
    memcpy(&now, field, sizeof now);
    char text[UNIT_TEXT_SIZE];
    if (param->kind == PARAM_RATIO) {
        g_ptr_array_add(texts, param_run_scaled(param, field, 0.5));
        g_ptr_array_add(texts, param_run_scaled(param, field, 2));
    } else if (!param_run_add_words(param, field, texts)) {
        const int64_t others[] = {now / 2, now / 16, now > INT64_MAX / 16 ? now : now * 4, now + 1,
                                  now == 0 ? 1 << 20 : now};
        for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
            if (others[i] != now)
                g_ptr_array_add(texts, g_strdup(unit_format(others[i], param->unit, text)));
    }
    g_ptr_array_add(texts, NULL);
    return (char **)g_ptr_array_free(texts, FALSE);
}

/* Whether some other value moves a result of the setting, or is refused by it. */
static bool moves(const struct setting *setting, const struct param_table *table, size_t offset,
                  const struct param *param, const char *result)
{
    struct machine_spec machine;
    make_machine(setting, &machine);
    g_auto(GStrv) values = other_values(param, (const char *)&machine + offset);
    for (char **value = values; *value; value++) {
        g_autoptr(GError) error = NULL;
        make_machine(setting, &machine);
        if (!param_set_text(table, param, (char *)&machine + offset, *value, &error) ||
            !machine_spec_valid(&machine, &error))
            continue;
        g_autofree char *other = run(setting, &machine, NULL);
        if (g_strcmp0(other, result) != 0)
            return true;
    }
    return false;
}

struct outcome {
    char *result;
    struct param_use uses;
    double seconds; /* of computing that it took */
};
static struct outcome outcomes[G_N_ELEMENTS(settings)];
static size_t cheapest_first[G_N_ELEMENTS(settings)];

static int compare_costs(const void *a, const void *b)
{
    double of_a = outcomes[*(const size_t *)a].seconds, of_b = outcomes[*(const size_t *)b].seconds;
    return (of_a > of_b) - (of_a < of_b);
}

/* One parameter in all settings. `has_reader` if one of them claims to read it. */
static bool is_honest(const struct param_table *table, size_t offset, size_t number,
                      bool *has_reader)
{
    const struct param *param = &table->params[number];
    bool has_moved = false;
    for (size_t k = 0; k < G_N_ELEMENTS(settings) && !has_moved; k++) {
        size_t i = cheapest_first[k];
        if (!param_is_used(&outcomes[i].uses, table, number))
            continue;
        *has_reader = true;
        has_moved = moves(&settings[i], table, offset, param, outcomes[i].result);
    }
    return has_moved || !*has_reader;
}

static int for_each(size_t setting, int (*look)(size_t setting, const struct param_table *, size_t))
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    int bad = 0;
    for (size_t i = 0; i < machine_component_count(&spec); i++)
        bad += look(setting, machine_component(&spec, i).table, machine_component(&spec, i).offset);
    return bad;
}

/* Which of what a setting does not claim moves it. */
static int name_secret(size_t setting, const struct param_table *table, size_t offset)
{
    for (size_t n = 0; n < table->count; n++)
        if (!param_is_used(&outcomes[setting].uses, table, n) &&
            moves(&settings[setting], table, offset, &table->params[n], outcomes[setting].result))
            g_test_message("%s.%s moves it", table->component, table->params[n].name);
    return 0;
}

/* Each parameter that is claimed moves something somewhere. */
static int look_for_idle(size_t unused, const struct param_table *table, size_t offset)
{
    int bad = 0;
    (void)unused;
    for (size_t number = 0; number < table->count; number++) {
        g_autofree char *path =
            g_strconcat(table->component, ".", table->params[number].name, NULL);
        bool has_reader = false;
        if (!is_sampled(number, 12))
            continue;
        if (is_silent(path) || is_honest(table, offset, number, &has_reader))
            continue;
        g_test_message("%s is said to be read, and moves nothing", path);
        bad++;
    }
    return bad;
}

/* Changes a parameter that `setting` does not claim to read, if there is another value for it. */
static void change(struct machine_spec *machine, const struct param_table *table, size_t offset,
                   const struct param *param)
{
    char *spec = (char *)machine + offset;
    g_auto(GStrv) values = other_values(param, spec);
    struct machine_spec before = *machine;
    for (char **value = values; *value; value++) {
        if (param_set_text(table, param, spec, *value, NULL) && machine_spec_valid(machine, NULL))
            return;
        *machine = before;
    }
}

/* All that a setting does not claim to read is changed: nothing moves. */
static void test_unclaimed(void)
{
    int bad = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        struct machine_spec machine;
        if (!is_sampled(i, 3))
            continue;
        make_machine(&settings[i], &machine);
        for (size_t k = 0; k < machine_component_count(&machine); k++) {
            struct machine_component component = machine_component(&machine, k);
            for (size_t n = 0; n < component.table->count; n++)
                if (!param_is_used(&outcomes[i].uses, component.table, n))
                    change(&machine, component.table, component.offset,
                           &component.table->params[n]);
        }
        g_autofree char *other = run(&settings[i], &machine, NULL);
        if (g_strcmp0(other, outcomes[i].result) == 0)
            continue;
        bad++;
        g_test_message("%s %s reads what it does not claim", settings[i].workload->name,
                       settings[i].arguments);
        for_each(i, name_secret);
    }
    g_assert_cmpint(bad, ==, 0);
}

/* What a run reads, reach_of_workload has allowed before it. */
static void test_reach(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        const struct param_table *table = settings[i].workload->params;
        g_autofree void *spec = g_malloc0(table->spec_size);
        struct machine_spec machine;
        struct param_use may = {.count = 0};
        make_machine(&settings[i], &machine);
        param_run_set_arguments(table, spec, settings[i].arguments);
        reach_of_workload(&machine, settings[i].workload, spec, &may);
        for (size_t k = 0; k < outcomes[i].uses.count; k++) {
            const struct param_table *read = outcomes[i].uses.tables[k].table;
            if (outcomes[i].uses.tables[k].used & ~param_use_bits(&may, read))
                g_error("%s %s reads something of %s beyond its reach", settings[i].workload->name,
                        settings[i].arguments, read->component);
        }
    }
}

static void test_claimed(void)
{
    g_assert_cmpint(for_each(0, look_for_idle), ==, 0);
}

static double seconds_of_children(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        struct machine_spec machine;
        double before = seconds_of_children();
        make_machine(&settings[i], &machine);
        outcomes[i].result = run(&settings[i], &machine, &outcomes[i].uses);
        if (g_str_has_prefix(outcomes[i].result, REFUSED))
            g_error("%s %s: %s", settings[i].workload->name, settings[i].arguments,
                    outcomes[i].result);
        outcomes[i].seconds = seconds_of_children() - before;
        cheapest_first[i] = i;
    }
    qsort(cheapest_first, G_N_ELEMENTS(settings), sizeof *cheapest_first, compare_costs);
    g_test_add_func("/param_use/reach", test_reach);
    g_test_add_func("/param_use/claimed", test_claimed);
    g_test_add_func("/param_use/unclaimed", test_unclaimed);
    int status = g_test_run();
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
        g_free(outcomes[i].result);
    return status;
}
