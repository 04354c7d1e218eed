/* SPDX-License-Identifier: BSD-3-Clause */
/* Engines: copies take turns, and take their time; kernels go to their GPU's dispatcher.
 *
 * A copy holds its engine from its setup until its last chunk is written: an engine takes up its next
 * descriptor only after it has signalled the end of the one before, so copies of one engine do not
 * overlap, not even a tail with a setup. A link is held for the bytes alone. So a lone copy takes
 *
 *     setup + route latency + bytes / rate + min(bytes, chunk) / rate
 *
 * where the last term is the chunk that was read whole before it was written. Others on the route make
 * the transport's part longer; staging of pageable memory, the way to another socket, or the GPU's own memory make it no
 * shorter than bytes / rate.
 *
 * The next operation of a stream is queued before the engine chooses its next copy, so a stream of high priority keeps an
 * engine until it has no more copies for it. A kernel goes to the dispatcher after its start-up time, which overlaps with
 * kernels of other streams. */
#include <stdio.h>

#include "models/cuda/cuda_parts.h"

static struct cuda_engine *engine_of(const struct cuda_operation *operation)
{
    return &operation->stream->device->engines[operation->engine];
}

static struct cuda *cuda_of(const struct cuda_operation *operation)
{
    return operation->stream->device->cuda;
}

static void begin(struct cuda_operation *operation);
static void note(const struct cuda_operation *operation, enum stage stage);

/* Records the work on the tracks of the operation's engine and of its stream. */
static void observe_work(const struct cuda_operation *operation)
{
    static const char *const engines[] = {[CUDA_ENGINE_TO_DEVICE] = "copy engine to device",
                                          [CUDA_ENGINE_TO_HOST] = "copy engine to host",
                                          [CUDA_ENGINE_PEER] = "copy engine to peers"};
    const struct cuda *cuda = cuda_of(operation);
    struct observe *observe = &cuda->sim->observe;
    const char *path = platform_port_name(cuda->platform, operation->stream->device->port);
    bool is_copy = operation->kind == CUDA_COPY;
    char name[32];
    snprintf(name, sizeof name, "stream %d", (int)operation->stream->number);
    const char *tracks[] = {is_copy ? engines[operation->engine] : "kernels", name};
    for (size_t i = 0; i < G_N_ELEMENTS(tracks); i++)
        observe_span(observe, observe_track(observe, path, tracks[i]), is_copy ? "copy" : "kernel",
                     operation->started_ps, sim_now(cuda->sim), operation->observed);
}

/* When all shared resources beside the copy's route (memories, the path to the host) will have let it pass. */
static sim_time shares_end_ps(struct cuda_operation *copy, sim_time now_ps)
{
    sim_time until_ps =
        shared_rate_end_ps(&copy->stream->device->both_ways, &copy->both_ways, now_ps);
    for (size_t i = 0; i < G_N_ELEMENTS(copy->flows); i++) {
        sim_time flow_ps = dram_flow_end_ps(&copy->flows[i], now_ps);
        until_ps = MAX(until_ps, flow_ps);
    }
    return until_ps;
}

static void end_copy(struct cuda_operation *operation)
{
    struct cuda_engine *engine = engine_of(operation);
    struct cuda *cuda = cuda_of(operation);
    note(operation, STAGE_COPY);
    if (observe_wants_spans(&cuda->sim->observe))
        observe_work(operation);
    stat_count(cuda->copies, 1);
    stat_count(cuda->copied_bytes, operation->bytes);
    cuda_operation_ended(operation);
    engine->current = LIST_TAKE(&engine->waiting, struct cuda_operation, waiting);
    if (engine->current != NULL)
        begin(engine->current);
}

/* The engine's current copy has passed its route. It has ended, unless it still waits for shared resources. */
static void copy_is_there(void *argument)
{
    struct cuda_operation *operation = argument;
    struct sim *sim = cuda_of(operation)->sim;
    sim_time now_ps = sim_now(sim), until_ps = shares_end_ps(operation, now_ps);
    if (until_ps > now_ps)
        event_schedule(sim->events, until_ps, copy_is_there, operation);
    else
        end_copy(operation);
}

/* Takes a share of the memory on `port` for `times` the copy's bytes. */
static void take_memory(struct cuda_operation *copy, struct dram_flow *flow, int port,
                        int64_t times)
{
    struct cuda *cuda = cuda_of(copy);
    struct dram *dram = cuda->memory_at != NULL ? cuda->memory_at(cuda->gpus, port) : NULL;
    dram_flow_begin(flow, dram, sim_now(cuda->sim), times * copy->bytes, times * copy->rate_Bps);
}

/* Engines reach the host by one path, on which data of one direction and requests of the other take turns. The copy's own rate
 * is its weight, and the most that it gets when alone. */
static void take_both_ways(struct cuda_operation *copy)
{
    struct cuda_device *device = copy->stream->device;
    const struct cuda *cuda = device->cuda;
    if (copy->engine == CUDA_ENGINE_PEER || copy->bytes == 0)
        return;
    int64_t one_way_Bps = cuda->spec->to_device.rate_Bps + cuda->spec->to_host.rate_Bps;
    if (CUDA_READ(cuda, both_ways_rate_Bps) >= one_way_Bps)
        return;
    shared_rate_begin(&device->both_ways, &copy->both_ways, sim_now(cuda->sim), (double)copy->bytes,
                      (double)copy->rate_Bps);
}

/* Whether its GPU's engine of the other direction, to or from the host, has a copy. */
static bool is_beside_copy(const struct cuda_operation *copy)
{
    static const enum cuda_engine_kind others[] = {[CUDA_ENGINE_TO_DEVICE] = CUDA_ENGINE_TO_HOST,
                                                   [CUDA_ENGINE_TO_HOST] = CUDA_ENGINE_TO_DEVICE};
    return copy->engine != CUDA_ENGINE_PEER &&
           copy->stream->device->engines[others[copy->engine]].current != NULL;
}

static void copy_arrived(void *argument)
{
    struct cuda_operation *operation = argument;
    struct cuda *cuda = cuda_of(operation);
    sim_time arrived_ps = MAX(sim_now(cuda->sim), operation->earliest_ps);
    int64_t chunk_bytes = MIN(operation->bytes, operation->chunk_bytes);
    event_schedule(cuda->sim->events, arrived_ps + transfer_ps(chunk_bytes, operation->rate_Bps),
                   copy_is_there, operation);
}

static void copy_first_byte(void *argument)
{
    struct cuda_operation *operation = argument;
    struct cuda *cuda = cuda_of(operation);
    operation->earliest_ps =
        sim_now(cuda->sim) +
        platform_route(cuda->platform, operation->from, operation->to)->latency_ps +
        transfer_ps(operation->bytes, operation->rate_Bps);
    bool is_local = operation->from == operation->to;
    if (operation->from_device)
        take_memory(operation, &operation->flows[0], operation->from, is_local ? 2 : 1);
    if (operation->to_device && !is_local)
        take_memory(operation, &operation->flows[1], operation->to, 1);
    take_both_ways(operation);
    transport_send_bulk(cuda->transport, operation->from, -1, -1, operation->to, operation->bytes,
                        &(struct transport_calls){.done = copy_arrived, .argument = operation});
}

/* The stage of the operation's place while it is at work: a copy between GPU and host is staging. */
static enum stage at_work(const struct cuda_operation *operation)
{
    if (operation->kind != CUDA_COPY)
        return STAGE_KERNEL;
    return operation->from_device && operation->to_device ? STAGE_COPY : STAGE_STAGED;
}

static void note(const struct cuda_operation *operation, enum stage stage)
{
    struct sim *sim = cuda_of(operation)->sim;
    observe_stage(&sim->observe, operation->observed, stage, sim_now(sim));
    if (operation->place == NULL)
        return;
    bool begins = stage == STAGE_STARTED;
    observe_place_change(operation->place, at_work(operation), sim_now(sim), begins ? 1 : -1);
    if (begins)
        observe_place_change(operation->place, STAGE_STARTED, sim_now(sim), -1);
}

/* The part of a copy's setup that is done while its engine moves the previous copy. */
static sim_time ahead_ps(const struct cuda_operation *operation)
{
    const struct cuda *cuda = cuda_of(operation);
    if (operation->is_inline)
        return CUDA_READ(cuda, inline_ahead_ps) +
               (operation->is_pageable ? CUDA_READ(cuda, inline_pageable_ahead_ps) : 0);
    if (!operation->to_device)
        return CUDA_READ(cuda, copy_ahead_ps) + CUDA_READ(cuda, to_host.ahead_ps);
    return CUDA_READ(cuda, copy_ahead_ps) +
           (operation->from_device ? 0 : CUDA_READ(cuda, to_device.ahead_ps));
}

static void begin(struct cuda_operation *operation)
{
    struct sim *sim = cuda_of(operation)->sim;
    note(operation, STAGE_STARTED);
    operation->started_ps = sim_now(cuda_of(operation)->sim);
    sim_time setup_ps = cuda_left_ps(operation, operation->setup_ps,
                                     operation->is_ahead ? ahead_ps(operation) : 0, sim_now(sim));
    if (is_beside_copy(operation))
        setup_ps += CUDA_READ(cuda_of(operation), beside_copy_ps);
    event_schedule(sim->events, sim_now(sim) + setup_ps, copy_first_byte, operation);
}

static void kernel_has_ended(void *argument)
{
    struct cuda_operation *operation = argument;
    struct cuda *cuda = cuda_of(operation);
    struct cuda_kernel_time *time = &operation->stream->device->kernel_time;
    note(operation, STAGE_KERNEL);
    if (observe_wants_spans(&cuda->sim->observe))
        observe_work(operation);
    time->kernels++;
    time->sum_ps += sim_now(cuda->sim) - operation->started_ps;
    stat_count(cuda->kernels_ended, 1);
    if (operation->graph != NULL && cuda_graph_goes_on(operation)) {
        if (operation->place != NULL)
            observe_place_change(operation->place, STAGE_STARTED, sim_now(cuda->sim), 1);
        return;
    }
    pool_give(&cuda->kernels, operation->kernel);
    cuda_operation_ended(operation);
}

void cuda_kernel_begin(void *argument)
{
    struct cuda_operation *operation = argument;
    struct cuda_stream *stream = operation->stream;
    struct kernel *kernel = operation->kernel;
    g_autoptr(GError) error = NULL;
    kernel->is_queued = true;
    kernel->stream = stream->number;
    kernel->priority = stream->priority;
    kernel->name = NULL;
    kernel->done = kernel_has_ended;
    kernel->done_argument = operation;
    note(operation, STAGE_STARTED);
    operation->started_ps = sim_now(cuda_of(operation)->sim);
    struct gpu *gpu = cuda_device_gpu(stream->device, true);
    check_always(gpu_launch(gpu, kernel, &error), "%s", error->message);
}

struct cuda_kernel_time cuda_device_kernels(const struct cuda_device *device)
{
    return device->kernel_time;
}

sim_time cuda_device_busy_ps(const struct cuda_device *device)
{
    const struct cuda *cuda = device->cuda;
    struct gpu *gpu = cuda->gpu_of != NULL ? cuda->gpu_of(cuda->gpus, device->port, false) : NULL;
    return gpu != NULL ? compute_busy_ps(gpu) : 0;
}

void cuda_engine_request(struct cuda_operation *operation)
{
    struct cuda_engine *engine = engine_of(operation);
    if (engine->current == NULL) {
        engine->current = operation;
        begin(operation);
        return;
    }
    operation->is_ahead = true;
    if (engine->current->stream != operation->stream)
        operation->queued_ps = sim_now(cuda_of(operation)->sim);
    struct cuda_operation *next = LIST_FIRST(&engine->waiting, struct cuda_operation, waiting);
    while (next != NULL && next->stream->priority <= operation->stream->priority)
        next = LIST_NEXT(next, struct cuda_operation, waiting);
    list_insert(&engine->waiting, &operation->waiting, next != NULL ? &next->waiting : NULL);
}
