/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/store/image.h"

#include <sqlite3.h>

#include "core/error.h"

GBytes *sqlite_image(const char *sql, GError **error)
{
    sqlite3 *sqlite = NULL;
    sqlite3_int64 length = 0;
    unsigned char *image = NULL;
    if (sqlite3_open(":memory:", &sqlite) == SQLITE_OK &&
        sqlite3_exec(sqlite, sql, NULL, NULL, NULL) == SQLITE_OK)
        image = sqlite3_serialize(sqlite, "main", &length, 0);
    if (!image)
        error_set_code(error, ERROR_RUN, "no SQLite file: %s", sqlite3_errmsg(sqlite));
    sqlite3_close(sqlite);
    return image ? g_bytes_new_with_free_func(image, (gsize)length, sqlite3_free, image) : NULL;
}
