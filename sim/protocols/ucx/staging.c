/* SPDX-License-Identifier: BSD-3-Clause */
/* GPU memory between nodes through host memory, in fragments (M-032, M-118). The receiver asks for fragments, as many at a time
 * as may be in flight; the sender copies each from its GPU into a host buffer, writes it by RDMA into the receiver's buffer and
 * announces it; the receiver copies it to its GPU and asks for another one. So the stages of different fragments overlap as far
 * as cores, copy engines and NICs allow.
 *
 * One struct fragment stands for a fragment through all these stages: requested, copied out, written, announced, copied in. A
 * side whose core reaches its data itself (the host's memory; a GPU's, from a core on it) has no copy to do. */

#include "protocols/ucx/ucx_parts.h"

static struct block fragment_of(struct block block, const struct fragment *fragment)
{
    block.bytes = fragment->bytes;
    return block;
}

static void request_fragments(struct ucx_message *message);

static void take_copied_in(struct ucx_worker *worker, struct fragment *fragment)
{
    struct ucx_message *message = fragment->message;
    (void)worker;
    message->fragments_active--;
    message->received_bytes += fragment->bytes;
    fragment_free(fragment);
    if (message->received_bytes == message->source.bytes)
        message_end_receive(message);
    else
        request_fragments(message);
}

/* Receiver: a fragment lies in its host buffer. */
static void take_written(struct ucx_worker *worker, struct fragment *fragment)
{
    struct block target = fragment_of(fragment->message->target, fragment);
    fragment->take = take_copied_in;
    if (!job_reaches(worker->process, target))
        fragment_copy(fragment, worker, worker_stream(worker, &worker->to_device),
                      &worker->host_copies, target, worker_buffer(worker, fragment->bytes));
    else
        take_copied_in(worker, fragment);
}

/* Sender: fragments go to the NIC in the order in which they were copied, a few at a time. */
static bool may_write(const struct ucx_worker *worker)
{
    return worker->fragments_written == 0 ||
           worker->fragments_written < UCX_READ(worker->ucx, fragments_on_wire);
}

static void write_fragments(struct ucx_worker *worker)
{
    while (worker->fragments.count > 0 && may_write(worker)) {
        worker->fragments_written++;
        fragment_write(fragment_queue_get(&worker->fragments), worker);
    }
}

/* Sender: the NIC has written a fragment. */
static void take_completion(struct ucx_worker *worker, struct fragment *fragment)
{
    struct ucx_message *message = fragment->message;
    worker->fragments_written--;
    write_fragments(worker);
    message->put_bytes += fragment->bytes;
    bool is_last = message->put_bytes == message->source.bytes;
    fragment->take = take_written;
    fragment_post_control(fragment, worker, message->to);
    if (is_last)
        message_end_send(message);
}

static void take_copied_out(struct ucx_worker *worker, struct fragment *fragment)
{
    fragment->take = take_completion;
    fragment_queue_put(&worker->fragments, fragment);
    write_fragments(worker);
}

/* Sender: the receiver has a buffer for a fragment. */
static void take_request(struct ucx_worker *worker, struct fragment *fragment)
{
    struct block source = fragment_of(fragment->message->source, fragment);
    worker_spend(worker, UCX_READ(worker->ucx, fragment_cost_ps));
    fragment->take = take_copied_out;
    if (!job_reaches(worker->process, source))
        fragment_copy(fragment, worker, worker_stream(worker, &worker->to_host),
                      &worker->host_copies, worker_buffer(worker, fragment->bytes), source);
    else
        take_copied_out(worker, fragment);
}

/* Whether the receiver may ask for another fragment; it always may if none is in flight. */
static bool may_request(const struct ucx *ucx, const struct ucx_message *message)
{
    return message->fragments_active == 0 ||
           message->fragments_active < UCX_READ(ucx, fragments_in_flight);
}

static void request_fragments(struct ucx_message *message)
{
    struct ucx_worker *worker = message->to;
    const struct ucx *ucx = worker->ucx;
    int64_t rails = worker->ucx->used_rails;
    while (message->requested_bytes < message->source.bytes && may_request(ucx, message)) {
        int64_t left = message->source.bytes - message->requested_bytes;
        struct fragment *fragment =
            fragment_new(message, MIN(left, UCX_READ(ucx, fragment_bytes)), take_request);
        fragment->rail =
            (int32_t)(message->requested_bytes / UCX_READ(ucx, fragment_bytes) % rails);
        message->requested_bytes += fragment->bytes;
        message->fragments_active++;
        worker_spend(worker, UCX_READ(ucx, fragment_cost_ps));
        fragment_post_control(fragment, worker, message->from);
    }
}

void staging_receive(struct ucx_message *message)
{
    if (job_reaches(message->to->process, message->target))
        ucx_register(message->to, message->target);
    request_fragments(message);
}
