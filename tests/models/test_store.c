/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of memory by address: what was written is read back, everything else is zero, and only written data take memory. */
#include <glib.h>
#include <string.h>
#include <sys/resource.h>

#include "../sanitized.h"
#include "core/rng.h"
#include "models/memory/store.h"

#define MOST_BYTES 100 /* of an access: more than a line, over the bounds of pages */
#define STEPS 40000

/* Against a plain array, over the bounds of tables of pages. */
static void test_contents(void)
{
    static uint8_t expected[3 * 32768];
    uint8_t data[MOST_BYTES];
    struct store *store = store_new(1);
    address at = store_allocate(store, sizeof expected, STORE_FINE_GRAINED);
    struct rng rng;
    rng_init(&rng, 7, "store");
    for (int step = 0; step < STEPS; step++) {
        size_t bytes = 1 + (size_t)rng_below(&rng, MOST_BYTES);
        size_t offset = (size_t)rng_below(&rng, sizeof expected - bytes + 1);
        if (rng_below(&rng, 4) == 0) {
            memset(data, step % 251, bytes);
            memcpy(expected + offset, data, bytes);
            store_write(store, at + offset, data, bytes);
        }
        store_read(store, at + offset, data, bytes);
        g_assert_true(memcmp(data, expected + offset, bytes) == 0);
    }
    store_free(store);
}

static void test_payloads_have_none(void)
{
    struct store *store = store_new(1);
    address at = store_allocate(store, 1 << 20, STORE_PAYLOAD);
    uint64_t word = 5;
    store_write(store, at + 4096, &word, sizeof word);
    store_read(store, at + 4096, &word, sizeof word);
    g_assert_cmpuint(word, ==, 0);
    store_free(store);
}

static long peak_kB(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* The last word of all the room there is: its page, not what lies before it. */
static void test_memory(void)
{
    struct store *store = store_new(1);
    address at = store_allocate(store, STORE_CONTENTS_BYTES, STORE_FINE_GRAINED);
    address last = at + (address)STORE_CONTENTS_BYTES - sizeof(uint64_t);
    uint64_t word = 5, found = 0, first = 7;
    long before_kB = peak_kB();
    store_write(store, last, &word, sizeof word);
    store_read(store, last, &found, sizeof found);
    store_read(store, at, &first, sizeof first);
    g_assert_cmpuint(found, ==, 5);
    g_assert_cmpuint(first, ==, 0);
    g_assert_cmpint(peak_kB() - before_kB, <, 100 << 10);
    g_assert_true(store_allocate(store, 1, STORE_FINE_GRAINED) == ADDRESS_NONE);
    store_free(store);
}

/* Words far from each other, as those of pairs of many processes, of which few write to each other: memory grows with the words
 * that are written. A page and a table of pages for each take 1 KiB. */
static void test_memory_of_few_words(void)
{
    enum { WORDS = 16384, DISTANCE = 32768 };
    if (IS_SANITIZED) {
        g_test_skip("a sanitizer has memory of its own for what is written");
        return;
    }
    struct store *store = store_new(1);
    address at = store_allocate(store, (int64_t)WORDS * DISTANCE, STORE_FINE_GRAINED);
    long before_kB = peak_kB();
    for (uint64_t i = 0; i < WORDS; i++)
        store_write(store, at + i * DISTANCE, &i, sizeof i);
    g_assert_cmpint(peak_kB() - before_kB, <, 32 << 10);
    store_free(store);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/store/contents", test_contents);
    g_test_add_func("/store/memory-of-few-words", test_memory_of_few_words);
    g_test_add_func("/store/payloads_have_none", test_payloads_have_none);
    g_test_add_func("/store/memory", test_memory);
    return g_test_run();
}
