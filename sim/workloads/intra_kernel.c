#include "workloads/intra_kernel.h"

#include <glib.h>
#include <stdio.h>

#include "core/check.h"
#include "workloads/deadlock.h"

static bool start_services(struct intra_kernel *kernel, const struct intra_kernel_setup *setup,
                           char *why, size_t why_size)
{
    kernel->services = g_new0(struct service *, (gsize)kernel->kernels);
    for (int64_t node = 0; node < kernel->kernels; node++) {
        kernel->services[node] =
            service_new(kernel->cluster, node, setup->design, setup->work_groups,
                        setup->service_threads, why, why_size);
        if (kernel->services[node] == NULL)
            return false;
    }
    return true;
}

bool intra_kernel_start(struct intra_kernel *kernel, const struct machine_spec *machine,
                        const struct intra_kernel_setup *setup, char *why, size_t why_size)
{
    check_always(setup->kernels >= 1, "%lld nodes run a kernel", (long long)setup->kernels);
    if (machine->nodes < MAX(2, setup->kernels)) {
        snprintf(why, why_size, "it takes a machine of at least %lld nodes",
                 (long long)MAX(2, setup->kernels));
        return false;
    }
    *kernel = (struct intra_kernel){
        .sim = sim_new(setup->seed), .design = setup->design, .kernels = setup->kernels};
    GError *error = NULL;
    kernel->cluster = cluster_new(kernel->sim, machine, setup->design->form, &error);
    if (kernel->cluster == NULL) {
        g_strlcpy(why, error->message, why_size);
        g_error_free(error);
    } else if (start_services(kernel, setup, why, why_size)) {
        kernel->heap = symmetric_heap_new(kernel->cluster, setup->design, setup->heap_bytes);
        return true;
    }
    intra_kernel_end(kernel);
    return false;
}

void intra_kernel_end(struct intra_kernel *kernel)
{
    for (int64_t node = 0; kernel->services != NULL && node < kernel->kernels; node++)
        service_free(kernel->services[node]);
    g_free(kernel->services);
    symmetric_heap_free(kernel->heap);
    cluster_free(kernel->cluster);
    sim_free(kernel->sim);
}

/* A host waits for the kernel of its node. The last one lets the service threads end: those of its own
 * node may still be needed by the others. */
struct host_wait {
    struct intra_kernel *on;
    struct kernel kernel;
    int64_t *running;
};

static void wait_for_kernel(struct process *self, void *argument)
{
    struct host_wait *wait = argument;
    if (!wait->kernel.is_finished)
        signal_wait(&wait->kernel.finished, self, "the kernel to end");
    if (--*wait->running > 0)
        return;
    wait->on->ended_ps = process_now(self);
    for (int64_t node = 0; node < wait->on->kernels; node++)
        service_stop(wait->on->services[node]);
}

static bool launch_on(struct host_wait *wait, int64_t node,
                      const struct intra_kernel_launch *launch, char *why, size_t why_size)
{
    struct intra_kernel *on = wait->on;
    wait->kernel = (struct kernel){.work_groups = launch->work_groups,
                                   .threads = launch->threads,
                                   .program = launch->program,
                                   .argument = launch->arguments[node],
                                   .is_cooperative = launch->is_cooperative};
    if (!gpu_launch(on->cluster->nodes[node].gpu, &wait->kernel, why, why_size))
        return false;
    char name[64];
    snprintf(name, sizeof name, "node%lld.launch", (long long)node);
    process_spawn(on->sim->processes, name, wait_for_kernel, wait, sim_now(on->sim), 0);
    return true;
}

bool intra_kernel_run(struct intra_kernel *kernel, const struct intra_kernel_launch *launch,
                      char *why, size_t why_size)
{
    int64_t running = kernel->kernels;
    kernel->launched_ps = sim_now(kernel->sim);
    struct host_wait *waits = g_new0(struct host_wait, (gsize)kernel->kernels);
    bool good = true;
    for (int64_t node = 0; good && node < kernel->kernels; node++) {
        waits[node] = (struct host_wait){.on = kernel, .running = &running};
        good = launch_on(&waits[node], node, launch, why, why_size);
    }
    enum sim_end end = good ? sim_run(kernel->sim) : SIM_STOPPED;
    if (good && end == SIM_TOO_LONG)
        g_strlcpy(why, SIM_TOO_LONG_SENTENCE, why_size);
    else if (good && end != SIM_FINISHED)
        deadlock_explain(kernel->cluster, why, why_size);
    good = end == SIM_FINISHED;
    g_free(waits);
    return good;
}

static int64_t rounded_mean(const struct stat_histogram *histogram)
{
    return histogram->count == 0 ? 0 : (int64_t)(histogram->sum / histogram->count);
}

void intra_kernel_report(const struct intra_kernel *kernel, struct workload_result *result)
{
    struct operation_log *log = service_log(kernel->services[0]);
    const struct stat_histogram *latency = operation_latencies(log);
    workload_add_quantity(result, "latency", UNIT_TIME, rounded_mean(latency));
    workload_add_quantity(result, "latency_min", UNIT_TIME, latency->minimum);
    workload_add_quantity(result, "latency_p50", UNIT_TIME, stat_quantile(latency, 0.5));
    workload_add_quantity(result, "latency_p99", UNIT_TIME, stat_quantile(latency, 0.99));
    workload_add_quantity(result, "latency_max", UNIT_TIME, latency->maximum);
    for (enum operation_stage stage = OPERATION_POSTED; stage < OPERATION_STAGES; stage++)
        workload_add_quantity(result, operation_stage_name(stage), UNIT_TIME,
                              rounded_mean(operation_stage_times(log, stage)));
    workload_add_quantity(result, "polls", UNIT_COUNT, service_polls(kernel->services[0]));
    workload_add_quantity(result, "events", UNIT_COUNT,
                          (int64_t)event_executed(kernel->sim->events));
}
