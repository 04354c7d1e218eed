/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi3D on Summit, whole iterations: processor seconds and memory of one point. Without arguments the point that is asked
 * for, 512 nodes of six GPUs with two blocks each and 20 iterations, all of them simulated.
 *
 *   bench_jacobi3d [NODES [ODF [ITERATIONS [NAME=VALUE ...]]]]     NAME: of `gpunetsim help jacobi3d` */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "library/gpunetsim.h"

#define MACHINE "bench/summit_512.lua" /* to be run in the project's folder */
#define OTHERS 16

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

static double megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static int fail(const char *error)
{
    fprintf(stderr, "%s\n", error);
    return 1;
}

int main(int argc, char **argv)
{
    const char *nodes = argc > 1 ? argv[1] : "512", *odf = argc > 2 ? argv[2] : "2",
               *iterations = argc > 3 ? argv[3] : "20";
    g_autofree char *run_nodes = g_strconcat("nodes=", nodes, NULL),
                    *run_odf = g_strconcat("odf=", odf, NULL),
                    *run_iterations = g_strconcat("iterations=", iterations, NULL);
    const char *arguments[5 + OTHERS + 1] = {run_nodes, run_odf, run_iterations, "warmup=0",
                                             "design=charm-channel"};
    static const char *const settings[] = {"software.exact=true", NULL};
    for (int i = 4; i < argc && i - 4 < OTHERS; i++)
        arguments[5 + i - 4] = argv[i];
    char *error = NULL;
    struct gpunetsim_machine *machine = gpunetsim_machine_open(MACHINE, settings, &error);
    if (machine == NULL)
        return fail(error);
    double before = cpu_seconds();
    struct gpunetsim_result *result =
        gpunetsim_machine_run(machine, "jacobi3d", arguments, 1, &error);
    if (result == NULL)
        return fail(error);
    printf("%s nodes, ODF %s, %s iterations: %.2f s, %.0f MB; an iteration %.3f us\n", nodes, odf,
           iterations, cpu_seconds() - before, megabytes(),
           gpunetsim_result_value(result, "iteration_us", NULL));
    gpunetsim_result_free(result);
    gpunetsim_machine_close(machine);
    return 0;
}
