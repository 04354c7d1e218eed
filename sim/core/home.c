/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/home.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "core/error.h"

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

static char *own_file(void)
{
    return g_file_read_link("/proc/self/exe", NULL);
}

/* What `find` returns for the folder of a file or the nearest one above it; of each the subfolder `inner` comes first. */
static char *look_above(const char *file, const char *inner,
                        char *(*find)(const char *folder, const char *name), const char *name)
{
    g_autofree char *folder = g_path_get_dirname(file);
    for (;;) {
        g_autofree char *lower = g_build_filename(folder, inner, NULL);
        char *found = find(lower, name);
        found = found ? found : find(folder, name);
        if (found)
            return found;
        char *parent = g_path_get_dirname(folder);
        bool is_top = strcmp(parent, folder) == 0;
        g_free(folder);
        folder = parent;
        if (is_top)
            return NULL;
    }
}

static char *find_home(const char *folder, const char *name)
{
    (void)name;
    return holds_all(folder) ? g_strdup(folder) : NULL;
}

static char *find_file(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    return g_file_test(path, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer(&path) : NULL;
}

char *home_module(const char *name, GError **error)
{
    g_autofree char *file = own_file();
    char *found = file ? look_above(file, GPUNETSIM_LIBRARIES, find_file, name) : NULL;
    const char *given = found ? NULL : g_getenv("GPUNETSIM_ROOT");
    if (given && *given)
        found = look_above(given, GPUNETSIM_LIBRARIES, find_file, name);
    if (!found)
        found = find_file(GPUNETSIM_LIBRARY_FOLDER, name);
    if (!found)
        error_set_code(error, ERROR_RUN, "the program's module %s is neither in %s nor above %s",
                       name, GPUNETSIM_LIBRARY_FOLDER, file ? file : "the program");
    return found;
}

void *home_module_symbol(const char *module, const char *library, const char *symbol,
                         GError **error)
{
    g_autofree char *path = home_module(module, error);
    void *loaded = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    void *found = loaded ? dlsym(loaded, symbol) : NULL;
    if (path && !found)
        error_set_code(error, ERROR_RUN, "%s cannot be loaded: %s", library, dlerror());
    return found;
}

char *home_folder(void)
{
    const char *given = g_getenv("GPUNETSIM_ROOT");
    if (given && *given)
        return g_canonicalize_filename(given, NULL);
    g_autofree char *file = own_file();
    char *found = file ? look_above(file, "share/gpunetsim", find_home, NULL) : NULL;
    return found ? found : find_home(GPUNETSIM_DATA_FOLDER, NULL);
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
