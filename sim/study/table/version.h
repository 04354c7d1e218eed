/* SPDX-License-Identifier: BSD-3-Clause */
/* What this program and its surroundings are. */
#pragma once

#include "study/table/table.h"

/* "0.1.0 (git 1a2b3c4)" */
const char *version_text(void);

/* Columns `part` and `version`: gpunetsim, SimGrid, Lua, GLib, gnuplot ("not found" if there is
 * none), compiler. */
struct table *version_table(void);

/* What results depend on: the version as git has it; of a program that was built from files which
 * git does not have, a digest of the program itself too. The caller frees it with g_free. */
char *version_key(void);
