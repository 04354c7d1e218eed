/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of the device library share: two nodes whose kernels talk to each other through their
 * services, on every design. */
#pragma once

#include <glib.h>

#include "../designs.h"
#include "../models/model_test.h"
#include "../software_test.h"
#include "protocols/shmem/device_library.h"
#include "protocols/shmem/symmetric_heap.h"

#define NODES 2
#define MOST_WORK_GROUPS 8
#define WORDS_BYTES (64 * 64)
#define PAYLOAD_BYTES (256 * 1024)

struct pair {
    struct bench bench;
    const struct design *design; /* `changed` */
    struct design changed;
    struct service *services[NODES];
    struct kernel kernels[NODES];
    struct side {
        struct pair *pair;
        int64_t node;
    } sides[NODES];
    struct symmetric_heap *heap;
    address words;   /* with contents */
    address payload; /* without */
    void (*program)(struct pair *pair, struct device_context *context, int64_t node,
                    int64_t work_group);
    int64_t work_groups;
    sim_time done_ps[NODES];
    int64_t completion;                    /* enum design_completion */
    int64_t queue_entries, barrier_cycles; /* 0: as by default */
    sim_time took_ps;                      /* of what the program polls */
    sim_time short_ps;                     /* of the short get in long_and_short */
    sim_time enough_ps[MOST_WORK_GROUPS];  /* by work-group, in comparisons: when it was written */
};

static inline void run_side(struct work_group *wg, void *argument)
{
    struct side *side = argument;
    struct device_context context;
    device_context_create(&context, side->pair->services[side->node], wg);
    side->pair->program(side->pair, &context, side->node, wg->index);
    side->pair->done_ps[side->node] = process_now(wg->process);
}

static inline void stop_when_both_end(struct process *self, void *argument)
{
    struct pair *pair = argument;
    for (int node = 0; node < NODES; node++)
        if (!pair->kernels[node].is_finished)
            signal_wait(&pair->kernels[node].finished, self, "a kernel to end");
    for (int node = 0; node < NODES; node++)
        service_stop(pair->services[node]);
}

static inline struct store *memory_of(struct pair *pair, int64_t node)
{
    struct site *at = cluster_site(pair->bench.cluster, node, 0);
    return pair->design->node == NODE_APU ? host_directory(at->host)->store
                                          : gpu_memory(at->gpu)->store;
}

static inline uint64_t word_at(struct pair *pair, int64_t node, int64_t index)
{
    uint64_t word;
    store_read(memory_of(pair, node), pair->words + (address)(index * 64), &word, sizeof word);
    return word;
}

static inline void start(struct pair *pair, const struct design *design)
{
    g_autoptr(GError) error = NULL;
    pair->changed = *design;
    pair->changed.completion = pair->completion;
    pair->changed.fence =
        pair->completion == COMPLETION_BY_CONTEXT ? FENCE_BY_CONTEXT : FENCE_QUIET;
    design = &pair->changed;
    bench_start(&pair->bench, (enum node_form)design->node, software_tables());
    if (pair->queue_entries > 0)
        SOFTWARE(pair->bench.spec)->queue_entries = pair->queue_entries;
    if (pair->barrier_cycles > 0)
        pair->bench.spec.gpu.barrier_cycles = pair->barrier_cycles;
    pair->design = design;
    struct cluster *cluster = pair->bench.cluster;
    pair->heap = symmetric_heap_new(cluster, design, WORDS_BYTES + PAYLOAD_BYTES);
    pair->words = symmetric_allocate(pair->heap, WORDS_BYTES, STORE_FINE_GRAINED);
    pair->payload = symmetric_allocate(pair->heap, PAYLOAD_BYTES, STORE_PAYLOAD);
    for (int node = 0; node < NODES; node++) {
        pair->services[node] = service_new(cluster, cluster_site(cluster, node, 0), design,
                                           pair->work_groups, 1, 2, &error);
        g_assert_nonnull(pair->services[node]);
        pair->sides[node] = (struct side){pair, node};
        pair->kernels[node] = (struct kernel){.work_groups = pair->work_groups,
                                              .threads = 64,
                                              .program = run_side,
                                              .argument = &pair->sides[node]};
        g_assert_true(
            gpu_launch(cluster_site(cluster, node, 0)->gpu, &pair->kernels[node], &error));
    }
}

static inline void finish(struct pair *pair)
{
    for (int node = 0; node < NODES; node++)
        service_free(pair->services[node]);
    symmetric_heap_free(pair->heap);
    bench_end(&pair->bench);
}

struct test_case {
    const char *name;
    void (*program)(struct pair *, struct device_context *, int64_t, int64_t);
    void (*check)(struct pair *);
};

/* On every design, with one work-group and with many, completed together and by context. */
static inline void run_case(gconstpointer argument)
{
    const struct test_case *test_case = argument;
    for (size_t d = 0; kernel_designs()[d] != NULL; d++)
        for (int64_t i = 0; i < 4; i++) {
            struct pair pair = {.program = test_case->program,
                                .work_groups = i % 2 ? MOST_WORK_GROUPS : 1,
                                .completion = i / 2};
            start(&pair, design_named(kernel_designs()[d]));
            bench_run(&pair.bench, stop_when_both_end, &pair);
            if (test_case->check != NULL)
                test_case->check(&pair);
            finish(&pair);
        }
}

static inline void add_cases(const char *group, const struct test_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *path = g_strdup_printf("/%s/%s", group, cases[i].name);
        g_test_add_data_func(path, &cases[i], run_case);
        g_free(path);
    }
}
