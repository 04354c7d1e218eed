/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program's own files are: configs, scenarios, plots, views, claims. */
#pragma once

#include <glib.h>

/* The folder that holds them: that of the environment's GPUNETSIM_ROOT; or, above the program, share/gpunetsim of an
 * installation or the project's own folder; or where it was to be installed. It is looked for at run time, because a path
 * fixed at build time is wrong as soon as the folder is moved. NULL if there is none. The caller frees it with g_free. */
char *home_folder(void);

/* The path of a file or folder there ("configs/gcn3_node.lua"), for the caller to free with g_free. NULL and an
 * error if it is not there. */
char *home_path(const char *name, GError **error);

/* A symbol of a module of the program ("gpunetsim-simgrid.so"), which stays loaded. Its file is beside or above the program, or above the
 * environment's GPUNETSIM_ROOT, there or in an installation's folder of libraries; else where it was to be installed. NULL and an error if
 * it is not there, or cannot be loaded. `library` is what it is linked with, for the error: "SimGrid". */
void *home_module_symbol(const char *module, const char *library, const char *symbol,
                         GError **error);

/* The names of the machine files in configs/ there, in order. The caller unrefs the array, which owns them. NULL and an
 * error if there is no such folder. */
GPtrArray *home_machine_names(GError **error);

/* The studies in scenarios/ there, as paths of files, sorted. The caller unrefs the array, which owns them. NULL and an
 * error if there is no such folder. */
GPtrArray *home_scenarios(GError **error);

/* What a name can mean: a study of scenarios/ or benchmarks/, a machine of configs/, or either. */
enum home_kind { HOME_STUDY = 1, HOME_MACHINE = 2, HOME_EITHER = HOME_STUDY | HOME_MACHINE };

/* The file that a user means who gives a path, from here or from the folder there ("scenarios/summit/allreduce.lua"), or a
 * name ("gcn3_node", "summit/allreduce"). The caller frees it with g_free. NULL and an error for a name that none or
 * several have; whether a path leads to a file is for its reader to say. */
char *home_file(const char *path_or_name, enum home_kind kinds, GError **error);
