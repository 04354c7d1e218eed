/* SPDX-License-Identifier: BSD-3-Clause */
/* The named designs of the project, from its file configs/designs.lua: a table { ["comp-net"] = design { ... },
 * ... }, each with a description and a source. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Reads the message libraries and MPIs of runtimes.lua in the same folder, if there is one (script/machine/software_lua.h), and then
 * the file at `path`, and makes what it returns the named designs of this program (protocols/design.h).
 * False and an error (ERROR_DOMAIN) if it is not good; then nothing changes. */
bool designs_load(const char *path, GError **error);

/* The same with the file of the project that the file or folder at `path` belongs to (script_project_root).
 * No designs and no error if it has no such file. */
bool designs_load_project(const char *path, GError **error);
