/* SPDX-License-Identifier: BSD-3-Clause */
/* What an allreduce of 64 MiB by stores over NVLink costs: eight rings within one node of 16 and of 64 GPUs, by
 * rocSHMEM's IPC, with a warm-up; and the smaller one with stores one by one. Seconds are of the processor, each row
 * in a process of its own; beside them what they are where Y(1000) is 24 M/s. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/designs.h"
#include "../tests/workload_once.h"
#include "apart.h"
#include "protocols/runtimes/software_tables.h"
#include "workloads/workloads.h"
#include "yardstick.h"

struct row {
    int64_t gpus;
    bool one_by_one;
};

static void machine_init(struct machine_spec *machine, const struct row *row)
{
    machine_spec_init(machine, software_tables());
    machine->nodes = 1;
    machine->node.gpus_per_socket = row->gpus;
    machine->node.peer_link = PEER_LINK_NODE;
    machine->nvlink = (struct direct_link_spec){.wire.latency_ps = 87 * PS_PER_NS,
                                                .wire.rate_Bps = INT64_C(450000000000),
                                                .efficiency = 0.874};
    machine->gpu.clock_Hz = 1785000000;
    machine->gpu.compute_units = 132;
    machine->gpu.lanes = 32;
    machine->gpu.l2 = (struct cache_shape){INT64_C(50) << 20, 16, 270};
    machine->gpu.l2_banks = 64;
    machine->gpu.copy_rate_Bps = INT64_C(34900000000);
    machine->gpu.memory_rate_Bps = INT64_C(4800000000000);
    machine->stores_one_by_one = row->one_by_one;
}

static void run(const void *argument, void *out)
{
    const struct row *row = argument;
    struct machine_spec machine;
    struct workload_result result = {.count = 0};
    GError *error = NULL;
    machine_init(&machine, row);
    g_autofree char *arguments = g_strdup_printf(
        "design=rocshmem-ipc nodes=1 gpus_per_node=%d bytes=64MiB algorithm=ring", (int)row->gpus);
    g_autofree void *spec = g_malloc0(allreduce_workload.params->spec_size);
    set_arguments(&allreduce_workload, spec, arguments);
    double before = yardstick_seconds();
    if (!allreduce_workload.run(&machine, spec, 1, &result, &error)) {
        fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
    *(double *)out = yardstick_seconds() - before;
}

int main(void)
{
    static const struct row rows[] = {{16, false}, {64, false}, {16, true}};
    test_designs_load();
    double scale = yardstick(1000) / 24e6;
    printf("GPUs  stores       seconds  at Y = 24 M/s       MB\n");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double seconds = 0, MB = 0;
        if (!run_apart(run, &rows[i], &seconds, sizeof seconds, &MB))
            return 1;
        printf("%4d  %-10s %9.2f %14.2f %8.1f\n", (int)rows[i].gpus,
               rows[i].one_by_one ? "one by one" : "in blocks", seconds, seconds * scale, MB);
    }
    return 0;
}
