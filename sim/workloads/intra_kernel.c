#include "workloads/intra_kernel.h"

#include <glib.h>
#include <stdio.h>

bool intra_kernel_start(struct intra_kernel *kernel, const struct machine_spec *machine,
                        const struct design *design, uint64_t seed, int64_t work_groups,
                        int64_t service_threads, char *why, size_t why_size)
{
    if (machine->nodes < 2) {
        g_strlcpy(why, "it takes a machine of at least 2 nodes", why_size);
        return false;
    }
    *kernel = (struct intra_kernel){.sim = sim_new(seed), .design = design};
    GError *error = NULL;
    kernel->cluster = cluster_new(kernel->sim, machine, design->form, &error);
    if (kernel->cluster == NULL) {
        g_strlcpy(why, error->message, why_size);
        g_error_free(error);
    } else {
        kernel->service =
            service_new(kernel->cluster, 0, design, work_groups, service_threads, why, why_size);
    }
    if (kernel->service == NULL) {
        intra_kernel_end(kernel);
        return false;
    }
    return true;
}

void intra_kernel_end(struct intra_kernel *kernel)
{
    service_free(kernel->service);
    cluster_free(kernel->cluster);
    sim_free(kernel->sim);
}

/* The host waits for the kernel, then lets the service threads end. */
struct launch {
    struct intra_kernel *on;
    struct kernel *kernel;
};

static void wait_for_kernel(struct process *self, void *argument)
{
    struct launch *launch = argument;
    if (!launch->kernel->is_finished)
        signal_wait(&launch->kernel->finished, self, "the kernel to end");
    service_stop(launch->on->service);
}

bool intra_kernel_run(struct intra_kernel *kernel, int64_t work_groups, int64_t threads,
                      kernel_program *program, void *argument, char *why, size_t why_size)
{
    struct kernel launched = {
        .work_groups = work_groups, .threads = threads, .program = program, .argument = argument};
    struct launch launch = {kernel, &launched};
    if (!gpu_launch(kernel->cluster->nodes[0].gpu, &launched, why, why_size))
        return false;
    process_spawn(kernel->sim->processes, "node0.launch", wait_for_kernel, &launch,
                  sim_now(kernel->sim), 0);
    if (sim_run(kernel->sim) == SIM_FINISHED)
        return true;
    char *report = sim_deadlock_report(kernel->sim, 4);
    snprintf(why, why_size, "deadlock: %s", report);
    g_free(report);
    return false;
}

static int64_t rounded_mean(const struct stat_histogram *histogram)
{
    return histogram->count == 0 ? 0 : (int64_t)(histogram->sum / histogram->count);
}

void intra_kernel_report(const struct intra_kernel *kernel, struct workload_result *result)
{
    struct operation_log *log = service_log(kernel->service);
    const struct stat_histogram *latency = operation_latencies(log);
    workload_add_quantity(result, "latency", UNIT_TIME, rounded_mean(latency));
    workload_add_quantity(result, "latency_min", UNIT_TIME, latency->minimum);
    workload_add_quantity(result, "latency_p50", UNIT_TIME, stat_quantile(latency, 0.5));
    workload_add_quantity(result, "latency_p99", UNIT_TIME, stat_quantile(latency, 0.99));
    workload_add_quantity(result, "latency_max", UNIT_TIME, latency->maximum);
    for (enum operation_stage stage = OPERATION_POSTED; stage < OPERATION_STAGES; stage++)
        workload_add_quantity(result, operation_stage_name(stage), UNIT_TIME,
                              rounded_mean(operation_stage_times(log, stage)));
    workload_add_quantity(result, "polls", UNIT_COUNT, service_polls(kernel->service));
    workload_add_quantity(result, "events", UNIT_COUNT,
                          (int64_t)event_executed(kernel->sim->events));
}
