/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as an SQLite file of one table, for other programs. The store (store.h) is something
 * else. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/table/output.h"
#include "study/table/table.h"

/* Writes the table `results` into a new file `path`; what was there is replaced once it is whole.
 * False and one sentence (ERROR_RUN). */
bool sqlite_export(const struct table *table, const char *path, const struct output_rules *rules,
                   GError **error);
