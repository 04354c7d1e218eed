/* Ping-pong: the first rank sends and waits for the answer, the second answers. The latency is
 * half the round trip, mean over the iterations (ParCo22 section 4.2.1). Calls are blocking, as
 * MPI_Send and MPI_Recv. */
#include "workloads/osu.h"

#define SPEC struct osu_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL, "The design: who starts and serves transfers, and how GPU data travel."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), NULL, "1B", "1GiB", NULL,
     "Size of a message.", NULL},
    PARAM_ENUM(placement, SPEC, "intra-socket", osu_placement_names, "Where the two ranks are."),
    PARAM_ENUM(buffers, SPEC, "device", osu_buffers_names, "Memory of the messages."),
    PARAM_COUNT(warmup, SPEC, "10", "0", "1000000", "Iterations before those that count."),
    PARAM_COUNT(iterations, SPEC, "0", "0", "1000000",
                "Iterations that count; 0: 1000 up to 8 KiB, else 100."),
    PARAM_FLAG(exact, SPEC, "false", "Simulate every iteration, also when they repeat themselves."),
};
#undef SPEC
static PARAM_TABLE(osu_latency_params, "osu_latency", struct osu_spec, params,
                   "OSU latency: ping-pong between two ranks.");

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

static void report(const struct osu_spec *spec, const int64_t *pair_ps, int64_t iterations,
                   struct workload_result *result)
{
    (void)spec;
    workload_add_quantity(result, "latency", UNIT_TIME, (*pair_ps + iterations) / (2 * iterations));
}

static bool run(const struct machine_spec *machine, const void *argument, uint64_t seed,
                struct workload_result *result, GError **error)
{
    static const struct osu_test test = {iterate, messages, report};
    struct osu_spec spec = *(const struct osu_spec *)argument;
    spec.window = spec.pairs = 1;
    return osu_run(&test, machine, &spec, seed, result, error);
}

const struct workload osu_latency_workload = {
    .name = "osu_latency",
    .description = "OSU latency: ping-pong between two ranks.",
    .params = &osu_latency_params,
    .accepts = transfer_accepts,
    .run = run,
};
