/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/rehearsal.h"

#include <string.h>

#include "core/error.h"
#include "script/study/point.h"
#include "study/experiment.h"
#include "study/figure/plot.h"
#include "study/model/machine.h"
#include "study/model/measured.h"
#include "study/table/table.h"

#define MOST_POINTS 10000 /* a check of a huge study is over in a second or so, too */

/* Appends the point to the sentence of an error. */
static void add_point(const struct study *study, size_t point, GError **error)
{
    struct row *row = study_new_row(study, point);
    g_autofree char *where = experiment_point_text(study, row);
    GError *cause = g_steal_pointer(error);
    size_t length = strlen(cause->message);
    if (length > 0 && cause->message[length - 1] == '.')
        length--;
    bool is_question = length > 0 && cause->message[length - 1] == '?';
    g_set_error(error, cause->domain, cause->code, is_question ? "%.*s At %s." : "%.*s; at %s.",
                (int)length, cause->message, where);
    g_error_free(cause);
    row_free(row);
}

static bool rehearse_point(struct study *study, size_t point, struct rehearsal *rehearsal,
                           GError **error)
{
    struct machine *machine = study_machine(study, point, error);
    bool good = machine && study_rehearse_point(study, point, machine, rehearsal, error);
    machine_free(machine);
    if (!good)
        add_point(study, point, error);
    return good;
}

/* A plot's table is made of the results as it would be to draw it. */
static bool check_plots(const struct study *study, GPtrArray *rows, GError **error)
{
    g_autofree char *told = NULL;
    if (!measured_join(study, (struct row **)rows->pdata, rows->len, &told, error))
        return false;
    struct table *table =
        table_new(study->axes, study->axis_count, (struct row **)rows->pdata, rows->len);
    bool good = true;
    for (size_t i = 0; good && i < study->plot_count; i++) {
        struct table *shown = plot_table(&study->plots[i], table, NULL, error);
        good = shown != NULL;
        table_free(shown);
    }
    table_free(table);
    return good;
}

static void free_row(gpointer row)
{
    row_free(row);
}

bool rehearse(struct study *study, GError **error)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(free_row);
    struct rehearsal rehearsal = {.row = NULL};
    size_t count = MIN(study->point_count, MOST_POINTS);
    for (size_t point = 0; point < count && !rehearsal.is_long; point++) {
        if (!rehearse_point(study, point, &rehearsal, error))
            return false;
        if (rehearsal.row)
            g_ptr_array_add(rows, rehearsal.row);
    }
    return rows->len < study->point_count || check_plots(study, rows, error);
}
