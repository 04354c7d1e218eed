/* SPDX-License-Identifier: BSD-3-Clause */
/* Trying values: one set of values is one variant of the point, and of the other one if that is the target. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "study/model/select.h"
#include "study/solve/solve.h"
#include "study/vary/outcome.h"

#define NARROW 1e-4 /* of a knob's scale: a step that is no wider is not cut */
#define PARTS 4     /* that a step is cut into at a time */

/* --- scales ------------------------------------------------------------------------------------- */

/* The nearest value of the knob's range that the parameter can take. */
static double within(const struct solve_knob *knob, double value)
{
    return vary_nearest(&knob->parameter, CLAMP(value, knob->low, knob->high));
}

bool solve_is_within(const struct solve *solve, const struct solve_try *try)
{
    for (size_t k = 0; k < solve->knob_count; k++)
        if (try->values[k] < solve->knobs[k].low || try->values[k] > solve->knobs[k].high)
            return false;
    return true;
}

double solve_value(const struct solve_knob *knob, double place)
{
    return within(knob, vary_number_at(knob->low, knob->high, place));
}

double solve_place(const struct solve_knob *knob, double value)
{
    return vary_place(knob->low, knob->high, value);
}

/* --- one try ------------------------------------------------------------------------------------ */

static bool is_same(double one, double other)
{
    return !(one < other) && !(one > other);
}

static gssize known(const struct solve *solve, const double *values)
{
    for (guint i = 0; i < solve->tries->len; i++) {
        size_t same = 0;
        while (same < solve->knob_count &&
               is_same(solve_try_at(solve, i)->values[same], values[same]))
            same++;
        if (same == solve->knob_count)
            return (gssize)i;
    }
    return -1;
}

static char **overrides_of(const struct solve *solve, const double *values)
{
    char **overrides = g_new0(char *, solve->knob_count + 1);
    for (size_t k = 0; k < solve->knob_count; k++)
        overrides[k] = vary_override(&solve->knobs[k].parameter, values[k]);
    return overrides;
}

/* Takes the text of the value over into base units: of a quantity's kind, or a plain number. */
static bool read_like(const struct measure *measure, const char *text, double *number,
                      GError **error)
{
    int64_t quantity;
    if (measure->value.kind == VALUE_QUANTITY) {
        bool good = unit_parse(text, measure->value.unit, &quantity, error);
        *number = good ? (double)quantity : 0;
        return good;
    }
    char *end;
    *number = g_ascii_strtod(text, &end);
    return (end > text && *end == '\0' && isfinite(*number)) ||
           error_set(error, "\"%s\" is no number", text);
}

/* By how much the constraints are missed. */
static double violation(const struct solve *solve, const struct row *row, GError **error)
{
    double most = 0;
    for (size_t i = 0; i < solve->constraint_count; i++) {
        const struct solve_constraint *constraint = &solve->constraints[i];
        const struct measure *measure =
            outcome_find(row, constraint->measure, "a constraint", error);
        if (!measure)
            return INFINITY;
        double number = outcome_number(measure);
        double over =
            constraint->is_least ? constraint->limit - number : number - constraint->limit;
        most = MAX(most, over / MAX(fabs(constraint->limit), 1e-300));
    }
    return most;
}

static void judge(const struct solve *solve, struct solve_try *try, const struct row *row,
                  const struct row *other)
{
    g_autoptr(GError) error = NULL;
    const struct measure *measure = outcome_find(row, solve->measure, "there", &error);
    const struct measure *wanted =
        other && measure ? outcome_find(other, solve->measure, "at the other point", &error) : NULL;
    try->number = try->target = try->off = NAN;
    if (measure && (wanted || !other)) {
        try->violation = violation(solve, row, &error);
        try->number = outcome_number(measure);
        try->target = wanted ? outcome_number(wanted) : solve->target;
        try->off = try->target > 0 ? try->number / try->target - 1 : NAN;
    }
    if (error)
        try->failure = g_strdup(row->failure ? row->failure : error->message);
}

/* --- the first one -------------------------------------------------------------------------------- */

/* Of an axis: and what it is now. */
static bool is_read(struct vary_parameter *parameter, const struct row *base,
                    const struct row *other)
{
    if (!vary_is_axis(parameter))
        return row_reads(base, parameter->path) || (other && row_reads(other, parameter->path));
    return vary_parameter_settle(parameter, base->read) ||
           (other && vary_parameter_settle(parameter, other->read));
}

static bool check_read(struct solve *solve, const struct row *other, GError **error)
{
    for (size_t k = 0; k < solve->knob_count; k++) {
        struct vary_parameter *parameter = &solve->knobs[k].parameter;
        const char *path = parameter->path;
        if (!is_read(parameter, solve->base, other))
            return error_set(error, "%s: nothing at this point reads it, so it changes nothing",
                             path);
    }
    return true;
}

/* Numbers of targets and constraints are of the kind that the measures have. */
static bool read_numbers(struct solve *solve, GError **error)
{
    if (solve->target_text && !read_like(solve->shown, solve->target_text, &solve->target, error)) {
        g_prefix_error(error, "--target %s: ", solve->target_text);
        return false;
    }
    if (solve->target_text && solve->target <= 0)
        return error_set(error, "--target %s: accepted is what is above 0", solve->target_text);
    for (size_t i = 0; i < solve->constraint_count; i++) {
        struct solve_constraint *constraint = &solve->constraints[i];
        const struct measure *measure =
            outcome_find(solve->base, constraint->measure, "--constraint", error);
        if (!measure)
            return false;
        if (!read_like(measure, constraint->text, &constraint->limit, error)) {
            g_prefix_error(error, "--constraint %s: ", constraint->measure);
            return false;
        }
    }
    return true;
}

/* The point as it is. Its try has the present values, which may be outside of the ranges. */
static bool try_base(struct solve *solve, GError **error)
{
    variants_add(solve->variants, solve->point, NULL);
    if (solve->other >= 0)
        variants_add(solve->variants, (size_t)solve->other, NULL);
    g_autoptr(GPtrArray) rows = variants_run(solve->variants, error);
    if (!rows)
        return false;
    struct row *other = solve->other >= 0 ? g_ptr_array_index(rows, 1) : NULL;
    solve->base = g_steal_pointer(&g_ptr_array_index(rows, 0));
    solve->shown = outcome_find(solve->base, solve->measure, "the point as it is", error);
    if (!solve->shown || !read_numbers(solve, error) || !check_read(solve, other, error))
        return false;
    struct solve_try try = {.values = g_new(double, solve->knob_count)};
    for (size_t k = 0; k < solve->knob_count; k++)
        try.values[k] = solve->knobs[k].parameter.now;
    judge(solve, &try, solve->base, other);
    g_array_append_val(solve->tries, try);
    if (try.failure)
        return error_set_code(error, ERROR_RUN, "the point as it is: %s", try.failure);
    return !isnan(try.off) || error_set_code(error, ERROR_RUN, "the target is not above 0");
}

/* --- tries ---------------------------------------------------------------------------------------- */

/* Makes the tries from number `first` on, whose values are there. */
static bool run_new(struct solve *solve, guint first, GError **error)
{
    guint each = solve->other >= 0 ? 2 : 1;
    if (first == solve->tries->len)
        return true;
    for (guint i = first; i < solve->tries->len; i++) {
        const double *values = solve_try_at(solve, i)->values;
        variants_add(solve->variants, solve->point, overrides_of(solve, values));
        if (each == 2)
            variants_add(solve->variants, (size_t)solve->other, overrides_of(solve, values));
    }
    g_autoptr(GPtrArray) rows = variants_run(solve->variants, error);
    for (guint i = first; rows && i < solve->tries->len; i++)
        judge(solve, solve_try_at(solve, i), g_ptr_array_index(rows, (i - first) * each),
              each == 2 ? g_ptr_array_index(rows, (i - first) * each + 1) : NULL);
    return rows != NULL;
}

/* About a thousandth of the value or of the range is as fine as anybody wants to read. */
static double rounded(const struct solve_knob *knob, double value)
{
    double least = MIN(fabs(value), knob->high - knob->low);
    double step = least > 0 ? pow(10, floor(log10(least * 1e-3))) : 1;
    return within(knob, round(value / step) * step);
}

/* What the knob can take near `value`. */
static double taken(const struct solve *solve, const struct solve_knob *knob, double value)
{
    return within(knob, vary_taken(solve->machine, &knob->parameter, rounded(knob, value)));
}

bool solve_try_values(struct solve *solve, const double *values, size_t count, size_t *numbers,
                      GError **error)
{
    guint first = solve->tries->len;
    for (size_t i = 0; i < count; i++) {
        g_autofree double *near =
            g_memdup2(&values[i * solve->knob_count], solve->knob_count * sizeof *values);
        for (size_t k = 0; k < solve->knob_count; k++)
            near[k] = taken(solve, &solve->knobs[k], near[k]);
        gssize number = known(solve, near);
        if (number < 0) {
            struct solve_try try = {
                .values = g_steal_pointer(&near), .number = NAN, .target = NAN, .off = NAN};
            number = solve->tries->len;
            g_array_append_val(solve->tries, try);
        }
        numbers[i] = (size_t)number;
    }
    return run_new(solve, first, error);
}

/* --- cutting -------------------------------------------------------------------------------------- */

static double width(const struct solve *solve, const struct solve_try *a, const struct solve_try *b)
{
    double most = 0;
    for (size_t k = 0; k < solve->knob_count; k++)
        most = MAX(most, fabs(solve_place(&solve->knobs[k], a->values[k]) -
                              solve_place(&solve->knobs[k], b->values[k])));
    return most;
}

/* Values at `part` of the way from one try to another. */
static void between(const struct solve *solve, size_t from, size_t to, double part, double *values)
{
    for (size_t k = 0; k < solve->knob_count; k++) {
        const struct solve_knob *knob = &solve->knobs[k];
        double a = solve_place(knob, solve_try_at(solve, from)->values[k]);
        double b = solve_place(knob, solve_try_at(solve, to)->values[k]);
        values[k] = solve_value(knob, a + part * (b - a));
    }
}

/* Cuts the way once. Whether anything new came of it is left in `is_cut`. */
static bool cut_once(struct solve *solve, size_t *below, size_t *above, bool *is_cut,
                     GError **error)
{
    g_autofree double *values = g_new(double, (PARTS - 1) * solve->knob_count);
    size_t numbers[PARTS - 1], far = *above;
    bool is_over = solve_try_at(solve, *below)->off > 0;
    for (size_t i = 0; i < PARTS - 1; i++)
        between(solve, *below, *above, (double)(i + 1) / PARTS, &values[i * solve->knob_count]);
    if (!solve_try_values(solve, values, PARTS - 1, numbers, error))
        return false;
    *is_cut = false;
    for (size_t i = 0; i < PARTS - 1; i++) {
        const struct solve_try *try = solve_try_at(solve, numbers[i]);
        if (numbers[i] == *below || numbers[i] == far || isnan(try->off))
            continue;
        *is_cut = true;
        if ((try->off > 0) != is_over) {
            *above = numbers[i];
            return true;
        }
        *below = numbers[i];
    }
    return true;
}

bool solve_cut(struct solve *solve, size_t below, size_t above, GError **error)
{
    bool is_cut = true;
    while (is_cut && width(solve, solve_try_at(solve, below), solve_try_at(solve, above)) > NARROW)
        if (!cut_once(solve, &below, &above, &is_cut, error))
            return false;
    solve->below = below;
    solve->above = above;
    return true;
}

/* --- all ------------------------------------------------------------------------------------------ */

static bool is_nearer(const struct solve_try *one, const struct solve_try *other)
{
    return is_same(one->violation, other->violation) ? fabs(one->off) < fabs(other->off)
                                                     : one->violation < other->violation;
}

/* The try within the ranges that is nearest to the target, of those that keep the constraints if there is any. */
static bool take_nearest(struct solve *solve, GError **error)
{
    size_t best = SIZE_MAX;
    const char *failure = NULL;
    for (guint i = 0; i < solve->tries->len; i++) {
        const struct solve_try *try = solve_try_at(solve, i);
        failure = failure ? failure : try->failure;
        if (!isnan(try->off) && solve_is_within(solve, try) &&
            (best == SIZE_MAX || is_nearer(try, solve_try_at(solve, best))))
            best = i;
    }
    solve->best = best;
    return best != SIZE_MAX ||
           error_set_code(error, ERROR_RUN,
                          "every value that was tried within the ranges fails; the first: %s",
                          failure ? failure : "its target is not above 0");
}

bool solve_run(struct solve *solve, GError **error)
{
    solve->end = SOLVE_UNREACHED;
    solve->tries = g_array_new(FALSE, FALSE, sizeof(struct solve_try));
    if (!try_base(solve, error))
        return false;
    const struct solve_try *base = solve_try_at(solve, 0);
    if (fabs(base->off) <= SOLVE_TOLERANCE && base->violation <= 0 &&
        solve_is_within(solve, base)) {
        solve->end = SOLVE_FOUND;
        return true;
    }
    bool good = solve->knob_count == 1 ? solve_one(solve, error) : solve_several(solve, error);
    return good &&
           (solve->end == SOLVE_FOUND || solve->end == SOLVE_JUMPS || take_nearest(solve, error));
}
