/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce: every place has the sum of all places' buffers. ComPNet18 section 5.4, Figs 10 and 11 (M-085, M-086).
 *
 *   ring      reduce-scatter and allgather around a ring: N - 1 steps each of an N-th of the buffer. In a kernel
 *             there are several rings, one a work-group: work-group i receives from work-group i of the place before
 *             and sends to that of the place behind, its slice in chunks, of which a step's first is on its way while its
 *             last is still coming; what has come is reduced by the same work-group. By ranks one ring of whole blocks:
 *             non-blocking send and receive, and a reduction of its own behind them (Baidu's allreduce).
 *   hierarchical  the same within each node, and between nodes (ring_phases.h)
 *   doubling  recursive doubling with all of the buffer: few steps, for small ones
 *   tree      a binomial tree and back
 *   auto      whichever of these is the fastest: each is tried once, rings until their steps are steady
 */
#include <glib.h>
#include <math.h>
#include <stdio.h>

#include "core/error.h"
#include "core/stat.h"
#include "workloads/apps/allreduce.h"
#include "workloads/apps/ring_phases.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/patterns/carry.h"
#include "workloads/patterns/collective.h"
#include "workloads/patterns/steady_stop.h"
#include "workloads/transfer/transfer.h"

static const char *const algorithm_names[] = {"auto",     "ring", "hierarchical",
                                              "doubling", "tree", NULL};

static const char *const memory_names[] = {"design", "host", "copied", NULL};

enum check { CHECK_NONE, CHECK_TRUE, FAULT_LOST_CHUNK, FAULT_WRONG_BLOCK };
static const char *const check_names[] = {"false", "true", "lost_chunk", "wrong_block", NULL};

#define SPEC struct allreduce_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "", ""),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "64MiB", "4B", "16GiB", NULL,
     "Size of each GPU's buffer, of numbers of 4 B.", NULL},
    PARAM_ENUM(
        algorithm, SPEC, "auto", algorithm_names,
        "ring: through all GPUs; hierarchical: rings within nodes, and between nodes for each"
        " part; doubling, tree: few steps with all of the buffer; auto: the fastest on this"
        " machine, by a short trial of each."),
    SHARED_ROW(rings, SPEC, "8"),
    PARAM_SHARE("", chunk_bytes, SPEC, &chunk_row, "chunk=64KiB", ""),
    SHARED_ROW(threads, SPEC, "256"),
    PARAM_ENUM(memory, SPEC, "design", memory_names,
               "Where ranks' buffers lie: where the design has them; in host memory; or in GPU"
               " memory, copied once to the host before the allreduce and back after it, as "
               "MPI libraries do with small buffers, and as CPUs do that reduce what GPUs "
               "computed."),
    SHARED_ROW(repeats, SPEC, "1"),
    PARAM_COUNT(warmup, SPEC, "1", "0", "100000",
                "Warm-up allreduces that are not measured; a barrier follows them."),
    SHARED_ROW(tolerance, SPEC, "0"),
    PARAM_ENUM(
        check, SPEC, "false", check_names,
        "Carry real data and compare the result with a plain sum, for small buffers. Other values carry wrong data, to test the check: a chunk that is not reduced, or a chunk that is mistaken for its neighbour."),
};
#undef SPEC
PARAM_TABLE_SHARING(allreduce_params, "allreduce", struct allreduce_spec, params,
                    "Every place gets the sum of all places' buffers.");

#define ELEMENT_BYTES 4
#define MOST_CHECKED_BYTES 16384
#define WINDOW 8 /* steps whose means are compared */

struct allreduce_run {
    const struct allreduce_spec *spec;
    struct world *world;
    int64_t algorithm; /* not auto */
    bool is_kernel, is_ring;
    int64_t places, rings;
    struct ring_plan plan;
    struct ring_phase phases[RING_PHASES_MOST]; /* of place 0 in the first ring */
    int phase_count;                            /* 0: no rings */
    struct transfer_buffer buffer;
    struct collective collective;
    struct steady_stop stops[RING_PHASES_MOST]; /* of the phases' steps */
    double **data;                              /* by place; NULL: none */
    struct carry *carry;
    char *wrong;
    struct stat_units units; /* repeats, of one party */
    sim_time first_ps;
    struct place_end *ends; /* by place */
};

/* --- data --------------------------------------------------------------------------------------- */

static int64_t elements_of(const struct allreduce_run *run)
{
    return (run->spec->bytes + ELEMENT_BYTES - 1) / ELEMENT_BYTES;
}

static double start_value(int64_t place, int64_t element)
{
    return (double)(place + 1) * (double)(element % 97 + 1);
}

static void note_wrong(struct allreduce_run *run, const char *what, int64_t place)
{
    if (run->wrong == NULL)
        run->wrong =
            g_strdup_printf("the pattern is wrong: %s, at place %lld", what, (long long)place);
}

static void make_data(struct allreduce_run *run)
{
    if (!run->spec->check)
        return;
    run->carry = carry_new();
    run->data = g_new0(double *, (gsize)run->places);
    for (int64_t place = 0; place < run->places; place++) {
        run->data[place] = g_new(double, (gsize)elements_of(run));
        for (int64_t i = 0; i < elements_of(run); i++)
            run->data[place][i] = start_value(place, i);
    }
}

/* Sums of whole numbers, which are exact in any order. */
static void compare(struct allreduce_run *run)
{
    for (int64_t place = 0; run->data != NULL && place < run->places; place++)
        for (int64_t i = 0; i < elements_of(run); i++) {
            double sum = (double)(run->places * (run->places + 1) / 2) * (double)(i % 97 + 1);
            if (run->data[place][i] != sum)
                note_wrong(run, "an element differs from a plain sum", place);
        }
    if (carry_left(run->carry) != 0)
        note_wrong(run, "messages were sent that nobody received", 0);
}

static void free_data(struct allreduce_run *run)
{
    for (int64_t place = 0; run->data != NULL && place < run->places; place++)
        g_free(run->data[place]);
    g_free(run->data);
    carry_free(run->carry);
    g_free(run->wrong);
}

/* --- rings -------------------------------------------------------------------------------------- */

/* Where a party is in its ring: in step `number` of a phase, or before the first one. */
struct ring_step {
    const struct ring_phase *phase; /* NULL: none */
    int64_t number;
};

static struct carry_flow flow_of(const struct party *party, const struct ring_phase *phase,
                                 bool is_send)
{
    int64_t place = party->place;
    return is_send ? (struct carry_flow){place, party->group, phase->next, party->group, 0}
                   : (struct carry_flow){phase->before, party->group, place, party->group, 0};
}

static int64_t bytes_of(struct ring_range range)
{
    return MAX(range.count, 1) * ELEMENT_BYTES;
}

static void send_chunk(struct allreduce_run *run, struct party *party, struct ring_step step,
                       int64_t chunk, struct message *message)
{
    struct ring_range range = ring_sent(step.phase, step.number, chunk);
    transfer_send(party, message, step.phase->next, party->group, 0, run->buffer, bytes_of(range));
    if (run->data != NULL)
        carry_send(run->carry, flow_of(party, step.phase, true),
                   run->data[party->place] + range.first, range.count);
}

static void expect_chunk(struct allreduce_run *run, struct party *party, struct ring_step step,
                         int64_t chunk, struct message *message)
{
    struct ring_range range = ring_received(step.phase, step.number, chunk);
    transfer_receive(party, message, step.phase->before, party->group, 0, run->buffer,
                     bytes_of(range));
}

/* What has come is reduced, or is the sum already. */
static void take_data(struct allreduce_run *run, struct party *party, struct ring_step step,
                      struct ring_range range)
{
    if (run->data == NULL)
        return;
    g_autofree double *other = g_new0(double, (gsize)range.count + 1);
    bool reduces = step.phase->reduces;
    bool is_fault = party->place == 1 && party->group == 0 && reduces && step.number == 0;
    if (!carry_receive(run->carry, flow_of(party, step.phase, false), other, range.count))
        note_wrong(run, "a chunk was not sent", party->place);
    if (is_fault && run->spec->check == FAULT_LOST_CHUNK)
        return;
    if (is_fault && run->spec->check == FAULT_WRONG_BLOCK)
        range.first = range.first > 0 ? range.first - 1 : range.first + 1;
    double *own = run->data[party->place] + range.first;
    for (int64_t i = 0; i < range.count; i++)
        own[i] = reduces ? own[i] + other[i] : other[i];
}

static void take_chunk(struct allreduce_run *run, struct party *party, struct ring_step step,
                       int64_t chunk)
{
    struct ring_range range = ring_received(step.phase, step.number, chunk);
    take_data(run, party, step, range);
    if (!step.phase->reduces || range.count == 0)
        return;
    struct transfer_loop loop = collective_loop(bytes_of(range), 2 * run->spec->bytes);
    transfer_loop(party, 0, &loop);
    transfer_finish(party, 0);
}

static void receive_chunk(struct allreduce_run *run, struct party *party, struct ring_step step,
                          int64_t chunk)
{
    struct message message;
    expect_chunk(run, party, step, chunk, &message);
    transfer_wait(party, &message, 1);
    take_chunk(run, party, step, chunk);
}

/* A step in a kernel: each chunk is sent after the one of its number has come in the step before, if there is one. */
static void step_in_kernel(struct allreduce_run *run, struct party *party, struct ring_step before,
                           struct ring_step step)
{
    struct message message;
    for (int64_t chunk = 0; chunk < ring_phase_chunks(step.phase); chunk++) {
        if (before.phase != NULL)
            receive_chunk(run, party, before, chunk);
        send_chunk(run, party, step, chunk, &message);
    }
}

/* What has not been received yet of a kernel's last step. */
static void finish_in_kernel(struct allreduce_run *run, struct party *party, struct ring_step last)
{
    for (int64_t chunk = 0; last.phase != NULL && chunk < ring_phase_chunks(last.phase); chunk++)
        receive_chunk(run, party, last, chunk);
}

/* A step of a rank's ring: a block goes, one comes, and is reduced. */
static void step_on_rank(struct allreduce_run *run, struct party *party, struct ring_step step)
{
    struct message messages[2];
    expect_chunk(run, party, step, 0, &messages[0]);
    send_chunk(run, party, step, 0, &messages[1]);
    transfer_wait(party, messages, 2);
    take_chunk(run, party, step, 0);
}

/* A phase's steps, or as many as it takes to know how long they are. Returns the last one done. */
static struct ring_step go_around(struct allreduce_run *run, struct party *party,
                                  const struct ring_phase *phase, struct steady_stop *stop,
                                  struct ring_step before)
{
    bool is_timed = stop != NULL && party->place == 0 && party->group == 0;
    if (is_timed)
        stop->start_ps = party_now(party);
    for (int64_t i = 0;
         i < ring_phase_steps(phase) && (stop == NULL || steady_stop_begins(stop, i)); i++) {
        struct ring_step step = {phase, i};
        if (run->is_kernel)
            step_in_kernel(run, party, before, step);
        else
            step_on_rank(run, party, step);
        before = step;
        if (is_timed)
            steady_stop_note(stop, i, 0, &(struct steady_step){.now_ps = party_now(party)});
    }
    return before;
}

static void ring(struct allreduce_run *run, struct party *party, int64_t repeat)
{
    bool counts = run->spec->tolerance > 0 && repeat >= run->spec->warmup;
    struct ring_phase phases[RING_PHASES_MOST];
    int count = ring_phases(&run->plan, party->place, party->group, phases);
    struct ring_step last = {NULL, 0};
    for (int i = 0; i < count; i++) {
        if (run->is_kernel && !phases[i].is_chained) {
            finish_in_kernel(run, party, last);
            last.phase = NULL;
        }
        last = go_around(run, party, &phases[i], counts ? &run->stops[i] : NULL, last);
    }
    if (run->is_kernel)
        finish_in_kernel(run, party, last);
}

/* --- the run ------------------------------------------------------------------------------------ */

/* Of a rank's GPU, to the host or back. */
static void copy_whole(const struct allreduce_run *run, struct party *party, bool to_host)
{
    struct job_process *process = &world_job(run->world)->processes[party->place];
    struct block host = job_host_block(process, BLOCK_PINNED, 1, run->spec->bytes);
    struct block device = job_device_block(process, 2, run->spec->bytes);
    cuda_copy(process->stream, &process->cpu, to_host ? host : device, to_host ? device : host);
}

static void small(struct allreduce_run *run, struct party *party)
{
    double *data = run->data != NULL ? run->data[party->place] : NULL;
    bool good = run->algorithm == ALGORITHM_TREE
                    ? collective_tree(party, &run->collective, data, elements_of(run))
                    : collective_doubling(party, &run->collective, data, elements_of(run));
    if (!good)
        note_wrong(run, "a part was not sent", party->place);
}

static void start_clock(struct allreduce_run *run, const struct party *party)
{
    run->first_ps = party_now(party);
    world_measures_from(run->world, run->first_ps);
}

static void program(struct party *party, void *argument)
{
    struct allreduce_run *run = argument;
    const struct allreduce_spec *spec = run->spec;
    bool is_timed = party->place == 0 && party->group == 0;
    for (int64_t i = 0; i < spec->warmup + spec->repeats; i++) {
        if (i == spec->warmup && i > 0) /* what a place got from one ahead of it would be free */
            transfer_barrier_all(party);
        if (is_timed && i == spec->warmup)
            start_clock(run, party);
        if (is_timed && i >= spec->warmup)
            stat_unit_ends(&run->units, party_now(party));
        transfer_end_iteration(party, party_now(party));
        if (i >= spec->warmup && party->group == 0)
            transfer_begin_iteration(party);
        if (spec->memory == MEMORY_COPIED)
            copy_whole(run, party, true);
        if (run->is_ring)
            ring(run, party, i);
        else
            small(run, party);
        if (spec->memory == MEMORY_COPIED)
            copy_whole(run, party, false);
    }
    if (is_timed)
        stat_unit_ends(&run->units, party_now(party));
    transfer_end_last(party, &run->ends[party->place], run->rings);
    if (party->place == 0 && run->ends[0].count == run->rings)
        world_measures_to(run->world, run->ends[0].last_ps);
}

static void report(struct allreduce_run *run, struct workload_result *result)
{
    const struct allreduce_spec *spec = run->spec;
    sim_time simulated_ps = run->ends[0].last_ps - run->first_ps, total_ps = simulated_ps;
    int64_t steps = 0;
    for (int i = 0; i < run->phase_count; i++) {
        total_ps += steady_stop_rest_ps(&run->stops[i]);
        steps += ring_phase_steps(&run->phases[i]) - steady_stop_left(&run->stops[i]);
    }
    double share = (double)total_ps / (double)MAX(simulated_ps, 1);
    double bound = 2.0 * (double)(run->places - 1) / (double)run->places * (double)spec->bytes;
    workload_add_mean_time(result, "duration", total_ps / spec->repeats, &run->units);
    workload_add_quantity(
        result, "bus_bandwidth", UNIT_RATE,
        (int64_t)(bound * 1e12 / ((double)MAX(total_ps, 1) / (double)spec->repeats)));
    workload_add_quantity(result, "steps_run", UNIT_COUNT, steps);
    world_report(run->world, (double)spec->repeats / share, result);
}

static int64_t rounded_up(int64_t bytes, int64_t parts)
{
    int64_t elements = (bytes + ELEMENT_BYTES - 1) / ELEMENT_BYTES;
    return MAX((elements + parts - 1) / parts, 1) * ELEMENT_BYTES;
}

/* A ring has no less than an element of each place's block. */
static void plan(struct allreduce_run *run)
{
    const struct allreduce_spec *spec = run->spec;
    run->places = spec->places.nodes * spec->places.gpus_per_node;
    run->is_kernel = spec->places.design.initiator != INITIATOR_HOST;
    run->is_ring = run->algorithm == ALGORITHM_RING || run->algorithm == ALGORITHM_HIERARCHICAL;
    int64_t most = MAX(elements_of(run) / run->places, 1);
    run->rings = run->is_kernel && run->is_ring ? MIN(spec->rings, most) : 1;
    run->plan = (struct ring_plan){
        .places = run->places,
        .gpus = spec->places.gpus_per_node,
        .rotates = run->is_kernel,
        .is_hierarchical = run->algorithm == ALGORITHM_HIERARCHICAL,
        .elements = elements_of(run),
        .slice = rounded_up(spec->bytes, run->rings) / ELEMENT_BYTES,
        .chunk = run->is_kernel ? rounded_up(spec->chunk_bytes, 1) / ELEMENT_BYTES : 0};
    run->phase_count = run->is_ring ? ring_phases(&run->plan, 0, 0, run->phases) : 0;
}

/* Whether the ranks' messages are of the memory that the design has them in; `copied` by a CPU's design is, too. */
static bool is_in_place(const struct allreduce_spec *spec)
{
    return spec->memory == MEMORY_OF_DESIGN || design_is_of_cpu(&spec->places.design);
}

static struct world *make_world(struct allreduce_run *run, const struct machine_spec *machine,
                                uint64_t seed, const struct job_place *places, int64_t buffer_bytes,
                                GError **error)
{
    const struct allreduce_spec *spec = run->spec;
    struct world_setup setup = {.design = &spec->places.design,
                                .seed = seed,
                                .places = places,
                                .place_count = run->places,
                                .groups = run->rings,
                                .threads = spec->threads,
                                .served_places = run->places,
                                .is_cooperative = true,
                                .has_channels = true,
                                .has_barrier = spec->warmup > 0,
                                .heap_bytes = transfer_heap_bytes(run->rings, buffer_bytes)};
    return world_new(machine, &setup, error);
}

static bool has_levels(const struct allreduce_spec *spec)
{
    return spec->places.nodes > 1 && spec->places.gpus_per_node > 1;
}

static bool is_possible(const struct allreduce_spec *spec, GError **error)
{
    bool is_checkable = spec->bytes <= MOST_CHECKED_BYTES && spec->tolerance == 0 &&
                        spec->warmup + spec->repeats == 1;
    if (spec->places.nodes * spec->places.gpus_per_node < 2)
        error_set(error, "an allreduce of one GPU: it takes two nodes, or two GPUs of one");
    else if (spec->check && !is_checkable)
        error_set(error,
                  "check = true takes at most %d bytes, tolerance = 0, repeats = 1 and warmup = 0",
                  MOST_CHECKED_BYTES);
    else if (spec->tolerance > 0 && spec->repeats > 1)
        error_set(
            error,
            "tolerance above 0 takes repeats = 1: the steps of one allreduce are extrapolated");
    else if (spec->algorithm == ALGORITHM_HIERARCHICAL && !has_levels(spec))
        error_set(error, "algorithm = hierarchical takes several nodes with several GPUs each");
    else if (spec->memory != MEMORY_OF_DESIGN && spec->places.design.initiator != INITIATOR_HOST)
        error_set(error, "memory = %s is for designs whose processes pass messages",
                  memory_names[spec->memory]);
    else
        return true;
    return false;
}

static void open_stops(struct allreduce_run *run)
{
    for (int i = 0; i < run->phase_count; i++)
        steady_stop_open(&run->stops[i],
                         &(struct steady_setup){.steps = ring_phase_steps(&run->phases[i]),
                                                .parties = 1,
                                                .window = WINDOW,
                                                .tolerance = run->spec->tolerance});
}

static void close_stops(struct allreduce_run *run)
{
    for (int i = 0; i < run->phase_count; i++)
        steady_stop_close(&run->stops[i]);
}

static bool simulate(const struct machine_spec *machine, const struct allreduce_spec *spec,
                     int64_t algorithm, uint64_t seed, struct workload_result *result,
                     GError **error)
{
    struct allreduce_run run = {.spec = spec, .algorithm = algorithm};
    g_autofree struct job_place *places =
        world_places(machine, spec->places.nodes, spec->places.gpus_per_node, error);
    if (places == NULL)
        return false;
    plan(&run);
    int64_t buffer_bytes = run.is_ring ? run.phases[0].chunk * ELEMENT_BYTES : spec->bytes;
    run.world = make_world(&run, machine, seed, places, buffer_bytes, error);
    if (run.world == NULL)
        return false;
    run.buffer =
        world_buffer(run.world, buffer_bytes, is_in_place(spec) ? TRANSFER_PAYLOAD : TRANSFER_HOST);
    run.ends = g_new0(struct place_end, (gsize)run.places);
    make_data(&run);
    run.collective = (struct collective){.places = run.places,
                                         .buffer = run.buffer,
                                         .bytes = spec->bytes,
                                         .channel = 0,
                                         .computes = is_in_place(spec),
                                         .carry = run.carry,
                                         .skips_round = spec->check > CHECK_TRUE};
    open_stops(&run);
    g_autofree void **arguments = g_new(void *, (gsize)run.places);
    for (int64_t i = 0; i < run.places; i++)
        arguments[i] = &run;
    bool good = world_run(run.world, program, arguments, error);
    if (good)
        compare(&run);
    if (good && run.wrong != NULL)
        error_set(error, "%s", run.wrong);
    good = good && run.wrong == NULL;
    if (good)
        report(&run, result);
    free_data(&run);
    close_stops(&run);
    g_free(run.ends);
    world_free(run.world);
    return good;
}

/* --- the choice of an algorithm ------------------------------------------------------------------- */

#define TRIAL_TOLERANCE 0.02 /* of a ring's steps in a trial */

/* How long one allreduce takes with the algorithm. Nobody listens to a trial. */
static bool try_out(const struct machine_spec *machine, const struct allreduce_spec *spec,
                    int64_t algorithm, uint64_t seed, sim_time *took_ps, GError **error)
{
    struct machine_spec unheard = *machine;
    struct allreduce_spec once = *spec;
    struct workload_result trial = {0};
    unheard.listener = NULL;
    once.repeats = 1;
    once.warmup = 0;
    once.check = 0;
    once.tolerance = MAX(spec->tolerance, TRIAL_TOLERANCE);
    bool good = simulate(&unheard, &once, algorithm, seed, &trial, error);
    *took_ps = good ? trial.measures[0].quantity : 0;
    return good;
}

/* The fastest in a trial; of equals the first. */
static bool choose(const struct machine_spec *machine, const struct allreduce_spec *spec,
                   uint64_t seed, int64_t *algorithm, GError **error)
{
    sim_time least_ps = SIM_TIME_LAST;
    if (spec->algorithm != ALGORITHM_AUTO) {
        *algorithm = spec->algorithm;
        return true;
    }
    for (int64_t tried = ALGORITHM_RING; tried <= ALGORITHM_TREE; tried++) {
        sim_time took_ps;
        if (tried == ALGORITHM_HIERARCHICAL && !has_levels(spec))
            continue;
        if (!try_out(machine, spec, tried, seed, &took_ps, error))
            return false;
        if (took_ps < least_ps) {
            least_ps = took_ps;
            *algorithm = tried;
        }
    }
    return true;
}

bool allreduce_run(const struct machine_spec *machine, const struct allreduce_spec *spec,
                   uint64_t seed, struct workload_result *result, GError **error)
{
    int64_t algorithm = ALGORITHM_RING;
    return is_possible(spec, error) && choose(machine, spec, seed, &algorithm, error) &&
           simulate(machine, spec, algorithm, seed, result, error);
}

static bool run_allreduce(const struct machine_spec *machine, const void *spec, uint64_t seed,
                          struct workload_result *result, GError **error)
{
    return allreduce_run(machine, spec, seed, result, error);
}

const struct workload allreduce_workload = {
    .name = "allreduce",
    .params = &allreduce_params,
    .accepts = transfer_accepts,
    .run = run_allreduce,
};
