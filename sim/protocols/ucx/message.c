/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/ucx/ucx_parts.h"

struct ucx_message *message_new(struct ucx_worker *from, const struct channel *channel,
                                struct block source, uint64_t tag, void *content)
{
    struct ucx *ucx = from->ucx;
    struct ucx_message *message = pool_take(&ucx->messages);
    message->entry.tag = tag;
    message->from = from;
    message->to = channel->to;
    message->distance = channel->distance;
    message->source = source;
    message->content = content;
    message->operation = from->process->cpu.operation;
    message->owners = 1;
    list_prepend(&ucx->messages_alive, &message->link);
    ucx->sent_bytes += source.bytes;
    return message;
}

static void release(struct ucx_message *message)
{
    struct ucx *ucx = message->from->ucx;
    if (--message->owners > 0)
        return;
    list_remove(&ucx->messages_alive, &message->link);
    pool_give(&ucx->messages, message);
}

bool message_loops(const struct ucx_message *message)
{
    const struct ucx *ucx = message->from->ucx;
    return message->from == message->to && !job_reaches(message->from->process, message->source) &&
           ucx->used_rails > 0 && !UCX_READ(ucx, device_queue) &&
           message->source.bytes <= UCX_READ(ucx, gpu_direct_bytes);
}

static enum ucx_count protocol_of(const struct ucx_message *message, struct block target)
{
    bool is_device = block_is_device(message->source) || block_is_device(target);
    if (message->is_eager)
        return is_device ? UCX_EAGER_DEVICE : UCX_EAGER;
    if (block_is_device(target) && message_loops(message))
        return UCX_GPU_DIRECT;
    if (message->distance != JOB_OTHER_NODE)
        return block_is_device(message->source) ? UCX_IPC : UCX_CROSS_ATTACH;
    if (!is_device)
        return UCX_RDMA;
    bool is_own = job_reaches(message->from->process, message->source) &&
                  job_reaches(message->to->process, target);
    return is_own || message->source.bytes <= UCX_READ(message->from->ucx, gpu_direct_bytes)
               ? UCX_GPU_DIRECT
               : UCX_STAGED;
}

void message_match(struct ucx_message *message, const struct ucx_receive *receive)
{
    check_release(message->source.bytes <= receive->block.bytes,
                  "a message of %lld B from rank %d to rank %d, tag %#llx, received into %lld B",
                  (long long)message->source.bytes, message->from->process->rank,
                  message->to->process->rank, (unsigned long long)message->entry.tag,
                  (long long)receive->block.bytes);
    message->is_matched = true;
    message->target = receive->block;
    message->target.bytes = message->source.bytes;
    message->receive_done = receive->done;
    message->receive_argument = receive->argument;
    bool is_read = receive->is_get && message->from->ucx->used_rails > 0;
    message->protocol = is_read ? UCX_RDMA : protocol_of(message, receive->block);
    message->to->counts[message->protocol]++;
}

static struct ucx_result result_of(const struct ucx_message *message, void *content)
{
    return (struct ucx_result){.source = message->from->process->rank,
                               .tag = message->entry.tag,
                               .bytes = message->source.bytes,
                               .content = content,
                               .operation = message->operation};
}

void message_end_receive(struct ucx_message *message)
{
    struct ucx_worker *worker = message->to;
    struct ucx_result result = result_of(message, message->content);
    ucx_done_fn *done = message->receive_done;
    void *argument = message->receive_argument;
    uint64_t operation = cpu_work_for(worker_cpu(worker), message->operation);
    worker_spend(worker, UCX_READ(worker->ucx, poll_ps));
    worker->ucx->received_bytes += message->source.bytes;
    message->is_received = true;
    release(message);
    if (done)
        done(&result, argument);
    cpu_work_for(worker_cpu(worker), operation);
}

void message_end_send(struct ucx_message *message)
{
    struct ucx_result result = result_of(message, NULL);
    ucx_done_fn *done = message->send_done;
    void *argument = message->send_argument;
    if (!message->is_eager) {
        worker_spend(message->from, UCX_READ(message->from->ucx, poll_ps));
        release(message);
    }
    if (done)
        done(&result, argument);
}
