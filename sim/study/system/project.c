/* Finding the project's folder. It is looked for at run time, because a path fixed at build time is
 * wrong as soon as the folder is moved or copied. */
#include "study/system/project.h"

#include <string.h>

#include "core/error.h"

/* The folder above `folder`, which is freed; NULL above the root. */
static char *parent_of(char *folder)
{
    char *parent = g_path_get_dirname(folder);
    if (strcmp(parent, folder) == 0)
        g_clear_pointer(&parent, g_free);
    g_free(folder);
    return parent;
}

static char *look_above_program(const char *name)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    char *folder = program ? g_path_get_dirname(program) : NULL;
    while (folder) {
        char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS)) {
            g_free(folder);
            return path;
        }
        g_free(path);
        folder = parent_of(folder);
    }
    return NULL;
}

char *project_path(const char *name, GError **error)
{
    const char *root = g_getenv("GPUNETSIM_ROOT");
    char *path = root ? g_build_filename(root, name, NULL) : look_above_program(name);
    if (path && g_file_test(path, G_FILE_TEST_EXISTS))
        return path;
    error_set(error, "%s is not found %s%s; GPUNETSIM_ROOT names the project's folder", name,
                root ? "in " : "in the folders above the program", root ? root : "");
    g_free(path);
    return NULL;
}

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
    g_autofree char *folder = project_path("scenarios", error);
    if (!folder)
        return NULL;
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    collect(folder, paths);
    g_ptr_array_sort(paths, compare_paths);
    return paths;
}
