/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong of one rank with several of another node: blocking sends to each in turn, then their answers in turn; the others
 * receive and answer. BenchPress measures it as several messages at a time (mult_pong): half the round trip of all. */
#include <glib.h>
#include <stdio.h>

#include "core/error.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

enum { CHANNEL };
#define THREADS 64 /* work-items of a work-group that is a party */

struct fan_spec {
    struct design design;
    int64_t bytes, partners, warmup, iterations;
};

#define SPEC struct fan_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL,
                 "The design: who starts and serves transfers, and how GPU data travel."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), NULL, "1B", "1GiB", NULL,
     "Size of a message.", NULL},
    PARAM_COUNT(partners, SPEC, "2", "1", "1024",
                "Ranks that play ping-pong with the first one, each on a GPU of another node."),
    PARAM_COUNT(warmup, SPEC, "10", "0", "1000000", "Warm-up iterations that are not measured."),
    PARAM_COUNT(iterations, SPEC, "20", "1", "1000000", "Measured iterations."),
};
#undef SPEC
static PARAM_TABLE(fan_params, "ping_pong_fan", struct fan_spec, params,
                   "Ping-pong of one rank with several of another node.");

struct fan {
    const struct fan_spec *spec;
    struct transfer_buffer buffer;
    sim_time took_ps;
    struct stat_units units; /* of iterations, halved */
};

static void send(const struct fan *fan, struct party *party, int64_t place)
{
    struct message message;
    transfer_send(party, &message, place, 0, CHANNEL, fan->buffer, fan->spec->bytes);
    transfer_wait(party, &message, 1);
}

static void receive(const struct fan *fan, struct party *party, int64_t place)
{
    struct message message;
    transfer_receive(party, &message, place, 0, CHANNEL, fan->buffer, fan->spec->bytes);
    transfer_wait(party, &message, 1);
}

static void play(const struct fan *fan, struct party *party)
{
    if (party->place > 0) {
        receive(fan, party, 0);
        send(fan, party, 0);
        return;
    }
    for (int64_t place = 1; place <= fan->spec->partners; place++)
        send(fan, party, place);
    for (int64_t place = 1; place <= fan->spec->partners; place++)
        receive(fan, party, place);
}

static void program(struct party *party, void *argument)
{
    struct fan *fan = argument;
    sim_time start_ps = 0;
    for (int64_t i = 0; i < fan->spec->warmup + fan->spec->iterations; i++) {
        sim_time begun_ps = party_now(party);
        if (i == fan->spec->warmup)
            start_ps = begun_ps;
        if (party->place == 0 && i == fan->spec->warmup)
            world_measures_from(party->world, start_ps);
        play(fan, party);
        if (party->place == 0 && i >= fan->spec->warmup)
            stat_unit(&fan->units, (double)(party_now(party) - begun_ps) / 2);
    }
    if (party->place > 0)
        return;
    fan->took_ps = party_now(party) - start_ps;
    world_measures_to(party->world, party_now(party));
}

static bool has_room(const struct fan_spec *spec, const struct machine_spec *machine,
                     GError **error)
{
    int64_t gpus = machine->node.sockets * machine->node.gpus_per_socket;
    bool fits = machine->nodes >= 2 && spec->partners <= gpus;
    if (!fits)
        error_set(
            error,
            "%lld partners take a second node with a GPU for each; there %s %lld node%s of %lld GPUs",
            (long long)spec->partners, machine->nodes == 1 ? "is" : "are",
            (long long)machine->nodes, machine->nodes == 1 ? "" : "s", (long long)gpus);
    return fits;
}

static void prepare(void *argument, struct world *world)
{
    struct fan *fan = argument;
    fan->buffer = world_buffer(world, fan->spec->bytes, TRANSFER_PAYLOAD);
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct fan *fan = argument;
    int64_t times = 2 * fan->spec->iterations;
    workload_add_mean_time(result, "latency", (fan->took_ps + times / 2) / times, &fan->units);
    world_report(world, (double)times, result);
}

static bool run(const struct machine_spec *machine, const void *argument, uint64_t seed,
                struct workload_result *result, GError **error)
{
    static const struct world_task task = {prepare, program, report};
    struct fan fan = {.spec = argument};
    const struct fan_spec *spec = fan.spec;
    g_autofree struct job_place *places = g_new0(struct job_place, (gsize)spec->partners + 1);
    for (int64_t i = 1; i <= spec->partners; i++)
        places[i] = (struct job_place){.node = 1, .gpu = (int32_t)(i - 1)};
    struct world_setup setup = {.design = &spec->design,
                                .seed = seed,
                                .places = places,
                                .place_count = spec->partners + 1,
                                .threads = THREADS,
                                .heap_bytes = transfer_heap_bytes(1, spec->bytes),
                                .has_channels = true};
    double messages = 2.0 * (double)spec->partners * (double)(spec->warmup + spec->iterations);
    return has_room(spec, machine, error) &&
           machine_can_carry(machine, messages * (double)spec->bytes, error) &&
           world_run_alone(machine, &setup, &task, &fan, result, error);
}

const struct workload ping_pong_fan_workload = {
    .name = "ping_pong_fan",
    .params = &fan_params,
    .accepts = transfer_accepts,
    .run = run,
};
