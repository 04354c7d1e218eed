/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions. The build passes its values as GPUNETSIM_..._VERSION and in a header with the git id, which cmake/version.cmake makes
 * anew for each build. */
#include "study/table/version.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "core/home.h"

#ifdef GPUNETSIM_GIT_HEADER
#include GPUNETSIM_GIT_HEADER
#endif
#ifndef GPUNETSIM_GIT_ID
#define GPUNETSIM_GIT_ID "unknown"
#endif
#ifndef GPUNETSIM_SIMGRID_VERSION
#define GPUNETSIM_SIMGRID_VERSION "unknown"
#endif
#ifndef GPUNETSIM_LUA_VERSION
#define GPUNETSIM_LUA_VERSION "unknown"
#endif

/* "gnuplot 5.4 patchlevel 4" without its first word. */
static char *gnuplot_version(void)
{
    char *arguments[] = {"gnuplot", "--version", NULL};
    g_autofree char *words = NULL;
    if (!g_spawn_sync(NULL, arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                      NULL, &words, NULL, NULL, NULL))
        return g_strdup("not found");
    const char *space = strchr(g_strstrip(words), ' ');
    return g_strdup(space ? space + 1 : words);
}

const char *version_text(void)
{
    return GPUNETSIM_GIT_ID;
}

char **version_parts(void)
{
    g_autofree char *gnuplot = gnuplot_version();
    g_autofree char *glib =
        g_strdup_printf("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
#ifdef __clang__
    const char *compiler = "clang " __clang_version__;
#else
    const char *compiler = "gcc " __VERSION__;
#endif
    const char *const parts[] = {"gpunetsim", GPUNETSIM_GIT_ID,
                                 "SimGrid",   GPUNETSIM_SIMGRID_VERSION,
                                 "Lua",       GPUNETSIM_LUA_VERSION,
                                 "GLib",      glib,
                                 "gnuplot",   gnuplot,
                                 "compiler",  compiler,
                                 NULL};
    return g_strdupv((char **)(gsize)parts);
}

/* Adds the linker's id of a file, which differs where any of its code does; the whole file if the linker wrote none. */
static void add_linked(GChecksum *sum, const char *path)
{
    enum { HEADERS_BYTES = 4096, ID_BYTES = 20 };
    static const char note[] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU"; /* what precedes the id */
    g_autoptr(GMappedFile) file = path ? g_mapped_file_new(path, FALSE, NULL) : NULL;
    if (!file)
        return;
    const char *bytes = g_mapped_file_get_contents(file);
    size_t length = g_mapped_file_get_length(file);
    const char *found = memmem(bytes, MIN(length, HEADERS_BYTES), note, sizeof(note));
    const guchar *part = (const guchar *)(found ? found + sizeof(note) : bytes);
    g_checksum_update(sum, part, found ? ID_BYTES : (gssize)length);
}

static int by_name(gconstpointer one, gconstpointer other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* Adds the names and texts of a folder's files of Lua, by name. */
static void add_folder(GChecksum *sum, const char *folder)
{
    g_autofree char *path = home_path(folder, NULL);
    g_autoptr(GDir) dir = path ? g_dir_open(path, 0, NULL) : NULL; /* not every project has it */
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (g_str_has_suffix(name, ".lua"))
            g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, by_name);
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *file = g_build_filename(path, names->pdata[i], NULL);
        g_autofree char *text = NULL;
        gsize length = 0;
        if (g_file_get_contents(file, &text, &length, NULL))
            g_checksum_update(sum, (const guchar *)text, (gssize)length);
        g_checksum_update(sum, names->pdata[i], (gssize)strlen(names->pdata[i]) + 1);
    }
}

static char *make_key(void)
{
    bool is_known = !strstr(GPUNETSIM_GIT_ID, "-dirty") && !strstr(GPUNETSIM_GIT_ID, "unknown");
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_MD5);
    add_folder(sum, "benchmarks/parts");
    add_folder(sum, "benchmarks/parts/workloads");
    if (!is_known) {
        g_autofree char *simgrid = home_module("gpunetsim-simgrid.so", NULL);
        add_linked(sum, "/proc/self/exe");
        add_linked(sum, simgrid);
    }
    return g_strdup_printf("%s, %s %.16s", GPUNETSIM_GIT_ID, is_known ? "workloads" : "program",
                           g_checksum_get_string(sum));
}

char *version_key(void)
{
    static char *key;
    key = key ? key : make_key();
    return key;
}
