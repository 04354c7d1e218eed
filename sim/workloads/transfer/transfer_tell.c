/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells observers of work-groups' calls, and where all parties are. Ranks' calls are told by their runtime. */
#include "workloads/transfer/transfer_parts.h"

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
