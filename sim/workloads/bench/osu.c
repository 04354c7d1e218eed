/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of the OSU micro-benchmarks. Each pair runs its iterations by itself; the first party of a pair notes the totals
 * (its clock; for ranks also the world's totals of both) after each counted iteration. One more iteration follows, so that the
 * second party's progress in the next iteration, when the totals are noted, is the same after the last iteration as after the
 * others.
 *
 * When all pairs of ranks repeat, the rest is extrapolated: each pair ends after the iterations that its ranks may have begun. A
 * second rank is never two iterations ahead, since it cannot end one without the first rank's messages. In a world without totals
 * (work-groups poll, and do not repeat exactly) every iteration is simulated. */
#include "workloads/bench/osu.h"

#include "core/error.h"
#include "protocols/shmem/software.h"

#define LARGE_MESSAGE_BYTES 8192
#define OSU_THREADS 64 /* work-items of a party's work-group */

struct osu_pair {
    struct osu *osu;
    struct osu_rank ranks[2];
    struct steady *steady;
    int64_t stop;      /* the first iteration that does not run */
    sim_time ended_ps; /* end of its last counted iteration, or of the warm-up */
};

struct osu {
    const struct osu_test *test;
    const struct osu_spec *spec;
    struct world *world;
    struct osu_pair *pairs;
    int64_t *numbers; /* place to gather totals and levels */
    struct osu_times times;
    bool is_exact;      /* every iteration is simulated (software.exact) */
    bool is_counted_on; /* all pairs repeat, and the rest is extrapolated */
    /* ring buffer of readings after the first pair's last iterations */
    struct run_energy readings[OSU_STEADY_PERIODS + 1];
};

/* A pair's totals: the first party's clock, then the world's totals of the pair; the world's levels follow. */
#define TOTAL_CLOCK 0
#define TOTALS_OF_WORLD 1

int64_t osu_iterations(const struct osu_spec *spec)
{
    if (spec->iterations > 0)
        return spec->iterations;
    return spec->bytes > LARGE_MESSAGE_BYTES ? 100 : 1000;
}

int64_t osu_reply_bytes(const struct osu_spec *spec)
{
    return spec->reply == OSU_FULL_REPLY ? spec->bytes : OSU_REPLY_BYTES;
}

/* --- totals ----------------------------------------------------------------------------------- */

static size_t totals_of(const struct osu *osu)
{
    return TOTALS_OF_WORLD + world_totals(osu->world).totals;
}

static void gather(const struct osu_pair *pair, int64_t *numbers)
{
    const int64_t places[] = {pair->ranks[0].place, pair->ranks[1].place};
    numbers[TOTAL_CLOCK] = party_now(pair->ranks[0].party);
    world_gather(pair->osu->world, places, numbers + TOTALS_OF_WORLD);
}

/* If all pairs repeat, lets them end. */
static void count_on(struct osu *osu)
{
    for (int64_t i = 0; i < osu->spec->pairs; i++) {
        if (steady_period(osu->pairs[i].steady) == 0)
            return;
    }
    osu->is_counted_on = true;
    for (int64_t i = 0; i < osu->spec->pairs; i++) {
        struct osu_pair *pair = &osu->pairs[i];
        int64_t begun = osu->spec->warmup + steady_iterations(pair->steady) + 1;
        pair->stop = MIN(pair->stop, begun + 1);
    }
}

/* Notes a pair's time after `counted` counted iterations. */
static void note_time(struct osu_pair *pair, int64_t counted)
{
    struct osu *osu = pair->osu;
    double took_ps = (double)(osu->numbers[TOTAL_CLOCK] - pair->ended_ps);
    if (counted > 0)
        stat_unit(&osu->times.units, took_ps / (double)osu->test->messages);
    pair->ended_ps = osu->numbers[TOTAL_CLOCK];
}

/* Notes the energy, which is that of the first pair's counted iterations. */
static void note_energy(struct osu *osu, int64_t counted)
{
    if (counted == 0)
        run_energy_begins(world_cluster(osu->world), osu->numbers[TOTAL_CLOCK]);
    osu->readings[counted % (OSU_STEADY_PERIODS + 1)] =
        *run_energy_ends(world_cluster(osu->world), osu->numbers[TOTAL_CLOCK]);
}

/* Makes the notes after `ended` iterations, if they count. */
static void note(struct osu_pair *pair, int64_t ended)
{
    struct osu *osu = pair->osu;
    if (ended < osu->spec->warmup || ended > osu->spec->warmup + osu_iterations(osu->spec) ||
        osu->is_counted_on)
        return;
    gather(pair, osu->numbers);
    note_time(pair, ended - osu->spec->warmup);
    if (pair == osu->pairs)
        note_energy(osu, ended - osu->spec->warmup);
    steady_note(pair->steady, osu->numbers);
    if (!osu->is_exact && world_totals(osu->world).totals > 0 &&
        !observe_wants_operations(&world_sim(osu->world)->observe))
        count_on(osu);
}

/* Tells observers which messages count: those of the first pair's counted iterations. */
static void note_measured(const struct osu_pair *pair, int64_t iteration)
{
    struct osu *osu = pair->osu;
    int64_t counted = iteration - osu->spec->warmup;
    if (pair == osu->pairs)
        world_sim(osu->world)->observe.is_warmup =
            counted < 0 || counted >= osu_iterations(osu->spec);
}

static void program(struct party *party, void *argument)
{
    struct osu_rank *rank = argument;
    struct osu_pair *pair = rank->pair;
    struct osu *osu = pair->osu;
    rank->party = party;
    for (int64_t i = 0; i < pair->stop; i++) {
        if (rank->is_first)
            note_measured(pair, i);
        if (rank->is_first)
            note(pair, i);
        osu->test->iterate(osu->spec, rank);
    }
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* Messages and replies lie in GPU memory or host memory; a program that stages GPU buffers itself sends a small reply from host
 * memory, since the reply carries no data of the GPU. */
static enum transfer_memory memory_of(const struct osu *osu, bool is_small)
{
    bool is_staged = osu->spec->design.payload == PAYLOAD_STAGED;
    return osu->spec->buffers == OSU_HOST || (is_small && is_staged) ? TRANSFER_HOST
                                                                     : TRANSFER_PAYLOAD;
}

static void make_pairs(struct osu *osu)
{
    const struct osu_spec *spec = osu->spec;
    struct transfer_buffer send = world_buffer(osu->world, spec->bytes, memory_of(osu, false));
    struct transfer_buffer receive = world_buffer(osu->world, spec->bytes, memory_of(osu, false));
    struct transfer_buffer reply = world_buffer(osu->world, osu_reply_bytes(spec),
                                                memory_of(osu, spec->reply == OSU_SMALL_REPLY));
    osu->numbers = g_new0(int64_t, totals_of(osu) + world_totals(osu->world).levels);
    osu->pairs = g_new0(struct osu_pair, (gsize)spec->pairs);
    for (int64_t i = 0; i < spec->pairs; i++) {
        struct osu_pair *pair = &osu->pairs[i];
        pair->osu = osu;
        pair->stop = spec->warmup + osu_iterations(spec) + 1;
        pair->steady = steady_new(totals_of(osu), world_totals(osu->world).levels);
        for (int end = 0; end < 2; end++)
            pair->ranks[end] = (struct osu_rank){
                .pair = pair,
                .partner = &pair->ranks[1 - end],
                .place = end * spec->pairs + i,
                .is_first = end == 0,
                .send = send,
                .receive = receive,
                .reply = reply,
                .messages = g_new0(struct message, 2 * (gsize)spec->window),
            };
    }
}

static void free_pairs(struct osu *osu)
{
    for (int64_t i = 0; i < osu->spec->pairs; i++) {
        steady_free(osu->pairs[i].steady);
        for (int end = 0; end < 2; end++)
            g_free(osu->pairs[i].ranks[end].messages);
    }
    g_free(osu->pairs);
    g_free(osu->numbers);
}

/* --- results ---------------------------------------------------------------------------------- */

/* Iterations that were not simulated use the energy of those of the period before, as in steady_growth. */
static void count_energy_on(struct osu *osu)
{
    const struct steady *steady = osu->pairs->steady;
    int64_t last = steady_iterations(steady), more = osu_iterations(osu->spec) - last;
    int64_t period = steady_period(steady), ring = OSU_STEADY_PERIODS + 1;
    if (more <= 0)
        return;
    const struct run_energy *before = &osu->readings[(last - period) % ring];
    run_energy_again(world_cluster(osu->world), before, &osu->readings[last % ring], more / period);
    run_energy_again(world_cluster(osu->world), before,
                     &osu->readings[(last - period + more % period) % ring], 1);
}

static void report(struct osu *osu, struct workload_result *result)
{
    const struct osu_spec *spec = osu->spec;
    int64_t iterations = osu_iterations(spec), simulated = 0;
    int64_t messages = iterations * osu->test->messages;
    g_autofree int64_t *pair_ps = g_new0(int64_t, (gsize)spec->pairs);
    g_autofree int64_t *sum = g_new0(int64_t, totals_of(osu));
    for (int64_t i = 0; i < spec->pairs; i++) {
        steady_growth(osu->pairs[i].steady, iterations, osu->numbers);
        pair_ps[i] = osu->numbers[TOTAL_CLOCK];
        simulated += steady_iterations(osu->pairs[i].steady);
        for (size_t k = 0; k < totals_of(osu); k++)
            sum[k] += osu->numbers[k];
    }
    osu->times.pair_ps = pair_ps;
    osu->test->report(spec, &osu->times, messages, result);
    world_report_totals(osu->world, sum + TOTALS_OF_WORLD, spec->pairs * messages, result);
    count_energy_on(osu);
    workload_add_quantity(result, "iterations", UNIT_COUNT, iterations);
    workload_add_quantity(result, "iterations_simulated", UNIT_COUNT, simulated / spec->pairs);
    world_report(osu->world, (double)(spec->pairs * messages), result);
}

/* --- places -------------------------------------------------------------------------------------- */

const char *const osu_placement_names[] = {"intra-socket", "cross-socket", "inter-node", NULL};

/* How many pairs fit into one room (a socket, two sockets of a node or two nodes); how many rooms there are. */
struct room {
    int64_t pairs, times;
};

static struct room room_of(int64_t placement, const struct machine_spec *machine)
{
    const struct node_shape *node = &machine->node;
    if (placement == OSU_INTRA_SOCKET)
        return (struct room){node->gpus_per_socket / 2, machine->nodes * node->sockets};
    if (placement == OSU_CROSS_SOCKET)
        return (struct room){node->gpus_per_socket, machine->nodes * (node->sockets / 2)};
    return (struct room){topology_gpu_count(node), machine->nodes / 2};
}

/* Places the two ends of a pair: pair `within` of room `at`. */
static void place_pair(int64_t placement, const struct node_shape *node, int64_t at, int64_t within,
                       struct job_place *first, struct job_place *second)
{
    int64_t per_node = placement == OSU_CROSS_SOCKET ? node->sockets / 2 : node->sockets;
    int64_t gpu = within;
    if (placement == OSU_INTER_NODE) {
        *first = (struct job_place){.node = 2 * at, .gpu = (int32_t)gpu};
        *second = (struct job_place){.node = 2 * at + 1, .gpu = (int32_t)gpu};
        return;
    }
    int64_t socket = at % per_node;
    if (placement == OSU_INTRA_SOCKET)
        gpu = socket * node->gpus_per_socket + 2 * within;
    else
        gpu = 2 * socket * node->gpus_per_socket + within;
    int64_t apart = placement == OSU_INTRA_SOCKET ? 1 : node->gpus_per_socket;
    *first = (struct job_place){.node = at / per_node, .gpu = (int32_t)gpu};
    *second = (struct job_place){.node = at / per_node, .gpu = (int32_t)(gpu + apart)};
}

static bool explain(const struct osu_spec *spec, const struct machine_spec *machine, GError **error)
{
    const struct node_shape *node = &machine->node;
    const char *name = osu_placement_names[spec->placement];
    struct room room = room_of(spec->placement, machine);
    if (room.pairs * room.times > 0)
        return error_set(error,
                         "%lld pairs %s take more GPUs than there are: there is room for %lld",
                         (long long)spec->pairs, name, (long long)(room.pairs * room.times));
    if (spec->placement == OSU_INTER_NODE)
        return error_set(error, "a pair %s takes a machine of at least 2 nodes; it has %lld", name,
                         (long long)machine->nodes);
    if (spec->placement == OSU_CROSS_SOCKET)
        return error_set(error, "a pair %s takes nodes of at least 2 sockets; they have %lld", name,
                         (long long)node->sockets);
    return error_set(
        error,
        "a pair %s takes sockets of at least 2 GPUs; they have %lld (placement = inter-node takes one)",
        name, (long long)node->gpus_per_socket);
}

bool osu_place(const struct osu_spec *spec, const struct machine_spec *machine,
               struct job_place *places, GError **error)
{
    struct room room = room_of(spec->placement, machine);
    if (spec->pairs > room.pairs * room.times)
        return explain(spec, machine, error);
    for (int64_t i = 0; i < spec->pairs; i++)
        place_pair(spec->placement, &machine->node, i / room.pairs, i % room.pairs, &places[i],
                   &places[spec->pairs + i]);
    return true;
}

/* --- running ---------------------------------------------------------------------------------- */

static bool run_pairs(struct osu *osu, struct workload_result *result, GError **error)
{
    int64_t pairs = osu->spec->pairs;
    make_pairs(osu);
    g_autofree void **ranks = g_new(void *, 2 * (gsize)pairs);
    for (int64_t i = 0; i < pairs; i++)
        for (int end = 0; end < 2; end++)
            ranks[end * pairs + i] = &osu->pairs[i].ranks[end];
    bool good = world_run(osu->world, program, ranks, error);
    if (good)
        report(osu, result);
    free_pairs(osu);
    return good;
}

/* Whether the parties have memory of the kind asked for. */
static bool has_buffers(const struct osu_spec *spec, GError **error)
{
    const struct design peer = {.server = spec->peer_server};
    const struct agent_kind *kind = design_server_kind(&spec->design);
    if (spec->buffers != OSU_HOST)
        return true;
    if (kind == NULL || kind->is_on_host)
        kind = design_server_kind(&peer);
    if (spec->design.initiator != INITIATOR_HOST)
        return error_set(
            error,
            "a work-group's messages lie where its design keeps payloads; buffers = host is for "
            "ranks");
    if (kind != NULL && !kind->is_on_host)
        return error_set(
            error, "buffers = host is for ranks on CPU cores; those on a %s have the GPU's memory",
            kind->name);
    return true;
}

bool osu_run(const struct osu_test *test, const struct machine_spec *machine, const void *argument,
             uint64_t seed, struct workload_result *result, GError **error)
{
    struct osu_spec given = *(const struct osu_spec *)argument;
    const struct osu_spec *spec = &given;
    given.window = MAX(given.window, 1);
    g_autofree struct job_place *places = g_new0(struct job_place, 2 * (gsize)spec->pairs);
    g_autofree int64_t *servers = g_new0(int64_t, 2 * (gsize)spec->pairs);
    for (int64_t i = 0; i < spec->pairs; i++)
        servers[spec->pairs + i] = spec->peer_server;
    struct osu osu = {.test = test, .spec = spec};
    struct world_setup setup = {
        .design = &spec->design,
        .seed = seed,
        .places = places,
        .place_count = 2 * spec->pairs,
        .threads = OSU_THREADS,
        .heap_bytes =
            2 * transfer_heap_bytes(1, spec->bytes) + transfer_heap_bytes(1, osu_reply_bytes(spec)),
        .has_channels = true,
        .servers = servers,
    };
    if (!has_buffers(spec, error))
        return false;
    double messages = (double)(spec->warmup + osu_iterations(spec)) *
                      ((double)spec->window + (spec->reply == OSU_FULL_REPLY));
    if (!machine_can_carry(machine, messages * (double)spec->bytes, error) ||
        !osu_place(spec, machine, places, error))
        return false;
    osu.world = world_new(machine, &setup, error);
    osu.is_exact = osu.world != NULL && software_is_exact(machine, world_sim(osu.world));
    bool good = osu.world != NULL && run_pairs(&osu, result, error);
    world_free(osu.world);
    return good;
}
