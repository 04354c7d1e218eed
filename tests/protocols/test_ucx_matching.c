/* SPDX-License-Identifier: BSD-3-Clause */
/* Tag matching is compared with a simple reference: two arrays that are searched from the front. */
#include <glib.h>

#include "core/rng.h"
#include "protocols/ucx/matching.h"

#define MOST 4096

/* What UCX's rules say, without any index. */
struct naive {
    struct match_entry *entries[MOST];
    int count;
};

static void naive_remove(struct naive *naive, int place)
{
    naive->count--;
    for (int i = place; i < naive->count; i++)
        naive->entries[i] = naive->entries[i + 1];
}

static int naive_find(const struct naive *naive, uint64_t tag)
{
    for (int i = 0; i < naive->count; i++)
        if (naive->entries[i]->tag == tag)
            return i;
    return -1;
}

static void check_same(const struct naive *naive, int place, const struct match_entry *found)
{
    g_assert_true(found == (place < 0 ? NULL : naive->entries[place]));
}

/* Few tags, so that many entries compete for each. */
static uint64_t pick_tag(struct rng *rng)
{
    return rng_below(rng, 4) << 60 | rng_below(rng, 3) << 32 | rng_below(rng, 5);
}

/* A message finds the oldest receive with its tag, and a receive the oldest message; else it waits in its own queue. */
static void comes(struct match_queue queues[2], struct naive naive[2], bool is_message,
                  struct rng *rng, struct match_entry *entry)
{
    struct match_queue *others = &queues[!is_message], *own = &queues[is_message];
    struct naive *naive_others = &naive[!is_message], *naive_own = &naive[is_message];
    entry->tag = pick_tag(rng);
    int place = naive_find(naive_others, entry->tag);
    struct match_entry *found = match_find(others, entry->tag);
    check_same(naive_others, place, found);
    if (found) {
        match_remove(others, found);
        naive_remove(naive_others, place);
    } else {
        match_add(own, entry);
        naive_own->entries[naive_own->count++] = entry;
    }
    g_assert_cmpint(own->count, ==, naive_own->count);
    g_assert_cmpint(others->count, ==, naive_others->count);
}

static void test_against_naive(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct match_queue queues[2] = {0};
        struct naive *naive = g_new0(struct naive, 2);
        struct match_entry *entries = g_new0(struct match_entry, MOST);
        struct rng rng;
        rng_init(&rng, seed, "matching");
        for (int i = 0; i < MOST; i++) {
            /* now more of the ones, now more of the others, so that both queues fill and drain */
            comes(queues, naive, rng_below(&rng, 10) < (i / 512 % 2 ? 3u : 7u), &rng, &entries[i]);
        }
        match_clear(&queues[0]);
        match_clear(&queues[1]);
        g_free(naive);
        g_free(entries);
    }
}

/* Thousands of messages that nobody waits for: each is found, and none with another tag; the table has room for all. */
static void test_many(void)
{
    enum { COUNT = 5000 };
    struct match_queue queue = {0};
    struct match_entry *entries = g_new0(struct match_entry, COUNT);
    for (uint64_t i = 0; i < COUNT; i++) {
        entries[i].tag = i << 7;
        match_add(&queue, &entries[i]);
    }
    g_assert_cmpuint(queue.firsts.capacity, >=, COUNT);
    for (uint64_t i = COUNT; i-- > 0;) {
        g_assert_true(match_find(&queue, i << 7) == &entries[i]);
        g_assert_null(match_find(&queue, (i << 7) + 1));
    }
    match_clear(&queue);
    g_free(entries);
}

/* Of entries with one tag the first goes first, whatever lies between them. */
static void test_order(void)
{
    struct match_queue queue = {0};
    struct match_entry early = {.tag = 15}, other = {.tag = 7}, late = {.tag = 15};
    match_add(&queue, &early);
    match_add(&queue, &other);
    match_add(&queue, &late);
    g_assert_true(match_find(&queue, 15) == &early);
    match_remove(&queue, &early);
    g_assert_true(match_find(&queue, 15) == &late);
    match_remove(&queue, &late);
    g_assert_null(match_find(&queue, 15));
    match_clear(&queue);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ucx/matching/against-naive", test_against_naive);
    g_test_add_func("/ucx/matching/many", test_many);
    g_test_add_func("/ucx/matching/order", test_order);
    return g_test_run();
}
