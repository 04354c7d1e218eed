/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/vary/parameter.h"

#include <math.h>
#include <string.h>

#include "core/check.h"
#include "core/error.h"
#include "protocols/design.h"

#define OF_DESIGN "design."

void vary_parameter_clear(struct vary_parameter *parameter)
{
    g_clear_pointer(&parameter->path, g_free);
    g_clear_pointer(&parameter->text, g_free);
}

/* --- finding ------------------------------------------------------------------------------------ */

static void take_range(struct vary_parameter *parameter, const struct provenance *origin)
{
    const struct param *param = parameter->param;
    double low, high;
    if (!origin->low || !origin->high || !param_parse_number(param, origin->low, &low, NULL) ||
        !param_parse_number(param, origin->high, &high, NULL))
        return;
    parameter->has_range = true;
    parameter->low = MIN(low, high);
    parameter->high = MAX(low, high);
}

/* The machine's path that looks most like this one. */
static bool fail_unknown(const struct machine *machine, const char *path, GError **error)
{
    g_autofree const char **names = g_new0(const char *, machine->provenance->len + 1);
    for (guint i = 0; i < machine->provenance->len; i++)
        names[i] = ((struct provenance *)g_ptr_array_index(machine->provenance, i))->path;
    const char *nearest = param_nearest(path, names, machine->provenance->len);
    if (param_find(&design_params, path))
        return error_set(error, "\"%s\" is no parameter of the machine; did you mean \"%s%s\"?",
                         path, OF_DESIGN, path);
    return error_set(
        error, "\"%s\" is no parameter of the machine%s%s%s gpunetsim params lists them all", path,
        nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : ";");
}

/* "design.polling_rounds", or with the value that a row says was read. */
static bool find_axis(const char *text, struct vary_parameter *parameter, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "=", 2);
    parameter->table = &design_params;
    parameter->param = param_find(&design_params, parts[0] + strlen(OF_DESIGN));
    if (!parameter->param)
        return error_set(error, "\"%s\" is no axis of designs; gpunetsim help design lists them",
                         parts[0]);
    parameter->now = NAN;
    parameter->text = g_strdup(parts[1] ? parts[1] : "");
    parameter->source = SOURCE_GIVEN;
    parameter->path = g_strdup(parts[0]);
    return !parts[1] || param_parse_number(parameter->param, parts[1], &parameter->now, error);
}

bool vary_is_axis(const struct vary_parameter *parameter)
{
    return parameter->table == &design_params;
}

bool vary_parameter_settle(struct vary_parameter *parameter, const char *read)
{
    g_auto(GStrv) paths = g_strsplit(read ? read : "", ",", -1);
    g_autofree char *start = g_strconcat(parameter->path, "=", NULL);
    for (char **path = paths; *path; path++) {
        struct vary_parameter found;
        if (!g_str_has_prefix(*path, start))
            continue;
        vary_parameter_clear(parameter);
        find_axis(*path, &found, NULL);
        *parameter = found;
        return true;
    }
    return false;
}

bool vary_parameter_find(const struct machine *machine, const char *path,
                         struct vary_parameter *parameter, GError **error)
{
    *parameter = (struct vary_parameter){.source = SOURCE_DEFAULT};
    if (g_str_has_prefix(path, OF_DESIGN)) {
        if (find_axis(path, parameter, error))
            return true;
        vary_parameter_clear(parameter);
        return false;
    }
    const struct provenance *origin = machine_find(machine, path);
    if (!origin)
        return fail_unknown(machine, path, error);
    parameter->table = origin->section.table;
    parameter->param = provenance_param(origin);
    check_always(parameter->param->kind != PARAM_RECORD, "%s is no single value", path);
    param_parse_number(parameter->param, origin->value, &parameter->now, NULL);
    parameter->text = g_strdup(origin->value);
    parameter->source = origin->kind;
    take_range(parameter, origin);
    parameter->path = g_strdup(path);
    return true;
}

/* --- values ------------------------------------------------------------------------------------- */

bool vary_is_number(const struct vary_parameter *parameter)
{
    return parameter->param->kind == PARAM_QUANTITY || parameter->param->kind == PARAM_RATIO;
}

void vary_bounds(const struct vary_parameter *parameter, double *low, double *high)
{
    const struct param *param = parameter->param;
    if (!param->low || !param_parse_number(param, param->low, low, NULL))
        *low = -INFINITY;
    if (!param->high || !param_parse_number(param, param->high, high, NULL))
        *high = INFINITY;
}

char *vary_text(const struct vary_parameter *parameter, double number)
{
    char text[PARAM_TEXT_SIZE];
    g_autofree void *spec = g_malloc0(parameter->table->spec_size);
    if (!param_set_number(parameter->table, parameter->param, spec, number, NULL))
        return g_strdup(unit_format_number(number, text)); /* the run says what is wrong with it */
    return g_strdup(param_format(parameter->param, spec, text));
}

char *vary_override(const struct vary_parameter *parameter, double number)
{
    g_autofree char *text = vary_text(parameter, number);
    return g_strconcat(parameter->path, "=", text, NULL);
}

bool vary_is_taken(const struct machine *machine, const struct vary_parameter *parameter,
                   double number)
{
    struct machine_spec spec = machine->spec;
    const struct provenance *origin = machine_find(machine, parameter->path);
    if (origin == NULL)
        return vary_is_axis(parameter);
    return param_set_number(parameter->table, parameter->param,
                            machine_section_spec(&spec, origin->section), number, NULL) &&
           machine_spec_valid(&spec, NULL);
}

size_t vary_choices(const struct vary_parameter *parameter)
{
    size_t count = 0;
    if (parameter->param->kind == PARAM_BOOL)
        return 2;
    while (parameter->param->choices && parameter->param->choices[count])
        count++;
    return count;
}
