#include "study/vary/sensitivity.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "study/model/select.h"
#include "study/vary/outcome.h"

#define LEAST_CHANGE 1e-9 /* of a measure; what is less is what a script's arithmetic rounds */

/* --- what is tried ------------------------------------------------------------------------------ */

static void clear_entry(gpointer data)
{
    struct sensitivity_entry *entry = data;
    vary_parameter_clear(&entry->parameter);
    g_free(entry->tries[0].failure);
    g_free(entry->tries[1].failure);
    g_free(entry->note);
}

static void free_sensitivity(gpointer data)
{
    struct sensitivity *sensitivity = data;
    g_array_unref(sensitivity->entries);
    machine_free(sensitivity->machine);
    row_free(sensitivity->row);
    g_free(sensitivity->name);
    g_free(sensitivity);
}

static bool is_same(double one, double other)
{
    return !(one < other) && !(one > other);
}

/* The value below (side 0) or above (side 1) by the step, or by more where the machine does not take it. NaN: none. */
static double neighbour(const struct machine *machine, const struct vary_parameter *parameter,
                        int side, double step)
{
    double now = parameter->now, sign = side == 0 ? -1 : 1;
    const double steps[] = {step * fabs(now), side == 0 ? fabs(now) / 2 : fabs(now)};
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        bool is_whole = parameter->param->kind == PARAM_QUANTITY;
        double by = is_whole ? MAX(1, round(steps[i])) : steps[i];
        double value = vary_nearest(parameter, now + sign * by);
        if (!is_same(value, now) && vary_is_taken(machine, parameter, value))
            return value;
    }
    return NAN;
}

static char **override_of(const struct vary_parameter *parameter, double value)
{
    char **overrides = g_new0(char *, 2);
    overrides[0] = vary_override(parameter, value);
    return overrides;
}

/* Takes over the overrides. */
static void add_try(struct variants *variants, size_t point, struct sensitivity_entry *entry,
                    int side, double value, char **overrides)
{
    entry->has_try[side] = true;
    entry->tries[side].value = value;
    entry->tries[side].variant = variants_add(variants, point, overrides);
}

/* What can be tried of a number; the entry's note says what is not as usual. */
static void plan_number(struct variants *variants, const struct sensitivity *of,
                        struct sensitivity_entry *entry, double step)
{
    const struct vary_parameter *parameter = &entry->parameter;
    bool is_zero = is_same(parameter->now, 0);
    for (int side = 0; side < 2; side++) {
        double end = side == 0 ? parameter->low : parameter->high;
        double value = !is_zero               ? neighbour(of->machine, parameter, side, step)
                       : parameter->has_range ? end
                                              : NAN;
        if (isfinite(value) && !is_same(value, parameter->now))
            add_try(variants, of->point, entry, side, value, override_of(parameter, value));
    }
    if (is_zero)
        entry->note =
            g_strdup(parameter->has_range ? "0: the ends of its range" : "0: not changed");
    else if (!entry->has_try[0] && !entry->has_try[1])
        entry->note = g_strdup("the machine takes no other value near");
    else if (!entry->has_try[0] || !entry->has_try[1])
        entry->note = g_strdup("from one side");
}

/* Puts that go together where none do: as many as that, and none waits longer than that for others. */
static const double gathered[] = {8, 64};
#define GATHERED_WAIT "design.coalesce_timeout=10us"

static void plan_gathering(struct variants *variants, struct sensitivity *of,
                           const struct vary_parameter *parameter)
{
    for (size_t i = 0; i < G_N_ELEMENTS(gathered); i++) {
        struct sensitivity_entry entry = {.note = g_strdup("with " GATHERED_WAIT)};
        char **overrides = g_new0(char *, 3);
        vary_parameter_find(of->machine, parameter->path, &entry.parameter, NULL);
        vary_parameter_settle(&entry.parameter, of->row->read);
        overrides[0] = vary_override(&entry.parameter, gathered[i]);
        overrides[1] = g_strdup(GATHERED_WAIT);
        add_try(variants, of->point, &entry, 1, gathered[i], overrides);
        g_array_append_val(of->entries, entry);
    }
}

static bool is_gathering(const struct vary_parameter *parameter)
{
    return strcmp(parameter->path, "design.coalesce_count") == 0 && is_same(parameter->now, 0);
}

static void plan_choices(struct variants *variants, struct sensitivity *of,
                         struct vary_parameter *parameter)
{
    for (size_t choice = 0; choice < vary_choices(parameter); choice++) {
        if (is_same((double)choice, parameter->now))
            continue;
        struct sensitivity_entry entry = {.note = g_strdup("another choice")};
        vary_parameter_find(of->machine, parameter->path, &entry.parameter, NULL);
        if (vary_is_axis(parameter))
            vary_parameter_settle(&entry.parameter, of->row->read);
        add_try(variants, of->point, &entry, 1, (double)choice,
                override_of(parameter, (double)choice));
        g_array_append_val(of->entries, entry);
    }
}

/* Lists the tries for all that the point's row says was read. */
static bool plan(struct variants *variants, struct sensitivity *of, double step, GError **error)
{
    g_auto(GStrv) paths = g_strsplit(of->row->read ? of->row->read : "", ",", -1);
    for (char **path = paths; *path && **path; path++) {
        struct vary_parameter parameter;
        if (!vary_parameter_find(of->machine, *path, &parameter, error))
            return false;
        if (is_gathering(&parameter)) {
            plan_gathering(variants, of, &parameter);
            vary_parameter_clear(&parameter);
        } else if (vary_is_number(&parameter)) {
            struct sensitivity_entry entry = {.parameter = parameter};
            plan_number(variants, of, &entry, step);
            g_array_append_val(of->entries, entry);
        } else {
            plan_choices(variants, of, &parameter);
            vary_parameter_clear(&parameter);
        }
    }
    return true;
}

/* --- what comes of it ---------------------------------------------------------------------------- */

static void take_try(const struct sensitivity *of, const GPtrArray *rows,
                     struct sensitivity_try *try)
{
    const struct row *row = g_ptr_array_index(rows, try->variant);
    g_autoptr(GError) error = NULL;
    const struct measure *measure = outcome_find(row, of->base->name, "there", &error);
    try->number = measure ? outcome_number(measure) : NAN;
    if (error)
        try->failure = g_strdup(row->failure ? row->failure : error->message);
}

/* From the outermost two of: below, as it is, above. */
static double elasticity(const struct sensitivity_entry *entry, double base)
{
    double places[2] = {entry->parameter.now, entry->parameter.now}, numbers[2] = {base, base};
    for (int side = 0; side < 2; side++) {
        if (!entry->has_try[side] || isnan(entry->tries[side].number))
            continue;
        places[side] = entry->tries[side].value;
        numbers[side] = entry->tries[side].number;
    }
    bool has_one = numbers[0] > 0 && numbers[1] > 0 && places[0] > 0 && places[1] > places[0];
    return has_one ? log(numbers[1] / numbers[0]) / log(places[1] / places[0]) : NAN;
}

static void judge(const struct sensitivity *of, const GPtrArray *rows,
                  struct sensitivity_entry *entry)
{
    double base = outcome_number(of->base);
    for (int side = 0; side < 2; side++) {
        struct sensitivity_try *try = &entry->tries[side];
        if (!entry->has_try[side])
            continue;
        take_try(of, rows, try);
        if (try->failure) {
            g_autofree char *text = vary_text(&entry->parameter, try->value);
            g_free(entry->note);
            entry->note = g_strdup_printf("fails at %s: %s", text, try->failure);
        } else {
            double change = fabs(try->number / base - 1);
            entry->effect = MAX(entry->effect, change > LEAST_CHANGE ? change : 0);
        }
    }
    bool is_number = vary_is_number(&entry->parameter) && !is_gathering(&entry->parameter);
    entry->elasticity = is_number ? elasticity(entry, base) : NAN;
    if (entry->effect <= 0 && isfinite(entry->elasticity))
        entry->elasticity = 0;
}

/* The most elastic first; those without elasticity behind them, by their effect. */
static gint compare_entries(gconstpointer a, gconstpointer b)
{
    const struct sensitivity_entry *one = a, *other = b;
    double weights[2][2] = {
        {isnan(one->elasticity) ? -1 : fabs(one->elasticity), one->effect},
        {isnan(other->elasticity) ? -1 : fabs(other->elasticity), other->effect}};
    for (int i = 0; i < 2; i++)
        if (!is_same(weights[0][i], weights[1][i]))
            return weights[0][i] < weights[1][i] ? 1 : -1;
    int by_name = strcmp(one->parameter.path, other->parameter.path);
    return by_name ? by_name : (one->tries[1].value > other->tries[1].value) - 1;
}

static void judge_all(struct sensitivity *of, const GPtrArray *rows)
{
    for (guint i = 0; i < of->entries->len; i++)
        judge(of, rows, &g_array_index(of->entries, struct sensitivity_entry, i));
    g_array_sort(of->entries, compare_entries);
}

/* --- running ------------------------------------------------------------------------------------ */

static struct sensitivity *new_sensitivity(struct variants *variants, size_t point, struct row *row,
                                           const char *measure, GError **error)
{
    struct sensitivity *of = g_new0(struct sensitivity, 1);
    *of =
        (struct sensitivity){.point = point,
                             .name = point_label(variants->study, point),
                             .row = row,
                             .machine = variants_machine(variants, point, error),
                             .entries = g_array_new(FALSE, TRUE, sizeof(struct sensitivity_entry))};
    g_array_set_clear_func(of->entries, clear_entry);
    if (of->machine && (of->base = outcome_find(row, measure, of->name, error)) != NULL) {
        if (outcome_number(of->base) > 0)
            return of;
        error_set_code(error, ERROR_RUN, "%s: %s is %s, and elasticities are of what is above 0",
                       of->name, of->base->name, of->base->value.text);
    }
    free_sensitivity(of);
    return NULL;
}

/* The points as they are. */
static bool run_bases(struct variants *variants, const GArray *points, const char *measure,
                      GPtrArray *list, GError **error)
{
    for (guint i = 0; i < points->len; i++)
        variants_add(variants, g_array_index(points, guint, i), NULL);
    g_autoptr(GPtrArray) rows = variants_run(variants, error);
    for (guint i = 0; rows && i < points->len; i++) {
        struct row *row = g_steal_pointer(&g_ptr_array_index(rows, i));
        struct sensitivity *of =
            new_sensitivity(variants, g_array_index(points, guint, i), row, measure, error);
        if (!of)
            return false;
        g_ptr_array_add(list, of);
    }
    return rows != NULL;
}

GPtrArray *sensitivity_run(struct variants *variants, const GArray *points, const char *measure,
                           double step, GError **error)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(free_sensitivity);
    if (!run_bases(variants, points, measure, list, error))
        return NULL;
    for (guint i = 0; i < list->len; i++)
        if (!plan(variants, g_ptr_array_index(list, i), step, error))
            return NULL;
    g_autoptr(GPtrArray) rows = variants_run(variants, error);
    for (guint i = 0; rows && i < list->len; i++)
        judge_all(g_ptr_array_index(list, i), rows);
    return rows ? g_steal_pointer(&list) : NULL;
}
