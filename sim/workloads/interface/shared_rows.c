/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/interface/shared_rows.h"

#define PLACES struct shared_places
static const struct param places[] = {
    PARAM_DESIGN(PLACES, NULL, "The design that carries what the GPUs send."),
    PARAM_COUNT(nodes, PLACES, "8", "1", "4096", "Nodes that take part."),
    PARAM_COUNT(gpus_per_node, PLACES, "1", "1", "64",
                "GPUs of each that take part; with data in host memory, ranks of each."),
};
#undef PLACES
static PARAM_TABLE(places_table, "places", struct shared_places, places,
                   "A design on the GPUs of several nodes.");
const struct param_record places_rows = {.table = &places_table};

#define KERNEL struct shared_kernel
static const struct param kernel[] = {
    PARAM_DESIGN(KERNEL, NULL, "The design that serves the operations."),
    PARAM_COUNT(threads, KERNEL, "64", "1", "1024", "Work-items of a work-group."),
    PARAM_PERCENTILE_LIST(percentiles, KERNEL,
                          "Percentiles of the workload's times as measures: { 90, 99.9 } adds "
                          "latency_p90 and latency_p99_9."),
};
#undef KERNEL
static PARAM_TABLE(kernel_table, "kernel", struct shared_kernel, kernel,
                   "A kernel whose operations a design serves.");
const struct param_record kernel_rows = {.table = &kernel_table};

/* --- single rows ------------------------------------------------------------------------------- */

#define FIELD(row, kind, unit, low, high, description)                                             \
    static const struct param row##_param[] = {                                                    \
        {#row, kind, unit, 0, NULL, low, high, NULL, description, NULL}};                          \
    static PARAM_TABLE(row##_table, #row, int64_t, row##_param, description);                      \
    const struct param_record row##_row = {.table = &row##_table}
#define COUNT(row, low, high, description)                                                         \
    FIELD(row, PARAM_QUANTITY, UNIT_COUNT, low, high, description)

FIELD(bytes, PARAM_QUANTITY, UNIT_BYTES, "1B", "1GiB",
      "Payload of an operation, or size of a message.");
FIELD(chunk, PARAM_QUANTITY, UNIT_BYTES, "64B", "1GiB",
      "Size of the pieces that the rings of a kernel send.");
COUNT(iterations, "1", "1000000", "Iterations that are measured.");
COUNT(repeats, "1", "1000000", "Repetitions that are measured.");
COUNT(warmup, "0", "1000000", "Repetitions before those that are measured.");
FIELD(
    tolerance, PARAM_RATIO, UNIT_COUNT, "0", "0.5",
    "If the mean of eight steps and that of the eight before differ by at most this share, the "
    "remaining steps are assumed to be like them; 0: all are simulated. A step is an iteration, or "
    "of an allreduce one of a ring's half (reduce-scatter, allgather).");
COUNT(work_groups, "1", "65536", "Work-groups of the kernel of a node.");
COUNT(threads, "1", "1024", "Work-items of a work-group.");
COUNT(rings, "1", "256", "Rings of a kernel, one for each work-group.");
FIELD(cooperative, PARAM_BOOL, UNIT_COUNT, NULL, NULL,
      "Refuse the kernel unless all its work-groups run at the same time.");

const struct param_record *shared_rows_of(const char *name)
{
    static const struct param_record *const all[] = {
        &places_rows,   &kernel_rows,     &bytes_row,   &iterations_row,  &repeats_row, &warmup_row,
        &tolerance_row, &work_groups_row, &threads_row, &cooperative_row, &chunk_row,   &rings_row};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        if (g_str_equal(all[i]->table->component, name))
            return all[i];
    return NULL;
}
