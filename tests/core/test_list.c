/* SPDX-License-Identifier: BSD-3-Clause */
/* The list does the same as an array under random operations. An item may be in two lists at once by two links. */
#include "core/list.h"

#include <glib.h>

#define ITEMS 40
#define STEPS 20000

struct item {
    int number;
    struct list_link link;
    struct list_link other;
    bool is_in;
};

static void expect(const struct list *list, const GArray *model)
{
    guint i = 0;
    LIST_EACH (const struct item, item, list, link)
        g_assert_cmpint(item->number, ==, g_array_index(model, int, i++));
    g_assert_cmpuint(i, ==, model->len);
    for (const struct item *item = LIST_LAST(list, struct item, link); item != NULL;
         item = LIST_PREVIOUS(item, struct item, link))
        g_assert_cmpint(item->number, ==, g_array_index(model, int, --i));
    g_assert_cmpuint(i, ==, 0);
    g_assert_true(list_is_empty(list) == (model->len == 0));
}

static guint place_in(const GArray *model, int number)
{
    guint i = 0;
    while (g_array_index(model, int, i) != number)
        i++;
    return i;
}

static void insert(struct list *list, GArray *model, struct item *items, struct item *item)
{
    guint at = (guint)g_test_rand_int_range(0, (gint32)model->len + 1);
    if (at == model->len && g_test_rand_bit())
        list_append(list, &item->link);
    else if (at == 0 && g_test_rand_bit())
        list_prepend(list, &item->link);
    else
        list_insert(list, &item->link,
                    at < model->len ? &items[g_array_index(model, int, at)].link : NULL);
    g_array_insert_val(model, at, item->number);
    item->is_in = true;
}

static void test_against_array(void)
{
    struct item items[ITEMS] = {0};
    struct list list = {NULL, NULL};
    GArray *model = g_array_new(FALSE, FALSE, sizeof(int));
    for (int i = 0; i < ITEMS; i++)
        items[i].number = i;
    for (int step = 0; step < STEPS; step++) {
        struct item *item = &items[g_test_rand_int_range(0, ITEMS)];
        if (!item->is_in) {
            insert(&list, model, items, item);
        } else if (g_test_rand_bit()) {
            list_remove(&list, &item->link);
            g_array_remove_index(model, place_in(model, item->number));
            item->is_in = false;
        } else {
            struct item *first = LIST_TAKE(&list, struct item, link);
            g_assert_cmpint(first->number, ==, g_array_index(model, int, 0));
            g_array_remove_index(model, 0);
            first->is_in = false;
        }
        expect(&list, model);
    }
    g_array_unref(model);
}

static void test_two_links(void)
{
    struct item items[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
    struct list list = {NULL, NULL}, other = {NULL, NULL};
    for (int i = 0; i < 3; i++) {
        list_append(&list, &items[i].link);
        list_prepend(&other, &items[i].other);
    }
    list_remove(&list, &items[1].link);
    g_assert_true(LIST_NEXT(&items[0], struct item, link) == &items[2]);
    g_assert_true(LIST_FIRST(&other, struct item, other) == &items[2]);
    g_assert_true(LIST_NEXT(&items[2], struct item, other) == &items[1]);
    g_assert_null(LIST_PREVIOUS(&items[2], struct item, other));
}

static void test_taken_out_in_a_walk(void)
{
    struct item items[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
    struct list list = {NULL, NULL};
    int seen = 0;
    for (int i = 0; i < 4; i++)
        list_append(&list, &items[i].link);
    LIST_EACH (struct item, item, &list, link) {
        seen++;
        if (item->number % 2 == 0)
            list_remove(&list, &item->link);
    }
    g_assert_cmpint(seen, ==, 4);
    g_assert_true(LIST_FIRST(&list, struct item, link) == &items[1]);
    g_assert_true(LIST_LAST(&list, struct item, link) == &items[3]);
    list = (struct list){NULL, NULL};
    g_assert_null(LIST_TAKE(&list, struct item, link));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/core/list/against-array", test_against_array);
    g_test_add_func("/core/list/two-links", test_two_links);
    g_test_add_func("/core/list/taken-out-in-a-walk", test_taken_out_in_a_walk);
    return g_test_run();
}
