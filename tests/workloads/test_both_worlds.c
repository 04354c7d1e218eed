/* SPDX-License-Identifier: BSD-3-Clause */
/* Every design on every machine gives a result that is physically possible, or is refused with a sentence: all named
 * designs, and designs drawn at random from the axes. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../fabric/fabric_test.h"
#include "../last_error.h"
#include "../models/ac922_test.h"
#include "../sanitized.h"
#include "../software_test.h"
#include "../workload_once.h"
#include "core/rng.h"
#include "workloads/workloads.h"

#define DRAWS (IS_SANITIZED ? 25 : 500)

static struct machine_spec gcn3_like(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    return spec;
}

/* Its shape and devices, and software of all runtimes. */
static struct machine_spec ac922_like(void)
{
    struct machine_spec spec, devices = ac922_spec();
    machine_spec_init(&spec, software_tables());
    spec.nodes = devices.nodes;
    spec.node = devices.node;
    spec.nvlink = devices.nvlink;
    spec.socket_link = devices.socket_link;
    spec.bus = devices.bus;
    spec.network = devices.network;
    spec.nic = devices.nic;
    return spec;
}

static const struct {
    const char *name;
    struct machine_spec (*spec)(void);
} machines[] = {{"gcn3", gcn3_like}, {"ac922", ac922_like}};

/* What is run, and the measure that is a way from node to node or more. */
static const struct {
    const struct workload *workload;
    const char *settings, *measure;
} runs[] = {
    {&get_latency_workload, "repeats=4 warmup=1", "latency"},
    {&osu_latency_workload, "placement=inter-node iterations=4 warmup=1", "latency"},
    {&neighbour_exchange_workload, "iterations=4 warmup=1", "turn"},
};

struct call {
    struct machine_spec machine;
    _Alignas(max_align_t) char spec[1024];
    struct workload_result result;
};

static void set(struct call *call, const struct param_table *table, const char *name,
                const char *value)
{
    if (!param_set_text(table, param_find(table, name), call->spec, value, fresh_error()))
        g_error("%s", last_words());
}

/* Whether run number `r` on machine number `m` gives a result. */
static bool run(struct call *call, size_t m, size_t r, const char *design, int64_t bytes)
{
    const struct workload *workload = runs[r].workload;
    g_autofree char *size = g_strdup_printf("%" G_GINT64_FORMAT "B", bytes);
    g_auto(GStrv) pairs = g_strsplit(runs[r].settings, " ", -1);
    g_test_message("%s %s %s %s", machines[m].name, workload->name, design, size);
    call->machine = machines[m].spec();
    memset(&call->result, 0, sizeof call->result);
    g_assert_cmpuint(workload->params->spec_size, <=, sizeof call->spec);
    param_set_defaults(workload->params, call->spec);
    set(call, workload->params, "design", design);
    set(call, workload->params, "bytes", size);
    for (size_t i = 0; pairs[i] != NULL; i++) {
        g_auto(GStrv) pair = g_strsplit(pairs[i], "=", 2);
        set(call, workload->params, pair[0], pair[1]);
    }
    bool good = run_or_once(workload, &call->machine, call->spec, 1, &call->result, fresh_error());
    g_assert_cmpint(good, ==, last_words()[0] == '\0');
    return good;
}

static int64_t measure(const struct call *call, const char *name)
{
    for (size_t i = 0; i < call->result.count; i++)
        if (strcmp(call->result.measures[i].name, name) == 0)
            return call->result.measures[i].quantity;
    g_error("no measure %s", name);
}

/* Payloads cross a cable at its latency, and no faster than its rate. */
static int64_t least_ps(const struct machine_spec *spec, int64_t bytes)
{
    return spec->network.wire.latency_ps +
           (int64_t)((double)bytes * 1e12 / (double)spec->network.wire.rate_Bps);
}

/* From this size on a put fits into no message of gathered ones (64 of a line), and waits for no others. */
static bool goes_alone(const char *design, int64_t bytes)
{
    return test_design(design).coalesce.count > 0 && bytes > 4096;
}

/* With more bytes it takes longer, but for where in a polling loop its end is met: 5 %. */
static void check_sizes(size_t m, size_t r, const char *design)
{
    int64_t before_ps = 0;
    for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 8) {
        struct call call;
        if (!run(&call, m, r, design, bytes))
            g_error("%s on %s: %s", design, machines[m].name, last_words());
        int64_t took_ps = measure(&call, runs[r].measure);
        g_assert_cmpint(took_ps, >=, least_ps(&call.machine, bytes));
        if (!goes_alone(design, bytes) || goes_alone(design, bytes / 8))
            g_assert_cmpint(took_ps, >=, before_ps - before_ps / 20);
        before_ps = took_ps;
    }
}

/* Those of coherent nodes too: the form of a node is the design's. */
static void check_named(size_t m)
{
    for (size_t r = 0; r < G_N_ELEMENTS(runs); r++)
        for (size_t d = 0; d < designs_count(); d++) {
            const struct named_design *named = designs_at(d);
            g_autoptr(GError) error = NULL;
            if (!is_sampled(d + r + m, 3))
                continue;
            if (runs[r].workload->accepts(&named->design, &error))
                check_sizes(m, r, named->name);
            else
                g_assert_cmpstr(error->message, !=, "");
        }
}

/* A value of an axis. */
static void draw_axis(struct rng *rng, struct design *design)
{
    static const char *const counts[] = {"1", "2", "7", "64"},
                             *const times[] = {"1ns", "1us", "1ms"},
                             *const sizes[] = {"0B", "200B", "64KiB"};
    const struct param *axis = &design_params.params[rng_below(rng, design_params.count)];
    const char *value = times[rng_below(rng, G_N_ELEMENTS(times))];
    g_autoptr(GError) error = NULL;
    if (axis->kind == PARAM_CHOICE)
        value = axis->choices[rng_below(rng, g_strv_length((char **)(uintptr_t)axis->choices))];
    else if (axis->kind == PARAM_BOOL)
        value = rng_below(rng, 2) == 0 ? "false" : "true";
    else if (axis->unit == UNIT_COUNT)
        value = counts[rng_below(rng, G_N_ELEMENTS(counts))];
    else if (axis->unit == UNIT_BYTES)
        value = sizes[rng_below(rng, G_N_ELEMENTS(sizes))];
    if (!param_set_text(&design_params, axis, design, value, &error))
        g_error("%s", error->message);
}

/* A named design, and up to four axes of it otherwise. */
static void check_drawn(size_t m)
{
    struct rng rng;
    int64_t refused = 0, results = 0, sentences = 0;
    rng_init(&rng, 11, machines[m].name);
    for (int i = 0; i < DRAWS; i++) {
        struct design design = designs_at(rng_below(&rng, designs_count()))->design;
        size_t r = rng_below(&rng, G_N_ELEMENTS(runs));
        char text[PARAM_TEXT_SIZE];
        g_autoptr(GError) error = NULL;
        for (uint64_t axes = rng_below(&rng, 5); axes > 0; axes--)
            draw_axis(&rng, &design);
        if (!design_valid(&design, &error) || !runs[r].workload->accepts(&design, &error)) {
            g_assert_cmpstr(error->message, !=, "");
            refused++;
            continue;
        }
        struct call call;
        bool good = run(&call, m, r, design_text(&design, text), 8);
        if (good)
            g_assert_cmpint(measure(&call, runs[r].measure), >=, least_ps(&call.machine, 8));
        *(good ? &results : &sentences) += 1;
    }
    g_test_message("%d refused, %d results, %d sentences", (int)refused, (int)results,
                   (int)sentences);
    g_assert_cmpint(refused, >, DRAWS / 10);
    g_assert_cmpint(results, >, DRAWS / 10);
}

static void test_named_on_gcn3(void)
{
    check_named(0);
}
static void test_named_on_ac922(void)
{
    check_named(1);
}
static void test_drawn_on_gcn3(void)
{
    check_drawn(0);
}
static void test_drawn_on_ac922(void)
{
    check_drawn(1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    add_test("/both_worlds/named_on_gcn3", test_named_on_gcn3);
    add_test("/both_worlds/named_on_ac922", test_named_on_ac922);
    add_test("/both_worlds/drawn_on_gcn3", test_drawn_on_gcn3);
    add_test("/both_worlds/drawn_on_ac922", test_drawn_on_ac922);
    return g_test_run();
}
