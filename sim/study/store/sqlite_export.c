/* SPDX-License-Identifier: BSD-3-Clause */
/* The file is made in memory and handed to output_write, so that it is written whole or not at all. */
#include "study/store/sqlite_export.h"

#include <sqlite3.h>

#include "core/error.h"
#include "study/table/output.h"

static void append_name(GString *sql, const char *name)
{
    char *quoted = sqlite3_mprintf("\"%w\"", name);
    g_string_append(sql, quoted);
    sqlite3_free(quoted);
}

static char *create_text(const struct table *table)
{
    GString *sql = g_string_new("CREATE TABLE results (");
    for (size_t c = 0; c < table->column_count; c++) {
        g_string_append(sql, c ? ", " : "");
        append_name(sql, table->columns[c].name);
        g_string_append(sql, table->columns[c].is_number ? " NUMERIC" : " TEXT");
    }
    g_string_append(sql, ")");
    return g_string_free(sql, FALSE);
}

static char *insert_text(const struct table *table)
{
    GString *sql = g_string_new("INSERT INTO results VALUES (");
    for (size_t c = 0; c < table->column_count; c++)
        g_string_append(sql, c ? ", ?" : "?");
    g_string_append(sql, ")");
    return g_string_free(sql, FALSE);
}

/* Numbers are bound as text: the column's affinity converts them, with all digits. */
static bool insert_rows(sqlite3 *sqlite, const struct table *table)
{
    sqlite3_stmt *statement = NULL;
    g_autofree char *insert = insert_text(table);
    bool good = sqlite3_prepare_v2(sqlite, insert, -1, &statement, NULL) == SQLITE_OK;
    for (size_t r = 0; good && r < table->row_count; r++) {
        for (size_t c = 0; c < table->column_count; c++)
            sqlite3_bind_text(statement, (int)c + 1, table_cell(table, r, c), -1, SQLITE_STATIC);
        good = sqlite3_step(statement) == SQLITE_DONE;
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return good;
}

static bool fill(sqlite3 *sqlite, const struct table *table)
{
    g_autofree char *create = create_text(table);
    return sqlite3_exec(sqlite, create, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_exec(sqlite, "BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
           insert_rows(sqlite, table) &&
           sqlite3_exec(sqlite, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

bool sqlite_export(const struct table *table, const char *path, const struct output_rules *rules,
                   GError **error)
{
    sqlite3 *sqlite = NULL;
    sqlite3_int64 length = 0;
    unsigned char *image = NULL;
    if (sqlite3_open(":memory:", &sqlite) == SQLITE_OK && fill(sqlite, table))
        image = sqlite3_serialize(sqlite, "main", &length, 0);
    if (!image)
        error_set_code(error, ERROR_RUN, "cannot write %s: %s", path, sqlite3_errmsg(sqlite));
    bool good = image && output_write(path, (const char *)image, (size_t)length, rules, error);
    sqlite3_free(image);
    sqlite3_close(sqlite);
    return good;
}
