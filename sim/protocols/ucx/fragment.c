/* SPDX-License-Identifier: BSD-3-Clause */
/* How fragments of messages move, and how a worker finds them. */

#include "protocols/ucx/ucx_parts.h"

void fragment_queue_put(struct fragment_queue *queue, struct fragment *fragment)
{
    list_append(&queue->list, &fragment->link);
    queue->count++;
}

struct fragment *fragment_queue_get(struct fragment_queue *queue)
{
    queue->count--;
    return LIST_TAKE(&queue->list, struct fragment, link);
}

struct fragment *fragment_new(struct ucx_message *message, int64_t bytes, fragment_fn *take)
{
    struct fragment *fragment = pool_take(&message->from->ucx->fragments);
    fragment->message = message;
    fragment->operation = message->operation;
    fragment->bytes = bytes;
    fragment->take = take;
    return fragment;
}

bool fragment_waits(const struct ucx_worker *worker)
{
    const struct fragment *first = fragment_queue_first(&worker->host_copies);
    return worker->inbox.count > 0 || worker->peer_copies_ended > 0 ||
           (first && first->copied.is_done);
}

/* Wakes the worker's core if it waits for fragments; a busy core finds the fragment at its next ucx_progress. */
static void wake(struct ucx_worker *worker)
{
    if (worker->is_waiting && fragment_waits(worker))
        cpu_notify(worker_cpu(worker));
}

static void event_stage(const struct fragment *fragment, enum stage stage)
{
    struct sim *sim = fragment->at->ucx->job->sim;
    observe_stage(&sim->observe, fragment->operation, stage, sim_now(sim));
}

static void into_inbox(void *argument)
{
    struct fragment *fragment = argument;
    event_stage(fragment, STAGE_DELIVERED);
    fragment_queue_put(&fragment->at->inbox, fragment);
    wake(fragment->at);
}

/* Rail 0 of a process is its nearest NIC (M-122). */
static int32_t rail_of(const struct ucx_worker *worker, int32_t rail)
{
    const struct job_process *process = worker->process;
    return platform_cabled_gateway(process->job->cluster->platform, process->node,
                                   (process->rail + rail) % worker->ucx->rails);
}

static struct verbs_operation operation_of(struct fragment *fragment,
                                           const struct ucx_worker *local,
                                           const struct ucx_worker *remote, int64_t bytes)
{
    return (struct verbs_operation){.node = local->process->node,
                                    .remote_node = remote->process->node,
                                    .rail = rail_of(local, fragment->rail),
                                    .remote_rail = rail_of(remote, fragment->rail),
                                    .core_port = local->process->core_port,
                                    .local_port = local->process->core_port,
                                    .remote_port = remote->process->core_port,
                                    .bytes = bytes,
                                    .cookie = fragment->operation,
                                    .argument = fragment};
}

/* Time from a store by one process's core until the core of another process of the node sees it. */
static sim_time sight_ps(const struct ucx_worker *from, const struct ucx_worker *to,
                         enum job_distance distance)
{
    sim_time platform_ps =
        job_core_latency_ps(from->ucx->job, from->process->rank, to->process->rank);
    if (platform_ps >= 0)
        return platform_ps;
    return distance == JOB_SAME_NODE ? UCX_READ(from->ucx, cross_socket_latency_ps)
                                     : UCX_READ(from->ucx, same_socket_latency_ps);
}

void fragment_post(struct fragment *fragment, struct ucx_worker *from, struct ucx_worker *to,
                   int64_t bytes, bool may_inline)
{
    struct ucx *ucx = from->ucx;
    fragment->at = to;
    if (fragment->message->distance != JOB_OTHER_NODE) {
        cpu_settle(worker_cpu(from));
        worker_stage(from, fragment->operation, STAGE_PACKED);
        event_schedule(ucx->job->sim->events,
                       sim_now(ucx->job->sim) + sight_ps(from, to, fragment->message->distance),
                       into_inbox, fragment);
        return;
    }
    struct verbs_operation operation = operation_of(fragment, from, to, bytes);
    operation.is_inline = may_inline && bytes <= UCX_READ(ucx, inline_bytes);
    operation.delivered = into_inbox;
    operation.queue = fragment->channel ? &fragment->channel->messages : NULL;
    worker_spend(from, UCX_READ(ucx, post_ps));
    cpu_settle(worker_cpu(from));
    worker_stage(from, fragment->operation, STAGE_PACKED);
    verbs_write(ucx->job->nics, &operation);
}

void fragment_post_control(struct fragment *fragment, struct ucx_worker *from,
                           struct ucx_worker *to)
{
    worker_spend(from, UCX_READ(from->ucx, control_ps));
    int64_t bytes = fragment->message->distance == JOB_OTHER_NODE ? UCX_CONTROL_BYTES : 0;
    fragment_post(fragment, from, to, bytes, true);
}

void fragment_write(struct fragment *fragment, struct ucx_worker *from)
{
    struct verbs_operation operation =
        operation_of(fragment, from, fragment->message->to, fragment->bytes);
    operation.completed = into_inbox;
    operation.queue =
        &worker_channel(from, fragment->message->to->process->rank)->bulk[fragment->rail];
    fragment->at = from;
    worker_spend(from, UCX_READ(from->ucx, post_ps));
    cpu_settle(worker_cpu(from));
    worker_stage(from, fragment->operation, STAGE_PACKED);
    verbs_write(from->ucx->job->nics, &operation);
}

static void read_now(void *argument)
{
    struct fragment *fragment = argument;
    const struct ucx_message *message = fragment->message;
    struct verbs_operation operation =
        operation_of(fragment, message->to, message->from, fragment->bytes);
    operation.local_port = message->target.port;
    operation.remote_port = message->source.port;
    if (operation.node == operation.remote_node)
        operation.remote_rail =
            operation.rail; /* one NIC reads from and writes into its node's memory */
    operation.completed = into_inbox;
    operation.queue =
        &worker_channel(message->to, message->from->process->rank)->bulk[fragment->rail];
    verbs_read(message->to->ucx->job->nics, &operation);
}

void fragment_read(struct fragment *fragment)
{
    struct ucx_message *message = fragment->message;
    struct ucx_worker *worker = message->to;
    struct sim *sim = worker->ucx->job->sim;
    const struct ucx *ucx = worker->ucx;
    fragment->at = worker;
    worker_spend(worker, UCX_READ(ucx, post_ps));
    cpu_settle(worker_cpu(worker));
    worker_stage(worker, fragment->operation, STAGE_PACKED);
    if (message->protocol == UCX_GPU_DIRECT && UCX_READ(ucx, direct_setup_ps) > 0)
        event_schedule(sim->events, sim_now(sim) + ucx->spec->direct_setup_ps, read_now, fragment);
    else
        read_now(fragment);
}

static void peer_copy_ended(void *argument)
{
    struct fragment *fragment = argument;
    event_stage(fragment, STAGE_COPY);
    fragment->at->peer_copies_ended++;
    wake(fragment->at);
}

static void host_copy_ended(void *argument)
{
    struct fragment *fragment = argument;
    event_stage(fragment, STAGE_STAGED);
    wake(fragment->at);
}

void fragment_copy(struct fragment *fragment, struct ucx_worker *worker, struct cuda_stream *stream,
                   struct fragment_queue *copies, struct block to, struct block from)
{
    struct cpu *cpu = worker_cpu(worker);
    fragment->at = worker;
    cuda_copy_async(stream, cpu, to, from, NULL);
    if (UCX_READ(worker->ucx, device_queue)) {
        cuda_stream_synchronize(stream, cpu);
        worker_stage(worker, fragment->operation, STAGE_STAGED);
        fragment->take(worker, fragment);
        return;
    }
    bool is_peer = copies == &worker->peer_copies;
    fragment->copied = (struct cuda_completion){.done = is_peer ? peer_copy_ended : host_copy_ended,
                                                .argument = fragment};
    fragment_queue_put(copies, fragment);
    cuda_event_record(stream, cpu, &fragment->copied);
}

/* The most arrivals of one transport that UCX polls before it polls the next transport (UCX_MM_FIFO_MAX_POLL,
 * UCX_IB_RX_MAX_POLL; openucx/ucx v1.10). */
#define MOST_ARRIVALS 16

bool fragment_take_arrivals(struct ucx_worker *worker)
{
    /* Fragments that arrive meanwhile are left to the next call. A callback may have called progress itself. */
    int32_t count = MIN(worker->inbox.count, MOST_ARRIVALS);
    for (int32_t i = 0; i < count && worker->inbox.count > 0; i++) {
        struct fragment *fragment = fragment_queue_get(&worker->inbox);
        worker_spend(worker, UCX_READ(worker->ucx, progress_ps));
        worker_stage(worker, fragment->operation, STAGE_TAKEN);
        fragment->take(worker, fragment);
    }
    return count > 0;
}

bool fragment_take_copies(struct ucx_worker *worker, struct fragment_queue *copies)
{
    bool is_peer = copies == &worker->peer_copies;
    bool found = false;
    int32_t count = copies->count;
    for (int32_t i = 0; i < count && copies->count > 0; i++) {
        bool is_done = cuda_event_query(worker->ucx->job->cuda, worker_cpu(worker),
                                        &fragment_queue_first(copies)->copied);
        if (!is_done && !is_peer)
            break;
        struct fragment *fragment = fragment_queue_get(copies);
        if (!is_done) {
            fragment_queue_put(copies,
                               fragment); /* after all have had their turn the order is as before */
            continue;
        }
        found = true;
        worker->peer_copies_ended -= is_peer;
        worker_spend(worker, UCX_READ(worker->ucx, progress_ps));
        worker_stage(worker, fragment->operation, STAGE_TAKEN);
        fragment->take(worker, fragment);
    }
    return found;
}
