/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of texts between tabs whose first line names the columns: what claims/ holds. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

struct claims_row {
    size_t line; /* in the file, from 1 */
    char **fields;
};

/* The rows of a file whose first line is `header`, in its order; empty lines are none. A GPtrArray of
 * struct claims_row, each with as many fields as the header, which frees them. NULL and one sentence
 * (ERROR_USE): with the path if it cannot be read, else with file:line. */
GPtrArray *claims_tsv_read(const char *path, const char *header, GError **error);

/* Sets "path:line: sentence" (ERROR_USE) and returns false. */
bool claims_tsv_fail(GError **error, const char *path, size_t line, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
