/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/determine.h"

#include <math.h>
#include <string.h>

#include "study/calibration/determine_parts.h"
#include "study/calibration/matrix.h"

#define PHASES 3
#define ROUNDS 6          /* of a phase */
#define SCALE_LEAST 2.0   /* of residuals, c */
#define SCALE_SHRINKS 6.0 /* by round, from the worst residual on: at first all rows draw */
#define DIFFERENCE 0.06   /* of x, for slopes */
#define STEP_MOST 1.0     /* of x, in one round */
#define STEP_LEAST 0.004  /* a round that moves nothing by more is the last */
#define GAIN_LEAST 0.02   /* one that makes the cost less by a smaller part, too */
#define DAMPINGS 6
#define SHARE_LEAST 0.03 /* of x: a part of a sum that moves less stays where it was */
#define RIDGE 1e-9

static size_t values_of(const struct determine_system *system)
{
    return system->fit->value_count;
}

/* --- residuals and slopes ----------------------------------------------------------------------- */

double determine_residual(const struct fit_row *row, double simulated)
{
    return log(simulated / row->measured) / FIT_TOLERANCE;
}

/* Residuals of the simulated times; false if a row for calibration failed. */
static bool set_residuals(const struct machine_fit *fit, const double *simulated, double *residuals)
{
    for (size_t k = 0; k < fit->row_count; k++) {
        residuals[k] = 0;
        if (!fit->rows[k].is_for_fit)
            continue;
        if (!(simulated[k] > 0))
            return false;
        residuals[k] = determine_residual(&fit->rows[k], simulated[k]);
    }
    return true;
}

double determine_loss(const struct determine_system *system, double residual)
{
    double part = residual / system->scale;
    return log1p(part * part);
}

/* How far value `i`, one of those that share, is from where it was, as a part of its width; 0 of others. */
static double departure(const struct determine_system *system, size_t i, double x)
{
    return system->is_sharing && system->shares[i]
               ? (x - system->start[i]) / system->fit->values[i].width
               : 0;
}

static double cost_of(const struct determine_system *system, const double *x,
                      const double *residuals)
{
    double sum = 0;
    for (size_t i = 0; i < values_of(system); i++)
        sum += departure(system, i, x[i]) * departure(system, i, x[i]) /
               (system->scale * system->scale);
    for (size_t k = 0; k < system->fit->row_count; k++)
        sum += determine_loss(system, residuals[k]);
    return sum;
}

static void set_weights(struct determine_system *system)
{
    const struct machine_fit *fit = system->fit;
    for (size_t k = 0; k < fit->row_count; k++) {
        double part = system->residuals[k] / system->scale;
        system->weights[k] = fit->rows[k].is_for_fit ? 1 / (1 + part * part) : 0;
    }
}

static double worst_of(const struct determine_system *system)
{
    double worst = 0;
    for (size_t k = 0; k < system->fit->row_count; k++)
        worst = fmax(worst, fabs(system->residuals[k]));
    return worst;
}

/* How far value `i` is moved for its slope, and where to. */
static double moved_place(const struct machine_fit *fit, size_t i)
{
    const struct fit_value *value = &fit->values[i];
    double x = fit->x[i], high = fit_place(value, value->high);
    double here = fit_number(fit, i, x), there = fit_number(fit, i, x + DIFFERENCE);
    double unit = value->parameter.param->kind == PARAM_QUANTITY ? 1 : 0;
    if (x + DIFFERENCE > high)
        there = MIN(fit_number(fit, i, x - DIFFERENCE), MAX(here - unit, value->low));
    else
        there = MAX(there, MIN(here + unit, value->high));
    return fit_place(value, there);
}

bool determine_has_slope(const struct determine_system *system, bool all, size_t k, size_t i)
{
    const struct fit_row *row = &system->fit->rows[k];
    bool is_open = system->is_sharing ? system->shares[i] : !system->locked[i];
    return row->is_for_fit && row->reads[i] && (all || is_open);
}

/* Fills the slopes around fit->x, where the residuals are: for all values, or those that are not locked. */
static bool set_slopes(struct determine_system *system, bool all, GError **error)
{
    struct machine_fit *fit = system->fit;
    size_t n = values_of(system);
    g_autofree double *at = g_memdup2(fit->x, n * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        at[i] = moved_place(fit, i);
        for (size_t k = 0; k < fit->row_count; k++)
            if (determine_has_slope(system, all, k, i))
                machine_fit_add(fit, k, at);
        at[i] = fit->x[i];
    }
    g_autoptr(GPtrArray) rows = variants_run(fit->variants, error);
    guint next = 0;
    memset(system->slopes, 0, fit->row_count * n * sizeof *system->slopes);
    for (size_t i = 0; rows && i < n; i++) {
        double by = moved_place(fit, i) - fit_place(&fit->values[i], fit_number(fit, i, fit->x[i]));
        for (size_t k = 0; k < fit->row_count; k++) {
            if (!determine_has_slope(system, all, k, i))
                continue;
            double time = machine_fit_time(g_ptr_array_index(rows, next++));
            if (time > 0 && fabs(by) > 0)
                system->slopes[k * n + i] =
                    (determine_residual(&fit->rows[k], time) - system->residuals[k]) / by;
        }
    }
    return rows != NULL;
}

/* --- linear algebra ----------------------------------------------------------------------------- */

double *determine_matrix(const struct determine_system *system, const bool *is_in, bool weights,
                         double damping)
{
    size_t n = values_of(system);
    double *matrix = g_new0(double, n *n);
    for (size_t k = 0; k < system->fit->row_count; k++) {
        const double *row = &system->slopes[k * n];
        double weight = weights ? system->weights[k] : 1;
        for (size_t i = 0; system->fit->rows[k].is_for_fit && i < n; i++)
            for (size_t j = 0; is_in[i] && j < n; j++)
                if (is_in[j])
                    matrix[i * n + j] += weight * row[i] * row[j];
    }
    for (size_t i = 0; i < n; i++) {
        double width = system->fit->values[i].width;
        if (system->is_sharing && is_in[i])
            matrix[i * n + i] += 1 / (width * width);
        matrix[i * n + i] = is_in[i] ? matrix[i * n + i] * (1 + damping) + RIDGE : 1;
    }
    return matrix;
}

double determine_deviation(const double *inverse, size_t n, size_t i)
{
    return sqrt(fmax(0, inverse[i * n + i]));
}

double determine_part(const struct determine_system *system, size_t i, double deviation)
{
    const struct machine_fit *fit = system->fit;
    double number = fit_number(fit, i, fit->x[i]), start = fit_number(fit, i, system->start[i]);
    double part = deviation * fit_relative(fit, i, fit->x[i]);
    return number < start ? part * MAX(number, start / 100) / start : part;
}

double determine_lack(const struct determine_system *system, size_t i, double deviation,
                      bool is_search)
{
    double of_width = deviation / system->fit->values[i].width;
    return is_search ? 2 * of_width : determine_part(system, i, deviation) / DETERMINED_WITHIN;
}

bool determine_wants_beyond(const struct determine_system *system, size_t i, double step)
{
    const struct fit_value *value = &system->fit->values[i];
    double x = system->fit->x[i];
    return (step < 0 && x <= fit_place(value, value->low) + AT_END) ||
           (step > 0 && x >= fit_place(value, value->high) - AT_END);
}

void determine_set_aside(struct determine_system *system, bool is_search)
{
    size_t n = values_of(system);
    for (size_t i = 0; i < n; i++)
        system->active[i] = !system->locked[i];
    while (true) {
        g_autofree double *inverse =
            matrix_invert(determine_matrix(system, system->active, false, 0), n);
        size_t worst = SIZE_MAX;
        double most = 0;
        for (size_t i = 0; i < n; i++) {
            double deviation = determine_deviation(inverse, n, i);
            double of_width = deviation / system->fit->values[i].width;
            if (system->active[i] && determine_lack(system, i, deviation, is_search) > 1 &&
                of_width > most) {
                most = of_width;
                worst = i;
            }
        }
        if (worst == SIZE_MAX)
            return;
        system->active[worst] = false;
    }
}

/* --- the search --------------------------------------------------------------------------------- */

/* The step of the values that `is_in`. */
static void solve(const struct determine_system *system, const bool *is_in, double damping,
                  double *step)
{
    size_t n = values_of(system);
    g_autofree double *inverse = matrix_invert(determine_matrix(system, is_in, true, damping), n);
    g_autofree double *downhill = g_new0(double, n);
    for (size_t k = 0; k < system->fit->row_count; k++)
        for (size_t i = 0; i < n; i++)
            downhill[i] -= system->weights[k] * system->residuals[k] * system->slopes[k * n + i];
    for (size_t i = 0; i < n; i++)
        downhill[i] -= departure(system, i, system->fit->x[i]) / system->fit->values[i].width;
    for (size_t i = 0; i < n; i++) {
        step[i] = 0;
        for (size_t j = 0; is_in[i] && j < n; j++)
            if (is_in[j])
                step[i] += inverse[i * n + j] * downhill[j];
    }
}

/* Where one step leads; what would leave its range stays at its end, and the others are solved for without it. */
static double step_to(const struct determine_system *system, double damping, double *to)
{
    const struct machine_fit *fit = system->fit;
    size_t n = values_of(system);
    g_autofree bool *is_in = g_memdup2(system->active, n * sizeof *is_in);
    g_autofree double *step = g_new(double, n);
    double most = 0;
    for (bool is_good = false; !is_good;) {
        is_good = true;
        solve(system, is_in, damping, step);
        for (size_t i = 0; i < n; i++)
            if (is_in[i] && determine_wants_beyond(system, i, step[i]))
                is_in[i] = is_good = false;
    }
    for (size_t i = 0; i < n; i++) {
        const struct fit_value *value = &fit->values[i];
        to[i] = fit->x[i] + CLAMP(step[i], -STEP_MOST, STEP_MOST);
        to[i] = CLAMP(to[i], fit_place(value, value->low), fit_place(value, value->high));
        most = fmax(most, fabs(to[i] - fit->x[i]));
    }
    return most;
}

/* One round: slopes, then a step that makes it better, damped more and more. *is_last if another one is not worth while, with the
 * residuals' scale as it is. */
static bool improve(struct determine_system *system, bool *is_last, GError **error)
{
    struct machine_fit *fit = system->fit;
    size_t n = values_of(system);
    g_autofree double *to = g_new(double, n + 1), *tried = g_new(double, fit->row_count);
    g_autofree double *residuals = g_new(double, fit->row_count);
    *is_last = true;
    if (!set_slopes(system, false, error))
        return false;
    if (system->is_sharing)
        memcpy(system->active, system->shares, n * sizeof *system->active);
    else
        determine_set_aside(system, true);
    double before = cost_of(system, fit->x, system->residuals), damping = 0.001;
    for (int i = 0; i < DAMPINGS; i++, damping *= 10) {
        double moved = step_to(system, damping, to);
        if (moved < STEP_LEAST)
            return true;
        if (!machine_fit_run(fit, to, tried, error))
            return false;
        if (!set_residuals(fit, tried, residuals) || cost_of(system, to, residuals) >= before)
            continue;
        *is_last = cost_of(system, to, residuals) > before * (1 - GAIN_LEAST);
        memcpy(fit->x, to, n * sizeof *to);
        memcpy(system->simulated, tried, fit->row_count * sizeof *tried);
        memcpy(system->residuals, residuals, fit->row_count * sizeof *residuals);
        return true;
    }
    return true;
}

/* --- the whole ---------------------------------------------------------------------------------- */

static void open_system(struct determine_system *system, struct machine_fit *fit)
{
    size_t rows = fit->row_count, n = fit->value_count;
    *system = (struct determine_system){.fit = fit,
                                        .simulated = g_new0(double, rows + 1),
                                        .residuals = g_new0(double, rows + 1),
                                        .weights = g_new0(double, rows + 1),
                                        .slopes = g_new0(double, rows *n + 1),
                                        .start = g_memdup2(fit->x, (n + 1) * sizeof *fit->x),
                                        .active = g_new0(bool, n + 1),
                                        .locked = g_new0(bool, n + 1),
                                        .was_put_back = g_new0(bool, n + 1),
                                        .shares = g_new0(bool, n + 1),
                                        .bound_by = g_new(size_t, n + 1)};
    for (size_t i = 0; i < n; i++)
        system->bound_by[i] = SIZE_MAX;
    for (size_t k = 0; k < rows; k++)
        system->simulated[k] = fit->rows[k].simulated;
    set_residuals(fit, system->simulated, system->residuals);
    system->scale = SCALE_LEAST;
    set_weights(system);
}

static void close_system(struct determine_system *system)
{
    struct machine_fit *fit = system->fit;
    for (size_t k = 0; k < fit->row_count; k++)
        if (fit->rows[k].is_for_fit)
            fit->rows[k].simulated = system->simulated[k];
    g_free(system->simulated);
    g_free(system->residuals);
    g_free(system->weights);
    g_free(system->slopes);
    g_free(system->start);
    g_free(system->active);
    g_free(system->locked);
    g_free(system->was_put_back);
    g_free(system->shares);
    g_free(system->bound_by);
}

/* Rounds, from residuals' scale at the worst of them to its least. */
static bool search(struct determine_system *system, GError **error)
{
    bool is_last = false, good = true;
    system->scale = MAX(SCALE_LEAST, worst_of(system));
    for (int round = 0; good && !is_last && round < ROUNDS; round++) {
        set_weights(system);
        good = improve(system, &is_last, error);
        is_last = is_last && system->scale <= SCALE_LEAST;
        system->scale = MAX(SCALE_LEAST, system->scale / SCALE_SHRINKS);
    }
    system->scale = SCALE_LEAST;
    set_weights(system);
    return good;
}

/* Runs the rows where the values now are. */
static bool run_here(struct determine_system *system, GError **error)
{
    struct machine_fit *fit = system->fit;
    if (!machine_fit_run(fit, fit->x, system->simulated, error))
        return false;
    set_residuals(fit, system->simulated, system->residuals);
    return true;
}

/* Moves what was put back and rows need elsewhere: of a sum, each part by as much of its width as the rows' slopes ask for, and none further
 * than they do. */
static bool share(struct determine_system *system, GError **error)
{
    const struct machine_fit *fit = system->fit;
    system->is_sharing = true;
    bool good = search(system, error);
    system->is_sharing = false;
    for (size_t i = 0; i < fit->value_count; i++)
        if (system->shares[i] && fabs(fit->x[i] - system->start[i]) < SHARE_LEAST) {
            system->shares[i] = false;
            fit->x[i] = system->start[i];
        }
    return good && run_here(system, error);
}

/* Puts what the rows do not determine back to where it was, the second time for good, or as near to it as they permit; what they bound
 * stays. *moved: some of it had been moved, and the others have to be searched for again. */
static bool put_back(struct determine_system *system, bool *moved, GError **error)
{
    struct machine_fit *fit = system->fit;
    size_t n = fit->value_count;
    g_autofree double *met = g_memdup2(system->residuals, (fit->row_count + 1) * sizeof *met);
    g_autofree bool *is_back = g_new0(bool, n + 1);
    *moved = false;
    determine_set_aside(system, false);
    if (!determine_bounds(system, error))
        return false;
    for (size_t i = 0; i < n; i++) {
        is_back[i] = !system->active[i] && !system->locked[i] && system->bound_by[i] == SIZE_MAX;
        if (!is_back[i])
            continue;
        system->locked[i] = system->was_put_back[i];
        system->was_put_back[i] = true;
        *moved = *moved || fabs(fit->x[i] - system->start[i]) > AT_END;
        fit->x[i] = system->start[i];
    }
    if (!*moved)
        return true;
    return run_here(system, error) &&
           (!determine_sharing(system, is_back, met) || share(system, error));
}

struct determination *determine_values(struct machine_fit *fit, bool keep, GError **error)
{
    struct determine_system system;
    struct determination *known = NULL;
    bool good = true, moved = true;
    open_system(&system, fit);
    for (int phase = 0; good && !keep && moved && phase < PHASES; phase++)
        good = search(&system, error) && set_slopes(&system, false, error) &&
               put_back(&system, &moved, error);
    set_weights(&system);
    good = good && set_slopes(&system, true, error);
    if (good)
        known = determine_conclude(&system);
    close_system(&system);
    return known;
}
