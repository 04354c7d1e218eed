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
    PARAM_COUNT(service_threads, KERNEL, "0", "0", "64",
                "Service threads of a node; 0: the design's number."),
    PARAM_PERCENTILE_LIST(percentiles, KERNEL,
                          "More measures: { 90, 99.9 } gives latency_p90 and latency_p99_9, or "
                          "those of the workload's other times."),
};
#undef KERNEL
static PARAM_TABLE(kernel_table, "kernel", struct shared_kernel, kernel,
                   "A kernel whose operations a design serves.");
const struct param_record kernel_rows = {.table = &kernel_table};
