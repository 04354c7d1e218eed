/* SPDX-License-Identifier: BSD-3-Clause */
/* The workload of Fig 8a: its stages add up to the latency, results follow the parameters, and a run gives the same result
 * when it is repeated. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../last_error.h"
#include "../sanitized.h"
#include "../software_test.h"
#include "protocols/design.h"
#include "workloads/workloads.h"

struct run {
    struct machine_spec machine;
    char spec[1024]; /* of get_latency, by its table */
    struct workload_result result;
};

static void set(struct run *run, const char *name, const char *text)
{
    const struct param_table *table = get_latency_workload.params;
    const struct param *param = param_find(table, name);
    g_assert_nonnull(param);
    if (!param_set_text(table, param, run->spec, text, fresh_error()))
        g_error("%s", last_words());
}

static void prepare(struct run *run, const char *design, const char *bytes)
{
    memset(run, 0, sizeof *run);
    g_assert_cmpuint(get_latency_workload.params->spec_size, <=, sizeof run->spec);
    machine_spec_init(&run->machine, software_tables());
    SOFTWARE(run->machine)->phases = PHASES_FIXED;
    param_set_defaults(get_latency_workload.params, run->spec);
    set(run, "design", design);
    set(run, "bytes", bytes);
}

static bool go(struct run *run)
{
    run->result = (struct workload_result){.count = 0};
    return get_latency_workload.run(&run->machine, run->spec, 1, &run->result, fresh_error());
}

static int64_t measure(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->result.count; i++)
        if (strcmp(run->result.measures[i].name, name) == 0)
            return run->result.measures[i].quantity;
    g_error("no measure %s", name);
}

static int64_t latency_of_repeats(const char *design, const char *bytes, const char *repeats)
{
    struct run run;
    prepare(&run, design, bytes);
    set(&run, "repeats", repeats);
    g_assert_true(go(&run));
    return measure(&run, "latency");
}

static int64_t latency_of(const char *design, const char *bytes)
{
    return latency_of_repeats(design, bytes, "100");
}

static const char *const stages[] = {"posted",  "seen",      "served",    "doorbell", "fetched",
                                     "on_wire", "delivered", "completed", "noticed"};

/* With one measured operation every mean is a time in whole picoseconds, and the stages' sum is the
 * latency exactly. */
static void test_stages_add_up(void)
{
    static const char *const sizes[] = {"1B", "8B", "64B", "65B", "4KiB", "1MiB"};
    for (size_t d = 0; kernel_designs()[d] != NULL; d++)
        for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
            struct run run;
            if (!is_sampled(d + s, 6))
                continue;
            prepare(&run, kernel_designs()[d], sizes[s]);
            set(&run, "repeats", "1");
            g_assert_true(go(&run));
            int64_t sum_ps = 0;
            for (size_t i = 0; i < G_N_ELEMENTS(stages); i++)
                sum_ps += measure(&run, stages[i]);
            g_assert_cmpint(sum_ps, ==, measure(&run, "latency"));
            g_assert_cmpint(measure(&run, "latency_min"), ==, measure(&run, "latency_max"));
        }
}

/* Where a work-group serves itself, nobody sees what it posts, and it notices itself. */
static bool has_no_server(const char *stage)
{
    return strcmp(stage, "posted") == 0 || strcmp(stage, "seen") == 0 ||
           strcmp(stage, "noticed") == 0;
}

/* Every stage that a design passes takes time. */
static void test_stages_are_passed(void)
{
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        struct run run;
        if (!is_sampled(d, 2))
            continue;
        prepare(&run, kernel_designs()[d], "8B");
        g_assert_true(go(&run));
        for (size_t i = 0; i < G_N_ELEMENTS(stages); i++)
            if (strcmp(stages[i], "completed") != 0 && /* may be hidden behind the delivery */
                !(design_server_kind(design_named(kernel_designs()[d]))->is_initiator &&
                  has_no_server(stages[i])))
                g_assert_cmpint(measure(&run, stages[i]), >, 0);
    }
}

/* What the parameters say of comp-net's first stage: two instructions' times, a store to the L2 and its
 * acknowledgement. */
static void test_post_by_formula(void)
{
    struct run run;
    prepare(&run, "comp-net", "8B");
    g_assert_true(go(&run));
    const struct gpu_spec *gpu = &run.machine.gpu;
    int64_t fill_ps = cycles_ps(SOFTWARE(run.machine)->post_instructions * gpu->instruction_cycles,
                                gpu->clock_Hz);
    int64_t store_ps = cycles_ps(gpu->l1.latency_cycles, gpu->clock_Hz) +
                       cycles_ps(gpu->l2.latency_cycles, gpu->clock_Hz) / 2 * 2;
    g_assert_cmpint(measure(&run, "posted"), ==, fill_ps + store_ps);
}

/* A payload has no more of the memories at its ends than their rate. */
static void test_slow_memory(void)
{
    static const char *const designs[] = {"dgpu", "comp-net", "gpu-verbs"};
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++) {
        struct run run;
        prepare(&run, designs[d], "64MiB");
        set(&run, "repeats", "1");
        run.machine.gpu.memory_rate_Bps = INT64_C(1000000000);
        g_assert_true(go(&run));
        int64_t expected_ps = transfer_ps(INT64_C(64) << 20, INT64_C(1000000000));
        g_assert_cmpint(measure(&run, "latency"), >=, expected_ps);
        g_assert_cmpint(measure(&run, "latency"), <=, expected_ps + expected_ps / 100);
    }
}

/* From one size to another, both large, the latency grows by the bytes at the rate of the network; packets
 * have headers. Phases are fixed, so ten gets tell what a hundred do. */
static void test_slope_is_the_network(void)
{
    struct machine_spec machine;
    machine_spec_init(&machine, software_tables());
    int64_t bytes = 1 << 20;
    int64_t packets = bytes / machine.nic.packet_payload_bytes;
    int64_t wire_bytes = bytes + packets * machine.nic.packet_header_bytes;
    int64_t expected_ps = transfer_ps(wire_bytes, machine.network.wire.rate_Bps);
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        if (!is_sampled(d, 5))
            continue;
        int64_t grown_ps = latency_of_repeats(kernel_designs()[d], "2MiB", "10") -
                           latency_of_repeats(kernel_designs()[d], "1MiB", "10");
        /* A design that polls in long steps may notice a step earlier or later. */
        g_assert_cmpint(ABS(grown_ps - expected_ps), <, 3 * PS_PER_US);
    }
}

/* Latency does not fall when the payload grows, but for the phase of the pollers: one work-group that
 * gets again and again locks into step with them, and a longer transfer may end just before a poll of
 * the work-group where a shorter one ended just behind it. The longest such step, a load over the bus
 * and back, takes less than 800 ns. */
static void test_monotonic_in_bytes(void)
{
    static const char *const sizes[] = {"8B",   "64B",  "65B",   "256B",
                                        "1KiB", "4KiB", "16KiB", "256KiB"};
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        int64_t before_ps = 0;
        if (!is_sampled(d, 6))
            continue;
        for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
            int64_t now_ps = latency_of(kernel_designs()[d], sizes[s]);
            g_assert_cmpint(now_ps, >=, before_ps - 800 * PS_PER_NS);
            before_ps = now_ps;
        }
    }
}

/* A slower CP, a farther bus: each design feels what it uses. */
static void test_parameters_matter(void)
{
    struct run run;
    prepare(&run, "comp-net", "8B");
    g_assert_true(go(&run));
    int64_t fast_ps = measure(&run, "latency");
    run.machine.cp.core.clock_Hz /= 2;
    g_assert_true(go(&run));
    g_assert_cmpint(measure(&run, "latency"), >, fast_ps);

    prepare(&run, "dgpu", "8B");
    g_assert_true(go(&run));
    int64_t near_ps = measure(&run, "latency");
    run.machine.cp.core.clock_Hz /= 2; /* not in use */
    g_assert_true(go(&run));
    g_assert_cmpint(measure(&run, "latency"), ==, near_ps);
    run.machine.gpu.bus_inbound_ps += 100 * PS_PER_NS;
    g_assert_true(go(&run));
    g_assert_cmpint(measure(&run, "latency"), >, near_ps);
}

/* In every design the NIC reads a command over the bus, there and back, wherever its queue lies (N-37), but
 * where that is on the NIC's own board, or it has been read beforehand. */
static void test_commands_cross_the_bus(void)
{
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        struct run run;
        const struct design *design = design_named(kernel_designs()[d]);
        if (design->nic_queue.memory == MEMORY_NIC || design_is_triggered(design))
            continue;
        prepare(&run, kernel_designs()[d], "8B");
        g_assert_true(go(&run));
        const struct bus_spec *bus = &run.machine.bus;
        int64_t way_ps = 2 * bus->wire.latency_ps + bus->switch_latency_ps;
        int64_t wires_ps = 2 * transfer_ps(bus->header_bytes, bus->wire.rate_Bps) +
                           2 * transfer_ps(64 + bus->header_bytes, bus->wire.rate_Bps);
        g_assert_cmpint(measure(&run, "fetched"), >, 2 * way_ps + wires_ps);
    }
}

/* Blocking operations are completed after a number of polling rounds (N-65), which a dgpu feels. */
static void test_polling_rounds(void)
{
    struct run run;
    prepare(&run, "dgpu", "8B");
    g_assert_true(go(&run));
    int64_t few_ps = measure(&run, "latency");
    set(&run, "design", "dgpu{polling_rounds=32}");
    g_assert_true(go(&run));
    g_assert_cmpint(measure(&run, "latency"), >, few_ps);
}

static void test_repeats_exactly(void)
{
    struct run first, second;
    prepare(&first, "dgpu", "4KiB");
    prepare(&second, "dgpu", "4KiB");
    g_assert_true(go(&first) && go(&second));
    g_assert_cmpuint(first.result.count, ==, second.result.count);
    for (size_t i = 0; i < first.result.count; i++)
        g_assert_cmpint(first.result.measures[i].quantity, ==, second.result.measures[i].quantity);
}

static void test_refusals(void)
{
    struct run run;
    prepare(&run, "comp-net{service_threads=3}", "8B");
    g_assert_false(go(&run));
    g_assert_cmpstr(
        last_words(), ==,
        "3 service threads need as many cores, design comp-net{service_threads=3} has 2");
    prepare(&run, "comp-net", "8B");
    run.machine.gpu.l2.size_bytes = 1000000;
    g_assert_false(go(&run));
    g_assert_nonnull(strstr(last_words(), "gpu.l2_size of 1000000 bytes"));
}

/* A work-group does any number of operations (fewer under sanitizers, where a million take minutes). */
static void test_million(void)
{
    const char *const repeats = IS_SANITIZED ? "5000" : "1000000";
    struct run few, many;
    prepare(&few, "comp-net", "8B");
    prepare(&many, "comp-net", "8B");
    set(&few, "repeats", "1000");
    set(&many, "repeats", repeats);
    g_assert_true(go(&few) && go(&many));
    g_assert_cmpint(measure(&many, "latency_p50"), ==, measure(&few, "latency_p50"));
    g_assert_cmpint(measure(&many, "latency_max"), ==, measure(&few, "latency_max"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/get-latency/stages-add-up", test_stages_add_up);
    g_test_add_func("/get-latency/stages-are-passed", test_stages_are_passed);
    g_test_add_func("/get-latency/post-by-formula", test_post_by_formula);
    g_test_add_func("/get-latency/slope-is-the-network", test_slope_is_the_network);
    g_test_add_func("/get-latency/slow-memory", test_slow_memory);
    g_test_add_func("/get-latency/monotonic-in-bytes", test_monotonic_in_bytes);
    g_test_add_func("/get-latency/parameters-matter", test_parameters_matter);
    g_test_add_func("/get-latency/commands-cross-the-bus", test_commands_cross_the_bus);
    g_test_add_func("/get-latency/polling-rounds", test_polling_rounds);
    g_test_add_func("/get-latency/repeats-exactly", test_repeats_exactly);
    g_test_add_func("/get-latency/refusals", test_refusals);
    g_test_add_func("/get-latency/million", test_million);
    return g_test_run();
}
