/* SPDX-License-Identifier: BSD-3-Clause */
/* How fast operations from within kernels are simulated: one point of ComPNet18 Fig 8b (480
 * work-groups of 64 work-items that get 8 B again and again), by design and number of service
 * threads; with polls that cannot find anything counted, and with all of them made.
 *
 * Times are of the processor, the best of some rounds; what is asked of a point, 100 ms on a
 * machine on which the yardstick Y(1000) is 24 M/s, is a rate of 0.02 Y(1000) operations.
 *
 *   bench_service                   the table
 *   bench_service DESIGN THREADS         one point, once: for callgrind, and to compare two builds in turn
 *   bench_service DESIGN THREADS made    the same with all polls made, of fewer operations */
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "../tests/designs.h"
#include "protocols/design.h"
#include "protocols/runtimes/software_tables.h"
#include "protocols/shmem/software.h"
#include "workloads/workloads.h"
#include "yardstick.h"

#define WORK_GROUPS 480
#define OPERATIONS 100     /* of each */
#define OPERATIONS_BRUTE 2 /* with all polls made */
#define ASKED 0.02
#define ROUNDS 3

struct outcome {
    double seconds;
    int64_t events;
};

static void set(char *spec, const char *name, const char *text)
{
    g_autoptr(GError) error = NULL;
    const struct param_table *table = queue_service_workload.params;
    const struct param *param = param_find(table, name);
    if (param == NULL)
        g_error("queue_service has no parameter \"%s\"", name);
    if (!param_set_text(table, param, spec, text, &error))
        g_error("%s", error->message);
}

static void set_count(char *spec, const char *name, int64_t count)
{
    char text[32];
    g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, count);
    set(spec, name, text);
}

/* That of configs/gcn3_node.lua, as far as it departs from the defaults in what takes events. */
static void make_machine(struct machine_spec *machine, bool skip)
{
    machine_spec_init(machine, software_tables());
    machine->host.core.loads_in_flight = 10;
    machine->cp.cores = 16;
    machine->cp.core.loads_in_flight = 4;
    machine->cp.private_data_bytes = 24 << 10;
    machine->cp.private_data_a_queue_bytes = 576;
    ((struct software_spec *)(uintptr_t)machine_part(machine, &software_params))->exact = !skip;
}

static struct outcome run_point(const char *design, int64_t threads, int64_t operations, bool skip,
                                struct observe_listener *listener)
{
    struct machine_spec machine;
    make_machine(&machine, skip);
    machine.listener = listener;
    char spec[1024];
    g_autoptr(GError) error = NULL;
    param_set_defaults(queue_service_workload.params, spec);
    char text[64];
    g_snprintf(text, sizeof text, "%s{service_threads=%" G_GINT64_FORMAT "}", design, threads);
    set(spec, "design", text);
    set_count(spec, "work_groups", WORK_GROUPS);
    set_count(spec, "operations", operations);
    struct workload_result result = {.count = 0};
    double start = yardstick_seconds();
    if (!queue_service_workload.run(&machine, spec, 1, &result, &error))
        g_error("%s, %" G_GINT64_FORMAT " threads: %s", design, threads, error->message);
    struct outcome outcome = {.seconds = yardstick_seconds() - start};
    for (size_t i = 0; i < result.count; i++)
        if (g_str_equal(result.measures[i].name, "events"))
            outcome.events = result.measures[i].quantity;
    return outcome;
}

static void print_row(const char *design, int64_t threads, bool skip, int rounds)
{
    int64_t operations = skip ? OPERATIONS : OPERATIONS_BRUTE;
    struct outcome best = {.seconds = 1e9};
    double y = yardstick(1000);
    for (int round = 0; round < rounds; round++) {
        struct outcome outcome = run_point(design, threads, operations, skip, NULL);
        best = outcome.seconds < best.seconds ? outcome : best;
    }
    double rate = (double)(WORK_GROUPS * operations) / best.seconds;
    printf("%-9s %3" G_GINT64_FORMAT "  %-8s %9.1f %9.1f  %8.5f", design, threads,
           skip ? "counted" : "made", rate / 1e3,
           (double)best.events / (double)(WORK_GROUPS * operations), rate / y);
    if (skip)
        printf(" %7.0f ms%s", best.seconds * 1e3, rate < ASKED * y ? "  MISSED" : "");
    printf("\n");
    fflush(stdout);
}

/* --- with observers ----------------------------------------------------------------------------- */

static int64_t heard;

static void hear_operation(void *self, const struct observed_operation *operation)
{
    (void)self;
    heard += (int64_t)operation->part_count;
}

static void hear_span(void *self, const struct observed_span *span)
{
    (void)self;
    heard += span->to_ps > span->from_ps;
}

static void hear_change(void *self, const struct observed_change *change)
{
    (void)self;
    heard += change->change != 0;
}

static double best_seconds(struct observe_listener *listener)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++)
        best = MIN(best, run_point("comp-net", 4, OPERATIONS, true, listener).seconds);
    return best;
}

/* The same point with nobody listening, somebody to operations, and somebody to all. */
static void print_observed(void)
{
    struct observe_listener stages = {.operation = hear_operation};
    struct observe_listener all = {
        .operation = hear_operation, .span = hear_span, .change = hear_change};
    double plain = best_seconds(NULL), with_stages = best_seconds(&stages);
    heard = 0;
    double with_all = best_seconds(&all);
    printf(
        "observed: comp-net, 4 threads: with operations heard %.2f times, with all heard (%" G_GINT64_FORMAT
        " records) %.2f times as long\n",
        with_stages / plain, heard / ROUNDS, with_all / plain);
}

int main(int argc, char **argv)
{
    static const char *const point_designs[] = {"dgpu", "apu", "comp-net"};
    static const int64_t point_threads[] = {1, 4, 16};
    test_designs_load();
    if (argc >= 3) {
        bool skip = argc == 3;
        int64_t operations = skip ? OPERATIONS : OPERATIONS_BRUTE;
        struct outcome outcome =
            run_point(argv[1], g_ascii_strtoll(argv[2], NULL, 10), operations, skip, NULL);
        printf("%s %s: %.0f ms, %.1f events an operation\n", argv[1], argv[2],
               outcome.seconds * 1e3, (double)outcome.events / (double)(WORK_GROUPS * operations));
        return 0;
    }
    printf("%d work-groups, %d operations each; asked: %.2f Y(1000) operations a second\n",
           WORK_GROUPS, OPERATIONS, ASKED);
    printf("%-13s  %-8s %9s %9s  %8s %10s\n", "design, threads", "polls", "1000/s", "events/op",
           "of Y", "a point");
    for (size_t i = 0; i < G_N_ELEMENTS(point_designs); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(point_threads); k++)
            print_row(point_designs[i], point_threads[k], true, ROUNDS);
    for (size_t i = 0; i < G_N_ELEMENTS(point_designs); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(point_threads); k++)
            print_row(point_designs[i], point_threads[k], false, 1);
    print_observed();
    return 0;
}
