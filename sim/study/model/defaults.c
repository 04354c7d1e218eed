/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/defaults.h"

#include <string.h>

static void append(GString *list, const char *path)
{
    g_string_append_printf(list, "%s%s", list->len ? "," : "", path);
}

bool defaults_is_read(const struct provenance *origin, const struct param_use *uses)
{
    uint64_t kinds = param_use_bits(uses, &node_kind_params);
    size_t kind = origin->section.kind;
    if (kind > 0 && (kinds >> kind & 1) == 0)
        return false;
    return origin->section.table == &node_kind_params ||
           param_is_used(uses, origin->section.table, origin->index);
}

void defaults_note(const struct machine *machine, const struct param_use *uses, struct row *row)
{
    GString *defaults = g_string_new(NULL), *given = g_string_new(NULL);
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *origin = g_ptr_array_index(machine->provenance, i);
        if (defaults_is_read(origin, uses))
            append(origin->kind == SOURCE_DEFAULT ? defaults : given, origin->path);
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
static void append_names(GString *text, const GList *paths)
{
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
}

static size_t component_length(const char *path)
{
    return strcspn(path, ".");
}

/* " bus 2, nic 1" */
static void append_counts(GString *text, const GList *paths)
{
    while (paths) {
        const char *first = paths->data;
        size_t length = component_length(first);
        unsigned count = 0;
        for (; paths && component_length(paths->data) == length &&
               strncmp(paths->data, first, length) == 0;
             paths = paths->next)
            count++;
        g_string_append_printf(text, " %.*s %u%s", (int)length, first, count, paths ? "," : "");
    }
}

char *defaults_text(struct row *const *rows, size_t count, bool are_named)
{
    g_autoptr(GHashTable) defaults = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < count; i++) {
        add_paths(defaults, rows[i]->read_defaults, i ? rows[i - 1]->read_defaults : NULL);
        add_paths(given, rows[i]->read_given, i ? rows[i - 1]->read_given : NULL);
    }
    guint number = g_hash_table_size(defaults), all = number + g_hash_table_size(given);
    if (number == 0 || (2 * number <= all && !are_named))
        return NULL;
    g_autoptr(GList) paths = g_list_sort(g_hash_table_get_keys(defaults), compare_paths);
    GString *text = g_string_new(NULL);
    g_string_printf(text,
                    "%u of the %u machine values that this run reads are defaults without a "
                    "source:",
                    number, all);
    (are_named ? append_names : append_counts)(text, paths);
    g_string_append(
        text,
        are_named ? "." : " (--defaults names them, gpunetsim sensitivity tells which matter).");
    return g_string_free(text, FALSE);
}
