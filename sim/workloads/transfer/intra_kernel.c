/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/transfer/intra_kernel.h"

#include <glib.h>
#include <stdio.h>

#include "core/check.h"
#include "core/error.h"
#include "workloads/transfer/transfer.h"

bool transfer_accepts_kernel(const struct design *design, GError **error)
{
    char text[PARAM_TEXT_SIZE];
    const char *reason = NULL;
    if (!design_has_shmem(design))
        reason = "has no runtime for them; it takes runtime = shmem";
    else if (design->initiator == INITIATOR_HOST)
        reason = "starts them on the host; it takes initiator = kernel";
    else
        reason = service_refusal(design);
    if (reason != NULL)
        error_set(error, "this workload asks for puts and gets from inside a kernel; design %s %s",
                  design_text(design, text), reason);
    return reason == NULL;
}

/* At least a target beside one kernel. */
static int64_t nodes_taking_part(const struct intra_kernel_setup *setup)
{
    return MAX(2, setup->kernels);
}

static bool start_services(struct intra_kernel *kernel, const struct intra_kernel_setup *setup,
                           GError **error)
{
    kernel->services = g_new0(struct service *, (gsize)kernel->service_count);
    kernel->sites = g_new0(struct site *, (gsize)kernel->service_count);
    for (int64_t i = 0; i < kernel->service_count; i++) {
        const struct job_place place =
            setup->places != NULL ? setup->places[i] : (struct job_place){.node = i};
        kernel->sites[i] = cluster_site(kernel->cluster, place.node, place.gpu);
        kernel->services[i] =
            service_new(kernel->cluster, kernel->sites[i], setup->design, setup->work_groups,
                        kernel->service_threads, nodes_taking_part(setup), error);
        if (kernel->services[i] == NULL)
            return false;
    }
    return true;
}

/* Whether buffers and queues fit into a node's memory. */
static bool has_room(const struct machine_spec *machine, const struct intra_kernel_setup *setup,
                     GError **error)
{
    char asked[UNIT_TEXT_SIZE], room[UNIT_TEXT_SIZE];
    const struct software_spec *software = machine_part(machine, &software_params);
    int64_t entries = software->queue_entries;
    int64_t queue_bytes = setup->work_groups * entries * (int64_t)sizeof(struct queue_entry);
    int64_t payload_room = STORE_PAYLOAD_BYTES / 2, queue_room = STORE_CONTENTS_BYTES / 2;
    if (setup->stream_bytes > payload_room ||
        setup->heap_bytes > payload_room - setup->stream_bytes)
        error_set(error, "the buffers of the work-groups take %s; there is room for %s",
                  unit_format(setup->heap_bytes + setup->stream_bytes, UNIT_BYTES, asked),
                  unit_format(payload_room, UNIT_BYTES, room));
    else if (queue_bytes > queue_room)
        error_set(
            error, "queues of %lld entries for %lld work-groups take %s; there is room for %s",
            (long long)entries, (long long)setup->work_groups,
            unit_format(queue_bytes, UNIT_BYTES, asked), unit_format(queue_room, UNIT_BYTES, room));
    else
        return true;
    return false;
}

/* Whether what arrives at a node needs its server: gathered puts, words that servers set. */
static bool needs_server_at_target(const struct intra_kernel_setup *setup)
{
    return setup->design->coalesce.count > 0 ||
           (setup->places == NULL && setup->design->word_set_by == WORD_SET_BY_SERVER);
}

/* Threads poll all the time of a run: one whose packets take seconds would take days. */
#define LEAST_RATE_BPS INT64_C(1000000)
#define MOST_LATENCY_PS PS_PER_MS

static bool is_fast_enough(const struct machine_spec *spec, GError **error)
{
    const char *slow = NULL;
    if (spec->bus.rate_Bps < LEAST_RATE_BPS)
        slow = "bus.rate of at least 1MB/s";
    else if (spec->network.rate_Bps < LEAST_RATE_BPS)
        slow = "network.rate of at least 1MB/s";
    else if (spec->network.latency_ps > MOST_LATENCY_PS)
        slow = "network.latency of at most 1ms";
    if (slow != NULL)
        error_set(error, "this workload, which simulates every poll, takes a machine with a %s",
                  slow);
    return slow == NULL;
}

/* Makes it, unless the kernel is a guest on one. */
static bool has_machine(struct intra_kernel *kernel, const struct machine_spec *machine,
                        uint64_t seed, GError **error)
{
    enum node_form form = (enum node_form)kernel->design->node;
    if (!kernel->is_guest) {
        kernel->sim = sim_new(seed);
        kernel->cluster = cluster_new(kernel->sim, machine, form, error);
        return kernel->cluster != NULL;
    }
    kernel->sim = kernel->cluster->sim;
    if (kernel->cluster->form == form)
        return true;
    return error_set(
        error,
        "designs of discrete and of coherent nodes do not share a machine; it takes node = discrete, or coherent, in all of them");
}

bool intra_kernel_start(struct intra_kernel *kernel, const struct machine_spec *machine,
                        const struct intra_kernel_setup *setup, GError **error)
{
    check_always(setup->kernels >= 1, "%lld nodes run a kernel", (long long)setup->kernels);
    if (setup->places == NULL && machine->nodes < nodes_taking_part(setup)) {
        return error_set(error, "it takes a machine of at least %lld nodes",
                         (long long)nodes_taking_part(setup));
    }
    if (setup->places != NULL &&
        !job_places_valid(machine, setup->places, (int32_t)setup->kernels, error))
        return false;
    if (setup->places != NULL && setup->design->coalesce.count > 0) {
        return error_set(
            error,
            "gathered puts are unpacked by a server for the first GPU of its node; here other GPUs take part; it takes one GPU a node, or coalesce.count = 0");
    }
    if (!transfer_accepts_kernel(setup->design, error))
        return false;
    if (!has_room(machine, setup, error))
        return false;
    if (!is_fast_enough(machine, error))
        return false;
    *kernel = (struct intra_kernel){.design = setup->design,
                                    .kernels = setup->kernels,
                                    .cluster = setup->cluster,
                                    .is_guest = setup->cluster != NULL};
    kernel->service_count =
        needs_server_at_target(setup) ? nodes_taking_part(setup) : setup->kernels;
    kernel->service_threads =
        setup->service_threads > 0 ? setup->service_threads : setup->design->service_threads;
    if (has_machine(kernel, machine, setup->seed, error) && start_services(kernel, setup, error)) {
        kernel->heap = symmetric_heap_new(kernel->cluster, setup->design, setup->heap_bytes);
        return true;
    }
    intra_kernel_end(kernel);
    return false;
}

void intra_kernel_end(struct intra_kernel *kernel)
{
    for (int64_t node = 0; kernel->services != NULL && node < kernel->service_count; node++)
        service_free(kernel->services[node]);
    g_free(kernel->services);
    g_free(kernel->sites);
    g_free(kernel->waits);
    symmetric_heap_free(kernel->heap);
    if (kernel->is_guest)
        return;
    cluster_free(kernel->cluster);
    sim_free(kernel->sim);
}

/* A host waits for the kernel of its node. The last one lets the service threads end: those of its own
 * node may still be needed by the others. */
struct host_wait {
    struct intra_kernel *on;
    struct kernel kernel;
};

static void wait_for_kernel(struct process *self, void *argument)
{
    struct host_wait *wait = argument;
    if (!wait->kernel.is_finished)
        signal_wait(&wait->kernel.finished, self, "the kernel to end");
    if (--wait->on->running > 0)
        return;
    wait->on->ended_ps = process_now(self);
    for (int64_t node = 0; node < wait->on->service_count; node++)
        service_stop(wait->on->services[node]);
}

static bool launch_on(struct host_wait *wait, int64_t node,
                      const struct intra_kernel_launch *launch, GError **error)
{
    struct intra_kernel *on = wait->on;
    wait->kernel = (struct kernel){.work_groups = launch->work_groups + launch->held,
                                   .programs = launch->held > 0 ? launch->work_groups : 0,
                                   .threads = launch->threads,
                                   .program = launch->program,
                                   .argument = launch->arguments[node],
                                   .is_cooperative = launch->is_cooperative,
                                   .stack_bytes = launch->stack_bytes};
    if (!gpu_launch(on->sites[node]->gpu, &wait->kernel, error))
        return false;
    char name[64];
    site_path(on->sites[node], "launch", name, sizeof name);
    process_spawn(on->sim->processes, name, wait_for_kernel, wait, sim_now(on->sim), 0);
    return true;
}

bool intra_kernel_begin(struct intra_kernel *kernel, const struct intra_kernel_launch *launch,
                        GError **error)
{
    kernel->running = kernel->kernels;
    kernel->launched_ps = sim_now(kernel->sim);
    kernel->waits = g_new0(struct host_wait, (gsize)kernel->kernels);
    bool good = true;
    for (int64_t node = 0; good && node < kernel->kernels; node++) {
        kernel->waits[node].on = kernel;
        good = launch_on(&kernel->waits[node], node, launch, error);
    }
    return good;
}

static int64_t rounded_mean(const struct stat_histogram *histogram)
{
    return histogram->count == 0 ? 0 : (int64_t)(histogram->sum / histogram->count);
}

void intra_kernel_report_stages(const struct intra_kernel *kernel, double units,
                                struct workload_result *result)
{
    workload_observe(result, kernel->cluster, units);
    struct operation_log *log = service_log(kernel->services[0]);
    for (int stage = 0; stage < STAGES_SERVED; stage++)
        workload_add_quantity(result, stage_infos[stage].name, UNIT_TIME,
                              rounded_mean(operation_stage_times(log, (enum stage)stage)));
    workload_add_quantity(result, "polls", UNIT_COUNT, service_polls(kernel->services[0]));
    workload_add_quantity(result, "events", UNIT_COUNT,
                          (int64_t)event_executed(kernel->sim->events));
}
