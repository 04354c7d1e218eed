/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/peer_copies.h"

/* A copy that has been started. */
struct started {
    struct list_link link;
    struct peer_copy copy;
    struct cuda_completion event;
};

struct peer_copies {
    struct agent *agent;
    struct cuda *cuda;
    struct cuda_stream *stream;
    struct cpu cpu; /* the agent's core during calls of the runtime; the agent counts its power */
    struct cpu_spec cpu_spec;
    int32_t first_port; /* the first of the node's ports on the platform */
    bool waits;
    struct list started; /* struct started, in their order */
    struct pool pool;
};

struct peer_copies *peer_copies_new(struct cluster *cluster, const struct site *site,
                                    struct agent *agent, bool waits)
{
    struct peer_copies *copies = g_new0(struct peer_copies, 1);
    copies->agent = agent;
    copies->waits = waits;
    copies->cuda = cluster_cuda(cluster);
    copies->first_port = (int32_t)(site->node * topology_port_count(&cluster->spec->node));
    int32_t port = copies->first_port + site->gpu_slot;
    copies->stream = cuda_stream_new(cuda_device(copies->cuda, port), 0);
    copies->cpu_spec = (struct cpu_spec){1, 1, {0}};
    struct job_core core = job_host_core(cluster_spec(cluster, site->node));
    copies->cpu_spec.told_rate = core.cpu.told_rate;
    copies->cpu_spec.rate = core.cpu.rate;
    cpu_init(&copies->cpu, cluster->sim, &copies->cpu_spec);
    copies->cpu.process = agent->process;
    pool_init(&copies->pool, sizeof(struct started));
    return copies;
}

void peer_copies_free(struct peer_copies *copies)
{
    if (copies == NULL)
        return;
    pool_clear(&copies->pool);
    g_free(copies);
}

static struct block block_of(const struct peer_copies *copies, address at, int64_t bytes)
{
    return (struct block){copies->first_port + address_slot(at), BLOCK_DEVICE, 0, bytes};
}

/* Ends a copy after the thread has learnt that it is complete. */
static void end(struct peer_copies *copies, const struct peer_copy *copy)
{
    if (copy->signal != 0)
        agent_store_word(copies->agent, copy->signal, copy->signal_value);
    --*copy->under_way;
    observe_stage(&copies->cpu.sim->observe, copy->operation, STAGE_SERVED,
                  agent_now(copies->agent));
}

void peer_copies_start(struct peer_copies *copies, const struct peer_copy *copy)
{
    struct block to = block_of(copies, copy->to, copy->bytes),
                 from = block_of(copies, copy->from, copy->bytes);
    ++*copy->under_way;
    process_sync(
        copies->agent->process); /* calls of the runtime are made at the simulation's time */
    if (copies->waits) {
        cuda_copy(copies->stream, &copies->cpu, to, from);
        cpu_settle(&copies->cpu);
        end(copies, copy);
        return;
    }
    struct started *started = pool_take(&copies->pool);
    started->copy = *copy;
    list_append(&copies->started, &started->link);
    cuda_copy_async(copies->stream, &copies->cpu, to, from, NULL);
    cuda_event_record(copies->stream, &copies->cpu, &started->event);
    cpu_settle(&copies->cpu);
}

static struct started *first_of(const struct peer_copies *copies)
{
    return LIST_FIRST(&copies->started, struct started, link);
}

static void end_first(struct peer_copies *copies)
{
    struct started *started = first_of(copies);
    list_remove(&copies->started, &started->link);
    end(copies, &started->copy);
    pool_give(&copies->pool, started);
}

bool peer_copies_are_under_way(const struct peer_copies *copies)
{
    return copies != NULL && !list_is_empty(&copies->started);
}

static bool first_has_ended(struct peer_copies *copies)
{
    process_sync(copies->agent->process);
    return cuda_event_query(copies->cuda, &copies->cpu, &first_of(copies)->event);
}

void peer_copies_progress(struct peer_copies *copies)
{
    while (peer_copies_are_under_way(copies) && first_has_ended(copies))
        end_first(copies);
}

void peer_copies_finish(struct peer_copies *copies)
{
    if (!peer_copies_are_under_way(copies))
        return;
    process_sync(copies->agent->process);
    cuda_stream_synchronize(copies->stream, &copies->cpu);
    cpu_settle(&copies->cpu);
    while (peer_copies_are_under_way(copies))
        end_first(copies);
}
