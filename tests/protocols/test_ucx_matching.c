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

static bool matches(uint64_t tag, uint64_t other, uint64_t mask)
{
    return (tag & mask) == (other & mask);
}

static void naive_remove(struct naive *naive, int place)
{
    naive->count--;
    for (int i = place; i < naive->count; i++)
        naive->entries[i] = naive->entries[i + 1];
}

static int naive_posted(const struct naive *naive, uint64_t tag)
{
    for (int i = 0; i < naive->count; i++)
        if (matches(tag, naive->entries[i]->tag, naive->entries[i]->mask))
            return i;
    return -1;
}

static int naive_unexpected(const struct naive *naive, uint64_t tag, uint64_t mask)
{
    for (int i = 0; i < naive->count; i++)
        if (matches(tag, naive->entries[i]->tag, mask))
            return i;
    return -1;
}

static void check_same(const struct naive *naive, int place, const struct match_entry *found)
{
    g_assert_true(found == (place < 0 ? NULL : naive->entries[place]));
}

/* Few tags and masks, so that many entries compete for each. */
static uint64_t pick_tag(struct rng *rng)
{
    return rng_below(rng, 4) << 60 | rng_below(rng, 3) << 32 | rng_below(rng, 5);
}

static uint64_t pick_mask(struct rng *rng)
{
    static const uint64_t masks[] = {MATCH_EXACT, MATCH_EXACT, UINT64_C(0xf) << 60,
                                     UINT64_C(0xffffffff), 0};
    return masks[rng_below(rng, G_N_ELEMENTS(masks))];
}

static void message_comes(struct match_queue queues[2], struct naive naive[2], struct rng *rng,
                          struct match_entry *entry)
{
    int64_t looks = 0;
    entry->tag = pick_tag(rng);
    int place = naive_posted(&naive[0], entry->tag);
    struct match_entry *receive = match_posted(&queues[0], entry->tag, &looks);
    check_same(&naive[0], place, receive);
    g_assert_cmpint(looks, <=, place < 0 ? naive[0].count : place + 2);
    if (receive) {
        match_remove(&queues[0], receive);
        naive_remove(&naive[0], place);
    } else {
        match_arrive(&queues[1], entry);
        naive[1].entries[naive[1].count++] = entry;
    }
}

static void receive_comes(struct match_queue queues[2], struct naive naive[2], struct rng *rng,
                          struct match_entry *entry)
{
    int64_t looks = 0;
    entry->tag = pick_tag(rng);
    entry->mask = pick_mask(rng);
    int place = naive_unexpected(&naive[1], entry->tag, entry->mask);
    struct match_entry *message = match_unexpected(&queues[1], entry->tag, entry->mask, &looks);
    check_same(&naive[1], place, message);
    g_assert_cmpint(looks, <=, place < 0 ? naive[1].count : place + 1);
    if (message) {
        match_remove(&queues[1], message);
        naive_remove(&naive[1], place);
    } else {
        match_post(&queues[0], entry);
        naive[0].entries[naive[0].count++] = entry;
    }
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
            if (rng_below(&rng, 10) < (i / 512 % 2 ? 3u : 7u))
                message_comes(queues, naive, &rng, &entries[i]);
            else
                receive_comes(queues, naive, &rng, &entries[i]);
        }
        match_clear(&queues[0]);
        match_clear(&queues[1]);
        g_free(naive);
        g_free(entries);
    }
}

/* 64 receives of one tag and thousands of messages that nobody waits for: the number of looks stays one. */
static void test_looks(void)
{
    enum { COUNT = 5000 };
    struct match_queue queue = {0};
    struct match_entry *entries = g_new0(struct match_entry, COUNT);
    for (uint64_t i = 0; i < COUNT; i++) {
        entries[i].tag = i << 7;
        match_arrive(&queue, &entries[i]);
    }
    for (uint64_t i = COUNT; i-- > 0;) {
        int64_t looks = 0;
        g_assert_true(match_unexpected(&queue, i << 7, MATCH_EXACT, &looks) == &entries[i]);
        g_assert_cmpint(looks, ==, 1);
    }
    int64_t looks = 0;
    g_assert_true(match_unexpected(&queue, 99 << 7, UINT64_MAX - 1, &looks) == &entries[99]);
    g_assert_cmpint(looks, ==, 100);
    match_clear(&queue);
    g_free(entries);
}

/* A wildcard posted earlier goes before an exact receive, and the other way round. */
static void test_order_of_posting(void)
{
    struct match_queue queue = {0};
    struct match_entry early = {.tag = 7, .mask = 7}, exact = {.tag = 15, .mask = MATCH_EXACT},
                       late = {.tag = 0, .mask = 0};
    int64_t looks = 0;
    match_post(&queue, &early);
    match_post(&queue, &exact);
    match_post(&queue, &late);
    g_assert_true(match_posted(&queue, 15, &looks) == &early);
    match_remove(&queue, &early);
    g_assert_true(match_posted(&queue, 15, &looks) == &exact);
    match_remove(&queue, &exact);
    g_assert_true(match_posted(&queue, 15, &looks) == &late);
    match_clear(&queue);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ucx/matching/against-naive", test_against_naive);
    g_test_add_func("/ucx/matching/looks", test_looks);
    g_test_add_func("/ucx/matching/order-of-posting", test_order_of_posting);
    return g_test_run();
}
