/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams: the core's operations, in order.
 *
 * Only the first operation of a stream is under way. A copy goes to its engine, a kernel to its GPU; a record ends at once; a
 * wait ends when its event has occurred. Ends are events, so that `done`, a core or another stream that is told of an end acts
 * after the call that caused it, and streams that wait for one another in a ring cannot recurse. */
#include "models/cuda/cuda_parts.h"

/* --- the order of a stream ------------------------------------------------------------------------ */

static void end_event(void *argument)
{
    cuda_operation_ended(argument);
}

static void fetch_kernel(const void *argument, int step)
{
    const struct cuda_operation *operation = argument;
    if (step == 0) {
        event_fetch(operation->stream, sizeof *operation->stream);
        event_fetch(operation->kernel, sizeof *operation->kernel);
    } else if (step == 1) {
        event_fetch(operation->stream->device, sizeof *operation->stream->device);
    } else if (operation->stream->device->gpu != NULL) {
        gpu_fetch(operation->stream->device->gpu);
    }
}

void cuda_stream_fetch(struct sim *sim)
{
    event_queue_fetch_by(sim->events, cuda_kernel_begin, fetch_kernel);
}

sim_time cuda_left_ps(const struct cuda_operation *operation, sim_time whole_ps, sim_time ahead_ps,
                      sim_time now_ps)
{
    sim_time done_ps = MIN(ahead_ps, now_ps - operation->queued_ps);
    return MAX(0, whole_ps - done_ps);
}

/* Time from a kernel's arrival at the stream's head to its first work-group. */
static sim_time kernel_start_ps(const struct cuda *cuda, const struct cuda_operation *operation,
                                sim_time now_ps)
{
    sim_time ahead_ps = operation->is_ahead ? CUDA_READ(cuda, kernel_ahead_ps) : 0;
    sim_time start_ps = cuda_left_ps(operation, CUDA_READ(cuda, kernel_start_ps), ahead_ps, now_ps);
    if (operation->is_turned)
        start_ps = MAX(start_ps, operation->stream->launch_ended_ps +
                                     cuda_graph_turn_ps(operation->graph) - now_ps);
    return start_ps + operation->kernel->chain_ps;
}

/* Starts an operation that has reached the head of its stream. */
static void start(struct cuda_operation *operation)
{
    struct cuda *cuda = operation->stream->device->cuda;
    struct event_queue *events = cuda->sim->events;
    sim_time now_ps = sim_now(cuda->sim);
    switch ((enum cuda_operation_kind)operation->kind) {
    case CUDA_COPY:
        cuda_engine_request(operation);
        break;
    case CUDA_GRAPH:
        cuda_graph_begin(operation);
        event_schedule(events, now_ps + kernel_start_ps(cuda, operation, now_ps), cuda_kernel_begin,
                       operation);
        break;
    case CUDA_KERNEL:
        event_schedule(events, now_ps + kernel_start_ps(cuda, operation, now_ps), cuda_kernel_begin,
                       operation);
        break;
    case CUDA_RECORD:
        event_schedule(events, now_ps, end_event, operation);
        break;
    case CUDA_WAIT:
        if (!operation->is_held)
            event_schedule(events, now_ps + CUDA_READ(cuda, event_edge_ps), end_event, operation);
        break;
    }
}

struct cuda_operation *cuda_operation_new(struct cuda_stream *stream, enum cuda_operation_kind kind,
                                          struct cuda_completion *completion)
{
    struct cuda_operation *operation = pool_take(&stream->device->cuda->operations);
    operation->stream = stream;
    operation->kind = (uint8_t)kind;
    operation->completion = completion;
    if (completion != NULL) {
        check_release(!completion->is_pending, "a completion was given to two operations");
        completion->is_pending = true;
        completion->is_done = false;
    }
    return operation;
}

static struct cuda_operation *first_of(const struct cuda_stream *stream)
{
    return LIST_FIRST(&stream->operations, struct cuda_operation, link);
}

static bool is_launch(const struct cuda_operation *operation)
{
    return operation->kind == CUDA_KERNEL || operation->kind == CUDA_GRAPH;
}

bool cuda_stream_is_launching(const struct cuda_stream *stream)
{
    const struct cuda_operation *last = LIST_LAST(&stream->operations, struct cuda_operation, link);
    return last != NULL && is_launch(last);
}

void cuda_operation_push(struct cuda_operation *operation)
{
    struct cuda_stream *stream = operation->stream;
    operation->queued_ps = sim_now(stream->device->cuda->sim);
    if (is_launch(operation)) {
        const struct cuda_operation *last =
            LIST_LAST(&stream->operations, struct cuda_operation, link);
        operation->is_ahead = last != NULL && (is_launch(last) || last->kind == CUDA_WAIT);
    }
    list_append(&stream->operations, &operation->link);
    if (first_of(stream) == operation)
        start(operation);
}

/* Blocks the core until the operation has ended. */
static void push_and_block(struct cuda_operation *operation, struct cpu *cpu, const char *reason)
{
    bool is_over = false;
    operation->blocked = cpu;
    operation->is_over = &is_over;
    cuda_operation_push(operation);
    cpu_block(cpu, &is_over, CPU_CUDA, reason);
}

/* Reports a completion. It may have been freed once `done` was called. */
static void report(struct cuda_completion *completion)
{
    struct list waiters = completion->waiters;
    completion->waiters = (struct list){NULL, NULL};
    completion->is_pending = false;
    completion->is_done = true;
    struct cuda_operation *waiter;
    while ((waiter = LIST_TAKE(&waiters, struct cuda_operation, waiting)) != NULL) {
        waiter->is_held = false;
        if (first_of(waiter->stream) == waiter)
            start(waiter);
    }
    if (completion->notify != NULL)
        cpu_notify(completion->notify);
    if (completion->done != NULL)
        completion->done(completion->argument);
}

void cuda_operation_ended(struct cuda_operation *operation)
{
    struct cuda_stream *stream = operation->stream;
    struct cuda_completion *completion = operation->completion;
    list_remove(&stream->operations, &operation->link);
    if (is_launch(operation))
        stream->launch_ended_ps = sim_now(stream->device->cuda->sim);
    if (operation->blocked != NULL) {
        *operation->is_over = true;
        cpu_unblock(operation->blocked);
    }
    pool_give(&stream->device->cuda->operations, operation);
    if (!list_is_empty(&stream->operations))
        start(first_of(stream));
    if (completion != NULL)
        report(completion);
}

/* --- calls ---------------------------------------------------------------------------------------- */

struct cuda *cuda_enter(struct cuda_stream *stream, struct cpu *cpu, sim_time call_ps)
{
    cpu->is_launching = true;
    cpu_spend(cpu, CPU_CUDA, call_ps);
    cpu->is_launching = false;
    cpu_settle(cpu);
    return stream->device->cuda;
}

void cuda_note_launch(struct cuda_operation *operation, struct cpu *cpu)
{
    operation->observed = cpu->operation;
    operation->place = cpu->place;
    cpu_stage(cpu, STAGE_LAUNCHED);
    if (operation->place != NULL)
        observe_place_change(operation->place, STAGE_STARTED, cpu_now(cpu), 1);
}

/* As cuda_enter, for a call with a part that only one thread at a time can execute for the GPU. */
static struct cuda *enter_in_turn(struct cuda_stream *stream, struct cpu *cpu, sim_time call_ps)
{
    struct cuda_device *device = stream->device;
    sim_time serial_ps = MIN(call_ps, CUDA_READ(device->cuda, call_serial_ps));
    cuda_enter(stream, cpu, call_ps - serial_ps);
    if (serial_ps == 0)
        return device->cuda;
    sim_time now_ps = cpu_now(cpu);
    sim_time wait_ps = MAX(0, device->calls_free_ps - now_ps);
    device->calls_free_ps = now_ps + wait_ps + serial_ps;
    cpu_access(cpu, CPU_CUDA, wait_ps);
    return cuda_enter(stream, cpu, serial_ps);
}

/* Whether a kernel is running on the operation's GPU. */
static bool is_beside_kernel(const struct cuda_operation *operation)
{
    struct gpu *gpu = cuda_device_gpu(operation->stream->device, false);
    return gpu != NULL && (gpu_kernel(gpu) != NULL || gpu_resident_waves(gpu) > 0);
}

static bool is_inline_copy(const struct cuda *cuda, struct block from)
{
    return !block_is_device(from) && from.bytes <= CUDA_READ(cuda, inline_copy_bytes) &&
           cuda->spec->inline_copy_bytes > 0;
}

static bool is_cross_socket(const struct cuda_operation *operation)
{
    const struct cuda *cuda = operation->stream->device->cuda;
    return cuda_socket(cuda, operation->from) != cuda_socket(cuda, operation->to);
}

/* Sets the kind, the ports and the engine of a copy. */
static void plan_kind(struct cuda_operation *operation, struct block to, struct block from)
{
    const struct cuda *cuda = operation->stream->device->cuda;
    operation->from_device = block_is_device(from);
    operation->to_device = block_is_device(to);
    check_release(operation->from_device || operation->to_device,
                  "a copy between two host blocks by a GPU");
    operation->is_inline = is_inline_copy(cuda, from);
    operation->is_pageable = to.kind == BLOCK_PAGEABLE || from.kind == BLOCK_PAGEABLE;
    operation->from = from.port;
    operation->to = to.port;
    operation->bytes = from.bytes;
    operation->engine = !operation->from_device ? CUDA_ENGINE_TO_DEVICE
                        : operation->to_device  ? CUDA_ENGINE_PEER
                                                : CUDA_ENGINE_TO_HOST;
}

/* The setup time by direction alone. Copies whose data lie within their command have a setup time of their own. */
static sim_time own_setup_ps(const struct cuda_operation *operation)
{
    const struct cuda *cuda = operation->stream->device->cuda;
    if (operation->is_inline)
        return CUDA_READ(cuda, inline_setup_ps);
    sim_time setup_ps = CUDA_READ(cuda, copy_setup_ps);
    if (!operation->to_device)
        return setup_ps + CUDA_READ(cuda, to_host.setup_ps);
    return setup_ps + (operation->from_device ? 0 : CUDA_READ(cuda, to_device.setup_ps));
}

static sim_time setup_ps(const struct cuda_operation *operation)
{
    const struct cuda *cuda = operation->stream->device->cuda;
    sim_time sum_ps = own_setup_ps(operation);
    if (is_beside_kernel(operation))
        sum_ps += CUDA_READ(cuda, beside_kernel_ps);
    if (operation->engine == CUDA_ENGINE_PEER && operation->from != operation->to)
        sum_ps += CUDA_READ(cuda, peer_setup_ps);
    if (is_cross_socket(operation))
        sum_ps += CUDA_READ(cuda, cross_socket.setup_ps);
    if (operation->is_pageable && !operation->is_inline)
        sum_ps += CUDA_READ(cuda, pageable.setup_ps);
    if (operation->stream->device->processes > 1)
        sum_ps += CUDA_READ(cuda, shared.setup_ps);
    return sum_ps;
}

static int64_t chunk_bytes(const struct cuda_operation *operation)
{
    const struct cuda *cuda = operation->stream->device->cuda;
    if (operation->is_pageable && !operation->to_device &&
        CUDA_READ(cuda, pageable_chunk_bytes) > 0)
        return cuda->spec->pageable_chunk_bytes;
    bool is_peer = operation->engine == CUDA_ENGINE_PEER && operation->from != operation->to;
    return is_peer ? CUDA_READ(cuda, peer_chunk_bytes) : CUDA_READ(cuda, copy_chunk_bytes);
}

/* How fast a lone copy moves. */
static int64_t rate_Bps(const struct cuda_operation *operation)
{
    const struct cuda *cuda = operation->stream->device->cuda;
    int from = operation->from, to = operation->to;
    int64_t least_Bps = from == to ? CUDA_READ(cuda, local_rate_Bps)
                                   : platform_route(cuda->platform, from, to)->bandwidth_Bps;
    if (!operation->from_device)
        least_Bps = MIN(least_Bps, CUDA_READ(cuda, to_device.rate_Bps));
    if (!operation->to_device)
        least_Bps = MIN(least_Bps, CUDA_READ(cuda, to_host.rate_Bps));
    if (is_cross_socket(operation))
        least_Bps = MIN(least_Bps, CUDA_READ(cuda, cross_socket.rate_Bps));
    if (operation->stream->device->processes > 1)
        least_Bps = MIN(least_Bps, CUDA_READ(cuda, shared.rate_Bps));
    if (operation->is_pageable && !operation->is_inline)
        least_Bps = MIN(least_Bps, CUDA_READ(cuda, pageable.rate_Bps));
    return least_Bps;
}

/* Sets how fast a copy moves when alone, on which engine, and after how long a setup. */
static void plan_copy(struct cuda_operation *operation, struct block to, struct block from)
{
    plan_kind(operation, to, from);
    operation->setup_ps = setup_ps(operation);
    operation->chunk_bytes = chunk_bytes(operation);
    operation->rate_Bps = rate_Bps(operation);
}

/* The time of the core in a copy's call. */
static sim_time copy_call_ps(const struct cuda *cuda, struct block to, struct block from)
{
    sim_time call_ps = CUDA_READ(cuda, copy_call_ps);
    if (is_inline_copy(cuda, from))
        call_ps += transfer_ps(from.bytes, CUDA_READ(cuda, inline_rate_Bps));
    if (!block_is_device(from) || !block_is_device(to))
        return call_ps;
    return call_ps +
           (from.port == to.port ? CUDA_READ(cuda, local_call_ps) : CUDA_READ(cuda, peer_call_ps));
}

/* The core copies the bytes piece by piece into pinned memory, from where the engine takes each piece. The core does not wait
 * for the engine. */
static void copy_in_chunks(struct cuda_stream *stream, struct cpu *cpu, struct block to,
                           struct block from, struct cuda_completion *completion)
{
    const struct cuda *cuda = stream->device->cuda;
    int64_t left = from.bytes;
    from.kind = BLOCK_PINNED;
    do {
        from.bytes = to.bytes = MIN(left, CUDA_READ(cuda, pageable_chunk_bytes));
        left -= from.bytes;
        cpu_access(cpu, CPU_CUDA, transfer_ps(from.bytes, CUDA_READ(cuda, pageable.rate_Bps)));
        cpu_settle(cpu);
        struct cuda_operation *operation =
            cuda_operation_new(stream, CUDA_COPY, left == 0 ? completion : NULL);
        plan_copy(operation, to, from);
        cuda_note_launch(operation, cpu);
        cuda_operation_push(operation);
    } while (left > 0);
}

void cuda_copy_async(struct cuda_stream *stream, struct cpu *cpu, struct block to,
                     struct block from, struct cuda_completion *completion)
{
    const struct cuda *cuda = stream->device->cuda;
    enter_in_turn(stream, cpu, copy_call_ps(cuda, to, from));
    bool is_from_pageable = from.kind == BLOCK_PAGEABLE && !is_inline_copy(cuda, from);
    if (is_from_pageable && CUDA_READ(cuda, pageable_chunk_bytes) > 0) {
        copy_in_chunks(stream, cpu, to, from, completion);
        return;
    }
    struct cuda_operation *operation = cuda_operation_new(stream, CUDA_COPY, completion);
    plan_copy(operation, to, from);
    cuda_note_launch(operation, cpu);
    if (operation->is_pageable && !operation->is_inline)
        push_and_block(operation, cpu, "pageable copy");
    else
        cuda_operation_push(operation);
}

void cuda_launch(struct cuda_stream *stream, struct cpu *cpu, const struct kernel *kernel,
                 struct cuda_completion *completion)
{
    struct cuda *cuda = stream->device->cuda;
    sim_time call_ps = CUDA_READ(cuda, kernel_launch_ps);
    check_release(cuda->gpu_of != NULL, "a kernel where there are copies only");
    if (stream->has_slept)
        call_ps += CUDA_READ(cuda, slept_call_ps);
    enter_in_turn(stream, cpu, call_ps);
    stream->has_slept = false;
    struct cuda_operation *operation = cuda_operation_new(stream, CUDA_KERNEL, completion);
    operation->kernel = pool_take(&cuda->kernels);
    *operation->kernel = *kernel;
    cuda_note_launch(operation, cpu);
    cuda_operation_push(operation);
}

void cuda_event_record(struct cuda_stream *stream, struct cpu *cpu,
                       struct cuda_completion *completion)
{
    cuda_enter(stream, cpu, CUDA_READ(stream->device->cuda, event_record_ps));
    cuda_operation_push(cuda_operation_new(stream, CUDA_RECORD, completion));
}

bool cuda_event_query(struct cuda *cuda, struct cpu *cpu, const struct cuda_completion *completion)
{
    cpu_spend(cpu, CPU_CUDA, CUDA_READ(cuda, event_query_ps));
    cpu_settle(cpu);
    return completion->is_done;
}

void cuda_stream_wait_event(struct cuda_stream *stream, struct cpu *cpu,
                            struct cuda_completion *event)
{
    cuda_enter(stream, cpu, CUDA_READ(stream->device->cuda, event_wait_ps));
    if (!event->is_pending)
        return;
    struct cuda_operation *operation = cuda_operation_new(stream, CUDA_WAIT, NULL);
    operation->is_held = true;
    list_append(&event->waiters, &operation->waiting);
    cuda_operation_push(operation);
}

void cuda_stream_sleeps(struct cuda_stream *stream)
{
    stream->is_slept_for = true;
}

/* How long it takes to wake a thread that has slept since `asleep_ps`: the longer a core is idle, the deeper its power state. */
static sim_time wake_time(const struct cuda *cuda, sim_time asleep_ps, sim_time now_ps)
{
    sim_time wake_ps = CUDA_READ(cuda, wake_ps);
    bool is_deep = now_ps - asleep_ps > CUDA_READ(cuda, deep_sleep_after_ps);
    return wake_ps + (is_deep ? CUDA_READ(cuda, deep_wake_ps) : 0);
}

void cuda_stream_synchronize(struct cuda_stream *stream, struct cpu *cpu)
{
    const struct cuda *cuda = stream->device->cuda;
    cpu_settle(cpu);
    bool is_idle = list_is_empty(&stream->operations);
    sim_time start_ps = cpu_now(cpu), wake_ps = 0;
    if (!is_idle)
        push_and_block(cuda_operation_new(stream, CUDA_RECORD, NULL), cpu, "stream synchronize");
    if (stream->is_slept_for && !is_idle)
        wake_ps = wake_time(cuda, start_ps, cpu_now(cpu));
    stream->has_slept = wake_ps > 0;
    cpu_spend(cpu, CPU_CUDA, CUDA_READ(cuda, synchronize_ps) + wake_ps);
}

void cuda_copy(struct cuda_stream *stream, struct cpu *cpu, struct block to, struct block from)
{
    cuda_copy_async(stream, cpu, to, from, NULL);
    cuda_stream_synchronize(stream, cpu);
}
