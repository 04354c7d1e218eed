/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-groups that share NIC queues to each GPU: more queues are no slower, a doorbell for many saves fences, lanes of a
 * quiet look side by side, and work-groups of a block share a compute unit. */
#include <inttypes.h>

#include "workload_run.h"

#define NS PS_PER_NS
#define NODES 40 /* of all tests: a process has one platform */

static const struct workload *const rate = &message_rate_workload;

static void init(struct workload_run *run)
{
    workload_run_init(run, NODES);
    run->machine.gpu.system_fence_ps = 576 * NS;
    run->machine.gpu.atomic_ps = 128 * NS;
}

/* Work-groups whose fences wait for each other do so on one compute unit only. */
static sim_time duration_of(const char *axes, const char *settings)
{
    struct workload_run run;
    init(&run);
    g_autofree char *text = g_strdup_printf("design=nvshmem-ibgda{%s} lanes=1 %s", axes, settings);
    workload_run_good(&run, rate, text);
    return workload_run_measure(&run, "duration");
}

/* But for the quiet at the end, whose lanes look at more of them. Where each rings for itself: if one rings for many, who
 * shares a queue with more spares more doorbells. */
static void test_more_are_no_slower(void)
{
    sim_time before_ps = SIM_TIME_MAX / 2;
    for (int count = 1; count <= 32; count *= 2) {
        g_autofree char *axes = g_strdup_printf("connections=%d,doorbell_batch=1", count);
        sim_time now_ps = duration_of(axes, "warps=32 messages=16");
        g_test_message("%s: %" PRId64 " ps", axes, now_ps);
        g_assert_cmpint(now_ps, <=, before_ps + 2000 * NS);
        before_ps = now_ps;
    }
}

/* Work-groups of a block keep to one connection: with as many blocks as connections nobody shares one. */
static void test_blocks_are_dealt_out(void)
{
    sim_time together_ps =
        duration_of("connections=4,queue_sharers=8,doorbell_batch=1", "warps=8 messages=16");
    sim_time apart_ps =
        duration_of("connections=4,queue_sharers=2,doorbell_batch=1", "warps=8 messages=16");
    g_assert_cmpint(
        together_ps, ==,
        duration_of("connections=1,queue_sharers=8,doorbell_batch=1", "warps=8 messages=16"));
    g_assert_cmpint(2 * apart_ps, <, together_ps);
}

/* Alone, one reads who has reserved and takes a lock for nothing: a load and two atomics, less waits for stores that the fence
 * before has made; many are rung for at once. */
static void test_doorbell_batch(void)
{
    enum { PUTS = 16 };
    struct workload_run run;
    sim_time one_by_one_ps = duration_of("doorbell_batch=1,connections=1", "warps=1 messages=16");
    sim_time batched_ps = duration_of("doorbell_batch=32,connections=1", "warps=1 messages=16");
    init(&run);
    workload_run_good(&run, &gpu_operation_workload, "operation=atomic");
    sim_time atomic_ps = workload_run_measure(&run, "time");
    workload_run_good(&run, &gpu_operation_workload, "operation=load");
    sim_time load_ps = workload_run_measure(&run, "time");
    sim_time more_ps = (batched_ps - one_by_one_ps) / PUTS;
    g_test_message("more for a put: %" PRId64 " ps", more_ps);
    g_assert_cmpint(more_ps, >=, load_ps + atomic_ps);
    g_assert_cmpint(more_ps, <=, load_ps + 2 * atomic_ps);

    one_by_one_ps = duration_of("doorbell_batch=1,connections=1", "warps=32 messages=16");
    batched_ps = duration_of("doorbell_batch=32,connections=1", "warps=32 messages=16");
    g_assert_cmpint(batched_ps * 3, <, one_by_one_ps * 2);
}

/* A work-group waits for what it has sent to 39 others, by one lane or by 32: most of it is complete by then. */
static void test_quiet_lanes(void)
{
    sim_time took_ps[2];
    for (int i = 0; i < 2; i++) {
        struct workload_run run;
        init(&run);
        g_autofree char *text =
            g_strdup_printf("design=nvshmem-ibgda{quiet_lanes=%d} nodes=40", i == 0 ? 1 : 32);
        workload_run_good(&run, &all_to_all_workload, text);
        took_ps[i] = workload_run_measure(&run, "round");
    }
    g_test_message("%" PRId64 " ps by one lane, %" PRId64 " by 32", took_ps[0], took_ps[1]);
    g_assert_cmpint(took_ps[1], <, took_ps[0]);
}

/* Warps of a block are on one compute unit: where it has two fences at a time they wait, and four blocks' do not wait for
 * each other. */
static void test_block_shares_unit(void)
{
    struct workload_run run;
    sim_time took_ps[2];
    for (int i = 0; i < 2; i++) {
        init(&run);
        run.machine.gpu.fences_at_once = 1;
        workload_run_good(
            &run, rate,
            i == 0 ? "design=nvshmem-ibgda{connections=32} lanes=1 messages=8 warps=8"
                   : "design=nvshmem-ibgda{connections=32} lanes=1 messages=8 blocks=8 warps=1");
        took_ps[i] = workload_run_measure(&run, "duration");
    }
    g_assert_cmpint(took_ps[1], <, took_ps[0]);
}

/* Answers are those of a plain loop, whatever the connections. */
static void test_data(void)
{
    for (int count = 1; count <= 3; count++) {
        struct workload_run run;
        workload_run_init(&run, NODES);
        g_autofree char *text = g_strdup_printf(
            "design=nvshmem-ibgda{connections=%d,quiet_lanes=%d} nodes=4 tokens=5 top_k=3 packing=token "
            "work_groups=5 telling_groups=2 posting=choice warmup=0 repeats=1 check=true",
            count, count == 1 ? 1 : 2);
        workload_run_good(&run, &moe_workload, text);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/connections/more_are_no_slower", test_more_are_no_slower);
    g_test_add_func("/connections/blocks_are_dealt_out", test_blocks_are_dealt_out);
    g_test_add_func("/connections/doorbell_batch", test_doorbell_batch);
    g_test_add_func("/connections/quiet_lanes", test_quiet_lanes);
    g_test_add_func("/connections/block_shares_unit", test_block_shares_unit);
    g_test_add_func("/connections/data", test_data);
    return g_test_run();
}
