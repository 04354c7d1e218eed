/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/settings.h"

#include <string.h>

#include "core/error.h"
#include "script/views/views.h"
#include "study/model/unread.h"

/* The only text that a function of views/settings.lua returns; NULL: none. */
static char *text_of(const char *function, GVariant *arguments)
{
    g_auto(GStrv) texts = views_texts("settings", function, arguments, NULL);
    return texts && texts[0] ? g_strdup(texts[0]) : NULL;
}

static const char *list_of(const char *list)
{
    return list ? list : "";
}

/* "nic.fetch_depth was set, but no queue of this run is fetched.", of a point. The caller frees it with g_free. */
static char *sentence_of(const char *path, const struct row *row)
{
    return text_of("unread", g_variant_new("(sss)", path, list_of(row->read_defaults),
                                           list_of(row->read_given)));
}

bool settings_refuse(const struct machine *machine, const struct param_use *uses, GError **error)
{
    struct row row = {0};
    unread_note(machine, uses, false, &row);
    unread_note_defaults(machine, uses, &row);
    g_autofree char *unread = row.unread;
    g_free(row.read);
    if (unread == NULL)
        return true;
    *strchrnul(unread, ',') = '\0';
    g_autofree char *sentence = sentence_of(unread, &row);
    return error_set(error, "%s", sentence);
}

/* Adds the paths of a list to a set. */
static void add_paths(GHashTable *set, const char *list)
{
    g_auto(GStrv) paths = list ? g_strsplit(list, ",", -1) : NULL;
    for (char **path = paths; path && *path; path++)
        g_hash_table_add(set, g_strdup(*path));
}

/* The first path of the row's that nobody read; NULL if there is none. */
static char *first_unread(const struct row *row, GHashTable *read)
{
    g_auto(GStrv) paths = row->unread ? g_strsplit(row->unread, ",", -1) : NULL;
    for (char **path = paths; path && *path; path++)
        if (!g_hash_table_contains(read, *path))
            return g_strdup(*path);
    return NULL;
}

void settings_judge(struct row *const *rows, size_t count)
{
    g_autoptr(GHashTable) read = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!rows[i])
            return;
        add_paths(read, rows[i]->read);
    }
    for (size_t i = 0; i < count; i++) {
        g_autofree char *path = rows[i]->failure ? NULL : first_unread(rows[i], read);
        if (path)
            row_fail(rows[i], sentence_of(path, rows[i]));
    }
}

char *settings_unread_text(struct row *const *rows, size_t count)
{
    bool is_there = false;
    GVariantBuilder read, unread;
    g_variant_builder_init(&read, G_VARIANT_TYPE("as"));
    g_variant_builder_init(&unread, G_VARIANT_TYPE("as"));
    for (size_t i = 0; i < count; i++) {
        if (rows[i]->failure)
            continue;
        is_there = is_there || rows[i]->unread;
        g_variant_builder_add(&read, "s", list_of(rows[i]->read));
        g_variant_builder_add(&unread, "s", list_of(rows[i]->unread));
    }
    g_autoptr(GVariant) arguments =
        g_variant_ref_sink(g_variant_new("(asasx)", &read, &unread, (gint64)count));
    return is_there ? text_of("unread_at_some", arguments) : NULL;
}

char *settings_defaults_text(struct row *const *rows, size_t count, bool are_named)
{
    GVariantBuilder defaults, given;
    const char *before[] = {NULL, NULL};
    g_variant_builder_init(&defaults, G_VARIANT_TYPE("as"));
    g_variant_builder_init(&given, G_VARIANT_TYPE("as"));
    for (size_t i = 0; i < count; i++) { /* most rows have the lists of the row before */
        if (rows[i]->read_defaults && rows[i]->read_defaults != before[0])
            g_variant_builder_add(&defaults, "s", before[0] = rows[i]->read_defaults);
        if (rows[i]->read_given && rows[i]->read_given != before[1])
            g_variant_builder_add(&given, "s", before[1] = rows[i]->read_given);
    }
    return text_of("defaults", g_variant_new("(asasb)", &defaults, &given, are_named));
}
