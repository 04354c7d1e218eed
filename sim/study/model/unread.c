/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/unread.h"

#include <string.h>

#include "core/error.h"
#include "protocols/design.h"
#include "study/model/defaults.h"
#include "study/model/machine.h"

void unread_add(char **list, const char *path)
{
    if (!path)
        return;
    char *longer = *list ? g_strconcat(*list, ",", path, NULL) : g_strdup(path);
    g_free(*list);
    *list = longer;
}

void unread_note(const struct machine *machine, const struct param_use *uses, bool of_all,
                 struct row *row)
{
    if (uses->count == 0)
        return;
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *origin = g_ptr_array_index(machine->provenance, i);
        bool is_read = defaults_is_read(origin, uses);
        if (origin->is_set || of_all)
            unread_add(is_read ? &row->read : &row->unread, origin->path);
    }
}

void unread_note_design(const struct design *design, struct row *row)
{
    char value[PARAM_TEXT_SIZE];
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        g_autofree char *path =
            g_strconcat("design.", axis->name, "=", param_format(axis, design, value), NULL);
        unread_add(&row->read, path);
    }
}

/* Why a parameter, or one of a component's, may be without a reader; the first that fits. */
static const struct {
    const char *start, *reason;
} reasons[] = {
    {"kinds.", "no node of that kind takes part in this run, or nothing there reads it"},
    {"nic.fetch_depth", "no queue of this run is fetched"},
    {"nic.", "nothing of this run goes by a NIC"},
    {"host.", "nothing of this run loads or stores through a CPU's caches and memory line by line"},
    {"gpu.", "no kernel of this run is simulated on a GPU's compute units and memory"},
    {"cp.", "no command processor serves in this run"},
    {"smart_nic.", "no SmartNIC serves in this run"},
    {"bus.", "nothing of this run crosses PCIe"},
    {"nvlink.", "nothing of this run crosses an NVLink"},
    {"socket_link.", "nothing of this run crosses from one socket to another"},
    {"network.radix", "this run's network is no fat tree or dragonfly, or nothing crosses it"},
    {"network.uplinks", "this run's network is no fat tree or dragonfly, or nothing crosses it"},
    {"network.pod_uplinks",
     "this run's network is no fat tree of three levels, or nothing crosses it"},
    {"network.pod", "this run's network is no fat tree or dragonfly, or nothing crosses it"},
    {"network.routing", "this run's network has one path, or nothing crosses it"},
    {"network.cables", "this run's network is not drawn, or nothing crosses it"},
    {"network.", "nothing of this run crosses the network"},
    {"transport.", "this run's transport is of another kind"},
    {"host_copy.", "no core of this run copies or allocates what it is for"},
    {"cuda.kernel", "no rank of this run launches a kernel"},
    {"cuda.", "nothing of this run makes that call of CUDA"},
    {"software.library_instructions", "no put or get is issued in this run"},
    {"software.runtime_call", "no queue of this run is polled by calls of the GPU's runtime"},
    {"software.", "no queue of a work-group is served in this run"},
};

/* Whether a list of paths has one that begins so. */
static bool has_start(const char *list, const char *start)
{
    g_autofree char *behind = g_strconcat(",", start, NULL);
    return list != NULL && (g_str_has_prefix(list, start) || strstr(list, behind) != NULL);
}

/* One of a whole component holds only where none of its parameters is read, unless it is about each by itself. */
static bool holds(const char *start, const struct row *row)
{
    static const char *const apart[] = {"kinds.", "transport.", "host_copy.", "cuda.", NULL};
    return !g_str_has_suffix(start, ".") || g_strv_contains(apart, start) ||
           !(has_start(row->read_defaults, start) || has_start(row->read_given, start));
}

/* "nic.fetch_depth was set, but no queue of this run is fetched", of a point. The caller frees it with g_free. */
static char *sentence_of(const char *path, const struct row *row)
{
    for (size_t i = 0; i < G_N_ELEMENTS(reasons); i++)
        if (g_str_has_prefix(path, reasons[i].start) && holds(reasons[i].start, row))
            return g_strdup_printf("%s was set, but %s.", path, reasons[i].reason);
    return g_strdup_printf("%s was set, but nothing in this run reads it.", path);
}

bool unread_refuse(const struct machine *machine, const struct param_use *uses, GError **error)
{
    struct row row = {0};
    unread_note(machine, uses, false, &row);
    defaults_note(machine, uses, &row);
    g_autofree char *unread = row.unread;
    g_free(row.read);
    if (unread == NULL)
        return true;
    *strchrnul(unread, ',') = '\0';
    g_autofree char *sentence = sentence_of(unread, &row);
    return error_set(error, "%s", sentence);
}

/* --- a study ---------------------------------------------------------------------------------- */

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
            row_fail(rows[i], sentence_of(path, rows[i]));
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
            g_string_append_printf(
                text, "%s%s (%u of %zu)", text->len ? ", " : "", (const char *)path->data,
                GPOINTER_TO_UINT(g_hash_table_lookup(unread, path->data)), count);
    g_list_free(paths);
    if (text->len == 0)
        return g_string_free(text, TRUE);
    g_string_prepend(text, "set also at points where nothing reads it: ");
    return g_string_free(text, FALSE);
}
