/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce: every place has the sum of all places' buffers. ComPNet18 section 5.4, Figs 10 and 11 (M-085, M-086).
 *
 *   ring      reduce-scatter and allgather around a ring: N - 1 steps each of an N-th of the buffer. In a kernel
 *             there are several rings, one a work-group: work-group i receives from work-group i of the place before
 *             and sends to that of the place behind, its slice in chunks, of which a step's first is on its way while its
 *             last is still coming; what has come is reduced by the same work-group. By ranks one ring of whole blocks:
 *             non-blocking send and receive, and a reduction of its own behind them (Baidu's allreduce).
 *   doubling  recursive doubling with all of the buffer: few steps, for small ones
 *   tree      a binomial tree and back
 */
#include <glib.h>
#include <math.h>
#include <stdio.h>

#include "core/error.h"
#include "core/stat.h"
#include "workloads/apps/allreduce.h"
#include "workloads/interface/workload.h"
#include "workloads/patterns/carry.h"
#include "workloads/patterns/collective.h"
#include "workloads/patterns/steady_stop.h"
#include "workloads/transfer/transfer.h"

enum algorithm { ALGORITHM_AUTO, ALGORITHM_RING, ALGORITHM_DOUBLING, ALGORITHM_TREE };
static const char *const algorithm_names[] = {"auto", "ring", "doubling", "tree", NULL};

static const char *const memory_names[] = {"design", "host", "copied", NULL};

enum fault { FAULT_NONE, FAULT_LOST_CHUNK, FAULT_WRONG_BLOCK };
static const char *const fault_names[] = {"none", "lost_chunk", "wrong_block", NULL};

#define SPEC struct allreduce_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "", ""),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "64MiB", "4B", "16GiB", NULL,
     "Size of each GPU's buffer, of numbers of 4 B.", NULL},
    PARAM_ENUM(algorithm, SPEC, "auto", algorithm_names,
               "auto: recursive doubling up to small_limit, above it rings."),
    {"small_limit", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, small_limit), "16KiB", "0B", "16GiB",
     NULL, "Buffers up to this size are reduced by recursive doubling.", NULL},
    PARAM_COUNT(rings, SPEC, "8", "1", "256", "Rings of a kernel, one for each work-group."),
    {"chunk", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, chunk_bytes), "64KiB", "64B", "1GiB", NULL,
     "Size of the pieces that the rings of a kernel send.", NULL},
    PARAM_COUNT(threads, SPEC, "256", "1", "1024", "Work-items of a work-group."),
    PARAM_ENUM(memory, SPEC, "design", memory_names,
               "Where ranks' buffers lie: where the design has them; in host memory; or in GPU"
               " memory, copied once to the host before the allreduce and back after it, as "
               "MPI libraries do with small buffers, and as CPUs do that reduce what GPUs "
               "computed."),
    PARAM_COUNT(repeats, SPEC, "1", "1", "100000", "Measured allreduces."),
    PARAM_COUNT(warmup, SPEC, "1", "0", "100000",
                "Warm-up allreduces that are not measured; a barrier follows them."),
    PARAM_NUMBER(tolerance, SPEC, "0", "0", "0.5",
                 "If the mean of eight steps of a ring's half (reduce-scatter, allgather) and "
                 "that of the eight before differ by at most this share, the remaining steps are"
                 " assumed to be like them; 0: all steps are simulated."),
    PARAM_FLAG(check, SPEC, "false",
               "Carry real data and compare the result with a plain sum, for small buffers."),
    PARAM_ENUM(fault, SPEC, "none", fault_names,
               "To test the check: a chunk that is not reduced, or a chunk that is mistaken "
               "for its neighbour."),
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
    bool is_kernel, is_ring;
    int64_t places, rings;
    int64_t slice_bytes, block_bytes, chunk_bytes,
        chunks; /* of a ring, of a step, of a message; of a block */
    struct transfer_buffer buffer;
    struct collective collective;
    struct steady_stop stops[2]; /* of the steps of reduce-scatter and of allgather */
    double **data;               /* by place; NULL: none */
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

/* The elements of a chunk in a place's buffer: of a ring's slice, a block of that, a chunk of that. The last of each may
 * be short or empty. */
struct chunk_range {
    int64_t first, count; /* elements */
};

static struct chunk_range chunk_range(const struct allreduce_run *run, int64_t ring, int64_t block,
                                      int64_t chunk)
{
    int64_t all = elements_of(run), slice = run->slice_bytes / ELEMENT_BYTES;
    int64_t first = ring * slice + block * (run->block_bytes / ELEMENT_BYTES) +
                    chunk * (run->chunk_bytes / ELEMENT_BYTES);
    int64_t end = MIN(first + run->chunk_bytes / ELEMENT_BYTES,
                      ring * slice + (block + 1) * (run->block_bytes / ELEMENT_BYTES));
    end = MIN(end, MIN((ring + 1) * slice, all));
    return (struct chunk_range){first, MAX(end - first, 0)};
}

/* The block that a place sends in a step, of both halves. */
static int64_t block_sent(const struct allreduce_run *run, int64_t place, int64_t step)
{
    return ((place - step) % run->places + run->places) % run->places;
}

static bool reduces(const struct allreduce_run *run, int64_t step)
{
    return step < run->places - 1;
}

static struct carry_flow flow_of(const struct allreduce_run *run, const struct party *party,
                                 bool is_send)
{
    int64_t place = party->place, other = (place + (is_send ? 1 : run->places - 1)) % run->places;
    return is_send ? (struct carry_flow){place, party->group, other, party->group, 0}
                   : (struct carry_flow){other, party->group, place, party->group, 0};
}

static int64_t bytes_of(struct chunk_range range)
{
    return MAX(range.count, 1) * ELEMENT_BYTES;
}

static void send_chunk(struct allreduce_run *run, struct party *party, int64_t step, int64_t chunk,
                       struct message *message)
{
    struct chunk_range range =
        chunk_range(run, party->group, block_sent(run, party->place, step), chunk);
    transfer_send(party, message, (party->place + 1) % run->places, party->group, 0, run->buffer,
                  bytes_of(range));
    if (run->data != NULL)
        carry_send(run->carry, flow_of(run, party, true), run->data[party->place] + range.first,
                   range.count);
}

static struct chunk_range chunk_received(const struct allreduce_run *run, const struct party *party,
                                         int64_t step, int64_t chunk)
{
    int64_t before = (party->place + run->places - 1) % run->places;
    return chunk_range(run, party->group, block_sent(run, before, step), chunk);
}

static void expect_chunk(struct allreduce_run *run, struct party *party, int64_t step,
                         int64_t chunk, struct message *message)
{
    transfer_receive(party, message, (party->place + run->places - 1) % run->places, party->group,
                     0, run->buffer, bytes_of(chunk_received(run, party, step, chunk)));
}

/* What has come is reduced, or is the sum already. */
static void take_data(struct allreduce_run *run, struct party *party, int64_t step,
                      struct chunk_range range)
{
    if (run->data == NULL)
        return;
    g_autofree double *other = g_new0(double, (gsize)range.count + 1);
    bool is_fault = party->place == 1 && party->group == 0 && step == 0;
    if (!carry_receive(run->carry, flow_of(run, party, false), other, range.count))
        note_wrong(run, "a chunk was not sent", party->place);
    if (is_fault && run->spec->fault == FAULT_LOST_CHUNK)
        return;
    if (is_fault && run->spec->fault == FAULT_WRONG_BLOCK)
        range.first = range.first > 0 ? range.first - 1 : range.first + 1;
    double *own = run->data[party->place] + range.first;
    for (int64_t i = 0; i < range.count; i++)
        own[i] = reduces(run, step) ? own[i] + other[i] : other[i];
}

static void take_chunk(struct allreduce_run *run, struct party *party, int64_t step, int64_t chunk)
{
    struct chunk_range range = chunk_received(run, party, step, chunk);
    take_data(run, party, step, range);
    if (!reduces(run, step) || range.count == 0)
        return;
    struct transfer_loop loop = collective_loop(bytes_of(range), 2 * run->spec->bytes);
    transfer_loop(party, 0, &loop);
    transfer_finish(party, 0);
}

/* A step of one ring in a kernel: each chunk is sent, after it has come in the step before (-1: there is none). */
static void step_in_kernel(struct allreduce_run *run, struct party *party, int64_t before,
                           int64_t step)
{
    int64_t steps = 2 * (run->places - 1);
    struct message message;
    for (int64_t chunk = 0; chunk < run->chunks; chunk++) {
        if (before >= 0) {
            expect_chunk(run, party, before, chunk, &message);
            transfer_wait(party, &message, 1);
            take_chunk(run, party, before, chunk);
        }
        if (step < steps)
            send_chunk(run, party, step, chunk, &message);
    }
}

/* A step of a rank's ring: a block goes, one comes, and is reduced. */
static void step_on_rank(struct allreduce_run *run, struct party *party, int64_t step)
{
    struct message messages[2];
    expect_chunk(run, party, step, 0, &messages[0]);
    send_chunk(run, party, step, 0, &messages[1]);
    transfer_wait(party, messages, 2);
    take_chunk(run, party, step, 0);
}

/* The steps of a half: N - 1, or as many as it takes to know how long they are. Returns the last one done. */
static int64_t half(struct allreduce_run *run, struct party *party, int number, int64_t before,
                    bool counts)
{
    struct steady_stop *stop = &run->stops[number];
    int64_t steps = run->places - 1;
    bool is_timed = counts && party->place == 0 && party->group == 0;
    if (is_timed)
        stop->start_ps = party_now(party);
    for (int64_t i = 0; i < steps && (!counts || steady_stop_begins(stop, i)); i++) {
        int64_t step = number * steps + i;
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
    int64_t scattered = half(run, party, 0, -1, counts);
    int64_t gathered = half(run, party, 1, scattered, counts);
    if (run->is_kernel)
        step_in_kernel(run, party, gathered, 2 * (run->places - 1)); /* what comes last */
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
    bool good = run->spec->algorithm == ALGORITHM_TREE
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
    int64_t left = 0;
    for (int number = 0; number < 2 && run->is_ring; number++) {
        total_ps += steady_stop_rest_ps(&run->stops[number]);
        left += steady_stop_left(&run->stops[number]);
    }
    double share = (double)total_ps / (double)MAX(simulated_ps, 1);
    double bound = 2.0 * (double)(run->places - 1) / (double)run->places * (double)spec->bytes;
    workload_add_mean_time(result, "duration", total_ps / spec->repeats, &run->units,
                           world_sim(run->world));
    workload_add_quantity(
        result, "bus_bandwidth", UNIT_RATE,
        (int64_t)(bound * 1e12 / ((double)MAX(total_ps, 1) / (double)spec->repeats)));
    workload_add_quantity(result, "steps_run", UNIT_COUNT,
                          run->is_ring ? 2 * (run->places - 1) - left : 0);
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
    bool is_small = spec->algorithm == ALGORITHM_AUTO && spec->bytes <= spec->small_limit;
    run->places = spec->places.nodes * spec->places.gpus_per_node;
    run->is_kernel = spec->places.design.initiator != INITIATOR_HOST;
    run->is_ring = !is_small && spec->algorithm <= ALGORITHM_RING;
    int64_t most = MAX(elements_of(run) / run->places, 1);
    run->rings = run->is_kernel && run->is_ring ? MIN(spec->rings, most) : 1;
    run->slice_bytes = rounded_up(spec->bytes, run->rings);
    run->block_bytes = rounded_up(run->slice_bytes, run->places);
    run->chunk_bytes =
        run->is_kernel ? MIN(rounded_up(spec->chunk_bytes, 1), run->block_bytes) : run->block_bytes;
    run->chunks = (run->block_bytes + run->chunk_bytes - 1) / run->chunk_bytes;
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
    else if (spec->memory != MEMORY_OF_DESIGN && spec->places.design.initiator != INITIATOR_HOST)
        error_set(error, "memory = %s is for designs whose processes pass messages",
                  memory_names[spec->memory]);
    else
        return true;
    return false;
}

bool allreduce_run(const struct machine_spec *machine, const struct allreduce_spec *spec,
                   uint64_t seed, struct workload_result *result, GError **error)
{
    struct allreduce_run run = {.spec = spec};
    if (!is_possible(spec, error))
        return false;
    g_autofree struct job_place *places =
        world_places(machine, spec->places.nodes, spec->places.gpus_per_node, error);
    if (places == NULL)
        return false;
    plan(&run);
    int64_t buffer_bytes = run.is_ring ? run.chunk_bytes : spec->bytes;
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
                                         .skips_round = spec->fault != FAULT_NONE};
    for (int number = 0; number < 2; number++)
        steady_stop_open(&run.stops[number], &(struct steady_setup){.steps = run.places - 1,
                                                                    .parties = 1,
                                                                    .window = WINDOW,
                                                                    .tolerance = spec->tolerance});
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
    for (int number = 0; number < 2; number++)
        steady_stop_close(&run.stops[number]);
    g_free(run.ends);
    world_free(run.world);
    return good;
}

static bool run_allreduce(const struct machine_spec *machine, const void *spec, uint64_t seed,
                          struct workload_result *result, GError **error)
{
    return allreduce_run(machine, spec, seed, result, error);
}

const struct workload allreduce_workload = {
    .name = "allreduce",
    .description = "Every place gets the sum of all places' buffers.",
    .params = &allreduce_params,
    .accepts = transfer_accepts,
    .run = run_allreduce,
};
