/* SPDX-License-Identifier: BSD-3-Clause */
/* Work queues: doorbell -> fetch over the bus -> the NIC's back. Fetches are requested in the order of the commands and return
 * in the order in which the memory answers. */
#include "models/nic/nic_queue.h"

#include <string.h>

#include "core/map.h"
#include "models/nic/nic_parts.h"

#define WORD_BITS 64

struct work_queue {
    struct nic *nic;
    guint number;
    address commands, completions;
    int64_t entries;
    uint64_t announced;    /* commands announced by doorbells that have arrived */
    uint64_t rung;         /* commands announced by doorbells that have been seen */
    uint64_t fetched;      /* commands whose fetch was requested */
    uint64_t completed;    /* number of completion entries written */
    sim_time *doorbell_ps; /* by entry: the time at which its doorbell arrived */

    bool takes_turns;  /* whether commands start in their order */
    struct list early; /* commands fetched before their turn */
    uint32_t next;     /* the command whose turn it is */
    bool has_chains;
    struct map
        incomplete; /* if has_chains: by index of a command, the operation chained to it or NULL */
    bool keeps_order;
    struct map pairs; /* if keeps_order: struct queue_pair by number of the other NIC */
};

/* The state of this front in a NIC. */
struct nic_queues {
    GPtrArray *queues; /* struct work_queue */
    GArray *waiting;   /* uint64_t, a bit for each queue with commands to be fetched */
    int64_t fetches;   /* fetches in flight */
};

static struct nic_queues *queues_of(const struct nic *nic)
{
    return nic->fronts[NIC_FRONT_queue];
}

/* --- order ------------------------------------------------------------------------------------- */

/* The connection between the queue and the NIC that the command is for. */
static struct queue_pair *pair_of(struct work_queue *queue, const struct nic_command *command)
{
    uint64_t other = (uint64_t)nic_remote_number(queue->nic, command);
    void **pair = &map_at(&queue->pairs, other)->pointer;
    if (*pair == NULL)
        *pair = g_new0(struct queue_pair, 1);
    return *pair;
}

/* Takes out the command whose turn it is. NULL if it has not arrived yet, or if it is fenced and earlier commands are under way. */
static struct nic_operation *take_next(struct work_queue *queue)
{
    struct nic_operation *operation = (struct nic_operation *)nic_list_first(&queue->early);
    if (operation == NULL || operation->item.key != queue->next)
        return NULL;
    if (operation->command.is_fenced && queue->completed < operation->index)
        return NULL;
    queue->next++;
    list_take(&queue->early);
    return operation;
}

static void start_in_turn(struct work_queue *queue)
{
    struct nic_operation *operation;
    while ((operation = take_next(queue)) != NULL) {
        operation->is_ordered = queue->keeps_order;
        nic_operation_start(operation);
    }
}

/* --- chains ------------------------------------------------------------------------------------ */

bool nic_queue_holds(struct nic_operation *operation)
{
    struct work_queue *queue = operation->queue;
    union map_value *before = map_find(&queue->incomplete, operation->index - 1);
    if (before == NULL)
        return false;
    before->pointer = operation;
    return true;
}

/* Starts the operation chained to the command `index`, which is complete. */
static void pull_chain(struct work_queue *queue, uint64_t index)
{
    struct nic_operation *chained = map_find(&queue->incomplete, index)->pointer;
    map_remove(&queue->incomplete, index);
    if (chained != NULL)
        nic_operation_take_up(chained, chained->doorbell_ps);
}

/* --- completion -------------------------------------------------------------------------------- */

static void write_completion(struct nic_operation *operation)
{
    struct nic *nic = operation->nic;
    struct work_queue *queue = operation->queue;
    uint64_t index = queue->completed++;
    struct nic_completion entry = {
        .cookie = operation->command.cookie,
        .valid = 1 - index / (uint64_t)queue->entries % 2,
    };
    address at = queue->completions + index % (uint64_t)queue->entries * sizeof entry;
    struct bus_request *request = nic_bus_request(nic, BUS_WRITE, at, sizeof entry);
    memcpy(request->data, &entry, sizeof entry);
    bus_send(nic->bus, request, 0);
    if (queue->has_chains)
        pull_chain(queue, operation->index);
    if (queue->takes_turns)
        start_in_turn(queue); /* a fenced command may have waited for this one */
}

/* --- doorbell and fetch ------------------------------------------------------------------------ */

static void fetch_from_all(const struct nic *nic, struct nic_queues *queues);

static void command_is_fetched(struct bus_request *request, void *argument)
{
    struct nic_operation *operation = argument;
    struct work_queue *queue = operation->queue;
    struct nic_queues *queues = queues_of(queue->nic);
    memcpy(&operation->command, request->data, sizeof operation->command);
    operation->doorbell_ps = queue->doorbell_ps[operation->index % (uint64_t)queue->entries];
    operation->pair = pair_of(queue, &operation->command);
    queues->fetches--;
    if (queue->takes_turns) {
        operation->item.key = (uint32_t)operation->index;
        nic_list_insert(&queue->early, &operation->item);
        start_in_turn(queue);
    } else {
        nic_operation_start(operation);
    }
    fetch_from_all(queue->nic, queues);
}

/* Whether another command may be fetched; it always may if no fetch is in flight. */
static bool may_fetch(const struct nic *nic, int64_t fetches)
{
    return fetches == 0 || fetches < NIC_READ(nic, fetch_depth);
}

static void fetch_commands(struct work_queue *queue)
{
    struct nic *nic = queue->nic;
    struct nic_queues *queues = queues_of(nic);
    while (queue->fetched < queue->rung && may_fetch(nic, queues->fetches)) {
        struct nic_operation *operation = nic_operation_new(nic, NIC_FRONT_queue);
        operation->queue = queue;
        operation->index = queue->fetched++;
        if (queue->has_chains)
            map_add(&queue->incomplete, operation->index);
        address at = queue->commands +
                     operation->index % (uint64_t)queue->entries * sizeof(struct nic_command);
        struct bus_request *request =
            nic_bus_request(nic, BUS_READ, at, sizeof(struct nic_command));
        request->done = command_is_fetched;
        request->argument = operation;
        queues->fetches++;
        bus_send(nic->bus, request, 0);
    }
    uint64_t bit = UINT64_C(1) << queue->number % WORD_BITS;
    uint64_t *word = &g_array_index(queues->waiting, uint64_t, queue->number / WORD_BITS);
    *word = queue->fetched < queue->rung ? *word | bit : *word & ~bit;
}

/* Requests as many fetches as are possible, first from the queue with the lowest number. */
static void fetch_from_all(const struct nic *nic, struct nic_queues *queues)
{
    for (guint word = 0; word < queues->waiting->len; word++) {
        uint64_t bits = g_array_index(queues->waiting, uint64_t, word);
        for (; bits != 0 && may_fetch(nic, queues->fetches); bits &= bits - 1)
            fetch_commands(
                g_ptr_array_index(queues->queues, word * WORD_BITS + (guint)__builtin_ctzll(bits)));
    }
}

static void doorbell_is_seen(void *argument)
{
    struct work_queue *queue = argument;
    queue->rung = queue->announced;
    fetch_commands(queue);
}

static void doorbell_arrives(struct nic *nic, uint64_t number, uint64_t announced)
{
    struct nic_queues *queues = queues_of(nic);
    struct sim *sim = nic->network->sim;
    check_always(number < queues->queues->len, "a doorbell for queue %llu of %u",
                 (unsigned long long)number, queues->queues->len);
    struct work_queue *queue = g_ptr_array_index(queues->queues, (guint)number);
    sim_time now_ps = sim_now(sim);
    for (; queue->announced < announced; queue->announced++)
        queue->doorbell_ps[queue->announced % (uint64_t)queue->entries] = now_ps;
    event_schedule(sim->events, now_ps + NIC_READ(nic, doorbell_latency_ps), doorbell_is_seen,
                   queue);
}

/* --- start and end ----------------------------------------------------------------------------- */

static void free_queue(void *argument)
{
    struct work_queue *queue = argument;
    map_clear_with(&queue->pairs, g_free);
    map_clear(&queue->incomplete);
    g_free(queue->doorbell_ps);
    g_free(queue);
}

static void free_queues(void *own)
{
    struct nic_queues *queues = own;
    g_ptr_array_unref(queues->queues);
    g_array_unref(queues->waiting);
    g_free(queues);
}

const struct nic_front nic_front_queue = {
    .store = doorbell_arrives,
    .complete = write_completion,
    .free = free_queues,
};

static struct nic_queues *make_queues(struct nic *nic)
{
    struct nic_queues *queues = g_new0(struct nic_queues, 1);
    queues->queues = g_ptr_array_new_with_free_func(free_queue);
    queues->waiting = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    nic->fronts[NIC_FRONT_queue] = queues;
    nic_bus(nic);
    return queues;
}

int nic_add_queue(struct nic *nic, address commands, address completions, int64_t entries)
{
    struct nic_queues *queues = queues_of(nic);
    if (queues == NULL)
        queues = make_queues(nic);
    struct work_queue *queue = g_new0(struct work_queue, 1);
    queue->nic = nic;
    queue->number = queues->queues->len;
    queue->commands = commands;
    queue->completions = completions;
    queue->entries = entries;
    queue->doorbell_ps = g_new0(sim_time, (gsize)entries);
    g_ptr_array_add(queues->queues, queue);
    g_array_set_size(queues->waiting, queue->number / WORD_BITS + 1);
    return (int)queue->number;
}

void nic_queue_set(struct nic *nic, int number, enum nic_queue_way way)
{
    struct work_queue *queue = g_ptr_array_index(queues_of(nic)->queues, (guint)number);
    queue->takes_turns |= way != NIC_QUEUE_CHAINED;
    queue->keeps_order |= way == NIC_QUEUE_ORDERED;
    queue->has_chains |= way == NIC_QUEUE_CHAINED;
}

address nic_doorbell(const struct nic *nic, int queue)
{
    return nic_register(nic, NIC_FRONT_queue, (uint64_t)queue);
}
