/* SPDX-License-Identifier: BSD-3-Clause */
/* Restated claims: what one paper repeats of another, or an abstract of its own tables. */
#include <string.h>

#include "study/claims/claims.h"
#include "study/claims/claims_tsv.h"

enum { COLUMN_ID, COLUMN_TWINS };

static bool is_same_number(double a, const char *text)
{
    return *text && a == g_ascii_strtod(text, NULL);
}

/* An abstract's "up to 10.1x, 11.7x, 17.4x": from least to most of the upper ends of its restated. */
static bool sums_up(const struct claim *claim)
{
    double least = G_MAXDOUBLE, most = -G_MAXDOUBLE;
    for (guint i = 0; i < claim->restated->len; i++) {
        const struct claim *restated = g_ptr_array_index(claim->restated, i);
        double high = g_ascii_strtod(restated->high, NULL);
        if (!*restated->high || restated->unit[0] != claim->unit[0])
            return false;
        least = MIN(least, high);
        most = MAX(most, high);
    }
    return is_same_number(least, claim->low) && is_same_number(most, claim->high);
}

/* Without numbers it is the ordering that is stated. */
static bool says_the_same(const struct claim *claim, const struct claim *restated)
{
    bool has_numbers = *claim->low || *claim->high;
    return strcmp(claim->metric, restated->metric) == 0 && strcmp(claim->low, restated->low) == 0 &&
           strcmp(claim->high, restated->high) == 0 && strcmp(claim->unit, restated->unit) == 0 &&
           (has_numbers || strcmp(claim->ordering, restated->ordering) == 0);
}

static bool agrees(const struct claim *claim)
{
    return claim->restated->len > 1 ? sums_up(claim)
                                    : says_the_same(claim, g_ptr_array_index(claim->restated, 0));
}

static bool add_twin(const struct claim_list *list, struct claim *claim, const char *id,
                     const char *path, size_t line, GError **error)
{
    struct claim *restated = claims_find(list, id);
    if (!restated)
        return claims_tsv_fail(error, path, line, "there is no claim \"%s\"", id);
    if (restated->status == CLAIM_RESTATED)
        return claims_tsv_fail(error, path, line, "%s is restated itself", id);
    g_ptr_array_add(claim->restated, restated);
    return true;
}

static bool add_row(const struct claim_list *list, const char *path, const struct claims_row *row,
                    GError **error)
{
    struct claim *claim = claims_find(list, row->fields[COLUMN_ID]);
    if (!claim)
        return claims_tsv_fail(error, path, row->line, "there is no claim \"%s\"",
                               row->fields[COLUMN_ID]);
    if (claim->status != CLAIM_RESTATED)
        return claims_tsv_fail(error, path, row->line, "%s is of use %s, not restated", claim->id,
                               claim->use);
    if (claim->restated)
        return claims_tsv_fail(error, path, row->line, "%s stands here twice", claim->id);
    claim->restated = g_ptr_array_new();
    g_auto(GStrv) ids = g_strsplit(row->fields[COLUMN_TWINS], " ", -1);
    for (size_t i = 0; ids[i]; i++) {
        if (!add_twin(list, claim, ids[i], path, row->line, error))
            return false;
    }
    if (claim->restated->len == 0)
        return claims_tsv_fail(error, path, row->line, "%s needs a restated", claim->id);
    return agrees(claim) ||
           claims_tsv_fail(error, path, row->line, "%s does not say the same as %s", claim->id,
                           row->fields[COLUMN_TWINS]);
}

bool claims_read_restated(struct claim_list *list, const char *path, GError **error)
{
    g_autoptr(GPtrArray) rows = claims_tsv_read(path, "id\trestated", error);
    bool good = rows != NULL;
    for (guint i = 0; good && i < rows->len; i++)
        good = add_row(list, path, g_ptr_array_index(rows, i), error);
    return good;
}

/* --- following -------------------------------------------------------------------------------- */

/* A claim that sums several up is as good as the worst of them. */
static enum claim_status worse(enum claim_status a, enum claim_status b)
{
    static const enum claim_status worst[] = {CLAIM_ERROR, CLAIM_MISSED};
    for (size_t i = 0; i < G_N_ELEMENTS(worst); i++)
        if (a == worst[i] || b == worst[i])
            return worst[i];
    return a == CLAIM_NOT_YET || b == CLAIM_NOT_YET ? CLAIM_NOT_YET : a;
}

static void follow(struct claim *claim)
{
    const struct claim *first = g_ptr_array_index(claim->restated, 0);
    GString *note = g_string_new("says the same as ");
    claim->verdict = first->status;
    for (guint i = 0; i < claim->restated->len; i++) {
        const struct claim *restated = g_ptr_array_index(claim->restated, i);
        claim->verdict = worse(claim->verdict, restated->status);
        g_string_append_printf(note, "%s%s (%s)", i ? ", " : "", restated->id,
                               claim_status_name(restated->status));
    }
    if (claim->restated->len == 1) {
        claim->has_number = first->has_number;
        claim->obtained = first->obtained;
        claim->has_range = first->has_range;
        claim->obtained_low = first->obtained_low;
        g_free(claim->scenario);
        claim->scenario = g_strdup(first->scenario);
    }
    g_free(claim->note);
    claim->note = g_string_free(note, FALSE);
}

void claims_follow_restated(struct claim_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct claim *claim = &list->claims[i];
        if (claim->restated)
            follow(claim);
        else
            claim->verdict = claim->status == CLAIM_RESTATED ? CLAIM_NOT_YET : claim->status;
    }
}
