/* SPDX-License-Identifier: BSD-3-Clause */
/* The workload of Fig 7: properties that hold for all values of its parameters. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "../designs.h"
#include "../last_error.h"
#include "../software_test.h"
#include "workloads/workloads.h"

struct run {
    struct machine_spec machine;
    char spec[1024]; /* of l2_hit_rate, by its table */
    struct workload_result result;
};

static void set(struct run *run, const char *name, const char *text)
{
    const struct param_table *table = l2_hit_rate_workload.params;
    const struct param *param = param_find(table, name);
    g_assert_nonnull(param);
    if (!param_set_text(table, param, run->spec, text, fresh_error()))
        g_error("%s", last_words());
}

static void set_count(struct run *run, const char *name, int64_t count)
{
    char text[32];
    g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, count);
    set(run, name, text);
}

/* The machine of Fig 7: one CU, an L2 of 85 KiB. */
static void prepare(struct run *run, int64_t networking, int64_t streaming, bool locking)
{
    memset(run, 0, sizeof *run);
    g_assert_cmpuint(l2_hit_rate_workload.params->spec_size, <=, sizeof run->spec);
    machine_spec_init(&run->machine, software_tables());
    SOFTWARE(run->machine)->phases = PHASES_FIXED;
    run->machine.gpu.compute_units = 1;
    run->machine.gpu.l2.size_bytes = 85 << 10;
    run->machine.gpu.l2_locking = locking;
    param_set_defaults(l2_hit_rate_workload.params, run->spec);
    set(run, "design", "comp-net");
    set_count(run, "networking", networking);
    set_count(run, "streaming", streaming);
    set(run, "warmup", "100us");
    set(run, "duration", "200us");
}

static void go(struct run *run)
{
    run->result = (struct workload_result){.count = 0};
    if (!l2_hit_rate_workload.run(&run->machine, run->spec, 1, &run->result, fresh_error()))
        g_error("%s", last_words());
}

static double measure(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->result.count; i++) {
        const struct workload_measure *measure = &run->result.measures[i];
        if (strcmp(measure->name, name) == 0)
            return measure->is_ratio ? measure->ratio : (double)measure->quantity;
    }
    g_error("no measure %s", name);
}

/* Without locking the hit rate falls with every doubling of the streams beside 20 networking work-groups, but for
 * what a few hundred accesses leave open, until the CU's port is full. */
static void test_falls_with_streaming(void)
{
    double before = 2;
    for (int64_t streaming = 0; streaming <= 16; streaming += streaming == 0 ? 1 : streaming) {
        struct run run;
        prepare(&run, 20, streaming, false);
        go(&run);
        double now = measure(&run, "hit_rate");
        g_test_message("%2d streaming work-groups: %.3f", (int)streaming, now);
        g_assert_cmpfloat(now, <, before + 0.03);
        before = now;
        g_assert_cmpfloat(measure(&run, "locks"), ==, 0);
    }
    g_assert_cmpfloat(before, <, 0.5);
}

/* Locking keeps what has been posted until it is read. It pays where the command processor finds an entry at most
 * of its looks, and where those who wait for entries do not keep their lines in the L2 themselves. */
static void test_locking_helps(void)
{
    struct run runs[2];
    for (int i = 0; i < 2; i++) {
        prepare(&runs[i], 20, 20, i == 1);
        set(&runs[i], "queues", "networking");
        set(&runs[i], "design", "comp-net{queue.wait_on=read_index,polling_rounds=1}");
        go(&runs[i]);
    }
    double off = measure(&runs[0], "hit_rate_shared"), on = measure(&runs[1], "hit_rate_shared");
    g_test_message("%.3f without, %.3f with locking", off, on);
    g_assert_cmpfloat(on, >, off + 0.1);
    g_assert_cmpfloat(measure(&runs[1], "locks"), >, 10);
}

/* A line is locked from the arrival of the post at the L2 until the CP's next poll of it arrives there. For one
 * work-group alone that is at most a turn of the polling loop, on a GPU that does nothing else. */
static void test_lock_residency(void)
{
    struct run run;
    prepare(&run, 1, 0, true);
    go(&run);
    const struct machine_spec *machine = &run.machine;
    sim_time turn_ps = machine->cp.dcache.latency_cycles * PS_PER_S / machine->cp.core.clock_Hz +
                       cycles_ps(machine->gpu.l2.latency_cycles, machine->gpu.clock_Hz) +
                       cycles_ps(SOFTWARE(*machine)->poll_instructions, machine->cp.core.clock_Hz);
    g_test_message("p50 %.0f ps, a turn takes %d ps", measure(&run, "lock_p50"), (int)turn_ps);
    g_assert_cmpfloat(measure(&run, "lock_p50"), >, 0);
    g_assert_cmpfloat(measure(&run, "lock_p50"), <=, (double)turn_ps * 33 / 32);
    g_assert_cmpfloat(measure(&run, "locked_lines_most"), ==, 1);
}

/* More private data than the data cache holds make accesses of their own, which streams push out; locking does
 * nothing for them. */
static void test_private_data(void)
{
    struct run alone, beside;
    prepare(&alone, 8, 0, true);
    prepare(&beside, 8, 32, true);
    alone.machine.cp.private_data_bytes = beside.machine.cp.private_data_bytes = 48 << 10;
    set(&alone, "warmup", "1ms");
    go(&alone);
    go(&beside);
    g_assert_cmpfloat(measure(&alone, "accesses_private"), >, 0);
    g_assert_cmpfloat(measure(&alone, "hit_rate_private"), >, 0.5);
    g_assert_cmpfloat(measure(&beside, "hit_rate_private"), <, 0.1);
    g_assert_cmpfloat(measure(&beside, "latency"), >, measure(&alone, "latency"));
}

/* The same numbers again, and with polls made instead of counted (all but the number of events). */
static void test_repeats_exactly(void)
{
    struct run runs[3];
    for (int i = 0; i < 3; i++) {
        prepare(&runs[i], 6, 2, true);
        SOFTWARE(runs[i].machine)->exact = i >= 2;
        go(&runs[i]);
    }
    for (int i = 1; i < 3; i++)
        for (size_t k = 0; k < runs[0].result.count; k++) {
            const struct workload_measure *a = &runs[0].result.measures[k];
            const struct workload_measure *b = &runs[i].result.measures[k];
            if (i == 2 && strcmp(a->name, "events") == 0)
                continue;
            if (a->is_ratio)
                g_assert_cmpfloat(a->ratio, ==, b->ratio);
            else
                g_assert_cmpint(a->quantity, ==, b->quantity);
        }
}

/* The statistical L2 gives about the same answer. Farthest apart they are where the L2 is streamed through in
 * just the time after which a service thread comes back to a queue: by lines all go at once, since few
 * streams fill the sets evenly; by chance some go and some stay. */
static void test_statistical(void)
{
    static const struct {
        int64_t streaming;
        double bound;
    } loads[] = {{0, 0.02}, {1, 0.08}, {2, 0.08}, {4, 0.3}, {8, 0.08}, {16, 0.08}, {20, 0.08}};
    for (size_t i = 0; i < G_N_ELEMENTS(loads); i++) {
        struct run lines, chance;
        prepare(&lines, 20, loads[i].streaming, false);
        prepare(&chance, 20, loads[i].streaming, false);
        chance.machine.gpu.l2_model = L2_STATISTICAL;
        go(&lines);
        go(&chance);
        g_test_message("%2d streaming work-groups: %.3f by lines, %.3f by chance",
                       (int)loads[i].streaming, measure(&lines, "hit_rate"),
                       measure(&chance, "hit_rate"));
        g_assert_cmpfloat(fabs(measure(&lines, "hit_rate") - measure(&chance, "hit_rate")), <,
                          loads[i].bound);
    }
}

/* A thread has data of its own for each queue it serves: for one they stay in its data cache, for
 * twenty they do not. But for first touches. */
static void test_private_data_a_queue(void)
{
    struct run few, many;
    prepare(&few, 1, 0, false);
    prepare(&many, 20, 0, false);
    few.machine.cp.private_data_a_queue_bytes = many.machine.cp.private_data_a_queue_bytes = 4096;
    g_assert_cmpint(20 * 4096, >, 2 * few.machine.cp.dcache.size_bytes);
    go(&few);
    go(&many);
    g_assert_cmpfloat(measure(&few, "accesses_private"), <, measure(&few, "operations") / 2);
    g_assert_cmpfloat(measure(&many, "accesses_private"), >, measure(&many, "operations"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/l2-hit-rate/falls-with-streaming", test_falls_with_streaming);
    g_test_add_func("/l2-hit-rate/locking-helps", test_locking_helps);
    g_test_add_func("/l2-hit-rate/lock-residency", test_lock_residency);
    g_test_add_func("/l2-hit-rate/private-data", test_private_data);
    g_test_add_func("/l2-hit-rate/repeats-exactly", test_repeats_exactly);
    g_test_add_func("/l2-hit-rate/statistical", test_statistical);
    g_test_add_func("/l2-hit-rate/private-data-a-queue", test_private_data_a_queue);
    return g_test_run();
}
