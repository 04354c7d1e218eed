/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches are compared with a reference that follows the definition: a set holds its `ways` most recently used lines. */
#include <glib.h>
#include <string.h>

#include "models/memory/cache.h"

/* 4 sets of 2 ways: lines 0, 4, 8, ... fall into set 0. */
static struct cache *small_cache(void)
{
    return cache_new(4 * 2 * CACHE_LINE_BYTES, 2, true);
}

static void test_least_recently_used_goes(void)
{
    struct cache *cache = small_cache();
    struct cache_victim victim;
    cache_insert(cache, 0, &victim);
    g_assert_false(victim.valid);
    cache_insert(cache, 4, &victim);
    g_assert_false(victim.valid);
    cache_find(cache, 0); /* now 4 is the oldest */
    cache_insert(cache, 8, &victim);
    g_assert_true(victim.valid);
    g_assert_cmpuint(victim.line, ==, 4);
    g_assert_false(victim.dirty);
    g_assert_cmpint(cache_peek(cache, 0), !=, CACHE_MISS);
    g_assert_cmpint(cache_peek(cache, 4), ==, CACHE_MISS);
    cache_free(cache);
}

static void test_peek_does_not_count_as_use(void)
{
    struct cache *cache = small_cache();
    struct cache_victim victim;
    cache_insert(cache, 0, NULL);
    cache_insert(cache, 4, NULL);
    cache_peek(cache, 0);
    cache_insert(cache, 8, &victim);
    g_assert_cmpuint(victim.line, ==, 0);
    cache_free(cache);
}

static void test_other_sets_are_untouched(void)
{
    struct cache *cache = small_cache();
    for (cache_line line = 0; line < 8; line++)
        cache_insert(cache, line, NULL);
    for (cache_line line = 0; line < 8; line++)
        g_assert_cmpint(cache_peek(cache, line), !=, CACHE_MISS);
    cache_free(cache);
}

static void test_dirty_victim(void)
{
    struct cache *cache = small_cache();
    struct cache_victim victim;
    cache_set_dirty(cache, cache_insert(cache, 0, NULL));
    cache_insert(cache, 4, NULL);
    cache_insert(cache, 8, &victim);
    g_assert_cmpuint(victim.line, ==, 0);
    g_assert_true(victim.dirty);
    cache_free(cache);
}

static void test_locked_lines_stay(void)
{
    struct cache *cache = small_cache();
    struct cache_victim victim;
    cache_way first = cache_insert(cache, 0, NULL);
    cache_insert(cache, 4, NULL);
    cache_set_locked(cache, first, true);
    cache_insert(cache, 8, &victim); /* 0 is older, but locked */
    g_assert_cmpuint(victim.line, ==, 4);
    cache_set_locked(cache, cache_find(cache, 8), true);
    g_assert_cmpint(cache_insert(cache, 12, &victim), ==, CACHE_MISS);
    g_assert_false(victim.valid);
    cache_set_locked(cache, first, false);
    g_assert_cmpint(cache_insert(cache, 12, &victim), ==, first);
    g_assert_cmpuint(victim.line, ==, 0);
    cache_free(cache);
}

static void test_drop(void)
{
    struct cache *cache = small_cache();
    cache_insert(cache, 0, NULL);
    cache_insert(cache, 1, NULL);
    g_assert_true(cache_drop(cache, 0));
    g_assert_false(cache_drop(cache, 0));
    g_assert_cmpint(cache_peek(cache, 1), !=, CACHE_MISS);
    cache_drop_shared(cache);
    g_assert_cmpint(cache_peek(cache, 1), ==, CACHE_MISS);
    cache_insert(cache, 1, NULL);
    g_assert_cmpint(cache_peek(cache, 1), !=, CACHE_MISS);
    cache_free(cache);
}

/* A private line outlives the drop of the others, until it is replaced; what comes into its place is shared. */
static void test_private_lines_stay(void)
{
    struct cache *cache = small_cache();
    cache_set_private(cache, cache_insert(cache, 0, NULL));
    cache_insert(cache, 1, NULL);
    cache_drop_shared(cache);
    g_assert_cmpint(cache_peek(cache, 0), !=, CACHE_MISS);
    g_assert_cmpint(cache_peek(cache, 1), ==, CACHE_MISS);
    cache_insert(cache, 4, NULL);
    cache_insert(cache, 8, NULL); /* in the place of 0 */
    g_assert_cmpint(cache_peek(cache, 0), ==, CACHE_MISS);
    cache_drop_shared(cache);
    g_assert_cmpint(cache_peek(cache, 8), ==, CACHE_MISS);
    cache_free(cache);
}

static void test_set_is_locked(void)
{
    struct cache *cache = small_cache();
    cache_way first = cache_insert(cache, 0, NULL), second = cache_insert(cache, 4, NULL);
    cache_way other = cache_insert(cache, 1, NULL);
    cache_set_locked(cache, first, true);
    g_assert_false(cache_set_is_locked(cache, first));
    cache_set_locked(cache, second, true);
    g_assert_true(cache_set_is_locked(cache, first));
    g_assert_true(cache_set_is_locked(cache, second));
    g_assert_false(cache_set_is_locked(cache, other));
    cache_free(cache);
}

static void test_data_belongs_to_its_line(void)
{
    struct cache *cache = small_cache();
    for (cache_line line = 0; line < 8; line++)
        cache_data(cache, cache_insert(cache, line, NULL))[CACHE_LINE_BYTES - 1] = (uint8_t)line;
    for (cache_line line = 0; line < 8; line++)
        g_assert_cmpuint(cache_data(cache, cache_peek(cache, line))[CACHE_LINE_BYTES - 1], ==,
                         (uint8_t)line);
    cache_free(cache);
}

/* The same random accesses to the cache and to a plain list a set, newest first. */
static void test_against_lists(void)
{
    enum { SETS = 8, WAYS = 4 };
    struct cache *cache = cache_new(SETS * WAYS * CACHE_LINE_BYTES, WAYS, false);
    GQueue sets[SETS];
    for (int i = 0; i < SETS; i++)
        g_queue_init(&sets[i]);
    GRand *random = g_rand_new_with_seed(7);
    for (int i = 0; i < 20000; i++) {
        cache_line line = (cache_line)g_rand_int_range(random, 0, SETS * WAYS * 3);
        GQueue *set = &sets[line % SETS];
        bool expected = g_queue_remove(set, GUINT_TO_POINTER(line + 1));
        g_queue_push_head(set, GUINT_TO_POINTER(line + 1));
        if (g_queue_get_length(set) > WAYS)
            g_queue_pop_tail(set);
        bool found = cache_find(cache, line) != CACHE_MISS;
        g_assert_cmpint(found, ==, expected);
        if (!found)
            cache_insert(cache, line, NULL);
    }
    for (int i = 0; i < SETS; i++)
        g_queue_clear(&sets[i]);
    g_rand_free(random);
    cache_free(cache);
}

struct held_line {
    cache_line line;
    cache_way way;
    bool is_locked;
};

/* Puts the line in front of its list, which has the newest first; it comes into `way` if it was not there. */
static void list_use(struct held_line *list, size_t *length, cache_line line, cache_way way)
{
    size_t at = 0;
    while (at < *length && list[at].line != line)
        at++;
    bool is_there = at < *length;
    struct held_line used = is_there ? list[at] : (struct held_line){line, way, false};
    *length += !is_there;
    memmove(&list[1], &list[0], at * sizeof *list);
    list[0] = used;
}

static void list_remove_at(struct held_line *list, size_t *length, size_t at)
{
    memmove(&list[at], &list[at + 1], (--*length - at) * sizeof *list);
}

/* The way that a new line takes: the first free one, else that of the oldest unlocked line, which is removed, and noted in `gone`. */
static cache_way list_make_room(struct held_line *list, size_t *length, size_t ways,
                                cache_line *gone)
{
    size_t at = *length;
    unsigned taken = 0;
    for (size_t i = 0; i < *length; i++)
        taken |= 1U << list[i].way;
    if (*length < ways)
        return __builtin_ctz(~taken);
    while (at > 0 && list[at - 1].is_locked)
        at--;
    if (at == 0)
        return CACHE_MISS;
    struct held_line oldest = list[at - 1];
    *gone = oldest.line;
    list_remove_at(list, length, at - 1);
    return oldest.way;
}

/* Uses, locks, unlocks or drops one of the lines, or drops all. */
static void change_one(struct cache *cache, struct held_line *list, size_t *length, GRand *random)
{
    size_t at = (size_t)g_rand_int_range(random, 0, (int)*length);
    cache_line line = list[at].line;
    int what = g_rand_int_range(random, 0, 64);
    if (what == 0) {
        cache_drop_shared(cache);
        *length = 0;
    } else if (what < 8) {
        g_assert_true(cache_drop(cache, line));
        list_remove_at(list, length, at);
    } else if (what < 24) {
        list[at].is_locked = !list[at].is_locked;
        cache_set_locked(cache, cache_peek(cache, line), list[at].is_locked);
    } else {
        g_assert_cmpint(cache_find(cache, line), ==, list[at].way);
        list_use(list, length, line, CACHE_MISS);
    }
}

/* Random runs of streamed lines between uses, locks and drops: each new line takes the way that a plain list says. */
static void test_streams_against_a_list(void)
{
    enum { WAYS = 6 };
    struct cache *cache = cache_new(WAYS * CACHE_LINE_BYTES, WAYS, false);
    struct held_line list[WAYS + 1];
    size_t length = 0;
    GRand *random = g_rand_new_with_seed(31);
    for (cache_line next = 1; next < 20000; next++) {
        struct cache_victim victim;
        cache_line gone = 0;
        cache_way way = list_make_room(list, &length, WAYS, &gone);
        g_assert_cmpint(cache_insert(cache, next, &victim), ==, way);
        g_assert_cmpuint(victim.valid ? victim.line : 0, ==, gone);
        if (way != CACHE_MISS)
            list_use(list, &length, next, way);
        for (int i = g_rand_int_range(random, 0, 4) - 1; i > 0 && length > 0; i--)
            change_one(cache, list, &length, random);
    }
    g_rand_free(random);
    cache_free(cache);
}

/* Large tables are kept for the next cache of their size, which has to be as empty as the first. */
static void test_next_one_is_empty(void)
{
    const int64_t bytes = 4 << 20, lines = bytes / CACHE_LINE_BYTES;
    for (int turn = 0; turn < 3; turn++) {
        struct cache *cache = cache_new(bytes, 8, true);
        g_assert_cmpint(cache_peek(cache, 1), ==, CACHE_MISS);
        cache_insert(cache, (cache_line)lines, NULL); /* makes the tables */
        for (cache_way way = 1; way < cache_way_count(cache); way++) {
            g_assert_false(cache_is_dirty(cache, way) || cache_is_locked(cache, way));
            g_assert_cmpint(*cache_data(cache, way), ==, 0);
        }
        for (cache_line line = 0; line < (cache_line)lines; line += 3) {
            g_assert_cmpint(cache_peek(cache, line), ==, CACHE_MISS);
            cache_way way = cache_insert(cache, line, NULL);
            cache_set_dirty(cache, way);
            cache_set_locked(cache, way, true);
            memset(cache_data(cache, way), 0xff, CACHE_LINE_BYTES);
        }
        cache_free(cache);
    }
}

/* Of any number of sets, and of lines up to the largest address. */
static void test_set_is_the_remainder(void)
{
    for (int64_t sets = 1; sets <= 4096; sets += sets < 16 ? 1 : 341) {
        for (int shift = 0; shift < 63; shift++) {
            for (int64_t off = -2; off <= 2; off++) {
                cache_line line = (cache_line)((INT64_C(1) << shift) / sets * sets + sets + off);
                struct cache *cache = cache_new(sets * 2 * CACHE_LINE_BYTES, 2, false);
                g_assert_cmpuint((cache_line)cache_insert(cache, line, NULL) / 2, ==,
                                 line % (cache_line)sets);
                cache_free(cache);
            }
        }
    }
}

static void test_shapes(void)
{
    g_assert_true(cache_shape_valid(16384, 16));
    g_assert_true(cache_shape_valid(3 * 64, 1)); /* three sets: any whole number will do */
    g_assert_false(cache_shape_valid(100, 1));
    g_assert_false(cache_shape_valid(0, 1));
    g_assert_false(cache_shape_valid(64, 0));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cache/least-recently-used-goes", test_least_recently_used_goes);
    g_test_add_func("/cache/peek-is-no-use", test_peek_does_not_count_as_use);
    g_test_add_func("/cache/other-sets", test_other_sets_are_untouched);
    g_test_add_func("/cache/dirty-victim", test_dirty_victim);
    g_test_add_func("/cache/locked-lines-stay", test_locked_lines_stay);
    g_test_add_func("/cache/drop", test_drop);
    g_test_add_func("/cache/private-lines-stay", test_private_lines_stay);
    g_test_add_func("/cache/set-is-locked", test_set_is_locked);
    g_test_add_func("/cache/data", test_data_belongs_to_its_line);
    g_test_add_func("/cache/against-lists", test_against_lists);
    g_test_add_func("/cache/streams-against-a-list", test_streams_against_a_list);
    g_test_add_func("/cache/next-one", test_next_one_is_empty);
    g_test_add_func("/cache/set-is-the-remainder", test_set_is_the_remainder);
    g_test_add_func("/cache/shapes", test_shapes);
    return g_test_run();
}
