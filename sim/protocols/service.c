/* A service thread's life (ComPNet18 section 4.2.1): look at each of its queues in turn; serve what is
 * ready with a non-blocking call of the SHMEM library; after every `polling_rounds` rounds complete the
 * blocking operations under way, all together (quiet), and mark their entries; or, by context, mark those
 * whose context has nothing under way any more. A thread that reads and writes its
 * queues by calls of the GPU's runtime copies the next entries before each round and marks together what the
 * round has done. */
#include "protocols/service.h"

#include <glib.h>
#include <stdio.h>

#include "core/check.h"
#include "protocols/runtime_copy.h"

/* Scratch and barrier words of a work-group, on whole lines. */
#define WORDS_BYTES 384
_Static_assert((1 + 2 * SERVICE_BARRIER_ROUNDS) * 8 <= WORDS_BYTES, "a work-group's words fit");

/* An entry that was issued and is to be marked later. */
struct unmarked {
    struct ring_consumer *consumer;
    uint64_t index;
};

struct service_thread {
    struct service *service;
    int64_t number;
    struct agent agent;
    struct shmem shmem;
    GArray *unmarked;  /* struct unmarked of blocking entries, in the order of issue */
    GArray *done;      /* to be marked together: empty but within a round */
    GPtrArray *fenced; /* consumers that are; only by context */
    struct line_copy *copies;
    int64_t rounds; /* over its queues, up to polling_rounds */
    int64_t polls;
};

struct service {
    struct cluster *cluster;
    struct node *node;
    const struct design *design;
    const struct software_spec *software;
    struct operation_log *log;
    struct mutex_stats locks;
    struct shmem_interface *interfaces; /* one a thread, or one */
    int64_t interface_count;
    uint64_t *contexts;        /* by work-group: operations under way */
    struct ring_queue *queues; /* one a work-group */
    struct ring_consumer *consumers;
    uint64_t *operations; /* behind the queues' `operations` */
    address words;        /* WORDS_BYTES for each work-group */
    int64_t queue_count;
    struct service_thread *threads;
    int64_t thread_count;
    bool by_runtime_calls; /* queues are read and written by calls of the GPU's runtime */
    bool stopping;
};

/* --- the service threads ----------------------------------------------------------------------- */

/* The context of a work-group, whose queue this is. */
static int64_t context_of(const struct service *service, const struct ring_consumer *consumer)
{
    return consumer - service->consumers;
}

static bool is_quiet(const struct service *service, const struct ring_consumer *consumer)
{
    return service->contexts[context_of(service, consumer)] == 0;
}

/* What comes behind the fence waits until what was issued before it is complete. */
static void fence(struct service_thread *thread, struct ring_consumer *consumer)
{
    if (thread->service->software->completion == COMPLETION_TOGETHER) {
        shmem_quiet(&thread->shmem);
    } else if (!is_quiet(thread->service, consumer)) {
        consumer->is_fenced = true;
        g_ptr_array_add(thread->fenced, consumer);
    }
}

/* Carries out what the entry asks of the network. */
static void issue(struct service_thread *thread, struct ring_consumer *consumer,
                  const struct queue_entry *entry, uint64_t cookie)
{
    struct nic_command command = {
        .opcode = entry->is_inline ? NIC_PUT_INLINE : NIC_PUT,
        .remote_node = entry->node,
        .local = entry->is_inline ? entry->value : entry->local,
        .remote = entry->remote,
        .bytes = entry->bytes,
        .cookie = cookie,
        .signal = entry->signal,
        .signal_value = entry->signal_value,
    };
    switch ((enum queue_operation)entry->operation) {
    case QUEUE_GET:
        command.opcode = NIC_GET;
        break;
    case QUEUE_FETCH_ADD:
        command.opcode = NIC_FETCH_ADD;
        command.local = entry->local;
        command.operand = entry->value;
        break;
    case QUEUE_FENCE:
        fence(thread, consumer);
        return;
    case QUEUE_QUIET:
    case QUEUE_NOP:
        return;
    case QUEUE_PUT:
    case QUEUE_PUT_SIGNAL:
        break;
    }
    shmem_issue_nbi(&thread->shmem, context_of(thread->service, consumer), &command);
}

static void mark(struct service_thread *thread, struct ring_consumer *consumer, uint64_t index)
{
    struct service *service = thread->service;
    agent_execute(&thread->agent, service->software->mark_instructions);
    operation_stamp(service->log, ring_operation(consumer->queue, index), OPERATION_COMPLETED,
                    agent_now(&thread->agent));
    ring_mark(consumer, &thread->agent, index);
}

/* Marks entries, with one release behind all of them. */
static void mark_all(struct service_thread *thread, GArray *entries)
{
    if (entries->len == 0)
        return;
    if (thread->service->by_runtime_calls)
        runtime_begin_write(&thread->agent, thread->service->software);
    for (guint i = 0; i < entries->len; i++) {
        struct unmarked *entry = &g_array_index(entries, struct unmarked, i);
        mark(thread, entry->consumer, entry->index);
    }
    agent_release(&thread->agent, thread->service->design->scope);
    for (guint i = 0; i < entries->len; i++)
        ring_advance(g_array_index(entries, struct unmarked, i).consumer, &thread->agent);
    g_array_set_size(entries, 0);
}

/* A non-blocking entry is marked at once; but not with a call of the runtime for each. */
static void serve(struct service_thread *thread, struct ring_consumer *consumer,
                  const struct queue_entry *entry, uint64_t index)
{
    struct service *service = thread->service;
    uint64_t operation = ring_operation(consumer->queue, index);
    agent_execute(&thread->agent, service->software->dispatch_instructions);
    issue(thread, consumer, entry, operation);
    operation_stamp(service->log, operation, OPERATION_SERVED, agent_now(&thread->agent));
    struct unmarked unmarked = {consumer, index};
    g_array_append_vals(entry->is_blocking ? thread->unmarked : thread->done, &unmarked, 1);
    if (!service->by_runtime_calls)
        mark_all(thread, thread->done);
}

/* Reads the entries that were seen ready, and serves them. */
static void serve_ready(struct service_thread *thread, struct ring_consumer *consumers,
                        int64_t stride, int64_t count, const bool *ready)
{
    struct service *service = thread->service;
    struct queue_entry entries[LOADS_IN_FLIGHT_MAX];
    uint64_t indices[LOADS_IN_FLIGHT_MAX];
    ring_take(consumers, (size_t)stride, (size_t)count, &thread->agent, ready, entries, indices);
    for (int64_t i = 0; i < count; i++)
        if (ready[i])
            operation_stamp(service->log, ring_operation(consumers[i * stride].queue, indices[i]),
                            OPERATION_SEEN, agent_now(&thread->agent));
    for (int64_t i = 0; i < count; i++)
        if (ready[i])
            serve(thread, &consumers[i * stride], &entries[i], indices[i]);
}

/* Looks at its queues from number `first` on, as many as its agent can have looks under way, and serves
 * what is ready. Returns the number of the queue to go on with. */
static int64_t poll_queues(struct service_thread *thread, int64_t first)
{
    struct service *service = thread->service;
    int64_t stride = service->thread_count;
    struct ring_consumer *consumers = &service->consumers[first];
    int64_t left = (service->queue_count - first + stride - 1) / stride;
    address first_look =
        consumers->copy != ADDRESS_NONE ? consumers->copy : consumers->queue->entries;
    int64_t count = agent_loads_in_flight(&thread->agent, first_look);
    if (count > left)
        count = left;
    bool ready[LOADS_IN_FLIGHT_MAX];
    thread->polls += count;
    agent_execute(&thread->agent, count * service->software->poll_instructions);
    ring_look(consumers, (size_t)stride, (size_t)count, &thread->agent, ready);
    serve_ready(thread, consumers, stride, count, ready);
    return first + count * stride;
}

/* Moves the entries whose context is quiet to those that are done, lifts the fences of such contexts. */
static void sort_out(struct service_thread *thread)
{
    GArray *unmarked = thread->unmarked;
    guint kept = 0;
    for (guint i = 0; i < unmarked->len; i++) {
        struct unmarked *entry = &g_array_index(unmarked, struct unmarked, i);
        if (is_quiet(thread->service, entry->consumer))
            g_array_append_vals(thread->done, entry, 1);
        else
            g_array_index(unmarked, struct unmarked, kept++) = *entry;
    }
    g_array_set_size(unmarked, kept);
    for (guint i = thread->fenced->len; i-- > 0;) {
        struct ring_consumer *consumer = g_ptr_array_index(thread->fenced, i);
        if (!is_quiet(thread->service, consumer))
            continue;
        consumer->is_fenced = false;
        g_ptr_array_remove_index_fast(thread->fenced, i);
    }
}

static void complete_by_context(struct service_thread *thread)
{
    if (thread->unmarked->len == 0 && thread->fenced->len == 0)
        return;
    shmem_progress(&thread->shmem);
    sort_out(thread);
    mark_all(thread, thread->done);
}

static void complete_blocking(struct service_thread *thread)
{
    if (++thread->rounds < thread->service->software->polling_rounds)
        return;
    thread->rounds = 0;
    if (thread->service->software->completion == COMPLETION_BY_CONTEXT) {
        complete_by_context(thread);
    } else if (thread->unmarked->len > 0) {
        shmem_quiet(&thread->shmem);
        mark_all(thread, thread->unmarked);
    }
}

/* The next entries of its queues, to where it will look at them. */
static void copy_entries(struct service_thread *thread)
{
    struct service *service = thread->service;
    size_t count = 0;
    for (int64_t i = thread->number; i < service->queue_count; i += service->thread_count) {
        struct line_copy *copy = &thread->copies[count];
        copy->to = service->consumers[i].copy;
        if (ring_next_entry(&service->consumers[i], &copy->from))
            count++;
    }
    runtime_copy_to_host(&thread->agent, service->node, service->software, thread->copies, count);
}

static void poll_round(struct service_thread *thread)
{
    struct service *service = thread->service;
    if (service->by_runtime_calls)
        copy_entries(thread);
    int64_t next = thread->number;
    while (next < service->queue_count)
        next = poll_queues(thread, next);
    mark_all(thread, thread->done);
    complete_blocking(thread);
}

static int64_t queues_of(const struct service_thread *thread)
{
    int64_t stride = thread->service->thread_count;
    return (thread->service->queue_count - thread->number + stride - 1) / stride;
}

static void run_thread(struct process *self, void *argument)
{
    struct service_thread *thread = argument;
    struct service *service = thread->service;
    if (service->design->server == SERVER_COMMAND_PROCESSOR) {
        agent_init_cp(&thread->agent, service->node->cp, thread->number, self);
        cp_thread_serve_queues(&thread->agent.cp, queues_of(thread));
    } else {
        agent_init_host(&thread->agent, service->node->host, thread->number, self);
    }
    thread->shmem.agent = &thread->agent;
    if (thread->number >= service->queue_count)
        return; /* fewer queues than threads: it has nothing to poll */
    while (!service->stopping)
        poll_round(thread);
}

/* --- start and end ----------------------------------------------------------------------------- */

static void make_queues(struct service *service)
{
    uint64_t entries = (uint64_t)service->software->queue_entries;
    service->queues = g_new0(struct ring_queue, (gsize)service->queue_count);
    service->consumers = g_new0(struct ring_consumer, (gsize)service->queue_count);
    service->operations = g_new0(uint64_t, (gsize)service->queue_count * entries);
    for (int64_t i = 0; i < service->queue_count; i++) {
        struct cluster *cluster = service->cluster;
        int64_t node = service->node->index;
        enum node_memory memory = service->design->queue_memory;
        enum store_kind kind =
            service->design->scope == SCOPE_SYSTEM ? STORE_FINE_GRAINED : STORE_COARSE_GRAINED;
        service->queues[i] = (struct ring_queue){
            .entries = node_allocate(cluster, node, memory,
                                     (int64_t)(entries * sizeof(struct queue_entry)), kind),
            .read_index = node_allocate(cluster, node, memory, sizeof(uint64_t), kind),
            .count = entries,
            .scope = service->design->scope,
            .operations = service->operations + (uint64_t)i * entries,
        };
        ring_consumer_init(&service->consumers[i], &service->queues[i]);
    }
}

/* Where it copies entries to, a line a queue. */
static void prepare_runtime_calls(struct service *service)
{
    const struct design *design = service->design;
    service->by_runtime_calls = service->software->gpu_queue_polling == POLLING_RUNTIME_CALL &&
                                design->server == SERVER_HOST_THREADS &&
                                design->queue_memory == MEMORY_GPU;
    if (!service->by_runtime_calls)
        return;
    address lines = node_allocate(service->cluster, service->node->index, MEMORY_HOST,
                                  service->queue_count * CACHE_LINE_BYTES, STORE_FINE_GRAINED);
    for (int64_t i = 0; i < service->queue_count; i++)
        service->consumers[i].copy = lines + (address)(i * CACHE_LINE_BYTES);
}

/* One interface for all threads has room for as many commands as one for each. */
static void make_interfaces(struct service *service)
{
    const struct design *design = service->design;
    int64_t node = service->node->index, threads = service->thread_count;
    enum node_memory agent_memory =
        design->server == SERVER_COMMAND_PROCESSOR ? MEMORY_GPU : MEMORY_HOST;
    bool is_shared = service->software->network_library == LIBRARY_SHARED;
    int64_t sharers = is_shared ? threads : 1;
    char path[64];
    snprintf(path, sizeof path, "node%lld.network_library", (long long)node);
    mutex_stats_init(&service->locks, service->cluster->sim->stats, path);
    service->contexts = g_new0(uint64_t, (gsize)service->queue_count);
    service->interface_count = threads / sharers;
    service->interfaces = g_new0(struct shmem_interface, (gsize)service->interface_count);
    for (int64_t i = 0; i < service->interface_count; i++)
        shmem_interface_init(&service->interfaces[i], service->cluster, node, design->nic_memory,
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
    snprintf(name, sizeof name, "node%lld.service%lld", (long long)service->node->index,
             (long long)number);
    process_spawn(cluster->sim->processes, name, run_thread, thread, sim_now(cluster->sim), 0);
}

static int64_t cores_for(const struct cluster *cluster, const struct design *design)
{
    return design->server == SERVER_COMMAND_PROCESSOR ? cluster->spec->cp.cores
                                                      : cluster->spec->host.cores;
}

static void observe_nic(void *log, uint64_t cookie, enum nic_stage stage, sim_time at_ps)
{
    operation_observe_nic(log, shmem_cookie(cookie), stage, at_ps);
}

struct service *service_new(struct cluster *cluster, int64_t node, const struct design *design,
                            int64_t work_groups, int64_t threads, char *why, size_t why_size)
{
    int64_t cores = cores_for(cluster, design);
    if (threads > cores) {
        snprintf(why, why_size, "%lld service threads need as many cores, design %s has %lld",
                 (long long)threads, design->name, (long long)cores);
        return NULL;
    }
    struct service *service = g_new0(struct service, 1);
    service->cluster = cluster;
    service->node = &cluster->nodes[node];
    service->design = design;
    service->software = &cluster->spec->software;
    service->queue_count = work_groups;
    char path[64];
    snprintf(path, sizeof path, "node%lld.operations", (long long)node);
    service->log = operation_log_new(cluster->sim, path);
    nic_observe(service->node->nic, observe_nic, service->log);
    make_queues(service);
    prepare_runtime_calls(service);
    service->words = node_allocate(cluster, node, design->heap_memory, work_groups * WORDS_BYTES,
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
    nic_observe(service->node->nic, NULL, NULL);
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

double service_energy_J(const struct service *service, sim_time now_ps)
{
    double sum_J = 0;
    for (int64_t i = 0; i < service->thread_count; i++)
        if (service->threads[i].agent.ops != NULL)
            sum_J += energy_total_J(&service->threads[i].agent.energy, now_ps);
    return sum_J;
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
