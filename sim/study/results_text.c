/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/results_text.h"

#include "script/views/views.h"

#define WIDEST (1 << 30) /* more than any line needs */

static GVariant *axes_of(const struct study *study)
{
    GVariantBuilder axes;
    g_variant_builder_init(&axes, G_VARIANT_TYPE("aa{sv}"));
    for (size_t i = 0; i < study->axis_count; i++) {
        g_variant_builder_open(&axes, G_VARIANT_TYPE_VARDICT);
        views_add_text(&axes, "name", study->axes[i].name);
        g_variant_builder_add(&axes, "{sv}", "count",
                              g_variant_new_double((double)study->axes[i].count));
        g_variant_builder_close(&axes);
    }
    return g_variant_builder_end(&axes);
}

static GVariant *plots_of(const struct study *study)
{
    GVariantBuilder plots;
    g_variant_builder_init(&plots, G_VARIANT_TYPE("aa{sv}"));
    for (size_t i = 0; i < study->plot_count; i++)
        g_variant_builder_add_value(&plots, study->plots[i]);
    return g_variant_builder_end(&plots);
}

static GVariant *failures_of(const struct experiment *experiment)
{
    GVariantBuilder failures;
    g_variant_builder_init(&failures, G_VARIANT_TYPE("aa{sv}"));
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct row *row = experiment->rows[i];
        if (!row->failure)
            continue;
        g_autofree char *point = experiment_point_text(experiment->study, row);
        g_variant_builder_open(&failures, G_VARIANT_TYPE_VARDICT);
        views_add_text(&failures, "point", point);
        views_add_text(&failures, "reason", row->failure);
        g_variant_builder_close(&failures);
    }
    return g_variant_builder_end(&failures);
}

/* The study as views/results.lua has it. */
static GVariant *study_of(const struct experiment *experiment)
{
    const struct study *study = experiment->study;
    GVariantBuilder value;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    views_add_text(&value, "path", study->path);
    views_add_text(&value, "title", study->title);
    g_variant_builder_add(&value, "{sv}", "axes", axes_of(study));
    g_variant_builder_add(&value, "{sv}", "plots", plots_of(study));
    g_variant_builder_add(&value, "{sv}", "failures", failures_of(experiment));
    return g_variant_builder_end(&value);
}

/* The only text that a view returns. */
static char *text_of(const char *function, GVariant *arguments, GError **error)
{
    g_auto(GStrv) texts = views_texts("results", function, arguments, error);
    return texts ? g_strdup(texts[0]) : NULL;
}

char *results_text(const struct experiment *experiment, const struct results_view *view)
{
    g_autoptr(GError) error = NULL;
    GVariant *arguments =
        view->columns
            ? g_variant_new("(@t@a{sv}d^aay)", views_table(experiment->table), study_of(experiment),
                            (double)MIN(view->width, WIDEST), view->columns)
            : g_variant_new("(@t@a{sv}d)", views_table(experiment->table), study_of(experiment),
                            (double)MIN(view->width, WIDEST));
    char *text = text_of("text", arguments, &error);
    return text ? text : g_strdup_printf("%s\n", error->message);
}

char *osu_text(const struct experiment *experiment, GError **error)
{
    return text_of(
        "osu", g_variant_new("(@t@a{sv})", views_table(experiment->table), study_of(experiment)),
        error);
}
