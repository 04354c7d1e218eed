/* SPDX-License-Identifier: BSD-3-Clause */
/* One allreduce by a given algorithm: its parties' program, their data, and what is reported. */
#include <glib.h>

#include "core/error.h"
#include "core/stat.h"
#include "workloads/apps/allreduce.h"
#include "workloads/apps/ring_phases.h"
#include "workloads/interface/workload.h"
#include "workloads/patterns/carry.h"
#include "workloads/patterns/collective.h"
#include "workloads/patterns/direct.h"
#include "workloads/patterns/steady_stop.h"
#include "workloads/transfer/transfer.h"

#define ELEMENT_BYTES 4
#define WINDOW 8 /* steps whose means are compared */

struct allreduce_run {
    const struct allreduce_spec *spec;
    struct world *world;
    int64_t algorithm; /* not auto */
    bool is_kernel, is_ring, is_direct;
    int64_t places, rings;
    struct ring_plan plan;
    struct ring_phase phases[RING_PHASES_MOST]; /* phases of place 0 in the first ring */
    int phase_count;                            /* 0: no rings */
    int64_t buffer_bytes;                       /* most bytes of a message */
    struct transfer_buffer buffer;
    struct collective collective;
    struct direct direct;
    struct steady_stop stops[RING_PHASES_MOST]; /* for the steps of each phase */
    double **data;                              /* by place; NULL: no data */
    struct carry *carry;
    char *wrong;
    struct stat_units units; /* repeats of one party */
    sim_time first_ps;
    struct place_end *ends; /* by place */
    bool nodes_alike;
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

/* Compares the results with sums of whole numbers, which are exact in any order. */
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

/* Adds received data to the buffer, or stores them, if they are already the sum. */
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

/* A step in a kernel: each chunk is sent once the chunk of the same number has come in the previous step, if there is one. */
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

/* Receives the chunks of a kernel's last step that are still missing. */
static void finish_in_kernel(struct allreduce_run *run, struct party *party, struct ring_step last)
{
    for (int64_t chunk = 0; last.phase != NULL && chunk < ring_phase_chunks(last.phase); chunk++)
        receive_chunk(run, party, last, chunk);
}

/* A step of a rank's ring: sends a block, receives one, and reduces it. */
static void step_on_rank(struct allreduce_run *run, struct party *party, struct ring_step step)
{
    struct message messages[2];
    expect_chunk(run, party, step, 0, &messages[0]);
    send_chunk(run, party, step, 0, &messages[1]);
    transfer_wait(party, messages, 2);
    take_chunk(run, party, step, 0);
}

/* Runs a phase's steps, or as many as are needed to know their time. Returns the last step that was run. */
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

/* Copies the buffer of a rank's GPU to the host or back. */
static void copy_whole(const struct allreduce_run *run, struct party *party, bool to_host)
{
    struct job_process *process = &world_job(run->world)->processes[party->place];
    struct block host = job_host_block(process, BLOCK_PINNED, 1, run->spec->bytes);
    struct block device = job_device_block(process, 2, run->spec->bytes);
    cuda_copy(process->stream, &process->cpu, to_host ? host : device, to_host ? device : host);
}

static bool trees(struct allreduce_run *run, struct party *party, double *data)
{
    struct ring_range own = ring_slice(&run->plan, party->group);
    struct tree_share share = {.gpus = run->plan.gpus,
                               .groups = run->rings,
                               .first = own.first,
                               .count = own.count,
                               .chunk = run->buffer_bytes / ELEMENT_BYTES};
    return collective_trees(party, &run->collective, &share, data);
}

static void reduce(struct allreduce_run *run, struct party *party, int64_t repeat)
{
    double *data = run->data != NULL ? run->data[party->place] : NULL;
    struct ring_range own = ring_slice(&run->plan, party->group);
    bool good = true;
    if (run->is_ring)
        ring(run, party, repeat);
    else if (run->algorithm == ALGORITHM_TREE)
        good = trees(run, party, data);
    else if (run->algorithm == ALGORITHM_DOUBLING)
        good = collective_doubling(party, &run->collective, data, elements_of(run));
    else if (own.count > 0)
        good = direct_allreduce(party, &run->direct, (uint64_t)repeat + 1,
                                data != NULL ? data + own.first : NULL, own.count);
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
        if (i == spec->warmup && i > 0) /* else data from a place ahead would cost no time */
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
        reduce(run, party, i);
        if (spec->memory == MEMORY_COPIED)
            copy_whole(run, party, false);
    }
    if (is_timed)
        stat_unit_ends(&run->units, party_now(party));
    transfer_end_last(party, &run->ends[party->place], run->rings);
    if (party->place == 0 && run->ends[0].count == run->rings)
        world_measures_to(run->world, run->ends[0].last_ps);
}

/* The end of the first place if all places are alike, else of the last one: nodes may be of several kinds, and a tree's root,
 * which may be the first place, ends half-way. */
static sim_time last_ps(const struct allreduce_run *run)
{
    bool alike = run->algorithm != ALGORITHM_TREE && run->nodes_alike;
    sim_time latest_ps = run->ends[0].last_ps;
    for (int64_t i = 1; i < run->places && !alike; i++)
        latest_ps = MAX(latest_ps, run->ends[i].last_ps);
    return latest_ps;
}

static void report(struct allreduce_run *run, struct workload_result *result)
{
    const struct allreduce_spec *spec = run->spec;
    sim_time simulated_ps = last_ps(run) - run->first_ps, total_ps = simulated_ps;
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

/* Sizes are in elements. */
static int64_t longest_message(const struct allreduce_run *run)
{
    const struct ring_plan *plan = &run->plan;
    if (run->is_ring)
        return run->phases[0].chunk;
    return run->algorithm == ALGORITHM_TREE && plan->chunk > 0 ? MIN(plan->chunk, plan->slice)
                                                               : plan->slice;
}

/* A ring has at least one element of each place's block. */
static void plan(struct allreduce_run *run)
{
    const struct allreduce_spec *spec = run->spec;
    run->places = spec->places.nodes * spec->places.gpus_per_node;
    run->is_kernel = spec->places.design.initiator != INITIATOR_HOST;
    run->is_ring = run->algorithm == ALGORITHM_RING || run->algorithm == ALGORITHM_HIERARCHICAL;
    run->is_direct = run->algorithm >= ALGORITHM_ONE_SHOT;
    int64_t most = MAX(elements_of(run) / run->places, 1);
    bool is_divided = run->is_kernel && run->algorithm != ALGORITHM_DOUBLING;
    run->rings = is_divided ? MIN(spec->rings, most) : 1;
    run->plan = (struct ring_plan){
        .places = run->places,
        .gpus = spec->places.gpus_per_node,
        .rotates = run->is_kernel,
        .is_hierarchical = run->algorithm == ALGORITHM_HIERARCHICAL,
        .elements = elements_of(run),
        .slice = rounded_up(spec->bytes, run->rings) / ELEMENT_BYTES,
        .chunk = run->is_kernel ? rounded_up(spec->chunk_bytes, 1) / ELEMENT_BYTES : 0};
    run->phase_count = run->is_ring ? ring_phases(&run->plan, 0, 0, run->phases) : 0;
    run->buffer_bytes = longest_message(run) * ELEMENT_BYTES;
}

/* Whether the ranks' messages use the design's own memory; with a CPU's design that holds for `copied`, too. */
static bool is_in_place(const struct allreduce_spec *spec)
{
    return spec->memory == MEMORY_OF_DESIGN || design_is_of_cpu(&spec->places.design);
}

static struct world *make_world(struct allreduce_run *run, const struct machine_spec *machine,
                                uint64_t seed, const struct job_place *places, GError **error)
{
    const struct allreduce_spec *spec = run->spec;
    struct world_setup setup = {.design = &spec->places.design,
                                .seed = seed,
                                .is_application = true,
                                .places = places,
                                .place_count = run->places,
                                .groups = run->rings,
                                .threads = spec->threads,
                                .served_places = run->places,
                                .is_cooperative = true,
                                .has_channels = true,
                                .has_barrier = spec->warmup > 0,
                                .heap_bytes = transfer_heap_bytes(run->rings, run->buffer_bytes)};
    return world_new(machine, &setup, error);
}

/* Makes signals and slots on the GPUs of one node, which have no symmetric heap. */
static void make_direct(struct allreduce_run *run)
{
    run->direct =
        (struct direct){.places = run->places,
                        .slots = g_new(struct transfer_buffer, (gsize)run->places),
                        .signals = world_signals(run->world, direct_signal_count(run->places)),
                        .is_two_shot = run->algorithm == ALGORITHM_TWO_SHOT ||
                                       run->algorithm == ALGORITHM_TWO_SHOT_GET,
                        .gets = run->algorithm >= ALGORITHM_ONE_SHOT_GET,
                        .working_set_bytes = (run->places + 1) * run->spec->bytes,
                        .carry = run->carry,
                        .loses_peer = run->spec->check > CHECK_TRUE};
    for (int64_t i = 0; i < run->places; i++)
        run->direct.slots[i] = world_buffer(run->world, run->buffer_bytes, TRANSFER_PAYLOAD);
}

static void open_stops(struct allreduce_run *run)
{
    bool stops_early = !world_cluster(run->world)->is_interrupted;
    for (int i = 0; i < run->phase_count; i++)
        steady_stop_open(&run->stops[i], &(struct steady_setup){
                                             .steps = ring_phase_steps(&run->phases[i]),
                                             .parties = 1,
                                             .window = WINDOW,
                                             .tolerance = stops_early ? run->spec->tolerance : 0});
}

static void close_stops(struct allreduce_run *run)
{
    for (int i = 0; i < run->phase_count; i++)
        steady_stop_close(&run->stops[i]);
}

bool allreduce_simulate(const struct machine_spec *machine, const struct allreduce_spec *spec,
                        int64_t algorithm, uint64_t seed, struct workload_result *result,
                        GError **error)
{
    struct allreduce_run run = {
        .spec = spec, .algorithm = algorithm, .nodes_alike = machine_nodes_alike(machine)};
    g_autofree struct job_place *places =
        world_places(machine, spec->places.nodes, spec->places.gpus_per_node, error);
    if (places == NULL)
        return false;
    plan(&run);
    run.world = make_world(&run, machine, seed, places, error);
    if (run.world == NULL)
        return false;
    run.ends = g_new0(struct place_end, (gsize)run.places);
    make_data(&run);
    if (run.is_direct)
        make_direct(&run);
    else
        run.buffer = world_buffer(run.world, run.buffer_bytes,
                                  is_in_place(spec) ? TRANSFER_PAYLOAD : TRANSFER_HOST);
    run.collective = (struct collective){.places = run.places,
                                         .buffer = run.buffer,
                                         .bytes = spec->bytes,
                                         .working_set_bytes = 2 * spec->bytes,
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
    g_free(run.direct.slots);
    world_free(run.world);
    return good;
}
