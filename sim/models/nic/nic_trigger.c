/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters, and operations that wait for them. Each store takes doorbell_latency from the trigger register to the counter,
 * independent of others: a command starts that time after the store that brings its counter to the threshold. */
#include "models/nic/nic_trigger.h"

#include "models/nic/nic_parts.h"

struct nic_counter {
    struct nic_triggers *of;
    uint32_t value;
    struct list waiting;      /* operations, keyed by their thresholds */
    struct nic_command *told; /* the commands of a counter that tells, by threshold; else NULL */
    int64_t pending;          /* places in `told` */
};

/* The state of this front in a NIC. */
struct nic_triggers {
    GPtrArray *counters; /* struct nic_counter at number - 1 */
    struct pool stores;  /* struct trigger_store */
};

/* A store on its way from the trigger register to the counter. */
struct trigger_store {
    struct nic_counter *counter;
    uint32_t amount;
    sim_time arrived_ps;
};

static struct nic_counter *counter_of(const struct nic *nic, uint64_t number)
{
    const struct nic_triggers *triggers = nic->fronts[NIC_FRONT_trigger];
    check_always(triggers != NULL && number >= 1 && number <= triggers->counters->len,
                 "a NIC has no counter %llu", (unsigned long long)number);
    return g_ptr_array_index(triggers->counters, (guint)number - 1);
}

/* Takes up an operation whose threshold the counter has reached. */
static void take_up(struct nic_counter *counter, struct nic_operation *operation,
                    sim_time doorbell_ps)
{
    if (counter->told != NULL)
        operation->command = counter->told[operation->command.threshold % counter->pending];
    nic_operation_take_up(operation, doorbell_ps);
}

/* Adds `amount` for a store that arrived at `arrived_ps`. */
static void count(struct nic_counter *counter, uint32_t amount, sim_time arrived_ps)
{
    struct nic_item *item;
    counter->value += amount;
    while ((item = nic_list_take_up_to(&counter->waiting, counter->value)) != NULL)
        take_up(counter, (struct nic_operation *)item, arrived_ps);
}

static void store_is_seen(void *argument)
{
    struct trigger_store store = *(struct trigger_store *)argument;
    pool_give(&store.counter->of->stores, argument);
    count(store.counter, store.amount, store.arrived_ps);
}

static void store_arrives(struct nic *nic, uint64_t number, uint64_t amount)
{
    struct nic_counter *counter = counter_of(nic, number);
    struct trigger_store *store = pool_take(&counter->of->stores);
    struct sim *sim = nic->network->sim;
    *store = (struct trigger_store){counter, (uint32_t)amount, sim_now(sim)};
    event_schedule(sim->events, sim_now(sim) + NIC_READ(nic, doorbell_latency_ps), store_is_seen,
                   store);
}

void nic_trigger_hold(struct nic_operation *operation)
{
    struct nic_counter *counter = counter_of(operation->nic, operation->command.counter);
    operation->item.key = operation->command.threshold;
    if (nic_key_exceeds(operation->item.key, counter->value))
        nic_list_insert(&counter->waiting, &operation->item);
    else
        take_up(counter, operation, operation->doorbell_ps);
}

/* --- start and end ----------------------------------------------------------------------------- */

static void free_counter(void *own)
{
    struct nic_counter *counter = own;
    g_free(counter->told);
    g_free(counter);
}

static void free_triggers(void *own)
{
    struct nic_triggers *triggers = own;
    pool_clear(&triggers->stores);
    g_ptr_array_unref(triggers->counters);
    g_free(triggers);
}

const struct nic_front nic_front_trigger = {
    .store = store_arrives,
    .free = free_triggers,
};

static struct nic_triggers *make_triggers(struct nic *nic)
{
    struct nic_triggers *triggers = g_new0(struct nic_triggers, 1);
    triggers->counters = g_ptr_array_new_with_free_func(free_counter);
    pool_init(&triggers->stores, sizeof(struct trigger_store));
    nic->fronts[NIC_FRONT_trigger] = triggers;
    nic_bus(nic);
    return triggers;
}

int nic_add_counter(struct nic *nic)
{
    struct nic_triggers *triggers = nic->fronts[NIC_FRONT_trigger];
    if (triggers == NULL)
        triggers = make_triggers(nic);
    struct nic_counter *counter = g_new0(struct nic_counter, 1);
    counter->of = triggers;
    g_ptr_array_add(triggers->counters, counter);
    return (int)triggers->counters->len;
}

address nic_trigger_address(const struct nic *nic, int counter)
{
    return nic_register(nic, NIC_FRONT_trigger, (uint64_t)counter);
}

void nic_counter_tells(struct nic *nic, int number, int64_t pending)
{
    struct nic_counter *counter = counter_of(nic, (uint64_t)number);
    counter->told = g_new0(struct nic_command, (gsize)pending);
    counter->pending = pending;
}

void nic_counter_tell(struct nic *nic, int number, uint32_t threshold,
                      const struct nic_command *command)
{
    struct nic_counter *counter = counter_of(nic, (uint64_t)number);
    struct nic_command *told = &counter->told[threshold % counter->pending];
    *told = *command;
    told->counter = (uint32_t)number;
    told->threshold = threshold;
}
