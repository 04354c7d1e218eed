/* SPDX-License-Identifier: BSD-3-Clause */
/* What a damaged store still has. */
#pragma once

#include <glib.h>
#include <sqlite3.h>
#include <stdint.h>

/* A database of its own with the rows that stand on whole pages of the file at `path` and of the
 * -wal file beside it, under their row numbers. Nothing else in the file has to be right: neither
 * its header, nor its length, nor the pages that lead to these rows. Whether a row's content is
 * what was once written is for the reader to check. `lost` gets the number of rows that were seen
 * and could not be read. The caller closes it; NULL and an error if the file cannot be read or if
 * interrupted. */
sqlite3 *salvage_open(const char *path, uint64_t *lost, GError **error);
