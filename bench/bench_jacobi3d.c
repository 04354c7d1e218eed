/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi3D on Summit, whole iterations: processor seconds and memory of one point. Without arguments the point that is asked
 * for, 512 nodes of six GPUs with two blocks each and 20 iterations, all of them simulated.
 *
 *   bench_jacobi3d [NODES [ODF [ITERATIONS [NAME=VALUE ...]]]]     NAME: of `gpunetsim help jacobi3d` */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/designs.h"
#include "apart.h"
#include "script/script.h"
#include "workloads/workloads.h"
#include "yardstick.h"

#define MACHINE "bench/summit_512.lua" /* to be run in the project's folder */
#define OTHERS 16

struct outcome {
    double seconds, iteration_us;
};

static void fail(const char *sentence)
{
    fprintf(stderr, "%s\n", sentence);
    exit(1);
}

static const struct workload *find(const char *name)
{
    const struct workload *const *workload = workloads;
    while (strcmp((*workload)->name, name) != 0)
        workload++;
    return *workload;
}

static void *spec_of(const struct workload *workload, char **arguments)
{
    void *spec = g_malloc0(workload->params->spec_size);
    GError *error = NULL;
    param_set_defaults(workload->params, spec);
    for (; *arguments; arguments++) {
        g_auto(GStrv) words = g_strsplit(*arguments, "=", 2);
        const struct param *param = param_find(workload->params, words[0]);
        if (!param || !words[1])
            fail(*arguments);
        if (!param_set_text(workload->params, param, spec, words[1], &error))
            fail(error->message);
    }
    return spec;
}

static void run(const void *arguments, void *out)
{
    static const char *const settings[] = {"software.exact=true", NULL};
    struct outcome *outcome = out;
    GError *error = NULL;
    const struct workload *workload = find("jacobi3d");
    struct workload_result result = {.count = 0};
    test_designs_load();
    struct machine *machine = machine_load(MACHINE, settings, &error);
    if (!machine)
        fail(error->message);
    void *spec = spec_of(workload, (char **)(gsize)arguments);
    double before = yardstick_seconds();
    if (!workload_run(workload, &machine->spec, spec, 1, &result, &error))
        fail(error->message);
    outcome->seconds = yardstick_seconds() - before;
    for (size_t i = 0; i < result.count; i++)
        if (strcmp(result.measures[i].name, "iteration") == 0)
            outcome->iteration_us = (double)result.measures[i].quantity / 1e6;
}

int main(int argc, char **argv)
{
    const char *nodes = argc > 1 ? argv[1] : "512", *odf = argc > 2 ? argv[2] : "2",
               *iterations = argc > 3 ? argv[3] : "20";
    char *arguments[5 + OTHERS + 1] = {
        g_strconcat("nodes=", nodes, NULL), g_strconcat("odf=", odf, NULL),
        g_strconcat("iterations=", iterations, NULL), "warmup=0", "design=charm-channel"};
    struct outcome outcome;
    double MB;
    for (int i = 4; i < argc && i - 4 < OTHERS; i++)
        arguments[5 + i - 4] = argv[i];
    if (!run_apart(run, arguments, &outcome, sizeof outcome, &MB))
        return 1;
    printf("%s nodes, ODF %s, %s iterations: %.2f s, %.0f MB; an iteration %.3f us\n", nodes, odf,
           iterations, outcome.seconds, MB, outcome.iteration_us);
    return 0;
}
