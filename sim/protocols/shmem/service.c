/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets up the queues of a node's work-groups, the NIC interfaces and the threads that serve them. */
#include "protocols/shmem/service.h"

#include <stdio.h>

#include "core/error.h"
#include "models/run_energy.h"
#include "protocols/shmem/service_parts.h"

/* Makes one more queue, which the NIC fills. */
static void make_inbox(struct service *service)
{
    struct ring_consumer *consumer = &service->consumers[service->queue_count - 1];
    struct ring_queue *queue = &service->queues[service->queue_count - 1];
    queue->count = INBOX_ENTRIES;
    queue->operations = NULL; /* the operations are other servers' */
    queue->is_done = NULL;
    queue->entries = site_allocate(service->cluster, service->site,
                                   (enum node_memory)service->design->queue.memory,
                                   INBOX_ENTRIES * sizeof(struct queue_entry), STORE_FINE_GRAINED);
    inbox_init(&service->inbox, service->cluster, service->site, service->words, consumer);
}

/* The number of queues between work-groups and server. */
static int64_t queues_of_work_groups(const struct service *service)
{
    int64_t shared = service->design->queue.count;
    return shared > 0 ? MIN(shared, service->work_groups) : service->work_groups;
}

/* Makes a queue shared: producers reserve entries by an index in their own memory. */
static void share_queue(struct service *service, struct ring_queue *queue, bool *is_done)
{
    enum node_memory memory = service->design->node == NODE_APU ? MEMORY_HOST : MEMORY_GPU;
    queue->write_index = site_allocate(service->cluster, service->site, memory, sizeof(uint64_t),
                                       STORE_COARSE_GRAINED);
    queue->is_done = is_done;
}

/* Makes the queues. A shared queue has as many entries as separate queues of its work-groups would have together. */
static void make_queues(struct service *service)
{
    int64_t queues = queues_of_work_groups(service);
    uint64_t sharers = (uint64_t)((service->work_groups + queues - 1) / queues);
    uint64_t entries = (uint64_t)SOFTWARE_READ(service->software, queue_entries) * sharers;
    service->entries_done = g_new0(bool, (gsize)service->queue_count *entries);
    service->queues = g_new0(struct ring_queue, (gsize)service->queue_count);
    service->consumers = g_new0(struct ring_consumer, (gsize)service->queue_count);
    service->operations = g_new0(uint64_t, (gsize)service->queue_count * entries);
    for (int64_t i = 0; i < service->queue_count; i++) {
        struct cluster *cluster = service->cluster;
        struct site *site = service->site;
        enum node_memory memory = (enum node_memory)service->design->queue.memory;
        enum store_kind kind =
            service->scope == SCOPE_SYSTEM ? STORE_FINE_GRAINED : STORE_COARSE_GRAINED;
        service->queues[i] = (struct ring_queue){
            .entries = site_allocate(cluster, site, memory,
                                     (int64_t)(entries * sizeof(struct queue_entry)), kind),
            .read_index = site_allocate(cluster, site, memory, sizeof(uint64_t), kind),
            .count = entries,
            .scope = service->scope,
            .reads_room = service->design->queue.room_by == ROOM_BY_READ_INDEX,
            .is_plain = !service->design->queue.locked,
            .operations = service->operations + (uint64_t)i * entries,
        };
        if (service->design->queue.count > 0)
            share_queue(service, &service->queues[i],
                        service->entries_done + (uint64_t)i * entries);
        ring_consumer_init(&service->consumers[i], &service->queues[i]);
    }
}

static void note_uses(const struct service *service)
{
    struct param_use *uses = &service->cluster->sim->uses;
    if (service->design->poll_loop != POLL_LOOP_SINGLE && service->kind->pool != CORES_OF_NONE)
        param_uses_only(uses, core_pool_of(service->cluster->spec, service->kind->pool).table,
                        "loads_in_flight", NULL);
}

/* Allocates the lines that entries are copied to, one a queue. */
static void prepare_runtime_calls(struct service *service)
{
    const struct design *design = service->design;
    service->by_runtime_calls = design->queue.polling == POLLING_RUNTIME_CALL &&
                                design_server_kind(design)->is_on_host &&
                                design->queue.memory == MEMORY_GPU;
    if (!service->by_runtime_calls)
        return;
    address lines = site_allocate(service->cluster, service->site, MEMORY_HOST,
                                  service->queue_count * CACHE_LINE_BYTES, STORE_FINE_GRAINED);
    for (int64_t i = 0; i < service->queue_count; i++)
        service->consumers[i].copy = lines + (address)(i * CACHE_LINE_BYTES);
}

/* The number of users of NIC interfaces: the threads, or the work-groups themselves. */
static int64_t users_of(const struct service *service)
{
    return service->kind->is_initiator ? service->queue_count : service->thread_count;
}

/* Makes the interfaces. A shared interface has room for as many commands as separate ones would have together. */
static void make_interfaces(struct service *service)
{
    const struct design *design = service->design;
    int64_t users = users_of(service);
    int64_t sharers = design_nic_queue_sharers(design, users);
    char path[64];
    site_path(service->site, "network_library", path, sizeof path);
    mutex_stats_init(&service->locks, service->cluster->sim->stats, path);
    service->contexts =
        g_new0(uint64_t, (gsize)service->queue_count +
                             1); /* the last is the context of the servers' messages */
    service->sharers = sharers;
    service->interface_count = (users + sharers - 1) / sharers;
    service->interfaces = g_new0(struct shmem_interface, (gsize)service->interface_count);
    for (int64_t i = 0; i < service->interface_count; i++)
        shmem_interface_init(&service->interfaces[i], service->cluster, service->site, design,
                             (uint64_t)(SOFTWARE_READ(service->software, queue_entries) * sharers),
                             sharers, design_server_kind(design)->memory, &service->locks,
                             service->contexts);
}

struct shmem service_shmem(struct service *service, int64_t number, struct agent *agent)
{
    return (struct shmem){.agent = agent,
                          .design = service->design,
                          .interface = &service->interfaces[number / service->sharers],
                          .thread = number % service->sharers};
}

/* The core of the `number`th thread; `number` itself if the kind takes no cores. */
static int64_t take_core(const struct service *service, const struct agent_kind *kind,
                         int64_t number)
{
    const struct site *site = service->site;
    return kind->pool == CORES_OF_NONE
               ? number
               : cluster_take_core(service->cluster, kind->pool, site->node, site->gpu_number);
}

/* Makes the queues that host threads post commands to and work-groups trigger. */
static void make_triggers(struct service *service)
{
    check_always(service->interface_count == service->queue_count,
                 "triggers of %lld work-groups share a queue", (long long)service->queue_count);
    service->triggers = g_new0(struct trigger_queue, (gsize)service->queue_count);
    for (int64_t i = 0; i < service->queue_count; i++)
        trigger_queue_init(&service->triggers[i], service->cluster, service->site, service->design,
                           &service->interfaces[i]);
}

static bool start_thread(struct service *service, int64_t number, GError **error)
{
    struct service_thread *thread = &service->threads[number];
    thread->service = service;
    thread->number = number;
    thread->unmarked = g_array_new(FALSE, FALSE, sizeof(struct unmarked));
    thread->done = g_array_new(FALSE, FALSE, sizeof(struct unmarked));
    thread->fenced = g_ptr_array_new();
    if (service->by_runtime_calls)
        thread->copies = g_new(struct line_copy, (gsize)service->queue_count);
    if (!service->kind->is_trigger)
        thread->shmem = service_shmem(service, number, NULL);
    thread->shmem.self = service->inbox.self;
    if (service->design->coalesce.count > 0)
        thread->aggregate = aggregate_new(
            service->cluster, service->site, service->design, &service->aggregates, number,
            &thread->shmem, service->contexts, service->queue_count, thread->unmarked);
    bool posts = service->kind->is_trigger;
    const struct agent_kind *kind = posts ? &host_thread_kind : service->kind;
    thread->thread = (struct agent_thread){.kind = kind,
                                           .place = {service->cluster, service->site},
                                           .number = take_core(service, kind, number),
                                           .program = posts ? service_post_run : service_thread_run,
                                           .argument = thread};
    char part[32];
    snprintf(part, sizeof part, "service%lld", (long long)number);
    site_path(service->site, part, thread->thread.name, sizeof thread->thread.name);
    return agent_start(&thread->thread, error);
}

const char *service_refusal(const struct design *design)
{
    const struct agent_kind *kind = design_server_kind(design);
    if (kind == NULL)
        return "has nobody who serves them";
    if (design->node == NODE_APU && !kind->is_on_host)
        return "has its server on the GPU or the NIC of a coherent node, which is not simulated; it takes server = host_thread";
    return NULL;
}

static bool start_threads(struct service *service, GError **error)
{
    service->threads = g_new0(struct service_thread, (gsize)service->thread_count);
    for (int64_t i = 0; i < service->thread_count; i++)
        if (!start_thread(service, i, error))
            return false;
    return true;
}

/* The number of service threads: 0 if each work-group serves itself. -1 and an error if there is no room for `wanted`. */
static int64_t threads_for(const struct cluster *cluster, const struct site *site,
                           const struct design *design, int64_t wanted, GError **error)
{
    const struct agent_kind *kind = design_server_kind(design);
    if (kind->is_initiator && !kind->is_trigger)
        return 0;
    int64_t queues = design->queue.count + inbox_is_used(design);
    if (design->queue.count > 0 && wanted > queues) {
        error_set(
            error,
            "%lld service threads for %lld queues (queue.count = %lld%s): the others would have nothing to serve",
            (long long)wanted, (long long)queues, (long long)design->queue.count,
            inbox_is_used(design) ? " and one of other servers' messages" : "");
        return -1;
    }
    if (kind->is_trigger)
        kind = &host_thread_kind; /* posts beforehand */
    char text[PARAM_TEXT_SIZE];
    int64_t room = agent_room(kind, cluster_spec(cluster, site->node));
    int64_t left = kind->pool == CORES_OF_NONE
                       ? room
                       : cluster_cores_left(cluster, kind->pool, site->node, site->gpu_number);
    if (wanted <= left)
        return wanted;
    g_autofree char *taken =
        left < room ? g_strdup_printf(", of which others have taken %lld", (long long)(room - left))
                    : g_strdup("");
    error_set(error, "%lld service threads need as many cores, design %s has %lld%s",
              (long long)wanted, design_text(design, text), (long long)room, taken);
    return -1;
}

/* Notes as used the powers of the states that the thread's core was in. A GPU's work-groups draw the same power in all states. */
static void note_powers(const struct service *service, const struct agent_thread *thread,
                        sim_time now_ps)
{
    struct param_use *uses = &service->cluster->sim->uses;
    enum core_pool pool = thread->kind->pool;
    for (enum agent_state state = 0; state < AGENT_STATES; state++) {
        if (energy_state_time_ps(thread->agent.energy, now_ps, state) == 0)
            continue;
        if (pool != CORES_OF_NONE)
            agent_state_note_power(uses, core_pool_of(service->cluster->spec, pool).table, state);
        else
            param_uses_only(uses, &gpu_params, "spin_power", NULL);
    }
}

/* Adds the energy that the threads' cores have drawn. */
static void add_energy(const void *cores, sim_time now_ps, struct run_energy *energy)
{
    const struct service *service = cores;
    for (int64_t i = 0; i < service->thread_count; i++) {
        const struct energy_meter *meter = service->threads[i].thread.agent.energy;
        if (service->threads[i].thread.agent.ops == NULL)
            continue;
        note_powers(service, &service->threads[i].thread, now_ps);
        for (enum agent_state state = 0; state < AGENT_STATES; state++)
            run_energy_add_state(energy, ENERGY_OF_SERVICE, state,
                                 energy_state_time_ps(meter, now_ps, state),
                                 energy_state_J(meter, now_ps, state));
    }
}

struct service *service_new(struct cluster *cluster, struct site *site, const struct design *design,
                            int64_t work_groups, int64_t threads, int64_t nodes, GError **error)
{
    if ((uint64_t)work_groups > COOKIE_CONTEXTS) {
        error_set(error, "%lld work-groups would have a queue each; a service takes up to %lld",
                  (long long)work_groups, (long long)COOKIE_CONTEXTS);
        return NULL;
    }
    int64_t thread_count = threads_for(cluster, site, design, threads, error);
    if (thread_count < 0)
        return NULL;
    struct service *service = g_new0(struct service, 1);
    service->cluster = cluster;
    service->site = site;
    service->design = design;
    service->kind = design_server_kind(design);
    service->scope = design_scope(design);
    service->software = software_of(cluster->spec, cluster->sim);
    run_energy_add_source(cluster, add_energy, service);
    service->work_groups = work_groups;
    service->queue_count = queues_of_work_groups(service) + inbox_is_used(design);
    char path[64];
    site_path(site, "operations", path, sizeof path);
    service->log = operation_log_new(cluster->sim, path, design);
    service->served.has_transient = true; /* queues fill */
    make_queues(service);
    prepare_runtime_calls(service);
    service->words = site_allocate(cluster, site, (enum node_memory)design->heap,
                                   work_groups * WORDS_BYTES, STORE_FINE_GRAINED);
    if (inbox_is_used(design))
        make_inbox(service);
    service->thread_count = thread_count;
    note_uses(service);
    make_interfaces(service);
    if (service->kind->is_trigger)
        make_triggers(service);
    if (design->coalesce.count > 0)
        aggregate_memory_init(&service->aggregates, cluster, site, design, service->thread_count,
                              nodes);
    if (start_threads(service, error))
        return service;
    service_free(service);
    return NULL;
}

void service_set_nops(struct service *service, enum ring_post post, sim_time nop_ps)
{
    service->nop_ps = nop_ps;
    for (int64_t i = 0; i < service->queue_count; i++)
        service->queues[i].post = post;
}

void service_stop(struct service *service)
{
    service->stopping = true;
    for (int64_t i = 0; i < service->thread_count; i++)
        poll_sweep_end_round(service->threads[i].sweep);
}

void service_settle(struct service *service)
{
    for (int64_t i = 0; i < service->thread_count; i++)
        poll_sweep_settle(service->threads[i].sweep);
}

/* The number of peer rooms: one for each work-group, then one for each thread. */
static int64_t peer_room_count(const struct service *service)
{
    return service->work_groups + service->thread_count;
}

static void free_thread(struct service_thread *thread)
{
    if (thread->service == NULL)
        return;
    agent_thread_clear(&thread->thread);
    g_array_unref(thread->unmarked);
    g_array_unref(thread->done);
    g_ptr_array_unref(thread->fenced);
    g_free(thread->copies);
    aggregate_free(thread->aggregate);
    peer_copies_free(thread->copies_to_peers);
    poll_sweep_free(thread->sweep);
}

void service_free(struct service *service)
{
    if (service == NULL)
        return;
    for (int64_t i = 0; i < service->thread_count; i++)
        free_thread(&service->threads[i]);
    for (int64_t i = 0; i < service->interface_count; i++)
        shmem_interface_clear(&service->interfaces[i]);
    for (int64_t i = 0; service->peer_rooms != NULL && i < peer_room_count(service); i++)
        peer_room_free(service->peer_rooms[i]);
    g_free(service->peer_rooms);
    g_free(service->triggers);
    g_free(service->interfaces);
    g_free(service->contexts);
    g_free(service->threads);
    g_free(service->operations);
    g_free(service->entries_done);
    g_free(service->consumers);
    g_free(service->queues);
    operation_log_free(service->log);
    g_free(service);
}

struct operation_log *service_log(struct service *service)
{
    return service->log;
}

const struct stat_units *service_served(const struct service *service)
{
    return &service->served;
}

int64_t service_polls(const struct service *service)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < service->thread_count; i++)
        sum += service->threads[i].polls;
    return sum;
}

int64_t service_fresh_places(const struct service *service)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < service->interface_count; i++) {
        const struct shmem_interface *interface = &service->interfaces[i];
        sum += (int64_t)(interface->entries - MIN(interface->issued, interface->entries));
    }
    return sum;
}

int64_t service_queue_bytes(const struct service *service)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < queues_of_work_groups(service); i++)
        bytes += (int64_t)(service->queues[i].count * sizeof(struct queue_entry));
    return bytes;
}

const struct mutex_stats *service_locks(const struct service *service)
{
    return &service->locks;
}

/* --- for the device library -------------------------------------------------------------------- */

const struct ring_queue *service_queue(const struct service *service, int64_t work_group)
{
    check_always(work_group < service->work_groups, "work-group %lld has no queue",
                 (long long)work_group);
    return &service->queues[work_group % queues_of_work_groups(service)];
}

/* The room for data that a work-group or thread moves, made when it is first asked for. */
static struct peer_room *room_of(struct service *service, int64_t number)
{
    if (service->peer_rooms == NULL)
        service->peer_rooms = g_new0(struct peer_room *, (gsize)peer_room_count(service));
    struct peer_room **room = &service->peer_rooms[number];
    if (*room == NULL)
        *room = peer_room_new();
    return *room;
}

void service_open_peers(struct service *service, int64_t work_group, struct agent *agent,
                        struct peer_path *peer)
{
    *peer = (struct peer_path){.agent = NULL};
    if (service->design->peer != PEER_BY_WORK_GROUP)
        return;
    struct work_group *wg = agent->work_group;
    peer_path_init(peer, agent, wg, &wg->memory, wg->kernel->threads, service->site->node,
                   service->design->copy_unroll, room_of(service, work_group));
}

void service_thread_opens_peers(struct service_thread *thread)
{
    struct service *service = thread->service;
    const struct design *design = service->design;
    struct agent *agent = thread->agent;
    if (!design_server_moves(design))
        return;
    struct peer_room *room = room_of(service, service->work_groups + thread->number);
    int64_t node = service->site->node;
    if (service->kind->is_on_gpu) {
        peer_path_init(&thread->peer, agent, agent->gpu.work_group, &agent->gpu.memory,
                       agent->gpu.lanes, node, design->copy_unroll, room);
        return;
    }
    if (design->peer != PEER_BY_SERVER)
        thread->copies_to_peers = peer_copies_new(service->cluster, service->site, agent,
                                                  design->peer == PEER_BY_PEER_COPY);
    peer_path_init_core(&thread->peer, agent, service->kind->memory != MEMORY_GPU, node,
                        thread->copies_to_peers, room);
}

struct software service_software(const struct service *service)
{
    return service->software;
}
