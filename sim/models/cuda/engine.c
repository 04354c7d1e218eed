/* Engines: copies and kernels take turns, and take their time.
 *
 * A copy holds its engine from its setup until its last chunk is written: an engine takes up its next
 * descriptor only after it has signalled the end of the one before, so copies of one engine do not
 * overlap, not even a tail with a setup. A link is held for the bytes alone. So a lone copy takes
 *
 *     setup + route latency + bytes / rate + min(bytes, chunk) / rate
 *
 * where the last term is the chunk that was read whole before it was written. Others on the route make
 * the transport's part longer; staging of pageable memory, or the GPU's own memory, make it no shorter
 * than bytes / rate.
 *
 * The next operation of a stream stands in line before the engine chooses its next, so a stream of high
 * priority keeps an engine until it has nothing more for it. A kernel's start-up has
 * passed when it asks for the GPU, beside kernels of other streams; once at work it runs to its end. */
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

/* The engine's current operation has ended. */
static void end_current(void *argument)
{
    struct cuda_operation *operation = argument;
    struct cuda_engine *engine = engine_of(operation);
    struct cuda *cuda = cuda_of(operation);
    note(operation, operation->kind == CUDA_COPY ? STAGE_COPY : STAGE_KERNEL);
    if (operation->kind == CUDA_COPY) {
        stat_count(cuda->copies, 1);
        stat_count(cuda->copied_bytes, operation->bytes);
    } else {
        stat_count(cuda->kernels, 1);
    }
    cuda_operation_ended(operation);
    engine->current = engine->first_waiting;
    if (engine->current != NULL) {
        engine->first_waiting = engine->current->next_waiting;
        begin(engine->current);
    }
}

static void copy_arrived(void *argument)
{
    struct cuda_operation *operation = argument;
    struct cuda *cuda = cuda_of(operation);
    sim_time arrived_ps = MAX(sim_now(cuda->sim), operation->earliest_ps);
    int64_t chunk_bytes = MIN(operation->bytes, operation->chunk_bytes);
    event_schedule(cuda->sim->events, arrived_ps + transfer_ps(chunk_bytes, operation->rate_Bps),
                   end_current, operation);
}

static void copy_first_byte(void *argument)
{
    struct cuda_operation *operation = argument;
    struct cuda *cuda = cuda_of(operation);
    operation->earliest_ps =
        sim_now(cuda->sim) +
        platform_route(cuda->platform, operation->from, operation->to)->latency_ps +
        transfer_ps(operation->bytes, operation->rate_Bps);
    transport_send(cuda->transport, operation->from, operation->to, operation->bytes, copy_arrived,
                   operation);
}

static void note(const struct cuda_operation *operation, enum stage stage)
{
    struct sim *sim = cuda_of(operation)->sim;
    observe_stage(&sim->observe, operation->observed, stage, sim_now(sim));
}

static void begin(struct cuda_operation *operation)
{
    struct sim *sim = cuda_of(operation)->sim;
    note(operation, STAGE_STARTED);
    if (operation->kind == CUDA_COPY)
        event_schedule(sim->events, sim_now(sim) + operation->setup_ps, copy_first_byte, operation);
    else
        event_schedule(sim->events, sim_now(sim) + operation->duration_ps, end_current, operation);
}

void cuda_engine_request(struct cuda_operation *operation)
{
    struct cuda_engine *engine = engine_of(operation);
    if (engine->current == NULL) {
        engine->current = operation;
        begin(operation);
        return;
    }
    struct cuda_operation **place = &engine->first_waiting;
    while (*place != NULL && (*place)->stream->priority <= operation->stream->priority)
        place = &(*place)->next_waiting;
    operation->next_waiting = *place;
    *place = operation;
}
