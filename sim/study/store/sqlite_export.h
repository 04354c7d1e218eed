/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes results as an SQLite file with one table, for other programs. It is unrelated to the store (store.h). */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/table/output.h"
#include "study/table/table.h"

/* Writes the table `results` into a new file `path`, which replaces an existing one once it is complete.
 * False and one sentence (ERROR_RUN). */
bool sqlite_export(const struct table *table, const char *path, const struct output_rules *rules,
                   GError **error);
