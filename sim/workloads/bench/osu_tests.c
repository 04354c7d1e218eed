/* SPDX-License-Identifier: BSD-3-Clause */
/* The OSU micro-benchmarks: what a party does in an iteration, and the tables of latency and bandwidth.
 *
 *   latency        the first rank sends and waits for the answer, the second answers. Half the round trip, mean over the iterations
 *                  (ParCo22 section 4.2.1), and over the pairs where several run at a time (osu_multi_lat). Calls are blocking, as
 *                  MPI_Send and MPI_Recv.
 *   bandwidth      windows of non-blocking messages (section 4.2.2): the first rank sends a window and waits for a reply of 4 bytes, or
 *                  in the test of Charm++'s channels one as long as a message (M-127); the second receives it and then replies. With
 *                  several pairs (osu_mbw_mr) the rates add up.
 *   both_ways      both send and receive a window, which needs no reply (osu_bibw). */
#include "core/error.h"
#include "protocols/ucx/ucx_params.h"
#include "workloads/bench/osu.h"

#define SPEC struct osu_spec
#define COMMON_PARAMS                                                                              \
    PARAM_DESIGN(SPEC, NULL,                                                                       \
                 "The design: who starts and serves transfers, and how GPU data travel."),         \
        PARAM_OF("bytes", UNIT_BYTES, offsetof(SPEC, bytes), NULL, "1B", "1GiB",                   \
                 "Payload of an operation, or size of a message."),                                \
        PARAM_ENUM(placement, SPEC, "intra-socket", osu_placement_names,                           \
                   "Where the two ranks of a pair are."),                                          \
        PARAM_COUNT(pairs, SPEC, "1", "1", "65536",                                                \
                    "Pairs of ranks that communicate at the same time."),                          \
        PARAM_ENUM(buffers, SPEC, "device", CHOICES("device", "host"), "Memory of the messages."), \
        PARAM_ENUM(peer_server, SPEC, "design", transfer_server_names,                             \
                   "Whose cores run the second rank of each pair: those that the design says, "    \
                   "or others."),                                                                  \
        PARAM_COUNT(warmup, SPEC, "10", "0", "1000000",                                            \
                    "Repetitions before those that are measured."),                                \
        PARAM_COUNT(iterations, SPEC, "0", "0", "1000000",                                         \
                    "Measured iterations; 0: 1000 up to 8 KiB, else 100.")

static const struct param latency_params[] = {COMMON_PARAMS};
static const struct param bandwidth_params[] = {
    COMMON_PARAMS,
    PARAM_COUNT(window, SPEC, "64", "1", "65536", "Messages of an iteration, one way."),
    PARAM_ENUM(
        reply, SPEC, "small", CHOICES("small", "full"),
        "What ends a window: 4 B, or a message as long as the others, which does not count."),
    PARAM_FLAG(both_ways, SPEC, "false",
               "Both ranks of a pair send a window at the same time; it needs no reply."),
};
#undef SPEC

/* --- latency ---------------------------------------------------------------------------------- */

/* The transfer of a rank's message to or from its partner. */
static struct party_call message_of(const struct osu_spec *spec, const struct osu_rank *rank,
                                    struct transfer_buffer buffer)
{
    return (struct party_call){.place = rank->partner->place,
                               .channel = OSU_CHANNEL,
                               .buffer = buffer,
                               .bytes = spec->bytes};
}

static void send(const struct osu_spec *spec, struct osu_rank *rank)
{
    const struct party_call what = message_of(spec, rank, rank->send);
    transfer_send(rank->party, rank->messages, &what);
    transfer_wait(rank->party, rank->messages, 1);
}

static void receive(const struct osu_spec *spec, struct osu_rank *rank)
{
    const struct party_call what = message_of(spec, rank, rank->receive);
    transfer_receive(rank->party, rank->messages, &what);
    transfer_wait(rank->party, rank->messages, 1);
}

static void ping_pong(const struct osu_spec *spec, struct osu_rank *rank)
{
    if (rank->is_first)
        send(spec, rank);
    receive(spec, rank);
    if (!rank->is_first)
        send(spec, rank);
}

/* Reports the mean latency over the pairs. */
static void report_latency(const struct osu_spec *spec, const struct osu_times *times,
                           int64_t messages, struct workload_result *result)
{
    int64_t sum_ps = 0, ways = messages * spec->pairs;
    for (int64_t i = 0; i < spec->pairs; i++)
        sum_ps += times->pair_ps[i];
    workload_add_mean_quantity(result, "latency", UNIT_TIME, (sum_ps + ways / 2) / ways,
                               &times->units);
}

/* --- windows ------------------------------------------------------------------------------- */

static void send_window(const struct osu_spec *spec, struct osu_rank *rank,
                        struct message *messages)
{
    const struct party_call what = message_of(spec, rank, rank->send);
    transfer_send_window(rank->party, messages, (size_t)spec->window, &what);
}

static void receive_window(const struct osu_spec *spec, struct osu_rank *rank,
                           struct message *messages)
{
    const struct party_call what = message_of(spec, rank, rank->receive);
    for (int64_t i = 0; i < spec->window; i++)
        transfer_receive(rank->party, &messages[i], &what);
}

static void iterate_one_way(const struct osu_spec *spec, struct osu_rank *rank)
{
    if (rank->is_first)
        send_window(spec, rank, rank->messages);
    else
        receive_window(spec, rank, rank->messages);
    transfer_wait(rank->party, rank->messages, (size_t)spec->window);
    const struct party_call reply = {.place = rank->partner->place,
                                     .channel = OSU_REPLY_CHANNEL,
                                     .buffer = rank->reply,
                                     .bytes = osu_reply_bytes(spec)};
    if (rank->is_first)
        transfer_receive(rank->party, rank->messages, &reply);
    else
        transfer_send(rank->party, rank->messages, &reply);
    transfer_wait(rank->party, rank->messages, 1);
}

static void iterate_both_ways(const struct osu_spec *spec, struct osu_rank *rank)
{
    receive_window(spec, rank, rank->messages);
    send_window(spec, rank, rank->messages + spec->window);
    transfer_wait(rank->party, rank->messages, 2 * (size_t)spec->window);
}

/* Reports rates: all messages divided by the mean of the pairs' times. */
static void report_rates(const struct osu_spec *spec, const struct osu_times *times,
                         int64_t messages, struct workload_result *result)
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

/* --- what they can read ------------------------------------------------------------------------- */

static bool is_library_of(const struct machine_spec *machine, const struct design *design,
                          const struct param_table *table)
{
    const struct runtime_ops *runtime = runtime_of(design);
    return runtime_takes(runtime, table) ||
           (runtime->stands_on != NULL && runtime->stands_on(machine, design, table));
}

/* Whether each message uses only its rank's nearest NIC: the design's library spreads no transfer over several NICs. */
static bool stays_on_rail(const struct machine_spec *machine, const struct design *design)
{
    for (size_t i = 0; i < machine->part_count; i++) {
        const struct param_table *table = machine->parts[i].table;
        if (table->kind != &message_library_params || !is_library_of(machine, design, table))
            continue;
        const struct ucx_spec *library = machine_part(machine, table);
        if (library->rails > 1)
            return false;
    }
    return machine->node.nic_policy == NIC_NEAREST && machine->node.nics_per_socket > 0;
}

/* workload.narrow: removes parameters that ranks cannot read when they only send messages between two such places. */
static void narrow(const struct machine_spec *machine, const void *argument, struct param_use *may)
{
    const struct osu_spec *spec = argument;
    if (design_has_shmem(&spec->design) || runtime_of(&spec->design) == NULL)
        return;
    param_uses_none(may, &gpu_params);
    param_uses_only(may, &gpu_params, "clock", "l2_latency_cycles", "memory_latency", "memory_rate",
                    "idle_power", "memory_energy", "link_energy", NULL);
    if (spec->placement != OSU_INTER_NODE) {
        param_uses_none(may, &network_params);
        param_uses_none(may, &nic_params);
    }
    if (spec->placement == OSU_INTRA_SOCKET ||
        (spec->placement == OSU_INTER_NODE && stays_on_rail(machine, &spec->design)))
        param_uses_none(may, &socket_link_params);
    if (spec->placement == OSU_CROSS_SOCKET)
        return;
    param_uses_none(may, &host_copy_params);
    param_uses_all_but(may, &host_copy_params, "cross_socket_rate", "cross_socket_handoff_rate",
                       spec->placement == OSU_INTER_NODE ? "handoff_rate" : NULL, NULL);
}

/* --- the workloads ---------------------------------------------------------------------------- */

static bool run_latency(const struct machine_spec *machine, const void *argument, uint64_t seed,
                        struct workload_result *result, GError **error)
{
    static const struct osu_test test = {ping_pong, 2, report_latency};
    return osu_run(&test, machine, argument, seed, result, error);
}

static bool run_bandwidth(const struct machine_spec *machine, const void *argument, uint64_t seed,
                          struct workload_result *result, GError **error)
{
    const struct osu_spec *spec = argument;
    const struct osu_test one_way = {iterate_one_way, spec->window, report_rates};
    const struct osu_test both = {iterate_both_ways, 2 * spec->window, report_rates};
    if (spec->both_ways && spec->reply == OSU_FULL_REPLY)
        return error_set(error, "both_ways = true needs no reply: reply = full is for one way");
    return osu_run(spec->both_ways ? &both : &one_way, machine, spec, seed, result, error);
}

static PARAM_TABLE(osu_latency_params, "osu_latency", struct osu_spec, latency_params,
                   "OSU latency: ping-pong between the two ranks of a pair, or of several.");
static PARAM_TABLE(osu_bandwidth_params, "osu_bandwidth", struct osu_spec, bandwidth_params,
                   "OSU bandwidth: windows of messages between pairs of ranks.");

const struct workload osu_latency_workload = {
    .name = "osu_latency",
    .params = &osu_latency_params,
    .accepts = transfer_accepts,
    .run = run_latency,
    .narrow = narrow,
};

const struct workload osu_bandwidth_workload = {
    .name = "osu_bandwidth",
    .params = &osu_bandwidth_params,
    .accepts = transfer_accepts,
    .run = run_bandwidth,
    .narrow = narrow,
};
