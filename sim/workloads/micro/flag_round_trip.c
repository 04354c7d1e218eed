/* SPDX-License-Identifier: BSD-3-Clause */
/* Flags between a GPU thread and a host thread, or between threads of two GPUs: one writes its flag, the other sees it and
 * answers with its own. The other may be a stream whose operations on memory the GPU's front end carries out: it waits for
 * the flag, looking at it now and then, and writes the answer. */
#include "core/error.h"
#include "protocols/shmem/software.h"
#include "workloads/micro/probe_run.h"

enum partner { HOST, PEER, STREAM };
static const char *const partner_names[] = {"host", "peer", "stream", NULL};
enum place { IN_HOST, IN_GPU };
static const char *const place_names[] = {"host", "gpu", NULL};
enum polled { LOCAL, REMOTE };
static const char *const polled_names[] = {"local", "remote", NULL};

#define MOST_PAIRS 32

struct flag_round_trip_spec {
    int64_t partner, polled, place, pairs, rounds;
    int64_t ordered; /* flag */
    sim_time delay_ps;
};

#define SPEC struct flag_round_trip_spec
static const struct param params[] = {
    PARAM_ENUM(
        partner, SPEC, "host", partner_names,
        "A thread on a CPU core, with flags in host memory; one of another GPU; or a stream, "
        "whose operations on memory the GPU's front end carries out."),
    PARAM_ENUM(place, SPEC, "gpu", place_names, "The memory in which flags of a stream lie."),
    PARAM_TIME(delay, SPEC, "0ns", "0ns", "1s",
               "Pause between an answer and the next flag, which is not counted."),
    PARAM_ENUM(polled, SPEC, "local", polled_names,
               "Between GPUs: each polls a flag in its own memory and writes the other's, or the "
               "other way round."),
    PARAM_COUNT(pairs, SPEC, "1", "1", G_STRINGIFY(MOST_PAIRS),
                "Pairs of threads that exchange flags at the same time."),
    PARAM_FLAG(ordered, SPEC, "true",
               "GPU threads write their flags after a fence (release), or without one "
               "(relaxed)."),
    PARAM_COUNT(rounds, SPEC, "20", "1", "100000", "Round trips of each pair."),
};
#undef SPEC
static PARAM_TABLE(
    flag_round_trip_params, "flag_round_trip", struct flag_round_trip_spec, params,
    "Round trip of a flag between a GPU thread and a host thread or another GPU's. It takes one look of the thread that began, or two "
    "if the first look comes before the answer: a faster link may let more looks come too early, and then the mean rises.");

struct flag_run {
    const struct flag_round_trip_spec *spec;
    struct software software;
    const struct cuda_spec *cuda;
    struct cluster *cluster;
    address there, here;         /* flags of who begins, and of who answers: a line a pair */
    sim_time took_ps, *times_ps; /* of all round trips; of each */
    int64_t trips, started;      /* that are over; host threads */
    struct stat_units units;     /* of round trips */
    struct agent agents[MOST_PAIRS];
};

static address flag(address lines, int64_t pair)
{
    return lines + (address)pair * CACHE_LINE_BYTES;
}

/* A GPU thread writes `value`: behind a fence, or its word only. */
static void write_flag(const struct flag_run *run, struct agent *agent, address at, uint64_t value)
{
    if (run->spec->ordered)
        agent_release(agent, SCOPE_SYSTEM);
    agent_store_word(agent, at, value);
}

static void await_flag(const struct flag_run *run, struct agent *agent, address at, uint64_t value,
                       int64_t instructions)
{
    agent_wait_word(agent, at, word_equals(value), instructions, SCOPE_SYSTEM,
                    !SOFTWARE_READ(run->software, exact));
}

static void begin(struct work_group *wg, void *argument)
{
    struct flag_run *run = argument;
    struct agent agent;
    agent_init_work_group(&agent, wg);
    for (uint64_t i = 1; i <= (uint64_t)run->spec->rounds; i++) {
        if (run->spec->delay_ps > 0)
            process_sleep(wg->process, run->spec->delay_ps);
        sim_time start_ps = process_now(wg->process);
        write_flag(run, &agent, flag(run->there, wg->index), i);
        await_flag(run, &agent, flag(run->here, wg->index), i,
                   SOFTWARE_READ(run->software, wait_instructions));
        sim_time trip_ps = process_now(wg->process) - start_ps;
        run->took_ps += trip_ps;
        run->times_ps[run->trips++] = trip_ps;
        stat_unit(&run->units, (double)trip_ps);
        if (run->trips == run->spec->pairs * run->spec->rounds)
            run_energy_ends(run->cluster, process_now(wg->process));
    }
}

static bool look_at_flag(const struct flag_run *run, struct work_group *wg, uint64_t value)
{
    uint64_t word;
    memory_client_poll(&wg->memory, flag(run->there, 0), &word, sizeof word, POLL_WHOLE);
    return word == value;
}

/* Until its last answer has arrived in the host's memory; returns how long. */
static sim_time await_write(const struct flag_run *run, struct work_group *wg)
{
    uint64_t word;
    sim_time start_ps = process_now(wg->process);
    if (run->spec->place == IN_HOST)
        memory_client_poll(&wg->memory, flag(run->here, 0), &word, sizeof word, POLL_WHOLE);
    return process_now(wg->process) - start_ps;
}

/* Between two looks of the front end. */
static sim_time look_gap_ps(const struct flag_run *run)
{
    uint64_t *used = param_use_of(&run->cluster->sim->uses, &cuda_params);
    sim_time gap_ps = PARAM_READ(used, run->cuda, front_end_gap_ps);
    return run->spec->place == IN_HOST ? gap_ps + PARAM_READ(used, run->cuda, front_end_host_ps)
                                       : gap_ps;
}

/* The front end. It looks, and does not keep what it has seen. A write to the host's memory is over when a read has come
 * back behind it; the first look at the next flag waits for that, the clock of its looks does not. */
static void answer_in_stream(struct work_group *wg, void *argument)
{
    struct flag_run *run = argument;
    struct agent agent;
    agent_init_work_group(&agent, wg);
    for (uint64_t i = 1; i <= (uint64_t)run->spec->rounds; i++) {
        sim_time late_ps = i > 1 ? await_write(run, wg) : 0;
        process_sleep(wg->process, run->cuda->front_end_operation_ps);
        while (!look_at_flag(run, wg, i)) {
            process_sleep(wg->process, MAX(look_gap_ps(run) - late_ps, 0));
            late_ps = 0;
        }
        process_sleep(wg->process, 2 * run->cuda->front_end_operation_ps);
        agent_store_word(&agent, flag(run->here, 0), i);
    }
}

static void answer_on_gpu(struct work_group *wg, void *argument)
{
    struct flag_run *run = argument;
    struct agent agent;
    agent_init_work_group(&agent, wg);
    for (uint64_t i = 1; i <= (uint64_t)run->spec->rounds; i++) {
        await_flag(run, &agent, flag(run->there, wg->index), i,
                   SOFTWARE_READ(run->software, wait_instructions));
        write_flag(run, &agent, flag(run->here, wg->index), i);
    }
}

static void answer_on_host(struct process *self, void *argument)
{
    struct flag_run *run = argument;
    int64_t pair = run->started++;
    struct agent *agent = &run->agents[pair];
    (void)self;
    for (uint64_t i = 1; i <= (uint64_t)run->spec->rounds; i++) {
        await_flag(run, agent, flag(run->there, pair), i,
                   SOFTWARE_READ(run->software, poll_instructions));
        agent_store_word(agent, flag(run->here, pair), i);
    }
}

static bool start_on_host(struct probe_run *probe, struct flag_run *run, GError **error)
{
    int64_t cores = cluster_spec(probe->cluster, 0)->host.cores;
    if (run->spec->pairs > cores)
        return error_set(error, "%lld pairs take as many CPU cores; the socket has %lld",
                         (long long)run->spec->pairs, (long long)cores);
    run->there = probe_run_lines(probe, 0, MEMORY_HOST, run->spec->pairs, STORE_COARSE_GRAINED);
    run->here = probe_run_lines(probe, 0, MEMORY_HOST, run->spec->pairs, STORE_COARSE_GRAINED);
    for (int64_t i = 0; i < run->spec->pairs; i++)
        probe_run_thread(probe, &run->agents[i], 0, i, answer_on_host, run);
    return probe_run_kernel(probe, 0, run->spec->pairs, begin, run, error);
}

static bool start_on_peer(struct probe_run *probe, struct flag_run *run, GError **error)
{
    bool is_local = run->spec->polled == LOCAL;
    run->there =
        probe_run_lines(probe, is_local, MEMORY_GPU, run->spec->pairs, STORE_COARSE_GRAINED);
    run->here =
        probe_run_lines(probe, !is_local, MEMORY_GPU, run->spec->pairs, STORE_COARSE_GRAINED);
    return probe_run_kernel(probe, 0, run->spec->pairs, begin, run, error) &&
           probe_run_kernel(probe, 1, run->spec->pairs, answer_on_gpu, run, error);
}

static bool start_in_stream(struct probe_run *probe, struct flag_run *run, GError **error)
{
    enum node_memory memory = run->spec->place == IN_HOST ? MEMORY_HOST : MEMORY_GPU;
    if (run->spec->pairs > 1)
        return error_set(error, "a stream is one partner; there are %lld pairs",
                         (long long)run->spec->pairs);
    run->there = probe_run_lines(probe, 0, memory, 1, STORE_COARSE_GRAINED);
    run->here = probe_run_lines(probe, 0, memory, 1, STORE_COARSE_GRAINED);
    param_uses_only(&probe->sim->uses, &cuda_params, "front_end_operation", NULL);
    return probe_run_kernel(probe, 0, 1, begin, run, error) &&
           probe_run_kernel(probe, 0, 1, answer_in_stream, run, error);
}

static int by_time(const void *a, const void *b)
{
    sim_time x = *(const sim_time *)a, y = *(const sim_time *)b;
    return (x > y) - (x < y);
}

static void report(const struct flag_run *run, struct workload_result *result)
{
    const struct sim *sim = run->cluster->sim;
    int64_t trips = run->spec->pairs * run->spec->rounds;
    qsort(run->times_ps, (size_t)trips, sizeof *run->times_ps, by_time);
    workload_add_mean_time(result, "time", (run->took_ps + trips / 2) / trips, &run->units);
    workload_add_quantity(result, "time_median", UNIT_TIME, run->times_ps[trips / 2]);
    workload_observe(result, run->cluster, (double)trips);
    workload_add_quantity(result, "events", UNIT_COUNT, (int64_t)event_executed(sim->events));
}

static bool run_flag_round_trip(const struct machine_spec *machine, const void *argument,
                                uint64_t seed, struct workload_result *result, GError **error)
{
    g_autofree struct flag_run *run = g_new0(struct flag_run, 1);
    struct probe_run probe;
    run->spec = argument;
    static bool (*const starts[])(struct probe_run *, struct flag_run *, GError **) = {
        [HOST] = start_on_host, [PEER] = start_on_peer, [STREAM] = start_in_stream};
    bool is_peer = run->spec->partner == PEER;
    run->cuda = &machine->cuda;
    if (!probe_run_start(&probe, machine, 1 + is_peer, seed, error))
        return false;
    run->cluster = probe.cluster;
    run->software = software_of(machine, probe.sim);
    g_autofree sim_time *times_ps = g_new(sim_time, (size_t)(run->spec->pairs * run->spec->rounds));
    run->times_ps = times_ps;
    bool good = starts[run->spec->partner](&probe, run, error) && probe_run_finish(&probe, error);
    if (good)
        report(run, result);
    probe_run_end(&probe);
    return good;
}

static const struct workload_rule rules[] = {
    {"place", "partner", "|stream|"},
    {"polled", "partner", "|peer|"},
    {NULL, NULL, NULL},
};

const struct workload flag_round_trip_workload = {
    .name = "flag_round_trip",
    .params = &flag_round_trip_params,
    .run = run_flag_round_trip,
    .rules = rules,
};
