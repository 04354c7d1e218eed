/* SPDX-License-Identifier: BSD-3-Clause */
/* All to all: every party sends `messages` to the party of its number at every other place, and waits for all that
 * it is sent, in rounds. With one message a peer it is a small all-to-all; with many, in many groups, it has the
 * shape of a dispatch of tokens to experts. */
#include <glib.h>

#include "core/error.h"
#include "workloads/transfer.h"
#include "workloads/workload.h"

struct all_to_all_spec {
    struct design design;
    int64_t nodes, groups, messages, bytes, repeats;
};

#define SPEC struct all_to_all_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL, "The design that carries the messages."),
    PARAM_COUNT(nodes, SPEC, "16", "2", "4096", "Nodes that take part, with their first GPU."),
    PARAM_COUNT(groups, SPEC, "1", "1", "1024",
                "Parties of a node: work-groups of its kernel, or ranks."),
    PARAM_COUNT(messages, SPEC, "1", "1", "4096", "Messages of a party to each peer."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "64B", "1B", "1GiB", NULL,
     "Bytes of a message.", NULL},
    PARAM_COUNT(repeats, SPEC, "2", "1", "100000",
                "Rounds that are measured, after one that is not."),
};
#undef SPEC
static PARAM_TABLE(all_to_all_params, "all_to_all", struct all_to_all_spec, params,
                   "Every party sends to all others and waits for what they send.");

struct all_run {
    const struct all_to_all_spec *spec;
    struct transfer_buffer buffer;
    sim_time first_ps, last_ps; /* of all parties: the measured rounds */
};

/* Peers in an order of each party's own, so that not all send to one at a time. */
static int64_t peer_of(const struct party *party, const struct all_to_all_spec *spec, int64_t step)
{
    return (party->place + step) % spec->nodes;
}

static void exchange(struct party *party, const struct all_run *run, struct message *messages)
{
    const struct all_to_all_spec *spec = run->spec;
    size_t count = 0;
    for (int64_t i = 0; i < spec->messages; i++)
        for (int64_t step = 1; step < spec->nodes; step++)
            transfer_receive(party, &messages[count++], peer_of(party, spec, spec->nodes - step),
                             party->group, 0, run->buffer, spec->bytes);
    for (int64_t i = 0; i < spec->messages; i++)
        for (int64_t step = 1; step < spec->nodes; step++)
            transfer_send(party, &messages[count++], peer_of(party, spec, step), party->group, 0,
                          run->buffer, spec->bytes);
    transfer_wait(party, messages, count);
}

static void program(struct party *party, void *argument)
{
    struct all_run *run = argument;
    const struct all_to_all_spec *spec = run->spec;
    gsize most = (gsize)(2 * spec->messages * (spec->nodes - 1));
    struct message *messages = g_new0(struct message, most);
    exchange(party, run, messages);
    transfer_barrier(party);
    run->first_ps = MIN(run->first_ps, party_now(party));
    for (int64_t i = 0; i < spec->repeats; i++) {
        exchange(party, run, messages);
        transfer_barrier(party);
    }
    run->last_ps = MAX(run->last_ps, party_now(party));
    g_free(messages);
}

static bool run_all_to_all(const struct machine_spec *machine, const void *argument, uint64_t seed,
                           struct workload_result *result, GError **error)
{
    const struct all_to_all_spec *spec = argument;
    g_autofree struct job_place *places = g_new0(struct job_place, (gsize)spec->nodes);
    for (int64_t i = 0; i < spec->nodes; i++)
        places[i].node = i;
    struct world_setup setup = {.design = &spec->design,
                                .seed = seed,
                                .places = places,
                                .place_count = spec->nodes,
                                .groups = spec->groups,
                                .threads = machine->gpu.lanes,
                                .served_places = spec->nodes,
                                .is_cooperative = true,
                                .heap_bytes = transfer_heap_bytes(spec->groups, spec->bytes),
                                .has_channels = true,
                                .has_barrier = true};
    struct world *world = world_new(machine, &setup, error);
    if (world == NULL)
        return false;
    struct all_run run = {spec, world_buffer(world, spec->bytes, TRANSFER_PAYLOAD), SIM_TIME_MAX,
                          0};
    g_autofree void **arguments = g_new(void *, (gsize)spec->nodes);
    for (int64_t i = 0; i < spec->nodes; i++)
        arguments[i] = &run;
    bool good = world_run(world, program, arguments, error);
    if (good) {
        workload_add_quantity(result, "round", UNIT_TIME,
                              (run.last_ps - run.first_ps) / spec->repeats);
        world_report_energy(world, result);
        world_report(world, result);
    }
    world_free(world);
    return good;
}

const struct workload all_to_all_workload = {
    .name = "all_to_all",
    .description = "Every party sends to all others and waits for what they send.",
    .params = &all_to_all_params,
    .accepts = transfer_accepts,
    .run = run_all_to_all,
};
