/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/machine/folders.h"

#include <stdbool.h>
#include <string.h>

#include "core/home.h"

static bool holds_configs(const char *folder)
{
    g_autofree char *configs = g_build_filename(folder, "configs", NULL);
    return g_file_test(configs, G_FILE_TEST_IS_DIR);
}

/* The nearest folder that holds configs/, from `folder` (absolute) upwards. NULL if none does. */
static char *root_above(const char *folder)
{
    g_autofree char *candidate = g_strdup(folder);
    while (!holds_configs(candidate)) {
        char *parent = g_path_get_dirname(candidate);
        bool is_top = strcmp(parent, candidate) == 0;
        g_free(candidate);
        candidate = parent;
        if (is_top)
            return NULL;
    }
    return g_steal_pointer(&candidate);
}

static void add_folder(GPtrArray *folders, char *folder)
{
    bool is_new = folder && !g_ptr_array_find_with_equal_func(folders, folder, g_str_equal, NULL);
    if (is_new)
        g_ptr_array_add(folders, folder);
    else
        g_free(folder);
}

void folders_find(GPtrArray *folders, const char *path)
{
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    char *folder = g_path_get_dirname(absolute);
    g_autofree char *top = root_above(folder);
    while (top && strcmp(folder, top) != 0) {
        char *parent = g_path_get_dirname(folder);
        add_folder(folders, folder);
        folder = parent;
    }
    add_folder(folders, folder);
    add_folder(folders, home_folder());
}
