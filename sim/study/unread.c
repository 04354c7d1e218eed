#include "study/unread.h"

#include <glib.h>

/* Adds the paths of a list to a set: path -> how often. */
static void count_paths(GHashTable *set, const char *list)
{
    g_auto(GStrv) paths = list ? g_strsplit(list, ",", -1) : NULL;
    for (char **path = paths; path && *path; path++) {
        guint times = GPOINTER_TO_UINT(g_hash_table_lookup(set, *path));
        g_hash_table_replace(set, g_strdup(*path), GUINT_TO_POINTER(times + 1));
    }
}

static GHashTable *new_set(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
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

void unread_judge(struct row *const *rows, size_t count)
{
    g_autoptr(GHashTable) read = new_set();
    for (size_t i = 0; i < count; i++) {
        if (!rows[i])
            return;
        count_paths(read, rows[i]->read);
    }
    for (size_t i = 0; i < count; i++) {
        g_autofree char *path = rows[i]->failure ? NULL : first_unread(rows[i], read);
        if (path)
            row_fail(rows[i], unread_sentence(path));
    }
}

static gint compare_paths(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(a, b);
}

char *unread_note_text(struct row *const *rows, size_t count)
{
    g_autoptr(GHashTable) read = new_set(), unread = new_set();
    for (size_t i = 0; i < count; i++) {
        if (rows[i]->failure)
            continue;
        count_paths(read, rows[i]->read);
        count_paths(unread, rows[i]->unread);
    }
    GString *text = g_string_new(NULL);
    GList *paths = g_list_sort(g_hash_table_get_keys(unread), compare_paths);
    for (const GList *path = paths; path; path = path->next)
        if (g_hash_table_contains(read, path->data))
            g_string_append_printf(text, "%s%s (%u of %zu)", text->len ? ", " : "",
                                   (const char *)path->data,
                                   GPOINTER_TO_UINT(g_hash_table_lookup(unread, path->data)), count);
    g_list_free(paths);
    if (text->len == 0)
        return g_string_free(text, TRUE);
    g_string_prepend(text, "set also at points where nothing reads it: ");
    return g_string_free(text, FALSE);
}
