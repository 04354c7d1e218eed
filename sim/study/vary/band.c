/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/vary/band.h"

#include <math.h>

#include "core/rng.h"

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

/* Overrides of sample `sample` of `count` for a machine's estimated parameters, in the order of its tables. An estimated flag or choice
 * is at one end of its range or the other. NULL-ended, to be freed with g_strfreev. */
static char **band_overrides(const struct machine *machine, char *const *paths, size_t sample,
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

size_t band_add(struct variants *variants, size_t point, const struct machine *machine,
                char *const *paths, size_t count)
{
    size_t drawn = 0;
    for (size_t i = 0; i < count; i++) {
        char **overrides = band_overrides(machine, paths, i, count, variants->options.seed);
        drawn = g_strv_length(overrides);
        variants_add(variants, point, overrides);
    }
    return drawn;
}
