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

struct experiment *experiment_new(struct study *study, struct row **rows)
{
    if (!rows) {
        study_free(study);
        return NULL;
    }
    if (!interrupt_pending(NULL)) /* a point that did not run might have read the parameter */
        settings_judge(rows, study->point_count);
    struct experiment *experiment = g_new0(struct experiment, 1);
    experiment->study = study;
    experiment->rows = rows;
    experiment->row_count = study->point_count;
    return experiment;
}

void experiment_free(struct experiment *experiment)
{
    if (!experiment)
        return;
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
