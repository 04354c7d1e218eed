/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/vary/sensitivity.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "study/model/select.h"
#include "study/vary/outcome.h"

#define UNEVEN 0.75       /* of the steeper slope: by how much that of the other side is less */
#define LEAST_CHANGE 1e-9 /* of a measure; what is less is what a script's arithmetic rounds */

/* --- what is tried ------------------------------------------------------------------------------ */

static void clear_pair(struct sensitivity_pair *pair)
{
    g_clear_pointer(&pair->tries[0].failure, g_free);
    g_clear_pointer(&pair->tries[1].failure, g_free);
}

static void clear_entry(gpointer data)
{
    struct sensitivity_entry *entry = data;
    vary_parameter_clear(&entry->parameter);
    clear_pair(&entry->shown);
    for (int i = 0; i < SENSITIVITY_WIDER; i++)
        clear_pair(&entry->wider[i]);
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

static bool has_any(const struct sensitivity_pair *pair)
{
    return pair->has_try[0] || pair->has_try[1];
}

static char **override_of(const struct vary_parameter *parameter, double value)
{
    char **overrides = g_new0(char *, 2);
    overrides[0] = vary_override(parameter, value);
    return overrides;
}

/* Takes over the overrides. */
static void add_try(struct variants *variants, size_t point, struct sensitivity_pair *pair,
                    int side, double value, char **overrides)
{
    pair->has_try[side] = true;
    pair->tries[side].value = value;
    pair->tries[side].variant = variants_add(variants, point, overrides);
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
            add_try(variants, of->point, &entry->shown, side, value, override_of(parameter, value));
    }
    if (is_zero)
        entry->note =
            g_strdup(parameter->has_range ? "0: the ends of its range" : "0: not changed");
    else if (!has_any(&entry->shown))
        entry->note = g_strdup("the machine takes no other value near");
    else if (!entry->shown.has_try[0] || !entry->shown.has_try[1])
        entry->note = g_strdup("from one side");
}

/* Puts that go together where none do: as many as that. */
static const double gathered[] = {8, 64};

static void plan_gathering(struct variants *variants, struct sensitivity *of,
                           const struct vary_parameter *parameter)
{
    for (size_t i = 0; i < G_N_ELEMENTS(gathered); i++) {
        struct sensitivity_entry entry = {0};
        char **overrides = g_new0(char *, 2);
        vary_parameter_find(of->machine, parameter->path, &entry.parameter, NULL);
        vary_parameter_settle(&entry.parameter, of->row->read);
        overrides[0] = vary_override(&entry.parameter, gathered[i]);
        add_try(variants, of->point, &entry.shown, 1, gathered[i], overrides);
        g_array_append_val(of->entries, entry);
    }
}

static bool is_gathering(const struct vary_parameter *parameter)
{
    return strcmp(parameter->path, "design.coalesce.count") == 0 && is_same(parameter->now, 0);
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
        add_try(variants, of->point, &entry.shown, 1, (double)choice,
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
    const struct sensitivity_pair *pair = &entry->shown;
    double places[2] = {entry->parameter.now, entry->parameter.now}, numbers[2] = {base, base};
    for (int side = 0; side < 2; side++) {
        if (!pair->has_try[side] || isnan(pair->tries[side].number))
            continue;
        places[side] = pair->tries[side].value;
        numbers[side] = pair->tries[side].number;
    }
    bool has_one = numbers[0] > 0 && numbers[1] > 0 && places[0] > 0 && places[1] > places[0];
    return has_one ? log(numbers[1] / numbers[0]) / log(places[1] / places[0]) : NAN;
}

static bool fails(const struct sensitivity_pair *pair)
{
    return pair->tries[0].failure || pair->tries[1].failure;
}

static void judge_pair(const struct sensitivity *of, const GPtrArray *rows,
                       struct sensitivity_pair *pair)
{
    for (int side = 0; side < 2; side++) {
        struct sensitivity_try *try = &pair->tries[side];
        if (!pair->has_try[side])
            continue;
        take_try(of, rows, try);
        double change = try->failure ? 0 : fabs(try->number / outcome_number(of->base) - 1);
        pair->effect = MAX(pair->effect, change > LEAST_CHANGE ? change : 0);
    }
}

/* --- wider steps -------------------------------------------------------------------------------- */

/* Times its value: as far as it goes first, since most that move nothing nearby move nothing there either. */
static const double reaches[SENSITIVITY_WIDER] = {100, 2, 10};
enum { FARTHEST = 0 };
#define COUNT_REACH                                                                                \
    10 /* the farthest of what is a number of things or of bytes, and takes memory */

static bool is_grown(const struct sensitivity_entry *entry)
{
    return vary_is_number(&entry->parameter) && entry->parameter.now > 0;
}

static bool moves(const struct sensitivity *of, const struct sensitivity_pair *pair)
{
    return pair->effect > of->spread;
}

/* Where the values of its range end on a side. */
static double limit_of(const struct vary_parameter *parameter, int side)
{
    double low, high;
    vary_bounds(parameter, &low, &high);
    if (parameter->has_range) {
        low = MIN(parameter->low, parameter->now);
        high = MAX(parameter->high, parameter->now);
    }
    return side == 0 ? low : high;
}

static double reach_of(const struct vary_parameter *parameter, int reach)
{
    enum unit_kind unit = parameter->param->unit;
    bool is_count =
        parameter->param->kind == PARAM_QUANTITY && (unit == UNIT_COUNT || unit == UNIT_BYTES);
    return is_count ? MIN(reaches[reach], COUNT_REACH) : reaches[reach];
}

/* Whether the value was tried on this side already. */
static bool is_tried(const struct sensitivity_entry *entry, int side, double value)
{
    bool is_known = is_same(entry->shown.tries[side].value, value);
    for (int i = 0; i < SENSITIVITY_WIDER; i++)
        is_known |=
            entry->wider[i].has_try[side] && is_same(entry->wider[i].tries[side].value, value);
    return is_known;
}

static void plan_wider(struct variants *variants, const struct sensitivity *of,
                       struct sensitivity_entry *entry, int reach)
{
    const struct vary_parameter *parameter = &entry->parameter;
    double times = reach_of(parameter, reach);
    for (int side = 0; side < 2; side++) {
        double end = limit_of(parameter, side), now = parameter->now;
        double value = side == 0 ? MAX(now / times, end) : MIN(now * times, end);
        value = vary_taken(of->machine, parameter, value);
        if (fabs(value - now) > fabs(entry->shown.tries[side].value - now) &&
            entry->shown.has_try[side] && !is_tried(entry, side, value) &&
            vary_is_taken(of->machine, parameter, value))
            add_try(variants, of->point, &entry->wider[reach], side, value,
                    override_of(parameter, value));
    }
}

/* Whether a step of this reach is still to be tried: the nearer ones only where the farthest did something. */
static bool wants(const struct sensitivity *of, const struct sensitivity_entry *entry, int reach)
{
    const struct sensitivity_pair *far = &entry->wider[FARTHEST];
    if (!is_grown(entry) || fails(&entry->shown) || moves(of, &entry->shown))
        return false;
    for (int nearer = 1; nearer < reach; nearer++)
        if (moves(of, &entry->wider[nearer]))
            return false;
    return reach == FARTHEST || moves(of, far) || fails(far);
}

static bool run_wider(struct variants *variants, const GPtrArray *list, int reach, GError **error)
{
    for (guint i = 0; i < list->len; i++) {
        struct sensitivity *of = g_ptr_array_index(list, i);
        for (guint k = 0; k < of->entries->len; k++) {
            struct sensitivity_entry *entry =
                &g_array_index(of->entries, struct sensitivity_entry, k);
            if (wants(of, entry, reach))
                plan_wider(variants, of, entry, reach);
        }
    }
    g_autoptr(GPtrArray) rows = variants_run(variants, error);
    for (guint i = 0; rows && i < list->len; i++) {
        struct sensitivity *of = g_ptr_array_index(list, i);
        for (guint k = 0; k < of->entries->len; k++)
            judge_pair(of, rows,
                       &g_array_index(of->entries, struct sensitivity_entry, k).wider[reach]);
    }
    return rows != NULL;
}

/* Shows the nearest step that moves the measure, or the widest that went well; the usual one if none is wider. */
static void take_wider(const struct sensitivity *of, struct sensitivity_entry *entry)
{
    static const int by_reach[SENSITIVITY_WIDER] = {1, 2, FARTHEST};
    struct sensitivity_pair *taken = NULL;
    for (int i = 0; i < SENSITIVITY_WIDER; i++) {
        struct sensitivity_pair *pair = &entry->wider[by_reach[i]];
        if (!has_any(pair) || (taken && moves(of, taken)) || (fails(pair) && !moves(of, pair)))
            continue;
        taken = pair;
    }
    if (!taken || moves(of, &entry->shown))
        return;
    struct sensitivity_pair usual = entry->shown;
    entry->shown = *taken;
    *taken = usual;
    g_free(entry->note);
    entry->note = g_strdup(!moves(of, &entry->shown) ? "as far as it was changed"
                           : of->spread > 0          ? "a smaller step stays within the spread"
                                                     : "a smaller step changes nothing");
}

/* --- all of an entry ---------------------------------------------------------------------------- */

static void note_failure(struct sensitivity_entry *entry)
{
    for (int side = 0; side < 2; side++) {
        const struct sensitivity_try *try = &entry->shown.tries[side];
        if (!try->failure)
            continue;
        g_autofree char *text = vary_text(&entry->parameter, try->value);
        g_free(entry->note);
        entry->note = g_strdup_printf("fails at %s: %s", text, try->failure);
    }
}

/* Slopes on both sides that differ by far: the measure has steps there, or something else hides a side. */
static void note_sides(struct sensitivity_entry *entry, double base)
{
    const struct sensitivity_pair *pair = &entry->shown;
    double slopes[2], now = entry->parameter.now;
    if (entry->note || !pair->has_try[0] || !pair->has_try[1] || now <= 0 || pair->effect <= 0)
        return;
    for (int side = 0; side < 2; side++)
        slopes[side] = log(pair->tries[side].number / base) / log(pair->tries[side].value / now);
    if (fabs(slopes[0] - slopes[1]) > UNEVEN * MAX(fabs(slopes[0]), fabs(slopes[1])))
        entry->note = g_strdup("uneven: in steps, or partly hidden behind something else");
}

static enum sensitivity_outcome outcome_of(const struct sensitivity *of,
                                           const struct sensitivity_pair *pair)
{
    if (moves(of, pair))
        return SENSITIVITY_MOVES;
    if (fails(pair))
        return SENSITIVITY_FAILS;
    if (!has_any(pair))
        return SENSITIVITY_NOT_CHANGED;
    return pair->effect > 0 ? SENSITIVITY_BELOW_SPREAD : SENSITIVITY_NOTHING;
}

static void judge(const struct sensitivity *of, struct sensitivity_entry *entry)
{
    double base = outcome_number(of->base);
    bool is_number = vary_is_number(&entry->parameter) && !is_gathering(&entry->parameter);
    take_wider(of, entry);
    note_failure(entry);
    if (is_number)
        note_sides(entry, base);
    entry->outcome = outcome_of(of, &entry->shown);
    entry->elasticity = is_number ? elasticity(entry, base) : NAN;
    if (entry->shown.effect <= 0 && isfinite(entry->elasticity))
        entry->elasticity = 0;
}

/* The most elastic first; those without elasticity behind them, by their effect. */
static gint compare_entries(gconstpointer a, gconstpointer b)
{
    const struct sensitivity_entry *one = a, *other = b;
    double weights[2][2] = {
        {isnan(one->elasticity) ? -1 : fabs(one->elasticity), one->shown.effect},
        {isnan(other->elasticity) ? -1 : fabs(other->elasticity), other->shown.effect}};
    for (int i = 0; i < 2; i++)
        if (!is_same(weights[0][i], weights[1][i]))
            return weights[0][i] < weights[1][i] ? 1 : -1;
    int by_name = strcmp(one->parameter.path, other->parameter.path);
    return by_name ? by_name : (one->shown.tries[1].value > other->shown.tries[1].value) - 1;
}

/* Parameters of the machine that nothing at the point read. */
static void add_unread(struct sensitivity *of)
{
    g_auto(GStrv) paths = g_strsplit(of->row->unread ? of->row->unread : "", ",", -1);
    for (char **path = paths; *path && **path; path++) {
        struct sensitivity_entry entry = {.outcome = SENSITIVITY_NOT_READ, .elasticity = NAN};
        if (vary_parameter_find(of->machine, *path, &entry.parameter, NULL))
            g_array_append_val(of->entries, entry);
    }
}

static void judge_all(struct sensitivity *of)
{
    for (guint i = 0; i < of->entries->len; i++)
        judge(of, &g_array_index(of->entries, struct sensitivity_entry, i));
    g_array_sort(of->entries, compare_entries);
    add_unread(of);
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
        of->spread = outcome_spread(row, of->base) / outcome_number(of->base);
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

static bool run_usual(struct variants *variants, const GPtrArray *list, GError **error)
{
    g_autoptr(GPtrArray) rows = variants_run(variants, error);
    for (guint i = 0; rows && i < list->len; i++) {
        struct sensitivity *of = g_ptr_array_index(list, i);
        for (guint k = 0; k < of->entries->len; k++)
            judge_pair(of, rows, &g_array_index(of->entries, struct sensitivity_entry, k).shown);
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
    if (!run_usual(variants, list, error))
        return NULL;
    for (int reach = 0; reach < SENSITIVITY_WIDER; reach++)
        if (!run_wider(variants, list, reach, error))
            return NULL;
    for (guint i = 0; i < list->len; i++)
        judge_all(g_ptr_array_index(list, i));
    return g_steal_pointer(&list);
}
