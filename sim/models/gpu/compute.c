/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/compute.h"

#include "models/gpu/gpu_parts.h"

/* --- rates of the hardware ---------------------------------------------------------------------- */

static double wave_flops(const struct gpu_spec *spec)
{
    return (double)spec->clock_Hz * (double)(spec->lanes * GPU_FLOPS_PER_INSTRUCTION) /
           (double)spec->instruction_cycles;
}

static double unit_flops(const struct gpu_spec *spec)
{
    return wave_flops(spec) * (double)spec->simds_per_cu;
}

static double unit_way_Bps(const struct gpu_spec *spec)
{
    return (double)CACHE_LINE_BYTES * (double)spec->clock_Hz;
}

static sim_time l2_latency_ps(const struct gpu_spec *spec)
{
    return cycles_ps(spec->l1.latency_cycles + spec->l2.latency_cycles, spec->clock_Hz);
}

static sim_time through_l2_ps(const struct gpu_spec *spec, const struct dram *dram, bool is_apu)
{
    return l2_latency_ps(spec) + dram->latency_ps + (is_apu ? 2 * spec->directory_latency_ps : 0);
}

void gpu_computes_on(struct dram *dram, const struct gpu_spec *spec, bool is_apu)
{
    dram_set_wavefronts(dram, spec->wave_in_flight_bytes, through_l2_ps(spec, dram, is_apu),
                        spec->waves_per_cu * spec->compute_units);
}

int64_t gpu_row_bytes(const struct gpu_spec *spec, const struct gpu_pieces *pieces)
{
    int64_t near_bytes = MIN(pieces->stride_bytes, GPU_ROW_SPAN_BYTES);
    int64_t rows = muldiv_ceil(pieces->count, near_bytes, GPU_ROW_SPAN_BYTES);
    int64_t row_ps = pieces->are_stored ? GPU_ROW_STORE_PS : GPU_ROW_LOAD_PS;
    int64_t bytes =
        muldiv_ceil(rows * row_ps, spec->memory_rate_Bps, spec->memory_channels * PS_PER_S);
    return MAX(bytes - pieces->count * pieces->bytes, 0);
}

void compute_init(struct compute *compute, const struct gpu_spec *spec, struct unit_pools *pools,
                  struct dram *dram, bool is_apu)
{
    compute->dram = dram;
    compute->memory_latency_ps = through_l2_ps(spec, dram, is_apu);
    unit_spans_init(pools, &compute->spans, spec->compute_units, unit_flops(spec), wave_flops(spec),
                    unit_way_Bps(spec));
}

/* --- alone -------------------------------------------------------------------------------------- */

static struct compute *compute_of(const struct compute_job *job)
{
    return &job->gpu->compute;
}

static struct shared_rate *memory_of(const struct compute_job *job)
{
    return &compute_of(job)->dram->flows;
}

/* The bytes that one of the job's wavefronts has in flight, relative to the usual number on this machine. */
static double in_flight_share(const struct compute_job *job)
{
    const struct gpu_spec *spec = job->gpu->spec;
    return job->work.in_flight_bytes == 0
               ? 1
               : (double)job->work.in_flight_bytes / (double)spec->wave_in_flight_bytes;
}

/* How many bytes of the memory's rate one byte takes: more than 1 if reads and writes alternate, or if pieces lie apart. */
static double rate_cost(const struct compute_job *job)
{
    const struct gpu_work *work = &job->work;
    double turns = work->is_mixed ? 1 / GPU_MIXED_SHARE : 1;
    return work->row_bytes == 0
               ? turns
               : turns * (1 + (double)work->row_bytes / (double)work->memory_bytes);
}

static double memory_weight(const struct compute_job *job)
{
    return (double)(job->groups * job->waves) * in_flight_share(job) * rate_cost(job);
}

static double memory_amount(const struct compute_job *job)
{
    return (double)job->groups * (double)job->work.memory_bytes * rate_cost(job);
}

/* The times that a job takes of the resources of its CUs if it shares them with no other job and has at most `most` work-groups
 * on a CU. */
struct alone {
    double simds_ps, way_ps;
};

static struct alone times_alone(const struct compute_job *job, int64_t most)
{
    const struct gpu_spec *spec = job->gpu->spec;
    double waves = (double)job->waves, on_unit = (double)most;
    double simds = MIN(unit_flops(spec), on_unit * waves * wave_flops(spec)) / 1e12;
    double way = unit_way_Bps(spec) / 1e12;
    return (struct alone){on_unit * (double)job->work.flops / simds,
                          on_unit * (double)job->work.bytes / way};
}

/* The number of the job's work-groups on the unit that has most of them. */
static int64_t most_on_unit(const struct compute_job *job)
{
    int32_t most = 0;
    if (job->counts == NULL)
        return job->groups;
    const struct unit_run *run = job->counts;
    for (; run->end < job->gpu->spec->compute_units; run++)
        most = MAX(most, run->room.groups);
    return MAX(most, run->room.groups);
}

static sim_time ceil_ps(double duration_ps)
{
    sim_time whole_ps =
        duration_ps >= (double)SIM_TIME_NEVER ? SIM_TIME_NEVER : (sim_time)duration_ps;
    return whole_ps + (duration_ps - (double)whole_ps > 0.01 ? 1 : 0);
}

static sim_time longest(struct alone alone, sim_time least_ps)
{
    return MAX(ceil_ps(MAX(alone.simds_ps, alone.way_ps)), least_ps);
}

/* The least time of the work: at any rate an access takes its way there and back. */
static sim_time least_of(const struct gpu *gpu, const struct gpu_work *work)
{
    sim_time access_ps = work->memory_bytes > 0 ? gpu->compute.memory_latency_ps
                         : work->bytes > 0      ? l2_latency_ps(gpu->spec)
                                                : 0;
    return MAX(work->latency_ps, access_ps);
}

/* --- with others -------------------------------------------------------------------------------- */

/* How many of the job's work-groups the CU has, and up to which one the next CUs have as many. */
static int64_t count_on(const struct compute_job *job, int64_t unit, int64_t *end)
{
    if (job->counts != NULL) {
        const struct unit_run *run = unit_run_of(job->counts, unit);
        *end = run->end;
        return run->room.groups;
    }
    *end = unit < job->unit ? job->unit : unit == job->unit ? unit + 1 : INT64_MAX;
    return unit == job->unit ? job->groups : 0;
}

/* The part of `amount` that is left after `since_ps` of the `whole_ps` that the job takes alone. */
static double left_of(double amount, double whole_ps, sim_time since_ps)
{
    double gone_ps = (double)since_ps;
    return gone_ps >= whole_ps ? 0 : amount * (1 - gone_ps / whole_ps);
}

static void begin(struct shared_rate *rate, struct shared_job *job, sim_time now_ps, double amount,
                  double weight)
{
    if (amount > 0)
        shared_rate_begin(rate, job, now_ps, amount, weight);
}

/* The work that is left for `groups` of the job's work-groups on one unit. */
struct unit_share {
    int64_t groups;
    double flops, bytes;
};

static struct unit_share unit_share_of(const struct compute_job *job, int64_t groups,
                                       sim_time now_ps)
{
    sim_time since_ps = now_ps - job->start_ps;
    struct alone alone = times_alone(job, groups);
    return (struct unit_share){
        groups, left_of((double)groups * (double)job->work.flops, alone.simds_ps, since_ps),
        left_of((double)groups * (double)job->work.bytes, alone.way_ps, since_ps)};
}

static void spread_on(struct compute_job *job, struct unit_span *span, sim_time now_ps,
                      const struct unit_share *share)
{
    struct unit_part *part =
        unit_part_new(&job->gpu->pools->units, span, &job->parts, share->groups);
    double waves = (double)share->groups * (double)job->waves;
    begin(&span->simds, &part->simds, now_ps, share->flops, waves);
    begin(&span->way, &part->way, now_ps, share->bytes, waves);
}

/* The job shares its CUs from now on. Spans are cut so that it has the same number of work-groups on each CU of a span. */
static void spread(struct compute_job *job, sim_time now_ps)
{
    struct unit_share share = {.groups = 0};
    job->is_alone = false;
    LIST_EACH (struct unit_span, span, &compute_of(job)->spans, link) {
        int64_t end, groups = count_on(job, span->first, &end);
        if (end < span->end)
            unit_span_cut(&job->gpu->pools->units, &compute_of(job)->spans, span, end);
        if (groups == 0)
            continue;
        if (groups != share.groups)
            share = unit_share_of(job, groups, now_ps);
        spread_on(job, span, now_ps, &share);
    }
}

/* When the job ends as far as neither memory nor resources shared with other jobs delay it. */
static sim_time own_end_ps(const struct compute_job *job)
{
    if (!job->is_alone)
        return job->start_ps + job->least_ps;
    return job->start_ps + longest(times_alone(job, job->most_on_unit), job->least_ps);
}

static sim_time part_end_ps(struct unit_part *part, sim_time now_ps)
{
    sim_time simds_ps = shared_rate_end_ps(&part->span->simds, &part->simds, now_ps);
    sim_time way_ps = shared_rate_end_ps(&part->span->way, &part->way, now_ps);
    return MAX(simds_ps, way_ps);
}

/* When the job will end if no other job begins. */
static sim_time end_ps(struct compute_job *job, sim_time now_ps)
{
    sim_time until_ps = shared_rate_end_ps(memory_of(job), &job->memory, now_ps);
    until_ps = MAX(until_ps, own_end_ps(job));
    LIST_EACH (struct unit_part, part, &job->parts, of_job) {
        sim_time part_ps = part_end_ps(part, now_ps);
        until_ps = MAX(until_ps, part_ps);
    }
    return until_ps;
}

static void look(void *argument);

static void schedule_look(struct compute_job *job, sim_time at_ps)
{
    job->end = event_schedule(job->gpu->sim->events, at_ps, look, job);
}

static void count_job(const struct compute_job *job, int64_t change)
{
    struct compute *compute = compute_of(job);
    sim_time now_ps = sim_now(job->gpu->sim);
    if (compute->jobs == 0)
        compute->busy_since_ps = now_ps;
    compute->jobs += change;
    if (compute->jobs == 0)
        compute->busy_ps += now_ps - compute->busy_since_ps;
}

sim_time compute_busy_ps(const struct gpu *gpu)
{
    const struct compute *compute = &gpu->compute;
    return compute->busy_ps + (compute->jobs > 0 ? sim_now(gpu->sim) - compute->busy_since_ps : 0);
}

static void finish(struct compute_job *job)
{
    struct compute *compute = compute_of(job);
    count_job(job, -1);
    if (compute->alone == job)
        compute->alone = NULL;
    unit_parts_free(&job->gpu->pools->units, &job->parts);
    if (compute->jobs == 0)
        unit_spans_join(&job->gpu->pools->units, &compute->spans);
    job->done(job->argument);
}

/* Ends the job, unless jobs that have begun meanwhile delay it. */
static void look(void *argument)
{
    struct compute_job *job = argument;
    sim_time now_ps = sim_now(job->gpu->sim), until_ps = end_ps(job, now_ps);
    if (until_ps > now_ps)
        schedule_look(job, until_ps);
    else
        finish(job);
}

/* Notes the parameters of the memory's shares. Beside wavefronts a device's share depends on how many the GPU has room for. */
static void note_memory(struct gpu *gpu)
{
    GPU_NOTE(gpu, wave_in_flight_bytes);
    if (gpu->compute.dram->flows.counts[false] > 0) {
        GPU_NOTE(gpu, compute_units);
        GPU_NOTE(gpu, waves_per_cu);
    }
    if (gpu->memory.directory == NULL) {
        GPU_NOTE(gpu, memory_latency_ps);
        GPU_NOTE(gpu, memory_rate_Bps);
    } else {
        GPU_NOTE(gpu, directory_latency_ps);
    }
}

static void note_uses(struct gpu *gpu, const struct gpu_work *work)
{
    if (work->flops > 0 || work->bytes > 0 || work->memory_bytes > 0)
        GPU_NOTE(gpu, clock_Hz);
    if (work->flops > 0) {
        GPU_NOTE(gpu, lanes);
        GPU_NOTE(gpu, instruction_cycles);
        GPU_NOTE(gpu, simds_per_cu);
    }
    if (work->bytes > 0 || work->memory_bytes > 0) {
        GPU_NOTE(gpu, l1.latency_cycles);
        GPU_NOTE(gpu, l2.latency_cycles);
    }
    if (work->memory_bytes > 0)
        note_memory(gpu);
    if (work->row_bytes > 0)
        GPU_NOTE(gpu, memory_channels);
}

static void start(struct gpu *gpu, struct compute_job *job)
{
    struct compute *compute = &gpu->compute;
    note_uses(gpu, &job->work);
    sim_time now_ps = sim_now(gpu->sim);
    job->start_ps = now_ps;
    job->is_alone = compute->jobs == 0;
    count_job(job, 1);
    job->memory =
        (struct shared_job){.asks = memory_weight(job) * memory_of(job)->most, .is_counted = true};
    begin(memory_of(job), &job->memory, now_ps, memory_amount(job), memory_weight(job));
    job->parts = (struct list){NULL, NULL};
    if (compute->alone != NULL)
        spread(compute->alone, now_ps);
    compute->alone = job->is_alone ? job : NULL;
    if (!job->is_alone)
        spread(job, now_ps);
    schedule_look(job, end_ps(job, now_ps));
    if (job->memory.is_at_work)
        device_memory_flow_begins(&gpu->memory);
}

void compute_begin(struct gpu *gpu, struct compute_job *job)
{
    check_release(job->groups > 0 && job->waves > 0, "work of %lld work-groups of %lld wavefronts",
                  (long long)job->groups, (long long)job->waves);
    job->gpu = gpu;
    job->most_on_unit = most_on_unit(job);
    job->least_ps = least_of(gpu, &job->work);
    start(gpu, job);
}

/* --- jobs that are cut short -------------------------------------------------------------------- */

static double share_left(struct shared_rate *rate, const struct shared_job *job, double amount,
                         sim_time now_ps)
{
    return amount > 0 ? shared_rate_left(rate, job, now_ps) / amount : 0;
}

static double part_left(const struct compute_job *job, struct unit_part *part, sim_time now_ps)
{
    double count = (double)part->groups;
    double simds =
        share_left(&part->span->simds, &part->simds, count * (double)job->work.flops, now_ps);
    double way = share_left(&part->span->way, &part->way, count * (double)job->work.bytes, now_ps);
    return MAX(simds, way);
}

double compute_left(struct compute_job *job)
{
    sim_time now_ps = sim_now(job->gpu->sim);
    sim_time until_ps = own_end_ps(job);
    double left =
        until_ps > now_ps ? (double)(until_ps - now_ps) / (double)(until_ps - job->start_ps) : 0;
    double memory = share_left(memory_of(job), &job->memory, memory_amount(job), now_ps);
    left = MAX(left, memory);
    LIST_EACH (struct unit_part, part, &job->parts, of_job) {
        double of_part = part_left(job, part, now_ps);
        left = MAX(left, of_part);
    }
    return left;
}

static void shorten(struct shared_rate *rate, struct shared_job *job, double by, sim_time now_ps)
{
    double left = shared_rate_left(rate, job, now_ps);
    if (!job->is_at_work)
        return;
    shared_rate_take_out(rate, job, now_ps);
    begin(rate, job, now_ps, MAX(left - by, 0), job->weight);
}

static void shorten_part(const struct compute_job *job, struct unit_part *part, double dropped,
                         sim_time now_ps)
{
    double count = (double)part->groups;
    shorten(&part->span->simds, &part->simds, dropped * count * (double)job->work.flops, now_ps);
    shorten(&part->span->way, &part->way, dropped * count * (double)job->work.bytes, now_ps);
}

void compute_shorten(struct compute_job *job, int64_t numerator, int64_t denominator)
{
    sim_time now_ps = sim_now(job->gpu->sim);
    double dropped = 1 - (double)numerator / (double)denominator;
    LIST_EACH (struct unit_part, part, &job->parts, of_job)
        shorten_part(job, part, dropped, now_ps);
    shorten(memory_of(job), &job->memory, dropped * memory_amount(job), now_ps);
    struct gpu_work *work = &job->work;
    work->flops = muldiv_ceil(work->flops, numerator, denominator);
    work->bytes = muldiv_ceil(work->bytes, numerator, denominator);
    work->memory_bytes = muldiv_ceil(work->memory_bytes, numerator, denominator);
    work->row_bytes = muldiv_ceil(work->row_bytes, numerator, denominator);
    work->latency_ps = muldiv_ceil(work->latency_ps, numerator, denominator);
    job->least_ps = least_of(job->gpu, work);
    event_cancel(job->gpu->sim->events, job->end);
    schedule_look(job, MAX(end_ps(job, now_ps), now_ps));
}

/* --- of a work-group's program ------------------------------------------------------------------ */

static void wake(void *process)
{
    process_wake(process);
}

static void run_job(struct work_group *wg, struct compute_job *job)
{
    process_sync(wg->process);
    compute_begin(wg->gpu, job);
    process_suspend(wg->process, "its computation");
}

void work_group_compute(struct work_group *wg, const struct gpu_work *work)
{
    struct compute_job job = {.work = *work,
                              .groups = 1,
                              .waves = wg->waves,
                              .unit = wg->compute_unit,
                              .done = wake,
                              .argument = wg->process};
    run_job(wg, &job);
}

void work_group_compute_many(struct work_group *wg, const struct gpu_work *work, int64_t groups)
{
    int64_t units = wg->gpu->spec->compute_units;
    struct unit_run *counts = pool_take_unset(&wg->gpu->pools->counts);
    const struct unit_room one = {.groups = 1};
    int64_t end = wg->compute_unit + groups % units;
    counts[0] = (struct unit_run){(int32_t)units, {.groups = (int32_t)(groups / units)}};
    unit_runs_take(counts, units, wg->compute_unit, MIN(end, units), one, -1);
    unit_runs_take(counts, units, 0, end - units, one, -1);
    struct compute_job job = {.work = *work,
                              .groups = groups,
                              .waves = wg->waves,
                              .counts = counts,
                              .done = wake,
                              .argument = wg->process};
    run_job(wg, &job);
    pool_give(&wg->gpu->pools->counts, counts);
}

/* --- a work-group's instructions and copies -------------------------------------------------------- */

sim_time work_group_copy_ps(const struct work_group *wg, int64_t bytes)
{
    return transfer_ps(bytes, GPU_READ(wg->gpu, copy_rate_Bps));
}

sim_time work_group_copies(struct work_group *wg, sim_time start_ps, int64_t bytes)
{
    sim_time *free_ps = &wg->gpu->compute_units[wg->compute_unit].copy_free_ps;
    *free_ps = MAX(*free_ps, start_ps) + work_group_copy_ps(wg, bytes);
    return *free_ps;
}

int64_t work_groups_beside(const struct work_group *wg, bool on_unit)
{
    const struct gpu *gpu = wg->gpu;
    int64_t room = unit_run_of(gpu->rooms, wg->compute_unit)->room.groups;
    return on_unit ? gpu->spec->work_groups_per_cu - room - 1 : gpu->running - 1;
}

sim_time work_group_time_ps(const struct work_group *wg, int64_t instructions)
{
    const struct gpu *gpu = wg->gpu;
    return cycles_ps(instructions * GPU_READ(gpu, instruction_cycles), GPU_READ(gpu, clock_Hz));
}

void work_group_barrier(struct work_group *wg)
{
    const struct gpu *gpu = wg->gpu;
    process_sleep(wg->process, cycles_ps(GPU_READ(gpu, barrier_cycles), GPU_READ(gpu, clock_Hz)));
}
