/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/defaults.h"

static void append(GString *list, const char *path)
{
    g_string_append_printf(list, "%s%s", list->len ? "," : "", path);
}

void defaults_note(const struct machine *machine, const struct param_use *uses, struct row *row)
{
    GString *defaults = g_string_new(NULL), *given = g_string_new(NULL);
    guint number = 0; /* in the provenance, which has the order of the sections */
    for (size_t i = 0; i < machine_section_count(); i++) {
        struct machine_section section = machine_section(i);
        for (size_t j = 0; j < section.table->count; j++, number++) {
            const struct provenance *origin = g_ptr_array_index(machine->provenance, number);
            if (param_is_used(uses, section.table, j))
                append(origin->kind == SOURCE_DEFAULT ? defaults : given, origin->path);
        }
    }
    row->read_defaults = g_intern_string(defaults->str);
    row->read_given = g_intern_string(given->str);
    g_string_free(defaults, TRUE);
    g_string_free(given, TRUE);
}

/* Adds the paths of a list to a set. Most rows have the list of the row before. */
static void add_paths(GHashTable *set, const char *list, const char *before)
{
    if (!list || list == before)
        return;
    g_auto(GStrv) paths = g_strsplit(list, ",", -1);
    for (char **path = paths; *path; path++)
        g_hash_table_add(set, g_strdup(*path));
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(a, b);
}

/* " bus: header, rate; nic: command_gap" */
static void append_by_component(GString *text, GHashTable *set)
{
    GList *paths = g_list_sort(g_hash_table_get_keys(set), compare_paths);
    g_autofree char *before = NULL;
    for (const GList *path = paths; path; path = path->next) {
        g_auto(GStrv) names = g_strsplit(path->data, ".", 2);
        bool is_same = names[1] && g_strcmp0(names[0], before) == 0;
        if (is_same)
            g_string_append_printf(text, ", %s", names[1]);
        else
            g_string_append_printf(text, "%s %s%s%s", before ? ";" : "", names[0],
                                   names[1] ? ": " : "", names[1] ? names[1] : "");
        g_free(before);
        before = g_strdup(names[0]);
    }
    g_list_free(paths);
}

char *defaults_text(struct row *const *rows, size_t count)
{
    g_autoptr(GHashTable) defaults = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < count; i++) {
        add_paths(defaults, rows[i]->read_defaults, i ? rows[i - 1]->read_defaults : NULL);
        add_paths(given, rows[i]->read_given, i ? rows[i - 1]->read_given : NULL);
    }
    guint number = g_hash_table_size(defaults), all = number + g_hash_table_size(given);
    if (2 * number <= all)
        return NULL;
    GString *text = g_string_new(NULL);
    g_string_printf(
        text,
        "Of the %u values of the machine that this run reads, %u are defaults without a "
        "source:",
        all, number);
    append_by_component(text, defaults);
    g_string_append(text, ". \"gpunetsim params\" lists all.");
    return g_string_free(text, FALSE);
}
