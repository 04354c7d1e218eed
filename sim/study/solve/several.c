/* SPDX-License-Identifier: BSD-3-Clause */
/* Several parameters: the least change that reaches the target. */
#include <math.h>
#include <nlopt.h>
#include <string.h>

#include "core/rng.h"
#include "study/solve/solve.h"

#define SAMPLES_EACH 10 /* of the ranges, for each parameter */
#define MOST_EACH 40    /* evaluations of NLopt, for each parameter */

struct several_search {
    struct solve *solve;
    double *present; /* places of the present values, within the ranges */
    double sign;     /* 1: the measure is above the target now */
    nlopt_opt optimizer;
    GError *error;
};

/* The present values as places; those outside of the range at its end. */
static double *present_places(const struct solve *solve)
{
    double *places = g_new(double, solve->knob_count);
    for (size_t k = 0; k < solve->knob_count; k++) {
        const struct solve_knob *knob = &solve->knobs[k];
        double now = knob->parameter.now;
        places[k] = solve_place(knob, CLAMP(now, knob->low, knob->high));
    }
    return places;
}

static double distance(const struct several_search *search, const double *places)
{
    double sum = 0;
    for (size_t k = 0; k < search->solve->knob_count; k++)
        sum += (places[k] - search->present[k]) * (places[k] - search->present[k]);
    return sum;
}

/* The try at these places; its number into `number`. */
static bool try_at(struct several_search *search, const double *places, size_t *number)
{
    struct solve *solve = search->solve;
    g_autofree double *values = g_new(double, solve->knob_count);
    for (size_t k = 0; k < solve->knob_count; k++)
        values[k] = solve_value(&solve->knobs[k], CLAMP(places[k], 0, 1));
    return solve_try_values(solve, values, 1, number, &search->error);
}

/* Whether a try has reached the other side of the target, and keeps the constraints. */
static bool is_reached(const struct several_search *search, const struct solve_try *try)
{
    return !isnan(try->off) && search->sign * try->off <= 0 && try->violation <= 0;
}

/* --- samples -------------------------------------------------------------------------------------- */

/* Places of a Latin hypercube. */
static double *sample_places(const struct several_search *search, size_t count)
{
    const struct solve *solve = search->solve;
    double *places = g_new(double, count * solve->knob_count);
    g_autofree uint32_t *parts = g_new(uint32_t, count);
    for (size_t k = 0; k < solve->knob_count; k++) {
        struct rng rng;
        rng_init(&rng, solve->variants->options.seed, solve->knobs[k].parameter.path);
        rng_order(&rng, parts, (uint32_t)count);
        for (size_t i = 0; i < count; i++) /* from one end of the range to the other */
            places[i * solve->knob_count + k] = (double)parts[i] / (double)(count - 1);
    }
    return places;
}

/* Tries samples of the ranges, and the ranges' corners by one parameter at a time. */
static bool try_samples(struct several_search *search)
{
    struct solve *solve = search->solve;
    size_t width = solve->knob_count, samples = SAMPLES_EACH * width, count = samples + 2 * width;
    g_autofree double *places = sample_places(search, samples);
    g_autofree double *values = g_new(double, count *width);
    g_autofree size_t *numbers = g_new(size_t, count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width; k++) {
            size_t corner = i - samples;
            double place = i < samples       ? places[i * width + k]
                           : corner / 2 == k ? (double)(corner % 2)
                                             : search->present[k];
            values[i * width + k] = solve_value(&solve->knobs[k], place);
        }
    return solve_try_values(solve, values, count, numbers, &search->error);
}

static void places_of(const struct solve *solve, size_t number, double *places)
{
    for (size_t k = 0; k < solve->knob_count; k++)
        places[k] = solve_place(&solve->knobs[k], solve_try_at(solve, number)->values[k]);
}

/* The try that reaches the target with the least change; SIZE_MAX: none does. */
static size_t least_change(const struct several_search *search)
{
    const struct solve *solve = search->solve;
    size_t best = SIZE_MAX;
    double least = INFINITY;
    g_autofree double *places = g_new(double, solve->knob_count);
    for (guint i = 1; i < solve->tries->len; i++) {
        places_of(solve, i, places);
        double far = distance(search, places);
        if (is_reached(search, solve_try_at(solve, i)) && far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

/* --- NLopt ---------------------------------------------------------------------------------------- */

static double change(unsigned count, const double *x, double *gradient, void *context)
{
    const struct several_search *search = context;
    (void)count, (void)gradient;
    return distance(search, x);
}

/* Below 0: on the other side of the target; the constraints hold. */
static void miss(unsigned results, double *result, unsigned count, const double *x,
                 double *gradient, void *context)
{
    struct several_search *search = context;
    size_t number;
    (void)count, (void)gradient, (void)results;
    if (search->error || !try_at(search, x, &number)) {
        nlopt_force_stop(search->optimizer);
        result[0] = result[1] = 1;
        return;
    }
    const struct solve_try *try = solve_try_at(search->solve, number);
    result[0] = isnan(try->off) ? 1 : search->sign * try->off;
    result[1] = isnan(try->off) ? 1 : try->violation;
}

static void draw_near(struct several_search *search, size_t start)
{
    struct solve *solve = search->solve;
    unsigned count = (unsigned)solve->knob_count;
    static const double tolerances[2] = {0, 0};
    g_autofree double *at = g_new(double, count);
    double least;
    places_of(solve, start, at);
    for (unsigned k = 0; k < count; k++)
        at[k] = CLAMP(at[k], 0, 1);
    search->optimizer = nlopt_create(NLOPT_LN_COBYLA, count);
    nlopt_set_lower_bounds1(search->optimizer, 0);
    nlopt_set_upper_bounds1(search->optimizer, 1);
    nlopt_set_maxeval(search->optimizer, (int)(MOST_EACH * count));
    nlopt_set_initial_step1(search->optimizer, 0.1);
    nlopt_set_xtol_abs1(search->optimizer, 0.001);
    nlopt_set_min_objective(search->optimizer, change, search);
    nlopt_add_inequality_mconstraint(search->optimizer, 2, miss, search, tolerances);
    nlopt_optimize(search->optimizer, at, &least);
    nlopt_destroy(search->optimizer);
}

/* --- the whole ------------------------------------------------------------------------------------ */

/* Where to begin if no sample reaches the target: nearest to it, constraints included. */
static size_t least_miss(const struct several_search *search)
{
    const struct solve *solve = search->solve;
    size_t best = 0;
    double least = INFINITY;
    for (guint i = 1; i < solve->tries->len; i++) {
        const struct solve_try *try = solve_try_at(solve, i);
        double off = isnan(try->off) ? INFINITY : MAX(search->sign * try->off, try->violation);
        if (off < least) {
            least = off;
            best = i;
        }
    }
    return best;
}

/* Whether the target is passed at all, constraints or not. */
static bool is_passed(const struct several_search *search)
{
    for (guint i = 1; i < search->solve->tries->len; i++)
        if (search->sign * solve_try_at(search->solve, i)->off <= 0)
            return true;
    return false;
}

/* From the present values, or the nearest that the ranges have, to `reached`, the way is cut; the end nearer to the target that
 * keeps the constraints is the answer. */
static bool finish(struct several_search *search, size_t reached)
{
    struct solve *solve = search->solve;
    size_t start;
    solve->below = solve->above = solve->best = reached;
    if (!try_at(search, search->present, &start))
        return false;
    if (search->sign * solve_try_at(solve, start)->off > 0 &&
        !solve_cut(solve, start, reached, &search->error))
        return false;
    if (!solve_take_end(solve))
        solve->end = SOLVE_JUMPS; /* `reached` keeps the constraints */
    return true;
}

bool solve_several(struct solve *solve, GError **error)
{
    struct several_search search = {.solve = solve, .present = present_places(solve)};
    size_t start = 0;
    bool good =
        solve_is_within(solve, solve_try_at(solve, 0)) || try_at(&search, search.present, &start);
    search.sign = solve_try_at(solve, start)->off > 0 ? 1 : -1;
    good = good && try_samples(&search);
    if (good) {
        size_t reached = least_change(&search);
        draw_near(&search, reached == SIZE_MAX ? least_miss(&search) : reached);
        good = search.error == NULL;
    }
    size_t reached = good ? least_change(&search) : SIZE_MAX;
    if (good && reached != SIZE_MAX)
        good = finish(&search, reached);
    else if (good)
        solve->end = is_passed(&search) ? SOLVE_CONSTRAINED : SOLVE_UNREACHED;
    g_free(search.present);
    if (!good)
        g_propagate_error(error, search.error);
    return good;
}
