/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/home.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "core/error.h"
#include "core/param.h"

static bool holds_all(const char *folder)
{
    static const char *const own[] = {"configs", "scenarios", "plots", "claims"};
    bool holds = true;
    for (size_t i = 0; i < G_N_ELEMENTS(own) && holds; i++) {
        g_autofree char *path = g_build_filename(folder, own[i], NULL);
        holds = g_file_test(path, G_FILE_TEST_IS_DIR);
    }
    return holds;
}

/* The file that this code was loaded from: the program, or a shared library in somebody else's. */
static char *own_file(void)
{
    Dl_info info;
    if (dladdr(&holds_all, &info) && info.dli_fname && strchr(info.dli_fname, '/')) {
        g_autofree char *absolute = g_canonicalize_filename(info.dli_fname, NULL);
        if (strstr(absolute, ".so"))
            return g_steal_pointer(&absolute);
    }
    return g_file_read_link("/proc/self/exe", NULL);
}

static char *look_above(const char *file)
{
    g_autofree char *folder = g_path_get_dirname(file);
    for (;;) {
        g_autofree char *shared = g_build_filename(folder, "share", "gpunetsim", NULL);
        if (holds_all(shared))
            return g_steal_pointer(&shared);
        if (holds_all(folder))
            return g_steal_pointer(&folder);
        char *parent = g_path_get_dirname(folder);
        bool is_top = strcmp(parent, folder) == 0;
        g_free(folder);
        folder = parent;
        if (is_top)
            return NULL;
    }
}

char *home_folder(void)
{
    const char *given = g_getenv("GPUNETSIM_ROOT");
    if (given && *given)
        return g_canonicalize_filename(given, NULL);
    g_autofree char *file = own_file();
    char *found = file ? look_above(file) : NULL;
    if (!found && holds_all(GPUNETSIM_DATA_FOLDER))
        found = g_strdup(GPUNETSIM_DATA_FOLDER);
    return found;
}

char *home_path(const char *name, GError **error)
{
    g_autofree char *folder = home_folder();
    g_autofree char *path = folder ? g_build_filename(folder, name, NULL) : NULL;
    if (path && g_file_test(path, G_FILE_TEST_EXISTS))
        return g_steal_pointer(&path);
    error_set(
        error,
        "%s is not found %s%s; GPUNETSIM_ROOT names the folder that holds configs, scenarios, plots and claims",
        name, folder ? "in " : "in the folders above the program", folder ? folder : "");
    return NULL;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *home_machine_names(GError **error)
{
    static const char *const no_machines[] = {"designs.lua", "runtimes.lua", NULL};
    g_autofree char *folder = home_path("configs", error);
    g_autoptr(GDir) files = folder ? g_dir_open(folder, 0, error) : NULL;
    if (!files)
        return NULL;
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *file;
    while ((file = g_dir_read_name(files)) != NULL)
        if (g_str_has_suffix(file, ".lua") && !g_strv_contains(no_machines, file))
            g_ptr_array_add(names, g_strndup(file, strlen(file) - strlen(".lua")));
    g_ptr_array_sort(names, compare_names);
    return names;
}

char *home_machine_path(const char *path_or_name, GError **error)
{
    if (g_file_test(path_or_name, G_FILE_TEST_EXISTS) || strpbrk(path_or_name, "/."))
        return g_strdup(path_or_name);
    g_autoptr(GPtrArray) names = home_machine_names(error);
    if (!names)
        return NULL;
    if (g_ptr_array_find_with_equal_func(names, path_or_name, g_str_equal, NULL)) {
        g_autofree char *file = g_strdup_printf("configs/%s.lua", path_or_name);
        return home_path(file, error);
    }
    g_autofree char *rest =
        param_suggestion(path_or_name, (const char *const *)names->pdata, names->len);
    error_set(error, "there is no machine \"%s\", nor a file of that name%s", path_or_name, rest);
    return NULL;
}
