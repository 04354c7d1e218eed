/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions. The build passes its values as GPUNETSIM_..._VERSION and in a header with the git id, which cmake/version.cmake makes
 * anew for each build. */
#include "study/table/version.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

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

char *version_key(void)
{
    bool is_known = !strstr(GPUNETSIM_GIT_ID, "-dirty") && !strstr(GPUNETSIM_GIT_ID, "unknown");
    g_autofree char *program = NULL;
    gsize length;
    if (is_known || !g_file_get_contents("/proc/self/exe", &program, &length, NULL))
        return g_strdup(GPUNETSIM_GIT_ID);
    g_autofree char *digest =
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)program, length);
    return g_strdup_printf("%s, program %.16s", GPUNETSIM_GIT_ID, digest);
}
