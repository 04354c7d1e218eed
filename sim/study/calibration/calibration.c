/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/calibration/calibration.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/units.h"
#include "script/script.h"
#include "script/study/point.h"
#include "study/experiment.h"

#define TEXT_SIZE 64

/* --- values ------------------------------------------------------------------------------------- */

static bool add_value(struct calibration *calibration, const struct machine *machine,
                      const struct provenance *entry, GError **error)
{
    struct vary_parameter value;
    if (entry->section.outer == NULL || !vary_parameter_find(machine, entry->path, &value, error) ||
        !vary_is_number(&value))
        return error_set(error, "%s: %s is fitted, but is no quantity of a component",
                         calibration->path, entry->path);
    calibration->values =
        g_renew(struct vary_parameter, calibration->values, calibration->value_count + 1);
    calibration->values[calibration->value_count++] = value;
    return true;
}

static bool add_values(struct calibration *calibration, const struct machine *machine,
                       GError **error)
{
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *entry = g_ptr_array_index(machine->provenance, i);
        if (entry->kind == SOURCE_FITTED && !add_value(calibration, machine, entry, error))
            return false;
    }
    if (calibration->value_count > 0)
        return true;
    return error_set(error,
                     "%s: its machine has no fitted value; mark what is to be searched for as "
                     "fitted(value, low, high, { claims }, why)",
                     calibration->path);
}

struct calibration *calibration_new(const char *path, const char *const *overrides,
                                    const struct runner_options *options, GError **error)
{
    struct study *study;
    if (!script_read(path, overrides, &study, error))
        return NULL;
    if (!study) {
        error_set(
            error,
            "%s is a machine; calibrate takes a study that has what was measured beside what is "
            "simulated on it",
            path);
        return NULL;
    }
    struct calibration *calibration = g_new0(struct calibration, 1);
    calibration->path = g_strdup(path);
    calibration->overrides = g_strdupv((char **)(gsize)overrides);
    calibration->options = *options;
    struct machine *machine = study_machine(study, 0, error);
    bool good = machine && add_values(calibration, machine, error);
    machine_free(machine);
    study_free(study);
    if (good)
        return calibration;
    calibration_free(calibration);
    return NULL;
}

void calibration_free(struct calibration *calibration)
{
    if (!calibration)
        return;
    for (size_t i = 0; i < calibration->value_count; i++)
        vary_parameter_clear(&calibration->values[i]);
    for (size_t i = 0; i < calibration->target_count; i++)
        g_free(calibration->targets[i].name);
    g_free(calibration->values);
    g_free(calibration->targets);
    g_strfreev(calibration->overrides);
    g_free(calibration->path);
    g_free(calibration);
}

/* --- the scale ---------------------------------------------------------------------------------- */

void calibration_start(const struct calibration *calibration, double *x)
{
    for (size_t i = 0; i < calibration->value_count; i++) {
        const struct vary_parameter *value = &calibration->values[i];
        x[i] = CLAMP(vary_place(value->low, value->high, value->now), 0, 1);
    }
}

static double three_digits(double number)
{
    char text[TEXT_SIZE];
    g_ascii_formatd(text, sizeof text, "%.2e", number);
    return g_ascii_strtod(text, NULL);
}

char *calibration_value_text(const struct calibration *calibration, size_t i, double x)
{
    const struct vary_parameter *value = &calibration->values[i];
    double number = three_digits(vary_number_at(value->low, value->high, x));
    number = CLAMP(number, value->low, value->high);
    return vary_text(value, value->param->kind == PARAM_RATIO ? number : round(number));
}

char **calibration_overrides(const struct calibration *calibration, const double *x)
{
    size_t given = calibration->overrides ? g_strv_length(calibration->overrides) : 0;
    char **overrides = g_new0(char *, given + calibration->value_count + 1);
    for (size_t i = 0; i < given; i++)
        overrides[i] = g_strdup(calibration->overrides[i]);
    for (size_t i = 0; i < calibration->value_count; i++) {
        g_autofree char *text = calibration_value_text(calibration, i, x[i]);
        overrides[given + i] = g_strconcat(calibration->values[i].path, "=", text, NULL);
    }
    return overrides;
}

/* --- targets ------------------------------------------------------------------------------------ */

static bool read_number(const struct table *table, size_t row, const char *name, double *number)
{
    int column = table_find(table, name);
    const char *text = column >= 0 ? table_cell(table, row, (size_t)column) : NULL;
    if (!unit_is_number(text))
        return false;
    *number = g_ascii_strtod(text, NULL);
    return true;
}

static bool read_target(const struct table *table, size_t row, struct calibration_target *target)
{
    int bound = table_find(table, "bound");
    const char *text = bound >= 0 ? table_cell(table, row, (size_t)bound) : NULL;
    target->is_bound = g_strcmp0(text, "above") == 0;
    return read_number(table, row, "simulated", &target->simulated) &&
           read_number(table, row, "target", &target->target) &&
           read_number(table, row, "tolerance", &target->tolerance) && target->simulated > 0 &&
           target->target > 0 && target->tolerance > 0;
}

static bool read_targets(struct calibration *calibration, const struct experiment *experiment,
                         GError **error)
{
    size_t rows = experiment->row_count;
    if (!calibration->targets) {
        calibration->targets = g_new0(struct calibration_target, rows);
        calibration->target_count = rows;
        for (size_t row = 0; row < rows; row++)
            calibration->targets[row].name =
                experiment_point_text(experiment->study, experiment->rows[row]);
    }
    for (size_t row = 0; row < rows; row++) {
        if (read_target(experiment->table, row, &calibration->targets[row]))
            continue;
        return error_set(
            error, "%s: point %s needs the measures simulated, target and tolerance, all above 0",
            calibration->path, calibration->targets[row].name);
    }
    return true;
}

static double residual_of(const struct calibration_target *target)
{
    double residual = (target->simulated / target->target - 1) / target->tolerance;
    return target->is_bound ? MAX(0, residual) : residual;
}

bool calibration_evaluate(struct calibration *calibration, const double *x, double **residuals,
                          GError **error)
{
    g_auto(GStrv) overrides = calibration_overrides(calibration, x);
    struct study *study = study_load(calibration->path, (const char *const *)overrides, error);
    struct experiment *experiment =
        study ? experiment_run(study, &calibration->options, error) : NULL;
    if (!experiment)
        return false;
    g_autofree char *failure = experiment_failure(experiment);
    bool good = !failure && read_targets(calibration, experiment, error);
    if (failure)
        error_set_code(error, ERROR_RUN, "%s", failure);
    experiment_free(experiment);
    calibration->evaluations++;
    if (good && !*residuals)
        *residuals = g_new(double, calibration->target_count);
    for (size_t i = 0; good && i < calibration->target_count; i++)
        (*residuals)[i] = residual_of(&calibration->targets[i]);
    return good;
}
