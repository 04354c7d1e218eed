/* SPDX-License-Identifier: BSD-3-Clause */
/* views/salvage.lua reads the file's pages, and writes the rows as SQL. They go into a temporary database, which SQLite deletes by
 * itself however the process ends. */
#include "study/store/salvage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "script/views/views.h"
#include "study/store/store_private.h"
#include "study/system/interrupt.h"

static bool fail(const char *why, GError **error)
{
    return error_set_code(error, ERROR_RUN, "cannot keep what a damaged store has: %s", why);
}

/* Runs the SQL of a stream, one statement in each line. A row that its table refuses is lost. */
static bool take_rows(sqlite3 *rows, FILE *sql, uint64_t *lost, GError **error)
{
    char *line = NULL;
    size_t room = 0;
    bool goes_on = true;
    while (goes_on && getline(&line, &room, sql) > 0) {
        *lost += sqlite3_exec(rows, line, NULL, NULL, NULL) != SQLITE_OK;
        goes_on = !interrupt_pending(error);
    }
    free(line);
    return goes_on;
}

/* A database with the rows of the stream; NULL and an error on failure. */
static sqlite3 *database_of(FILE *sql, uint64_t *lost, GError **error)
{
    sqlite3 *rows = NULL;
    bool is_good = (sqlite3_open("", &rows) == SQLITE_OK && store_write_schema(rows) &&
                    sqlite3_exec(rows, "BEGIN", NULL, NULL, NULL) == SQLITE_OK) ||
                   fail(sqlite3_errmsg(rows), error);
    is_good = is_good && take_rows(rows, sql, lost, error) &&
              (sqlite3_exec(rows, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ||
               fail(sqlite3_errmsg(rows), error));
    if (!is_good)
        sqlite3_close(g_steal_pointer(&rows));
    return rows;
}

sqlite3 *salvage_open(const char *path, uint64_t *lost, GError **error)
{
    FILE *sql = tmpfile();
    sqlite3 *rows = NULL;
    if (!sql) {
        fail(g_strerror(errno), error);
        return NULL;
    }
    g_autofree char *sql_path = g_strdup_printf("/dev/fd/%d", fileno(sql));
    g_auto(GStrv) texts =
        views_texts("salvage", "rows", g_variant_new("(^ay^ay)", path, sql_path), error);
    *lost = texts ? g_ascii_strtoull(texts[0], NULL, 10) : 0;
    if (texts && fseek(sql, 0, SEEK_SET) != 0)
        fail(g_strerror(errno), error);
    else if (texts)
        rows = database_of(sql, lost, error);
    fclose(sql);
    return rows;
}
