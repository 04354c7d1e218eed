/* The loop of the OSU micro-benchmarks on a job. Each pair runs through its iterations by itself;
 * the first rank of a pair notes the totals (its clock, both cores' accounts, both ends' counts)
 * after each one that counts. One more iteration follows: what the second rank has done of the next
 * one when the totals are noted is then the same after the last as after the others.
 *
 * When all pairs repeat themselves the rest is counted on: each pair ends after the iterations
 * that its ranks may have begun. A second rank is never two iterations ahead, since it cannot end
 * one without the first's messages. */
#include "workloads/osu.h"

#include "protocols/ucx/ucx.h"
#include "workloads/job_run.h"

#define LARGE_MESSAGE_BYTES 8192

/* Allocations of a process. */
enum buffer { SEND_BUFFER, RECEIVE_BUFFER, REPLY_BUFFER, BUFFERS };

#define REPLY_BYTES 4

struct osu_pair {
    struct osu *osu;
    struct osu_rank ranks[2];
    struct steady *steady;
    int64_t stop; /* the ranks do no iteration from this number on */
};

struct osu {
    const struct osu_test *test;
    const struct osu_spec *spec;
    struct job *job;
    struct runtime *runtime;
    struct osu_pair *pairs;
    int64_t *numbers;   /* place to gather totals and levels */
    bool is_counted_on; /* all pairs repeat themselves */
};

/* A pair's totals: the first rank's clock, accounts of both ranks, counts of both together. */
#define TOTAL_CLOCK 0
#define TOTAL_ACCOUNTS 1
#define TOTAL_COUNTS (TOTAL_ACCOUNTS + 2 * CPU_ACCOUNTS)
#define TOTALS (TOTAL_COUNTS + UCX_COUNTS)

/* And of each of its ranks the levels of the heap, and of what the runtime has in stock. */
#define LEVELS_OF_RANK 3
#define LEVELS (2 * LEVELS_OF_RANK)

int64_t osu_iterations(const struct osu_spec *spec)
{
    if (spec->iterations > 0)
        return spec->iterations;
    return spec->bytes > LARGE_MESSAGE_BYTES ? 100 : 1000;
}

/* --- totals ----------------------------------------------------------------------------------- */

static struct job_process *process_of(const struct osu_rank *rank)
{
    return &rank->pair->osu->job->processes[rank->rank];
}

static void gather_levels(const struct osu_pair *pair, int64_t *levels)
{
    for (int end = 0; end < 2; end++) {
        const struct heap *heap = &process_of(&pair->ranks[end])->heap;
        *levels++ = heap->used_bytes;
        *levels++ = heap->touched_bytes;
        *levels++ = runtime_stock(pair->osu->runtime, pair->ranks[end].rank);
    }
}

static void gather_totals(const struct osu_pair *pair, int64_t *totals)
{
    struct ucx *ucx = runtime_ucx(pair->osu->runtime);
    totals[TOTAL_CLOCK] = cpu_now(&process_of(&pair->ranks[0])->cpu);
    for (int end = 0; end < 2; end++) {
        const struct cpu *cpu = &process_of(&pair->ranks[end])->cpu;
        for (int account = 0; account < CPU_ACCOUNTS; account++)
            totals[TOTAL_ACCOUNTS + end * CPU_ACCOUNTS + account] = cpu->time_ps[account];
    }
    struct ucx_worker *workers[] = {ucx_worker(ucx, pair->ranks[0].rank),
                                    ucx_worker(ucx, pair->ranks[1].rank)};
    for (enum ucx_count i = 0; i < UCX_COUNTS; i++)
        totals[TOTAL_COUNTS + i] = ucx_count(workers[0], i) + ucx_count(workers[1], i);
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
    gather_totals(pair, osu->numbers);
    gather_levels(pair, osu->numbers + TOTALS);
    steady_note(pair->steady, osu->numbers);
    if (!osu->spec->exact)
        count_on(osu);
}

static void program(struct process *self, void *argument)
{
    struct osu_rank *rank = argument;
    struct osu_pair *pair = rank->pair;
    struct osu *osu = pair->osu;
    (void)self;
    for (int64_t i = 0; i < pair->stop; i++) {
        if (rank->is_first)
            note(pair, i);
        osu->test->iterate(osu->runtime, osu->spec, rank);
    }
    cpu_settle(&process_of(rank)->cpu);
}

/* --- ranks and pairs -------------------------------------------------------------------------- */

/* Messages go from and to GPU memory or the host's, replies too; a program that stages GPU buffers
 * itself sends its reply from host memory, since it has nothing of the GPU's to tell. */
static struct block block_of(const struct osu *osu, const struct job_process *process,
                             enum buffer buffer, int64_t bytes)
{
    uint32_t id = (uint32_t)process->rank * BUFFERS + buffer + 1;
    bool is_staged = osu->spec->design.payload == PAYLOAD_STAGED;
    if (osu->spec->buffers == OSU_HOST || (buffer == REPLY_BUFFER && is_staged))
        return job_host_block(process, BLOCK_PAGEABLE, id, bytes);
    return job_device_block(process, id, bytes);
}

static void rank_init(struct osu_rank *rank, struct osu_pair *pair, int end, int32_t number)
{
    const struct osu *osu = pair->osu;
    const struct job_process *process = &osu->job->processes[number];
    *rank = (struct osu_rank){
        .pair = pair,
        .partner = &pair->ranks[1 - end],
        .rank = number,
        .is_first = end == 0,
        .send = block_of(osu, process, SEND_BUFFER, osu->spec->bytes),
        .receive = block_of(osu, process, RECEIVE_BUFFER, osu->spec->bytes),
        .reply = block_of(osu, process, REPLY_BUFFER, REPLY_BYTES),
        .messages = g_new0(struct message, 2 * (gsize)osu->spec->window),
    };
}

static void start_pairs(struct osu *osu)
{
    const struct osu_spec *spec = osu->spec;
    osu->numbers = g_new0(int64_t, TOTALS + LEVELS);
    osu->pairs = g_new0(struct osu_pair, (gsize)spec->pairs);
    for (int64_t i = 0; i < spec->pairs; i++) {
        struct osu_pair *pair = &osu->pairs[i];
        pair->osu = osu;
        pair->stop = spec->warmup + osu_iterations(spec) + 1;
        pair->steady = steady_new(TOTALS, LEVELS);
        rank_init(&pair->ranks[0], pair, 0, (int32_t)i);
        rank_init(&pair->ranks[1], pair, 1, (int32_t)(spec->pairs + i));
        for (int end = 0; end < 2; end++)
            job_start(osu->job, pair->ranks[end].rank, program, &pair->ranks[end]);
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
        [CPU_COPY] = prefix "copy", [CPU_ALLOCATE] = prefix "allocate", [CPU_UCX] = prefix "ucx",  \
        [CPU_PACK] = prefix "pack", [CPU_SCHEDULE] = prefix "schedule",                            \
        [CPU_CALLBACK] = prefix "callback", [CPU_MATCH] = prefix "match",                          \
        [CPU_INTERPRETER] = prefix "interpreter", [CPU_WAIT] = prefix "wait",                      \
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

static void report(struct job *job, void *argument, struct workload_result *result)
{
    const struct osu *osu = argument;
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
    report_growth(sum, spec->pairs * iterations * osu->test->messages(spec), result);
    workload_add_quantity(result, "iterations", UNIT_COUNT, iterations);
    workload_add_quantity(result, "iterations_simulated", UNIT_COUNT, simulated / spec->pairs);
    workload_add_quantity(result, "events", UNIT_COUNT, (int64_t)event_executed(job->sim->events));
}

/* --- running ---------------------------------------------------------------------------------- */

static void start(struct job *job, void *argument)
{
    struct osu *osu = argument;
    osu->job = job;
    osu->runtime = runtime_new(job, &osu->spec->design);
    start_pairs(osu);
}

static void end(struct job *job, void *argument)
{
    struct osu *osu = argument;
    (void)job;
    free_pairs(osu);
    runtime_free(osu->runtime);
}

bool osu_run(const struct osu_test *test, const struct machine_spec *machine,
             const struct osu_spec *spec, uint64_t seed, struct workload_result *result, char *why,
             size_t why_size)
{
    static const struct job_run_steps steps = {start, report, end};
    g_autofree struct job_place *places = g_new0(struct job_place, 2 * (gsize)spec->pairs);
    struct osu osu = {.test = test, .spec = spec};
    double messages = (double)(spec->warmup + osu_iterations(spec)) * (double)spec->window;
    return messenger_accepts(&spec->design, why, why_size) &&
           machine_can_carry(machine, messages * (double)spec->bytes, why, why_size) &&
           osu_place(spec, machine, places, why, why_size) &&
           job_run(machine, places, (int32_t)(2 * spec->pairs), seed, &steps, &osu, result, why,
                   why_size);
}
