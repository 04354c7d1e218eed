/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies by a kernel's loads and stores: each time from the machine's parameters. */
#include "workload_run.h"

#define NS PS_PER_NS

static void init(struct workload_run *run)
{
    workload_run_init(run, 1);
    run->machine.node.gpus_per_socket = 2;
    run->machine.node.peer_link = PEER_LINK_NODE;
    run->machine.gpu.lanes = 32;
    run->machine.gpu.compute_units = 100;
    run->machine.gpu.waves_per_cu = 64;
    run->machine.gpu.l2_banks = 64;
    run->machine.gpu.l2.size_bytes = INT64_C(32) << 20;
    run->machine.gpu.copy_rate_Bps = INT64_C(50000000000);
    run->machine.nvlink.wire.rate_Bps = INT64_C(400000000000);
    run->machine.nvlink.wire.latency_ps = 100 * NS;
}

static sim_time time_of(struct workload_run *run, const char *settings)
{
    workload_run_good(run, &kernel_copy_workload, settings);
    return workload_run_measure(run, "time");
}

static sim_time load_ps(const struct workload_run *run)
{
    const struct gpu_spec *gpu = &run->machine.gpu;
    return cycles_ps(gpu->l1.latency_cycles, gpu->clock_Hz) +
           cycles_ps(gpu->l2.latency_cycles, gpu->clock_Hz) / 2 * 2;
}

/* A wavefront: its load's latency and its bytes' way. Loads in flight share the latency; what does not fill a row of them goes one
 * by one. From a peer the way there and back comes on top, and memory where the L2 does not hold the copy. */
static void test_one_wavefront(void)
{
    struct workload_run run;
    init(&run);
    sim_time way_ps = transfer_ps(512, run.machine.gpu.copy_rate_Bps), one_ps = load_ps(&run);
    const sim_time slack_ps = 200; /* the L2's own bandwidth, of 512 B */
    sim_time first_ps = time_of(&run, "threads=32 bytes=512B");
    g_assert_cmpint(llabs(first_ps - one_ps - way_ps), <=, slack_ps);
    g_assert_cmpint(llabs(time_of(&run, "threads=32 bytes=512B passes=10") - first_ps), <=, 1);
    g_assert_cmpint(llabs(time_of(&run, "threads=32 bytes=2KiB") - one_ps - 4 * way_ps), <=,
                    4 * slack_ps);
    g_assert_cmpint(llabs(time_of(&run, "threads=32 bytes=1KiB") - 2 * first_ps), <=, slack_ps);
    const struct gpu_spec *gpu = &run.machine.gpu;
    sim_time across_ps = cycles_ps(gpu->l2.latency_cycles, gpu->clock_Hz) / 2 * 2 +
                         2 * (gpu->bus_outbound_ps + gpu->bus_inbound_ps + 100 * NS);
    sim_time far_ps = time_of(&run, "threads=32 bytes=512B from=peer");
    g_assert_cmpint(llabs(far_ps - first_ps - across_ps), <=, 1300 + slack_ps);
    run.machine.gpu.l2.size_bytes = 512;
    g_assert_cmpint(time_of(&run, "threads=32 bytes=512B") - first_ps, >=, gpu->memory_latency_ps);
}

/* What does not fill a row of loads takes as long as one of them and their bytes, instead of one after the other. */
static void test_remainders(void)
{
    struct workload_run run;
    init(&run);
    run.machine.gpu.copy_rate_Bps = INT64_C(1000000000000);
    sim_time one_ps = time_of(&run, "threads=32 bytes=512B remainder=together");
    sim_time three_ps = time_of(&run, "threads=32 bytes=1536B remainder=together");
    g_assert_cmpint(one_ps, ==, time_of(&run, "threads=32 bytes=512B"));
    g_assert_cmpint(three_ps - one_ps, <=, one_ps / 20);
    g_assert_cmpint(time_of(&run, "threads=32 bytes=1536B"), ==, 3 * one_ps);
    g_assert_cmpint(time_of(&run, "threads=32 bytes=2KiB"), ==,
                    time_of(&run, "threads=32 bytes=2KiB remainder=together"));
    g_assert_cmpint(time_of(&run, "threads=32 bytes=3000B remainder=together"), <, 3 * one_ps);
}

/* Many: a compute unit's way, then the link, then the L2 or the memory behind it is what holds them up. */
static void test_bandwidths(void)
{
    struct workload_run run;
    init(&run);
    sim_time bytes = INT64_C(4) << 20;
    sim_time one_ps = time_of(&run, "work_groups=1 bytes=4MiB to=peer");
    g_assert_cmpint(llabs(one_ps - transfer_ps(bytes, run.machine.gpu.copy_rate_Bps)), <=,
                    one_ps / 50);
    sim_time link_ps = transfer_ps(bytes, run.machine.nvlink.wire.rate_Bps);
    sim_time store_ps = time_of(&run, "work_groups=100 bytes=4MiB to=peer passes=8");
    g_assert_cmpint(llabs(store_ps - link_ps), <=, link_ps / 20);
    g_assert_cmpint(llabs(time_of(&run, "work_groups=100 bytes=4MiB from=peer passes=8") - link_ps),
                    <=, link_ps / 10);
    run.machine.nvlink.access_efficiency = 0.5;
    sim_time half_ps = time_of(&run, "work_groups=100 bytes=4MiB to=peer passes=8");
    g_assert_cmpint(llabs(half_ps - 2 * link_ps), <=, link_ps / 20);
    sim_time held_ps = time_of(&run, "work_groups=100 bytes=16MiB passes=4");
    sim_time both_ps =
        transfer_ps(INT64_C(64) << 20, muldiv_ceil(run.machine.gpu.memory_rate_Bps, 85, 100));
    sim_time streamed_ps = time_of(&run, "work_groups=100 bytes=32MiB passes=4");
    g_assert_cmpint(llabs(streamed_ps - both_ps), <=, both_ps / 50);
    g_assert_cmpint(held_ps, <, streamed_ps / 2);
}

/* No link joins the GPUs: the bus holds up all, and a load goes to the root complex and from there, each way. */
static void test_over_the_bus(void)
{
    struct workload_run run;
    init(&run);
    run.machine.node.gpu_link = GPU_LINK_PCIE;
    sim_time joined_ps = time_of(&run, "threads=32 bytes=512B from=peer");
    run.machine.node.peer_link = PEER_LINK_AS_GPU_LINK;
    run.machine.bus.wire.rate_Bps = INT64_C(20000000000);
    run.machine.bus.max_payload_bytes = 240;
    run.machine.bus.header_bytes = 80;
    run.machine.bus.wire.latency_ps = 300 * NS;
    run.machine.bus.switch_latency_ps = 40 * NS;
    sim_time bytes_ps = transfer_ps(INT64_C(4) << 20, INT64_C(15000000000));
    sim_time store_ps = time_of(&run, "work_groups=100 bytes=4MiB to=peer");
    g_assert_cmpint(llabs(store_ps - bytes_ps), <=, bytes_ps / 50);
    /* Twice 2 * (300 + 20) ns instead of twice the link's 100; 512 B at 15 instead of 400 GB/s, 32.9 ns more. */
    sim_time far_ps = time_of(&run, "threads=32 bytes=512B from=peer");
    g_assert_cmpint(llabs(far_ps - joined_ps - (1080 + 33) * NS), <=, NS);
}

/* More work-groups than have an access change nothing; two events add their time once. */
static void test_idle_and_timed(void)
{
    struct workload_run run;
    init(&run);
    sim_time four_ps = time_of(&run, "work_groups=4 bytes=64KiB to=peer");
    g_assert_cmpint(time_of(&run, "work_groups=64 bytes=64KiB to=peer"), ==, four_ps);
    run.machine.cuda.timed_kernel_ps = 8000 * NS;
    sim_time time_ps = time_of(&run, "work_groups=4 bytes=64KiB to=peer passes=4");
    g_assert_cmpint(workload_run_measure(&run, "timed"), ==, time_ps + 2000 * NS);
}

static void test_refused(void)
{
    struct workload_run run;
    init(&run);
    g_assert_false(workload_run_text(&run, &kernel_copy_workload, "from=peer to=peer"));
    g_assert_nonnull(strstr(last_words(), "copies to its own GPU"));
    g_assert_false(workload_run_text(&run, &kernel_copy_workload, "work_groups=60000"));
    g_assert_nonnull(strstr(last_words(), "do not run at once"));
    run.machine.node.gpus_per_socket = 1;
    g_assert_false(workload_run_text(&run, &kernel_copy_workload, "to=peer"));
    g_assert_nonnull(strstr(last_words(), "at least 2 GPUs; this one has 1"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/kernel_copy/one_wavefront", test_one_wavefront);
    g_test_add_func("/kernel_copy/remainders", test_remainders);
    g_test_add_func("/kernel_copy/bandwidths", test_bandwidths);
    g_test_add_func("/kernel_copy/over_the_bus", test_over_the_bus);
    g_test_add_func("/kernel_copy/idle_and_timed", test_idle_and_timed);
    g_test_add_func("/kernel_copy/refused", test_refused);
    return g_test_run();
}
