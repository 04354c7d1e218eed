/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce of the GPUs of one node by their own loads and stores over the links between them (peer = work_group): the data
 * are right, no ring beats the links, large ones come near, small ones take a few crossings of them. */
#include "../sanitized.h"
#include "workload_run.h"

#define US PS_PER_US
#define MIB (INT64_C(1) << 20)
#define GPUS 8
#define LARGE_MIB (IS_SANITIZED ? 1 : 4)

/* H200s of one host: a link of 450 GB/s between every two, of which payloads have 87.4 %. */
static void node_init(struct workload_run *run)
{
    workload_run_init(run, 2);
    struct machine_spec *machine = &run->machine;
    machine->node.gpus_per_socket = GPUS;
    machine->node.peer_link = PEER_LINK_NODE;
    machine->nvlink = (struct direct_link_spec){
        .wire.latency_ps = 90000, .wire.rate_Bps = INT64_C(450000000000), .efficiency = 0.874};
    machine->gpu.clock_Hz = 1785000000;
    machine->gpu.compute_units = 132;
    machine->gpu.lanes = 32;
    machine->gpu.l2.size_bytes = 50 * MIB;
    machine->gpu.l2.ways = 16;
    machine->gpu.memory_rate_Bps = INT64_C(4800000000000);
}

static int64_t rate_Bps(const struct workload_run *run)
{
    return (int64_t)((double)run->machine.nvlink.wire.rate_Bps * run->machine.nvlink.efficiency);
}

static sim_time allreduce_ps(struct workload_run *run, const char *design, int gpus,
                             const char *settings)
{
    g_autofree char *all =
        g_strdup_printf("design=%s nodes=1 gpus_per_node=%d warmup=0 %s", design, gpus, settings);
    node_init(run);
    workload_run_good(run, &allreduce_workload, all);
    return workload_run_measure(run, "duration");
}

static void test_data(void)
{
    static const char *const settings[] = {
        "bytes=8KiB algorithm=ring rings=3 chunk=256B check=true",
        "bytes=128B algorithm=doubling check=true",
        "bytes=12B algorithm=tree check=true",
    };
    struct workload_run run;
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
        for (int gpus = 2; gpus <= GPUS; gpus *= 2)
            allreduce_ps(&run, "rocshmem-ipc", gpus, settings[i]);
}

static void test_one_gpu_is_refused(void)
{
    struct workload_run run;
    node_init(&run);
    g_assert_false(workload_run_text(&run, &allreduce_workload,
                                     "design=rocshmem-ipc nodes=1 gpus_per_node=1"));
    g_assert_nonnull(strstr(last_words(), "two GPUs of one"));
}

/* D-19 over the link from each GPU to the next. What 64 rings need beside the wire's time: crossings, and chunks that are added
 * up before they go on. */
static void test_bound(void)
{
    struct workload_run run;
    g_autofree char *settings =
        g_strdup_printf("bytes=%dMiB rings=64 chunk=16KiB algorithm=ring", LARGE_MIB);
    for (int gpus = 2; gpus <= GPUS; gpus *= 2) {
        sim_time took_ps = allreduce_ps(&run, "rocshmem-ipc", gpus, settings);
        sim_time least_ps = transfer_ps(2 * (gpus - 1) * LARGE_MIB * MIB / gpus, rate_Bps(&run));
        g_test_message("%d GPUs: %.2f us, at least %.2f", gpus, (double)took_ps / US,
                       (double)least_ps / US);
        g_assert_cmpint(took_ps, >=, least_ps);
        g_assert_cmpint(took_ps, <=, least_ps * 11 / 10 + 2 * (gpus - 1) * 5 * US);
    }
}

/* Stores carry no header of PCIe over NVLink, whose efficiency says what payloads have of it: 4 MiB more take what
 * they take on the wire, not 24 of 64 bytes more. */
static void test_rate(void)
{
    struct workload_run run;
    sim_time short_ps =
        allreduce_ps(&run, "rocshmem-ipc", 2, "bytes=4MiB rings=128 chunk=16MiB algorithm=ring");
    sim_time long_ps =
        allreduce_ps(&run, "rocshmem-ipc", 2, "bytes=8MiB rings=128 chunk=16MiB algorithm=ring");
    double share = (double)transfer_ps(4 * MIB, rate_Bps(&run)) / (double)(long_ps - short_ps);
    g_test_message("%.2f of the wire", share);
    g_assert_cmpfloat(share, >, 0.8);
    g_assert_cmpfloat(share, <=, 1.0);
}

/* A work-group has under way what its lanes have: more of them move more. */
static void test_lanes(void)
{
    struct workload_run run;
    static const char settings[] = "bytes=1MiB rings=1 chunk=16MiB algorithm=ring";
    g_autofree char *many = g_strdup_printf("%s threads=1024", settings);
    sim_time few_ps = allreduce_ps(&run, "rocshmem-ipc", 2, settings);
    sim_time many_ps = allreduce_ps(&run, "rocshmem-ipc", 2, many);
    g_test_message("256 work-items %.1f us, 1,024 %.1f us", (double)few_ps / US,
                   (double)many_ps / US);
    g_assert_cmpint(many_ps * 3, <, few_ps * 2);
}

/* A round by doubling is a store, a release behind it, and a flag that the other sees: more than one crossing, and less
 * than by a NIC. A word more costs nothing, twice the GPUs a round more. */
static void test_small(void)
{
    struct workload_run run;
    sim_time before_ps = 0;
    for (int gpus = 2, rounds = 1; gpus <= GPUS; gpus *= 2, rounds++) {
        sim_time took_ps = allreduce_ps(&run, "rocshmem-ipc", gpus, "bytes=8B repeats=4");
        g_assert_cmpint(took_ps, >, rounds * run.machine.nvlink.wire.latency_ps);
        g_assert_cmpint(took_ps, <, rounds * 5 * US);
        g_assert_cmpint(took_ps, >, before_ps);
        g_assert_cmpint(took_ps, <, allreduce_ps(&run, "gpu-verbs", gpus, "bytes=8B repeats=4"));
        before_ps = took_ps;
    }
}

/* Over two nodes the ring takes both ways. */
static void test_two_nodes(void)
{
    struct workload_run run;
    node_init(&run);
    workload_run_good(
        &run, &allreduce_workload,
        "design=rocshmem-ipc nodes=2 gpus_per_node=2 bytes=8KiB warmup=0 algorithm=ring "
        "rings=2 chunk=256B check=true");
}

/* An allreduce of 1 MiB of two nodes, whose L2 holds little of it: half of it is added up by a work-group of 8 wavefronts. */
static sim_time beyond_l2_ps(const char *design, int64_t wave_bytes, sim_time *latency_ps)
{
    struct workload_run run;
    node_init(&run);
    struct gpu_spec *gpu = &run.machine.gpu;
    gpu->l2.size_bytes = 65536;
    gpu->wave_in_flight_bytes = wave_bytes;
    *latency_ps = cycles_ps(gpu->l1.latency_cycles + gpu->l2.latency_cycles, gpu->clock_Hz) +
                  gpu->memory_latency_ps;
    g_autofree char *all = g_strdup_printf("design=%s nodes=2 gpus_per_node=1 warmup=0 bytes=1MiB "
                                           "rings=1 chunk=16MiB algorithm=ring",
                                           design);
    workload_run_good(&run, &allreduce_workload, all);
    return workload_run_measure(&run, "duration");
}

/* What adds up has 16 B of each of three arrays a lane under way, 1,536 B a wavefront, as often as copies are unrolled; where work-groups
 * do not reach other GPUs by themselves, what the machine's kernels have. */
static void test_in_flight(void)
{
    sim_time latency_ps, own_ps = beyond_l2_ps("rocshmem-ipc", 169, &latency_ps);
    g_assert_cmpint(own_ps, ==, beyond_l2_ps("rocshmem-ipc{peer=nic}", 1536, &latency_ps));
    sim_time slow_ps = beyond_l2_ps("rocshmem-ipc{peer=nic}", 169, &latency_ps);
    double moved_bytes = 1.5 * MIB;
    double expected_ps = moved_bytes / 8 * (1 / 169.0 - 1 / 1536.0) * (double)latency_ps;
    g_test_message("%.3f us, expected %.3f", (double)(slow_ps - own_ps) / US, expected_ps / US);
    g_assert_cmpfloat(ABS((double)(slow_ps - own_ps) - expected_ps), <, 100);
    g_assert_cmpint(beyond_l2_ps("rocshmem-ipc{copy_unroll=2}", 169, &latency_ps), ==,
                    beyond_l2_ps("rocshmem-ipc{peer=nic}", 3072, &latency_ps));
}

/* D-19 over the network, between the nodes' last GPUs: behind a warm-up places are not alike, and what one that is ahead has sent
 * before the others begin counts, too. */
static void test_bound_behind_warmup(void)
{
    struct workload_run run;
    for (int gpus = 2; gpus <= (IS_SANITIZED ? 2 : 4); gpus *= 2) {
        g_autofree char *settings = g_strdup_printf(
            "design=rocshmem-ipc nodes=2 gpus_per_node=%d bytes=4MiB algorithm=ring", gpus);
        node_init(&run);
        workload_run_good(&run, &allreduce_workload, settings);
        sim_time least_ps = transfer_ps(2 * (2 * gpus - 1) * 4 * MIB / (2 * gpus),
                                        run.machine.network.wire.rate_Bps);
        sim_time took_ps = workload_run_measure(&run, "duration");
        g_test_message("%d GPUs: %.2f us, at least %.2f", gpus, (double)took_ps / US,
                       (double)least_ps / US);
        g_assert_cmpint(took_ps, >=, least_ps);
        g_assert_cmpint(took_ps, <=, least_ps * 5 / 4);
    }
}

static sim_time ring_behind(int gpus, int warmup)
{
    struct workload_run run;
    g_autofree char *settings = g_strdup_printf(
        "design=rocshmem-ipc nodes=2 gpus_per_node=%d bytes=256KiB algorithm=ring rings=8 warmup=%d",
        gpus, warmup);
    node_init(&run);
    workload_run_good(&run, &allreduce_workload, settings);
    return workload_run_measure(&run, "duration");
}

/* Where all begin at once nothing is free; behind a warm-up nothing is, either. */
static void test_nothing_is_free(void)
{
    for (int gpus = 2; gpus <= 4; gpus *= 2) {
        sim_time at_once_ps = ring_behind(gpus, 0), behind_ps = ring_behind(gpus, 1);
        g_test_message("%d GPUs: %.2f us at once, %.2f behind a warm-up", gpus,
                       (double)at_once_ps / US, (double)behind_ps / US);
        g_assert_cmpint(behind_ps, >=, at_once_ps / 100 * 98);
        g_assert_cmpint(behind_ps, <=, at_once_ps / 100 * 115);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/allreduce_peers/data", test_data);
    g_test_add_func("/allreduce_peers/one_gpu_is_refused", test_one_gpu_is_refused);
    g_test_add_func("/allreduce_peers/bound", test_bound);
    g_test_add_func("/allreduce_peers/rate", test_rate);
    g_test_add_func("/allreduce_peers/lanes", test_lanes);
    g_test_add_func("/allreduce_peers/small", test_small);
    g_test_add_func("/allreduce_peers/bound_behind_warmup", test_bound_behind_warmup);
    g_test_add_func("/allreduce_peers/nothing_is_free_behind_warmup", test_nothing_is_free);
    g_test_add_func("/allreduce_peers/two_nodes", test_two_nodes);
    g_test_add_func("/allreduce_peers/in_flight", test_in_flight);
    return g_test_run();
}
