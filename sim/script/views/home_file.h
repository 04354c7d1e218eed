/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a user names. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The path of the study or machine that a user names: by a path from the current folder or from home_folder
 * ("scenarios/summit/allreduce.lua"), or by a name ("gcn3_node", "summit/allreduce": views/home.lua). The caller frees it with
 * g_free. NULL and an error for a name that no file or several files have. Whether a path leads to a file is not checked. */
char *home_file(const char *path_or_name, bool may_be_study, bool may_be_machine, GError **error);

/* The names of the machines of configs/, for g_strfreev; NULL if there is no such folder. */
char **home_machine_names(void);
