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

static char *module_path(const char *name, GError **error)
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
    g_autofree char *path = module_path(module, error);
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

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Folders of this name hold parts that scenarios share. */
#define PARTS_FOLDER "parts"

/* The files of configs/ that describe no machine. */
static const char *const no_machines[] = {"designs.lua", "runtimes.lua", "power.lua", "nccl.lua",
                                          NULL};

/* Collects all Lua files of a folder and of its subfolders. */
static void collect(const char *folder, GPtrArray *paths)
{
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    const char *name;
    while (entries && (name = g_dir_read_name(entries))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            if (strcmp(name, PARTS_FOLDER) != 0)
                collect(path, paths);
        } else if (g_str_has_suffix(name, ".lua") && !g_strv_contains(no_machines, name))
            g_ptr_array_add(paths, g_steal_pointer(&path));
    }
}

static GPtrArray *files_in(const char *name, GError **error)
{
    g_autofree char *folder = home_path(name, error);
    if (!folder)
        return NULL;
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    collect(folder, paths);
    g_ptr_array_sort(paths, compare_names);
    return paths;
}

GPtrArray *home_scenarios(GError **error)
{
    return files_in("scenarios", error);
}

/* The names of files: gcn3_node for "configs/gcn3_node.lua". */
static GPtrArray *names_of(const GPtrArray *paths)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < paths->len; i++) {
        char *name = g_path_get_basename(g_ptr_array_index(paths, i));
        name[strlen(name) - strlen(".lua")] = '\0';
        g_ptr_array_add(names, name);
    }
    return names;
}

GPtrArray *home_machine_names(GError **error)
{
    g_autoptr(GPtrArray) paths = files_in("configs", error);
    return paths ? names_of(paths) : NULL;
}

/* Whether `given` names the file: gcn3_node, or summit/allreduce with the file's folder. */
static bool is_named(const char *path, const char *given)
{
    g_autofree char *end = g_strdup_printf("/%s.lua", given);
    return g_str_has_suffix(path, end);
}

/* The rest of a sentence about an unknown name: the names that contain it, or else the nearest name. */
static char *nearest_of(const char *given, const GPtrArray *names)
{
    GString *rest = g_string_new(NULL);
    for (guint i = 0; i < names->len; i++)
        if (*given && strstr(g_ptr_array_index(names, i), given))
            g_string_append_printf(rest, "%s \"%s\"", rest->len > 0 ? "," : "; did you mean",
                                   (char *)g_ptr_array_index(names, i));
    const char *nearest = param_nearest(given, (const char *const *)names->pdata, names->len);
    if (rest->len == 0 && nearest)
        g_string_append_printf(rest, "; did you mean \"%s\"", nearest);
    g_string_append(rest, rest->len > 0 ? "?" : "; \"gpunetsim list\" tells their names");
    return g_string_free(rest, FALSE);
}

static char *unknown(const char *given, enum home_kind kinds, const GPtrArray *paths,
                     GError **error)
{
    static const char *const whats[] = {
        [HOME_STUDY] = "study", [HOME_MACHINE] = "machine", [HOME_EITHER] = "study or machine"};
    g_autoptr(GPtrArray) names = names_of(paths);
    g_autofree char *rest =
        kinds == HOME_MACHINE
            ? param_suggestion(given, (const char *const *)names->pdata, names->len)
            : nearest_of(given, names);
    error_set(error, "there is no %s \"%s\", nor a file of that name%s", whats[kinds], given, rest);
    return NULL;
}

static char *find_named(const char *given, enum home_kind kinds, GError **error)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    static const struct {
        enum home_kind kind;
        const char *folder;
        bool may_lack;
    } places[] = {{HOME_STUDY, "scenarios", false},
                  {HOME_MACHINE, "configs", false},
                  {HOME_STUDY, "benchmarks", true}};
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        if (!(kinds & places[i].kind))
            continue;
        g_autofree char *folder = home_path(places[i].folder, places[i].may_lack ? NULL : error);
        if (folder)
            collect(folder, paths);
        else if (!places[i].may_lack)
            return NULL;
    }
    g_ptr_array_sort(paths, compare_names);
    const char *found = NULL;
    for (guint i = 0; i < paths->len; i++) {
        const char *path = g_ptr_array_index(paths, i);
        if (is_named(path, given) && found) {
            error_set(error, "\"%s\" may be %s or %s; give the path of the one that is meant",
                      given, found, path);
            return NULL;
        }
        if (is_named(path, given))
            found = path;
    }
    return found ? g_strdup(found) : unknown(given, kinds, paths, error);
}

char *home_file(const char *path_or_name, enum home_kind kinds, GError **error)
{
    if (g_file_test(path_or_name, G_FILE_TEST_EXISTS) &&
        !g_file_test(path_or_name, G_FILE_TEST_IS_DIR))
        return g_strdup(path_or_name);
    g_autofree char *own = g_path_is_absolute(path_or_name) ? NULL : home_path(path_or_name, NULL);
    if (own && !g_file_test(own, G_FILE_TEST_IS_DIR))
        return g_steal_pointer(&own);
    if (strchr(path_or_name, '.') || g_path_is_absolute(path_or_name) || !*path_or_name)
        return g_strdup(path_or_name);
    return find_named(path_or_name, kinds, error);
}
