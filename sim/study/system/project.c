/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenarios that come with the program. */
#include "study/system/project.h"

#include <string.h>

#include "core/home.h"

/* Folders of this name hold what scenarios share. */
#define PARTS_FOLDER "parts"

static gint compare_paths(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void collect(const char *folder, GPtrArray *paths)
{
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    const char *name;
    while (entries && (name = g_dir_read_name(entries))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            if (strcmp(name, PARTS_FOLDER) != 0)
                collect(path, paths);
        } else if (g_str_has_suffix(name, ".lua"))
            g_ptr_array_add(paths, g_steal_pointer(&path));
    }
}

GPtrArray *project_scenarios(GError **error)
{
    g_autofree char *folder = home_path("scenarios", error);
    if (!folder)
        return NULL;
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    collect(folder, paths);
    g_ptr_array_sort(paths, compare_paths);
    return paths;
}
