/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of agents other than CPU cores and command processors: each has a test of what distinguishes it. Also puts that a
 * server gathers into one message. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../last_error.h"
#include "../software_test.h"
#include "core/simtime.h"
#include "protocols/design.h"
#include "workloads/workloads.h"

struct call {
    struct machine_spec machine;
    struct workload_result result;
};

static void start(struct call *call)
{
    memset(call, 0, sizeof *call);
    machine_spec_init(&call->machine, software_tables());
    SOFTWARE(call->machine)->phases = PHASES_FIXED;
}

/* `text`: "name=value ..." of queue_service. */
static bool run(struct call *call, const char *text)
{
    const struct param_table *table = queue_service_workload.params;
    char spec[1024];
    call->result = (struct workload_result){.count = 0};
    param_set_defaults(table, spec);
    g_auto(GStrv) settings = g_strsplit(text, " ", 0);
    for (size_t i = 0; settings[i] != NULL; i++) {
        g_auto(GStrv) pair = g_strsplit(settings[i], "=", 2);
        if (!param_set_text(table, param_find(table, pair[0]), spec, pair[1], fresh_error()))
            g_error("%s", last_words());
    }
    return queue_service_workload.run(&call->machine, spec, 1, &call->result, fresh_error());
}

static void run_well(struct call *call, const char *text)
{
    if (!run(call, text))
        g_error("%s: %s", text, last_words());
}

static double measure(const struct call *call, const char *name)
{
    for (size_t i = 0; i < call->result.count; i++) {
        const struct workload_measure *measure = &call->result.measures[i];
        if (strcmp(measure->name, name) == 0)
            return measure->is_ratio ? measure->ratio : (double)measure->quantity;
    }
    g_error("no measure %s", name);
}

/* Each kind says all that it must, under a name of its own. */
static void test_table(void)
{
    struct machine_spec machine;
    machine_spec_init(&machine, NULL);
    for (size_t i = 0; agent_kinds[i] != NULL; i++) {
        const struct agent_kind *kind = agent_kinds[i];
        g_assert_nonnull(kind->description);
        for (size_t k = 0; k < i; k++)
            g_assert_cmpstr(kind->name, !=, agent_kinds[k]->name);
        if (kind->is_initiator)
            continue;
        int64_t power_mW[AGENT_STATES] = {0};
        agent_power(kind, &machine, power_mW);
        g_assert_true(agent_room(kind, &machine) > 0 && power_mW[AGENT_ACTIVE] > 0);
        g_assert_true((kind->init == NULL) != (kind->start == NULL));
    }
}

/* More threads than there are cores of the kind: refused with the number. */
static void test_room(void)
{
    struct call call;
    start(&call);
    call.machine.smart_nic.cores = 3;
    g_assert_false(run(&call, "design=smart-nic{service_threads=4} work_groups=8"));
    g_assert_nonnull(strstr(last_words(), "design smart-nic{service_threads=4} has 3"));
    call.machine.gpu.compute_units = 1;
    call.machine.gpu.waves_per_cu = 2;
    g_assert_false(run(&call, "design=gpu-thread{service_threads=3} work_groups=1"));
    g_assert_nonnull(strstr(last_words(), "design gpu-thread{service_threads=3} has 2"));
}

/* A warp looks at all its queues in one load and serves them one by one, a thread looks at one after the
 * other: alike for one queue, the warp ahead for many. */
static void test_warp_and_thread(void)
{
    struct call warp, thread;
    start(&warp);
    start(&thread);
    run_well(&warp, "design=gpu-warp work_groups=1 operations=20");
    run_well(&thread, "design=gpu-thread work_groups=1 operations=20");
    g_assert_cmpfloat(measure(&warp, "latency"), ==, measure(&thread, "latency"));
    run_well(&warp, "design=gpu-warp work_groups=32 operations=20");
    run_well(&thread, "design=gpu-thread work_groups=32 operations=20");
    g_assert_cmpfloat(measure(&warp, "latency"), <, 0.7 * measure(&thread, "latency"));
}

/* An agent on the GPU takes a wavefront's place: of 480 work-groups one has to wait for another's end. */
static void test_agent_takes_a_place(void)
{
    struct call call;
    start(&call);
    run_well(&call, "design=gpu-warp work_groups=480 operations=1");
    g_assert_cmpfloat(measure(&call, "work_groups_at_once"), ==, 479);
    run_well(&call, "design=comp-net work_groups=480 operations=1");
    g_assert_cmpfloat(measure(&call, "work_groups_at_once"), ==, 480);
}

/* Its own NIC is as far from a SmartNIC's core as the bus port, and no bus lies between. */
static void test_smart_nic_doorbell(void)
{
    struct call call;
    start(&call);
    call.machine.nic.doorbell_latency_ps = 0;
    run_well(&call, "design=smart-nic work_groups=1 operations=20");
    g_assert_cmpfloat(measure(&call, "doorbell"), ==,
                      (double)call.machine.smart_nic.bus_latency_ps);
    call.machine.smart_nic.bus_latency_ps += 100 * PS_PER_NS;
    run_well(&call, "design=smart-nic work_groups=1 operations=20");
    g_assert_cmpfloat(measure(&call, "doorbell"), ==,
                      (double)call.machine.smart_nic.bus_latency_ps);
}

/* Who posts for itself waits for nobody's thread: eight work-groups see what one sees, but for the turns at
 * the NIC's pipeline; no thread polls, no mutex is taken, and nobody's cores draw power. */
static void test_initiator(void)
{
    struct call one, eight;
    start(&one);
    start(&eight);
    run_well(&one, "design=gpu-verbs work_groups=1 operations=20");
    run_well(&eight, "design=gpu-verbs work_groups=8 operations=20");
    g_assert_cmpfloat(measure(&eight, "latency"), >=, measure(&one, "latency"));
    g_assert_cmpfloat(measure(&eight, "latency"), <, 1.05 * measure(&one, "latency"));
    g_assert_cmpfloat(measure(&eight, "polls"), ==, 0);
    g_assert_cmpfloat(measure(&eight, "locks_taken"), ==, 0);
    g_assert_cmpfloat(measure(&eight, "service_energy"), ==, 0);
}

/* A lone put waits for others as long as it may, and for its message to be unpacked and answered. */
static void test_gathering_waits(void)
{
    const struct design *gravel = design_named("gravel");
    struct call at_once, gathered;
    start(&at_once);
    start(&gathered);
    run_well(&at_once, "design=apu operation=put bytes=64B work_groups=1 operations=20");
    run_well(&gathered, "design=gravel operation=put bytes=64B work_groups=1 operations=20");
    double more_ps = measure(&gathered, "latency") - measure(&at_once, "latency");
    g_assert_cmpfloat(more_ps, >=, 0.95 * (double)gravel->coalesce.timeout_ps);
    g_assert_cmpfloat(more_ps, <, (double)(gravel->coalesce.timeout_ps + 2 * PS_PER_US));
    run_well(&at_once, "design=apu work_groups=1 operations=20");
    run_well(&gathered, "design=gravel work_groups=1 operations=20");
    double get_ps =
        measure(&at_once, "latency"); /* not gathered; but there are messages to look for */
    g_assert_cmpfloat(measure(&gathered, "latency"), >=, get_ps);
    g_assert_cmpfloat(measure(&gathered, "latency"), <, 1.02 * get_ps);
}

/* Many puts go together: the shared library's mutex is taken for a bundle, not for a put. */
static void test_gathering_saves(void)
{
    static const char text[] =
        "design=%s{service_threads=4} operation=put bytes=64B work_groups=256 operations=20";
    struct call at_once, gathered;
    start(&at_once);
    start(&gathered);
    g_autofree char *apu = g_strdup_printf(text, "apu"), *gravel = g_strdup_printf(text, "gravel");
    run_well(&at_once, apu);
    run_well(&gathered, gravel);
    g_assert_cmpfloat(measure(&gathered, "locks_taken"), <, measure(&at_once, "locks_taken") / 4);
    g_assert_cmpfloat(measure(&gathered, "operations_per_us"), >,
                      1.5 * measure(&at_once, "operations_per_us"));
}

/* Work-groups that are warm go on until all are, so that a few operations behind a long warm-up are counted under the load of many.
 * A warp serves its lanes in order and looks again before the last has posted again: this one has half as many turns. */
static void test_counted_under_load(void)
{
    struct call many, few;
    start(&many);
    start(&few);
    run_well(&many, "design=gpu-warp{service_threads=1} operation=nop work_groups=16 threads=32 "
                    "post=packed operations=128");
    run_well(&few, "design=gpu-warp{service_threads=1} operation=nop work_groups=16 threads=32 "
                   "post=packed operations=8 warmup=64");
    g_assert_cmpfloat(measure(&few, "latency"), >, 0.9 * measure(&many, "latency"));
    g_assert_cmpfloat(measure(&few, "latency"), <, 1.1 * measure(&many, "latency"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/agents/table", test_table);
    g_test_add_func("/agents/room", test_room);
    g_test_add_func("/agents/warp-and-thread", test_warp_and_thread);
    g_test_add_func("/agents/takes-a-place", test_agent_takes_a_place);
    g_test_add_func("/agents/smart-nic-doorbell", test_smart_nic_doorbell);
    g_test_add_func("/agents/initiator", test_initiator);
    g_test_add_func("/agents/gathering-waits", test_gathering_waits);
    g_test_add_func("/agents/gathering-saves", test_gathering_saves);
    g_test_add_func("/agents/counted-under-load", test_counted_under_load);
    return g_test_run();
}
