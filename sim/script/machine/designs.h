/* SPDX-License-Identifier: BSD-3-Clause */
/* The named designs of the project, from its file configs/designs.lua: a table { ["comp-net"] = design { ... },
 * ... }, each with a description and a source. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Reads the message libraries and MPIs of runtimes.lua in the same folder, if there is one (script/machine/software_lua.h), and
 * then the file at `path`, and makes the designs that it returns the named designs of this program (protocols/design.h). False
 * and an error (ERROR_DOMAIN) if it is bad; then nothing changes. */
bool designs_load(const char *path, GError **error);
