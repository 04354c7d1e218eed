/* GPU memory between nodes through host memory, in fragments (M-032, M-118). The receiver asks for fragments,
 * as many at a time as may be in flight; the sender copies each from its GPU into a host buffer, writes it
 * by RDMA into the receiver's, and says so; the receiver copies it to its GPU and asks for another. So the
 * stages of different fragments overlap as far as cores, copy engines and NICs allow.
 *
 * A piece is a fragment through all of this: asked for, copied out, written, told of, copied in. A side
 * whose memory is the host's has no copy to do. */
#include <glib.h>

#include "protocols/ucx/ucx_parts.h"

static struct block fragment_of(struct block block, const struct piece *piece)
{
    block.bytes = piece->bytes;
    return block;
}

static void request_fragments(struct ucx_message *message);

static void take_copied_in(struct ucx_worker *worker, struct piece *piece)
{
    struct ucx_message *message = piece->message;
    (void)worker;
    message->fragments_active--;
    message->received_bytes += piece->bytes;
    piece_free(piece);
    if (message->received_bytes == message->source.bytes)
        message_end_receive(message);
    else
        request_fragments(message);
}

/* Receiver: a fragment lies in its host buffer. */
static void take_written(struct ucx_worker *worker, struct piece *piece)
{
    struct block target = fragment_of(piece->message->target, piece);
    piece->take = take_copied_in;
    if (block_is_device(target))
        piece_copy(piece, worker, worker_stream_to_device(worker), &worker->host_copies, target,
                   worker_buffer(worker, piece->bytes));
    else
        take_copied_in(worker, piece);
}

/* Sender: fragments go to the NIC in the order in which they were copied, a few at a time. */
static void write_fragments(struct ucx_worker *worker)
{
    while (worker->fragments_written < worker->ucx->spec->fragments_on_wire &&
           worker->fragments.first != NULL) {
        worker->fragments_written++;
        piece_write(piece_queue_get(&worker->fragments), worker);
    }
}

/* Sender: the NIC has written a fragment. */
static void take_completion(struct ucx_worker *worker, struct piece *piece)
{
    struct ucx_message *message = piece->message;
    worker->fragments_written--;
    write_fragments(worker);
    message->put_bytes += piece->bytes;
    bool is_last = message->put_bytes == message->source.bytes;
    piece->take = take_written;
    piece_post_control(piece, worker, message->to);
    if (is_last)
        message_end_send(message);
}

static void take_copied_out(struct ucx_worker *worker, struct piece *piece)
{
    piece->take = take_completion;
    piece_queue_put(&worker->fragments, piece);
    write_fragments(worker);
}

/* Sender: the receiver has a buffer for a fragment. */
static void take_request(struct ucx_worker *worker, struct piece *piece)
{
    struct block source = fragment_of(piece->message->source, piece);
    worker_spend(worker, worker->ucx->spec->fragment_cost_ps);
    piece->take = take_copied_out;
    if (block_is_device(source))
        piece_copy(piece, worker, worker_stream_to_host(worker), &worker->host_copies,
                   worker_buffer(worker, piece->bytes), source);
    else
        take_copied_out(worker, piece);
}

static void request_fragments(struct ucx_message *message)
{
    struct ucx_worker *worker = message->to;
    const struct ucx_spec *spec = worker->ucx->spec;
    int64_t rails = MIN(spec->rails, worker->ucx->rails);
    while (message->fragments_active < spec->fragments_in_flight &&
           message->requested_bytes < message->source.bytes) {
        int64_t left = message->source.bytes - message->requested_bytes;
        struct piece *piece = piece_new(message, MIN(left, spec->fragment_bytes), take_request);
        piece->rail = (int32_t)(message->requested_bytes / spec->fragment_bytes % rails);
        message->requested_bytes += piece->bytes;
        message->fragments_active++;
        worker_spend(worker, spec->fragment_cost_ps);
        piece_post_control(piece, worker, message->from);
    }
}

void staging_receive(struct ucx_message *message)
{
    if (!block_is_device(message->target))
        worker_register(message->to, message->target);
    request_fragments(message);
}
