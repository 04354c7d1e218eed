/* What a simulated message of an application costs, by the number of nodes: a ring allreduce inside kernels and by ranks,
 * on a machine of 1,024. Seconds are of the processor. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "../tests/designs.h"
#include "protocols/runtimes/software_tables.h"
#include "workloads/allreduce.h"

#define MOST_NODES 1024

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

static int64_t measure(const struct workload_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++)
        if (g_str_equal(result->measures[i].name, name))
            return result->measures[i].quantity;
    return 0;
}

/* Blocks of 4 KiB: the number of messages, not their size, is what grows. */
static void run(const struct machine_spec *machine, const char *design, int64_t nodes,
                int64_t rings, double tolerance)
{
    struct allreduce_spec spec;
    struct workload_result result = {.count = 0};
    GError *error = NULL;
    param_set_defaults(&allreduce_params, &spec);
    spec.design = test_design(design);
    spec.nodes = nodes;
    spec.rings = rings;
    spec.bytes = 4096 * nodes * rings;
    spec.algorithm = 1; /* ring */
    spec.warmup = 0;
    spec.tolerance = tolerance;
    double before = cpu_seconds();
    if (!allreduce_run(machine, &spec, 1, &result, &error)) {
        fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
    double took = cpu_seconds() - before;
    int64_t messages =
        measure(&result, "steps_run") * nodes * (g_str_equal(design, "cpu") ? 1 : rings);
    printf("%-10s %5d nodes %3d rings %9d messages %8.2f s %8.2f us a message\n", design,
           (int)nodes, (int)rings, (int)messages, took, took * 1e6 / (double)messages);
}

int main(int argc, char **argv)
{
    bool is_whole = argc > 1 && g_str_equal(argv[1], "--whole");
    static const int64_t counts[] = {2, 8, 32, 128, 512, 1024};
    struct machine_spec machine;
    test_designs_load();
    machine_spec_init(&machine, software_tables());
    machine.nodes = MOST_NODES;
    machine.transport.kind = TRANSPORT_SEGMENT;
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        run(&machine, "comp-net", counts[i], 1, is_whole ? 0 : 0.02);
        run(&machine, "cpu", counts[i], 1, is_whole ? 0 : 0.02);
    }
    run(&machine, "comp-net", MOST_NODES, 4, is_whole ? 0 : 0.02);
    return 0;
}
