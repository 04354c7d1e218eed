/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/settings.h"

#include <string.h>

#include "core/error.h"
#include "script/views/views.h"
#include "study/model/unread.h"

/* The one text that a function of views/settings.lua returns; NULL: none. */
static char *text_of(const char *function, GVariant *arguments)
{
    g_auto(GStrv) texts = views_texts("settings", function, arguments, NULL);
    return texts && texts[0] ? g_strdup(texts[0]) : NULL;
}

static const char *list_of(const char *list)
{
    return list ? list : "";
}

/* A sentence on a point such as "nic.fetch_depth was set, but no queue of this run is fetched.". The caller frees it with g_free. */
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

/* The row's first path that no row has read; NULL if there is none. */
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
