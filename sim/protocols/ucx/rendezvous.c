/* SPDX-License-Identifier: BSD-3-Clause */
/* Rendezvous: the sender announces the message; once its receive is posted, the receiver fetches the payload and acknowledges it. */

#include "protocols/ucx/ucx_parts.h"

static void take_announcement(struct ucx_worker *worker, struct fragment *fragment)
{
    struct ucx_message *message = fragment->message;
    fragment_free(fragment);
    if (worker_match(worker, message))
        rendezvous_matched(message);
}

/* The announcement carries the key by which the receiver's NIC may read the source. */
void rendezvous_announce(struct ucx_message *message, struct channel *channel)
{
    struct ucx_worker *from = message->from;
    struct block source = message->source;
    message->owners = 2;
    bool is_far = message->distance == JOB_OTHER_NODE;
    if (message_loops(message) ||
        (is_far && (job_reaches(from->process, source) ||
                    source.bytes <= UCX_READ(from->ucx, gpu_direct_bytes))))
        ucx_register(from, source);
    struct fragment *fragment = fragment_new(message, 0, take_announcement);
    fragment->channel = channel;
    fragment_post_control(fragment, from, message->to);
}

static void take_acknowledgement(struct ucx_worker *worker, struct fragment *fragment)
{
    struct ucx_message *message = fragment->message;
    (void)worker;
    fragment_free(fragment);
    message_end_send(message);
}

/* Ends the receive of a payload that is in its place. The sender is acknowledged first, as UCX does. */
static void finish(struct ucx_message *message)
{
    struct fragment *fragment = fragment_new(message, 0, take_acknowledgement);
    fragment->operation = 0;
    fragment_post_control(fragment, message->to, message->from);
    message_end_receive(message);
}

/* Refuses a copy between a process on the host's cores and one on a GPU's: no system call copies between their memories. */
static void refuse_cross_attach(const struct ucx_message *message)
{
    const struct job_process *from = message->from->process, *to = message->to->process;
    sim_fail(
        from->job->sim,
        "rank %d on a %s sends %lld B of its own memory to rank %d on a %s of its node, more than goes eagerly; such a "
        "copy is not simulated: it takes data of the GPU, or cores of one kind",
        (int)from->rank, from->kind->name, (long long)message->source.bytes, (int)to->rank,
        to->kind->name);
}

/* The receiver's core copies the payload from the sender's memory by a system call; to a GPU by way of a buffer. */
static void cross_attach(struct ucx_message *message)
{
    struct ucx_worker *worker = message->to;
    int64_t bytes = message->source.bytes;
    bool is_cross_socket = message->distance == JOB_SAME_NODE;
    if (worker->process->kind->is_on_gpu != message->from->process->kind->is_on_gpu) {
        refuse_cross_attach(message);
        return;
    }
    worker_spend(worker, UCX_READ(worker->ucx, cross_attach_ps));
    job_copy_as(worker->process, CPU_LIBRARY,
                is_cross_socket ? HOST_COPY_CROSS_SOCKET : HOST_COPY_SAME_SOCKET, bytes);
    worker_stage(worker, message->operation, STAGE_COPIED);
    if (block_is_device(message->target))
        cuda_copy(worker_stream(worker, &worker->to_device), worker_cpu(worker), message->target,
                  worker_buffer(worker, bytes));
    worker_stage(worker, message->operation, STAGE_STAGED);
    finish(message);
}

/* A part of the payload has arrived. */
static void take_part(struct ucx_worker *worker, struct fragment *fragment)
{
    struct ucx_message *message = fragment->message;
    (void)worker;
    fragment_free(fragment);
    if (--message->parts_left == 0)
        finish(message);
}

/* The receiver's GPU copies `bytes` of the payload. */
static void copy_part(struct ucx_message *message, int64_t bytes)
{
    struct ucx_worker *worker = message->to;
    struct block target = message->target, source = message->source;
    target.bytes = source.bytes = bytes;
    fragment_copy(
        fragment_new(message, bytes, take_part), worker,
        worker_stream(worker,
                      &worker->peer_streams[message->from->process->rank % UCX_PEER_STREAMS]),
        &worker->peer_copies, target, source);
}

/* CUDA IPC (M-031, M-121). */
static void peer_copy(struct ucx_message *message)
{
    struct ucx_worker *worker = message->to;
    if (message->from != worker)
        cuda_ipc_open(worker->ucx->job->cuda, worker_cpu(worker), message->source);
    message->parts_left = 1;
    copy_part(message, message->source.bytes);
}

/* The rate at which UCX assumes that the GPU copies, and the most by which a message's fastest way may exceed the rate of
 * another way that UCX still uses beside it (openucx/ucx v1.11.1: UCT_CUDA_COPY_IFACE_DEFAULT_BANDWIDTH, MULTI_LANE_MAX_RATIO). */
#define COPY_Bps (INT64_C(10000) << 20)
#define MOST_RATIO 4

/* How many bytes of a message from a process to itself the GPU copies while the NICs move the rest: a share by the rates of
 * both ways, where a NIC's rate is the smaller one of its bus and its cable. */
static int64_t copied_bytes(const struct ucx_message *message)
{
    const struct ucx_worker *worker = message->to;
    const struct job *job = worker->ucx->job;
    if (message->from != worker)
        return 0;
    int port = message->source.port, rail = worker->process->rail;
    int64_t nic_Bps =
        platform_route_via(job->cluster->platform, port, rail, rail, port)->bandwidth_Bps;
    if (job->spec->nodes > 1)
        nic_Bps = MIN(nic_Bps, PARAM_READ(param_use_of(&job->sim->uses, &network_params),
                                          &job->spec->network, wire.rate_Bps));
    if (nic_Bps > MOST_RATIO * COPY_Bps)
        return 0;
    double all_Bps = (double)(COPY_Bps + worker->ucx->used_rails * nic_Bps);
    return (int64_t)((double)message->source.bytes * (double)COPY_Bps / all_Bps);
}

/* Reads the payload by RDMA, a share over each rail (M-122). */
static void read_remote(struct ucx_message *message)
{
    struct ucx *ucx = message->to->ucx;
    int64_t copied = copied_bytes(message), bytes = message->source.bytes - copied;
    int32_t rails = ucx->used_rails;
    ucx_register(message->to, message->target);
    message->parts_left = rails + (copied > 0);
    for (int32_t rail = 0; rail < rails; rail++) {
        int64_t share = bytes * (rail + 1) / rails - bytes * rail / rails;
        struct fragment *fragment = fragment_new(message, share, take_part);
        fragment->rail = rail;
        fragment_read(fragment);
    }
    if (copied > 0)
        copy_part(message, copied);
}

void rendezvous_matched(struct ucx_message *message)
{
    switch (message->protocol) {
    case UCX_CROSS_ATTACH:
        cross_attach(message);
        return;
    case UCX_IPC:
        peer_copy(message);
        return;
    case UCX_STAGED:
        staging_receive(message);
        return;
    default:
        read_remote(message);
        return;
    }
}
