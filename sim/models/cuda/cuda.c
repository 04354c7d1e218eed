/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA state of a simulation's GPUs, and the driver's caches.
 *
 * The caches are only looked up and added to, never iterated, so the addresses of cores in their keys influence no order. */
#include "models/cuda/cuda_parts.h"

#define WAY struct copy_way
static const struct param ways[] = {
    PARAM_TIME(setup, WAY, "0ns", "0ns", "1ms", "additional setup."),
    PARAM_TIME(ahead, WAY, "0ns", "0ns", "1ms", "additional overlap (copy_ahead)."),
    PARAM_RATE(rate, WAY, "100TB/s", "1MB/s", "100TB/s",
               "they move no faster than this, whatever the link carries."),
};
#undef WAY
static PARAM_TABLE(way_table, "copy_way", struct copy_way, ways, "Copies of a direction.");
static const struct param_record way_rows = {.table = &way_table};

#define LIMIT struct copy_limit
static const struct param limits[] = {
    PARAM_TIME(setup, LIMIT, "0ns", "0ns", "1ms", "additional setup."),
    PARAM_RATE(rate, LIMIT, "100TB/s", "1MB/s", "100TB/s",
               "they move no faster than this, whatever the link carries."),
};
#undef LIMIT
static PARAM_TABLE(limit_table, "copy_limit", struct copy_limit, limits,
                   "Copies with a property more.");
static const struct param_record limit_rows = {.table = &limit_table};

PARAM_TABLE_OF_SHARING(cuda_params, "cuda", struct cuda_spec, CUDA_ROWS,
                       "CUDA as a process sees it: streams, copy engines, handles, mapped memory.");

/* Creating an event without timing and destroying it: two driver calls without work for the GPU. */
#define EVENT_CREATE_PS (500 * PS_PER_NS)

/* An allocation as a process knows it. */
struct known_allocation {
    const struct cpu *cpu;
    uint32_t id;
};

static guint hash_allocation(gconstpointer key)
{
    const struct known_allocation *known = key;
    return g_direct_hash(known->cpu) * 31u + known->id * 2654435761u;
}

static gboolean equal_allocation(gconstpointer key, gconstpointer other)
{
    const struct known_allocation *a = key, *b = other;
    return a->cpu == b->cpu && a->id == b->id;
}

static const struct stat_info copies_info = {"copies", "1", "copies that have ended"};
static const struct stat_info bytes_info = {"copied_bytes", "B", "bytes of the copies ended"};
static const struct stat_info kernels_info = {"kernels", "1", "kernels that have ended"};

struct cuda *cuda_new(struct sim *sim, struct platform *platform, struct transport *transport,
                      const struct cuda_spec *spec)
{
    struct cuda *cuda = g_new0(struct cuda, 1);
    cuda->sim = sim;
    cuda->platform = platform;
    cuda->transport = transport;
    cuda->spec = spec;
    cuda->device_slots = platform_port_count(platform);
    cuda->devices = g_new0(struct cuda_device *, (gsize)cuda->device_slots);
    pool_init(&cuda->operations, sizeof(struct cuda_operation));
    pool_init(&cuda->kernels, sizeof(struct kernel));
    cuda->mapped = g_hash_table_new_full(hash_allocation, equal_allocation, g_free, NULL);
    cuda->opened = g_hash_table_new_full(hash_allocation, equal_allocation, g_free, NULL);
    cuda->used = param_use_of(&sim->uses, &cuda_params);
    cuda->copies = stat_counter_new(sim->stats, "cuda", &copies_info);
    cuda->copied_bytes = stat_counter_new(sim->stats, "cuda", &bytes_info);
    cuda->kernels_ended = stat_counter_new(sim->stats, "cuda", &kernels_info);
    cuda_stream_fetch(sim);
    return cuda;
}

void cuda_set_sockets(struct cuda *cuda, const int32_t *sockets, int ports)
{
    g_free(cuda->sockets);
    cuda->sockets = g_memdup2(sockets, sizeof *sockets * (gsize)ports);
    cuda->socket_ports = ports;
}

void cuda_set_gpus(struct cuda *cuda, cuda_gpu_fn *gpu_of, dram_at_fn *memory_at, void *argument)
{
    cuda->gpu_of = gpu_of;
    cuda->memory_at = memory_at;
    cuda->gpus = argument;
}

struct gpu *cuda_device_gpu(struct cuda_device *device, bool make)
{
    const struct cuda *cuda = device->cuda;
    if (device->gpu == NULL && cuda->gpu_of != NULL)
        device->gpu = cuda->gpu_of(cuda->gpus, device->port, make);
    return device->gpu;
}

static void device_free(struct cuda_device *device)
{
    if (device == NULL)
        return;
    while (!list_is_empty(&device->streams))
        g_free(LIST_TAKE(&device->streams, struct cuda_stream, link));
    g_free(device);
}

void cuda_free(struct cuda *cuda)
{
    if (cuda == NULL)
        return;
    for (int port = 0; port < cuda->device_slots; port++)
        device_free(cuda->devices[port]);
    g_free(cuda->devices);
    g_free(cuda->sockets);
    g_hash_table_destroy(cuda->mapped);
    g_hash_table_destroy(cuda->opened);
    pool_clear(&cuda->operations);
    pool_clear(&cuda->kernels);
    g_free(cuda);
}

struct cuda_device *cuda_device(struct cuda *cuda, int port)
{
    check_always(port >= 0 && port < cuda->device_slots, "no GPU on port %d of %d", port,
                 cuda->device_slots);
    if (cuda->devices[port] == NULL) {
        cuda->devices[port] = g_new0(struct cuda_device, 1);
        cuda->devices[port]->cuda = cuda;
        cuda->devices[port]->port = port;
        shared_rate_init(&cuda->devices[port]->both_ways, (double)cuda->spec->both_ways_rate_Bps,
                         1);
    }
    return cuda->devices[port];
}

void cuda_device_share(struct cuda_device *device)
{
    device->processes++;
}

struct cuda_stream *cuda_stream_new(struct cuda_device *device, int priority)
{
    struct cuda_stream *stream = g_new0(struct cuda_stream, 1);
    stream->device = device;
    stream->priority = priority;
    const struct cuda_stream *before = LIST_LAST(&device->streams, struct cuda_stream, link);
    stream->number = before != NULL ? before->number + 1 : 1;
    list_append(&device->streams, &stream->link);
    return stream;
}

/* --- mapped memory and handles ------------------------------------------------------------------ */

/* Whether the core uses the allocation for the first time; an allocation with id 0 is always new. */
static bool is_new(GHashTable *known, const struct cpu *cpu, uint32_t id)
{
    const struct known_allocation key = {cpu, id};
    if (id == 0)
        return true;
    if (g_hash_table_contains(known, &key))
        return false;
    g_hash_table_add(known, g_memdup2(&key, sizeof key));
    return true;
}

void cuda_gdr_copy(struct cuda *cuda, struct cpu *cpu, struct block device, bool is_write,
                   bool is_cross_socket)
{
    check_release(block_is_device(device), "a copy through mapped memory of a host block");
    sim_time loads_ps = transfer_ps(device.bytes, is_write ? CUDA_READ(cuda, gdr_write_rate_Bps)
                                                           : CUDA_READ(cuda, gdr_read_rate_Bps));
    if (is_cross_socket)
        loads_ps += CUDA_READ(cuda, gdr_cross_socket_ps);
    cpu_spend(cpu, CPU_LIBRARY, CUDA_READ(cuda, gdr_call_ps));
    cpu_access(cpu, CPU_LIBRARY, loads_ps);
    if (is_new(cuda->mapped, cpu, device.id))
        cpu_spend(cpu, CPU_LIBRARY, CUDA_READ(cuda, map_ps));
}

void cuda_ipc_open(struct cuda *cuda, struct cpu *cpu, struct block peer)
{
    check_release(block_is_device(peer), "an inter-process handle of a host block");
    if (is_new(cuda->opened, cpu, peer.id))
        cpu_spend(cpu, CPU_CUDA, CUDA_READ(cuda, map_ps));
}

void cuda_pointer_query(struct cuda *cuda, struct cpu *cpu)
{
    cpu_spend(cpu, CPU_CUDA, CUDA_READ(cuda, pointer_query_ps));
}

void cuda_event_create(struct cpu *cpu)
{
    cpu_spend(cpu, CPU_CUDA, EVENT_CREATE_PS);
}

sim_time cuda_peer_calls_ps(const struct cuda *cuda)
{
    return CUDA_READ(cuda, copy_call_ps) + CUDA_READ(cuda, event_record_ps) +
           CUDA_READ(cuda, event_query_ps);
}

sim_time cuda_peer_setup_ps(const struct cuda *cuda)
{
    return CUDA_READ(cuda, copy_setup_ps) + CUDA_READ(cuda, peer_setup_ps);
}
