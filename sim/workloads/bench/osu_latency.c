/* SPDX-License-Identifier: BSD-3-Clause */
/* Ping-pong: the first rank sends and waits for the answer, the second answers. The latency is
 * half the round trip, mean over the iterations (ParCo22 section 4.2.1), and over the pairs where several play at a
 * time (osu_multi_lat). Calls are blocking, as MPI_Send and MPI_Recv. */
#include "workloads/bench/osu.h"

#define SPEC struct osu_spec
#define COMMON_PARAMS(placement_text)                                                              \
    PARAM_DESIGN(SPEC, NULL,                                                                       \
                 "The design: who starts and serves transfers, and how GPU data travel."),         \
        {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), NULL,                         \
         "1B",    "1GiB",         NULL,       "Size of a message.",  NULL},                        \
        PARAM_ENUM(placement, SPEC, "intra-socket", osu_placement_names, placement_text),          \
        PARAM_ENUM(buffers, SPEC, "device", osu_buffers_names, "Memory of the messages."),         \
        OSU_PEER_SERVER,                                                                           \
        PARAM_COUNT(warmup, SPEC, "10", "0", "1000000",                                            \
                    "Warm-up iterations that are not measured."),                                  \
        PARAM_COUNT(iterations, SPEC, "0", "0", "1000000",                                         \
                    "Measured iterations; 0: 1000 up to 8 KiB, else 100."),                        \
        PARAM_FLAG(exact, SPEC, "false", "Simulate every iteration, even if they repeat.")

static const struct param params[] = {COMMON_PARAMS("Where the two ranks are.")};
static const struct param pair_params[] = {
    COMMON_PARAMS("Where the two ranks of a pair are."),
    PARAM_COUNT(pairs, SPEC, "2", "1", "65536",
                "Pairs of ranks that play ping-pong at the same time."),
};
#undef SPEC
static PARAM_TABLE(osu_latency_params, "osu_latency", struct osu_spec, params,
                   "OSU latency: ping-pong between two ranks.");
static PARAM_TABLE(osu_multi_latency_params, "osu_multi_latency", struct osu_spec, pair_params,
                   "OSU multiple latency: ping-pong between several pairs at a time.");

static void send(const struct osu_spec *spec, struct osu_rank *rank)
{
    transfer_send(rank->party, rank->messages, rank->partner->place, 0, OSU_CHANNEL, rank->send,
                  spec->bytes);
    transfer_wait(rank->party, rank->messages, 1);
}

static void receive(const struct osu_spec *spec, struct osu_rank *rank)
{
    transfer_receive(rank->party, rank->messages, rank->partner->place, 0, OSU_CHANNEL,
                     rank->receive, spec->bytes);
    transfer_wait(rank->party, rank->messages, 1);
}

static void iterate(const struct osu_spec *spec, struct osu_rank *rank)
{
    if (rank->is_first)
        send(spec, rank);
    receive(spec, rank);
    if (!rank->is_first)
        send(spec, rank);
}

static int64_t messages(const struct osu_spec *spec)
{
    (void)spec;
    return 2;
}

/* Mean over the pairs. */
static void report(const struct osu_spec *spec, const struct osu_times *times,
                   struct workload_result *result)
{
    int64_t sum_ps = 0, ways = 2 * times->iterations * spec->pairs;
    for (int64_t i = 0; i < spec->pairs; i++)
        sum_ps += times->pair_ps[i];
    workload_add_mean_time(result, "latency", (sum_ps + ways / 2) / ways, &times->units);
}

static bool run_pairs(const struct machine_spec *machine, const void *argument, uint64_t seed,
                      struct workload_result *result, GError **error)
{
    static const struct osu_test test = {iterate, messages, report};
    struct osu_spec spec = *(const struct osu_spec *)argument;
    spec.window = 1;
    return osu_run(&test, machine, &spec, seed, result, error);
}

static bool run(const struct machine_spec *machine, const void *argument, uint64_t seed,
                struct workload_result *result, GError **error)
{
    struct osu_spec spec = *(const struct osu_spec *)argument;
    spec.pairs = 1;
    return run_pairs(machine, &spec, seed, result, error);
}

const struct workload osu_latency_workload = {
    .name = "osu_latency",
    .description = "OSU latency: ping-pong between two ranks.",
    .params = &osu_latency_params,
    .accepts = transfer_accepts,
    .run = run,
};

const struct workload osu_multi_latency_workload = {
    .name = "osu_multi_latency",
    .description = "OSU multiple latency: ping-pong between several pairs at a time.",
    .params = &osu_multi_latency_params,
    .accepts = transfer_accepts,
    .run = run_pairs,
};
