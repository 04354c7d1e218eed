/* SPDX-License-Identifier: BSD-3-Clause */
/* Points are collected by what they are called, in the order of these names, so that the answer
 * does not depend on the order in which they were run. */
#include "study/store/diff.h"

#include <math.h>
#include <string.h>

#include "study/store/pack.h"

struct comparison {
    struct diff *diff;
    double tolerance;
    size_t most_shown;
    const char *study, *point; /* at work */
};

static bool collect(void *context, const struct store_point *point)
{
    struct row *row = g_new0(struct row, 1);
    char *name =
        g_strdup_printf("%s\n%s\n%" G_GUINT64_FORMAT, point->study, point->axes, point->seed);
    if (!unpack_row(point->result, row))
        row->failure = g_strdup("unreadable");
    g_tree_replace(context, name, row);
    return true;
}

static gint compare_names(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    return strcmp(a, b);
}

static void free_row(gpointer row)
{
    row_free(row);
}

/* The rows by their points' names; NULL and an error if they cannot all be visited. */
static GTree *rows_of(struct result_store *store, GError **error)
{
    GTree *rows = g_tree_new_full(compare_names, NULL, g_free, free_row);
    if (!store_each_point(store, collect, rows, error))
        g_clear_pointer(&rows, g_tree_unref);
    return rows;
}

static void differ(struct comparison *comparison, const char *measure, const char *a, const char *b)
{
    struct diff *diff = comparison->diff;
    const char *const texts[] = {comparison->study, comparison->point, measure, a, b};
    if (diff->differences++ < comparison->most_shown)
        table_append(diff->shown, texts);
}

static bool agree(const struct value *a, const struct value *b, double tolerance)
{
    if (a->kind != b->kind || a->unit != b->unit)
        return false;
    if (a->kind == VALUE_TEXT)
        return strcmp(a->text, b->text) == 0;
    if (a->kind == VALUE_QUANTITY && a->quantity == b->quantity)
        return true;
    double one = a->kind == VALUE_NUMBER ? a->number : (double)a->quantity;
    double other = b->kind == VALUE_NUMBER ? b->number : (double)b->quantity;
    return one == other || fabs(one - other) <= tolerance * fmax(fabs(one), fabs(other));
}

static void compare_rows(struct comparison *comparison, const struct row *a, const struct row *b)
{
    comparison->diff->compared++;
    if (g_strcmp0(a->failure, b->failure) != 0)
        differ(comparison, "failure", a->failure, b->failure);
    for (size_t i = 0; i < a->measure_count; i++) {
        const struct measure *one = &a->measures[i], *other = row_measure(b, one->name);
        if (!other || !agree(&one->value, &other->value, comparison->tolerance))
            differ(comparison, one->name, one->value.text, other ? other->value.text : NULL);
    }
    for (size_t i = 0; i < b->measure_count; i++) {
        if (!row_measure(a, b->measures[i].name))
            differ(comparison, b->measures[i].name, NULL, b->measures[i].value.text);
    }
}

/* Takes each point of A out of B. */
struct walk {
    struct comparison *comparison;
    GTree *others;
};

static void name_point(struct comparison *comparison, char **parts)
{
    comparison->study = parts[0];
    comparison->point = parts[1];
}

static gboolean compare_one(gpointer name, gpointer row, gpointer data)
{
    const struct walk *walk = data;
    g_auto(GStrv) parts = g_strsplit(name, "\n", 3);
    const struct row *other = g_tree_lookup(walk->others, name);
    name_point(walk->comparison, parts);
    if (other)
        compare_rows(walk->comparison, row, other);
    else
        differ(walk->comparison, "(point)", "there", NULL);
    g_tree_remove(walk->others, name);
    return FALSE;
}

static gboolean note_alone(gpointer name, gpointer row, gpointer data)
{
    (void)row;
    g_auto(GStrv) parts = g_strsplit(name, "\n", 3);
    name_point(data, parts);
    differ(data, "(point)", NULL, "there");
    return FALSE;
}

static struct diff *compare_trees(GTree *ours, GTree *others, double tolerance, size_t most_shown)
{
    static const char *const names[] = {"study", "point", "measure", "in A", "in B"};
    struct diff *diff = g_new0(struct diff, 1);
    diff->shown = table_of_texts(names, G_N_ELEMENTS(names));
    struct comparison comparison = {diff, tolerance, most_shown, NULL, NULL};
    struct walk walk = {&comparison, others};
    g_tree_foreach(ours, compare_one, &walk);
    g_tree_foreach(others, note_alone, &comparison);
    return diff;
}

struct diff *diff_stores(struct result_store *a, struct result_store *b, double tolerance,
                         size_t most_shown, GError **error)
{
    GTree *ours = rows_of(a, error), *others = ours ? rows_of(b, error) : NULL;
    struct diff *diff = others ? compare_trees(ours, others, tolerance, most_shown) : NULL;
    g_clear_pointer(&ours, g_tree_unref);
    g_clear_pointer(&others, g_tree_unref);
    return diff;
}

void diff_free(struct diff *diff)
{
    table_free(diff->shown);
    g_free(diff);
}
