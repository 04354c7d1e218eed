/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program's own files are: configs, scenarios, plots, views, claims. */
#pragma once

#include <glib.h>

/* The folder that holds these files: the one that the environment variable GPUNETSIM_ROOT names; or, above the program,
 * share/gpunetsim of an installation or the project's own folder; or the folder of the installation that the build was
 * configured for. It is looked for at run time, because a path fixed at build time is wrong as soon as the folder is moved.
 * NULL if there is none. The caller frees it with g_free. */
char *home_folder(void);

/* The path of a file or folder in home_folder ("configs/gcn3_node.lua"), to be freed with g_free. NULL and an error if it is
 * missing. */
char *home_path(const char *name, GError **error);

/* The file of a module of the program ("gpunetsim-simgrid.so"), to be freed with g_free. It is looked for beside and above the
 * program, then above GPUNETSIM_ROOT, each time also in an installation's folder of libraries; then in the folder of the
 * installation that the build was configured for. NULL and an error if there is none. */
char *home_module(const char *name, GError **error);

/* A symbol of such a module, which stays loaded. NULL and an error if the module does not exist or cannot be loaded. `library` is
 * the library that it is linked with, for the error: "SimGrid". */
void *home_module_symbol(const char *module, const char *library, const char *symbol,
                         GError **error);
