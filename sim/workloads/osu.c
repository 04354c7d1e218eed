/* The loop of the OSU micro-benchmarks. Each pair runs through its iterations by itself;
 * the first of a pair notes the totals (its clock; of ranks both cores' accounts, both ends' counts)
 * after each one that counts. One more iteration follows: what the second has done of the next
 * one when the totals are noted is then the same after the last as after the others.
 *
 * When all pairs of ranks repeat themselves the rest is counted on: each pair ends after the iterations
 * that its ranks may have begun. A second rank is never two iterations ahead, since it cannot end
 * one without the first's messages. Work-groups poll, and do not repeat themselves exactly: of them every
 * iteration is simulated. */
#include "workloads/osu.h"

#include <glib.h>
#include <stdio.h>

#include "core/error.h"
#include "protocols/ucx/ucx.h"

#define LARGE_MESSAGE_BYTES 8192
#define OSU_THREADS 64 /* work-items of a work-group that is a party */

struct osu_pair {
    struct osu *osu;
    struct osu_rank ranks[2];
    struct steady *steady;
    int64_t stop; /* no iteration is begun from this number on */
};

struct osu {
    const struct osu_test *test;
    const struct osu_spec *spec;
    struct world *world;
    struct osu_pair *pairs;
    int64_t *numbers;   /* place to gather totals and levels */
    bool is_counted_on; /* all pairs repeat themselves */
};

/* States that a rank's core has before its program ends. */
static const enum agent_state states[] = {AGENT_ACTIVE, AGENT_POLLING, AGENT_STALLED};

/* A pair's totals: the first one's clock; of ranks, accounts of both, and of both together counts and the cores'
 * times by state. */
#define TOTAL_CLOCK 0
#define TOTAL_ACCOUNTS 1
#define TOTAL_COUNTS (TOTAL_ACCOUNTS + 2 * CPU_ACCOUNTS)
#define TOTAL_STATES (TOTAL_COUNTS + UCX_COUNTS)
#define TOTALS (TOTAL_STATES + G_N_ELEMENTS(states))

/* And of each of its ranks the levels of the heap, and of what the runtime has in stock. */
#define LEVELS_OF_RANK 3
#define LEVELS (2 * LEVELS_OF_RANK)

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

static struct job_process *process_of(const struct osu_rank *rank)
{
    return &world_job(rank->pair->osu->world)->processes[rank->place];
}

static void gather_levels(const struct osu_pair *pair, int64_t *levels)
{
    const struct runtime *runtime = world_runtime(pair->osu->world);
    for (int end = 0; end < 2; end++) {
        const struct heap *heap = &process_of(&pair->ranks[end])->heap;
        *levels++ = heap->used_bytes;
        *levels++ = heap->touched_bytes;
        *levels++ = runtime_stock(runtime, (int32_t)pair->ranks[end].place);
    }
}

static void gather_counts(const struct osu_pair *pair, int64_t *totals)
{
    struct ucx *ucx = runtime_ucx(world_runtime(pair->osu->world));
    for (int end = 0; end < 2; end++) {
        const struct cpu *cpu = &process_of(&pair->ranks[end])->cpu;
        for (int account = 0; account < CPU_ACCOUNTS; account++)
            totals[TOTAL_ACCOUNTS + end * CPU_ACCOUNTS + account] = cpu->time_ps[account];
    }
    struct ucx_worker *workers[] = {ucx_worker(ucx, (int32_t)pair->ranks[0].place),
                                    ucx_worker(ucx, (int32_t)pair->ranks[1].place)};
    for (enum ucx_count i = 0; i < UCX_COUNTS; i++)
        totals[TOTAL_COUNTS + i] = ucx_count(workers[0], i) + ucx_count(workers[1], i);
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++)
        totals[TOTAL_STATES + i] = process_of(&pair->ranks[0])->cpu.state_ps[states[i]] +
                                   process_of(&pair->ranks[1])->cpu.state_ps[states[i]];
}

static void gather(const struct osu_pair *pair, int64_t *numbers)
{
    numbers[TOTAL_CLOCK] = party_now(pair->ranks[0].party);
    if (world_is_kernel(pair->osu->world))
        return;
    gather_counts(pair, numbers);
    gather_levels(pair, numbers + TOTALS);
}

/* Whether all pairs repeat themselves; then they may end. */
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

/* After `ended` iterations, if they count. */
static void note(struct osu_pair *pair, int64_t ended)
{
    struct osu *osu = pair->osu;
    if (ended < osu->spec->warmup || ended > osu->spec->warmup + osu_iterations(osu->spec) ||
        osu->is_counted_on)
        return;
    gather(pair, osu->numbers);
    steady_note(pair->steady, osu->numbers);
    if (!osu->spec->exact && !world_is_kernel(osu->world) &&
        !observe_wants_operations(&world_sim(osu->world)->observe))
        count_on(osu);
}

/* Observers are told which messages count: those of the first pair's iterations that do. */
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

/* Messages go from and to GPU memory or the host's, replies too; a program that stages GPU buffers
 * itself sends a small reply from host memory, since it has nothing of the GPU's to tell. */
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
    osu->numbers = g_new0(int64_t, TOTALS + LEVELS);
    osu->pairs = g_new0(struct osu_pair, (gsize)spec->pairs);
    for (int64_t i = 0; i < spec->pairs; i++) {
        struct osu_pair *pair = &osu->pairs[i];
        pair->osu = osu;
        pair->stop = spec->warmup + osu_iterations(spec) + 1;
        pair->steady = steady_new(TOTALS, LEVELS);
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

/* cpu_account_names with "time_" or "peer_time_" before them: measures need names that last. */
static const char *const account_measures[2][CPU_ACCOUNTS] = {
#define NAMES(prefix)                                                                              \
    {                                                                                              \
        [CPU_APPLICATION] = prefix "application", [CPU_CUDA] = prefix "cuda",                      \
        [CPU_COPY] = prefix "copy", [CPU_ALLOCATE] = prefix "allocate",                            \
        [CPU_LIBRARY] = prefix "ucx", [CPU_PACK] = prefix "pack",                                  \
        [CPU_SCHEDULE] = prefix "schedule", [CPU_CALLBACK] = prefix "callback",                    \
        [CPU_MATCH] = prefix "match", [CPU_INTERPRETER] = prefix "interpreter",                    \
        [CPU_WAIT] = prefix "wait",                                                                \
    }
    NAMES("time_"), NAMES("peer_time_")
#undef NAMES
};

/* Per message: mean over all pairs. */
static void report_growth(const int64_t *growth, int64_t messages, struct workload_result *result)
{
    for (int end = 0; end < 2; end++) {
        for (int account = 0; account < CPU_ACCOUNTS; account++) {
            int64_t total_ps = growth[TOTAL_ACCOUNTS + end * CPU_ACCOUNTS + account];
            workload_add_quantity(result, account_measures[end][account], UNIT_TIME,
                                  (total_ps + messages / 2) / messages);
        }
    }
    for (enum ucx_count i = 0; i < UCX_COUNTS; i++)
        workload_add_ratio(result, ucx_count_names[i],
                           (double)growth[TOTAL_COUNTS + i] / (double)messages);
}

/* What both cores of a pair drew per message, in all and by state: mean over all pairs. */
static void report_energy(const struct osu *osu, const int64_t *growth, int64_t messages,
                          struct workload_result *result)
{
    static const char *const names[] = {"energy_active", "energy_polling", "energy_stalled"};
    const int64_t *power_mW = world_job(osu->world)->core.cpu.power_mW;
    int64_t energies_fJ[G_N_ELEMENTS(states)], sum_fJ = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++) {
        sim_uint128 energy_fJ = product_128(growth[TOTAL_STATES + i], power_mW[states[i]]);
        sim_uint128 count = (sim_uint128)messages;
        energies_fJ[i] = (int64_t)((energy_fJ + count / 2) / count);
        sum_fJ += energies_fJ[i];
    }
    workload_add_quantity(result, "energy", UNIT_ENERGY, sum_fJ);
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++)
        workload_add_quantity(result, names[i], UNIT_ENERGY, energies_fJ[i]);
}

static void report(const struct osu *osu, struct workload_result *result)
{
    const struct osu_spec *spec = osu->spec;
    int64_t iterations = osu_iterations(spec), simulated = 0;
    g_autofree int64_t *pair_ps = g_new0(int64_t, (gsize)spec->pairs);
    g_autofree int64_t *sum = g_new0(int64_t, TOTALS);
    for (int64_t i = 0; i < spec->pairs; i++) {
        steady_growth(osu->pairs[i].steady, iterations, osu->numbers);
        pair_ps[i] = osu->numbers[TOTAL_CLOCK];
        simulated += steady_iterations(osu->pairs[i].steady);
        for (size_t k = 0; k < TOTALS; k++)
            sum[k] += osu->numbers[k];
    }
    osu->test->report(spec, pair_ps, iterations, result);
    if (!world_is_kernel(osu->world)) {
        int64_t messages = spec->pairs * iterations * osu->test->messages(spec);
        report_growth(sum, messages, result);
        report_energy(osu, sum, messages, result);
    }
    workload_add_quantity(result, "iterations", UNIT_COUNT, iterations);
    workload_add_quantity(result, "iterations_simulated", UNIT_COUNT, simulated / spec->pairs);
    world_report(osu->world, result);
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
    const struct agent_kind *kind = design_server_kind(&spec->design);
    if (spec->buffers != OSU_HOST)
        return true;
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

bool osu_run(const struct osu_test *test, const struct machine_spec *machine,
             const struct osu_spec *spec, uint64_t seed, struct workload_result *result,
             GError **error)
{
    g_autofree struct job_place *places = g_new0(struct job_place, 2 * (gsize)spec->pairs);
    struct osu osu = {.test = test, .spec = spec};
    struct world_setup setup = {
        .design = &spec->design,
        .seed = seed,
        .places = places,
        .place_count = 2 * spec->pairs,
        .groups = 1,
        .threads = OSU_THREADS,
        .served_places = 2 * spec->pairs,
        .heap_bytes =
            2 * transfer_heap_bytes(1, spec->bytes) + transfer_heap_bytes(1, osu_reply_bytes(spec)),
        .has_channels = true,
    };
    if (!has_buffers(spec, error))
        return false;
    double messages = (double)(spec->warmup + osu_iterations(spec)) *
                      ((double)spec->window + (spec->reply == OSU_FULL_REPLY));
    if (!machine_can_carry(machine, messages * (double)spec->bytes, error) ||
        !osu_place(spec, machine, places, error))
        return false;
    osu.world = world_new(machine, &setup, error);
    bool good = osu.world != NULL && run_pairs(&osu, result, error);
    world_free(osu.world);
    return good;
}
