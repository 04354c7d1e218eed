/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "study/calibration/determine_parts.h"

#define BOUND_GAIN 1.0 /* of the cost: what a value has to be worth that stays where it was drawn */

/* Whether the rows say too little of value `i`, even if all others were known. */
static bool says_little(const struct determine_system *system, size_t i)
{
    size_t n = system->fit->value_count;
    double sum = 0;
    for (size_t k = 0; k < system->fit->row_count; k++)
        sum += system->slopes[k * n + i] * system->slopes[k * n + i];
    return sum <= 0 || determine_lack(system, i, 1 / sqrt(sum), false) > 1;
}

/* Whether value `i` is one that the rows have drawn to where something else is what they take: a link's rate, say, that is no less
 * than that of the way behind it. */
static bool may_be_bound(const struct determine_system *system, size_t i)
{
    return !system->active[i] && !system->locked[i] && says_little(system, i) &&
           fabs(system->fit->x[i] - system->start[i]) > AT_END;
}

/* By its rows, run with the value where it was: what it would cost to put it back; sets bound_by. */
static void weigh_bound(struct determine_system *system, size_t i, const GPtrArray *rows,
                        guint *next)
{
    const struct machine_fit *fit = system->fit;
    double gain = 0, most = 0;
    size_t by = SIZE_MAX;
    for (size_t k = 0; k < fit->row_count; k++) {
        if (!determine_has_slope(system, true, k, i))
            continue;
        double time = machine_fit_time(g_ptr_array_index(rows, (*next)++));
        double residual = time > 0 ? determine_residual(&fit->rows[k], time) : INFINITY;
        double more =
            determine_loss(system, residual) - determine_loss(system, system->residuals[k]);
        gain += more;
        if (more > most) {
            most = more;
            by = k;
        }
    }
    system->bound_by[i] = gain > BOUND_GAIN ? by : SIZE_MAX;
}

bool determine_bounds(struct determine_system *system, GError **error)
{
    struct machine_fit *fit = system->fit;
    g_autofree double *at = g_memdup2(fit->x, (system->fit->value_count + 1) * sizeof *at);
    for (size_t i = 0; i < fit->value_count; i++) {
        at[i] = system->start[i];
        for (size_t k = 0; k < fit->row_count && may_be_bound(system, i); k++)
            if (determine_has_slope(system, true, k, i))
                machine_fit_add(fit, k, at);
        at[i] = fit->x[i];
    }
    g_autoptr(GPtrArray) rows = variants_run(fit->variants, error);
    guint next = 0;
    for (size_t i = 0; rows && i < fit->value_count; i++)
        if (may_be_bound(system, i))
            weigh_bound(system, i, rows, &next);
    return rows != NULL;
}

bool determine_sharing(struct determine_system *system, const bool *is_back, const double *met)
{
    const struct machine_fit *fit = system->fit;
    bool is_any = false;
    for (size_t i = 0; i < fit->value_count; i++)
        system->shares[i] = system->shares[i] && system->locked[i] && !is_back[i];
    for (size_t k = 0; k < fit->row_count; k++) {
        const struct fit_row *row = &fit->rows[k];
        double more = determine_loss(system, system->residuals[k]) - determine_loss(system, met[k]);
        for (size_t i = 0; row->is_for_fit && more > BOUND_GAIN && i < fit->value_count; i++)
            if (row->reads[i] && is_back[i])
                system->shares[i] = is_any = true;
    }
    return is_any;
}
