/* SPDX-License-Identifier: BSD-3-Clause */
/* The versions of this program and of what it uses. */
#pragma once

/* "0.1.0 (git 1a2b3c4)" */
const char *version_text(void);

/* Names of parts, each followed by its version, for g_strfreev: gpunetsim, SimGrid, Lua, GLib, gnuplot ("not found" if there is
 * none), compiler. */
char **version_parts(void);

/* The version that results depend on: git's version and a digest of the workloads in Lua; if the program was built from files that
 * are not in git, also of the program and its module. It stays the program's. */
char *version_key(void);
