#include "study/calibration/determine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5
#define STEP_MOST 0.3 /* of a range, in one round */
#define STEP_LEAST 0.003
#define HALVINGS 3
#define RIDGE 1e-6
#define SLOPE_LEAST                                                                                \
    0.3 /* of a target, over the whole range: else it does not depend on the value */

/* J and r at a place. */
struct system {
    struct calibration *calibration;
    double *residuals, *slopes; /* slopes[target * values + value] */
    bool *active;               /* by value: searched for */
};

static double weight(double residual)
{
    return 1 / (1 + residual * residual / 4);
}

static size_t values_of(const struct system *system)
{
    return system->calibration->value_count;
}

/* J' W J + ridge of the active values, identity elsewhere, and its inverse by Gauss and Jordan, beside each other. */
static double *inverse_of(const struct system *system)
{
    size_t n = values_of(system), width = 2 * n;
    double *matrix = g_new0(double, n *width);
    for (size_t i = 0; i < n; i++) {
        matrix[i * width + i] = system->active[i] ? RIDGE : 1;
        matrix[i * width + n + i] = 1;
    }
    for (size_t k = 0; k < system->calibration->target_count; k++) {
        const double *row = &system->slopes[k * n];
        double w = weight(system->residuals[k]);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; system->active[i] && j < n; j++)
                if (system->active[j])
                    matrix[i * width + j] += w * row[i] * row[j];
    }
    for (size_t p = 0; p < n; p++) { /* positive definite: the diagonal serves as pivot */
        double pivot = matrix[p * width + p];
        for (size_t j = 0; j < width; j++)
            matrix[p * width + j] /= pivot;
        for (size_t i = 0; i < n; i++) {
            double factor = matrix[i * width + p];
            for (size_t j = 0; i != p && factor != 0 && j < width; j++)
                matrix[i * width + j] -= factor * matrix[p * width + j];
        }
    }
    double *inverse = g_new(double, n *n);
    for (size_t i = 0; i < n; i++)
        memcpy(&inverse[i * n], &matrix[i * width + n], n * sizeof *inverse);
    g_free(matrix);
    return inverse;
}

/* A deviation on the scale of 0 to 1 as a part of the value. */
static double part_of_value(const struct calibration_value *value, double deviation)
{
    double low = value->low > 0 ? value->low : value->high / 10;
    return deviation * log(value->high / low);
}

/* Leaves those active that are determined. */
static void set_aside(struct system *system)
{
    size_t n = values_of(system);
    for (size_t i = 0; i < n; i++)
        system->active[i] = true;
    while (true) {
        g_autofree double *inverse = inverse_of(system);
        size_t worst = SIZE_MAX;
        double most = DETERMINED_WITHIN;
        for (size_t i = 0; i < n; i++) {
            double deviation =
                part_of_value(&system->calibration->values[i], sqrt(fmax(0, inverse[i * n + i])));
            if (system->active[i] && deviation > most) {
                most = deviation;
                worst = i;
            }
        }
        if (worst == SIZE_MAX)
            return;
        system->active[worst] = false;
    }
}

static double cost_of(const struct calibration *calibration, const double *residuals)
{
    double sum = 0;
    for (size_t i = 0; i < calibration->target_count; i++)
        sum += log1p(residuals[i] * residuals[i] / 4);
    return sum;
}

/* Where one step leads, by `part` of it. */
static double step(const struct system *system, const double *x, double part, double *to)
{
    size_t n = values_of(system);
    g_autofree double *inverse = inverse_of(system);
    g_autofree double *downhill = g_new0(double, n);
    double most = 0;
    for (size_t k = 0; k < system->calibration->target_count; k++)
        for (size_t i = 0; i < n; i++)
            if (system->active[i])
                downhill[i] -=
                    weight(system->residuals[k]) * system->residuals[k] * system->slopes[k * n + i];
    for (size_t i = 0; i < n; i++) {
        double way = 0;
        for (size_t j = 0; system->active[i] && j < n; j++)
            way += inverse[i * n + j] * downhill[j];
        to[i] = CLAMP(x[i] + part * CLAMP(way, -STEP_MOST, STEP_MOST), 0, 1);
        most = fmax(most, fabs(to[i] - x[i]));
    }
    return most;
}

/* One round: slopes, a step that makes it better. Whether another one is worth while; also false with an error. */
static bool improve(struct system *system, double *x, GError **error)
{
    struct calibration *calibration = system->calibration;
    size_t n = values_of(system);
    g_autofree double *to = g_new(double, n), *tried = NULL;
    double moved = 0, part = 1;
    if (!calibration_slopes(calibration, x, &system->residuals, &system->slopes, error))
        return false;
    set_aside(system);
    double before = cost_of(calibration, system->residuals);
    for (int i = 0; i <= HALVINGS; i++, part /= 2) {
        moved = step(system, x, part, to);
        if (!calibration_evaluate(calibration, to, &tried, error))
            return false;
        if (cost_of(calibration, tried) < before) {
            memcpy(x, to, n * sizeof *x);
            return moved > STEP_LEAST;
        }
    }
    return false;
}

/* --- what is known ------------------------------------------------------------------------------ */

static double strength(const struct system *system, size_t k, size_t i)
{
    return fabs(system->slopes[k * values_of(system) + i]) * sqrt(weight(system->residuals[k]));
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void find_rows(const struct system *system, size_t i, struct determination *known)
{
    const struct calibration *calibration = system->calibration;
    g_autofree double *off = g_new(double, calibration->target_count);
    double most = SLOPE_LEAST;
    known->row = SIZE_MAX;
    for (size_t k = 0; k < calibration->target_count; k++)
        if (strength(system, k, i) > most) {
            most = strength(system, k, i);
            known->row = k;
        }
    for (size_t k = 0; known->row != SIZE_MAX && k < calibration->target_count; k++)
        if (strength(system, k, i) >= most / 5)
            off[known->rows++] =
                fabs(calibration->targets[k].simulated / calibration->targets[k].target - 1);
    qsort(off, known->rows, sizeof *off, compare);
    known->residual = known->rows > 0 ? off[known->rows / 2] : 0;
}

/* Whether the row that says most of value `i` depends on others that were searched for by less than a tenth of that. */
static bool row_is_its_own(const struct system *system, size_t i, size_t row)
{
    double others = 0;
    for (size_t j = 0; j < values_of(system); j++)
        if (j != i && system->active[j])
            others += strength(system, row, j);
    return others < strength(system, row, i) / 10;
}

/* The value whose slopes are most like those of value `i`. */
static size_t find_companion(const struct system *system, size_t i)
{
    size_t n = values_of(system), best = SIZE_MAX;
    double most = 0.5;
    for (size_t j = 0; j < n; j++) {
        double ij = 0, ii = 0, jj = 0;
        for (size_t k = 0; k < system->calibration->target_count; k++) {
            double w = weight(system->residuals[k]);
            double a = system->slopes[k * n + i], b = system->slopes[k * n + j];
            ij += w * a * b;
            ii += w * a * a;
            jj += w * b * b;
        }
        double likeness = ii > 0 && jj > 0 ? fabs(ij) / sqrt(ii * jj) : 0;
        if (j != i && likeness > most) {
            most = likeness;
            best = j;
        }
    }
    return best;
}

static struct determination *conclude(const struct system *system)
{
    size_t n = values_of(system);
    g_autofree double *inverse = inverse_of(system);
    struct determination *known = g_new0(struct determination, n);
    for (size_t i = 0; i < n; i++) {
        find_rows(system, i, &known[i]);
        known[i].is_determined = system->active[i] && known[i].row != SIZE_MAX;
        known[i].deviation =
            part_of_value(&system->calibration->values[i], sqrt(fmax(0, inverse[i * n + i])));
        known[i].together_with = known[i].is_determined || known[i].row == SIZE_MAX
                                     ? SIZE_MAX
                                     : find_companion(system, i);
        known[i].is_alone = known[i].is_determined && row_is_its_own(system, i, known[i].row);
    }
    return known;
}

struct determination *determine_values(struct calibration *calibration, double *x, bool keep,
                                       GError **error)
{
    struct system system = {.calibration = calibration,
                            .active = g_new0(bool, calibration->value_count)};
    struct determination *known = NULL;
    GError *fault = NULL;
    for (int round = 0; !keep && round < ROUNDS && improve(&system, x, &fault); round++)
        continue;
    if (fault == NULL &&
        calibration_slopes(calibration, x, &system.residuals, &system.slopes, &fault)) {
        set_aside(&system);
        known = conclude(&system);
    }
    g_free(system.residuals);
    g_free(system.slopes);
    g_free(system.active);
    if (fault != NULL)
        g_propagate_error(error, fault);
    return known;
}

bool determine_reach(struct calibration *calibration, const double *x, size_t i, double *slope,
                     size_t *target, GError **error)
{
    g_autofree double *at = g_memdup2(x, calibration->value_count * sizeof *at);
    g_autofree double *here = NULL, *there = NULL;
    double distance = x[i] > 0.5 ? -CALIBRATION_DIFFERENCE : CALIBRATION_DIFFERENCE;
    at[i] += distance;
    if (!calibration_evaluate(calibration, x, &here, error) ||
        !calibration_evaluate(calibration, at, &there, error))
        return false;
    *slope = 0;
    for (size_t k = 0; k < calibration->target_count; k++)
        if (fabs((there[k] - here[k]) / distance) > *slope) {
            *slope = fabs((there[k] - here[k]) / distance);
            *target = k;
        }
    return true;
}
