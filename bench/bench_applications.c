/* SPDX-License-Identifier: BSD-3-Clause */
/* What a simulated message of an application costs, by the number of GPUs: a ring allreduce inside kernels and by ranks, on
 * a machine of 1,024 nodes; and the ring of 1,024 beside the same messages on the LogGOPS machine. Seconds are of the
 * processor; each row runs in a process of its own, whose greatest resident set is its memory.
 *
 *   bench_applications [--whole] [--goal FILE]   all messages of 1,024 nodes, not as many as elsewhere; writes the same
 *                                                messages as a GOAL schedule, for LogGOPSim's txt2bin, and prints its command */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/designs.h"
#include "../tests/workload_once.h"
#include "apart.h"
#include "protocols/runtimes/software_tables.h"
#include "workloads/goal/goal_options.h"
#include "workloads/goal/goal_pattern.h"
#include "workloads/goal/goal_writer.h"
#include "workloads/workloads.h"
#include "yardstick.h"

#define MOST_NODES 1024
#define BLOCK_BYTES 4096 /* the number of messages, not their size, is what grows */
#define MESSAGES 32768   /* about as many in each row */
#define OVERHEAD_NS 500  /* of the LogGOPS machine; what a step takes beside it is its L */

static struct machine_spec machine;

struct row {
    const char *design;
    int64_t nodes, rings;
    bool is_whole;
};

struct outcome {
    double seconds;
    int64_t messages;
    int64_t steps, duration_ps; /* of one whole allreduce */
};

static int64_t measure(const struct workload_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++)
        if (g_str_equal(result->measures[i].name, name))
            return result->measures[i].quantity;
    return 0;
}

static void fail(GError *error)
{
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static void run(const void *argument, void *out)
{
    const struct row *row = argument;
    struct outcome *outcome = out;
    struct workload_result result = {.count = 0};
    GError *error = NULL;
    int64_t steps = 2 * (row->nodes - 1);
    int64_t repeats = MAX(MESSAGES / (steps * row->nodes * row->rings), 1);
    g_autofree char *arguments = g_strdup_printf(
        "design=%s nodes=%d rings=%d bytes=%dB algorithm=ring warmup=0 repeats=%d tolerance=%s",
        row->design, (int)row->nodes, (int)row->rings, (int)(BLOCK_BYTES * row->nodes * row->rings),
        (int)repeats, repeats > 1 || row->is_whole ? "0" : "0.02");
    g_autofree void *spec = g_malloc0(allreduce_workload.params->spec_size);
    set_arguments(&allreduce_workload, spec, arguments);
    double before = yardstick_seconds();
    if (!allreduce_workload.run(&machine, spec, 1, &result, &error))
        fail(error);
    *outcome = (struct outcome){
        .seconds = yardstick_seconds() - before,
        .messages = measure(&result, "steps_run") * repeats * row->nodes * row->rings,
        .steps = steps,
        .duration_ps = measure(&result, "duration"),
    };
}

/* `least`: what a message cost on 2 nodes, 0 for those. */
static struct outcome print_row(const struct row *row, double *least)
{
    struct outcome outcome = {0};
    double MB = 0;
    if (!run_apart(run, row, &outcome, sizeof outcome, &MB))
        exit(1);
    double cost_us = outcome.seconds * 1e6 / (double)outcome.messages;
    *least = *least == 0 ? cost_us : *least;
    printf("%-10s %5d %5d %10d %8.2f %12.2f %8.1f %9.1f\n", row->design, (int)row->nodes,
           (int)row->rings, (int)outcome.messages, outcome.seconds, cost_us, cost_us / *least, MB);
    return outcome;
}

static void print_growth(bool is_whole)
{
    static const char *const designs[] = {"comp-net", "gpu-verbs", "cpu"};
    static const int64_t counts[] = {2, 16, 128, MOST_NODES};
    printf("design     nodes rings   messages  seconds us a message of 2's MB in all\n");
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++) {
        double least = 0;
        for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
            print_row(&(struct row){designs[d], counts[i], 1, is_whole}, &least);
    }
}

static void write_goal(const char *path, const char *costs, const struct goal_pattern_spec *spec)
{
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL)
        return;
    goal_write_pattern(file, spec);
    fclose(file);
    printf("LogGOPSim: LogGOPSim -b -f %s.bin %s\n", path, costs);
}

/* The same messages, one ring's after the other's, on a LogGOPS machine whose step is `step_ps`. */
static void print_goal(const struct outcome *ring, const struct row *row, int64_t step_ps,
                       const char *path)
{
    struct goal_pattern_spec pattern;
    struct loggp_spec costs;
    int64_t latency_ns = step_ps / 1000 - 2 * OVERHEAD_NS;
    g_autofree char *what = g_strdup_printf("ring:%d,bytes=%d,iterations=%d", (int)row->nodes,
                                            BLOCK_BYTES, (int)row->rings);
    g_autofree char *text =
        g_strdup_printf("L=%d,o=%d,g=0,G=0,O=0,S=65535", (int)latency_ns, OVERHEAD_NS);
    g_autofree char *options =
        g_strdup_printf("-L %d -o %d -g 0 -G 0 -O 0 -S 65535", (int)latency_ns, OVERHEAD_NS);
    GError *error = NULL;
    if (!goal_pattern_parse(what, &pattern, &error) || !goal_costs_parse(text, &costs, &error))
        fail(error);
    struct goal_pattern *ranks = goal_pattern_new(&pattern);
    struct loggp_program program = goal_pattern_program(ranks);
    struct loggp *loggops = loggp_new(&costs, &program);
    double before = yardstick_seconds();
    while (loggp_run(loggops, 1 << 20))
        ;
    double seconds = yardstick_seconds() - before;
    double messages = (double)loggp_messages(loggops), end_us = (double)loggp_end(loggops, 0) / 1e3;
    double formula_us = (double)(ring->steps * row->rings * (latency_ns + 2 * OVERHEAD_NS)) / 1e3;
    printf("by closed form   %12.1f us, a ring's steps one after the other\n", formula_us);
    printf("LogGOPS machine  %12.1f us  %10.0f messages  %10.3f M messages/s\n", end_us, messages,
           messages / seconds / 1e6);
    printf("in kernels       %12.1f us  %10.0f messages  %10.3f M messages/s: 1 / %.0f\n",
           (double)ring->duration_ps / 1e6, (double)ring->messages,
           (double)ring->messages / ring->seconds / 1e6,
           messages / seconds / ((double)ring->messages / ring->seconds));
    loggp_free(loggops);
    goal_pattern_free(ranks);
    write_goal(path, options, &pattern);
}

int main(int argc, char **argv)
{
    bool is_whole = false;
    const char *path = NULL;
    for (int i = 1; i < argc; i++)
        if (g_str_equal(argv[i], "--whole"))
            is_whole = true;
        else if (g_str_equal(argv[i], "--goal") && i + 1 < argc)
            path = argv[++i];
    test_designs_load();
    machine_spec_init(&machine, software_tables());
    machine.nodes = MOST_NODES;
    machine.transport.kind = TRANSPORT_SEGMENT;
    print_growth(is_whole);
    static const int64_t rings[] = {1, 4};
    for (size_t i = 0; i < G_N_ELEMENTS(rings); i++) {
        double least = 0;
        struct row few = {"comp-net", 16, rings[i], true};
        struct row row = {"comp-net", MOST_NODES, rings[i], is_whole};
        printf("\n%d GPUs, %d rings, against a step of %d\n", MOST_NODES, (int)rings[i],
               (int)few.nodes);
        struct outcome small = print_row(&few, &least), ring = print_row(&row, &least);
        print_goal(&ring, &row, small.duration_ps / small.steps / rings[i], i == 0 ? path : NULL);
    }
    return 0;
}
