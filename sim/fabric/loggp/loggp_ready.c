/* SPDX-License-Identifier: BSD-3-Clause */
/* LogGOPSim orders operations that become ready together by std::sort on the kind alone, which leaves the order within one kind
 * open. Its ends depend on that order: of 20 sends that become ready at once, the first to start is not the first in the file.
 * To end at the same nanosecond, this is introsort with the choices that GNU's libstdc++ makes (the same ones in every release
 * so far): the median of the second, the middle and the last is the pivot and is swapped to the front; partitioning stops at
 * equal kinds; parts of up to 16 are left for one insertion sort at the end; a part that was divided 2 log2(n) times is
 * heap-sorted. */
#include "fabric/loggp/loggp_ready.h"

#include <glib.h>
#include <stdbool.h>

#define SMALL 16

static inline void swap(struct loggp_op *a, struct loggp_op *b)
{
    struct loggp_op kept = *a;
    *a = *b;
    *b = kept;
}

/* Swaps the median of a, b and c with `front`. */
static void median_to_front(struct loggp_op *front, struct loggp_op *a, struct loggp_op *b,
                            struct loggp_op *c)
{
    struct loggp_op *low = a->kind < b->kind ? a : b, *high = a->kind < b->kind ? b : a;
    if (low->kind < c->kind)
        swap(front, high->kind < c->kind ? high : c);
    else
        swap(front, low);
}

/* Divides ops[1..count) by the kind of ops[0]; returns where the second part begins. */
static size_t partition(struct loggp_op *ops, size_t count)
{
    size_t low = 1, high = count;
    for (;;) {
        while (ops[low].kind < ops[0].kind)
            low++;
        high--;
        while (ops[0].kind < ops[high].kind)
            high--;
        if (low >= high)
            return low;
        swap(&ops[low++], &ops[high]);
    }
}

/* Lets `op` sink from `hole` to a leaf, along the greater children, and rise again. */
static void sift(struct loggp_op *ops, size_t count, size_t hole, struct loggp_op op)
{
    size_t top = hole, child;
    while ((child = 2 * hole + 2) < count) {
        child -= ops[child].kind < ops[child - 1].kind;
        ops[hole] = ops[child];
        hole = child;
    }
    if (child == count) {
        ops[hole] = ops[child - 1];
        hole = child - 1;
    }
    for (; hole > top && ops[(hole - 1) / 2].kind < op.kind; hole = (hole - 1) / 2)
        ops[hole] = ops[(hole - 1) / 2];
    ops[hole] = op;
}

static void heap_sort(struct loggp_op *ops, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift(ops, count, root, ops[root]);
    while (count-- > 1) {
        struct loggp_op last = ops[count];
        ops[count] = ops[0];
        sift(ops, count, 0, last);
    }
}

static void divide(struct loggp_op *ops, size_t count, int depth)
{
    while (count > SMALL) {
        if (depth-- == 0) {
            heap_sort(ops, count);
            return;
        }
        struct loggp_op *middle = ops + count / 2;
        median_to_front(ops, ops + 1, middle, ops + count - 1);
        size_t cut = partition(ops, count);
        divide(ops + cut, count - cut, depth);
        count = cut;
    }
}

/* A stable sort: an operation only passes operations of greater kinds. */
static void insertion_sort(struct loggp_op *ops, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (ops[i - 1].kind <= ops[i].kind)
            continue;
        struct loggp_op op = ops[i];
        size_t at = i;
        for (; at > 0 && op.kind < ops[at - 1].kind; at--)
            ops[at] = ops[at - 1];
        ops[at] = op;
    }
}

static void sort_by_kind(struct loggp_op *ops, size_t count)
{
    if (count > SMALL)
        divide(ops, count, 2 * (63 - __builtin_clzll(count)));
    if (count > 1)
        insertion_sort(ops, count);
}

void loggp_ready_clear(struct loggp_ready *ready)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ready->batches); i++)
        g_free(ready->batches[i].ops);
    *ready = (struct loggp_ready){0};
}

void loggp_ready_grow(struct loggp_batch *batch, size_t more)
{
    batch->room += MAX(MAX((size_t)16, more), batch->room / 2);
    batch->ops = g_renew(struct loggp_op, batch->ops, batch->room);
}

void loggp_ready_order(struct loggp_ready *ready, const struct loggp_batch *first[2])
{
    struct loggp_batch *here = &ready->batches[0], *there = &ready->batches[1];
    bool there_first = there->count > 0 && there->ops[0].rank < ready->rank;
    first[0] = there_first ? there : here;
    first[1] = there_first ? here : there;
    sort_by_kind(here->ops, here->count);
    sort_by_kind(there->ops, there->count);
}
