/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the LogGOPS machine: its queue, the order of what becomes ready together, matching.
 * The machine as a whole is tested with schedules, in tests/workloads/. */
#include <glib.h>

#include "core/rng.h"
#include "fabric/loggp/loggp_match.h"
#include "fabric/loggp/loggp_queue.h"
#include "fabric/loggp/loggp_ready.h"

/* --- the queue -------------------------------------------------------------------------------- */

#define PUSHES 3000

/* The record with the least (time, serial) among `pending`, found by looking at all, and removed. */
static uint32_t brute_force_pop(const struct loggp_records *records, GArray *pending)
{
    guint best = 0;
    for (guint i = 1; i < pending->len; i++) {
        const struct loggp_record *a = &records->at[g_array_index(pending, uint32_t, i)];
        const struct loggp_record *b = &records->at[g_array_index(pending, uint32_t, best)];
        if (a->time < b->time || (a->time == b->time && a->serial < b->serial))
            best = i;
    }
    uint32_t record = g_array_index(pending, uint32_t, best);
    g_array_remove_index_fast(pending, best);
    return record;
}

struct queue_test {
    struct loggp_records records;
    struct loggp_queue *queue;
    GArray *pending;
    struct rng random;
    uint64_t serial, now;
    uint64_t range; /* of times around now; small ones make ties */
};

static void push_at(struct queue_test *test, uint32_t record, bool fresh)
{
    uint64_t offset = rng_below(&test->random, test->range);
    bool past = rng_below(&test->random, 10) == 0;
    test->records.at[record].time = past ? test->now - MIN(offset, test->now) : test->now + offset;
    if (fresh)
        test->records.at[record].serial = test->serial++;
    loggp_queue_push(test->queue, record, fresh);
    g_array_append_val(test->pending, record);
}

/* Takes one out; two of three are put off, as the machine does. */
static void pop_and_check(struct queue_test *test)
{
    uint32_t expected = brute_force_pop(&test->records, test->pending);
    uint32_t record = loggp_queue_pop(test->queue);
    g_assert_cmpuint(record, ==, expected);
    test->now = test->records.at[record].time;
    if (rng_below(&test->random, 3) > 0 && test->serial < PUSHES)
        push_at(test, record, false);
    else
        loggp_record_give_back(&test->records, record);
}

static void run_queue(uint64_t range)
{
    struct queue_test test = {.records.free = LOGGP_NONE, .range = range};
    test.queue = loggp_queue_new(&test.records);
    test.pending = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    rng_init(&test.random, range, "queue");
    while (test.serial < PUSHES || test.pending->len > 0) {
        if (test.serial < PUSHES)
            push_at(&test, loggp_record_take(&test.records), true);
        if (rng_below(&test.random, 3) > 0 || test.serial == PUSHES)
            pop_and_check(&test);
    }
    g_assert_cmpuint(loggp_queue_pop(test.queue), ==, LOGGP_NONE);
    g_array_free(test.pending, TRUE);
    loggp_queue_free(test.queue);
    loggp_records_clear(&test.records);
}

static void test_queue(void)
{
    run_queue(1);
    run_queue(3);
    run_queue(300);
    run_queue(100000);
    run_queue(UINT64_C(1) << 40);
}

/* --- what becomes ready together -------------------------------------------------------------- */

static void add(struct loggp_ready *ready, uint32_t rank, uint32_t id, uint8_t kind)
{
    *loggp_ready_room(ready, rank, 1) = (struct loggp_op){.rank = rank, .id = id, .kind = kind};
    loggp_ready_added(ready, rank, 1);
}

/* Up to 16 keep their order within a kind; of two ranks the lesser is first. */
static void test_small_batches_are_stable(void)
{
    struct loggp_ready ready = {0};
    const struct loggp_batch *batches[2];
    loggp_ready_begin(&ready, 7);
    for (uint32_t id = 0; id < 16; id++)
        add(&ready, 7, id, (uint8_t)(3 - id % 3));
    add(&ready, 2, 99, 1);
    loggp_ready_order(&ready, batches);
    g_assert_cmpuint(batches[0]->ops[0].id, ==, 99);
    g_assert_cmpuint(batches[1]->count, ==, 16);
    for (size_t i = 1; i < 16; i++) {
        const struct loggp_op *a = &batches[1]->ops[i - 1], *b = &batches[1]->ops[i];
        g_assert_true(a->kind < b->kind || (a->kind == b->kind && a->id < b->id));
    }
    loggp_ready_clear(&ready);
}

/* The numbers of `count` operations with these kinds in the order that comes out, mixed into a
 * fingerprint (FNV-1a, a number a step). */
static uint64_t mix_order(const uint8_t *kinds, uint32_t count, uint64_t fingerprint)
{
    struct loggp_ready ready = {0};
    const struct loggp_batch *batches[2];
    for (uint32_t i = 0; i < count; i++)
        add(&ready, 0, i, kinds[i]);
    loggp_ready_order(&ready, batches);
    for (uint32_t i = 0; i < count; i++)
        fingerprint = (fingerprint ^ batches[0]->ops[i].id) * UINT64_C(1099511628211);
    loggp_ready_clear(&ready);
    return fingerprint;
}

#define FNV_START UINT64_C(14695981039346656037)

/* Twenty of one kind come out as libstdc++'s std::sort leaves them (GCC 12.2; measured). */
static void test_twenty_alike(void)
{
    static const uint32_t expected[] = {10, 19, 18, 17, 16, 15, 14, 13, 12, 11,
                                        0,  9,  8,  7,  6,  5,  4,  3,  2,  1};
    uint8_t kinds[20];
    uint64_t fingerprint = FNV_START;
    for (size_t i = 0; i < 20; i++) {
        kinds[i] = 1;
        fingerprint = (fingerprint ^ expected[i]) * UINT64_C(1099511628211);
    }
    g_assert_cmphex(mix_order(kinds, 20, FNV_START), ==, fingerprint);
}

/* The same for batches of 17 to 400 with three kinds drawn by a linear congruential generator. */
static void test_large_batches(void)
{
    uint32_t state = 1;
    uint64_t fingerprint = FNV_START;
    uint8_t kinds[400];
    for (uint32_t count = 17; count <= 400; count++) {
        for (uint32_t i = 0; i < count; i++) {
            state = state * 1664525u + 1013904223u;
            kinds[i] = (uint8_t)(1 + (state >> 16) % 3);
        }
        fingerprint = mix_order(kinds, count, fingerprint);
    }
    g_assert_cmphex(fingerprint, ==, UINT64_C(0x14a2d50714e968b9));
}

/* And for an input that McIlroy's adversary made for std::sort: partitions stay lopsided until the
 * limit of depth, and the rest is heap-sorted. */
static void test_depth_limit(void)
{
    static const uint8_t kinds[] = {
        46, 1,  53, 3,  61, 5,  51, 7,  57, 9,  49, 11, 232, 13, 47, 15, 55, 17, 45, 19, 59, 21,
        24, 23, 62, 60, 58, 56, 54, 52, 50, 48, 0,  2,  4,   6,  8,  10, 12, 14, 16, 18, 20, 22,
        44, 41, 42, 39, 40, 37, 38, 35, 36, 33, 34, 31, 32,  29, 30, 27, 28, 25, 26, 43};
    g_assert_cmphex(mix_order(kinds, sizeof kinds, FNV_START), ==, UINT64_C(0x9192d8f243bebde9));
}

/* --- matching --------------------------------------------------------------------------------- */

static void append(struct loggp_list *list, struct loggp_entries *entries, uint32_t source,
                   uint32_t tag, uint32_t id)
{
    loggp_list_append(list, entries, &(struct loggp_entry){.source = source, .tag = tag, .id = id});
}

static uint32_t match(struct loggp_list *list, struct loggp_entries *entries, uint32_t source,
                      uint32_t tag)
{
    struct loggp_entry found;
    return loggp_list_match(list, entries, source, tag, &found) ? found.id : LOGGP_ANY;
}

/* The oldest that agrees; "any" agrees with all, on either side. */
static void test_matching(void)
{
    struct loggp_entries entries = {0};
    struct loggp_list list = {0};
    append(&list, &entries, 1, 5, 10);
    append(&list, &entries, 2, 5, 11);
    append(&list, &entries, 2, LOGGP_ANY, 12);
    append(&list, &entries, LOGGP_ANY, 6, 13);
    g_assert_cmpuint(match(&list, &entries, 3, 5), ==, LOGGP_ANY);
    g_assert_cmpuint(match(&list, &entries, 2, 6), ==, 12);
    g_assert_cmpuint(match(&list, &entries, LOGGP_ANY, 5), ==, 10);
    g_assert_cmpuint(match(&list, &entries, 9, 6), ==, 13);
    append(&list, &entries, 4, 4, 14);
    g_assert_cmpuint(match(&list, &entries, 2, LOGGP_ANY), ==, 11);
    g_assert_cmpuint(match(&list, &entries, LOGGP_ANY, LOGGP_ANY), ==, 14);
    g_assert_cmpuint(list.first, ==, 0);
    loggp_entries_clear(&entries);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/loggp/queue", test_queue);
    g_test_add_func("/loggp/ready/small", test_small_batches_are_stable);
    g_test_add_func("/loggp/ready/twenty-alike", test_twenty_alike);
    g_test_add_func("/loggp/ready/large", test_large_batches);
    g_test_add_func("/loggp/ready/depth-limit", test_depth_limit);
    g_test_add_func("/loggp/matching", test_matching);
    return g_test_run();
}
