/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "core/error.h"
#include "protocols/shmem/inbox.h"
#include "workloads/transfer/transfer_device.h"

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

static const struct world_setup *setup_of(const struct device_world *own)
{
    return &own->world->setup;
}

/* Nodes that take part: with one kernel, at least one target more. */
static int64_t nodes_taking_part(const struct device_world *own)
{
    return MAX(2, setup_of(own)->served_places);
}

static bool start_services(struct device_world *own, GError **error)
{
    const struct world_setup *setup = setup_of(own);
    struct cluster *cluster = world_cluster(own->world);
    own->services = g_new0(struct service *, (gsize)own->service_count);
    own->sites = g_new0(struct site *, (gsize)own->service_count);
    for (int64_t i = 0; i < own->service_count; i++) {
        const struct job_place place =
            own->is_symmetric ? (struct job_place){.node = i} : setup->places[i];
        own->sites[i] = cluster_site(cluster, place.node, place.gpu);
        own->services[i] =
            service_new(cluster, own->sites[i], setup->design, setup->queues,
                        setup->design->service_threads, nodes_taking_part(own), error);
        if (own->services[i] == NULL)
            return false;
    }
    return true;
}

/* Whether buffers and queues fit into a node's memory. */
static bool has_room(const struct machine_spec *machine, int64_t queues, int64_t heap_bytes,
                     int64_t stream_bytes, GError **error)
{
    char asked[UNIT_TEXT_SIZE], room[UNIT_TEXT_SIZE];
    const struct software_spec *software = machine_part(machine, &software_params);
    int64_t entries = software->queue_entries;
    int64_t queue_bytes = queues * entries * (int64_t)sizeof(struct queue_entry);
    int64_t payload_room = STORE_PAYLOAD_BYTES / 2, queue_room = STORE_CONTENTS_BYTES / 2;
    if (stream_bytes > payload_room || heap_bytes > payload_room - stream_bytes)
        error_set(error, "the buffers of the work-groups take %s; there is room for %s",
                  unit_format(heap_bytes + stream_bytes, UNIT_BYTES, asked),
                  unit_format(payload_room, UNIT_BYTES, room));
    else if (queue_bytes > queue_room)
        error_set(
            error, "queues of %lld entries for %lld work-groups take %s; there is room for %s",
            (long long)entries, (long long)queues, unit_format(queue_bytes, UNIT_BYTES, asked),
            unit_format(queue_room, UNIT_BYTES, room));
    else
        return true;
    return false;
}

/* Whether data that arrive at a node need its server: gathered puts, and words that servers set. */
static bool needs_server_at_target(const struct device_world *own)
{
    const struct design *design = setup_of(own)->design;
    return design->coalesce.count > 0 || (own->is_symmetric && inbox_is_used(design));
}

/* Threads poll during the whole run: if packets took seconds, a simulation would take days. */
#define LEAST_RATE_BPS INT64_C(1000000)
#define MOST_LATENCY_PS PS_PER_MS

static bool is_fast_enough(const struct machine_spec *spec, GError **error)
{
    const char *slow = NULL;
    if (spec->bus.wire.rate_Bps < LEAST_RATE_BPS)
        slow = "bus.rate of at least 1MB/s";
    else if (spec->network.wire.rate_Bps < LEAST_RATE_BPS)
        slow = "network.rate of at least 1MB/s";
    else if (spec->network.wire.latency_ps > MOST_LATENCY_PS)
        slow = "network.latency of at most 1ms";
    if (slow != NULL)
        error_set(error, "this workload, which simulates every poll, takes a machine with a %s",
                  slow);
    return slow == NULL;
}

/* Whether the machine has the kernels' GPUs and the design supports them. */
static bool has_places(const struct device_world *own, const struct machine_spec *machine,
                       GError **error)
{
    const struct world_setup *setup = setup_of(own);
    if (own->is_symmetric)
        return machine->nodes >= nodes_taking_part(own) ||
               error_set(error, "it takes a machine of at least %lld nodes",
                         (long long)nodes_taking_part(own));
    if (!job_places_valid(machine, setup->places, (int32_t)setup->served_places, error))
        return false;
    return setup->design->coalesce.count == 0 ||
           error_set(
               error,
               "gathered puts are unpacked by a server for the first GPU of its node; here other GPUs take part; it takes one GPU a node, or coalesce.count = 0");
}

bool intra_kernel_start(struct device_world *own, const struct machine_spec *machine,
                        int64_t heap_bytes, int64_t stream_bytes, GError **error)
{
    const struct world_setup *setup = setup_of(own);
    own->service_count =
        needs_server_at_target(own) ? nodes_taking_part(own) : setup->served_places;
    if (!has_places(own, machine, error) ||
        !has_room(machine, setup->queues, heap_bytes, stream_bytes, error) ||
        !is_fast_enough(machine, error) || !world_open_machine(own->world, machine, error) ||
        !start_services(own, error))
        return false;
    own->heap = symmetric_heap_new(world_cluster(own->world), setup->design, heap_bytes);
    return true;
}

void intra_kernel_end(struct device_world *own)
{
    for (int64_t node = 0; own->services != NULL && node < own->service_count; node++)
        service_free(own->services[node]);
    g_free(own->services);
    g_free(own->sites);
    g_free(own->waits);
    symmetric_heap_free(own->heap);
}

/* A host waits for the kernel of its node. The last host lets all service threads end, since other nodes may still need those
 * of a node whose kernel has ended. */
struct host_wait {
    struct device_world *on;
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

static bool launch_on(struct host_wait *wait, int64_t node, GError **error)
{
    struct device_world *on = wait->on;
    char name[64];
    if (!gpu_launch(on->sites[node]->gpu, &wait->kernel, error))
        return false;
    site_path(on->sites[node], "launch", name, sizeof name);
    struct sim *sim = world_sim(on->world);
    process_spawn(sim->processes, name, wait_for_kernel, wait, sim_now(sim), 0);
    return true;
}

bool intra_kernel_begin(struct device_world *own, kernel_program *program, void *const *arguments,
                        GError **error)
{
    const struct world_setup *setup = setup_of(own);
    int64_t groups = setup->groups + (setup->streams != NULL ? setup->streams->groups : 0);
    own->running = setup->served_places;
    own->launched_ps = sim_now(world_sim(own->world));
    own->waits = g_new0(struct host_wait, (gsize)own->running);
    bool good = true;
    for (int64_t node = 0; good && node < setup->served_places; node++) {
        own->waits[node] =
            (struct host_wait){own, (struct kernel){.work_groups = groups + setup->held_groups,
                                                    .programs = setup->held_groups > 0 ? groups : 0,
                                                    .threads = setup->threads,
                                                    .program = program,
                                                    .argument = arguments[node],
                                                    .is_cooperative = setup->is_cooperative,
                                                    .stream = -setup->guest, /* CUDA's are > 0 */
                                                    .stack_bytes = setup->stack_bytes}};
        good = launch_on(&own->waits[node], node, error);
    }
    return good;
}

static int64_t rounded_mean(const struct stat_histogram *histogram)
{
    return histogram->count == 0 ? 0 : (int64_t)(histogram->sum / histogram->count);
}

void intra_kernel_report_stages(const struct device_world *own, double units,
                                struct workload_result *result)
{
    workload_observe(result, world_cluster(own->world), units);
    struct operation_log *log = service_log(own->services[0]);
    for (int stage = 0; stage < STAGES_SERVED; stage++)
        workload_add_quantity(result, stage_infos[stage].name, UNIT_TIME,
                              rounded_mean(log->stages[stage]));
    workload_add_quantity(result, "polls", UNIT_COUNT, service_polls(own->services[0]));
    workload_add_quantity(result, "events", UNIT_COUNT,
                          (int64_t)event_executed(world_sim(own->world)->events));
}
