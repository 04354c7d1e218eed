/* SPDX-License-Identifier: BSD-3-Clause */
/* A large table takes only the memory that is touched, however many tables have been given back before it. */
#include <glib.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/pages.h"

#ifdef __has_feature
#define IS_WATCHED __has_feature(address_sanitizer)
#else
#define IS_WATCHED 0
#endif

#define BYTES ((size_t)16 << 20)

/* How many of its whole pages take room. */
static size_t resident(const unsigned char *table)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
    size_t before = (page - (uintptr_t)table % page) % page;
    g_autofree unsigned char *states = g_malloc(BYTES / page);
    g_assert_cmpint(mincore((void *)(uintptr_t)(table + before), BYTES - page, states), ==, 0);
    for (size_t i = 0; i < BYTES / page - 1; i++)
        count += states[i] & 1;
    return count;
}

static void test_touched(void)
{
    for (int turn = 0; turn < 3; turn++) {
        unsigned char *table = pages_sparse_new(BYTES);
        g_assert_cmpuint(resident(table), <=, 1); /* beside what stands before a block */
        g_assert_cmpint(table[0] | table[BYTES / 2] | table[BYTES - 1], ==, 0);
        memset(table, 0xff, BYTES);
        g_assert_cmpuint(resident(table), >=, BYTES / 65536);
        pages_sparse_free(table, BYTES);
    }
}

static void test_small(void)
{
    for (size_t bytes = 1; bytes <= 1 << 17; bytes *= 2) {
        unsigned char *table = pages_sparse_new(bytes);
        for (size_t i = 0; i < bytes; i++)
            g_assert_cmpint(table[i], ==, 0);
        memset(table, 0xff, bytes);
        pages_sparse_free(table, bytes);
    }
    pages_sparse_free(NULL, 0);
}

static void test_given_back(void)
{
    unsigned char *table = pages_sparse_new(BYTES), *other = pages_sparse_new(BYTES / 2);
    table[BYTES / 2] = 1;
    table[BYTES / 2] = 0;
    pages_sparse_give_back(table, BYTES);
    pages_sparse_give_back(other, BYTES / 2);
    g_assert_true(pages_sparse_new(BYTES) == table);
    unsigned char *second = pages_sparse_new(BYTES);
    g_assert_true(second != table && pages_sparse_new(BYTES / 2) == other);
    pages_sparse_free(table, BYTES);
    pages_sparse_free(second, BYTES);
    pages_sparse_free(other, BYTES / 2);
    pages_sparse_give_back(NULL, BYTES);
}

/* What lies behind a table cannot be touched where AddressSanitizer looks on. */
static void test_guarded(void)
{
    if (!IS_WATCHED) {
        g_test_skip("only where AddressSanitizer looks on");
        return;
    }
    if (g_test_subprocess()) {
        volatile unsigned char *table = pages_sparse_new(BYTES);
        table[BYTES - 1] = 1;
        table[BYTES] = 1;
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
}

/* The last piece of a size comes back, each once; what is beyond the keeper's room is not kept. */
static void test_keeper(void)
{
    char pieces[PAGES_KEPT + 1][1];
    struct pages_keeper keeper = {.most_bytes = 100, .lock = PTHREAD_MUTEX_INITIALIZER};
    g_assert_true(pages_keep(&keeper, pieces[0], 40));
    g_assert_true(pages_keep(&keeper, pieces[1], 40));
    g_assert_false(pages_keep(&keeper, pieces[2], 21));
    g_assert_true(pages_keep(&keeper, pieces[3], 20));
    g_assert_null(pages_take_kept(&keeper, 21));
    g_assert_true(pages_take_kept(&keeper, 40) == pieces[1]);
    g_assert_true(pages_take_kept(&keeper, 40) == pieces[0]);
    g_assert_null(pages_take_kept(&keeper, 40));
    g_assert_cmpuint(keeper.bytes, ==, 20);
    for (int i = 1; i < PAGES_KEPT; i++)
        g_assert_true(pages_keep(&keeper, pieces[i], 1));
    g_assert_false(pages_keep(&keeper, pieces[PAGES_KEPT], 1));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pages/sparse/touched", test_touched);
    g_test_add_func("/pages/sparse/small", test_small);
    g_test_add_func("/pages/sparse/given-back", test_given_back);
    g_test_add_func("/pages/sparse/guarded", test_guarded);
    g_test_add_func("/pages/keeper", test_keeper);
    return g_test_run();
}
