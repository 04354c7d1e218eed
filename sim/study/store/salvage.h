/* SPDX-License-Identifier: BSD-3-Clause */
/* Recovers rows from a damaged store. */
#pragma once

#include <glib.h>
#include <sqlite3.h>
#include <stdint.h>

/* Makes a new database with the rows, under their row numbers, that stand on intact pages of the file at `path` and of the -wal
 * file beside it. Nothing else in the file has to be intact: not its header, its length, or the pages that lead to these rows.
 * The caller has to check whether a row's content is what was once written. `lost` gets the number of rows that were seen and
 * could not be read. The caller closes it; NULL and an error if the file cannot be read or if interrupted. */
sqlite3 *salvage_open(const char *path, uint64_t *lost, GError **error);
