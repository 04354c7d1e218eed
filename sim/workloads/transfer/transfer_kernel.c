/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of transfer.h that are only for work-groups. Ranks are refused here, in one place. */
#include "workloads/transfer/transfer_device.h"

bool world_has_words(const struct world *world)
{
    return world->ops->is_kernel;
}

static const struct intra_kernel *kernel_of(const struct world *world)
{
    check_release(world_has_words(world), "a rank's signals are messages, and its peers' programs "
                                          "serve it: words and posts are for work-groups");
    return &((const struct device_world *)world->own)->kernel;
}

static struct device_context *context_of(const struct party *party)
{
    return kernel_of(party->world) != NULL ? device_context_of(party) : NULL;
}

/* --- the world ---------------------------------------------------------------------------------- */

struct service *world_service(const struct world *world)
{
    return kernel_of(world)->services[0];
}

const struct stat_histogram *world_latencies(const struct world *world)
{
    return world_has_words(world) ? service_log(world_service(world))->latency : NULL;
}

sim_time world_kernel_ps(const struct world *world)
{
    return kernel_of(world)->ended_ps - kernel_of(world)->launched_ps;
}

void world_settle(const struct world *world)
{
    const struct intra_kernel *kernel = kernel_of(world);
    for (int64_t i = 0; i < kernel->service_count; i++)
        service_settle(kernel->services[i]);
}

struct process *party_process(const struct party *party)
{
    return context_of(party)->agent.process;
}

static void tell(const struct party *party, struct observed_call call, int64_t place, int64_t group)
{
    transfer_tell(party, transfer_told_from(party), call, place, group);
}

/* --- posts that quiet waits for ----------------------------------------------------------------- */

void transfer_post_get(struct party *party, int64_t place, int64_t group,
                       struct transfer_buffer buffer, int64_t bytes)
{
    struct device_context *context = context_of(party);
    struct device_way way = device_way(party, place, group, buffer.number);
    device_get_nbi(context, way.node, way.local, way.remote, bytes);
    tell(party, (struct observed_call){CALL_GET, .bytes = bytes}, place, group);
    transfer_stamp(party, context->posted);
}

void transfer_post_put(struct party *party, int64_t place, int64_t group,
                       struct transfer_buffer buffer, int64_t bytes)
{
    struct device_context *context = context_of(party);
    struct device_way way = device_way(party, place, group, buffer.number);
    device_put_nbi(context, way.node, way.local, way.remote, bytes);
    tell(party, (struct observed_call){CALL_PUT, .bytes = bytes}, place, group);
    transfer_stamp(party, context->posted);
}

void transfer_post_put_lanes(struct party *party, int64_t place, int64_t group,
                             struct transfer_buffer buffer, int64_t bytes, int64_t lanes)
{
    struct device_context *context = context_of(party);
    struct device_way way = device_way(party, place, group, buffer.number);
    device_put_lanes_nbi(context, way.node, way.local, way.remote, bytes, lanes);
    for (int64_t lane = 0; lane < lanes; lane++)
        tell(party, (struct observed_call){CALL_PUT, .bytes = bytes}, place, group);
    transfer_stamp(party, context->posted);
}

void transfer_post_put_signal(struct party *party, int64_t place, int64_t group,
                              struct transfer_buffer buffer, int64_t bytes,
                              struct transfer_signals signals, int64_t index, uint64_t value)
{
    struct device_context *context = context_of(party);
    struct device_way way = device_way(party, place, group, buffer.number);
    device_put_signal_nbi(context, way.node, way.local, way.remote, bytes,
                          device_signal_at(party, signals.number, place, group, index), value);
    tell(party,
         (struct observed_call){CALL_SEND, .channel = transfer_channel(signals, index),
                                .bytes = bytes},
         place, group);
    transfer_stamp(party, context->posted);
}

/* --- calls that wait ---------------------------------------------------------------------------- */

static void has_waited(struct party *party)
{
    device_waited_for_own(party);
    transfer_stamp(party, STAGE_EXPOSED);
}

void transfer_nop(struct party *party)
{
    device_nop(context_of(party));
    has_waited(party);
}

void transfer_nops(struct party *party, int64_t count)
{
    device_nops(context_of(party), count);
    has_waited(party);
}

/* --- words -------------------------------------------------------------------------------------- */

/* Lines of signals, used as buffers, have negative numbers. */
struct transfer_buffer transfer_lines(struct transfer_signals signals)
{
    return (struct transfer_buffer){~signals.number};
}

static address own_word(const struct party *party, struct transfer_signals signals, int64_t index)
{
    return device_signal_at(party, signals.number, party->place, party->group, index);
}

uint64_t transfer_load_word(struct party *party, struct transfer_signals signals, int64_t index)
{
    struct agent *agent = &context_of(party)->agent;
    tell(party, (struct observed_call){.kind = CALL_WORDS}, 0, 0);
    agent_acquire(agent, SCOPE_SYSTEM);
    return agent_load_word(agent, own_word(party, signals, index));
}

void transfer_store_word(struct party *party, struct transfer_signals signals, int64_t index,
                         uint64_t value)
{
    struct agent *agent = &context_of(party)->agent;
    tell(party, (struct observed_call){.kind = CALL_WORDS}, 0, 0);
    agent_store_word(agent, own_word(party, signals, index), value);
    agent_release(agent, SCOPE_SYSTEM);
}

void transfer_put_word(struct party *party, int64_t place, int64_t group,
                       struct transfer_signals signals, int64_t index, uint64_t value)
{
    tell(party, (struct observed_call){.kind = CALL_WORDS}, 0, 0);
    device_p(context_of(party), device_node(party, place),
             device_signal_at(party, signals.number, place, group, index), value, sizeof value - 1);
    has_waited(party);
}

void transfer_set_signal(struct party *party, int64_t place, int64_t group,
                         struct transfer_signals signals, int64_t index, uint64_t value)
{
    struct device_context *context = context_of(party);
    address signal = device_signal_at(party, signals.number, place, group, index);
    device_begin_set(party, signal, place, value);
    device_set_nbi(context, device_node(party, place), signal, value);
    context->operation = 0;
    tell(party,
         (struct observed_call){CALL_SEND, .channel = transfer_channel(signals, index),
                                .bytes = TRANSFER_SIGNAL_BYTES},
         place, group);
    transfer_stamp(party, context->posted);
}

uint64_t transfer_atomic(struct party *party, int64_t place, int64_t group,
                         struct transfer_signals signals, int64_t index, enum atomic_op op,
                         uint64_t operand, uint64_t compare)
{
    uint64_t old = device_atomic(context_of(party), device_node(party, place),
                                 device_signal_at(party, signals.number, place, group, index), op,
                                 operand, compare);
    tell(party, (struct observed_call){.kind = CALL_WORDS}, 0, 0);
    has_waited(party);
    return old;
}

/* --- what observers hear of calls; those of ranks are told by their runtime ----------------------- */

void transfer_tell_parties(const struct world *world)
{
    const struct world_setup *setup = &world->setup;
    const struct observe *observe = &world_sim(world)->observe;
    int64_t parties = setup->place_count * setup->groups;
    if (!observe_wants_calls(observe))
        return;
    int gpus = topology_gpu_count(&world_cluster(world)->spec->node);
    observe_call(observe, &(struct observed_call){
                              .kind = CALL_OPEN, .channel = world->ops->is_kernel, .bytes = gpus});
    for (int64_t number = 0; number < parties; number++) {
        const struct job_place *place = &setup->places[number / setup->groups];
        observe_call(observe,
                     &(struct observed_call){.kind = CALL_BEGIN,
                                             .actor = (uint32_t)number,
                                             .peer = (uint32_t)place->node,
                                             .channel = place->gpu,
                                             .bytes = world->ops->is_kernel ? setup->groups : 1});
    }
}

#define NOT_TOLD (-1)

sim_time transfer_told_from(const struct party *party)
{
    bool is_told =
        party->world->ops->is_kernel && observe_wants_calls(&world_sim(party->world)->observe);
    return is_told ? party_now(party) : NOT_TOLD;
}

static uint32_t number_of(const struct party *party, int64_t place, int64_t group)
{
    return (uint32_t)(place * party->world->setup.groups + group);
}

void transfer_tell(const struct party *party, sim_time from_ps, struct observed_call call,
                   int64_t place, int64_t group)
{
    if (from_ps == NOT_TOLD)
        return;
    call.actor = number_of(party, party->place, party->group);
    call.peer = number_of(party, place, group);
    call.from_ps = from_ps;
    call.to_ps = party_now(party);
    observe_call(&world_sim(party->world)->observe, &call);
}
