/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi relaxation of a two-dimensional stencil, split in one dimension over the nodes: ComPNet18 section 5.3, Fig 9
 * (M-084); with several GPUs a node each has a part. In each iteration every element becomes the mean of its four neighbours; the halo, a row each way, goes to
 * the adjacent peers; and a residual is reduced over all, to know whether to go on.
 *
 * In a kernel, one that stays: work-groups of the first and the last rows compute these, put them to the peers, and go
 * on with their share; the others, which are counted and not told apart, compute meanwhile. All meet; one reduces the
 * residual over the nodes by recursive doubling; all meet again.
 *
 * By ranks: exterior and interior by loops of their own, kernels on two streams where there is a GPU; the halo goes
 * when the exterior is done, beside the interior. The residual lies in host memory: a kernel writes 8 B there. */
#include <glib.h>
#include <math.h>

#include "core/error.h"
#include "core/stat.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/patterns/carry.h"
#include "workloads/patterns/collective.h"
#include "workloads/patterns/steady_stop.h"
#include "workloads/transfer/transfer.h"

/* Faults that the test of the pattern puts in. */
enum check { CHECK_NONE, CHECK_TRUE, FAULT_LOST_HALO, FAULT_WRONG_EDGE, FAULT_LOST_ROUND };
static const char *const check_names[] = {"false",      "true",       "lost_halo",
                                          "wrong_edge", "lost_round", NULL};

struct jacobi2d_spec {
    struct shared_places places;
    int64_t edge, iterations, warmup, work_groups, threads;
    double tolerance;
    int64_t check;
};

#define SPEC struct jacobi2d_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "", ""),
    PARAM_COUNT(edge, SPEC, "1024", "2", "65536", "Rows, and columns, of a part."),
    SHARED_ROW(iterations, SPEC, "10"),
    SHARED_ROW(warmup, SPEC, "2"),
    PARAM_COUNT(work_groups, SPEC, "0", "0", "65536",
                "Work-groups of the persistent kernel; 0: as many as run at once, but no more "
                "than have an element for each work-item."),
    SHARED_ROW(threads, SPEC, "256"),
    SHARED_ROW(tolerance, SPEC, "0"),
    PARAM_ENUM(
        check, SPEC, "false", check_names,
        "Carry real data and compare the result with a plain loop, for small stencils. Other values carry wrong data, to test the check: a halo that nobody waits for, a halo from the wrong edge, or a round of the reduction that is left out."),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    jacobi2d_params, "jacobi2d", struct jacobi2d_spec, params,
    "A 5-point stencil in two dimensions over several nodes, with a residual.");

#define ELEMENT_BYTES 4 /* single precision */
#define FLOPS 5         /* three additions, a multiplication, the residual */
#define RESIDUAL_BYTES 8
#define MOST_CHECKED 256 /* rows of a node */
#define WINDOW 8         /* iterations whose means are compared */

/* What a party reads, and which of the two edges it has. */
enum { UP, DOWN, SIDES };

/* Data of a node: rows 0 and edge + 1 are the halo, read in an iteration and written for the next. */
struct part {
    double *rows[2];
    double residual;   /* largest change in this iteration */
    double *residuals; /* of all iterations, as reduced */
};

enum { TIME_COMPUTE, TIME_HALO, TIME_RESIDUAL, TIMES };

struct jacobi_run {
    const struct jacobi2d_spec *spec;
    struct world *world;
    bool is_kernel;
    int64_t places;      /* with a part each */
    int64_t work_groups; /* of a kernel */
    struct transfer_buffer halos[SIDES];
    struct collective residual;
    struct steady_stop stop;
    struct stat_units units; /* iterations, of one party */
    struct part *parts;      /* NULL: no data */
    struct carry *carry;
    char *wrong;                                 /* what the check found first */
    sim_time first_ps, last_ps, times_ps[TIMES]; /* of node 0 */
};

/* --- data --------------------------------------------------------------------------------------- */

/* Any numbers that are not alike. */
static double start_value(int64_t row, int64_t column)
{
    return (double)((row * 7919 + column * 104729) % 1000) / 8;
}

static double *row_of(double *rows, const struct jacobi_run *run, int64_t row)
{
    return rows + row * run->spec->edge;
}

static void note_wrong(struct jacobi_run *run, const char *what, int64_t node, int64_t iteration)
{
    if (run->wrong == NULL)
        run->wrong = g_strdup_printf("the pattern is wrong: %s, at node %lld in iteration %lld",
                                     what, (long long)node, (long long)iteration);
}

/* The mean of the four neighbours; beyond the left and right ends there is 0. */
static double relax(const double *above, const double *own, const double *below, int64_t column,
                    int64_t edge)
{
    double left = column > 0 ? own[column - 1] : 0, right = column + 1 < edge ? own[column + 1] : 0;
    return (above[column] + left + right + below[column]) / 4;
}

static void relax_rows(struct jacobi_run *run, int64_t node, int64_t iteration, int64_t first,
                       int64_t last)
{
    if (run->parts == NULL)
        return;
    struct part *part = &run->parts[node];
    int64_t edge = run->spec->edge;
    double *old = part->rows[iteration % 2], *new = part->rows[1 - iteration % 2];
    for (int64_t row = first; row <= last; row++)
        for (int64_t column = 0; column < edge; column++) {
            double *to = row_of(new, run, row) + column;
            *to = relax(row_of(old, run, row - 1), row_of(old, run, row), row_of(old, run, row + 1),
                        column, edge);
            part->residual = MAX(part->residual, fabs(*to - row_of(old, run, row)[column]));
        }
}

/* All in one piece. */
static void relax_plainly(double *old, double *new, int64_t rows, int64_t edge, double *residual)
{
    *residual = 0;
    for (int64_t row = 1; row <= rows; row++)
        for (int64_t column = 0; column < edge; column++) {
            double *to = new + row *edge + column;
            *to = relax(old + (row - 1) * edge, old + row * edge, old + (row + 1) * edge, column,
                        edge);
            *residual = MAX(*residual, fabs(*to - old[row * edge + column]));
        }
}

static void compare_rows(struct jacobi_run *run, const double *plain, int64_t iterations)
{
    int64_t edge = run->spec->edge;
    for (int64_t node = 0; node < run->places; node++)
        for (int64_t i = 0; i < edge * edge; i++)
            if (row_of(run->parts[node].rows[iterations % 2], run, 1)[i] !=
                plain[(node * edge + 1) * edge + i]) {
                note_wrong(run, "an element differs from a plain loop's", node, iterations);
                return;
            }
}

static void compare(struct jacobi_run *run, int64_t iterations)
{
    int64_t edge = run->spec->edge, rows = edge * run->places;
    gsize size = (gsize)((rows + 2) * edge);
    double *plain[2] = {g_new0(double, size), g_new0(double, size)};
    for (int64_t row = 0; row < rows; row++)
        for (int64_t column = 0; column < edge; column++)
            plain[0][(row + 1) * edge + column] = start_value(row, column);
    for (int64_t i = 0; i < iterations; i++) {
        double residual;
        relax_plainly(plain[i % 2], plain[1 - i % 2], rows, edge, &residual);
        for (int64_t node = 0; node < run->places; node++)
            if (run->parts[node].residuals[i] != residual)
                note_wrong(run, "the residual differs from a plain loop's", node, i);
    }
    compare_rows(run, plain[iterations % 2], iterations);
    if (carry_left(run->carry) != 0)
        note_wrong(run, "messages were sent that nobody received", 0, iterations);
    g_free(plain[0]);
    g_free(plain[1]);
}

static void make_parts(struct jacobi_run *run)
{
    const struct jacobi2d_spec *spec = run->spec;
    if (!spec->check)
        return;
    run->carry = carry_new();
    run->parts = g_new0(struct part, (gsize)run->places);
    for (int64_t node = 0; node < run->places; node++) {
        struct part *part = &run->parts[node];
        part->residuals = g_new0(double, (gsize)(spec->warmup + spec->iterations));
        for (int i = 0; i < 2; i++)
            part->rows[i] = g_new0(double, (gsize)((spec->edge + 2) * spec->edge));
        /* the halo of the first iteration is there */
        for (int64_t row = 0; row < spec->edge + 2; row++)
            for (int64_t column = 0; column < spec->edge; column++) {
                int64_t global = node * spec->edge + row - 1;
                bool is_inside = global >= 0 && global < run->places * spec->edge;
                row_of(part->rows[0], run, row)[column] =
                    is_inside ? start_value(global, column) : 0;
            }
    }
}

static void free_parts(struct jacobi_run *run)
{
    for (int64_t node = 0; run->parts != NULL && node < run->places; node++) {
        g_free(run->parts[node].rows[0]);
        g_free(run->parts[node].rows[1]);
        g_free(run->parts[node].residuals);
    }
    g_free(run->parts);
    carry_free(run->carry);
    g_free(run->wrong);
}

/* --- steps -------------------------------------------------------------------------------------- */

/* The groups of a kernel that have edges; a rank has both. */
static int64_t group_with(const struct jacobi_run *run, int side)
{
    return run->is_kernel && side == DOWN ? 1 : 0;
}

static int64_t peer_of(const struct party *party, int side)
{
    return party->place + (side == UP ? -1 : 1);
}

static bool has_peer(const struct jacobi_run *run, const struct party *party, int side)
{
    return peer_of(party, side) >= 0 && peer_of(party, side) < run->places;
}

static int64_t halo_bytes(const struct jacobi2d_spec *spec)
{
    return spec->edge * ELEMENT_BYTES;
}

/* What goes up is received from below, on the channel of its direction. */
static struct carry_flow halo_flow(const struct jacobi_run *run, const struct party *party,
                                   int side, bool is_send)
{
    int64_t own = group_with(run, side), other = group_with(run, 1 - side),
            peer = peer_of(party, side);
    return is_send ? (struct carry_flow){party->place, own, peer, other, side}
                   : (struct carry_flow){peer, other, party->place, own, 1 - side};
}

static void send_halo(struct jacobi_run *run, struct party *party, int side, int64_t iteration,
                      struct message *message)
{
    transfer_send(party, message, peer_of(party, side), group_with(run, 1 - side), side,
                  run->halos[side], halo_bytes(run->spec));
    if (run->parts == NULL)
        return;
    int taken = run->spec->check == FAULT_WRONG_EDGE ? 1 - side : side;
    double *rows = run->parts[party->place].rows[1 - iteration % 2];
    carry_send(run->carry, halo_flow(run, party, side, true),
               row_of(rows, run, taken == UP ? 1 : run->spec->edge), run->spec->edge);
}

static void expect_halo(struct jacobi_run *run, struct party *party, int side,
                        struct message *message)
{
    transfer_receive(party, message, peer_of(party, side), group_with(run, 1 - side), 1 - side,
                     run->halos[1 - side], halo_bytes(run->spec));
}

static void take_halo(struct jacobi_run *run, struct party *party, int side, int64_t iteration)
{
    if (run->parts == NULL ||
        (run->spec->check == FAULT_LOST_HALO && side == UP && party->place == 1))
        return;
    double *rows = run->parts[party->place].rows[1 - iteration % 2];
    if (!carry_receive(run->carry, halo_flow(run, party, side, false),
                       row_of(rows, run, side == UP ? 0 : run->spec->edge + 1), run->spec->edge))
        note_wrong(run, "a halo was not sent", party->place, iteration);
}

static struct transfer_loop loop_over(const struct jacobi_run *run, int64_t elements,
                                      int64_t groups)
{
    const struct jacobi2d_spec *spec = run->spec;
    return (struct transfer_loop){.elements = elements,
                                  .flops = FLOPS,
                                  .bytes = 2 * ELEMENT_BYTES, /* neighbours come out of a cache */
                                  .working_set_bytes = 2 * spec->edge * spec->edge * ELEMENT_BYTES,
                                  .groups = groups};
}

static void reduce_residual(struct jacobi_run *run, struct party *party, int64_t iteration)
{
    struct part *part = run->parts != NULL ? &run->parts[party->place] : NULL;
    double residual = part != NULL ? part->residual : 0;
    if (!collective_doubling(party, &run->residual, &residual, 1))
        note_wrong(run, "a part of the residual was not sent", party->place, iteration);
    if (part == NULL)
        return;
    part->residuals[iteration] = residual;
    part->residual = 0;
}

/* What this party has waited or worked for since it was last asked, of node 0. */
static void note_time(struct jacobi_run *run, const struct party *party, int what,
                      sim_time *since_ps)
{
    sim_time now_ps = party_now(party);
    if (party->place == 0 && run->stop.ended > 0)
        run->times_ps[what] += now_ps - *since_ps;
    *since_ps = now_ps;
}

/* --- inside a kernel ---------------------------------------------------------------------------- */

static int64_t share_of(const struct jacobi_run *run)
{
    int64_t elements = run->spec->edge * run->spec->edge;
    return (elements + run->work_groups - 1) / run->work_groups;
}

/* The first and the last rows: computed, put on their way, and then the rest of the work-group's share. */
static void compute_edge(struct jacobi_run *run, struct party *party, int side, int64_t iteration,
                         struct message *sent)
{
    int64_t edge = run->spec->edge, rest = MAX(share_of(run) - edge, 0);
    int64_t row = side == UP ? 1 : edge;
    struct transfer_loop outer = loop_over(run, edge, 1), inner = loop_over(run, rest, 1);
    transfer_loop(party, 0, &outer);
    relax_rows(run, party->place, iteration, row, row);
    if (has_peer(run, party, side))
        send_halo(run, party, side, iteration, sent);
    transfer_loop(party, 0, &inner);
}

static void compute_rest(struct jacobi_run *run, struct party *party, int64_t iteration)
{
    int64_t edge = run->spec->edge, groups = run->work_groups - 2;
    struct transfer_loop loop =
        loop_over(run, MAX(edge * edge - 2 * MAX(share_of(run), edge), 0), groups);
    transfer_loop(party, 0, &loop);
    relax_rows(run, party->place, iteration, 2, edge - 1);
}

static void iterate_in_kernel(struct jacobi_run *run, struct party *party, int64_t iteration)
{
    struct message sent, halo;
    int side = (int)party->group;
    bool has_edge = party->group < SIDES;
    sim_time since_ps = party_now(party);
    if (has_edge)
        compute_edge(run, party, side, iteration, &sent);
    else
        compute_rest(run, party, iteration);
    transfer_group_barrier(party);
    if (party->group == 0)
        note_time(run, party, TIME_COMPUTE, &since_ps);
    if (party->group == 0)
        reduce_residual(run, party, iteration);
    if (party->group == 0)
        note_time(run, party, TIME_RESIDUAL, &since_ps);
    if (has_edge && has_peer(run, party, side)) {
        expect_halo(run, party, side, &halo);
        transfer_wait(party, &halo, 1);
        take_halo(run, party, side, iteration);
    }
    transfer_group_barrier(party);
    if (party->group == 0)
        note_time(run, party, TIME_HALO, &since_ps);
}

/* --- by a rank ---------------------------------------------------------------------------------- */

static void iterate_on_rank(struct jacobi_run *run, struct party *party, int64_t iteration)
{
    int64_t edge = run->spec->edge;
    struct transfer_loop exterior = loop_over(run, 2 * edge, 1),
                         interior = loop_over(run, (edge - 2) * edge, 1);
    struct message messages[2 * SIDES];
    size_t count = 0;
    sim_time since_ps = party_now(party);
    for (int side = UP; side < SIDES; side++)
        if (has_peer(run, party, side))
            expect_halo(run, party, side, &messages[count++]);
    transfer_loop(party, 1, &exterior);
    transfer_loop(party, 0, &interior);
    transfer_finish(party, 1);
    relax_rows(run, party->place, iteration, 1, 1);
    relax_rows(run, party->place, iteration, edge, edge);
    note_time(run, party, TIME_COMPUTE, &since_ps);
    for (int side = UP; side < SIDES; side++)
        if (has_peer(run, party, side))
            send_halo(run, party, side, iteration, &messages[count++]);
    transfer_wait(party, messages, count);
    for (int side = UP; side < SIDES; side++)
        if (has_peer(run, party, side))
            take_halo(run, party, side, iteration);
    note_time(run, party, TIME_HALO, &since_ps);
    transfer_finish(party, 0);
    relax_rows(run, party->place, iteration, 2, edge - 1);
    note_time(run, party, TIME_COMPUTE, &since_ps);
    reduce_residual(run, party, iteration);
    note_time(run, party, TIME_RESIDUAL, &since_ps);
}

/* --- the run ------------------------------------------------------------------------------------ */

static void program(struct party *party, void *argument)
{
    struct jacobi_run *run = argument;
    int64_t warmup = run->spec->warmup;
    bool is_timed = party->place == 0 && party->group == 0;
    for (int64_t i = 0; i < warmup || steady_stop_begins(&run->stop, i - warmup); i++) {
        if (is_timed && i == warmup) {
            run->first_ps = party_now(party);
            run->stop.start_ps = run->first_ps;
            stat_unit_ends(&run->units, run->first_ps);
            world_measures_from(run->world, run->first_ps);
        }
        if (i >= warmup && party->group == 0)
            transfer_begin_iteration(party);
        if (run->is_kernel)
            iterate_in_kernel(run, party, i);
        else
            iterate_on_rank(run, party, i);
        transfer_end_iteration(party, party_now(party));
        if (is_timed && i >= warmup)
            stat_unit_ends(&run->units, party_now(party));
        if (is_timed && i >= warmup)
            steady_stop_note(&run->stop, i - warmup, 0,
                             &(struct steady_step){.now_ps = party_now(party)});
    }
    if (!is_timed)
        return;
    run->last_ps = party_now(party);
    world_measures_to(run->world, run->last_ps);
}

static void report(const struct jacobi_run *run, struct workload_result *result)
{
    static const char *const names[TIMES] = {"compute", "halo", "residual"};
    int64_t iterations = run->spec->iterations, noted = MAX(run->stop.ended - 1, 1);
    const struct observe_repeat repeat = steady_stop_repeat(&run->stop);
    world_counted_on(run->world, &repeat);
    sim_time total_ps = run->last_ps - run->first_ps + steady_stop_rest_ps(&run->stop);
    workload_add_mean_time(result, "iteration", total_ps / iterations, &run->units);
    for (int what = 0; what < TIMES; what++)
        workload_add_quantity(result, names[what], UNIT_TIME, run->times_ps[what] / noted);
    workload_add_quantity(result, "iterations_run", UNIT_COUNT, run->stop.last + 1);
    workload_add_quantity(result, "work_groups", UNIT_COUNT, run->work_groups);
    world_report(run->world, (double)MAX(steady_stop_simulated(&run->stop), 1), result);
}

/* Of a kernel that stays: no more than run at once on each kind of nodes, and three at least. */
static int64_t work_groups_of(const struct jacobi2d_spec *spec, const struct machine_spec *machine)
{
    struct kernel kernel = {.threads = spec->threads};
    int64_t most = INT64_MAX;
    g_autofree struct machine_spec *own = g_new(struct machine_spec, 1);
    for (size_t kind = 0; kind <= machine->kind_count; kind++) {
        machine_spec_of_kind(machine, kind, own);
        most = MIN(most, gpu_kernel_occupancy(&own->gpu, &kernel));
    }
    int64_t useful = (spec->edge * spec->edge + spec->threads - 1) / spec->threads;
    return spec->work_groups > 0 ? MAX(spec->work_groups, 3) : MAX(MIN(most, useful), 3);
}

static struct world *make_world(struct jacobi_run *run, const struct machine_spec *machine,
                                uint64_t seed, const struct job_place *places, GError **error)
{
    const struct jacobi2d_spec *spec = run->spec;
    run->is_kernel = spec->places.design.initiator != INITIATOR_HOST;
    run->work_groups = run->is_kernel ? work_groups_of(spec, machine) : 0;
    struct world_setup setup = {.design = &spec->places.design,
                                .seed = seed,
                                .is_application = true,
                                .places = places,
                                .place_count = run->places,
                                .groups = run->is_kernel ? 3 : 1,
                                .threads = spec->threads,
                                .held_groups = run->is_kernel ? run->work_groups - 3 : 0,
                                .queues = run->is_kernel ? 2 : 0,
                                .served_places = run->places,
                                .has_channels = true,
                                .heap_bytes = 3 * (transfer_heap_bytes(2, halo_bytes(spec)) +
                                                   transfer_heap_bytes(1, RESIDUAL_BYTES))};
    return world_new(machine, &setup, error);
}

static bool is_checkable(const struct jacobi2d_spec *spec, GError **error)
{
    if (!spec->check || (spec->edge <= MOST_CHECKED && spec->tolerance == 0))
        return true;
    return error_set(error, "check = true takes an edge of at most %d and tolerance = 0",
                     MOST_CHECKED);
}

static bool run_jacobi2d(const struct machine_spec *machine, const void *argument, uint64_t seed,
                         struct workload_result *result, GError **error)
{
    const struct jacobi2d_spec *spec = argument;
    struct jacobi_run run = {.spec = spec,
                             .places = spec->places.nodes * spec->places.gpus_per_node};
    if (!is_checkable(spec, error))
        return false;
    g_autofree struct job_place *places =
        world_places(machine, spec->places.nodes, spec->places.gpus_per_node, error);
    if (places == NULL)
        return false;
    run.world = make_world(&run, machine, seed, places, error);
    if (run.world == NULL)
        return false;
    for (int side = UP; side < SIDES; side++)
        run.halos[side] = world_buffer(run.world, halo_bytes(spec), TRANSFER_PAYLOAD);
    run.residual = (struct collective){
        .places = run.places,
        .buffer = world_buffer(run.world, RESIDUAL_BYTES,
                               run.is_kernel ? TRANSFER_PAYLOAD : TRANSFER_HOST),
        .bytes = RESIDUAL_BYTES,
        .channel = 2,
        .by_maximum = true,
        .skips_round = spec->check == FAULT_LOST_ROUND};
    steady_stop_open(&run.stop, &(struct steady_setup){.steps = spec->iterations,
                                                       .parties = 1,
                                                       .window = WINDOW,
                                                       .tolerance = spec->tolerance});
    make_parts(&run);
    run.residual.carry = run.carry;
    g_autofree void **arguments = g_new(void *, (gsize)run.places);
    for (int64_t i = 0; i < run.places; i++)
        arguments[i] = &run;
    bool good = world_run(run.world, program, arguments, error);
    if (good && spec->check)
        compare(&run, spec->warmup + spec->iterations);
    if (good && run.wrong != NULL)
        error_set(error, "%s", run.wrong);
    good = good && run.wrong == NULL;
    if (good)
        report(&run, result);
    free_parts(&run);
    steady_stop_close(&run.stop);
    world_free(run.world);
    return good;
}

const struct workload jacobi2d_workload = {
    .name = "jacobi2d",
    .params = &jacobi2d_params,
    .accepts = transfer_accepts,
    .run = run_jacobi2d,
};
