/* SPDX-License-Identifier: BSD-3-Clause */
/* How well the rows determine each value where the search has ended: what docs/use/calibrate.md calls known. */
#include <math.h>
#include <stdlib.h>

#include "study/calibration/determine.h"
#include "study/calibration/determine_parts.h"
#include "study/calibration/matrix.h"

#define DETERMINED_BEFORE 0.02 /* of likeness */
#define SLOPE_LEAST 0.05 /* tolerances by which a row moves when a value doubles: less is nothing */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, compare);
    return count == 0 ? 0 : (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

static size_t values_of(const struct determine_system *system)
{
    return system->fit->value_count;
}

static double strength(const struct determine_system *system, size_t k, size_t i)
{
    return fabs(system->slopes[k * values_of(system) + i]) * sqrt(system->weights[k]);
}

static void find_rows(const struct determine_system *system, size_t i, struct determination *known)
{
    const struct machine_fit *fit = system->fit;
    g_autofree double *off = g_new(double, fit->row_count + 1);
    double most = SLOPE_LEAST;
    known->row = SIZE_MAX;
    for (size_t k = 0; k < fit->row_count; k++)
        if (strength(system, k, i) > most) {
            most = strength(system, k, i);
            known->row = k;
        }
    for (size_t k = 0; known->row != SIZE_MAX && k < fit->row_count; k++)
        if (strength(system, k, i) >= most / 5)
            off[known->rows++] = fabs(system->simulated[k] / fit->rows[k].measured - 1);
    known->residual = median_of(off, known->rows);
}

/* Whether the row that says most of value `i` depends on others that are searched for by less than a tenth of that. */
static bool row_is_its_own(const struct determine_system *system, size_t i, size_t row)
{
    double others = 0;
    for (size_t j = 0; j < values_of(system); j++)
        if (j != i && system->active[j])
            others += strength(system, row, j);
    return others < strength(system, row, i) / 10;
}

/* The value whose slopes are most like those of value `i`; of several that are as much so, one that is determined. */
static size_t find_companion(const struct determine_system *system, size_t i)
{
    size_t n = values_of(system), best = SIZE_MAX;
    double most = 0.5;
    for (size_t j = 0; j < n; j++) {
        double ij = 0, ii = 0, jj = 0;
        for (size_t k = 0; k < system->fit->row_count; k++) {
            double a = system->slopes[k * n + i], b = system->slopes[k * n + j];
            ij += system->weights[k] * a * b;
            ii += system->weights[k] * a * a;
            jj += system->weights[k] * b * b;
        }
        double likeness = ii > 0 && jj > 0 ? fabs(ij) / sqrt(ii * jj) : 0;
        likeness += likeness > 0 && system->active[j] ? DETERMINED_BEFORE : 0;
        if (j != i && likeness > most) {
            most = likeness;
            best = j;
        }
    }
    return best;
}

/* What a row that binds value `i` depends on there: another of its unit that is bound, such as two rates of which the lesser counts, or the
 * one that it depends on most; SIZE_MAX: on none. */
static size_t find_limit(const struct machine_fit *fit, const double *slopes,
                         const size_t *bound_by, size_t i, size_t row)
{
    size_t limit = SIZE_MAX, alike = SIZE_MAX;
    double most = SLOPE_LEAST;
    for (size_t j = 0; j < fit->value_count; j++) {
        double slope = fabs(slopes[row * fit->value_count + j]);
        bool is_alike =
            fit->values[j].parameter.param->unit == fit->values[i].parameter.param->unit;
        if (j == i)
            continue;
        if (fit->rows[row].reads[j] && bound_by[j] != SIZE_MAX && is_alike &&
            (alike == SIZE_MAX || bound_by[j] == row))
            alike = j;
        if (slope > most) {
            most = slope;
            limit = j;
        }
    }
    return alike != SIZE_MAX ? alike : limit;
}

/* The places between which every row that is met stays so, by its slope. */
static void find_span(const struct determine_system *system, size_t i, struct determination *known)
{
    const struct fit_value *value = &system->fit->values[i];
    double x = system->fit->x[i];
    known->low = fit_place(value, value->low);
    known->high = fit_place(value, value->high);
    for (size_t k = 0; k < system->fit->row_count; k++) {
        double slope = system->slopes[k * values_of(system) + i], r = system->residuals[k];
        if (system->weights[k] <= 0 || fabs(r) > 1 || fabs(slope) < SLOPE_LEAST)
            continue;
        known->low = MAX(known->low, x - (1 + (slope > 0 ? r : -r)) / fabs(slope));
        known->high = MIN(known->high, x + (1 - (slope > 0 ? r : -r)) / fabs(slope));
    }
}

/* Whether value `i` stands at an end of its range and the rows draw it beyond. */
static bool is_at_end(const struct determine_system *system, size_t i)
{
    double pull = 0;
    for (size_t k = 0; k < system->fit->row_count; k++)
        pull -=
            system->weights[k] * system->residuals[k] * system->slopes[k * values_of(system) + i];
    return determine_wants_beyond(system, i, pull);
}

/* Of a value that is bound by a row nothing is known but that it is no worse than where it stands. */
static void conclude_bound(const struct determine_system *system, size_t i,
                           struct determination *known)
{
    size_t row = system->bound_by[i];
    if (known->is_determined || row == SIZE_MAX)
        return;
    known->is_determined = known->is_bound = true;
    known->row = row;
    known->rows = 1;
    known->together_with = find_limit(system->fit, system->slopes, system->bound_by, i, row);
    known->residual = fabs(system->simulated[row] / system->fit->rows[row].measured - 1);
    known->deviation = 1;
}

/* Of a value that has its part in a sum no more is known than that sum. */
static void conclude_shared(const struct determine_system *system, size_t i,
                            struct determination *known)
{
    if (known->is_determined || !system->shares[i] || known->row == SIZE_MAX)
        return;
    known->is_determined = known->is_shared = true;
    known->together_with = find_companion(system, i);
    known->deviation = 1;
}

struct determination *determine_conclude(struct determine_system *system)
{
    size_t n = values_of(system);
    determine_set_aside(system, false);
    g_autofree double *inverse =
        matrix_invert(determine_matrix(system, system->active, true, 0), n);
    struct determination *known = g_new0(struct determination, n + 1);
    for (size_t i = 0; i < n; i++) {
        find_rows(system, i, &known[i]);
        find_span(system, i, &known[i]);
        known[i].is_determined = system->active[i] && known[i].row != SIZE_MAX;
        known[i].is_at_end = known[i].is_determined && is_at_end(system, i);
        known[i].deviation = determine_part(system, i, determine_deviation(inverse, n, i));
        known[i].together_with = known[i].is_determined || known[i].row == SIZE_MAX
                                     ? SIZE_MAX
                                     : find_companion(system, i);
        known[i].is_alone = known[i].is_determined && row_is_its_own(system, i, known[i].row);
        conclude_bound(system, i, &known[i]);
        conclude_shared(system, i, &known[i]);
    }
    return known;
}
