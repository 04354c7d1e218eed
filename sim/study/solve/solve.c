/* SPDX-License-Identifier: BSD-3-Clause */
/* What is asked, read from texts. */
#include "study/solve/solve.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "study/model/select.h"

#define USUAL_FACTOR 10 /* of the present value, where nothing says how far it may change */

void solve_clear(struct solve *solve)
{
    for (size_t k = 0; k < solve->knob_count; k++)
        vary_parameter_clear(&solve->knobs[k].parameter);
    for (size_t i = 0; i < solve->constraint_count; i++) {
        g_free(solve->constraints[i].measure);
        g_free(solve->constraints[i].text);
    }
    for (guint i = 0; solve->tries && i < solve->tries->len; i++) {
        g_free(solve_try_at(solve, i)->values);
        g_free(solve_try_at(solve, i)->failure);
    }
    if (solve->tries)
        g_array_unref(solve->tries);
    row_free(solve->base);
    machine_free(solve->machine);
    g_free(solve->knobs);
    g_free(solve->constraints);
    g_free(solve->target_text);
    g_free(solve->measure);
}

/* --- parameters ----------------------------------------------------------------------------------- */

static bool read_range(struct solve_knob *knob, const char *text, GError **error)
{
    const char *path = knob->parameter.path, *dots = strstr(text, "..");
    const struct param *param = knob->parameter.param;
    if (!dots)
        return error_set(error, "--vary %s=%s: write LOW..HIGH", path, text);
    g_autofree char *low = g_strndup(text, (gsize)(dots - text));
    double least, most;
    if (!param_parse_number(param, low, &knob->low, error) ||
        !param_parse_number(param, dots + 2, &knob->high, error)) {
        g_prefix_error(error, "--vary %s=%s: ", path, text);
        return false;
    }
    vary_bounds(&knob->parameter, &least, &most);
    if (!(knob->low < knob->high))
        return error_set(error, "--vary %s=%s: the low end has to be below the high one", path,
                         text);
    if (knob->low < least || knob->high > most)
        return error_set(error, "--vary %s=%s: out of range; accepted: %s to %s", path, text,
                         param->low ? param->low : "any", param->high ? param->high : "any");
    knob->range = "as given";
    return true;
}

static bool take_usual_range(struct solve_knob *knob, GError **error)
{
    const struct vary_parameter *parameter = &knob->parameter;
    double least, most;
    if (parameter->has_range && parameter->low < parameter->high) {
        knob->low = parameter->low;
        knob->high = parameter->high;
        knob->range = parameter->source == SOURCE_FITTED ? "fitted within" : "estimated within";
        return true;
    }
    if (!(parameter->now > 0))
        return error_set(error, "--vary %s: nothing says how far it may change; write %s=LOW..HIGH",
                         parameter->path, parameter->path);
    vary_bounds(parameter, &least, &most);
    knob->low = MAX(vary_nearest(parameter, parameter->now / USUAL_FACTOR), least);
    knob->high = MIN(vary_nearest(parameter, parameter->now * USUAL_FACTOR), most);
    if (parameter->param->kind == PARAM_QUANTITY)
        knob->low = MAX(knob->low, 1);
    knob->range = "a tenth to ten times";
    return true;
}

bool solve_add_knob(struct solve *solve, const char *text, GError **error)
{
    struct solve_knob knob = {.range = NULL};
    const char *equals = strchr(text, '=');
    g_autofree char *path = equals ? g_strndup(text, (gsize)(equals - text)) : g_strdup(text);
    if (!vary_parameter_find(solve->machine, path, &knob.parameter, error)) {
        g_prefix_error(error, "--vary %s: ", text);
        return false;
    }
    bool good = vary_is_number(&knob.parameter) ||
                error_set(error, "--vary %s: it has no numbers to be searched through", path);
    for (size_t k = 0; good && k < solve->knob_count; k++)
        if (strcmp(solve->knobs[k].parameter.path, path) == 0)
            good = error_set(error, "--vary %s: it is there twice", path);
    good = good && (equals ? read_range(&knob, equals + 1, error) : take_usual_range(&knob, error));
    if (!good) {
        vary_parameter_clear(&knob.parameter);
        return false;
    }
    solve->knobs = g_renew(struct solve_knob, solve->knobs, solve->knob_count + 1);
    solve->knobs[solve->knob_count++] = knob;
    return true;
}

/* --- constraints ---------------------------------------------------------------------------------- */

bool solve_add_constraint(struct solve *solve, const char *text, GError **error)
{
    const char *sign = strpbrk(text, "<>");
    if (!sign || sign == text || sign[1] != '=' || sign[2] == '\0')
        return error_set(error, "--constraint %s: write MEASURE<=VALUE or MEASURE>=VALUE", text);
    g_autofree char *measure = g_strndup(text, (gsize)(sign - text));
    solve->constraints =
        g_renew(struct solve_constraint, solve->constraints, solve->constraint_count + 1);
    solve->constraints[solve->constraint_count++] =
        (struct solve_constraint){.measure = g_strdup(g_strstrip(measure)),
                                  .text = g_strstrip(g_strdup(sign + 2)),
                                  .is_least = *sign == '>'};
    return true;
}

/* --- the target ----------------------------------------------------------------------------------- */

/* Whether `axis` is named in "design=apu,bytes=8". */
static bool is_named(const char *text, const char *axis)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    for (char **part = parts; *part; part++)
        if (g_str_has_prefix(*part, axis) && (*part)[strlen(axis)] == '=')
            return true;
    return false;
}

/* Whether two points are the same on all axes that the text does not name. */
static bool is_beside(const struct study *study, const char *text, size_t one, size_t other)
{
    for (size_t i = 0; i < study->axis_count; i++)
        if (!is_named(text, study->axes[i].name) &&
            study_axis_index(study, one, i) != study_axis_index(study, other, i))
            return false;
    return true;
}

bool solve_set_target(struct solve *solve, const char *text, GError **error)
{
    const struct study *study = solve->variants->study;
    solve->other = -1;
    if (!strchr(text, '=')) {
        solve->target_text = g_strdup(text);
        return true;
    }
    g_autoptr(GArray) points = points_select(study, text, error);
    for (guint i = 0; points && i < points->len; i++) {
        guint point = g_array_index(points, guint, i);
        if (is_beside(study, text, solve->point, point))
            solve->other = (gssize)point;
    }
    if (!points) {
        g_prefix_error(error, "--target %s: ", text);
        return false;
    }
    if (solve->other == (gssize)solve->point)
        return error_set(error, "--target %s: that is the point itself", text);
    return solve->other >= 0 ||
           error_set(error, "--target %s: the study has no such point with the other axes as asked",
                     text);
}
