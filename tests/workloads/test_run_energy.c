/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy of a run by parts: each is powers by times and events by energies, as statistics tell times and events; the whole is
 * the sum of its parts; what takes no part is not modelled, and is not 0. */
#include <math.h>
#include <stdlib.h>

#include "calls.h"
#include "models/run_energy.h"
#include "workload_run.h"

#define NAME_OF_PART(capitals, name) #name "_energy",
static const char *const part_names[] = {RUN_ENERGY_PARTS(NAME_OF_PART)};
#undef NAME_OF_PART

#define NODES 4                   /* of which two take part */
#define LITMUS "rounds=5 design=" /* all of whose run is measured */
#define GET "bytes=8B repeats=10 design="

/* Formulas are those of one run, not of the mean of several. */
static void begin(struct workload_run *run)
{
    workload_run_init(run, NODES);
    SOFTWARE(run->machine)->phases = PHASES_FIXED;
}

static const struct workload_measure *measure_of(const struct workload_run *run, const char *name)
{
    for (size_t i = 0; i < run->result.count; i++)
        if (strcmp(run->result.measures[i].name, name) == 0)
            return &run->result.measures[i];
    g_error("no measure %s", name);
}

/* In fJ; it has to be modelled. */
static double energy_fJ(const struct workload_run *run, const char *name)
{
    const struct workload_measure *measure = measure_of(run, name);
    g_assert_false(measure->is_absent);
    return (double)measure->quantity;
}

/* The sum of a statistic over all components of a kind: "l2_misses_cu". */
static double count_of(const char *stats, const char *name)
{
    double sum = 0;
    g_auto(GStrv) lines = g_strsplit(stats, "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        g_auto(GStrv) fields = g_strsplit(*line, "\t", -1);
        if (g_strv_length(fields) == 6 && strcmp(fields[1], name) == 0)
            sum += g_ascii_strtod(fields[5], NULL);
    }
    return sum;
}

/* Runs it and returns its statistics, which the caller frees. */
static char *run_counted(struct workload_run *run, const struct workload *workload,
                         const char *settings)
{
    g_autofree void *spec = g_malloc0(workload->params->spec_size);
    g_auto(GStrv) words = g_strsplit(settings, " ", -1);
    GString *stats = g_string_new(NULL);
    memset(&run->result, 0, sizeof run->result);
    run->result.stats = stats;
    param_set_defaults(workload->params, spec);
    for (char **word = words; *word != NULL; word++) {
        g_auto(GStrv) pair = g_strsplit(*word, "=", 2);
        g_assert_true(param_set_text(workload->params, param_find(workload->params, pair[0]), spec,
                                     pair[1], fresh_error()));
    }
    g_assert_true(run_or_once(workload, &run->machine, spec, 1, &run->result, fresh_error()));
    return g_string_free(stats, FALSE);
}

/* Parts add up to the whole, states of cores to the parts that have cores. */
static void check_sum(const struct workload_run *run)
{
    static const char *const states[] = {"energy_active", "energy_polling", "energy_stalled",
                                         "energy_idle"};
    double sum_fJ = 0, cores_fJ = 0, states_fJ = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(part_names); i++)
        if (!measure_of(run, part_names[i])->is_absent) {
            double part_fJ = energy_fJ(run, part_names[i]);
            g_assert_cmpfloat(part_fJ, >=, 0);
            sum_fJ += part_fJ;
            cores_fJ += i == ENERGY_OF_SERVICE || i == ENERGY_OF_RANK ? part_fJ : 0;
        }
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++)
        states_fJ += (double)measure_of(run, states[i])->quantity;
    g_assert_cmpfloat_with_epsilon(energy_fJ(run, "energy"), sum_fJ,
                                   G_N_ELEMENTS(part_names) + 1e-12 * sum_fJ);
    g_assert_cmpfloat_with_epsilon(states_fJ, cores_fJ, G_N_ELEMENTS(states) + 1e-12 * states_fJ);
}

/* All that runs on a machine, with little of everything. */
static const struct run {
    const struct workload *workload;
    const char *settings, *longer; /* `longer` measures more of the same, NULL: is not longer */
    int64_t units, longer_units;   /* that `energy` is one of */
} runs[] = {
    {&get_latency_workload, GET "dgpu", "bytes=8B repeats=20 design=dgpu", 10, 20},
    {&get_latency_workload, GET "comp-net", NULL, 10, 0},
    {&get_latency_workload, GET "gpu-verbs", NULL, 10, 0},
    {&get_latency_workload, GET "gpu-warp", NULL, 10, 0},
    {&get_latency_workload, GET "smart-nic", NULL, 10, 0},
    {&queue_service_workload, "bytes=64B work_groups=4 operations=5 design=dgpu",
     "bytes=64B work_groups=4 operations=10 design=dgpu", 1, 1},
    {&queue_service_workload, "bytes=64B work_groups=4 operations=5 design=gpu-verbs", NULL, 1, 0},
    {&message_rate_workload, "warps=2 messages=8 bytes=8B design=gpu-verbs",
     "warps=2 messages=16 bytes=8B design=gpu-verbs", 1, 1},
    {&l2_hit_rate_workload, "networking=2 streaming=2 warmup=2us duration=10us design=comp-net",
     "networking=2 streaming=2 warmup=2us duration=20us design=comp-net", 1, 1},
    {&litmus_workload, "rounds=3 design=dgpu", "rounds=6 design=dgpu", 1, 1},
    {&neighbour_exchange_workload, "bytes=64KiB iterations=4 design=triggered",
     "bytes=64KiB iterations=8 design=triggered", 4, 8},
    {&all_to_all_workload, "nodes=2 bytes=64KiB repeats=2 design=openmpi-d",
     "nodes=2 bytes=64KiB repeats=4 design=openmpi-d", 2, 4},
    {&allreduce_workload, "nodes=2 bytes=64KiB repeats=1 design=gpu-verbs",
     "nodes=2 bytes=64KiB repeats=3 design=gpu-verbs", 1, 3},
    {&moe_workload, "nodes=2 tokens=4 repeats=2 design=dgpu",
     "nodes=2 tokens=4 repeats=4 design=dgpu", 2, 4},
    {&jacobi2d_workload, "nodes=2 edge=64 iterations=3 warmup=1 design=gpu-verbs",
     "nodes=2 edge=64 iterations=6 warmup=1 design=gpu-verbs", 3, 6},
    {&jacobi3d_workload, "nodes=2 grid=32 iterations=3 warmup=1 design=charm-channel",
     "nodes=2 grid=32 iterations=6 warmup=1 design=charm-channel", 3, 6},
    {&osu_latency_workload, "bytes=8B placement=inter-node iterations=8 design=openmpi-d",
     "bytes=8B placement=inter-node iterations=200 design=openmpi-d", 16, 400},
    {&osu_latency_workload, "bytes=8B placement=inter-node iterations=8 design=comp-net", NULL, 16,
     0},
    {&osu_bandwidth_workload,
     "bytes=64KiB placement=inter-node window=8 iterations=2 design=ampi-d",
     "bytes=64KiB placement=inter-node window=8 iterations=4 design=ampi-d", 16, 32},
    {&perftest_workload, "bytes=8B iterations=10", "bytes=8B iterations=20", 20, 40},
    {&perftest_workload, "operation=write_bw bytes=64KiB iterations=10",
     "operation=write_bw bytes=64KiB iterations=20", 10, 20},
    {&cuda_copy_workload, "bytes=64KiB repeats=2", "bytes=64KiB repeats=4", 2, 4},
    {&cuda_copies_workload, "bytes=64KiB window=2 repeats=2", "bytes=64KiB window=2 repeats=4", 8,
     16},
    {&kernel_launch_workload, "repeats=2", "repeats=4", 2, 4},
    {&gpu_operation_workload, "memory=host repeats=5", "memory=host repeats=10", 5, 10},
    {&flag_round_trip_workload, "rounds=5", "rounds=10", 5, 10},
};

static void test_sum(void)
{
    struct workload_run run;
    begin(&run);
    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
        workload_run_good(&run, runs[i].workload, runs[i].settings);
        check_sum(&run);
        g_assert_cmpfloat(energy_fJ(&run, "energy"), >, 0);
    }
}

/* A longer run does not use less, in all and in any part. */
static void test_longer(void)
{
    struct workload_run run, longer;
    begin(&run);
    begin(&longer);
    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
        if (runs[i].longer == NULL)
            continue;
        workload_run_good(&run, runs[i].workload, runs[i].settings);
        workload_run_good(&longer, runs[i].workload, runs[i].longer);
        for (size_t k = 0; k < G_N_ELEMENTS(part_names); k++) {
            double less_fJ = (double)(measure_of(&run, part_names[k])->quantity * runs[i].units);
            double more_fJ =
                (double)(measure_of(&longer, part_names[k])->quantity * runs[i].longer_units);
            if (more_fJ < less_fJ - (double)runs[i].longer_units)
                g_error("%s %s: %s is %g, and %g fJ of %s", runs[i].workload->name,
                        runs[i].settings, part_names[k], less_fJ, more_fJ, runs[i].longer);
        }
    }
}

/* A GPU at rest draws its power for all of the measured time: some of them, and twice as much at twice the power. */
static void test_idle(void)
{
    struct workload_run run;
    begin(&run);
    for (size_t i = 0; i < G_N_ELEMENTS(runs); i++) {
        double energies_fJ[2];
        for (int twice = 0; twice < 2; twice++) {
            run.machine.gpu.idle_power_mW = 7000 << twice;
            workload_run_good(&run, runs[i].workload, runs[i].settings);
            energies_fJ[twice] = (double)measure_of(&run, "gpu_idle_energy")->quantity;
        }
        double gpus = energies_fJ[0] / (7000 * (double)workload_run_measure(&run, "energy_time"));
        g_assert_cmpfloat_with_epsilon(energies_fJ[1], 2 * energies_fJ[0], 2);
        g_assert_cmpfloat_with_epsilon(gpus, round(gpus), 1e-4);
    }
}

/* The measured time is that of the measures: warm-up and set-up, which take an MPI's ranks milliseconds, are not in it. */
static void test_time(void)
{
    struct workload_run run;
    begin(&run);
    workload_run_good(&run, &osu_latency_workload,
                      "bytes=8B placement=inter-node iterations=8 design=ampi-d");
    g_assert_cmpint(workload_run_measure(&run, "energy_time"), ==,
                    workload_run_measure(&run, "latency"));
    workload_run_good(&run, &queue_service_workload,
                      "bytes=8B work_groups=8 operations=10 warmup=5 design=dgpu");
    g_assert_cmpint(workload_run_measure(&run, "energy_time"), ==,
                    workload_run_measure(&run, "duration"));
    workload_run_good(&run, &allreduce_workload,
                      "nodes=2 bytes=64KiB algorithm=ring design=openmpi-d");
    g_assert_cmpint(
        ABS(workload_run_measure(&run, "energy_time") - workload_run_measure(&run, "duration")), <=,
        PS_PER_US);
    workload_run_good(&run, &jacobi3d_workload,
                      "nodes=2 grid=32 iterations=3 warmup=1 design=ampi-d");
    g_assert_cmpint(
        ABS(workload_run_measure(&run, "energy_time") - workload_run_measure(&run, "iteration")),
        <=, PS_PER_US);
}

static void check_absent(const struct workload_run *run, const char *name, bool is_absent)
{
    if (measure_of(run, name)->is_absent != is_absent)
        g_error("%s is %smodelled", name, is_absent ? "" : "not ");
}

/* Who serves nobody, runs no rank or has no such link; a formula without devices. */
static void test_absent(void)
{
    struct workload_run run;
    begin(&run);
    workload_run_good(&run, &get_latency_workload, GET "gpu-verbs");
    check_absent(&run, "service_energy", true);
    check_absent(&run, "rank_energy", true);
    check_absent(&run, "energy_polling", true);
    check_absent(&run, "work_group_energy", false);
    check_absent(&run, "nvlink_energy", true);
    check_absent(&run, "socket_link_energy", true);
    check_absent(&run, "energy", false);
    g_assert_cmpfloat(energy_fJ(&run, "work_group_energy"), >, 0);
    workload_run_good(&run, &get_latency_workload, GET "dgpu");
    check_absent(&run, "service_energy", false);
    workload_run_good(&run, &all_to_all_workload, "nodes=2 bytes=64KiB design=openmpi-d");
    check_absent(&run, "service_energy", true);
    check_absent(&run, "rank_energy", false);
    check_absent(&run, "work_group_energy", true);
    workload_run_good(&run, &kernel_copy_workload, "bytes=64KiB");
    check_absent(&run, "energy", true);
    check_absent(&run, "energy_time", true);
}

/* Two NICs of a machine of four: idle all the time, and active for their commands. */
static void test_nic(void)
{
    struct workload_run run;
    begin(&run);
    struct nic_spec *nic = &run.machine.nic;
    nic->idle_power_mW = 3000;
    nic->active_power_mW = 5000;
    g_autofree char *stats = run_counted(&run, &get_latency_workload,
                                         "bytes=256KiB warmup=0 repeats=10 design=gpu-verbs");
    double time_ps = (double)workload_run_measure(&run, "energy_time");
    double busy_ps =
        count_of(stats, "commands") * (double)nic->command_gap_ps +
        count_of(stats, "payload_bytes") * 1e12 / (double)run.machine.network.wire.rate_Bps;
    g_assert_cmpfloat(count_of(stats, "commands"), >=, 10);
    double expected_fJ = 2 * (time_ps * 3000 + busy_ps / 10 * 5000);
    g_assert_cmpfloat_with_epsilon(energy_fJ(&run, "nic_energy"), expected_fJ, 1e-6 * expected_fJ);
}

/* A work-group that gets ten times is at work for ten latencies at least, and not for longer than the run. */
static void test_work_groups(void)
{
    struct workload_run run;
    begin(&run);
    run.machine.nic.idle_power_mW = 1000;
    run.machine.nic.active_power_mW = 0;
    run.machine.gpu.spin_power_mW = 1000;
    workload_run_good(&run, &queue_service_workload,
                      "bytes=8B work_groups=8 operations=10 design=gpu-verbs");
    double work_group_fJ = energy_fJ(&run, "work_group_energy");
    double duration_ps = (double)workload_run_measure(&run, "duration");
    g_assert_cmpfloat(work_group_fJ, <=, 8 * 1000 * duration_ps);
    g_assert_cmpfloat(work_group_fJ, >=,
                      8 * 10 * 1000 * (double)workload_run_measure(&run, "latency"));
    g_assert_cmpfloat_with_epsilon(energy_fJ(&run, "nic_energy"), 2 * 1000 * duration_ps, 10);
    run.machine.gpu.spin_power_mW = 2000;
    workload_run_good(&run, &queue_service_workload,
                      "bytes=8B work_groups=8 operations=10 design=gpu-verbs");
    g_assert_cmpfloat_with_epsilon(energy_fJ(&run, "work_group_energy"), 2 * work_group_fJ, 10);
}

/* Twice the payload is twice the bytes of payload on both cables of the way, and twice their packets' headers. */
static void test_network(void)
{
    struct workload_run run;
    double energies_fJ[3];
    begin(&run);
    const struct nic_spec *nic = &run.machine.nic;
    run.machine.network.wire.byte_energy_fJ = 1000;
    for (int i = 0; i < 3; i++) {
        g_autofree char *settings =
            g_strdup_printf("bytes=%dKiB warmup=0 repeats=10 design=gpu-verbs", 64 << i);
        workload_run_good(&run, &get_latency_workload, settings);
        energies_fJ[i] = energy_fJ(&run, "network_energy");
    }
    double more_bytes =
        (65536 + 65536 / (double)nic->packet_payload_bytes * (double)nic->packet_header_bytes);
    g_assert_cmpfloat_with_epsilon(energies_fJ[1] - energies_fJ[0], 2 * 1000 * more_bytes, 2);
    g_assert_cmpfloat_with_epsilon(energies_fJ[2] - energies_fJ[1], 2 * 1000 * 2 * more_bytes, 2);
    run.machine.network.wire.byte_energy_fJ = 2000;
    workload_run_good(&run, &get_latency_workload,
                      "bytes=256KiB warmup=0 repeats=10 design=gpu-verbs");
    g_assert_cmpfloat_with_epsilon(energy_fJ(&run, "network_energy"), 2 * energies_fJ[2], 2);
}

/* Every packet of a bus takes two links: from its device to the root, and on. */
static double bus_bytes(const char *stats)
{
    return 2 * (count_of(stats, "write_bytes") + count_of(stats, "read_bytes") +
                count_of(stats, "atomic_bytes") + count_of(stats, "completion_bytes"));
}

static void test_bus(void)
{
    struct workload_run run;
    begin(&run);
    run.machine.bus.wire.byte_energy_fJ = 1000;
    g_autofree char *stats = run_counted(&run, &litmus_workload, LITMUS "dgpu");
    g_assert_cmpfloat(bus_bytes(stats), >, 0);
    g_assert_cmpfloat(energy_fJ(&run, "bus_energy"), ==, 1000 * bus_bytes(stats));
}

/* Lines that an L2 fetches or writes back, and bytes that pass a GPU's port, which link_energy alone tells. */
static void test_gpu_memory(void)
{
    struct workload_run run;
    begin(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    gpu->memory_energy_fJ = 0;
    gpu->link_energy_fJ = 1;
    g_autofree char *stats = run_counted(&run, &litmus_workload, LITMUS "comp-net");
    double port_bytes = energy_fJ(&run, "gpu_memory_energy");
    double lines = count_of(stats, "l2_writebacks") + count_of(stats, "l2_misses_cu") +
                   count_of(stats, "l2_misses_cp") + count_of(stats, "l2_misses_cp_private") +
                   count_of(stats, "l2_poll_misses_cu") + count_of(stats, "l2_poll_misses_cp");
    g_assert_cmpfloat(port_bytes, >, 0);
    g_assert_cmpfloat(port_bytes, <=, bus_bytes(stats) / 2);
    g_assert_cmpfloat(lines, >, 0);
    gpu->memory_energy_fJ = 1000;
    gpu->link_energy_fJ = 500;
    workload_run_good(&run, &litmus_workload, LITMUS "comp-net");
    double expected_fJ = 1000 * (lines * CACHE_LINE_BYTES + port_bytes) + 500 * port_bytes;
    g_assert_cmpfloat_with_epsilon(energy_fJ(&run, "gpu_memory_energy"), expected_fJ, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/run_energy/sum", test_sum);
    g_test_add_func("/run_energy/longer", test_longer);
    g_test_add_func("/run_energy/time", test_time);
    g_test_add_func("/run_energy/absent", test_absent);
    g_test_add_func("/run_energy/nic", test_nic);
    g_test_add_func("/run_energy/idle", test_idle);
    g_test_add_func("/run_energy/work_groups", test_work_groups);
    g_test_add_func("/run_energy/network", test_network);
    g_test_add_func("/run_energy/bus", test_bus);
    g_test_add_func("/run_energy/gpu_memory", test_gpu_memory);
    return g_test_run();
}
