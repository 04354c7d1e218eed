/* SPDX-License-Identifier: BSD-3-Clause */
/* Eager messages: copied into library buffers by the sender, out of them by the receiver. */

#include "protocols/ucx/ucx_parts.h"

static int64_t eager_most_bytes(const struct ucx *ucx, enum job_distance distance, bool is_device)
{
    if (distance == JOB_OTHER_NODE)
        return is_device ? UCX_READ(ucx, device_eager_bytes) : UCX_READ(ucx, eager_bytes);
    return is_device ? UCX_READ(ucx, intra_node_device_eager_bytes)
                     : UCX_READ(ucx, intra_node_eager_bytes);
}

/* How much longer a rendezvous takes than an eager message, copies aside: its control messages, and a read from the peer's
 * memory or, in a node, the calls and the setup of a copy by the GPU. */
static sim_time rendezvous_more_ps(const struct ucx_worker *from, const struct channel *channel)
{
    const struct ucx *ucx = from->ucx;
    const struct cpu_spec *core = from->process->cpu.spec;
    if (channel->distance != JOB_OTHER_NODE)
        return cpu_scaled_ps(core, UCX_READ(ucx, control_ps) + UCX_READ(ucx, progress_ps) +
                                       cuda_peer_calls_ps(ucx->job->cuda)) +
               cuda_peer_setup_ps(ucx->job->cuda);
    return cpu_scaled_ps(core, UCX_READ(ucx, control_ps) + UCX_READ(ucx, progress_ps) +
                                   UCX_READ(ucx, post_ps) +
                                   2 * UCX_READ(ucx, registration_hit_ps)) +
           2 * job_core_latency_ps(ucx->job, from->process->rank, channel->to->process->rank);
}

/* The time of those of a message's copies that a core on a GPU makes, line by line. */
static sim_time line_copy_ps(const struct ucx_worker *worker, int64_t bytes)
{
    return worker->process->kind->is_on_gpu ? job_line_copy_ps(worker->process, bytes) : 0;
}

/* For cores on a GPU UCX's own rule, which compares both protocols, rules out copies that take longer than a rendezvous; the
 * limits set for CPU cores stay the upper bound. */
bool eager_fits(struct ucx_worker *from, const struct channel *channel, struct block source)
{
    const struct ucx_worker *to = channel->to;
    bool is_line_by_line = from->process->kind->is_on_gpu || to->process->kind->is_on_gpu;
    if (source.bytes > eager_most_bytes(from->ucx, channel->distance, block_is_device(source)))
        return false;
    return !is_line_by_line || source.bytes == 0 ||
           line_copy_ps(from, source.bytes) + line_copy_ps(to, source.bytes) <=
               rendezvous_more_ps(from, channel);
}

static struct block part_of(struct block block, int64_t bytes)
{
    block.bytes = bytes;
    return block;
}

/* Where the receiver's core finds a segment: in the cache of the core that wrote it; or in its own memory, into which the NIC,
 * or a core without such a cache, has written it. */
static enum host_copy_kind arrival_kind(const struct ucx_message *message)
{
    if (message->distance == JOB_OTHER_NODE || message->from->process->kind->is_on_gpu)
        return HOST_COPY_SAME_SOCKET;
    return message->distance == JOB_SAME_NODE ? HOST_COPY_CROSS_SOCKET_HANDOFF : HOST_COPY_HANDOFF;
}

/* A segment without a posted receive moves to a buffer on the host, whatever its destination (M-119). */
static void take_segment(struct ucx_worker *worker, struct fragment *fragment)
{
    struct ucx_message *message = fragment->message;
    int64_t bytes = fragment->bytes;
    fragment_free(fragment);
    if (!message->is_seen)
        worker_match(worker, message);
    message->is_seen = true;
    struct block place = message->is_matched ? message->target : worker_buffer(worker, bytes);
    worker_unpack(worker, part_of(place, bytes), arrival_kind(message));
    worker_stage(worker, message->operation, STAGE_COPIED);
    message->taken_bytes += bytes;
    if (--message->parts_left == 0 && message->is_matched)
        message_end_receive(message);
}

void eager_send(struct ucx_message *message, struct channel *channel)
{
    struct ucx_worker *from = message->from;
    int64_t segment_bytes = UCX_READ(from->ucx, segment_bytes);
    int64_t left = message->source.bytes;
    message->parts_left = (int32_t)MAX(1, (left + segment_bytes - 1) / segment_bytes);
    message->is_eager = true;
    /* The receiver may end and forget the message as soon as its last segment is posted. */
    struct ucx_worker *to = message->to;
    do {
        struct fragment *fragment = fragment_new(message, MIN(left, segment_bytes), take_segment);
        int64_t bytes = fragment->bytes;
        left -= bytes;
        fragment->channel = channel;
        worker_pack(from, part_of(message->source, bytes));
        fragment_post(fragment, from, to, bytes, job_reaches(from->process, message->source));
    } while (left > 0);
}

void eager_matched(struct ucx_message *message)
{
    worker_unpack(message->to, part_of(message->target, message->taken_bytes),
                  HOST_COPY_SAME_SOCKET);
    worker_stage(message->to, message->operation, STAGE_COPIED);
    if (message->parts_left == 0)
        message_end_receive(message);
}
