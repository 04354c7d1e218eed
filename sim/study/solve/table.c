/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers as tables and sentences. */
#include <math.h>

#include "study/model/select.h"
#include "study/solve/solve.h"
#include "study/vary/outcome.h"

static bool is_answered(const struct solve *solve)
{
    return solve->end == SOLVE_FOUND || solve->end == SOLVE_JUMPS;
}

struct table *solve_table(const struct solve *solve)
{
    const char *const names[] = {"parameter", "now",  is_answered(solve) ? "found" : "nearest",
                                 "low",       "high", "range"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    const struct solve_try *best = solve_try_at(solve, solve->best);
    for (size_t k = 0; k < solve->knob_count; k++) {
        const struct solve_knob *knob = &solve->knobs[k];
        g_autofree char *found =
            isnan(best->values[k]) ? NULL : vary_text(&knob->parameter, best->values[k]);
        g_autofree char *low = vary_text(&knob->parameter, knob->low);
        g_autofree char *high = vary_text(&knob->parameter, knob->high);
        table_append(table, (const char *[]){knob->parameter.path, knob->parameter.text, found, low,
                                             high, knob->range});
    }
    return table;
}

/* --- tries ---------------------------------------------------------------------------------------- */

static char *percent_text(double fraction)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    if (isnan(fraction))
        return NULL;
    return g_strdup(g_ascii_formatd(text, sizeof text, "%.4f", 100 * fraction));
}

/* Takes over the texts, of which some may be NULL. */
static void append_texts(struct table *table, char **texts)
{
    table_append(table, (const char *const *)texts);
    for (size_t i = 0; i < table->column_count; i++)
        g_free(texts[i]);
}

static void append_try(struct table *table, const struct solve *solve, const struct solve_try *try)
{
    size_t k = 0;
    g_autofree char **texts = g_new0(char *, table->column_count);
    for (; k < solve->knob_count; k++)
        if (!isnan(try->values[k]))
            texts[k] = vary_text(&solve->knobs[k].parameter, try->values[k]);
    if (!try->failure) {
        texts[k] = outcome_column_text(solve->shown, try->number);
        texts[k + 1] = outcome_column_text(solve->shown, try->target);
        texts[k + 3] = g_strdup(try->violation <= 0 ? "yes" : "no");
    }
    texts[k + 2] = percent_text(try->off);
    texts[k + 4] = g_strdup(try->failure);
    append_texts(table, texts);
}

struct table *solve_tries(const struct solve *solve)
{
    size_t knobs = solve->knob_count, count = knobs + 5;
    g_autofree const char **names = g_new0(const char *, count);
    g_autofree char *column = value_column(solve->shown->name, &solve->shown->value);
    for (size_t k = 0; k < knobs; k++)
        names[k] = solve->knobs[k].parameter.path;
    names[knobs] = column;
    names[knobs + 1] = "target";
    names[knobs + 2] = "off_percent";
    names[knobs + 3] = "holds";
    names[knobs + 4] = "failure";
    struct table *table = table_of_texts(names, count);
    for (size_t i = knobs; i < knobs + 3; i++)
        table->columns[i].is_number = true;
    for (guint i = 0; i < solve->tries->len; i++)
        append_try(table, solve, solve_try_at(solve, i));
    return table;
}

/* --- sentences ------------------------------------------------------------------------------------ */

/* "cp.clock=2GHz, cp.cores=4". */
static char *values_text(const struct solve *solve, const struct solve_try *try)
{
    GString *text = g_string_new(NULL);
    for (size_t k = 0; k < solve->knob_count; k++) {
        g_autofree char *override = vary_override(&solve->knobs[k].parameter, try->values[k]);
        g_string_append_printf(text, "%s%s", k ? ", " : "", override);
    }
    return g_string_free(text, FALSE);
}

static void append_base(GString *text, const struct solve *solve)
{
    const struct study *study = solve->variants->study;
    const struct solve_try *base = solve_try_at(solve, 0);
    g_autofree char *name = point_label(study, solve->point);
    g_autofree char *target = outcome_text(solve->shown, base->target);
    g_string_append_printf(text, "%s: %s is %s now; its target is %s", name, solve->shown->name,
                           solve->shown->value.text, target);
    if (solve->other >= 0) {
        g_autofree char *other = point_label(study, (size_t)solve->other);
        g_string_append_printf(text, ", that of %s, which sees the same changes", other);
    }
    g_string_append(text, ".\n");
}

/* On which side the measure is of its target. */
static const char *side_of(const struct solve_try *try)
{
    return try->off > 0 ? "above" : try->off < 0 ? "below" : "at";
}

static void append_best(GString *text, const struct solve *solve)
{
    const struct solve_try *best = solve_try_at(solve, solve->best);
    g_autofree char *number = outcome_text(solve->shown, best->number);
    g_autofree char *target = outcome_text(solve->shown, best->target);
    char off[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(off, sizeof off, "%+.3f", 100 * best->off);
    g_string_append_printf(text, "There %s is %s, and its target %s (%s %%", solve->shown->name,
                           number, target, off);
    g_ascii_formatd(off, sizeof off, "%.3f", 100 * best->spread);
    if (best->spread > 0)
        g_string_append_printf(text, ", with a spread of ±%s %%", off);
    g_string_append(text, ").\n");
}

/* Where the measure passes its target. */
static void append_sides(GString *text, const struct solve *solve)
{
    const struct solve_try *below = solve_try_at(solve, solve->below),
                           *above = solve_try_at(solve, solve->above);
    if (solve->below == solve->above)
        return;
    g_autofree char *one = values_text(solve, below), *other = values_text(solve, above);
    g_string_append_printf(text, "With %s it is %s the target, with %s %s it%s.\n", one,
                           side_of(below), other, side_of(above),
                           solve->end == SOLVE_JUMPS ? ": it jumps, and no value between gives the "
                                                       "target itself"
                                                     : "");
    if (solve->between >= 0)
        g_string_append(text, "Values between these are within their spread of the target, so the "
                              "step was not made smaller.\n");
}

char *solve_words(const struct solve *solve)
{
    GString *text = g_string_new(NULL);
    append_base(text, solve);
    if (solve->end == SOLVE_FOUND && solve->best == 0 && solve->tries->len == 1)
        g_string_append(text, "It is there already.\n");
    if (solve->end == SOLVE_CONSTRAINED)
        g_string_append(text,
                        "Within these ranges it is reached, but not where the constraints hold; "
                        "this comes nearest.\n");
    if (solve->end == SOLVE_UNREACHED)
        g_string_append(text, "Nothing within these ranges reaches it; this comes nearest.\n");
    append_best(text, solve);
    if (is_answered(solve))
        append_sides(text, solve);
    g_string_append_printf(text, "%u sets of values were tried.\n", solve->tries->len);
    return g_string_free(text, FALSE);
}
