/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/experiment_band.h"

#include <math.h>
#include <string.h>

#include "script/study/point.h"
#include "script/views/views.h"
#include "study/vary/band.h"
#include "study/vary/outcome.h"

/* --- samples ------------------------------------------------------------------------------------ */

static bool add_samples(struct variants *variants, GError **error)
{
    for (size_t point = 0; point < variants->point_count; point++) {
        struct machine *machine = variants_machine(variants, point, error);
        if (!machine)
            return false;
        band_add(variants, point, machine, NULL, variants->study->band_samples);
        machine_free(machine);
    }
    return true;
}

/* NULL where one is missing, too. */
static GPtrArray *run_samples(struct study *study, const struct runner_options *options,
                              bool from_store, GError **error)
{
    struct variants *variants = variants_new(study, options);
    GPtrArray *rows = NULL;
    if (add_samples(variants, error))
        rows = from_store ? variants_recall(variants, error) : variants_run(variants, error);
    variants_release(variants);
    if (rows && g_ptr_array_find(rows, NULL, NULL))
        g_clear_pointer(&rows, g_ptr_array_unref);
    return rows;
}

/* --- bands of curves ---------------------------------------------------------------------------- */

/* Takes over the value. */
static void add_measure(struct row *row, char *name, struct value value)
{
    row->measures = g_renew(struct measure, row->measures, row->measure_count + 1);
    row->measures[row->measure_count++] = (struct measure){name, value};
}

static struct value value_like(const struct value *value, double number)
{
    return value->kind == VALUE_QUANTITY ? value_quantity((int64_t)llround(number), value->unit)
                                         : value_number(number);
}

/* Adds the ends of the band of measure `name` to a row whose samples begin at `first`. */
static void add_ends(struct row *row, const char *name, const GPtrArray *samples, size_t first,
                     size_t count)
{
    const struct measure *measure = outcome_find(row, name, "", NULL);
    if (!measure)
        return;
    double least = outcome_number(measure), most = least;
    for (size_t i = first; i < first + count; i++) {
        const struct measure *of =
            outcome_find(g_ptr_array_index(samples, i), measure->name, "", NULL);
        least = of ? MIN(least, outcome_number(of)) : least;
        most = of ? MAX(most, outcome_number(of)) : most;
    }
    char *low = g_strconcat(measure->name, "_least", NULL);
    char *high = g_strconcat(measure->name, "_most", NULL);
    struct value value = measure->value;
    add_measure(row, low, value_like(&value, least));
    add_measure(row, high, value_like(&value, most));
}

static bool has_band(GVariant *plot)
{
    static const char *const styles[] = {"lines", "loglog", "semilogx", "bars", NULL};
    return !fields_text(plot, "over") && !fields_text(plot, "band_low") &&
           !strchr(fields_text(plot, "y"), ',') &&
           g_strv_contains(styles, fields_text(plot, "style"));
}

/* The first row with the measure; NULL: there is none. */
static const struct measure *measure_of(const struct study *study, struct row *const *rows,
                                        const char *name)
{
    const struct measure *measure = NULL;
    for (size_t i = 0; !measure && i < study->point_count; i++)
        measure = rows[i]->failure ? NULL : outcome_find(rows[i], name, "", NULL);
    return measure;
}

static char *end_column(const struct measure *measure, const char *end)
{
    g_autofree char *name = g_strconcat(measure->name, end, NULL);
    return value_column(name, &measure->value);
}

static void add_bands(struct study *study, struct row *const *rows, const GPtrArray *samples)
{
    for (size_t p = 0; p < study->plot_count; p++) {
        GVariant **plot = &study->plots[p];
        g_autofree char *y = g_strdup(fields_text(*plot, "y"));
        const struct measure *measure = has_band(*plot) ? measure_of(study, rows, y) : NULL;
        if (!measure)
            continue;
        g_autofree char *low = end_column(measure, "_least");
        g_autofree char *high = end_column(measure, "_most");
        g_autofree char *of = g_strdup_printf("least to most of %zu samples of estimated values",
                                              study->band_samples);
        fields_set_text(plot, "band_low", low);
        fields_set_text(plot, "band_high", high);
        fields_set_text(plot, "band_of", of);
        if (measure_of(study, rows, low)) /* an earlier plot has it */
            continue;
        for (size_t i = 0; i < study->point_count; i++)
            if (!rows[i]->failure)
                add_ends(rows[i], y, samples, i * study->band_samples, study->band_samples);
    }
}

bool experiment_band_make(struct study *study, struct row *const *rows,
                          const struct runner_options *options, bool from_store,
                          GPtrArray **samples, GError **error)
{
    GError *cause = NULL;
    *samples = study->band_samples ? run_samples(study, options, from_store, &cause) : NULL;
    if (cause) {
        g_propagate_error(error, cause);
        return false;
    }
    if (*samples)
        add_bands(study, rows, *samples);
    return true;
}

bool experiment_band_costs(struct study *study, const struct runner_options *options,
                           GError **error)
{
    GError *cause = NULL;
    GPtrArray *samples = study->band_samples ? run_samples(study, options, false, &cause) : NULL;
    if (samples)
        g_ptr_array_unref(samples);
    if (cause)
        g_propagate_error(error, cause);
    return cause == NULL;
}

char *experiment_band_told(const struct study *study, struct row *const *rows,
                           const GPtrArray *samples)
{
    size_t failed = 0;
    const char *first = NULL;
    for (guint i = 0; samples && i < samples->len; i++) {
        const struct row *sample = g_ptr_array_index(samples, i);
        if (!sample->failure || rows[i / study->band_samples]->failure)
            continue;
        first = failed++ ? first : sample->failure;
    }
    return first ? g_strdup_printf("band: %zu of %u samples failed, the first: %s\n", failed,
                                   samples->len, first)
                 : g_strdup("");
}
