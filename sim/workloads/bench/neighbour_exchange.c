/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-groups of two nodes talk to each other from inside their kernels: ComPNet18 section 4.1, Fig 5.
 *
 * Nodes 0 and 1 run a kernel of `work_groups` work-groups each. Every work-group has one partner on the
 * other node; in each turn one puts `bytes` into the other's buffer and behind them a signal, and waits
 * for the other's. In a ping-pong node 0 puts first, in an exchange both do. Fig 5 is the ping-pong of one
 * work-group a node.
 *
 * A work-group can only answer when it runs. With more work-groups than fit, those that wait may be
 * waiting for such as have no room (section 4.1's deadlock, M-076): with partners in reverse order from
 * twice as many on as fit, with partners of the same number never.
 *
 * Ranks do the same by messages, each with a core and the GPU that it shares with the others of its node.
 *
 * Signals are the turn's number, in two words in turn: a partner may be one turn ahead, not two, so no
 * signal is written over before it was seen. */
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

enum pattern { PATTERN_EXCHANGE, PATTERN_PING_PONG };
static const char *const pattern_names[] = {"exchange", "ping_pong", NULL};

enum partner { PARTNER_SAME, PARTNER_REVERSE };
static const char *const partner_names[] = {"same", "reverse", NULL};

struct neighbour_exchange_spec {
    struct shared_kernel kernel;
    int64_t pattern, partner;
    int64_t bytes;
    int64_t work_groups;
    int64_t iterations, warmup;
    int64_t cooperative; /* flag */
};

#define SPEC struct neighbour_exchange_spec
static const struct param params[] = {
    PARAM_SHARE("", kernel, SPEC, &kernel_rows, "", ""),
    PARAM_ENUM(pattern, SPEC, "exchange", pattern_names,
               "Exchange: both nodes put, then wait. Ping-pong: node 1 puts when it has "
               "received node 0's put."),
    PARAM_ENUM(partner, SPEC, "same", partner_names,
               "The partner on the other node: the work-group with the same number, or with "
               "that number counted from the last one."),
    SHARED_ROW(bytes, SPEC, "8B"),
    SHARED_ROW(work_groups, SPEC, "1"),
    SHARED_ROW(iterations, SPEC, "100"),
    SHARED_ROW(warmup, SPEC, "4"),
    SHARED_ROW(cooperative, SPEC, "false"),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    neighbour_exchange_params, "neighbour_exchange", struct neighbour_exchange_spec, params,
    "Work-groups of two nodes put to each other and wait for each other's signal; a "
    "ping_pong measures the latency of a put.");

struct exchange_run {
    const struct neighbour_exchange_spec *spec;
    struct world *world;
    struct transfer_buffer buffer;
    struct transfer_signals signals; /* two a party */
    struct stat_histogram *turns;    /* of node 0 */
    sim_time first_ps, last_ps;      /* first call, last return, of node 0 */
    int64_t running, most_running;
};

static int64_t partner_of(const struct neighbour_exchange_spec *spec, int64_t group)
{
    return spec->partner == PARTNER_SAME ? group : spec->work_groups - 1 - group;
}

static void send(const struct exchange_run *run, struct party *party, int64_t partner, int64_t turn)
{
    transfer_put_signal(party, 1 - party->place, partner, run->buffer, run->spec->bytes,
                        run->signals, turn % 2, (uint64_t)turn);
}

static void take_turn(const struct exchange_run *run, struct party *party, int64_t turn)
{
    const struct neighbour_exchange_spec *spec = run->spec;
    int64_t partner = partner_of(spec, party->group);
    bool is_first = spec->pattern == PATTERN_EXCHANGE || party->place == 0;
    if (is_first)
        send(run, party, partner, turn);
    transfer_wait_signal(party, 1 - party->place, partner, run->buffer, spec->bytes, run->signals,
                         turn % 2, (uint64_t)turn);
    if (!is_first)
        send(run, party, partner, turn);
}

static void note_start(struct exchange_run *run, sim_time now_ps)
{
    if (run->running == 0 && run->most_running == 0)
        run->first_ps = now_ps;
    if (++run->running > run->most_running)
        run->most_running = run->running;
}

static void program(struct party *party, void *argument)
{
    struct exchange_run *run = argument;
    bool is_timed = party->place == 0;
    if (is_timed)
        note_start(run, party_now(party));
    int64_t warmup = run->spec->warmup;
    for (int64_t turn = 1; turn <= warmup + run->spec->iterations; turn++) {
        sim_time start_ps = party_now(party);
        if (is_timed && party->group == 0 && turn == warmup + 1)
            world_reset(run->world, start_ps);
        take_turn(run, party, turn);
        if (is_timed && turn > warmup)
            stat_record(run->turns, party_now(party) - start_ps);
    }
    if (is_timed) {
        run->last_ps = party_now(party);
        if (--run->running == 0)
            world_measures_to(run->world, run->last_ps);
    }
}

static void prepare(void *argument, struct world *world)
{
    static const struct stat_info turn_info = {"turn", "ps", "a turn with the partner"};
    struct exchange_run *run = argument;
    run->world = world;
    run->turns = stat_histogram_new(world_sim(world)->stats, "node0.kernel", &turn_info);
    run->buffer = world_buffer(world, run->spec->bytes, TRANSFER_PAYLOAD);
    run->signals = world_signals(world, 2);
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct exchange_run *run = argument;
    const struct stat_histogram *turns = run->turns;
    workload_add_mean_time(result, "turn", (int64_t)(turns->sum / turns->count), &turns->units);
    workload_add_quantity(result, "turn_min", UNIT_TIME, turns->minimum);
    workload_add_quantity(result, "turn_p50", UNIT_TIME, stat_quantile(turns, 0.5));
    workload_add_quantity(result, "turn_p99", UNIT_TIME, stat_quantile(turns, 0.99));
    workload_add_quantity(result, "turn_max", UNIT_TIME, turns->maximum);
    workload_add_percentiles(result, "turn", turns, run->spec->kernel.percentiles);
    workload_add_quantity(result, "duration", UNIT_TIME, run->last_ps - run->first_ps);
    workload_add_quantity(result, "work_groups_at_once", UNIT_COUNT, run->most_running);
    if (world_latencies(world) != NULL)
        workload_add_latencies(result, world_latencies(world));
    world_report(world, (double)run->spec->iterations, result);
}

static bool run_neighbour_exchange(const struct machine_spec *machine, const void *argument,
                                   uint64_t seed, struct workload_result *result, GError **error)
{
    static const struct world_task task = {prepare, program, report};
    const struct neighbour_exchange_spec *spec = argument;
    struct exchange_run run = {.spec = spec};
    struct world_setup setup = {.design = &spec->kernel.design,
                                .seed = seed,
                                .place_count = 2,
                                .groups = spec->work_groups,
                                .threads = spec->kernel.threads,
                                .is_cooperative = spec->cooperative,
                                .heap_bytes = transfer_heap_bytes(spec->work_groups, spec->bytes) +
                                              transfer_signal_bytes(spec->work_groups, 2)};
    return world_run_alone(machine, &setup, &task, &run, result, error);
}

const struct workload neighbour_exchange_workload = {
    .name = "neighbour_exchange",
    .params = &neighbour_exchange_params,
    .accepts = transfer_accepts,
    .run = run_neighbour_exchange,
};
