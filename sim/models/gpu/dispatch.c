/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel launch and work-group dispatch. Kernels of one stream run in order; those of several streams, and resident kernels,
 * share the wavefronts' places. A work-group starts when a compute unit has room for all its wavefronts, in order, round robin
 * over the units; its waves are freed when its program returns. A kernel whose work-groups wait for others that have no room
 * never ends: the run is then a deadlock. A cooperative kernel without room is refused (ComPNet18 section 4.1; M-076). */
#include <stdio.h>

#include "core/error.h"
#include "models/gpu/gpu_parts.h"

/* Equal work-groups of a kernel that are only counted. They work as one job, in `rounds` rounds one after the other; or they
 * only hold their places. */
struct cohort {
    struct kernel *kernel;
    struct list_link link; /* of the kernel */
    struct compute_job job;
    struct unit_run *counts; /* work-groups on each CU */
    int64_t groups;          /* work-groups at a time */
    int64_t rounds;          /* 0: they hold their places */
};

static int64_t waves_of(const struct gpu_spec *spec, int64_t threads)
{
    return (threads + spec->lanes - 1) / spec->lanes;
}

static int32_t capped(int64_t amount)
{
    return (int32_t)MIN(amount, INT32_MAX);
}

static struct unit_room room_of(const struct gpu_spec *spec)
{
    return (struct unit_room){capped(spec->work_groups_per_cu), capped(spec->waves_per_cu),
                              capped(spec->registers_bytes), GPU_LDS_BYTES};
}

/* The room that one of the kernel's work-groups takes: registers are given out to whole wavefronts. */
static struct unit_room needs_of(const struct gpu_spec *spec, const struct kernel *kernel)
{
    int64_t waves = waves_of(spec, kernel->threads);
    return (struct unit_room){1, capped(waves), capped(4 * kernel->registers * waves * spec->lanes),
                              capped(kernel->lds_bytes)};
}

static int32_t times(int32_t room, int32_t need)
{
    return need > 0 ? room / need : INT32_MAX;
}

/* How many work-groups with these needs fit into the room. */
static int32_t fitting(struct unit_room room, struct unit_room needs)
{
    int32_t fit = MIN(times(room.groups, needs.groups), times(room.waves, needs.waves));
    fit = MIN(fit, times(room.registers_bytes, needs.registers_bytes));
    return MIN(fit, times(room.lds_bytes, needs.lds_bytes));
}

int64_t gpu_kernel_occupancy(const struct gpu_spec *spec, const struct kernel *kernel)
{
    return fitting(room_of(spec), needs_of(spec, kernel)) * spec->compute_units;
}

static bool has_room(const struct unit_room *room, const struct unit_room *needs)
{
    return room->groups >= needs->groups && room->waves >= needs->waves &&
           room->registers_bytes >= needs->registers_bytes && room->lds_bytes >= needs->lds_bytes;
}

/* The run of the next unit in turn with room for one work-group, or NULL. */
static const struct unit_run *find_room(const struct gpu *gpu, const struct unit_room *needs,
                                        int64_t *unit)
{
    int64_t units = gpu->spec->compute_units, passed = 0;
    const struct unit_run *run = unit_run_of(gpu->rooms, gpu->next_unit);
    *unit = gpu->next_unit;
    while (passed < units && !has_room(&run->room, needs)) {
        passed += run->end - *unit;
        *unit = run->end < units ? run->end : 0;
        run = *unit > 0 ? run + 1 : gpu->rooms;
    }
    return passed < units ? run : NULL;
}

/* Takes one place on each of the next units in turn, as far as they are neighbours in one run: from `*first` on, at most `most`.
 * Returns how many. */
static int64_t take_next(struct gpu *gpu, struct unit_room needs, int64_t most, int64_t *first)
{
    int64_t units = gpu->spec->compute_units;
    const struct unit_run *run = find_room(gpu, &needs, first);
    if (run == NULL)
        return 0;
    int64_t end = MIN(*first + most, run->end);
    gpu->next_unit = end % units;
    unit_runs_take(gpu->rooms, units, *first, end, needs, 1);
    return end - *first;
}

/* How many work-groups, at most `most`, there is room for on every unit. */
static int64_t fitting_on_each(const struct gpu *gpu, struct unit_room needs, int64_t most)
{
    const struct unit_run *run = gpu->rooms;
    for (; run->end < gpu->spec->compute_units; run++)
        most = MIN(most, fitting(run->room, needs));
    return MIN(most, fitting(run->room, needs));
}

static void kernel_has_finished(void *argument)
{
    struct kernel *kernel = argument;
    kernel->is_finished = true;
    signal_all(&kernel->finished);
    if (kernel->done != NULL)
        kernel->done(kernel->done_argument);
}

static void dispatch(struct gpu *gpu);
static void end_cohort(struct gpu *gpu, struct cohort *cohort);

static void forget_work_group(struct work_group *wg)
{
    list_remove(&wg->gpu->work_groups, &wg->link);
    wg->gpu->running--;
    g_free(wg);
}

size_t gpu_cohort_bytes(void)
{
    return sizeof(struct cohort);
}

void gpu_dispatch_init(struct gpu *gpu)
{
    int64_t units = gpu->spec->compute_units;
    gpu->rooms = g_new(struct unit_run, (gsize)units);
    gpu->rooms[0] = (struct unit_run){(int32_t)units, room_of(gpu->spec)};
}

void gpu_dispatch_clear(struct gpu *gpu)
{
    while (!list_is_empty(&gpu->work_groups))
        forget_work_group(LIST_FIRST(&gpu->work_groups, struct work_group, link));
    g_free(gpu->rooms);
}

static bool is_resident(const struct kernel *kernel)
{
    return kernel->name != NULL;
}

/* The first kernel in the stream of `like`, or NULL. */
static struct kernel *find_in_stream(const struct gpu *gpu, const struct kernel *like)
{
    LIST_EACH (struct kernel, kernel, &gpu->kernels, link)
        if (!is_resident(kernel) && kernel->stream == like->stream)
            return is_resident(like) ? NULL : kernel;
    return NULL;
}

static void kernel_starts(void *argument)
{
    struct kernel *kernel = argument;
    kernel->is_running = true;
    dispatch(kernel->gpu);
}

static void start_kernel(struct gpu *gpu, struct kernel *kernel)
{
    sim_time launch_ps = kernel->is_queued ? 0 : GPU_READ(gpu, kernel_launch_ps);
    event_schedule(gpu->sim->events, sim_now(gpu->sim) + launch_ps, kernel_starts, kernel);
}

static void end_kernel(struct gpu *gpu, struct kernel *kernel)
{
    sim_time end_ps = kernel->is_queued ? 0 : GPU_READ(gpu, kernel_end_ps);
    while (!list_is_empty(&kernel->cohorts)) /* the cohorts that held their places */
        end_cohort(gpu, LIST_FIRST(&kernel->cohorts, struct cohort, link));
    list_remove(&gpu->kernels, &kernel->link);
    event_schedule(gpu->sim->events, sim_now(gpu->sim) + end_ps, kernel_has_finished, kernel);
    struct kernel *next = find_in_stream(gpu, kernel);
    if (next != NULL)
        start_kernel(gpu, next);
}

/* Counts `count` work-groups that have ended, of those that the kernel's end waits for. */
static void count_ended(struct gpu *gpu, struct kernel *kernel, int64_t count)
{
    kernel->ended += count;
    if (kernel->ended == (kernel->programs > 0 ? kernel->programs : kernel->work_groups))
        end_kernel(gpu, kernel);
    dispatch(gpu);
}

static void work_group_has_ended(struct work_group *wg)
{
    struct gpu *gpu = wg->gpu;
    struct kernel *kernel = wg->kernel;
    unit_runs_take(gpu->rooms, gpu->spec->compute_units, wg->compute_unit, wg->compute_unit + 1,
                   needs_of(gpu->spec, kernel), -1);
    gpu->ended_ps += is_resident(kernel) ? 0 : process_now(wg->process) - wg->started_ps;
    forget_work_group(wg);
    count_ended(gpu, kernel, 1);
}

static void observe_work_group(const struct work_group *wg)
{
    struct observe *observe = &wg->gpu->sim->observe;
    char name[32];
    snprintf(name, sizeof name, "CU %lld", (long long)wg->compute_unit);
    observe_span(observe, observe_track(observe, wg->gpu->path, name), "work-group", wg->started_ps,
                 process_now(wg->process), 0);
}

static void run_work_group(struct process *self, void *argument)
{
    struct work_group *wg = argument;
    (void)self;
    wg->kernel->program(wg, wg->kernel->argument);
    memory_client_release(&wg->memory,
                          SCOPE_DEVICE); /* its stores are performed after it has ended */
    if (observe_wants_spans(&wg->gpu->sim->observe))
        observe_work_group(wg);
    work_group_has_ended(wg);
}

static void start_work_group(struct gpu *gpu, struct kernel *kernel, int64_t unit, int64_t waves)
{
    struct compute_unit *cu = &gpu->compute_units[unit];
    struct work_group *wg = g_new0(struct work_group, 1);
    wg->gpu = gpu;
    wg->kernel = kernel;
    wg->index = kernel->dispatched++;
    wg->compute_unit = unit;
    wg->waves = waves;
    list_append(&gpu->work_groups, &wg->link);
    gpu->running++;
    if (cu->l1 == NULL)
        cu->l1 = cache_new(gpu->spec->l1.size_bytes, gpu->spec->l1.ways, true);
    memory_client_init(&wg->memory, &gpu->memory, cu->l1,
                       cycles_ps(gpu->spec->l1.latency_cycles, gpu->spec->clock_Hz), L2_FROM_CU);
    char name[96];
    if (is_resident(kernel))
        g_strlcpy(name, kernel->name, sizeof name);
    else
        snprintf(name, sizeof name, "%s.wg%lld", gpu->path, (long long)wg->index);
    gpu->dispatch_free_ps = MAX(gpu->dispatch_free_ps, sim_now(gpu->sim));
    wg->started_ps = gpu->dispatch_free_ps;
    wg->process = process_spawn(gpu->sim->processes, name, run_work_group, wg,
                                gpu->dispatch_free_ps, (size_t)wg->kernel->stack_bytes);
    if (gpu->started > 0)
        GPU_NOTE(gpu, dispatch_gap_ps);
    gpu->dispatch_free_ps += gpu->spec->dispatch_gap_ps;
    wg->memory.process = wg->process;
    wg->memory.fences = gpu->spec->fence_gather_ps > 0 ? &cu->fences : NULL;
    wg->memory.port_offset_ps = gpu_port_offset_ps(gpu->spec, unit);
    wg->memory.is_spread = unit > 0; /* the first unit lies in the middle */
    wg->memory.turn = (int16_t)(POLL_TURN_WORK_GROUPS + gpu->started++ % POLL_WORK_GROUPS);
}

/* --- work-groups that are counted --------------------------------------------------------------- */

/* Takes places for up to `most` work-groups, in turn over the CUs: one place on each as long as every CU has one, then as
 * take_next does. Returns the number of places taken. */
static int64_t take_places(struct gpu *gpu, const struct kernel *kernel, int64_t most,
                           struct unit_run *counts)
{
    const struct unit_room needs = needs_of(gpu->spec, kernel), one = {.groups = 1};
    int64_t units = gpu->spec->compute_units, each = fitting_on_each(gpu, needs, most / units),
            taken = units * each;
    counts[0] = (struct unit_run){(int32_t)units, {.groups = (int32_t)each}};
    unit_runs_take(gpu->rooms, units, 0, units, needs, (int32_t)each);
    for (int64_t first, count;
         taken < most && (count = take_next(gpu, needs, most - taken, &first)) > 0; taken += count)
        unit_runs_take(counts, units, first, first + count, one, -1);
    return taken;
}

/* Makes a cohort of as many work-groups as have a place; NULL if none has. */
static struct cohort *cohort_new(struct gpu *gpu, struct kernel *kernel)
{
    struct cohort *cohort = pool_take(&gpu->pools->cohorts);
    cohort->kernel = kernel;
    cohort->counts = pool_take_unset(&gpu->pools->counts);
    cohort->groups =
        take_places(gpu, kernel, kernel->work_groups - kernel->dispatched, cohort->counts);
    if (cohort->groups > 0) {
        list_prepend(&kernel->cohorts, &cohort->link);
        return cohort;
    }
    pool_give(&gpu->pools->counts, cohort->counts);
    pool_give(&gpu->pools->cohorts, cohort);
    return NULL;
}

/* Ends a cohort and frees its places. */
static void end_cohort(struct gpu *gpu, struct cohort *cohort)
{
    struct kernel *kernel = cohort->kernel;
    const struct unit_room needs = needs_of(gpu->spec, kernel);
    int64_t units = gpu->spec->compute_units, first = 0;
    for (const struct unit_run *run = cohort->counts; first < units; first = run++->end)
        unit_runs_take(gpu->rooms, units, first, run->end, needs, -run->room.groups);
    list_remove(&kernel->cohorts, &cohort->link);
    pool_give(&gpu->pools->counts, cohort->counts);
    pool_give(&gpu->pools->cohorts, cohort);
}

static void cohort_is_done(void *argument)
{
    struct cohort *cohort = argument;
    struct kernel *kernel = cohort->kernel;
    struct gpu *gpu = kernel->gpu;
    int64_t ended = cohort->groups * cohort->rounds;
    end_cohort(gpu, cohort);
    count_ended(gpu, kernel, ended);
}

static struct gpu_work work_times(const struct gpu_work *work, int64_t rounds)
{
    struct gpu_work all = *work;
    all.flops *= rounds;
    all.bytes *= rounds;
    all.memory_bytes *= rounds;
    all.latency_ps *= rounds;
    return all;
}

/* Starts as many work-groups as have room, for all whole rounds that the kernel's work-groups make. */
static bool start_cohort(struct gpu *gpu, struct kernel *kernel)
{
    int64_t left = kernel->work_groups - kernel->dispatched;
    struct cohort *cohort = cohort_new(gpu, kernel);
    if (cohort == NULL)
        return false;
    cohort->rounds = left / cohort->groups;
    kernel->dispatched += cohort->rounds * cohort->groups;
    struct gpu_work work = work_times(&kernel->work, cohort->rounds);
    sim_time gaps_ps = cohort->groups * GPU_READ(gpu, dispatch_gap_ps);
    work.latency_ps = MAX(work.latency_ps + gaps_ps, cohort->rounds * gaps_ps);
    cohort->job = (struct compute_job){.work = work,
                                       .groups = cohort->groups,
                                       .waves = waves_of(gpu->spec, kernel->threads),
                                       .counts = cohort->counts,
                                       .done = cohort_is_done,
                                       .argument = cohort};
    compute_begin(gpu, &cohort->job);
    return true;
}

/* Takes rounds that have not begun from the kernel's cohorts, because places have become free or a more urgent kernel waits. */
static void cut_cohorts(struct kernel *kernel)
{
    LIST_EACH (struct cohort, cohort, &kernel->cohorts, link) {
        if (cohort->rounds <= 1)
            continue;
        double done = (1 - compute_left(&cohort->job)) * (double)cohort->rounds;
        int64_t begun = MIN((int64_t)done + 1, cohort->rounds);
        if (begun == cohort->rounds)
            continue;
        compute_shorten(&cohort->job, begun, cohort->rounds);
        kernel->dispatched -= (cohort->rounds - begun) * cohort->groups;
        cohort->rounds = begun;
    }
}

/* Once the work-groups that run the program have their places, the others take theirs. */
static void hold_places(struct gpu *gpu, struct kernel *kernel)
{
    struct cohort *cohort = cohort_new(gpu, kernel);
    check_always(cohort != NULL, "a cooperative kernel has no room");
    kernel->dispatched += cohort->groups;
}

/* --- dispatch ----------------------------------------------------------------------------------- */

static bool is_counted(const struct kernel *kernel)
{
    return kernel->program == NULL;
}

/* Gives a place to the kernel's first work-group that has none yet. Returns false if there is no place. */
static bool dispatch_next(struct gpu *gpu, struct kernel *kernel)
{
    const struct unit_room needs = needs_of(gpu->spec, kernel);
    if (is_counted(kernel))
        return start_cohort(gpu, kernel);
    if (kernel->programs > 0 && kernel->dispatched >= kernel->programs) {
        hold_places(gpu, kernel);
        return true;
    }
    int64_t unit;
    if (take_next(gpu, needs, 1, &unit) == 0)
        return false;
    start_work_group(gpu, kernel, unit, needs.waves);
    return true;
}

/* Whether rounds of the kernel could begin now in places that are free. */
static bool could_spread(struct gpu *gpu, const struct kernel *kernel)
{
    bool has_rounds = false;
    LIST_EACH (const struct cohort, cohort, &kernel->cohorts, link)
        has_rounds = has_rounds || cohort->rounds > 1;
    if (!has_rounds)
        return false;
    const struct unit_room needs = needs_of(gpu->spec, kernel);
    int64_t unit;
    return find_room(gpu, &needs, &unit) != NULL;
}

/* Dispatches the kernel. Returns false if there is no room for all of it. */
static bool dispatch_kernel(struct gpu *gpu, struct kernel *kernel)
{
    if (!kernel->is_running)
        return true;
    if (could_spread(gpu, kernel))
        cut_cohorts(kernel);
    while (kernel->dispatched < kernel->work_groups)
        if (!dispatch_next(gpu, kernel))
            return false;
    return true;
}

/* Dispatches all kernels. One that does not fit holds up the kernels behind it, and their rounds that have not begun. */
static void dispatch(struct gpu *gpu)
{
    bool all_fit = true;
    LIST_EACH (struct kernel, kernel, &gpu->kernels, link) {
        if (all_fit)
            all_fit = dispatch_kernel(gpu, kernel);
        else
            cut_cohorts(kernel);
    }
}

int64_t gpu_resident_waves(const struct gpu *gpu)
{
    int64_t waves = 0;
    LIST_EACH (const struct kernel, kernel, &gpu->kernels, link)
        waves +=
            is_resident(kernel) ? kernel->work_groups * waves_of(gpu->spec, kernel->threads) : 0;
    return waves;
}

/* How many of the kernel's work-groups fit beside the resident wavefronts, each of which is a work-group, dealt out round robin
 * over the units. */
static int64_t room_for(const struct gpu *gpu, const struct kernel *kernel)
{
    const struct gpu_spec *spec = gpu->spec;
    const struct unit_room needs = needs_of(spec, kernel);
    int64_t resident = gpu_resident_waves(gpu), room = 0;
    for (int64_t unit = 0; unit < spec->compute_units; unit++) {
        int64_t here = (resident + spec->compute_units - 1 - unit) / spec->compute_units;
        struct unit_room left = room_of(spec);
        unit_room_take(&left, (struct unit_room){.groups = 1, .waves = 1}, capped(here));
        if (left.waves > 0 && left.groups > 0)
            room += fitting(left, needs);
    }
    return room;
}

int64_t gpu_room(const struct gpu *gpu, int64_t threads)
{
    return room_for(gpu, &(struct kernel){.threads = threads});
}

bool gpu_kernel_fits(const struct gpu_spec *spec, const struct kernel *kernel, GError **error)
{
    if (kernel->work_groups < 1 || kernel->threads < 1 ||
        waves_of(spec, kernel->threads) > spec->waves_per_cu)
        error_set(error,
                  "a kernel of %lld work-groups of %lld work-items does not fit a compute unit of "
                  "%lld wavefronts of %lld lanes",
                  (long long)kernel->work_groups, (long long)kernel->threads,
                  (long long)spec->waves_per_cu, (long long)spec->lanes);
    else if (fitting(room_of(spec), needs_of(spec, kernel)) < 1)
        error_set(
            error,
            "a work-group of %lld work-items with %lld registers each and %lld bytes of LDS does not fit a "
            "compute unit of %lld bytes of registers and %d of LDS",
            (long long)kernel->threads, (long long)kernel->registers, (long long)kernel->lds_bytes,
            (long long)spec->registers_bytes, GPU_LDS_BYTES);
    else
        return true;
    return false;
}

static bool kernel_fits(const struct gpu *gpu, const struct kernel *kernel, GError **error)
{
    const struct gpu_spec *spec = gpu->spec;
    if (!gpu_kernel_fits(spec, kernel, error))
        return false;
    if (!kernel->is_cooperative && !is_resident(kernel) && kernel->programs == 0)
        return true;
    int64_t fit = room_for(gpu, kernel);
    if (kernel->work_groups > fit)
        return error_set(
            error,
            "a cooperative kernel of %lld work-groups of %lld work-items does not fit at once: "
            "%lld fit on %lld compute units of %lld wavefronts",
            (long long)kernel->work_groups, (long long)kernel->threads, (long long)fit,
            (long long)spec->compute_units, (long long)spec->waves_per_cu);
    return true;
}

/* Notes the parameters that limit how many of the kernel's work-groups run at a time. */
static void note_room(const struct gpu *gpu, const struct kernel *kernel)
{
    if (kernel->work_groups > 1 || !list_is_empty(&gpu->kernels)) {
        GPU_NOTE(gpu, compute_units);
        GPU_NOTE(gpu, work_groups_per_cu);
    }
    GPU_NOTE(gpu, waves_per_cu);
    GPU_NOTE(gpu, lanes);
    if (kernel->registers > 0)
        GPU_NOTE(gpu, registers_bytes);
}

bool gpu_launch(struct gpu *gpu, struct kernel *kernel, GError **error)
{
    if (!kernel_fits(gpu, kernel, error))
        return false;
    signal_init(&kernel->finished);
    kernel->is_finished = kernel->is_running = false;
    kernel->dispatched = kernel->ended = 0;
    kernel->gpu = gpu;
    kernel->cohorts = (struct list){NULL, NULL};
    note_room(gpu, kernel);
    bool is_first = find_in_stream(gpu, kernel) == NULL;
    struct kernel *next = LIST_FIRST(&gpu->kernels, struct kernel, link);
    while (next != NULL && next->priority <= kernel->priority)
        next = LIST_NEXT(next, struct kernel, link);
    list_insert(&gpu->kernels, &kernel->link, next != NULL ? &next->link : NULL);
    if (is_first)
        start_kernel(gpu, kernel);
    return true;
}

const struct kernel *gpu_kernel(const struct gpu *gpu)
{
    LIST_EACH (const struct kernel, kernel, &gpu->kernels, link)
        if (!is_resident(kernel))
            return kernel;
    return NULL;
}

void gpu_visit_work_groups(const struct gpu *gpu, work_group_visit_fn *visit, void *argument)
{
    LIST_EACH (const struct work_group, wg, &gpu->work_groups, link)
        if (!is_resident(wg->kernel))
            visit(wg, argument);
}

static int64_t lines_of(const struct device_memory *memory)
{
    int64_t lines = memory->writebacks->value;
    for (int from = 0; from < L2_REQUESTERS; from++)
        lines += from == L2_FROM_BUS ? 0 : memory->misses[from]->value;
    for (int from = 0; from < L2_POLLERS; from++)
        lines += memory->poll_misses[from]->value;
    return lines;
}

struct gpu_activity gpu_activity(const struct gpu *gpu, sim_time now_ps)
{
    struct gpu_activity activity = {gpu->ended_ps, lines_of(&gpu->memory)};
    LIST_EACH (const struct work_group, wg, &gpu->work_groups, link)
        if (!is_resident(wg->kernel))
            activity.work_group_ps += MAX(now_ps - wg->started_ps, 0);
    return activity;
}
