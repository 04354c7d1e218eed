/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of transfer.h that are only for work-groups. Ranks are refused here, in one place. */
#include "workloads/transfer/transfer_device.h"

bool world_has_words(const struct world *world)
{
    return world->ops->is_kernel;
}

static const struct device_world *kernel_of(const struct world *world)
{
    check_release(world_has_words(world), "a rank's signals are messages, and its peers' programs "
                                          "serve it: words and posts are for work-groups");
    return world->own;
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
    const struct device_world *kernel = kernel_of(world);
    for (int64_t i = 0; i < kernel->service_count; i++)
        service_settle(kernel->services[i]);
}

struct process *party_process(const struct party *party)
{
    return context_of(party)->agent.process;
}

/* Tells observers that the party loads or changes words that are no signals. */
static void tell_words(const struct party *party)
{
    transfer_tell(party, transfer_told_from(party), CALL_WORDS, NULL, NULL);
}

/* --- posts that quiet waits for ----------------------------------------------------------------- */

/* Tells observers of `count` calls that were posted. */
static void have_posted(struct party *party, enum observed_call_kind kind,
                        const struct party_call *what, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        transfer_tell(party, transfer_told_from(party), kind, what, NULL);
    transfer_stamp(party, device_context_of(party)->posted);
}

static void has_posted_signal(struct party *party, const struct party_call *what)
{
    transfer_tell_signal(party, transfer_told_from(party), CALL_SEND, what, NULL);
    transfer_stamp(party, device_context_of(party)->posted);
}

static void post(struct party *party, device_call *call, const struct party_call *what,
                 enum observed_call_kind kind)
{
    struct device_context *context = context_of(party);
    struct device_transfer way = device_way(party, what);
    call(context, &way);
    have_posted(party, kind, what, 1);
}

void transfer_post_get(struct party *party, const struct party_call *what)
{
    post(party, device_get_nbi, what, CALL_GET);
}

void transfer_post_put(struct party *party, const struct party_call *what)
{
    post(party, device_put_nbi, what, CALL_PUT);
}

void transfer_post_put_lanes(struct party *party, const struct party_call *what)
{
    struct device_context *context = context_of(party);
    struct device_transfer way = device_way(party, what);
    device_put_lanes_nbi(context, &way, what->lanes);
    have_posted(party, CALL_PUT, what, what->lanes);
}

void transfer_post_put_signal(struct party *party, const struct party_call *what)
{
    struct device_context *context = context_of(party);
    struct device_transfer way = device_way(party, what);
    way.signal = device_signal_there(party, what);
    way.value = (uint64_t)what->value;
    device_put_signal_nbi(context, &way);
    has_posted_signal(party, what);
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

uint64_t transfer_load_word(struct party *party, const struct party_call *what)
{
    struct agent *agent = &context_of(party)->agent;
    tell_words(party);
    agent_acquire(agent, SCOPE_SYSTEM);
    return agent_load_word(agent, device_signal_here(party, what));
}

void transfer_store_word(struct party *party, const struct party_call *what)
{
    struct agent *agent = &context_of(party)->agent;
    tell_words(party);
    agent_store_word(agent, device_signal_here(party, what), (uint64_t)what->value);
    agent_release(agent, SCOPE_SYSTEM);
}

/* A transfer of the word at the other party's signal. */
static struct device_transfer way_of_word(const struct party *party, const struct party_call *what)
{
    return (struct device_transfer){.node = device_node(party, what->place),
                                    .remote = device_signal_there(party, what),
                                    .value = (uint64_t)what->value};
}

void transfer_put_word(struct party *party, const struct party_call *what)
{
    struct device_context *context = context_of(party);
    struct device_transfer way = way_of_word(party, what);
    tell_words(party);
    way.bytes = sizeof way.value - 1;
    device_p(context, &way);
    has_waited(party);
}

void transfer_set_signal(struct party *party, const struct party_call *what)
{
    struct device_context *context = context_of(party);
    struct device_transfer way = way_of_word(party, what);
    struct party_call told = *what;
    told.bytes = TRANSFER_SIGNAL_BYTES;
    device_begin_set(party, way.remote, what->place, way.value);
    device_set_nbi(context, &way);
    context->operation = 0;
    has_posted_signal(party, &told);
}

uint64_t transfer_atomic(struct party *party, const struct party_call *what)
{
    uint64_t old = device_atomic(context_of(party), device_node(party, what->place),
                                 device_signal_there(party, what), what->op, (uint64_t)what->value,
                                 (uint64_t)what->compare);
    tell_words(party);
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

void transfer_tell(const struct party *party, sim_time from_ps, enum observed_call_kind kind,
                   const struct party_call *what, const void *handle)
{
    struct observed_call call = {.kind = kind, .handle = handle, .from_ps = from_ps};
    if (from_ps == NOT_TOLD)
        return;
    call.actor = device_actor(party, party->place, party->group);
    call.to_ps = party_now(party);
    if (what != NULL) {
        call.peer = device_actor(party, what->place, what->group);
        call.channel = what->channel;
        call.bytes = what->bytes;
    }
    observe_call(&world_sim(party->world)->observe, &call);
}

void transfer_tell_signal(const struct party *party, sim_time from_ps, enum observed_call_kind kind,
                          const struct party_call *what, const void *handle)
{
    if (from_ps == NOT_TOLD)
        return;
    struct party_call told = *what;
    told.channel = ((int64_t)what->signals.number + 1) << 32 | what->index;
    transfer_tell(party, from_ps, kind, &told, handle);
}
