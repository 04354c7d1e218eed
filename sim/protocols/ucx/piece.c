/* How pieces of messages move, and how a worker finds them. */
#include "protocols/ucx/ucx_parts.h"

void piece_queue_put(struct piece_queue *queue, struct piece *piece)
{
    piece->next = NULL;
    if (queue->last)
        queue->last->next = piece;
    else
        queue->first = piece;
    queue->last = piece;
    queue->count++;
}

struct piece *piece_queue_get(struct piece_queue *queue)
{
    struct piece *piece = queue->first;
    queue->first = piece->next;
    if (!queue->first)
        queue->last = NULL;
    queue->count--;
    return piece;
}

struct piece *piece_new(struct ucx_message *message, int64_t bytes, piece_fn *take)
{
    struct piece *piece = pool_take(&message->from->ucx->pieces);
    piece->message = message;
    piece->bytes = bytes;
    piece->take = take;
    return piece;
}

void piece_free(struct piece *piece)
{
    pool_give(&piece->message->from->ucx->pieces, piece);
}

bool piece_waits(const struct ucx_worker *worker)
{
    const struct piece *first = worker->host_copies.first;
    return worker->inbox.first || worker->peer_copies_ended > 0 || (first && first->copied.is_done);
}

/* A core that polls sees it; others find it when they come to ucx_progress. */
static void wake(struct ucx_worker *worker)
{
    if (worker->is_waiting && piece_waits(worker))
        cpu_notify(worker_cpu(worker));
}

static void into_inbox(void *argument)
{
    struct piece *piece = argument;
    piece_queue_put(&piece->at->inbox, piece);
    wake(piece->at);
}

/* Rail 0 of a process is its nearest NIC (M-122). */
static int32_t rail_of(const struct ucx_worker *worker, int32_t rail)
{
    return (worker->process->rail + rail) % worker->ucx->rails;
}

static struct verbs_operation operation_of(struct piece *piece, const struct ucx_worker *local,
                                           const struct ucx_worker *remote, int64_t bytes)
{
    return (struct verbs_operation){.node = local->process->node,
                                    .remote_node = remote->process->node,
                                    .rail = rail_of(local, piece->rail),
                                    .remote_rail = rail_of(remote, piece->rail),
                                    .core_port = local->process->cpu_port,
                                    .local_port = local->process->cpu_port,
                                    .remote_port = remote->process->cpu_port,
                                    .bytes = bytes,
                                    .argument = piece};
}

void piece_post(struct piece *piece, struct ucx_worker *from, struct ucx_worker *to, int64_t bytes,
                bool may_inline)
{
    struct ucx *ucx = from->ucx;
    const struct ucx_spec *spec = ucx->spec;
    piece->at = to;
    if (piece->message->distance != JOB_OTHER_NODE) {
        bool is_far = piece->message->distance == JOB_SAME_NODE;
        cpu_settle(worker_cpu(from));
        event_schedule(ucx->job->sim->events,
                       sim_now(ucx->job->sim) +
                           (is_far ? spec->far_latency_ps : spec->near_latency_ps),
                       into_inbox, piece);
        return;
    }
    struct verbs_operation operation = operation_of(piece, from, to, bytes);
    operation.is_inline = may_inline && bytes <= spec->inline_bytes;
    operation.delivered = into_inbox;
    operation.queue = piece->channel ? &piece->channel->queue : NULL;
    worker_spend(from, spec->post_ps);
    cpu_settle(worker_cpu(from));
    verbs_write(ucx->job->verbs, &operation);
}

void piece_post_control(struct piece *piece, struct ucx_worker *from, struct ucx_worker *to)
{
    worker_spend(from, from->ucx->spec->control_ps);
    piece_post(piece, from, to, from->ucx->spec->control_message_bytes, true);
}

void piece_write(struct piece *piece, struct ucx_worker *from)
{
    struct verbs_operation operation = operation_of(piece, from, piece->message->to, piece->bytes);
    operation.completed = into_inbox;
    piece->at = from;
    worker_spend(from, from->ucx->spec->post_ps);
    cpu_settle(worker_cpu(from));
    verbs_write(from->ucx->job->verbs, &operation);
}

static void read_now(void *argument)
{
    struct piece *piece = argument;
    const struct ucx_message *message = piece->message;
    struct verbs_operation operation =
        operation_of(piece, message->to, message->from, piece->bytes);
    operation.local_port = message->target.port;
    operation.remote_port = message->source.port;
    operation.completed = into_inbox;
    verbs_read(message->to->ucx->job->verbs, &operation);
}

void piece_read(struct piece *piece)
{
    struct ucx_message *message = piece->message;
    struct ucx_worker *worker = message->to;
    struct sim *sim = worker->ucx->job->sim;
    const struct ucx_spec *spec = worker->ucx->spec;
    piece->at = worker;
    worker_spend(worker, spec->post_ps);
    cpu_settle(worker_cpu(worker));
    if (message->protocol == UCX_GPU_DIRECT && spec->direct_setup_ps > 0)
        event_schedule(sim->events, sim_now(sim) + spec->direct_setup_ps, read_now, piece);
    else
        read_now(piece);
}

static void peer_copy_ended(void *argument)
{
    struct piece *piece = argument;
    piece->at->peer_copies_ended++;
    wake(piece->at);
}

static void host_copy_ended(void *argument)
{
    struct piece *piece = argument;
    wake(piece->at);
}

void piece_copy(struct piece *piece, struct ucx_worker *worker, struct cuda_stream *stream,
                struct piece_queue *copies, struct block to, struct block from)
{
    struct cpu *cpu = worker_cpu(worker);
    cuda_copy_async(stream, cpu, to, from, NULL);
    if (worker->ucx->spec->device_queue) {
        cuda_stream_synchronize(stream, cpu);
        piece->take(worker, piece);
        return;
    }
    bool is_peer = copies == &worker->peer_copies;
    piece->at = worker;
    piece->copied = (struct cuda_completion){.done = is_peer ? peer_copy_ended : host_copy_ended,
                                             .argument = piece};
    piece_queue_put(copies, piece);
    cuda_event_record(stream, cpu, &piece->copied);
}

bool piece_take_arrivals(struct ucx_worker *worker)
{
    /* What comes in meanwhile is for the next call. A callback may have called progress itself. */
    int32_t count = worker->inbox.count;
    for (int32_t i = 0; i < count && worker->inbox.first; i++) {
        struct piece *piece = piece_queue_get(&worker->inbox);
        worker_spend(worker, worker->ucx->spec->progress_ps);
        piece->take(worker, piece);
    }
    return count > 0;
}

bool piece_take_copies(struct ucx_worker *worker, struct piece_queue *copies)
{
    bool is_peer = copies == &worker->peer_copies;
    bool found = false;
    int32_t count = copies->count;
    for (int32_t i = 0; i < count && copies->first; i++) {
        bool is_done =
            cuda_event_query(worker->ucx->job->cuda, worker_cpu(worker), &copies->first->copied);
        if (!is_done && !is_peer)
            break;
        struct piece *piece = piece_queue_get(copies);
        if (!is_done) {
            piece_queue_put(copies,
                            piece); /* after all have had their turn the order is as before */
            continue;
        }
        found = true;
        worker->peer_copies_ended -= is_peer;
        worker_spend(worker, worker->ucx->spec->progress_ps);
        piece->take(worker, piece);
    }
    return found;
}
