/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers that a worker keeps from one message to the next. */

#include "protocols/ucx/ucx_parts.h"

struct channel *worker_channel(struct ucx_worker *worker, int32_t to)
{
    struct ucx *ucx = worker->ucx;
    void **place = &map_at(&worker->channels, (uint64_t)to)->pointer;
    if (!*place) {
        struct channel *channel = pool_take(&ucx->channels);
        channel->to = &ucx->workers[to];
        channel->distance = job_distance(ucx->job, worker->process->rank, to);
        *place = channel;
    }
    return *place;
}

void worker_look_up(struct ucx_worker *worker, struct block block)
{
    const struct ucx *ucx = worker->ucx;
    if (!ucx->drops_memory_type_cache)
        worker_spend(worker, UCX_READ(ucx, memory_type_ps));
    else
        cuda_pointer_query(ucx->job->cuda, worker_cpu(worker));
    if (!job_reaches(worker->process, block))
        worker_spend(worker, UCX_READ(ucx, device_send_ps));
}

void ucx_register(struct ucx_worker *worker, struct block block)
{
    const struct ucx *ucx = worker->ucx;
    bool is_known = block.id != 0 && !map_add(&worker->registrations, block.id);
    sim_time growth_ps = 0;
    if (!is_known)
        growth_ps = (block.bytes * UCX_READ(ucx, registration_growth_ps) + 1023) / 1024;
    worker_spend(worker,
                 is_known ? UCX_READ(ucx, registration_hit_ps) : UCX_REGISTRATION_PS + growth_ps);
}

struct cuda_stream *worker_stream(struct ucx_worker *worker, struct cuda_stream **place)
{
    if (!*place)
        *place = cuda_stream_new(worker->process->device, 0);
    return *place;
}

struct block worker_buffer(const struct ucx_worker *worker, int64_t bytes)
{
    return (struct block){
        .port = worker->process->core_port, .kind = BLOCK_PINNED, .id = 0, .bytes = bytes};
}

static void copy_own(struct ucx_worker *worker, enum host_copy_kind kind, int64_t bytes)
{
    job_copy_as(worker->process, CPU_LIBRARY, kind, bytes);
}

static void copy_mapped(struct ucx_worker *worker, struct block block, bool is_write)
{
    bool is_cross_socket = block.port != worker->process->gpu_port;
    cuda_gdr_copy(worker->ucx->job->cuda, worker_cpu(worker), block, is_write, is_cross_socket);
}

void worker_pack(struct ucx_worker *worker, struct block block)
{
    if (block.bytes == 0)
        return;
    if (job_reaches(worker->process, block))
        copy_own(worker, HOST_COPY_SAME_SOCKET, block.bytes);
    else if (UCX_READ(worker->ucx, gdr_copy))
        copy_mapped(worker, block, false);
    else
        cuda_copy(worker_stream(worker, &worker->to_host), worker_cpu(worker),
                  worker_buffer(worker, block.bytes), block);
}

void worker_unpack(struct ucx_worker *worker, struct block block, enum host_copy_kind kind)
{
    if (block.bytes == 0)
        return;
    if (job_reaches(worker->process, block))
        copy_own(worker, kind, block.bytes);
    else if (UCX_READ(worker->ucx, gdr_copy))
        copy_mapped(worker, block, true);
    else
        cuda_copy(worker_stream(worker, &worker->to_device), worker_cpu(worker), block,
                  worker_buffer(worker, block.bytes));
}
