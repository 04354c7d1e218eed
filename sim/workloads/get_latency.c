/* Remote gets by one work-group, one after the other: ComPNet18 section 5.2, Fig 8a.
 *
 * Node 0 runs a kernel of one work-group that gets `bytes` from the symmetric heap of node 1, `repeats`
 * times after `warmup` times that do not count. The latency is what the work-group sees, from the call
 * to its return. Nothing runs on node 1 but its NIC. */
#include <glib.h>
#include <stdio.h>

#include "protocols/service.h"
#include "workloads/workload.h"

struct get_latency_spec {
    int64_t design; /* index into designs */
    int64_t bytes;
    int64_t repeats;
    int64_t warmup;
    int64_t threads;
    int64_t service_threads;
};

#define SPEC struct get_latency_spec
static const struct param params[] = {
    PARAM_ENUM(design, SPEC, NULL, design_names, "The design that serves the gets."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), NULL, "1B", "1GiB", NULL,
     "Payload of a get."},
    PARAM_COUNT(repeats, SPEC, "100", "1", "1000000", "Gets that are measured."),
    PARAM_COUNT(warmup, SPEC, "4", "0", "1000000", "Gets before them that are not."),
    PARAM_COUNT(threads, SPEC, "64", "1", "1024", "Work-items of the work-group."),
    PARAM_COUNT(service_threads, SPEC, "1", "1", "64", "Service threads of the node that gets."),
};
#undef SPEC
static PARAM_TABLE(get_latency_params, "get_latency", struct get_latency_spec, params,
                   "Latency of remote gets by one work-group, one after the other.");

struct run {
    const struct get_latency_spec *spec;
    struct service *service;
    address local, remote;
};

static void program(struct work_group *wg, void *argument)
{
    struct run *run = argument;
    struct service_context context;
    service_context_create(&context, run->service, wg);
    for (int64_t i = 0; i < run->spec->warmup + run->spec->repeats; i++) {
        if (i == run->spec->warmup)
            operation_log_reset(service_log(run->service));
        service_get(&context, 1, run->local, run->remote, run->spec->bytes);
    }
    service_stop(run->service);
}

static int64_t rounded_mean(const struct stat_histogram *histogram)
{
    return histogram->count == 0 ? 0 : (int64_t)(histogram->sum / histogram->count);
}

static void report(const struct run *run, const struct cluster *cluster,
                   struct workload_result *result)
{
    struct operation_log *log = service_log(run->service);
    const struct stat_histogram *latency = operation_latencies(log);
    workload_add_quantity(result, "latency", UNIT_TIME, rounded_mean(latency));
    workload_add_quantity(result, "latency_min", UNIT_TIME, latency->minimum);
    workload_add_quantity(result, "latency_p50", UNIT_TIME, stat_quantile(latency, 0.5));
    workload_add_quantity(result, "latency_p99", UNIT_TIME, stat_quantile(latency, 0.99));
    workload_add_quantity(result, "latency_max", UNIT_TIME, latency->maximum);
    for (int stage = OPERATION_POSTED; stage < OPERATION_STAGES; stage++)
        workload_add_quantity(result, operation_stage_name(stage), UNIT_TIME,
                              rounded_mean(operation_stage_times(log, stage)));
    workload_add_quantity(result, "polls", UNIT_COUNT, service_polls(run->service));
    workload_add_quantity(result, "events", UNIT_COUNT,
                          (int64_t)event_executed(cluster->sim->events));
}

static bool run_cluster(struct cluster *cluster, const struct get_latency_spec *spec,
                        struct workload_result *result, char *why, size_t why_size)
{
    const struct design *design = &designs[spec->design];
    struct run run = {.spec = spec};
    run.service = service_new(cluster, 0, design, 1, spec->service_threads, why, why_size);
    if (run.service == NULL)
        return false;
    run.local = node_allocate(cluster, 0, design->heap_memory, spec->bytes, STORE_PAYLOAD);
    run.remote = node_allocate(cluster, 1, design->heap_memory, spec->bytes, STORE_PAYLOAD);
    struct kernel kernel = {
        .work_groups = 1, .threads = spec->threads, .program = program, .argument = &run};
    bool good = gpu_launch(cluster->nodes[0].gpu, &kernel, why, why_size);
    if (good && sim_run(cluster->sim) == SIM_DEADLOCK) {
        char *report_text = sim_deadlock_report(cluster->sim, 4);
        snprintf(why, why_size, "deadlock: %s", report_text);
        g_free(report_text);
        good = false;
    }
    if (good)
        report(&run, cluster, result);
    service_free(run.service);
    return good;
}

static bool run_get_latency(const struct machine_spec *machine, const void *argument,
                            uint64_t seed, struct workload_result *result, char *why,
                            size_t why_size)
{
    const struct get_latency_spec *spec = argument;
    if (machine->nodes < 2) {
        snprintf(why, why_size, "get_latency needs a machine of at least 2 nodes");
        return false;
    }
    struct sim *sim = sim_new(seed);
    GError *error = NULL;
    struct cluster *cluster = cluster_new(sim, machine, designs[spec->design].form, &error);
    bool good = false;
    if (cluster == NULL) {
        g_strlcpy(why, error->message, why_size);
        g_error_free(error);
    } else {
        good = run_cluster(cluster, spec, result, why, why_size);
        cluster_free(cluster);
    }
    sim_free(sim);
    return good;
}

const struct workload get_latency_workload = {
    .name = "get_latency",
    .sentence = "Latency of remote gets by one work-group, one after the other.",
    .params = &get_latency_params,
    .run = run_get_latency,
};
