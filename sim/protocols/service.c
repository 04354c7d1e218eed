/* Sets up the queues of a node's work-groups, the NIC interfaces and the threads that serve them. */
#include "protocols/service.h"

#include <glib.h>
#include <stdio.h>

#include "core/check.h"
#include "protocols/cookie.h"
#include "protocols/service_parts.h"

/* Scratch and barrier words of a work-group, on whole lines. */
#define WORDS_BYTES 384
_Static_assert((1 + 2 * SERVICE_BARRIER_ROUNDS) * 8 <= WORDS_BYTES, "a work-group's words fit");

static void make_queues(struct service *service)
{
    uint64_t entries = (uint64_t)service->software->queue_entries;
    service->queues = g_new0(struct ring_queue, (gsize)service->queue_count);
    service->consumers = g_new0(struct ring_consumer, (gsize)service->queue_count);
    service->operations = g_new0(uint64_t, (gsize)service->queue_count * entries);
    for (int64_t i = 0; i < service->queue_count; i++) {
        struct cluster *cluster = service->cluster;
        struct site *site = service->site;
        enum node_memory memory = (enum node_memory)service->design->queue_memory;
        enum store_kind kind =
            service->scope == SCOPE_SYSTEM ? STORE_FINE_GRAINED : STORE_COARSE_GRAINED;
        service->queues[i] = (struct ring_queue){
            .entries = site_allocate(cluster, site, memory,
                                     (int64_t)(entries * sizeof(struct queue_entry)), kind),
            .read_index = site_allocate(cluster, site, memory, sizeof(uint64_t), kind),
            .count = entries,
            .scope = service->scope,
            .is_plain = service->design->locked == LOCKED_FALSE,
            .operations = service->operations + (uint64_t)i * entries,
        };
        ring_consumer_init(&service->consumers[i], &service->queues[i]);
    }
}

/* Where it copies entries to, a line a queue. */
static void prepare_runtime_calls(struct service *service)
{
    const struct design *design = service->design;
    service->by_runtime_calls = design->gpu_queue_polling == POLLING_RUNTIME_CALL &&
                                design->server == SERVER_HOST_THREAD &&
                                design->queue_memory == MEMORY_GPU;
    if (!service->by_runtime_calls)
        return;
    address lines = site_allocate(service->cluster, service->site, MEMORY_HOST,
                                  service->queue_count * CACHE_LINE_BYTES, STORE_FINE_GRAINED);
    for (int64_t i = 0; i < service->queue_count; i++)
        service->consumers[i].copy = lines + (address)(i * CACHE_LINE_BYTES);
}

/* One interface for all threads has room for as many commands as one for each. */
static void make_interfaces(struct service *service)
{
    const struct design *design = service->design;
    int64_t threads = service->thread_count;
    enum node_memory agent_memory =
        design->server == SERVER_COMMAND_PROCESSOR ? MEMORY_GPU : MEMORY_HOST;
    bool is_shared = design->network_library == LIBRARY_SHARED;
    int64_t sharers = is_shared ? threads : 1;
    char path[64];
    site_path(service->site, "network_library", path, sizeof path);
    mutex_stats_init(&service->locks, service->cluster->sim->stats, path);
    service->contexts = g_new0(uint64_t, (gsize)service->queue_count);
    service->interface_count = threads / sharers;
    service->interfaces = g_new0(struct shmem_interface, (gsize)service->interface_count);
    for (int64_t i = 0; i < service->interface_count; i++)
        shmem_interface_init(&service->interfaces[i], service->cluster, service->site, design,
                             (uint64_t)(service->software->queue_entries * sharers), sharers,
                             agent_memory, &service->locks, service->contexts);
}

static void start_thread(struct service *service, int64_t number)
{
    struct service_thread *thread = &service->threads[number];
    struct cluster *cluster = service->cluster;
    thread->service = service;
    thread->number = number;
    thread->unmarked = g_array_new(FALSE, FALSE, sizeof(struct unmarked));
    thread->done = g_array_new(FALSE, FALSE, sizeof(struct unmarked));
    thread->fenced = g_ptr_array_new();
    if (service->by_runtime_calls)
        thread->copies = g_new(struct line_copy, (gsize)service->queue_count);
    thread->shmem = number < service->interface_count
                        ? (struct shmem){NULL, &service->interfaces[number], 0}
                        : (struct shmem){NULL, &service->interfaces[0], number};
    char name[64];
    char part[32];
    snprintf(part, sizeof part, "service%lld", (long long)number);
    site_path(service->site, part, name, sizeof name);
    process_spawn(cluster->sim->processes, name, service_thread_run, thread, sim_now(cluster->sim),
                  0);
}

const char *service_refusal(const struct design *design)
{
    if (design->server != SERVER_HOST_THREAD && design->server != SERVER_COMMAND_PROCESSOR)
        return "has a server that is not simulated yet";
    if (design->form == NODE_APU && design->server != SERVER_HOST_THREAD)
        return "has its server on the GPU of a coherent node, which is not simulated";
    return design->coalesce_count > 0 ? "gathers puts, which is not simulated yet" : NULL;
}

static int64_t cores_for(const struct cluster *cluster, const struct design *design)
{
    return design->server == SERVER_COMMAND_PROCESSOR ? cluster->spec->cp.cores
                                                      : cluster->spec->host.cores;
}

static void observe_nic(void *log, uint64_t cookie, enum nic_stage stage, sim_time at_ps)
{
    operation_observe_nic(log, cookie_operation(cookie), stage, at_ps);
}

struct service *service_new(struct cluster *cluster, struct site *site, const struct design *design,
                            int64_t work_groups, int64_t threads, char *why, size_t why_size)
{
    int64_t cores = cores_for(cluster, design);
    check_always((uint64_t)work_groups <= COOKIE_CONTEXTS, "%lld work-groups have a queue each",
                 (long long)work_groups);
    if (threads > cores) {
        char text[PARAM_TEXT_SIZE];
        snprintf(why, why_size, "%lld service threads need as many cores, design %s has %lld",
                 (long long)threads, design_text(design, text), (long long)cores);
        return NULL;
    }
    if (design->locked == LOCKED_TRUE && !cluster->spec->gpu.l2_locking) {
        g_strlcpy(why, "locked = true takes a GPU with gpu.l2_locking = true", why_size);
        return NULL;
    }
    struct service *service = g_new0(struct service, 1);
    service->cluster = cluster;
    service->site = site;
    service->design = design;
    service->scope = design_scope(design);
    service->software = &cluster->spec->software;
    service->queue_count = work_groups;
    char path[64];
    site_path(site, "operations", path, sizeof path);
    service->log = operation_log_new(cluster->sim, path);
    nic_observe(service->site->nic, observe_nic, service->log);
    make_queues(service);
    prepare_runtime_calls(service);
    service->words = site_allocate(cluster, site, (enum node_memory)design->heap_memory, work_groups * WORDS_BYTES,
                                   STORE_FINE_GRAINED);
    service->thread_count = threads;
    make_interfaces(service);
    service->threads = g_new0(struct service_thread, (gsize)threads);
    for (int64_t i = 0; i < threads; i++)
        start_thread(service, i);
    return service;
}

void service_stop(struct service *service)
{
    service->stopping = true;
}

void service_free(struct service *service)
{
    if (service == NULL)
        return;
    nic_observe(service->site->nic, NULL, NULL);
    for (int64_t i = 0; i < service->thread_count; i++) {
        g_array_unref(service->threads[i].unmarked);
        g_array_unref(service->threads[i].done);
        g_ptr_array_unref(service->threads[i].fenced);
        g_free(service->threads[i].copies);
    }
    for (int64_t i = 0; i < service->interface_count; i++)
        shmem_interface_clear(&service->interfaces[i]);
    g_free(service->interfaces);
    g_free(service->contexts);
    g_free(service->threads);
    g_free(service->operations);
    g_free(service->consumers);
    g_free(service->queues);
    operation_log_free(service->log);
    g_free(service);
}

struct operation_log *service_log(struct service *service)
{
    return service->log;
}

void service_energy(const struct service *service, sim_time now_ps, struct service_energy *energy)
{
    *energy = (struct service_energy){0};
    for (int64_t i = 0; i < service->thread_count; i++) {
        const struct agent *agent = &service->threads[i].agent;
        if (agent->ops == NULL)
            continue;
        for (size_t state = 0; state < AGENT_STATES; state++) {
            energy->state_J[state] += energy_state_J(&agent->energy, now_ps, state);
            energy->state_ps[state] += energy_state_time_ps(&agent->energy, now_ps, state);
        }
    }
}

int64_t service_polls(const struct service *service)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < service->thread_count; i++)
        sum += service->threads[i].polls;
    return sum;
}

const struct mutex_stats *service_locks(const struct service *service)
{
    return &service->locks;
}

/* --- for the device library -------------------------------------------------------------------- */

const struct ring_queue *service_queue(const struct service *service, int64_t work_group)
{
    check_always(work_group < service->queue_count, "work-group %lld has no queue",
                 (long long)work_group);
    return &service->queues[work_group];
}

const struct software_spec *service_software(const struct service *service)
{
    return service->software;
}

address service_scratch_word(const struct service *service, int64_t work_group)
{
    return service->words + (address)(work_group * WORDS_BYTES);
}

address service_barrier_word(const struct service *service, int64_t work_group, int64_t round,
                             int64_t parity)
{
    return service_scratch_word(service, work_group) + (address)((1 + 2 * round + parity) * 8);
}
