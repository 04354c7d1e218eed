/* Kernel launch and work-group dispatch. Kernels of one stream run in order; those of several streams,
 * and resident kernels, share the wavefronts' places. A work-group starts when a compute unit has room for
 * all its wavefronts, in order, round robin over the units; its waves are freed when its program returns. A
 * kernel whose work-groups wait for ones that have no room never ends: the run is then a deadlock, unless
 * the kernel is cooperative: then it is refused (ComPNet18 section 4.1; M-076). */
#include <glib.h>
#include <stdio.h>

#include "core/check.h"
#include "models/gpu/gpu_parts.h"

static int64_t waves_of(const struct gpu_spec *spec, int64_t threads)
{
    return (threads + spec->lanes - 1) / spec->lanes;
}

int64_t gpu_occupancy(const struct gpu_spec *spec, int64_t threads)
{
    return spec->waves_per_cu / waves_of(spec, threads) * spec->compute_units;
}

/* The next unit in turn with room for `waves`, or -1. */
static int64_t find_room(struct gpu *gpu, int64_t waves)
{
    for (int64_t i = 0; i < gpu->spec->compute_units; i++) {
        int64_t unit = (gpu->next_unit + i) % gpu->spec->compute_units;
        if (gpu->compute_units[unit].free_waves >= waves) {
            gpu->next_unit = (unit + 1) % gpu->spec->compute_units;
            return unit;
        }
    }
    return -1;
}

static void kernel_has_finished(void *argument)
{
    struct kernel *kernel = argument;
    kernel->is_finished = true;
    signal_all(&kernel->finished);
}

static void dispatch(struct gpu *gpu);

static void remember_work_group(struct work_group *wg)
{
    wg->next = wg->gpu->work_groups;
    if (wg->next != NULL)
        wg->next->previous = wg;
    wg->gpu->work_groups = wg;
}

static void forget_work_group(struct work_group *wg)
{
    if (wg->previous != NULL)
        wg->previous->next = wg->next;
    else
        wg->gpu->work_groups = wg->next;
    if (wg->next != NULL)
        wg->next->previous = wg->previous;
    g_free(wg);
}

void gpu_dispatch_clear(struct gpu *gpu)
{
    while (gpu->work_groups != NULL)
        forget_work_group(gpu->work_groups);
}

static bool is_resident(const struct kernel *kernel)
{
    return kernel->name != NULL;
}

/* The first kernel from `first` on in the stream of `like`, or NULL. */
static struct kernel *find_in_stream(struct kernel *first, const struct kernel *like)
{
    struct kernel *kernel = first;
    while (kernel != NULL && (is_resident(kernel) || kernel->stream != like->stream))
        kernel = kernel->next;
    return is_resident(like) ? NULL : kernel;
}

static void kernel_starts(void *argument)
{
    struct kernel *kernel = argument;
    kernel->is_running = true;
    dispatch(kernel->gpu);
}

static void start_kernel(struct gpu *gpu, struct kernel *kernel)
{
    event_schedule(gpu->sim->events, sim_now(gpu->sim) + gpu->spec->kernel_launch_ps, kernel_starts,
                   kernel);
}

static void end_kernel(struct gpu *gpu, struct kernel *kernel)
{
    struct kernel **place = &gpu->kernels;
    while (*place != kernel)
        place = &(*place)->next;
    *place = kernel->next;
    event_schedule(gpu->sim->events, sim_now(gpu->sim) + gpu->spec->kernel_end_ps,
                   kernel_has_finished, kernel);
    struct kernel *next = find_in_stream(gpu->kernels, kernel);
    if (next != NULL)
        start_kernel(gpu, next);
}

static void work_group_has_ended(struct work_group *wg)
{
    struct gpu *gpu = wg->gpu;
    struct kernel *kernel = wg->kernel;
    gpu->compute_units[wg->compute_unit].free_waves += wg->waves;
    kernel->ended++;
    forget_work_group(wg);
    if (kernel->ended == kernel->work_groups)
        end_kernel(gpu, kernel);
    dispatch(gpu);
}

static void run_work_group(struct process *self, void *argument)
{
    (void)self;
    struct work_group *wg = argument;
    wg->kernel->program(wg, wg->kernel->argument);
    memory_client_release(&wg->memory, SCOPE_DEVICE); /* its stores outlive it */
    work_group_has_ended(wg);
}

static void start_work_group(struct gpu *gpu, struct kernel *kernel, int64_t unit, int64_t waves)
{
    struct compute_unit *cu = &gpu->compute_units[unit];
    cu->free_waves -= waves;
    struct work_group *wg = g_new0(struct work_group, 1);
    wg->gpu = gpu;
    wg->kernel = kernel;
    wg->index = kernel->dispatched++;
    wg->compute_unit = unit;
    wg->waves = waves;
    remember_work_group(wg);
    memory_client_init(&wg->memory, &gpu->memory, cu->l1,
                       cycles_ps(gpu->spec->l1_latency_cycles, gpu->spec->clock_Hz), L2_FROM_CU);
    char name[96];
    if (is_resident(kernel))
        g_strlcpy(name, kernel->name, sizeof name);
    else
        snprintf(name, sizeof name, "%s.wg%lld", gpu->path, (long long)wg->index);
    wg->process =
        process_spawn(gpu->sim->processes, name, run_work_group, wg, sim_now(gpu->sim), 0);
    wg->memory.process = wg->process;
}

/* False if there is no room for all of it. */
static bool dispatch_kernel(struct gpu *gpu, struct kernel *kernel)
{
    int64_t waves = waves_of(gpu->spec, kernel->threads);
    while (kernel->is_running && kernel->dispatched < kernel->work_groups) {
        int64_t unit = find_room(gpu, waves);
        if (unit < 0)
            return false;
        start_work_group(gpu, kernel, unit, waves);
    }
    return true;
}

static void dispatch(struct gpu *gpu)
{
    struct kernel *kernel = gpu->kernels;
    while (kernel != NULL && dispatch_kernel(gpu, kernel))
        kernel = kernel->next;
}

int64_t gpu_resident_waves(const struct gpu *gpu)
{
    int64_t waves = 0;
    for (const struct kernel *kernel = gpu->kernels; kernel != NULL; kernel = kernel->next)
        waves += is_resident(kernel) ? kernel->work_groups * waves_of(gpu->spec, kernel->threads) : 0;
    return waves;
}

/* The resident wavefronts lie round robin over the units. */
int64_t gpu_room(const struct gpu *gpu, int64_t threads)
{
    const struct gpu_spec *spec = gpu->spec;
    int64_t resident = gpu_resident_waves(gpu), room = 0;
    for (int64_t unit = 0; unit < spec->compute_units; unit++) {
        int64_t here = (resident + spec->compute_units - 1 - unit) / spec->compute_units;
        if (here < spec->waves_per_cu)
            room += (spec->waves_per_cu - here) / waves_of(spec, threads);
    }
    return room;
}

static bool kernel_fits(const struct gpu *gpu, const struct kernel *kernel, char *why,
                        size_t why_size)
{
    const struct gpu_spec *spec = gpu->spec;
    if (kernel->work_groups < 1 || kernel->threads < 1 ||
        waves_of(spec, kernel->threads) > spec->waves_per_cu) {
        snprintf(why, why_size,
                 "a kernel of %lld work-groups of %lld work-items does not fit a compute unit of "
                 "%lld wavefronts of %lld lanes",
                 (long long)kernel->work_groups, (long long)kernel->threads,
                 (long long)spec->waves_per_cu, (long long)spec->lanes);
        return false;
    }
    int64_t fit = gpu_room(gpu, kernel->threads);
    bool must_fit = kernel->is_cooperative || is_resident(kernel);
    if (must_fit && kernel->work_groups > fit) {
        snprintf(
            why, why_size,
            "a cooperative kernel of %lld work-groups of %lld work-items does not fit at once: "
            "%lld fit on %lld compute units of %lld wavefronts",
            (long long)kernel->work_groups, (long long)kernel->threads, (long long)fit,
            (long long)spec->compute_units, (long long)spec->waves_per_cu);
        return false;
    }
    return true;
}

bool gpu_launch(struct gpu *gpu, struct kernel *kernel, char *why, size_t why_size)
{
    if (!kernel_fits(gpu, kernel, why, why_size))
        return false;
    signal_init(&kernel->finished);
    kernel->is_finished = kernel->is_running = false;
    kernel->dispatched = kernel->ended = 0;
    kernel->gpu = gpu;
    kernel->next = NULL;
    bool is_first = find_in_stream(gpu->kernels, kernel) == NULL;
    struct kernel **place = &gpu->kernels;
    while (*place != NULL)
        place = &(*place)->next;
    *place = kernel;
    if (is_first)
        start_kernel(gpu, kernel);
    return true;
}

const struct kernel *gpu_kernel(const struct gpu *gpu)
{
    const struct kernel *kernel = gpu->kernels;
    while (kernel != NULL && is_resident(kernel))
        kernel = kernel->next;
    return kernel;
}

/* The list begins with the last one dispatched. */
void gpu_visit_work_groups(const struct gpu *gpu, work_group_visit_fn *visit, void *argument)
{
    const struct work_group *wg = gpu->work_groups;
    while (wg != NULL && wg->next != NULL)
        wg = wg->next;
    for (; wg != NULL; wg = wg->previous)
        if (!is_resident(wg->kernel))
            visit(wg, argument);
}

sim_time work_group_time_ps(const struct work_group *wg, int64_t instructions)
{
    const struct gpu_spec *spec = wg->gpu->spec;
    return cycles_ps(instructions * spec->instruction_cycles, spec->clock_Hz);
}

void work_group_execute(struct work_group *wg, int64_t instructions)
{
    process_sleep(wg->process, work_group_time_ps(wg, instructions));
}

void work_group_barrier(struct work_group *wg)
{
    const struct gpu_spec *spec = wg->gpu->spec;
    process_sleep(wg->process, cycles_ps(spec->barrier_cycles, spec->clock_Hz));
}
