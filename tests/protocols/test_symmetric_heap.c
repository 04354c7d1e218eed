/* SPDX-License-Identifier: BSD-3-Clause */
/* The symmetric heap on every design: an object has the same address on all nodes, although they have allocated different
 * memory before, and lies in the memory where the design keeps its heap. */
#include "../designs.h"
#include "../models/model_test.h"
#include "../software_test.h"
#include "protocols/shmem/service.h"
#include "protocols/shmem/symmetric_heap.h"

#define ALLOCATIONS 6

/* Where the heap of a design is to be (ComPNet18 section 4.1: in GPU memory, if the GPU has one). */
static struct store *expected_store(struct bench *bench, int64_t node)
{
    struct site *at = cluster_site(bench->cluster, node, 0);
    return bench->cluster->form == NODE_DISCRETE ? gpu_memory(at->gpu)->store
                                                 : host_directory(at->host)->store;
}

static uint64_t word_at(struct bench *bench, int64_t node, address at)
{
    uint64_t word;
    store_read(expected_store(bench, node), at, &word, sizeof word);
    return word;
}

static void set_word(struct bench *bench, int64_t node, address at, uint64_t word)
{
    store_write(expected_store(bench, node), at, &word, sizeof word);
}

/* Allocations of one and two lines with contents, between those of a node of its own: all are zero
 * and none covers another. */
static void check_contents(struct bench *bench, const struct design *design)
{
    struct symmetric_heap *heap = symmetric_heap_new(bench->cluster, design, ALLOCATIONS * 128);
    address at[ALLOCATIONS], own[ALLOCATIONS];
    for (int i = 0; i < ALLOCATIONS; i++) {
        int64_t owner = i % 3 == 0 ? 0 : 1; /* now one node is behind, now the other */
        own[i] =
            site_allocate(bench->cluster, cluster_site(bench->cluster, owner, 0),
                          (enum node_memory)design->heap, 64 * (1 + 3 * i), STORE_FINE_GRAINED);
        set_word(bench, owner, own[i], 1000 + (uint64_t)i);
        at[i] = symmetric_allocate(heap, 8 + 64 * (i % 2), STORE_FINE_GRAINED);
        g_assert_cmpuint(at[i], !=, ADDRESS_NONE);
        for (int64_t node = 0; node < bench->spec.nodes; node++)
            for (int64_t line = 0; line <= i % 2; line++) {
                address word = at[i] + (address)(64 * line);
                g_assert_cmpuint(word_at(bench, node, word), ==, 0);
                set_word(bench, node, word, (uint64_t)(100 * node + 10 * i + line + 1));
            }
    }
    for (int i = 0; i < ALLOCATIONS; i++) {
        g_assert_cmpuint(word_at(bench, i % 3 == 0 ? 0 : 1, own[i]), ==, 1000 + (uint64_t)i);
        for (int64_t node = 0; node < bench->spec.nodes; node++)
            for (int64_t line = 0; line <= i % 2; line++)
                g_assert_cmpuint(word_at(bench, node, at[i] + (address)(64 * line)), ==,
                                 (uint64_t)(100 * node + 10 * i + line + 1));
    }
    symmetric_heap_free(heap);
}

/* Whole lines, up to the heap's size and no further. */
static void check_size(struct bench *bench, const struct design *design)
{
    struct symmetric_heap *heap = symmetric_heap_new(bench->cluster, design, 4 * 64);
    g_assert_cmpint(symmetric_size(1), ==, 64);
    g_assert_cmpint(symmetric_size(64), ==, 64);
    g_assert_cmpint(symmetric_size(65), ==, 128);
    address first = symmetric_allocate(heap, 65, STORE_PAYLOAD);
    address second = symmetric_allocate(heap, 1, STORE_PAYLOAD);
    g_assert_cmpuint(second, ==, first + 128);
    g_assert_cmpuint(symmetric_allocate(heap, 65, STORE_PAYLOAD), ==, ADDRESS_NONE);
    g_assert_cmpuint(symmetric_allocate(heap, 64, STORE_PAYLOAD), ==, second + 64);
    g_assert_cmpuint(symmetric_allocate(heap, 1, STORE_PAYLOAD), ==, ADDRESS_NONE);
    symmetric_heap_free(heap);
}

static void stop(struct process *self, void *service)
{
    (void)self;
    service_stop(service);
}

/* One node has a service, the other has none. */
static void test_heap(void)
{
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        struct bench bench;
        g_autoptr(GError) error = NULL;
        bench_start(&bench, (enum node_form)design_named(kernel_designs()[d])->node,
                    software_tables());
        struct service *service = service_new(bench.cluster, cluster_site(bench.cluster, 1, 0),
                                              design_named(kernel_designs()[d]), 3, 1, 2, &error);
        check_contents(&bench, design_named(kernel_designs()[d]));
        check_size(&bench, design_named(kernel_designs()[d]));
        bench_run(&bench, stop, service);
        service_free(service);
        bench_end(&bench);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/symmetric-heap/every-design", test_heap);
    return g_test_run();
}
