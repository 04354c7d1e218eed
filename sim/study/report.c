/* SPDX-License-Identifier: BSD-3-Clause */
/* What the report is made of; views/report.lua makes it. */
#include "study/report.h"

#include <string.h>

#include "core/home.h"
#include "core/text_file.h"
#include "script/study/point.h"
#include "script/views/views.h"
#include "study/model/machine.h"
#include "study/table/provenance.h"
#include "study/table/version.h"

/* --- experiments -------------------------------------------------------------------------------- */

/* The scenario's file from the project's folder on: the page is the same wherever it is made. */
static const char *short_path(const struct study *study)
{
    const char *place = strstr(study->path, "/scenarios/");
    return place ? place + 1 : study->path;
}

static void add_study(GVariantBuilder *value, const struct study *study)
{
    views_add_text(value, "name", study->name);
    views_add_text(value, "title", study->title);
    views_add_text(value, "path", short_path(study));
    g_variant_builder_add(value, "{sv}", "claims", experiment_claim_ids(study));
}

/* A byte string, which ends with a zero byte. */
static GVariant *bytes_value(GBytes *bytes)
{
    gsize length;
    const char *data = g_bytes_get_data(bytes, &length);
    g_autofree char *text = g_strndup(data, length);
    return g_variant_new_bytestring(text);
}

static GVariant *figures_value(const struct experiment *experiment)
{
    GVariantBuilder figures;
    g_variant_builder_init(&figures, G_VARIANT_TYPE("aay"));
    for (size_t i = 0; i < experiment->study->plot_count; i++) {
        const struct figure *figure = experiment->figures[i];
        if (figure)
            g_variant_builder_add_value(&figures, bytes_value(figure->formats[FIGURE_SVG]));
    }
    return g_variant_builder_end(&figures);
}

static GVariant *experiments_value(const GPtrArray *experiments)
{
    GVariantBuilder all;
    g_variant_builder_init(&all, G_VARIANT_TYPE("aa{sv}"));
    for (guint i = 0; i < experiments->len; i++) {
        const struct experiment *experiment = g_ptr_array_index(experiments, i);
        g_autofree char *failure = experiment_failure(experiment);
        g_variant_builder_open(&all, G_VARIANT_TYPE_VARDICT);
        add_study(&all, experiment->study);
        views_add_text(&all, "failure", failure);
        views_add_text(&all, "conclusion", experiment->conclusion);
        g_variant_builder_add(&all, "{sv}", "figures", figures_value(experiment));
        g_variant_builder_add(&all, "{sv}", "table", views_table(experiment->table));
        g_variant_builder_close(&all);
    }
    return g_variant_builder_end(&all);
}

static GVariant *left_out_value(const GPtrArray *studies)
{
    GVariantBuilder all;
    g_variant_builder_init(&all, G_VARIANT_TYPE("aa{sv}"));
    for (guint i = 0; studies && i < studies->len; i++) {
        g_variant_builder_open(&all, G_VARIANT_TYPE_VARDICT);
        add_study(&all, g_ptr_array_index(studies, i));
        g_variant_builder_close(&all);
    }
    return g_variant_builder_end(&all);
}

/* --- machines ----------------------------------------------------------------------------------- */

/* The number of the row of that path; where `shown` has none, it gets one with the value: of a kind of nodes that it has not. */
static guint row_of(struct machine *shown, guint likely, const struct provenance *entry)
{
    const struct provenance *own =
        likely < shown->provenance->len ? g_ptr_array_index(shown->provenance, likely) : NULL;
    guint number = likely;
    if (own == NULL || strcmp(own->path, entry->path) != 0) {
        struct provenance *found = machine_find(shown, entry->path);
        if (found == NULL && (found = machine_find_or_add(shown, entry->path, NULL)) != NULL) {
            g_free(found->value);
            found->value = g_strdup(entry->value);
            found->kind = entry->kind;
        }
        if (!g_ptr_array_find(shown->provenance, found, &number))
            return G_MAXUINT;
    }
    return number;
}

/* Adds the values that `machine` has to the lists, one a row of `shown`, where they are new. */
static void collect_values(GPtrArray *lists, struct machine *shown, const struct machine *machine)
{
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *entry = g_ptr_array_index(machine->provenance, i);
        guint row = row_of(shown, i, entry);
        while (lists->len < shown->provenance->len)
            g_ptr_array_add(lists, g_ptr_array_new_with_free_func(g_free));
        if (row == G_MAXUINT)
            continue;
        GPtrArray *values = g_ptr_array_index(lists, row);
        if (!g_ptr_array_find_with_equal_func(values, entry->value, g_str_equal, NULL))
            g_ptr_array_add(values, g_strdup(entry->value));
    }
}

/* Where points of the study differ, the value is all of theirs. */
static void show_varied_values(struct table *table, const GPtrArray *lists)
{
    enum { VALUE = 1, ORIGIN = 2 };
    for (size_t row = 0; row < table->row_count; row++) {
        GPtrArray *values = g_ptr_array_index(lists, row);
        if (values->len < 2)
            continue;
        char **cells = &table->cells[row * table->column_count];
        g_ptr_array_add(values, NULL);
        g_free(cells[VALUE]);
        cells[VALUE] = g_strjoinv(", ", (char **)values->pdata);
        g_ptr_array_remove_index(values, values->len - 1);
        g_free(cells[ORIGIN]);
        cells[ORIGIN] = g_strdup("varied");
    }
}

/* The machine of a study: that of its first point, with what its points vary. It is kept in `tables`. */
static void add_machine(GVariantBuilder *all, GPtrArray *tables, struct study *study)
{
    g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    struct machine *first = study_machine(study, 0, NULL);
    g_variant_builder_open(all, G_VARIANT_TYPE_VARDICT);
    views_add_text(all, "name", study->name);
    for (size_t point = 0; first && point < study->point_count; point++) {
        struct machine *machine = study_machine(study, point, NULL);
        if (machine)
            collect_values(lists, first, machine);
        machine_free(machine);
    }
    if (first) {
        struct table *table = provenance_table(first);
        show_varied_values(table, lists);
        g_ptr_array_add(tables, table);
        views_add_text(all, "title", first->name);
        g_variant_builder_add(all, "{sv}", "table", views_table(table));
    }
    g_variant_builder_close(all);
    machine_free(first);
}

static GVariant *machines_value(const GPtrArray *experiments, GPtrArray *tables)
{
    GVariantBuilder all;
    g_variant_builder_init(&all, G_VARIANT_TYPE("aa{sv}"));
    for (guint i = 0; i < experiments->len; i++) {
        const struct experiment *experiment = g_ptr_array_index(experiments, i);
        add_machine(&all, tables, experiment->study);
    }
    return g_variant_builder_end(&all);
}

static GVariant *versions_value(const struct report *report, GPtrArray *tables)
{
    struct table *table = version_table();
    g_autofree char *seed = g_strdup_printf("%" G_GUINT64_FORMAT, report->seed);
    table_append(table, (const char *[]){"seed", seed});
    table_append(table, (const char *[]){"command", report->command});
    g_ptr_array_add(tables, table);
    return views_table(table);
}

/* --- the page --------------------------------------------------------------------------------- */

static char *read_template(GError **error)
{
    static const struct text_kind page = {
        .name = "a page's template", .most_bytes = 16 << 20, .is_utf8 = true};
    g_autofree char *path = home_path("plots/report.html", error);
    return path ? text_file_read(path, &page, NULL, error) : NULL;
}

static void free_table(gpointer table)
{
    table_free(table);
}

char *report_html(const struct report *report, GError **error)
{
    g_autofree char *template = read_template(error);
    if (!template)
        return NULL;
    g_autoptr(GPtrArray) tables = g_ptr_array_new_with_free_func(free_table);
    GVariantBuilder page;
    g_variant_builder_init(&page, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&page, "{sv}", "claims", claims_value(report->claims));
    g_variant_builder_add(&page, "{sv}", "experiments", experiments_value(report->experiments));
    g_variant_builder_add(&page, "{sv}", "left_out", left_out_value(report->left_out));
    g_variant_builder_add(&page, "{sv}", "machines", machines_value(report->experiments, tables));
    g_variant_builder_add(&page, "{sv}", "versions", versions_value(report, tables));
    g_auto(GStrv) texts =
        views_texts("report", "page", g_variant_new("(^aya{sv})", template, &page), error);
    return texts ? g_strdup(texts[0]) : NULL;
}
