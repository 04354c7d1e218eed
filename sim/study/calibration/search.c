/* The search, and the spans of the values that it found. */
#include <math.h>
#include <nlopt.h>
#include <string.h>

#include "study/calibration/calibration.h"

#define DIFFERENCE 0.05  /* of the scale, for the linear model */
#define BISECTIONS 5     /* towards an end of a span */
#define MODEL_STEPS 2000 /* evaluations of the linear model, which cost nothing */

/* What the objective works with; an error ends the search. */
struct search {
    struct calibration *calibration;
    double *residuals;
    double *best_x, best;
    nlopt_opt optimizer;
    GError *error;
};

static double cost_of(const struct calibration *calibration, const double *residuals,
                      const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < calibration->target_count; i++)
        sum += log1p(residuals[i] * residuals[i]);
    for (size_t i = 0; i < calibration->value_count; i++)
        sum += CALIBRATION_PRIOR * (x[i] - 0.5) * (x[i] - 0.5);
    return sum;
}

static double objective(unsigned count, const double *x, double *gradient, void *context)
{
    struct search *search = context;
    (void)gradient;
    if (search->error ||
        !calibration_evaluate(search->calibration, x, &search->residuals, &search->error)) {
        nlopt_force_stop(search->optimizer);
        return HUGE_VAL;
    }
    double cost = cost_of(search->calibration, search->residuals, x);
    if (cost < search->best) {
        search->best = cost;
        memcpy(search->best_x, x, count * sizeof *x);
    }
    return cost;
}

static nlopt_opt new_optimizer(nlopt_algorithm algorithm, size_t count, int most)
{
    nlopt_opt optimizer = nlopt_create(algorithm, (unsigned)count);
    nlopt_set_lower_bounds1(optimizer, 0);
    nlopt_set_upper_bounds1(optimizer, 1);
    nlopt_set_maxeval(optimizer, most);
    return optimizer;
}

bool calibration_fit(struct calibration *calibration, double *x, size_t evaluations, GError **error)
{
    size_t count = calibration->value_count;
    /* BOBYQA's quadratic model takes at least two values. */
    nlopt_opt optimizer =
        new_optimizer(count > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_COBYLA, count, (int)evaluations);
    struct search search = {.calibration = calibration,
                            .best_x = g_new(double, count),
                            .best = HUGE_VAL,
                            .optimizer = optimizer};
    double cost;
    g_autofree double *at = g_memdup2(x, count * sizeof *x);
    nlopt_set_initial_step1(optimizer, 0.15);
    nlopt_set_xtol_abs1(optimizer, 0.003);
    nlopt_set_min_objective(optimizer, objective, &search);
    nlopt_optimize(optimizer, at, &cost);
    nlopt_destroy(optimizer);
    if (!search.error)
        memcpy(x, search.best_x, count * sizeof *x);
    g_free(search.best_x);
    g_free(search.residuals);
    if (!search.error)
        return true;
    g_propagate_error(error, search.error);
    return false;
}

/* --- spans -------------------------------------------------------------------------------------- */

/* The residuals around the fit: at `x` and their slopes; and which targets the fit meets. */
struct model {
    struct calibration *calibration;
    const double *x;
    double *residuals, *slopes; /* slopes[target * values + value] */
    double *tried;              /* place for the residuals of a try */
    size_t value;               /* that the linear program moves */
    double sign;
    GError **error;
};

static bool holds(const struct model *model)
{
    for (size_t i = 0; i < model->calibration->target_count; i++)
        if (fabs(model->residuals[i]) <= 1 && fabs(model->tried[i]) > 1)
            return false;
    return true;
}

/* Whether all targets that the fit meets are met at `x`. False with an error, too. */
static bool try_at(struct model *model, const double *x)
{
    return calibration_evaluate(model->calibration, x, &model->tried, model->error) && holds(model);
}

/* The furthest place from the fit towards `end`, by all values at a time, that holds; into `end`. */
static bool draw_back(struct model *model, double *end)
{
    size_t count = model->calibration->value_count;
    double good = 0, bad = 1;
    g_autofree double *at = g_new(double, count);
    if (try_at(model, end))
        return true;
    for (int step = 0; step < BISECTIONS && !*model->error; step++) {
        double part = (good + bad) / 2;
        for (size_t i = 0; i < count; i++)
            at[i] = model->x[i] + part * (end[i] - model->x[i]);
        *(try_at(model, at) ? &good : &bad) = part;
    }
    for (size_t i = 0; i < count; i++)
        end[i] = model->x[i] + good * (end[i] - model->x[i]);
    return !*model->error;
}

static bool make_slopes(struct model *model)
{
    size_t count = model->calibration->value_count;
    g_autofree double *at = g_memdup2(model->x, count * sizeof *at);
    if (!calibration_evaluate(model->calibration, model->x, &model->residuals, model->error))
        return false;
    size_t targets = model->calibration->target_count; /* known from the first run on */
    model->slopes = g_new(double, count *targets);
    for (size_t i = 0; i < count; i++) {
        double step = model->x[i] > 0.5 ? -DIFFERENCE : DIFFERENCE;
        at[i] = model->x[i] + step;
        if (!calibration_evaluate(model->calibration, at, &model->tried, model->error))
            return false;
        for (size_t k = 0; k < targets; k++)
            model->slopes[k * count + i] = (model->tried[k] - model->residuals[k]) / step;
        at[i] = model->x[i];
    }
    return true;
}

static double towards(unsigned count, const double *x, double *gradient, void *context)
{
    const struct model *model = context;
    (void)count, (void)gradient;
    return model->sign * x[model->value];
}

/* Each target of the linear model at most 0.98 off, either way; those that the fit misses are no constraint. */
static void stay_within(unsigned results, double *result, unsigned count, const double *x,
                        double *gradient, void *context)
{
    const struct model *model = context;
    (void)gradient;
    for (unsigned k = 0; k < results / 2; k++) {
        double residual = model->residuals[k];
        bool is_met = fabs(residual) <= 1;
        for (unsigned i = 0; i < count; i++)
            residual += model->slopes[k * count + i] * (x[i] - model->x[i]);
        double limit = MAX(0.98, fabs(model->residuals[k]));
        result[2 * k] = is_met ? residual - limit : -1;
        result[2 * k + 1] = is_met ? -residual - limit : -1;
    }
}

/* Where value `i` is as low (sign 1) or as high (-1) as the linear model lets it. */
static double *extreme(struct model *model, size_t i, double sign)
{
    size_t count = model->calibration->value_count, targets = model->calibration->target_count;
    double *at = g_memdup2(model->x, count * sizeof *at);
    nlopt_opt optimizer = new_optimizer(NLOPT_LN_COBYLA, count, MODEL_STEPS);
    g_autofree double *tolerances = g_new0(double, 2 * targets);
    double least;
    model->value = i;
    model->sign = sign;
    nlopt_set_min_objective(optimizer, towards, model);
    nlopt_add_inequality_mconstraint(optimizer, (unsigned)(2 * targets), stay_within, model,
                                     tolerances);
    nlopt_set_xtol_abs1(optimizer, 1e-5);
    nlopt_optimize(optimizer, at, &least);
    nlopt_destroy(optimizer);
    return at;
}

static bool span_alone(struct model *model, size_t i, double end, double *place)
{
    size_t count = model->calibration->value_count;
    g_autofree double *at = g_memdup2(model->x, count * sizeof *at);
    at[i] = end;
    bool good = draw_back(model, at);
    *place = at[i];
    return good;
}

/* An end of value `i`'s span together is at least as far out as the end that it reaches alone. */
static void reach_alone(const struct model *model, size_t i, double alone, double *end)
{
    if (fabs(alone - model->x[i]) <= fabs(end[i] - model->x[i]))
        return;
    memcpy(end, model->x, model->calibration->value_count * sizeof *end);
    end[i] = alone;
}

static bool span_of(struct model *model, size_t i, struct calibration_span *span)
{
    span->at_low = extreme(model, i, 1);
    span->at_high = extreme(model, i, -1);
    bool good = span_alone(model, i, 0, &span->alone_low) &&
                span_alone(model, i, 1, &span->alone_high) && draw_back(model, span->at_low) &&
                draw_back(model, span->at_high);
    reach_alone(model, i, span->alone_low, span->at_low);
    reach_alone(model, i, span->alone_high, span->at_high);
    span->together_low = span->at_low[i];
    span->together_high = span->at_high[i];
    return good;
}

struct calibration_span *calibration_spans(struct calibration *calibration, const double *x,
                                           GError **error)
{
    GError *fault = NULL;
    struct model model = {.calibration = calibration, .x = x, .error = &fault};
    struct calibration_span *spans = g_new0(struct calibration_span, calibration->value_count);
    bool good = make_slopes(&model);
    for (size_t i = 0; good && i < calibration->value_count; i++)
        good = span_of(&model, i, &spans[i]);
    good = good && calibration_evaluate(calibration, x, &model.tried, &fault);
    g_free(model.residuals);
    g_free(model.slopes);
    g_free(model.tried);
    if (good)
        return spans;
    calibration_spans_free(spans, calibration->value_count);
    g_propagate_error(error, fault);
    return NULL;
}

void calibration_spans_free(struct calibration_span *spans, size_t count)
{
    for (size_t i = 0; spans && i < count; i++) {
        g_free(spans[i].at_low);
        g_free(spans[i].at_high);
    }
    g_free(spans);
}
