/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of stores between GPUs against the same stores one by one (protocols/shmem/peer.c): times within 0.5
 * %, whatever meets on a link, in an L2 or on a compute unit; and how few events are left of them. */
#define WORKLOAD_MEANS
#include "../fabric/fabric_test.h"
#include "../sanitized.h"
#include "workload_run.h"

#define MIB (INT64_C(1) << 20)
#define MOST_APART 0.005

/* H200s of one host, linked as `peer_link` says. */
static void node_init(struct workload_run *run, int64_t gpus, int64_t peer_link)
{
    workload_run_init(run, 1);
    struct machine_spec *machine = &run->machine;
    machine->node.gpus_per_socket = gpus;
    machine->node.peer_link = peer_link;
    machine->nvlink = (struct direct_link_spec){
        .wire.latency_ps = 90000, .wire.rate_Bps = INT64_C(450000000000), .efficiency = 0.874};
    machine->gpu.clock_Hz = 1785000000;
    machine->gpu.compute_units = 132;
    machine->gpu.lanes = 32;
    machine->gpu.l2 = (struct cache_shape){50 * MIB, 16, 270};
    machine->gpu.l2_banks = 64;
    machine->gpu.memory_rate_Bps = INT64_C(4800000000000);
    machine->gpu.copy_rate_Bps = INT64_C(34900000000);
}

struct outcome {
    sim_time took_ps;
    uint64_t events;
};

/* A run in a child, since a process holds one platform. */
static struct {
    int64_t gpus, peer_link;
    const char *settings;
    void (*change)(struct machine_spec *machine);
    bool one_by_one;
    struct outcome outcome;
} * asked;

static void run_as_asked(void)
{
    struct workload_run run;
    node_init(&run, asked->gpus, asked->peer_link);
    if (asked->change != NULL)
        asked->change(&run.machine);
    run.machine.stores_one_by_one = asked->one_by_one;
    g_autofree char *all = g_strdup_printf("nodes=1 gpus_per_node=%d algorithm=ring warmup=0 %s",
                                           (int)asked->gpus, asked->settings);
    workload_run_good(&run, &allreduce_workload, all);
    asked->outcome = (struct outcome){workload_run_measure(&run, "duration"), run.result.events};
}

static struct outcome run_so(bool one_by_one)
{
    asked->one_by_one = one_by_one;
    run_in_child((gconstpointer)(uintptr_t)run_as_asked);
    return asked->outcome;
}

static void ask(int64_t gpus, int64_t peer_link, void (*change)(struct machine_spec *machine),
                const char *settings)
{
    if (asked == NULL)
        asked = shared_memory(sizeof *asked);
    asked->gpus = gpus;
    asked->peer_link = peer_link;
    asked->change = change;
    asked->settings = settings;
}

/* Blocks have at most `events_percent` of the events of single stores. */
static void compare(int events_percent)
{
    struct outcome exact = run_so(true), blocks = run_so(false);
    double apart = (double)(blocks.took_ps - exact.took_ps) / (double)exact.took_ps;
    g_test_message("%d GPUs, %s: %.3f us one by one, %.3f in blocks, %+.3f %%; %d and %d events",
                   (int)asked->gpus, asked->settings, (double)exact.took_ps / PS_PER_US,
                   (double)blocks.took_ps / PS_PER_US, 100 * apart, (int)exact.events,
                   (int)blocks.events);
    g_assert_cmpfloat(apart, <=, MOST_APART);
    g_assert_cmpfloat(apart, >=, -MOST_APART);
    g_assert_cmpuint(100 * blocks.events, <=, (uint64_t)events_percent * exact.events);
}

static const char *const few_rings[] = {
    "design=rocshmem-ipc bytes=256KiB rings=1",
    "design=rocshmem-ipc bytes=1MiB rings=8",
    "design=rocshmem-ipc bytes=1000004B rings=3 chunk=20000B",
    "design=rocshmem-ipc bytes=512KiB rings=2 threads=64",
    "design=rocshmem-ipc bytes=1MiB rings=2 threads=1024",
    "design=rocshmem-ipc{copy_unroll=4} bytes=1MiB rings=8",
};

static void test_link(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(few_rings); i++)
        for (int64_t gpus = 2; gpus <= 4 && is_sampled(i, 3); gpus *= 2) {
            ask(gpus, PEER_LINK_NODE, NULL, few_rings[i]);
            compare(25);
        }
}

/* All rings go over the same link, which is more or less full. */
static void test_full_link(void)
{
    static const struct {
        int64_t gpus;
        const char *settings;
    } full[] = {
        {4, "design=rocshmem-ipc bytes=2MiB rings=64 chunk=16KiB"},
        {2, "design=rocshmem-ipc bytes=2MiB rings=32 chunk=16KiB"},
        {2, "design=rocshmem-ipc bytes=4MiB rings=64 threads=512"},
        {2, "design=rocshmem-ipc bytes=4MiB rings=16"},
        {4, "design=rocshmem-ipc bytes=4MiB rings=12 threads=512"},
        {2, "design=rocshmem-ipc{copy_unroll=4} bytes=4MiB rings=24"},
    };
    for (size_t i = 0; i < (IS_SANITIZED ? 1 : G_N_ELEMENTS(full)); i++) {
        ask(full[i].gpus, PEER_LINK_NODE, NULL, full[i].settings);
        compare(25);
    }
}

/* Over two links, the second of which several GPUs may share. */
static void test_switch(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(few_rings); i++) {
        if (!is_sampled(i, 3))
            continue;
        ask(4, PEER_LINK_SWITCH, NULL, few_rings[i]);
        compare(50);
    }
}

static void small_l2(struct machine_spec *machine)
{
    machine->gpu.l2.size_bytes = 256 << 10;
}

static void allocating_l2(struct machine_spec *machine)
{
    small_l2(machine);
    machine->gpu.bus_allocates = true;
}

static void few_units(struct machine_spec *machine)
{
    machine->gpu.compute_units = 2;
}

/* Lines miss; compute units are shared. */
static void test_disturbed(void)
{
    void (*const changes[])(struct machine_spec *) = {small_l2, allocating_l2, few_units};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        ask(2, PEER_LINK_NODE, changes[i], "design=rocshmem-ipc bytes=1MiB rings=8");
        compare(60);
    }
}

/* Of 64 KiB by 256 work-items 16 steps of 64 stores each are left a few events, wherever they go. */
static void test_events(void)
{
    ask(2, PEER_LINK_NODE, NULL, "design=rocshmem-ipc bytes=1MiB rings=1");
    uint64_t chunks = 2 * 2 * 8;
    struct outcome blocks = run_so(false);
    g_test_message("%.1f events a chunk", (double)blocks.events / (double)chunks);
    g_assert_cmpuint(blocks.events, <, 100 * chunks);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/peer_blocks/link", test_link);
    g_test_add_func("/peer_blocks/full_link", test_full_link);
    g_test_add_func("/peer_blocks/switch", test_switch);
    g_test_add_func("/peer_blocks/disturbed", test_disturbed);
    g_test_add_func("/peer_blocks/events", test_events);
    return g_test_run();
}
