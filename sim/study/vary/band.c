/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/vary/band.h"

#include <math.h>

#include "core/rng.h"
#include "study/vary/outcome.h"

/* --- drawing ------------------------------------------------------------------------------------ */

static bool is_listed(char *const *paths, const char *path)
{
    return !paths || g_strv_contains((const char *const *)paths, path);
}

/* Whether the machine's parameter number `number` is to be drawn; it is left in `parameter` then. */
static bool is_drawn(const struct machine *machine, guint number, char *const *paths,
                     struct vary_parameter *parameter)
{
    const struct provenance *origin = g_ptr_array_index(machine->provenance, number);
    if (origin->kind != SOURCE_ESTIMATED || !is_listed(paths, origin->path) ||
        !vary_parameter_find(machine, origin->path, parameter, NULL))
        return false;
    if (parameter->has_range && parameter->low < parameter->high)
        return true;
    vary_parameter_clear(parameter);
    return false;
}

/* The value at `place` of the range, 0 <= place < 1; of whole ones each as often. */
static double value_at(const struct vary_parameter *parameter, double place)
{
    double span = parameter->high - parameter->low;
    if (!vary_is_number(parameter))
        return place < 0.5 ? parameter->low : parameter->high;
    if (parameter->param->kind == PARAM_RATIO)
        return parameter->low + place * span;
    return MIN(parameter->low + floor(place * (span + 1)), parameter->high);
}

/* The machine may refuse what was drawn: a cache has a whole number of sets. The next smaller multiple of a power of two that it
 * takes; the number itself if it takes none. */
static double taken_near(const struct machine *machine, const struct vary_parameter *parameter,
                         double number)
{
    if (vary_is_taken(machine, parameter, number))
        return number;
    for (double step = 2, lower; step <= number; step *= 2) {
        lower = floor(number / step) * step;
        if (lower >= parameter->low && vary_is_taken(machine, parameter, lower))
            return lower;
    }
    return number;
}

/* The sample's place in the range of the parameter called `path`. */
static double place_of(const char *path, size_t sample, size_t count, uint64_t seed)
{
    struct rng rng;
    double place = 0;
    g_autofree uint32_t *parts = g_new(uint32_t, count);
    rng_init(&rng, seed, path);
    rng_order(&rng, parts, (uint32_t)count);
    for (size_t i = 0; i <= sample; i++)
        place = rng_double(&rng);
    return (parts[sample] + place) / (double)count;
}

char **band_overrides(const struct machine *machine, char *const *paths, size_t sample,
                      size_t count, uint64_t seed)
{
    GPtrArray *overrides = g_ptr_array_new();
    for (guint i = 0; i < machine->provenance->len; i++) {
        struct vary_parameter parameter;
        if (!is_drawn(machine, i, paths, &parameter))
            continue;
        double place = place_of(parameter.path, sample, count, seed);
        double number = taken_near(machine, &parameter, value_at(&parameter, place));
        g_ptr_array_add(overrides, vary_override(&parameter, number));
        vary_parameter_clear(&parameter);
    }
    g_ptr_array_add(overrides, NULL);
    return (char **)g_ptr_array_free(overrides, FALSE);
}

struct table *band_parameters(const struct machine *machine, char *const *paths)
{
    static const char *const names[] = {"parameter", "value", "low", "high"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (guint i = 0; i < machine->provenance->len; i++) {
        struct vary_parameter parameter;
        const struct provenance *origin = g_ptr_array_index(machine->provenance, i);
        if (!is_drawn(machine, i, paths, &parameter))
            continue;
        table_append(table,
                     (const char *[]){origin->path, origin->value, origin->low, origin->high});
        vary_parameter_clear(&parameter);
    }
    return table;
}

/* --- bands -------------------------------------------------------------------------------------- */

void band_clear(struct band *band)
{
    g_clear_pointer(&band->failure, g_free);
}

static int compare_numbers(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* Between neighbours by their distance. */
static double quantile(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place, above = MIN(below + 1, count - 1);
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

void band_of(struct band *band, double *numbers, size_t count)
{
    band->least = band->p5 = band->median = band->p95 = band->most = NAN;
    if (count == 0)
        return;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    band->least = numbers[0];
    band->p5 = quantile(numbers, count, 0.05);
    band->median = quantile(numbers, count, 0.5);
    band->p95 = quantile(numbers, count, 0.95);
    band->most = numbers[count - 1];
}

size_t band_add(struct variants *variants, size_t point, const struct machine *machine,
                char *const *paths, size_t count)
{
    size_t first = variants->list->len;
    for (size_t i = 0; i < count; i++)
        variants_add(variants, point,
                     band_overrides(machine, paths, i, count, variants->options.seed));
    return first;
}

void band_take(struct band *band, const GPtrArray *rows, size_t first, size_t count,
               const char *measure)
{
    g_autofree double *numbers = g_new(double, count);
    size_t good = 0;
    *band = (struct band){.samples = count};
    for (size_t i = 0; i < count; i++) {
        const struct row *row = g_ptr_array_index(rows, first + i);
        g_autoptr(GError) error = NULL;
        const struct measure *found = outcome_find(row, measure, "a sample", &error);
        if (found)
            numbers[good++] = outcome_number(found);
        else if (!band->failure)
            band->failure = g_strdup(row->failure ? row->failure : error->message);
    }
    band->failed = count - good;
    band_of(band, numbers, good);
}
