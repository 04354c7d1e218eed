/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of non-blocking messages (ParCo22 section 4.2.2): the first rank of a pair sends a
 * window and waits for a reply of 4 bytes, or in the test of Charm++'s channels one as long as a message (M-127); the
 * second receives the window and then replies. In the bidirectional test both send and receive a window, which needs no reply. With several pairs
 * (osu_mbw_mr) the rates add up. */
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
        PARAM_COUNT(window, SPEC, "64", "1", "65536", "Messages of an iteration."),                \
        PARAM_COUNT(warmup, SPEC, "10", "0", "1000000",                                            \
                    "Warm-up iterations that are not measured."),                                  \
        PARAM_COUNT(iterations, SPEC, "0", "0", "1000000",                                         \
                    "Measured iterations; 0: 1000 up to 8 KiB, else 100."),                        \
        PARAM_FLAG(exact, SPEC, "false", "Simulate every iteration, even if they repeat.")

#define REPLY_PARAM                                                                                \
    PARAM_ENUM(                                                                                    \
        reply, SPEC, "small", osu_reply_names,                                                     \
        "What ends a window: 4 B, or a message as long as the others, which does not count.")

static const struct param params[] = {COMMON_PARAMS("Where the two ranks are."), REPLY_PARAM};
static const struct param both_params[] = {COMMON_PARAMS("Where the two ranks are.")};
static const struct param pair_params[] = {
    COMMON_PARAMS("Where the two ranks of a pair are."),
    REPLY_PARAM,
    PARAM_COUNT(pairs, SPEC, "2", "1", "65536", "Pairs of ranks that communicate at a time."),
};
#undef SPEC
static PARAM_TABLE(osu_bandwidth_params, "osu_bandwidth", struct osu_spec, params,
                   "OSU bandwidth: windows of messages from one rank to another.");
static PARAM_TABLE(osu_bidirectional_params, "osu_bidirectional", struct osu_spec, both_params,
                   "OSU bidirectional bandwidth: windows of messages both ways at a time.");
static PARAM_TABLE(osu_multi_pair_params, "osu_multi_pair", struct osu_spec, pair_params,
                   "OSU multiple bandwidth and message rate: windows between several pairs.");

/* --- iterations ------------------------------------------------------------------------------- */

static void send_window(const struct osu_spec *spec, struct osu_rank *rank,
                        struct message *messages)
{
    transfer_send_window(rank->party, messages, (size_t)spec->window, rank->partner->place, 0,
                         OSU_CHANNEL, rank->send, spec->bytes);
}

static void receive_window(const struct osu_spec *spec, struct osu_rank *rank,
                           struct message *messages)
{
    for (int64_t i = 0; i < spec->window; i++)
        transfer_receive(rank->party, &messages[i], rank->partner->place, 0, OSU_CHANNEL,
                         rank->receive, spec->bytes);
}

static void iterate_one_way(const struct osu_spec *spec, struct osu_rank *rank)
{
    if (rank->is_first)
        send_window(spec, rank, rank->messages);
    else
        receive_window(spec, rank, rank->messages);
    transfer_wait(rank->party, rank->messages, (size_t)spec->window);
    if (rank->is_first)
        transfer_receive(rank->party, rank->messages, rank->partner->place, 0, OSU_REPLY_CHANNEL,
                         rank->reply, osu_reply_bytes(spec));
    else
        transfer_send(rank->party, rank->messages, rank->partner->place, 0, OSU_REPLY_CHANNEL,
                      rank->reply, osu_reply_bytes(spec));
    transfer_wait(rank->party, rank->messages, 1);
}

static void iterate_both_ways(const struct osu_spec *spec, struct osu_rank *rank)
{
    receive_window(spec, rank, rank->messages);
    send_window(spec, rank, rank->messages + spec->window);
    transfer_wait(rank->party, rank->messages, 2 * (size_t)spec->window);
}

/* --- results ---------------------------------------------------------------------------------- */

static int64_t messages_one_way(const struct osu_spec *spec)
{
    return spec->window;
}

static int64_t messages_both_ways(const struct osu_spec *spec)
{
    return 2 * spec->window;
}

/* All messages over the mean of the pairs' times. */
static void add_rates(const struct osu_spec *spec, const struct osu_times *times, int64_t messages,
                      struct workload_result *result)
{
    int64_t sum_ps = 0;
    for (int64_t i = 0; i < spec->pairs; i++)
        sum_ps += times->pair_ps[i];
    int64_t mean_ps = (sum_ps + spec->pairs / 2) / spec->pairs;
    int64_t all = messages * spec->pairs;
    __extension__ unsigned __int128 bytes = product_128(all, spec->bytes);
    workload_add_mean_rate(
        result, "bandwidth",
        (int64_t)((bytes * (uint64_t)PS_PER_S + (uint64_t)mean_ps / 2) / (uint64_t)mean_ps),
        &times->units);
    workload_add_mean_ratio(result, "messages_per_us",
                            (double)all * (double)PS_PER_US / (double)mean_ps, &times->units);
}

static void report_one_way(const struct osu_spec *spec, const struct osu_times *times,
                           struct workload_result *result)
{
    add_rates(spec, times, times->iterations * messages_one_way(spec), result);
}

static void report_both_ways(const struct osu_spec *spec, const struct osu_times *times,
                             struct workload_result *result)
{
    add_rates(spec, times, times->iterations * messages_both_ways(spec), result);
}

/* --- the workloads ---------------------------------------------------------------------------- */

static const struct osu_test one_way = {iterate_one_way, messages_one_way, report_one_way};
static const struct osu_test both_ways = {iterate_both_ways, messages_both_ways, report_both_ways};

static bool run_bandwidth(const struct machine_spec *machine, const void *argument, uint64_t seed,
                          struct workload_result *result, GError **error)
{
    struct osu_spec spec = *(const struct osu_spec *)argument;
    spec.pairs = 1;
    return osu_run(&one_way, machine, &spec, seed, result, error);
}

static bool run_bidirectional(const struct machine_spec *machine, const void *argument,
                              uint64_t seed, struct workload_result *result, GError **error)
{
    struct osu_spec spec = *(const struct osu_spec *)argument;
    spec.pairs = 1;
    return osu_run(&both_ways, machine, &spec, seed, result, error);
}

static bool run_multi_pair(const struct machine_spec *machine, const void *argument, uint64_t seed,
                           struct workload_result *result, GError **error)
{
    return osu_run(&one_way, machine, argument, seed, result, error);
}

const struct workload osu_bandwidth_workload = {
    .name = "osu_bandwidth",
    .description = "OSU bandwidth: windows of messages from one rank to another.",
    .params = &osu_bandwidth_params,
    .accepts = transfer_accepts,
    .run = run_bandwidth,
};

const struct workload osu_bidirectional_workload = {
    .name = "osu_bidirectional",
    .description = "OSU bidirectional bandwidth: windows of messages both ways at a time.",
    .params = &osu_bidirectional_params,
    .accepts = transfer_accepts,
    .run = run_bidirectional,
};

const struct workload osu_multi_pair_workload = {
    .name = "osu_multi_pair",
    .description = "OSU multiple bandwidth and message rate: windows between several pairs.",
    .params = &osu_multi_pair_params,
    .accepts = transfer_accepts,
    .run = run_multi_pair,
};
