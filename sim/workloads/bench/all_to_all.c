/* SPDX-License-Identifier: BSD-3-Clause */
/* All to all: every party sends `messages` to the party of its number at every other place, and waits for all that
 * it is sent, in rounds. With one message a peer it is a small all-to-all; with many, in many groups, it has the
 * shape of a dispatch of tokens to experts. With sharing = peers the parties of a GPU share out its peers, as the lanes of
 * a block do in NVSHMEM's alltoall (src/include/non_abi/device/coll/alltoall.cuh): each sends to those of other nodes
 * that are its own, and the first party, all of its work-items together, copies to all of its own node. */
#include <glib.h>

#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

enum sharing { SHARE_NOTHING, SHARE_PEERS };
static const char *const sharing_names[] = {"nothing", "peers", NULL};

struct all_to_all_spec {
    struct shared_places places;
    int64_t groups, sharing, threads, messages, bytes, repeats, timed_by;
};

#define SPEC struct all_to_all_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "nodes=16", ""),
    PARAM_COUNT(groups, SPEC, "1", "1", "1024",
                "Parties of a GPU: work-groups of its kernel, or ranks."),
    PARAM_ENUM(sharing, SPEC, "nothing", sharing_names,
               "Every party sends to the party with its number at every other GPU; or the "
               "parties divide the GPUs of other nodes among themselves, and the first party "
               "sends to the GPUs of its own node."),
    PARAM_COUNT(threads, SPEC, "0", "0", "1024",
                "Work-items of a work-group; 0: those of one wavefront."),
    PARAM_COUNT(messages, SPEC, "1", "1", "4096", "Messages of a party to each peer."),
    SHARED_ROW(bytes, SPEC, "64B"),
    PARAM_COUNT(repeats, SPEC, "2", "1", "100000",
                "Measured rounds, after one that is not measured."),
    PARAM_ENUM(
        timed_by, SPEC, "kernel", timed_by_names,
        "The time of an exchange is measured by its work-groups, or by two events of a stream around a kernel, "
        "which include its launch and end (cuda.timed_kernel)."),
};
#undef SPEC
static PARAM_TABLE_SHARING(all_to_all_params, "all_to_all", struct all_to_all_spec, params,
                           "Every party sends to all others and waits for what they send.");

struct all_run {
    const struct all_to_all_spec *spec;
    struct transfer_buffer buffer;
    int64_t places;
    struct stat_units units;    /* rounds, of one party */
    sim_time first_ps, last_ps; /* of all parties: the measured rounds */
    sim_time *exchange_ps;      /* by measured round: of the parties of place 0 */
};

/* Whether what `from` sends to `to` goes by the parties of a number. */
static bool is_of_group(const struct all_run *run, int64_t from, int64_t to, int64_t group)
{
    const struct all_to_all_spec *spec = run->spec;
    if (spec->sharing == SHARE_NOTHING)
        return true;
    bool is_near = from / spec->places.gpus_per_node == to / spec->places.gpus_per_node;
    return (is_near ? 0 : (from + to) % spec->groups) == group;
}

/* One message with every peer of the party, in an order of each party's own, so that not all send to one at a time. */
static size_t post(const struct all_run *run, struct party *party, bool is_send,
                   struct message *messages)
{
    size_t count = 0;
    for (int64_t step = 1; step < run->places; step++) {
        int64_t distance = is_send ? step : run->places - step;
        int64_t peer = (party->place + distance) % run->places;
        if (!is_of_group(run, party->place, peer, party->group))
            continue;
        (is_send ? transfer_send : transfer_receive)(party, &messages[count++], peer, party->group,
                                                     0, run->buffer, run->spec->bytes);
    }
    return count;
}

static void exchange(struct party *party, const struct all_run *run, struct message *messages)
{
    size_t count = 0;
    for (int is_send = 0; is_send < 2; is_send++)
        for (int64_t i = 0; i < run->spec->messages; i++)
            count += post(run, party, is_send, messages + count);
    transfer_wait(party, messages, count);
}

/* Between rounds: those who share out the peers are of one block. */
static void meet(const struct all_run *run, struct party *party)
{
    transfer_begin_repeat(party, run->spec->sharing == SHARE_PEERS);
}

static void program(struct party *party, void *argument)
{
    struct all_run *run = argument;
    const struct all_to_all_spec *spec = run->spec;
    gsize most = (gsize)(2 * spec->messages * (run->places - 1));
    struct message *messages = g_new0(struct message, most);
    exchange(party, run, messages);
    meet(run, party);
    run->first_ps = MIN(run->first_ps, party_now(party));
    bool is_timed = party->place == 0 && party->group == 0;
    if (is_timed)
        world_measures_from(party->world, party_now(party));
    for (int64_t i = 0; i < spec->repeats; i++) {
        sim_time start_ps = party_now(party);
        if (is_timed)
            stat_unit_ends(&run->units, start_ps);
        exchange(party, run, messages);
        if (party->place == 0)
            run->exchange_ps[i] = MAX(run->exchange_ps[i], party_now(party) - start_ps);
        meet(run, party);
    }
    if (is_timed) {
        stat_unit_ends(&run->units, party_now(party));
        world_measures_to(party->world, party_now(party));
    }
    run->last_ps = MAX(run->last_ps, party_now(party));
    g_free(messages);
}

static void prepare(void *argument, struct world *world)
{
    struct all_run *run = argument;
    run->buffer = world_buffer(world, run->spec->bytes, TRANSFER_PAYLOAD);
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct all_run *run = argument;
    int64_t repeats = run->spec->repeats;
    sim_time events_ps = transfer_seen_by_events_ps(world, run->spec->timed_by);
    sim_time exchange_ps = events_ps;
    struct stat_units exchanges = {.count = 0};
    for (int64_t i = 0; i < repeats; i++) {
        exchange_ps += run->exchange_ps[i] / repeats;
        stat_unit(&exchanges, (double)run->exchange_ps[i]);
    }
    workload_add_mean_time(result, "round", (run->last_ps - run->first_ps) / repeats + events_ps,
                           &run->units);
    workload_add_mean_time(result, "exchange", exchange_ps, &exchanges);
    world_report(world, (double)repeats, result);
}

static bool run_all_to_all(const struct machine_spec *machine, const void *argument, uint64_t seed,
                           struct workload_result *result, GError **error)
{
    static const struct world_task task = {prepare, program, report};
    const struct all_to_all_spec *spec = argument;
    int64_t count = spec->places.nodes * spec->places.gpus_per_node;
    if (!machine_kinds_share(machine, &gpu_params, "lanes", "all_to_all", error) ||
        !transfer_can_be_timed(&spec->places.design, spec->timed_by, error))
        return false;
    g_autofree struct job_place *places =
        world_places(machine, spec->places.nodes, spec->places.gpus_per_node, error);
    g_autofree sim_time *exchange_ps = g_new0(sim_time, (gsize)spec->repeats);
    struct world_setup setup = {.design = &spec->places.design,
                                .seed = seed,
                                .places = places,
                                .place_count = count,
                                .groups = spec->groups,
                                .threads = spec->threads > 0 ? spec->threads : machine->gpu.lanes,
                                .is_cooperative = true,
                                .heap_bytes = transfer_heap_bytes(spec->groups, spec->bytes),
                                .has_channels = true,
                                .has_barrier = true};
    struct all_run run = {
        .spec = spec, .places = count, .first_ps = SIM_TIME_MAX, .exchange_ps = exchange_ps};
    return places != NULL && world_run_alone(machine, &setup, &task, &run, result, error);
}

const struct workload all_to_all_workload = {
    .name = "all_to_all",
    .params = &all_to_all_params,
    .accepts = transfer_accepts,
    .run = run_all_to_all,
};
