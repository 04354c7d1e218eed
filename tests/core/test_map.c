/* SPDX-License-Identifier: BSD-3-Clause */
/* The map does the same as GLib's hash table under random operations, with keys that lie close together, far apart or at
 * regular distances. */
#include "core/map.h"

#include <glib.h>

#define STEPS 50000

static uint64_t draw_key(void)
{
    uint64_t number = (uint64_t)g_test_rand_int_range(0, 300);
    switch (g_test_rand_int_range(0, 3)) {
    case 0:
        return number;
    case 1:
        return number << 40;
    default:
        return UINT64_MAX - 1 - number * 64;
    }
}

static void expect_value(const struct map *map, GHashTable *model, uint64_t key)
{
    const union map_value *value = map_find(map, key);
    gpointer known;
    g_assert_true((value != NULL) == g_hash_table_lookup_extended(model, &key, NULL, &known));
    if (value != NULL)
        g_assert_cmpuint(value->number, ==, GPOINTER_TO_SIZE(known));
}

static void test_against_glib(void)
{
    struct map map = {0};
    GHashTable *model = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (uint64_t step = 1; step <= STEPS; step++) {
        uint64_t key = draw_key();
        expect_value(&map, model, key);
        if (g_test_rand_bit()) {
            map_remove(&map, key);
            g_hash_table_remove(model, &key);
        } else {
            map_at(&map, key)->number = step;
            g_hash_table_replace(model, g_memdup2(&key, sizeof key), GSIZE_TO_POINTER(step));
        }
        expect_value(&map, model, key);
        g_assert_cmpuint(map.count, ==, g_hash_table_size(model));
    }
    GHashTableIter iterator;
    gpointer key;
    g_hash_table_iter_init(&iterator, model);
    while (g_hash_table_iter_next(&iterator, &key, NULL))
        expect_value(&map, model, *(uint64_t *)key);
    map_clear(&map);
    g_hash_table_unref(model);
}

static void test_new_and_known(void)
{
    struct map map = {0};
    g_assert_null(map_find(&map, 0));
    g_assert_true(map_add(&map, 0));
    g_assert_false(map_add(&map, 0));
    g_assert_null(map_at(&map, 7)->pointer);
    map_at(&map, 7)->pointer = g_strdup("seven");
    g_assert_cmpstr(map_find(&map, 7)->pointer, ==, "seven");
    map_remove(&map, 0);
    g_assert_cmpuint(map.count, ==, 1);
    map_clear_with(&map, g_free);
    g_assert_cmpuint(map.count, ==, 0);
    g_assert_null(map_find(&map, 7));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/core/map/against-glib", test_against_glib);
    g_test_add_func("/core/map/new-and-known", test_new_and_known);
    return g_test_run();
}
