/* SPDX-License-Identifier: BSD-3-Clause */
/* SQLite files for other programs, such as views/export.lua writes. They are unrelated to the store (store.h). */
#pragma once

#include <glib.h>

/* The content of the file of a database that the SQL makes; NULL and one sentence (ERROR_RUN) if it cannot be made. */
GBytes *sqlite_image(const char *sql, GError **error);
