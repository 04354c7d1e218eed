#include "models/job.h"

#include <stdio.h>

#include "core/check.h"
#include "models/topology.h"

#define JOB_ERROR g_quark_from_static_string("gpunetsim-job")

/* --- making ------------------------------------------------------------------------------------- */

static bool places_valid(const struct machine_spec *spec, const struct job_place *places,
                         int32_t count, GError **error)
{
    int gpus = topology_gpu_count(&spec->node);
    if (count < 1) {
        g_set_error(error, JOB_ERROR, 0, "a job of %d processes", (int)count);
        return false;
    }
    for (int32_t rank = 0; rank < count; rank++) {
        const struct job_place *place = &places[rank];
        if (place->node < 0 || place->node >= spec->nodes) {
            g_set_error(error, JOB_ERROR, 0, "place %d: the machine has no node %lld; it has %lld",
                        (int)rank, (long long)place->node, (long long)spec->nodes);
            return false;
        }
        if (place->gpu < 0 || place->gpu >= gpus) {
            g_set_error(error, JOB_ERROR, 0, "place %d: node %lld has no GPU %d; it has %d",
                        (int)rank, (long long)place->node, (int)place->gpu, gpus);
            return false;
        }
    }
    return true;
}

/* `sharers`: earlier processes on this GPU. */
static void process_init(struct job *job, int32_t rank, const struct job_place *place, int sharers)
{
    const struct node_shape *shape = &job->spec->node;
    struct job_process *process = &job->processes[rank];
    int first_port = (int)place->node * topology_port_count(shape);
    process->job = job;
    process->rank = rank;
    process->node = place->node;
    process->socket = topology_gpu_socket(shape, place->gpu);
    process->cpu_port = first_port + topology_cpu_port(shape, process->socket);
    process->gpu_port = first_port + topology_gpu_port(shape, place->gpu);
    process->rail = topology_process_nic(shape, place->gpu, sharers);
    process->device = cuda_device(job->cuda, process->gpu_port);
    process->stream = cuda_stream_new(process->device, 0);
    cpu_init(&process->cpu, job->sim);
}

/* Which distances there are: two processes of a socket, of a node's sockets, of two nodes. */
static void find_distances(struct job *job)
{
    g_autoptr(GHashTable) first = g_hash_table_new(g_int64_hash, g_int64_equal); /* by node */
    g_autoptr(GHashTable) sockets = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (int32_t rank = 0; rank < job->count; rank++) {
        struct job_process *process = &job->processes[rank];
        int64_t place = process->node * job->spec->node.sockets + process->socket;
        const struct job_process *other = g_hash_table_lookup(first, &process->node);
        if (!g_hash_table_add(sockets, g_memdup2(&place, sizeof place)))
            job->has[JOB_SAME_SOCKET] = true;
        if (other == NULL)
            g_hash_table_insert(first, &process->node, process);
        else if (other->socket != process->socket)
            job->has[JOB_SAME_NODE] = true;
    }
    job->has[JOB_OTHER_NODE] = g_hash_table_size(first) > 1;
}

/* Each process has its GPU and its socket's memory; other processes are reached over what lies between. */
static void note_uses(const struct job *job)
{
    const struct node_shape *shape = &job->spec->node;
    struct param_use *uses = &job->sim->uses;
    bool is_far = job->has[JOB_OTHER_NODE];
    bool is_nvlink = shape->gpu_link == GPU_LINK_NVLINK;
    if (is_nvlink || shape->peer_link != PEER_LINK_AS_GPU_LINK)
        param_uses(uses, &nvlink_params);
    if (job->has[JOB_SAME_NODE] || (is_far && shape->sockets > 1))
        param_uses(uses, &socket_link_params);
    if (!is_nvlink || is_far)
        cluster_uses_bus(job->cluster);
    if (!is_far)
        return;
    cluster_uses_network(job->cluster);
    param_uses_all_but(uses, &nic_params, "fetch_depth", NULL);
}

struct job *job_new(struct cluster *cluster, const struct job_place *places, int32_t count,
                    GError **error)
{
    if (!places_valid(cluster->spec, places, count, error))
        return NULL;
    struct job *job = g_new0(struct job, 1);
    job->cluster = cluster;
    job->sim = cluster->sim;
    job->spec = cluster->spec;
    job->cuda = cluster_cuda(cluster);
    job->nics = cluster->nics;
    job->processes = g_new0(struct job_process, (gsize)count);
    job->count = count;
    int gpus = topology_gpu_count(&job->spec->node);
    g_autofree int *sharers = g_new0(int, (gsize)(job->spec->nodes * gpus));
    for (int32_t rank = 0; rank < count; rank++) {
        const struct job_place *place = &places[rank];
        process_init(job, rank, place, sharers[place->node * gpus + place->gpu]++);
    }
    find_distances(job);
    note_uses(job);
    return job;
}

void job_free(struct job *job)
{
    if (job == NULL)
        return;
    g_free(job->processes);
    g_free(job);
}

void job_start(struct job *job, int32_t rank, process_fn *program, void *argument)
{
    char name[32];
    snprintf(name, sizeof name, "rank%d", (int)rank);
    cpu_bind(&job->processes[rank].cpu,
             process_spawn(job->sim->processes, name, program, argument, sim_now(job->sim), 0));
}

/* --- blocks and distances ----------------------------------------------------------------------- */

struct block job_host_block(const struct job_process *process, enum block_kind kind, uint32_t id,
                            int64_t bytes)
{
    check_release(kind != BLOCK_DEVICE, "a block of host memory as one of a GPU");
    return (struct block){process->cpu_port, (uint8_t)kind, id, bytes};
}

struct block job_device_block(const struct job_process *process, uint32_t id, int64_t bytes)
{
    return (struct block){process->gpu_port, BLOCK_DEVICE, id, bytes};
}

enum job_distance job_distance(const struct job *job, int32_t rank, int32_t other)
{
    const struct job_process *one = &job->processes[rank], *two = &job->processes[other];
    if (one->node != two->node)
        return JOB_OTHER_NODE;
    return one->socket == two->socket ? JOB_SAME_SOCKET : JOB_SAME_NODE;
}

/* --- the core's own work ------------------------------------------------------------------------ */

void job_copy(struct job_process *process, int64_t bytes)
{
    cpu_spend(&process->cpu, CPU_COPY,
              host_copy_ps(&process->job->spec->host_copy, HOST_COPY_SAME_SOCKET, bytes));
}

bool job_allocate(struct job_process *process, int64_t bytes)
{
    bool is_fresh;
    cpu_spend(&process->cpu, CPU_ALLOCATE,
              heap_allocate(&process->heap, &process->job->spec->host_copy, bytes, &is_fresh));
    return is_fresh;
}

void job_free_memory(struct job_process *process, int64_t bytes)
{
    heap_free(&process->heap, &process->job->spec->host_copy, bytes);
}
