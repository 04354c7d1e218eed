/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/calibrate_folds.h"

#include <math.h>
#include <string.h>

#include "core/error.h"

#define NO_FOLD SIZE_MAX

/* By row its fold, NO_FOLD of one for tests; *dealt: how many have one. To be freed with g_free. */
static size_t *deal(const struct machine_fit *fit, size_t folds, size_t *dealt)
{
    size_t *fold = g_new(size_t, fit->row_count + 1);
    *dealt = 0;
    for (size_t k = 0; k < fit->row_count; k++)
        fold[k] = fit->rows[k].is_for_fit ? (*dealt)++ % folds : NO_FOLD;
    return fold;
}

/* Runs the rows of the fold at fit->x. */
static bool predict(struct machine_fit *fit, const size_t *fold, size_t number, GError **error)
{
    for (size_t k = 0; k < fit->row_count; k++)
        if (fold[k] == number)
            machine_fit_add(fit, k, fit->x);
    g_autoptr(GPtrArray) rows = variants_run(fit->variants, error);
    guint next = 0;
    for (size_t k = 0; rows && k < fit->row_count; k++) {
        if (fold[k] != number)
            continue;
        double time = machine_fit_time(g_ptr_array_index(rows, next++));
        fit->rows[k].held_out = time > 0 ? time : INFINITY;
    }
    return rows != NULL;
}

/* The rows of the other folds alone set values. */
static bool hold_out(struct calibrate_found *found, const size_t *fold, size_t number,
                     GError **error)
{
    struct machine_fit *fit = found->fit;
    for (size_t k = 0; k < fit->row_count; k++)
        fit->rows[k].is_for_fit = fold[k] != NO_FOLD && fold[k] != number;
    struct calibrate_found without = {.machine = found->machine, .fit = fit};
    without.known = determine_values(fit, false, error);
    bool good = without.known != NULL;
    if (good)
        calibrate_round(&without);
    g_free(without.known);
    return good && predict(fit, fold, number, error);
}

bool calibrate_folds(struct calibrate_found *found, size_t folds, GError **error)
{
    struct machine_fit *fit = found->fit;
    size_t dealt, size = fit->value_count * sizeof *fit->x;
    g_autofree size_t *fold = deal(fit, folds, &dealt);
    g_autofree double *start = g_memdup2(fit->x, size);
    g_autofree double *simulated = g_new(double, fit->row_count + 1);
    if (dealt < folds)
        return error_set(error, "--folds %zu: there are %zu rows for calibration", folds, dealt);
    for (size_t k = 0; k < fit->row_count; k++)
        simulated[k] = fit->rows[k].simulated;
    bool good = true;
    for (size_t number = 0; good && number < folds; number++) {
        good = hold_out(found, fold, number, error);
        memcpy(fit->x, start, size);
        for (size_t k = 0; k < fit->row_count; k++) {
            fit->rows[k].simulated = simulated[k];
            fit->rows[k].is_for_fit = fold[k] != NO_FOLD;
        }
    }
    return good;
}
