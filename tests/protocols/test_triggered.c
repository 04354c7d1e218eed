/* SPDX-License-Identifier: BSD-3-Clause */
/* Triggers pulled by work-groups: what they cost the GPU, what the host does beforehand, and what becomes of
 * it when the host is late. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../last_error.h"
#include "../software_test.h"
#include "../workload_once.h"
#include "protocols/design.h"
#include "workloads/workloads.h"

struct run {
    struct machine_spec machine;
    _Alignas(max_align_t) char spec[1024];
    struct workload_result result;
};

static void set(struct run *run, const struct workload *workload, const char *name,
                const char *text)
{
    if (!param_set_text(workload->params, param_find(workload->params, name), run->spec, text,
                        fresh_error()))
        g_error("%s", last_words());
}

static void prepare(struct run *run, const struct workload *workload, const char *design)
{
    memset(run, 0, sizeof *run);
    machine_spec_init(&run->machine, software_tables());
    param_set_defaults(workload->params, run->spec);
    set(run, workload, "design", design);
    set(run, workload, "bytes", "8B");
}

static bool go(struct run *run, const struct workload *workload)
{
    run->result = (struct workload_result){.count = 0};
    return run_or_once(workload, &run->machine, run->spec, 1, &run->result, fresh_error());
}

static int64_t measure(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->result.count; i++)
        if (strcmp(run->result.measures[i].name, name) == 0)
            return run->result.measures[i].quantity;
    g_error("no measure %s", name);
}

/* `repeats` gets of a work-group: fewer than half a queue, so that it tells the host nothing. */
static int64_t get_ps(struct run *run, const char *design)
{
    prepare(run, &get_latency_workload, design);
    set(run, &get_latency_workload, "repeats", "20");
    g_assert_true(go(run, &get_latency_workload));
    return measure(run, "latency");
}

/* The work-group executes its instructions and stores; the NIC has the command and takes a doorbell's time. */
static void test_by_formula(void)
{
    struct run run;
    get_ps(&run, "triggered");
    const struct gpu_spec *gpu = &run.machine.gpu;
    int64_t instructions = SOFTWARE(run.machine)->trigger_instructions * gpu->instruction_cycles;
    g_assert_cmpint(measure(&run, "served"), ==, cycles_ps(instructions, gpu->clock_Hz));
    g_assert_cmpint(measure(&run, "fetched"), ==, run.machine.nic.doorbell_latency_ps);
}

/* Against a work-group that writes commands itself: the library's put, the store of a command and its
 * release, and the fetch are gone. What lies behind them is the same. */
static void test_less_than_verbs(void)
{
    struct run triggered, verbs;
    int64_t gained_ps = get_ps(&verbs, "gpu-verbs") - get_ps(&triggered, "triggered");
    const struct gpu_spec *gpu = &verbs.machine.gpu;
    const struct software_spec *software = SOFTWARE(verbs.machine);
    int64_t instructions = software->library_instructions - software->trigger_instructions;
    int64_t least_ps = cycles_ps(instructions * gpu->instruction_cycles, gpu->clock_Hz) +
                       4 * verbs.machine.bus.wire.latency_ps;
    g_assert_cmpint(gained_ps, >, least_ps);
    static const char *const same[] = {"doorbell", "on_wire", "delivered"};
    for (size_t i = 0; i < G_N_ELEMENTS(same); i++)
        g_assert_cmpint(measure(&triggered, same[i]), ==, measure(&verbs, same[i]));
}

/* A host that takes 20 us to post a command: it has nothing posted before the kernel runs, and an operation takes
 * as long as its command, but for where in it the measuring begins. */
static void test_late_host(void)
{
    struct run run;
    prepare(&run, &get_latency_workload, "triggered");
    const struct host_spec *host = &run.machine.host;
    int64_t instructions =
        (int64_t)(20e-6 * (double)host->core.clock_Hz * host->core.instructions_per_cycle);
    SOFTWARE(run.machine)->library_instructions = instructions;
    set(&run, &get_latency_workload, "repeats", "50");
    g_assert_true(go(&run, &get_latency_workload));
    g_assert_cmpint(measure(&run, "latency"), >, 19 * PS_PER_US);
    g_assert_cmpint(measure(&run, "latency"), <, 21 * PS_PER_US);
}

/* With room for one command, host and work-group take turns; with room for many they need not. Within the phases in which
 * both poll: a host that is never full is 0.2 % later than one that waits for the third entry each time. */
static void test_credit(void)
{
    static const int64_t entries[] = {1, 2, 3, 64};
    int64_t before_ps = SIM_TIME_LAST;
    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++) {
        struct run run;
        prepare(&run, &get_latency_workload, "triggered");
        SOFTWARE(run.machine)->queue_entries = entries[i];
        set(&run, &get_latency_workload, "repeats", "200");
        g_assert_true(go(&run, &get_latency_workload));
        g_assert_cmpint(measure(&run, "latency"), <=, before_ps + before_ps / 200);
        before_ps = measure(&run, "latency");
    }
}

/* Neighbours in many work-groups, and ping-pong between nodes: the data library is all there. */
static void test_workloads(void)
{
    struct run run;
    prepare(&run, &neighbour_exchange_workload, "triggered");
    g_assert_true(go(&run, &neighbour_exchange_workload));
    g_assert_cmpint(measure(&run, "turn"), >, 2 * run.machine.network.wire.latency_ps);
    prepare(&run, &osu_latency_workload, "triggered");
    set(&run, &osu_latency_workload, "placement", "inter-node");
    g_assert_true(go(&run, &osu_latency_workload));
    g_assert_cmpint(measure(&run, "latency"), >, run.machine.network.wire.latency_ps);
}

/* Small queues, so that host threads and work-groups wait for each other all the time, and meet on the bus at the same
 * picosecond: polls that are counted instead of made leave all as it is. */
static void test_poll_skipping(void)
{
    static const char *const measures[] = {"latency", "latency_max", "duration"};
    for (int64_t entries = 1; entries <= 2; entries++) {
        int64_t made[G_N_ELEMENTS(measures)];
        for (int skips = 0; skips < 2; skips++) {
            struct run run;
            prepare(&run, &queue_service_workload, "triggered");
            set(&run, &queue_service_workload, "work_groups", "64");
            set(&run, &queue_service_workload, "operations", "6");
            SOFTWARE(run.machine)->queue_entries = entries;
            SOFTWARE(run.machine)->exact = !skips;
            SOFTWARE(run.machine)->phases = PHASES_FIXED;
            g_assert_true(go(&run, &queue_service_workload));
            for (size_t i = 0; i < G_N_ELEMENTS(measures); i++) {
                if (skips)
                    g_assert_cmpint(measure(&run, measures[i]), ==, made[i]);
                made[i] = measure(&run, measures[i]);
            }
        }
    }
}

/* A chain is one pull of two commands. The signal sets out when its put is acknowledged, so a neighbour hears of it one way
 * there and back and one command later, whatever NICs take for a packet; and nobody's instructions are in between. */
static void test_chain(void)
{
    struct run run;
    prepare(&run, &neighbour_exchange_workload, "triggered");
    g_assert_true(go(&run, &neighbour_exchange_workload));
    int64_t together_ps = measure(&run, "turn");
    prepare(&run, &neighbour_exchange_workload, "triggered-chain");
    g_assert_true(go(&run, &neighbour_exchange_workload));
    int64_t more_ps = measure(&run, "turn") - together_ps;
    int64_t least_ps = 2 * run.machine.network.wire.latency_ps + run.machine.nic.command_latency_ps;
    g_assert_cmpint(more_ps, >=, least_ps);
    run.machine.nic.packet_latency_ps += PS_PER_US;
    g_assert_true(go(&run, &neighbour_exchange_workload));
    int64_t slower_ps = measure(&run, "turn") - together_ps - more_ps;
    g_assert_cmpint(slower_ps, >,
                    4 * PS_PER_US - PS_PER_US / 2); /* put and signal, each acknowledged */
    g_assert_cmpint(slower_ps, <, 4 * PS_PER_US + PS_PER_US / 2);
}

/* What it cannot do, with the reason. */
static void test_refusals(void)
{
    static const struct {
        const char *point, *reason;
    } refused[] = {
        {"triggered{nic_queue.memory=gpu}",
         "nic_queue.memory = gpu is for commands that are posted when"},
        {"triggered{nic_queue.sharers=2}",
         "nic_queue.sharers = 2 is for commands that are posted when"},
        {"openmpi-d{server=nic_trigger}", "starts what work-groups pull"},
        {"triggered{polling_rounds=2}", "polling_rounds = 2 is for a server who polls"},
        {"triggered{coalesce.count=8 coalesce.timeout=1us}", "coalesce.count"},
    };
    test_designs_load();
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        struct design design;
        g_autoptr(GError) error = NULL;
        if (param_record_set_text(&design_record, &design, refused[i].point, &error))
            g_error("%s is taken", refused[i].point);
        if (strstr(error->message, refused[i].reason) == NULL)
            g_error("%s: %s", refused[i].point, error->message);
    }
    struct run run;
    prepare(&run, &queue_service_workload, "triggered");
    set(&run, &queue_service_workload, "operation", "nop");
    g_assert_false(go(&run, &queue_service_workload));
    g_assert_nonnull(strstr(last_words(), "nobody who polls"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/triggered/by_formula", test_by_formula);
    g_test_add_func("/triggered/less_than_verbs", test_less_than_verbs);
    g_test_add_func("/triggered/late_host", test_late_host);
    g_test_add_func("/triggered/credit", test_credit);
    g_test_add_func("/triggered/workloads", test_workloads);
    g_test_add_func("/triggered/poll_skipping", test_poll_skipping);
    g_test_add_func("/triggered/chain", test_chain);
    g_test_add_func("/triggered/refusals", test_refusals);
    return g_test_run();
}
