/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments: turn a loaded study into everything that can be shown of it. */
#include "study/experiment.h"

#include <string.h>

#include "core/error.h"
#include "script/script.h"
#include "script/study/point.h"
#include "script/views/measured.h"
#include "script/views/settings.h"
#include "script/views/views.h"
#include "study/system/interrupt.h"

/* Concludes, unless the run is a shard or was interrupted. */
static void conclude(struct experiment *experiment)
{
    g_autoptr(GError) cause = NULL;
    if (experiment->row_count < experiment->study->point_count || interrupt_pending(NULL))
        return;
    experiment->conclusion =
        study_conclude(experiment->study, experiment->rows, experiment->row_count, &cause);
    if (cause)
        experiment->conclusion_failure =
            g_strdup_printf("nothing is concluded: %s", cause->message);
}

bool experiment_finish(struct experiment *experiment, GError **error)
{
    struct row **rows = experiment->rows;
    size_t count = experiment->row_count;
    experiment->row_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!rows[i])
            continue;
        experiment->failed += rows[i]->failure != NULL;
        rows[experiment->row_count++] = rows[i];
    }
    const struct study *study = experiment->study;
    if (!measured_join(study, rows, experiment->row_count, &experiment->measured, error))
        return false;
    conclude(experiment);
    experiment->table =
        table_new(study->axes, study->axis_count, experiment->rows, experiment->row_count);
    return true;
}

/* Makes an experiment of the runner's rows; NULL: the runner failed and has set an error. */
static struct experiment *take_rows(struct study *study, struct row **rows)
{
    if (!rows) {
        study_free(study);
        return NULL;
    }
    if (!interrupt_pending(NULL)) /* a point that did not run might have read the parameter */
        settings_judge(rows, study->point_count);
    struct experiment *experiment = g_new0(struct experiment, 1);
    experiment->study = study;
    experiment->figures = g_new0(struct figure *, study->plot_count);
    experiment->rows = rows;
    experiment->row_count = study->point_count;
    return experiment;
}

struct experiment *experiment_run(struct study *study, const struct runner_options *options,
                                  GError **error)
{
    return take_rows(study, runner_run(study, options, error));
}

struct experiment *experiment_recall(struct study *study, const struct runner_options *options,
                                     GError **error)
{
    return take_rows(study, runner_recall(study, options, error));
}

void experiment_free(struct experiment *experiment)
{
    if (!experiment)
        return;
    for (size_t i = 0; i < experiment->study->plot_count; i++)
        figure_free(experiment->figures[i]);
    g_free(experiment->figures);
    table_free(experiment->table);
    g_free(experiment->measured);
    g_free(experiment->conclusion);
    g_free(experiment->conclusion_failure);
    for (size_t i = 0; i < experiment->row_count; i++)
        row_free(experiment->rows[i]);
    g_free(experiment->rows);
    study_free(experiment->study);
    g_free(experiment);
}

/* --- figures ---------------------------------------------------------------------------------- */

static struct figure *draw(struct experiment *experiment, size_t number, GError **error)
{
    struct study *study = experiment->study;
    GVariant **plot = &study->plots[number];
    g_auto(GVariantBuilder) marks = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE("av"));
    if (!fields_text(*plot, "title"))
        fields_set_text(plot, "title", study->title);
    fields_set_text(plot, "path", study->path);
    g_autoptr(GVariant) published =
        study_plot_marks(study, number, experiment->rows, experiment->row_count, error);
    if (!published)
        return NULL;
    for (gsize i = 0; i < g_variant_n_children(published); i++) {
        g_autoptr(GVariant) mark = g_variant_get_child_value(published, i);
        g_variant_builder_add_value(&marks, mark);
    }
    measured_add_marks(study, *plot, experiment->rows, experiment->row_count, &marks);
    return plot_draw(*plot, experiment->table, g_variant_builder_end(&marks), error);
}

bool experiment_draw(struct experiment *experiment, GError **error)
{
    for (size_t i = 0; i < experiment->study->plot_count; i++) {
        experiment->figures[i] = draw(experiment, i, error);
        if (!experiment->figures[i])
            return false;
    }
    return true;
}

/* --- texts ------------------------------------------------------------------------------------ */

char *experiment_point_text(const struct study *study, const struct row *row)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < study->axis_count; i++)
        g_string_append_printf(text, "%s%s=%s", i ? "," : "", study->axes[i].name,
                               study->axes[i].values[row->axis_index[i]].text);
    if (text->len == 0)
        g_string_append(text, "the only one");
    return g_string_free(text, FALSE);
}

char *experiment_failure(const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct row *row = experiment->rows[i];
        if (!row->failure)
            continue;
        g_autofree char *point = experiment_point_text(experiment->study, row);
        return g_strdup_printf("%s: %zu of %zu points failed; at %s: %s", experiment->study->path,
                               experiment->failed, experiment->row_count, point, row->failure);
    }
    return NULL;
}
