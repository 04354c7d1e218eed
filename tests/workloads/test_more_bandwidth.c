/* SPDX-License-Identifier: BSD-3-Clause */
/* A property of runs drawn by chance, of a workload, a design and a machine: twice the network's rate makes no mean worse by more
 * than the spreads that the two results state; nor does twice another rate or clock, where nobody completes operations together after a
 * number of polls, which takes less time then and gathers less. A result without spread may not be worse at all, but for rounding. At its
 * limit a server may find otherwise filled queues in each round: a rate may fall by 2 %, as in tests/cli/test_invariants.py.
 *
 * GPUNETSIM_DRAWS and GPUNETSIM_SEED say how many runs and which. */
#define WORKLOAD_MEANS
#include <stdlib.h>

#include "../designs.h"
#include "../sanitized.h"
#include "core/rng.h"
#include "param_run.h"
#include "script/script.h"
#include "study/model/machine.h"
#include "workloads/workloads.h"

#define DRAWS (IS_SANITIZED ? 20 : 150)

static long setting_of(const char *name, long otherwise)
{
    const char *text = g_getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static const char *const machines[] = {"gcn3_node", "h200_cx7", "mi300a", "gpu_host"};

static const struct subject {
    const struct workload *workload;
    const char *arguments, *measure;
    bool is_rate; /* more is better */
} subjects[] = {
    {&get_latency_workload, "bytes=8B", "latency", false},
    {&get_latency_workload, "bytes=64KiB repeats=5", "latency", false},
    {&queue_service_workload, "operation=put bytes=4KiB work_groups=1 operations=20", "latency",
     false},
    {&queue_service_workload, "operation=get bytes=512B work_groups=6 operations=10", "latency",
     false},
    {&neighbour_exchange_workload, "bytes=4KiB work_groups=2 iterations=10", "turn", false},
    {&message_rate_workload, "messages=40 bytes=64B", "puts_per_us", true},
    {&osu_latency_workload, "bytes=4KiB placement=inter-node iterations=20", "latency", false},
    {&all_to_all_workload, "nodes=2 bytes=4KiB repeats=3", "exchange", false},
    {&allreduce_workload, "nodes=2 bytes=64KiB repeats=3", "duration", false},
    {&jacobi2d_workload, "nodes=2 edge=64 iterations=6", "iteration", false},
    {&moe_workload, "nodes=2 tokens=1", "dispatch", false},
    {&moe_workload, "nodes=2 tokens=4 work_groups=2", "duration", false},
};

/* Of a result's text; -1: it has none. */
static double number_of(const char *result, const char *name)
{
    g_auto(GStrv) lines = g_strsplit(result, "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", -1);
        if (g_str_equal(*line, "") || !g_str_equal(words[0], name))
            continue;
        double quantity = g_ascii_strtod(words[1], NULL), ratio = g_ascii_strtod(words[2], NULL);
        return quantity > 0 ? quantity : ratio;
    }
    return -1;
}

static double spread_of(const char *result, const char *name)
{
    g_autofree char *full = g_strconcat(name, "_spread", NULL);
    return MAX(number_of(result, full), 0);
}

static void load_machine(struct rng *rng, struct machine_spec *spec)
{
    g_autoptr(GError) error = NULL;
    const char *name = machines[rng_below(rng, G_N_ELEMENTS(machines))];
    g_autofree char *path = g_strdup_printf("%s/configs/%s.lua", g_getenv("GPUNETSIM_ROOT"), name);
    struct machine *machine = machine_load(path, NULL, &error);
    if (machine == NULL)
        g_error("%s", error->message);
    *spec = machine->spec;
    spec->nodes = 2;
    spec->network.wire.rate_Bps = INT64_C(1000000000) * (3 + (int64_t)rng_below(rng, 30));
    spec->network.wire.latency_ps = 1000 * (100 + (int64_t)rng_below(rng, 2000));
    g_test_message("%s, network.rate %" G_GINT64_FORMAT " B/s, latency %" G_GINT64_FORMAT " ps",
                   name, spec->network.wire.rate_Bps, spec->network.wire.latency_ps);
    machine_free(machine);
}

/* What is doubled. */
static const char *const rates[] = {"gpu.clock",       "cp.clock",         "host.clock", "bus.rate",
                                    "gpu.memory_rate", "host.memory_rate", "nvlink.rate"};

static void make_faster(struct machine_spec *machine, const char *path)
{
    g_auto(GStrv) names = g_strsplit(path, ".", 2);
    for (size_t i = 0; i < machine_section_count(machine); i++) {
        struct machine_section section = machine_section(machine, i);
        const struct param *param = param_find(section.table, names[1]);
        if (section.outer == NULL || strcmp(section.outer, names[0]) != 0 || param == NULL)
            continue;
        void *spec = machine_section_spec(machine, section);
        g_autofree char *twice = param_run_scaled(param, (char *)spec + param->offset, 2);
        param_set_text(section.table, param, spec, twice, NULL);
    }
}

/* Whether what was drawn runs there; then by how many of its spreads it got worse. */
static bool try(struct rng *rng, const char *path, double *worse)
{
    const struct subject *subject = &subjects[rng_below(rng, G_N_ELEMENTS(subjects))];
    const char *const *designs = kernel_designs();
    g_autofree char *arguments =
        g_strdup_printf("%s design=%s", subject->arguments,
                        designs[rng_below(rng, g_strv_length((char **)(uintptr_t)designs))]);
    struct machine_spec machine;
    load_machine(rng, &machine);
    g_autofree char *before = param_run(subject->workload, arguments, &machine, NULL);
    if (path == NULL)
        machine.network.wire.rate_Bps *= 2;
    else
        make_faster(&machine, path);
    g_autofree char *after = param_run(subject->workload, arguments, &machine, NULL);
    if (g_str_has_prefix(before, REFUSED) || g_str_has_prefix(after, REFUSED))
        return false;
    double one = number_of(before, subject->measure), two = number_of(after, subject->measure);
    double spread = spread_of(before, subject->measure) + spread_of(after, subject->measure);
    double more = subject->is_rate ? 0.98 * one - two : two - one;
    g_test_message("%s %s: %g -> %g, spreads %g in all", subject->workload->name, arguments, one,
                   two, spread);
    *worse = more <= 1e-3 * one ? 0 : more / MAX(spread, 1e-3 * one);
    if (*worse > 1)
        g_printerr("# %s: %s %s: %g -> %g, spreads %g in all\n", path ? path : "network.rate",
                   subject->workload->name, arguments, one, two, spread);
    return true;
}

/* Of intervals that hold a mean with 95 % each some are missed. */
static void walk(const char *name, const char *const *paths, size_t count)
{
    struct rng rng;
    int missed = 0, far = 0;
    long draws = setting_of("GPUNETSIM_DRAWS", DRAWS);
    rng_init(&rng, (uint64_t)setting_of("GPUNETSIM_SEED", 1), name);
    for (long i = 0; i < draws;) {
        double worse;
        if (!try(&rng, count > 0 ? paths[i % (long)count] : NULL, &worse))
            continue;
        i++;
        missed += worse > 1;
        far += worse > 2;
    }
    g_assert_cmpint(far, ==, 0);
    g_assert_cmpint(missed, <=, draws / 50);
}

static void test_more_bandwidth(void)
{
    walk("more_bandwidth", NULL, 0);
}

static void test_faster(void)
{
    walk("faster", rates, G_N_ELEMENTS(rates));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/more_bandwidth", test_more_bandwidth);
    g_test_add_func("/faster", test_faster);
    return g_test_run();
}
