/* SPDX-License-Identifier: BSD-3-Clause */
/* What work-groups tell observers (core/observe.h): their messages as operations, and the causes of their waits, step by step. */

#include "workloads/transfer/transfer_device.h"

/* --- steps -------------------------------------------------------------------------------------- */

/* Whether there is a listener. */
static bool is_observed(const struct party *party)
{
    return observe_wants_operations(&world_sim(party->world)->observe);
}

uint32_t device_actor(const struct party *party, int64_t place, int64_t group)
{
    return (uint32_t)(place * party->world->setup.groups + group);
}

void device_stepped(struct party *party, enum stage stage)
{
    struct device_party *device = party->own;
    struct observed_step *step = &device->step;
    uint32_t actor = device_actor(party, party->place, party->group);
    step->origin = &party->world->iterations;
    step->actor = actor;
    step->stage = stage;
    step->to_ps = party_now(party);
    if (step->operation == 0 && step->after_ps == 0)
        step->after = actor;
    if (step->to_ps > step->from_ps)
        observe_step(&world_sim(party->world)->observe, step);
    *step = (struct observed_step){.from_ps = party_now(party)};
}

/* The party has waited for its own call. */
void device_waited_for_own(struct party *party)
{
    struct device_party *device = party->own;
    device->step.operation = device->context.called;
    device->step.after = device_actor(party, party->place, party->group);
}

/* The name under which a put with a signal is kept until the receiver has waited for it. */
static char *signal_name(address signal, int64_t place, uint64_t value)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT " at %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT,
                           (uint64_t)signal, place, value);
}

void device_begin_signal(struct party *party, address signal, int64_t place, uint64_t value)
{
    struct device_world *own = world_own(party);
    struct device_party *device = party->own;
    if (is_observed(party))
        g_hash_table_insert(own->observed, signal_name(signal, place, value),
                            GSIZE_TO_POINTER(device_begin(&device->context)));
}

/* Marks a signal without a put, or of a message: its operation ends when the receiver has seen it, since the sender does not wait. */
#define IS_SET (UINT64_C(1) << OBSERVE_NUMBER_BITS)

void device_begin_set(struct party *party, address signal, int64_t place, uint64_t value)
{
    struct device_world *own = world_own(party);
    struct device_party *device = party->own;
    struct observe *observe = &world_sim(party->world)->observe;
    if (!is_observed(party))
        return;
    uint32_t caller = device_actor(party, party->place, party->group);
    uint64_t operation = observe_begin(observe, &party->world->messages, caller, party_now(party));
    device->context.operation = operation;
    g_hash_table_insert(own->observed, signal_name(signal, place, value),
                        GSIZE_TO_POINTER(operation | IS_SET));
}

void device_waited_for_signal(struct party *party, address signal, int64_t place, int64_t group,
                              uint64_t value)
{
    struct device_party *device = party->own;
    struct device_world *own = world_own(party);
    if (!is_observed(party))
        return;
    g_autofree char *name = signal_name(signal, party->place, value);
    uint64_t operation = GPOINTER_TO_SIZE(g_hash_table_lookup(own->observed, name));
    if (operation & IS_SET)
        observe_end(&world_sim(party->world)->observe, (uint32_t)operation, party_now(party));
    device->step.operation = (uint32_t)operation;
    device->step.after = device_actor(party, place, group);
    g_hash_table_remove(own->observed, name);
}

void device_end_message(struct party *party, address word, const struct message *message)
{
    if (!is_observed(party))
        return;
    device_waited_for_signal(party, word, message->peer, message->group, message->number);
    device_stepped(party, STAGE_EXPOSED);
}
