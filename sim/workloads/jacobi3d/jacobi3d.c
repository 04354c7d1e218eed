/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/jacobi3d/jacobi3d.h"

#include "core/error.h"
#include "protocols/shmem/software.h"

static const char *const scaling_names[] = {"weak", "strong", NULL};
static const char *const completion_names[] = {"async", "sync", NULL};
static const char *const threads_names[] = {"max", "sum", NULL};
static const char *const fusion_names[] = {"none", "A", "unpack", "B", "update_pack", "C", NULL};
static const char *const exchange_names[] = {"runtime", "peer_copies", "staged_copies", NULL};
static const char *const check_names[] = {"false",      "true",         "wrong_face",
                                          "early_pack", "early_update", NULL};

#define DEFAULT_DESIGN "openmpi-d"
#define SPEC struct jacobi3d_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, DEFAULT_DESIGN, "The runtime that moves the halo, and how."),
    PARAM_ENUM(
        exchange, SPEC, "runtime", exchange_names,
        "Who moves the halo: the design's runtime; or a host thread for each GPU of one process, by copies from GPU to GPU, or to "
        "host memory and from there."),
    PARAM_COUNT(nodes, SPEC, "1", "1", "65536", "Number of nodes."),
    PARAM_COUNT(gpus, SPEC, "0", "0", "64", "GPUs of a node that take part; 0: all of them."),
    PARAM_COUNT(grid, SPEC, "192", "2", "1048576",
                "Cells along each dimension: of a node (weak scaling) or in all (strong scaling)."),
    PARAM_ENUM(scaling, SPEC, "weak", scaling_names,
               "Weak scaling: with each doubling of the nodes one dimension is doubled, in the"
               " order x, y, z."),
    PARAM_COUNT(odf, SPEC, "1", "1", "64", "Blocks of a GPU (overdecomposition factor)."),
    PARAM_COUNT(iterations, SPEC, "100", "1", "100000", "Measured iterations."),
    PARAM_COUNT(warmup, SPEC, "10", "0", "1000000", "Repetitions before those that are measured."),
    PARAM_NUMBER(tolerance, SPEC, "0", "0", "0.5",
                 "If the mean of four iterations and that of the four before differ by at most "
                 "this share, the remaining iterations are assumed to be like them; 0: only if "
                 "they repeat exactly."),
    PARAM_FLAG(optimised, SPEC, "true",
               "The host synchronises with the GPU once an iteration, before the exchange, and "
               "copies in each direction have a stream of their own; false: it does so after the "
               "update, too, and copies use the stream of the kernels that pack and unpack."),
    PARAM_ENUM(completion, SPEC, "async", completion_names,
               "Chares learn of the GPU by callbacks, or by a call that blocks their PE."),
    PARAM_FLAG(priorities, SPEC, "true",
               "Streams of the exchange have a higher priority than those of updates."),
    PARAM_ENUM(fusion, SPEC, "none", fusion_names,
               "Which kernels are fused: all that pack (A); all that unpack; both (B); update "
               "and packing; all (C)."),
    PARAM_ENUM(fused_threads, SPEC, "max", threads_names,
               "Threads of a kernel for several faces: as many as the largest face has cells, "
               "or as all faces have."),
    PARAM_FLAG(graph, SPEC, "false", "Launch two CUDA graphs in turn instead of single kernels."),
    PARAM_FLAG(overlap, SPEC, "false",
               "Manual overlap: cells that need no ghosts are updated during the exchange."),
    PARAM_FLAG(oversized_halo, SPEC, "false",
               "Messages are 8 times as long as faces, as Charm4py's program has it."),
    PARAM_ENUM(
        check, SPEC, "false", check_names,
        "Carry real data and compare the result with a plain loop, for small grids. Other values carry wrong data, to test the check: a message with the wrong face, packing that does not wait for the update, or an update that does not wait for unpacking."),
};
#undef SPEC
static PARAM_TABLE(jacobi3d_params, "jacobi3d", struct jacobi3d_spec, params,
                   "A 7-point stencil in three dimensions on GPUs, in blocks.");

#define OVERSIZED 8
#define WINDOW 4 /* iterations whose means are compared */
#define THREADS 512

int64_t jacobi_face_bytes(const struct jacobi3d *run, int face)
{
    int64_t bytes = CELL_BYTES * block_grid_face_cells(&run->grid, face);
    return run->spec->oversized_halo ? OVERSIZED * bytes : bytes;
}

/* --- what observers hear -------------------------------------------------------------------------
 *
 * What Jacobi3D tells observers of its time: iterations of its PEs, divided by the activity of PE, GPU and network, and the
 * messages of the halo. An iteration begins when all blocks have ended the previous one and lasts until all have ended it, so
 * its time is the same for each PE, and the one that the workload reports. Without a listener only traffic that leaves a node
 * is counted. */

static bool is_measured(const struct jacobi_block *block)
{
    return block->iteration >= block->run->spec->warmup;
}

static int64_t node_of(const struct jacobi3d *run, int64_t block)
{
    return run->blocks[block].pe->process->node;
}

/* Notes that a face's message begins, or that `block` has received it, to count the bytes that a node has under way to others. */
static void leaves(struct jacobi_block *block, int face)
{
    struct jacobi3d *run = block->run;
    int64_t node = node_of(run, block->number);
    if (node == node_of(run, block->neighbours[face]))
        return;
    if (is_measured(block)) {
        run->sums.ahead_bytes += run->leaving_bytes[node];
        run->sums.messages++;
    }
    run->leaving_bytes[node] += jacobi_face_bytes(run, face);
}

static void arrives(const struct jacobi_block *block, int face)
{
    const struct jacobi3d *run = block->run;
    int64_t node = node_of(run, block->neighbours[face]);
    if (node != node_of(run, block->number))
        run->leaving_bytes[node] -= jacobi_face_bytes(run, face);
}

static struct observe *observe_of(const struct jacobi3d *run)
{
    return &run->job->sim->observe;
}

static void observe_open(struct jacobi3d *run)
{
    run->iterations_origin = (struct observe_origin){
        .path = "iterations", .callers = "PE", .is_iteration = true, .design = &run->spec->design};
    run->messages_origin =
        (struct observe_origin){.path = "messages", .callers = "PE", .design = &run->spec->design};
    for (int64_t i = 0; i < run->pe_count; i++)
        run->pes[i].process->cpu.place =
            observe_place_new(observe_of(run), &run->iterations_origin, (uint32_t)i, STAGE_IDLE, 0);
}

static void change_under_way(struct observe_place *place, sim_time at_ps, int change)
{
    if (place != NULL)
        observe_place_change(place, STAGE_EXPOSED, at_ps, change);
}

void jacobi_start(struct jacobi_block *block, struct message *message)
{
    struct jacobi3d *run = block->run;
    struct cpu *cpu = &block->pe->process->cpu;
    uint64_t before = cpu->operation;
    if (!message->is_receive)
        leaves(block, (int)message->number);
    if (!message->is_receive && cpu->place != NULL) {
        bool is_measured = block->iteration >= run->spec->warmup;
        cpu_work_for(cpu, is_measured ? observe_begin(observe_of(run), &run->messages_origin,
                                                      (uint32_t)block->pe->rank, cpu_now(cpu))
                                      : 0);
        change_under_way(cpu->place, cpu_now(cpu), 1);
        change_under_way(run->pes[message->peer].process->cpu.place, cpu_now(cpu), 1);
    }
    messenger_start(run->runtime, block->pe->rank, message);
    cpu_work_for(cpu, before);
}

void jacobi_observe_sent(const struct jacobi_block *block, int count)
{
    const struct cpu *cpu = &block->pe->process->cpu;
    change_under_way(cpu->place, cpu_now(cpu), -count);
}

void jacobi_observe_received(const struct jacobi_block *block, const struct message *message)
{
    const struct cpu *cpu = &block->pe->process->cpu;
    arrives(block, (int)message->number);
    if (cpu->place == NULL)
        return;
    observe_end_at(observe_of(block->run), message->operation, cpu_now(cpu), cpu->place);
    change_under_way(cpu->place, cpu_now(cpu), -1);
}

static void observe_iteration(struct jacobi3d *run, int64_t iteration)
{
    sim_time end_ps = steady_stop_end_ps(&run->pace, iteration);
    for (int64_t i = 0; i < run->pe_count && observe_wants_operations(observe_of(run)); i++)
        observe_place_cut(run->pes[i].process->cpu.place, end_ps, iteration >= run->spec->warmup,
                          sim_now(run->job->sim));
}

static void observe_ended(struct jacobi3d *run)
{
    const struct observe_repeat repeat = steady_stop_repeat(&run->pace);
    for (int64_t i = 0; i < run->pe_count; i++)
        observe_place_finish(run->pes[i].process->cpu.place);
    observe_counted_on(observe_of(run), &run->iterations_origin, &repeat);
}

/* --- times ---------------------------------------------------------------------------------------- */

/* Gathers what cores and GPUs have done so far. */
static void gather(struct jacobi3d *run)
{
    struct jacobi_sums *sums = &run->sums;
    for (int account = 0; account < CPU_ACCOUNTS; account++)
        sums->cpu_ps[account] = 0;
    sums->gpu_busy_ps = sums->kernels_ps = sums->kernels = 0;
    for (int64_t i = 0; i < run->pe_count; i++) {
        const struct job_process *process = run->pes[i].process;
        struct cuda_kernel_time kernels = cuda_device_kernels(process->device);
        for (int account = 0; account < CPU_ACCOUNTS; account++)
            sums->cpu_ps[account] += process->cpu.time_ps[account];
        sums->kernels_ps += kernels.sum_ps;
        sums->kernels += kernels.kernels;
        sums->gpu_busy_ps += cuda_device_busy_ps(process->device);
    }
}

void jacobi_timer_starts(struct jacobi_block *block)
{
    block->timer_ps = cpu_now(&block->pe->process->cpu);
    if (!jacobi_packs_apart(block->run->spec))
        block->exchange_ps[block->iteration % 2] = block->timer_ps;
}

void jacobi_timer_stops(struct jacobi_block *block)
{
    struct jacobi_sums *sums = &block->run->sums;
    if (block->number != 0 || !is_measured(block))
        return;
    sums->timer_ps += cpu_now(&block->pe->process->cpu) - block->timer_ps;
    sums->timers++;
}

void jacobi_iteration_ended(struct jacobi_block *block)
{
    struct jacobi3d *run = block->run;
    const struct job_process *process = block->pe->process;
    sim_time now_ps = cpu_now(&process->cpu);
    struct steady_step step = {
        .took_ps = now_ps - block->ended_ps,
        .now_ps = now_ps,
        .stock = run->runtime != NULL ? runtime_stock(run->runtime, block->pe->rank) : 0,
        .level = process->heap.used_bytes + (process->heap.touched_bytes << 20)};
    block->ended_ps = now_ps;
    if (!steady_stop_note(&run->pace, block->iteration, block->number, &step))
        return;
    if (block->iteration + 1 >= run->spec->warmup)
        stat_unit_ends(&run->iterations, now_ps);
    observe_iteration(run, block->iteration);
    if (block->iteration + 1 != run->spec->warmup && block->iteration != run->pace.last)
        return;
    gather(run);
    if (block->iteration + 1 == run->spec->warmup) {
        run->before = run->sums;
        run_energy_begins(world_cluster(run->world), now_ps);
    } else {
        run_energy_ends(world_cluster(run->world), now_ps);
    }
}

/* --- results -------------------------------------------------------------------------------------- */

/* Adds the mean for one PE and iteration. */
static void add_mean(const struct jacobi3d *run, struct workload_result *result, const char *name,
                     sim_time sum_ps)
{
    int64_t shares = run->pe_count * steady_stop_simulated(&run->pace);
    workload_add_quantity(result, name, UNIT_TIME, sum_ps / shares);
}

static void report_cores(const struct jacobi3d *run, struct workload_result *result)
{
    sim_time busy_ps = 0, idle_ps = run->sums.cpu_ps[CPU_WAIT] - run->before.cpu_ps[CPU_WAIT];
    for (int account = 0; account < CPU_ACCOUNTS; account++)
        if (account != CPU_WAIT)
            busy_ps += run->sums.cpu_ps[account] - run->before.cpu_ps[account];
    add_mean(run, result, "pe_busy", busy_ps);
    add_mean(run, result, "pe_idle", idle_ps);
    add_mean(run, result, "pe_cuda", run->sums.cpu_ps[CPU_CUDA] - run->before.cpu_ps[CPU_CUDA]);
    workload_add_ratio(result, "pe_utilisation",
                       (double)busy_ps / (double)MAX(busy_ps + idle_ps, 1));
}

static void report_gpus(const struct jacobi3d *run, sim_time iteration_ps,
                        struct workload_result *result)
{
    sim_time busy_ps = (run->sums.gpu_busy_ps - run->before.gpu_busy_ps) / run->pe_count /
                       steady_stop_simulated(&run->pace);
    int64_t kernels = run->sums.kernels - run->before.kernels;
    workload_add_quantity(result, "gpu_busy", UNIT_TIME, busy_ps);
    workload_add_quantity(result, "exposed", UNIT_TIME, MAX(iteration_ps - busy_ps, 0));
    add_mean(run, result, "kernel_time", run->sums.kernels_ps - run->before.kernels_ps);
    workload_add_ratio(result, "kernels",
                       (double)kernels /
                           (double)(run->pe_count * steady_stop_simulated(&run->pace)));
}

static void report(const struct jacobi3d *run, struct workload_result *result)
{
    const struct jacobi_sums *sums = &run->sums, *before = &run->before;
    sim_time iteration_ps = steady_stop_total_ps(&run->pace) / run->spec->iterations;
    int64_t exchanges = sums->exchanges - before->exchanges;
    workload_add_mean_quantity(result, "iteration", UNIT_TIME, iteration_ps, &run->iterations);
    workload_add_quantity(result, "communication", UNIT_TIME,
                          sums->timer_ps / MAX(sums->timers, 1));
    workload_add_quantity(result, "exchange", UNIT_TIME,
                          (sums->exchange_ps - before->exchange_ps) / MAX(exchanges, 1));
    report_gpus(run, iteration_ps, result);
    report_cores(run, result);
    workload_add_quantity(result, "early_messages", UNIT_COUNT, sums->early - before->early);
    workload_add_quantity(result, "bytes_ahead", UNIT_BYTES,
                          sums->ahead_bytes / MAX(sums->messages, 1));
    workload_add_quantity(result, "blocks", UNIT_COUNT, run->block_count);
    workload_add_quantity(result, "blocks_x", UNIT_COUNT, run->grid.blocks[0]);
    workload_add_quantity(result, "blocks_y", UNIT_COUNT, run->grid.blocks[1]);
    workload_add_quantity(result, "blocks_z", UNIT_COUNT, run->grid.blocks[2]);
    workload_add_quantity(result, "iterations_run", UNIT_COUNT, steady_stop_simulated(&run->pace));
    workload_add_quantity(result, "period", UNIT_COUNT, run->pace.period);
    world_report(run->world, (double)steady_stop_simulated(&run->pace), result);
}

/* --- the run -------------------------------------------------------------------------------------- */

/* Whether the program waits, with one block for each rank. */
static bool is_waiting_program(const struct design *design)
{
    const struct runtime_ops *runtime = runtime_of(design);
    return runtime != NULL && !runtime->has_chares;
}

/* The most cells of a block: 16 TB, many times the memory of a GPU. */
#define MOST_CELLS (INT64_C(1) << 40)

static bool decompose(struct jacobi3d *run, GError **error)
{
    const struct jacobi3d_spec *spec = run->spec;
    int64_t cells[AXES] = {spec->grid, spec->grid, spec->grid}, nodes = 1;
    for (int axis = 0; spec->scaling == SCALING_WEAK && nodes < spec->nodes; nodes *= 2)
        cells[axis++ % AXES] *= 2;
    if (spec->scaling == SCALING_WEAK && nodes != spec->nodes)
        return error_set(
            error, "nodes = %lld: weak scaling doubles dimensions, so nodes are a power of two",
            (long long)spec->nodes);
    run->grid = block_grid_find(cells, run->block_count);
    for (int axis = 0; axis < AXES; axis++)
        if (run->grid.cells[axis] == 0)
            return error_set(
                error, "%lld blocks of a grid of %lld x %lld x %lld cells have less than one cell",
                (long long)run->block_count, (long long)cells[0], (long long)cells[1],
                (long long)cells[2]);
    int64_t block = run->grid.cells[0] * run->grid.cells[1] * run->grid.cells[2];
    return block <= MOST_CELLS ||
           error_set(error, "grid = %lld: a block has %lld cells; at most %lld are accepted",
                     (long long)spec->grid, (long long)block, (long long)MOST_CELLS);
}

/* Refuses parameters of a runtime for threads that copy, which have none. */
static bool threads_go(const struct jacobi3d_spec *spec, GError **error)
{
    const char *reason = NULL;
    char text[PARAM_TEXT_SIZE];
    if (!g_str_equal(design_text(&spec->design, text), DEFAULT_DESIGN))
        reason =
            "exchange = \"peer_copies\" and \"staged_copies\" take no design: no runtime moves "
            "the halo";
    else if (spec->nodes > 1)
        reason =
            "exchange = \"peer_copies\" and \"staged_copies\" take one node: one process has all GPUs";
    else if (spec->overlap || spec->oversized_halo || spec->completion != COMPLETION_ASYNC ||
             !spec->optimised)
        reason = "overlap, oversized_halo, completion and optimised go with exchange = \"runtime\"";
    return reason == NULL || error_set(error, "%s", reason);
}

/* Refuses options without an effect, however the halo moves. */
static bool does_something(const struct jacobi3d_spec *spec, GError **error)
{
    if (spec->fused_threads == THREADS_SUM && spec->fusion == FUSION_NONE)
        return error_set(error,
                         "fused_threads = \"sum\" takes a kernel for several faces: fusion A, "
                         "unpack, B, update_pack or C");
    return !spec->graph || spec->fusion != FUSION_UNPACK ||
           error_set(error, "graph = true goes with fusion none, A, B, C or update_pack");
}

static bool goes_together(const struct jacobi3d_spec *spec, GError **error)
{
    if (!does_something(spec, error))
        return false;
    if (jacobi_has_threads(spec))
        return threads_go(spec, error);
    bool waits = is_waiting_program(&spec->design);
    bool is_fused = spec->fusion != FUSION_NONE || spec->graph;
    const struct runtime_ops *runtime = runtime_of(&spec->design);
    bool is_python = runtime != NULL && runtime->interpreter_ps != NULL;
    const char *reason = NULL;
    if (waits && spec->odf > 1)
        reason = "odf > 1 takes chares of Charm++: ranks that wait have a block each";
    else if (is_fused && is_python)
        reason = "fusion and graphs take a program that is not in Python";
    else if (spec->overlap && (!waits || is_python || spec->graph || spec->fusion == FUSION_C ||
                               spec->fusion == FUSION_UPDATE_PACK))
        reason = "overlap = true takes a program of ranks that waits, and an update by itself";
    else if (waits && spec->completion == COMPLETION_SYNC)
        reason = "completion = \"sync\" is of chares; ranks that wait always do";
    else if (spec->oversized_halo && !is_python)
        reason = "oversized_halo is a fault of Charm4py's program";
    return reason == NULL || error_set(error, "%s", reason);
}

static bool may_stop(const struct machine_spec *machine, const struct jacobi3d_spec *spec,
                     GError **error)
{
    const struct software_spec *software = machine_part(machine, &software_params);
    return !software->exact || spec->tolerance == 0 ||
           error_set(error,
                     "software.exact = true simulates all iterations: tolerance has to be 0");
}

static struct world *make_world(const struct jacobi3d *run, uint64_t seed,
                                const struct job_place *places, GError **error)
{
    struct world_setup setup = {.design = jacobi_has_threads(run->spec) ? NULL : &run->spec->design,
                                .seed = seed,
                                .is_application = true,
                                .places = places,
                                .place_count = run->pe_count,
                                .groups = 1,
                                .threads = THREADS,
                                .served_places = run->pe_count};
    return world_new(run->machine, &setup, error);
}

static void make_blocks(struct jacobi3d *run)
{
    run->leaving_bytes = g_new0(int64_t, (gsize)run->spec->nodes);
    run->blocks = g_new0(struct jacobi_block, (gsize)run->block_count);
    run->pes = g_new0(struct jacobi_pe, (gsize)run->pe_count);
    for (int64_t i = 0; i < run->pe_count; i++)
        run->pes[i] =
            (struct jacobi_pe){.run = run, .rank = (int32_t)i, .process = &run->job->processes[i]};
    for (int64_t i = 0; i < run->block_count; i++) {
        struct jacobi_block *block = &run->blocks[i];
        block->run = run;
        block->number = i;
        block->pe = &run->pes[i / run->spec->odf];
        for (int face = 0; face < FACES; face++) {
            block->neighbours[face] = block_grid_neighbour(&run->grid, i, face);
            block->faces |= (uint8_t)((block->neighbours[face] >= 0) << face);
            block->face_count += block->neighbours[face] >= 0;
        }
    }
}

static void open_run(struct jacobi3d *run)
{
    const struct jacobi3d_spec *spec = run->spec;
    run->job = world_job(run->world);
    run->runtime = world_runtime(run->world);
    run->is_staged = spec->design.payload == PAYLOAD_STAGED;
    if (jacobi_has_threads(spec))
        run->is_staged = spec->exchange == EXCHANGE_STAGED;
    const struct runtime_ops *runtime = runtime_of(&spec->design);
    run->is_announced = runtime != NULL && runtime->announces;
    run->counts_sends = runtime != NULL && runtime->counts_sends;
    pool_init(&run->operations, sizeof(struct jacobi_operation));
    pool_init(&run->messages, sizeof(struct message));
    bool stops_early = !software_is_exact(run->machine, world_sim(run->world)) &&
                       !world_cluster(run->world)->is_interrupted;
    const struct steady_setup pace = {.warmup = spec->warmup,
                                      .steps = spec->iterations,
                                      .parties = run->block_count,
                                      .are_all = stops_early,
                                      .window = WINDOW,
                                      .tolerance = stops_early ? spec->tolerance : 0};
    steady_stop_open(&run->pace, &pace);
    make_blocks(run);
    observe_open(run);
}

static void close_run(struct jacobi3d *run)
{
    for (int64_t i = 0; i < run->block_count; i++) {
        jacobi_gpu_close(&run->blocks[i]);
        jacobi_field_close(&run->blocks[i]);
    }
    steady_stop_close(&run->pace);
    pool_clear(&run->operations);
    pool_clear(&run->messages);
    g_free(run->leaving_bytes);
    g_free(run->blocks);
    g_free(run->pes);
    g_free(run->wrong);
    world_free(run->world);
}

static bool run_world(struct jacobi3d *run, struct workload_result *result, GError **error)
{
    const struct jacobi3d_spec *spec = run->spec;
    g_autofree void **arguments = g_new(void *, (gsize)run->pe_count);
    for (int64_t i = 0; i < run->pe_count; i++)
        arguments[i] = run;
    party_program *program = jacobi_has_threads(spec)            ? jacobi_thread
                             : is_waiting_program(&spec->design) ? jacobi_rank
                                                                 : jacobi_chares;
    if (!world_run(run->world, program, arguments, error))
        return false;
    observe_ended(run);
    jacobi_field_compare(run, run->pace.last + 1);
    if (run->wrong != NULL)
        return error_set(error, "%s", run->wrong);
    report(run, result);
    return true;
}

static bool run_jacobi3d(const struct machine_spec *machine, const void *argument, uint64_t seed,
                         struct workload_result *result, GError **error)
{
    const struct jacobi3d_spec *spec = argument;
    struct jacobi3d run = {.spec = spec, .machine = machine};
    int64_t gpus = spec->gpus > 0 ? spec->gpus : topology_gpu_count(&machine->node);
    bool has_runtime = !jacobi_has_threads(spec);
    if ((has_runtime && !messenger_accepts(&spec->design, error)) || !goes_together(spec, error) ||
        !may_stop(machine, spec, error))
        return false;
    g_autofree struct job_place *places =
        world_places(machine, spec->nodes, "gpus", gpus, &run.pe_count, error);
    run.block_count = run.pe_count * spec->odf;
    if (places == NULL || !decompose(&run, error) || !jacobi_field_fits(&run, error))
        return false;
    run.world = make_world(&run, seed, places, error);
    if (run.world == NULL)
        return false;
    open_run(&run);
    bool good = run_world(&run, result, error);
    close_run(&run);
    return good;
}

/* Blocks are in GPU memory; payload = staged copies faces through host memory. */
static bool accepts(const struct design *design, GError **error)
{
    if (design->initiator == INITIATOR_HOST && design->heap != MEMORY_GPU)
        return error_set(
            error,
            "jacobi3d keeps its blocks in the memory of GPUs; it takes heap = gpu, with payload = "
            "direct or staged");
    return messenger_accepts(design, error);
}

const struct workload jacobi3d_workload = {
    .name = "jacobi3d",
    .params = &jacobi3d_params,
    .accepts = accepts,
    .run = run_jacobi3d,
};
