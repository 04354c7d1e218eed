/* The store's file: opening, the schema, what all rows have in common.
 *
 * Write-ahead logging with synchronous NORMAL: a row that has been written is in the operating
 * system's hands, so it survives the death of this process at any moment; a loss of power can take
 * the last rows, never the file. One process writes, the others send it their results. */
#include "study/store.h"

#include <string.h>

#include "study/error.h"
#include "study/store_private.h"

#define APPLICATION_ID 0x67707573
#define SCHEMA_VERSION 1
#define BUSY_MS 10000

static const char schema[] =
    "BEGIN IMMEDIATE;"
    "PRAGMA application_id = " G_STRINGIFY(
        APPLICATION_ID) ";"
                        "PRAGMA user_version = " G_STRINGIFY(
                            SCHEMA_VERSION) ";"
                                            "CREATE TABLE machine (id TEXT PRIMARY KEY, name TEXT, "
                                            "parameters TEXT NOT NULL);"
                                            "CREATE TABLE study (digest TEXT, seed INTEGER, "
                                            "version TEXT, name TEXT NOT NULL,"
                                            "  title TEXT NOT NULL, points INTEGER NOT NULL, "
                                            "PRIMARY KEY (digest, seed, version));"
                                            "CREATE TABLE point (key TEXT PRIMARY KEY, study TEXT "
                                            "NOT NULL, digest TEXT NOT NULL,"
                                            "  axes TEXT NOT NULL, seed INTEGER NOT NULL, version "
                                            "TEXT NOT NULL, failure TEXT,"
                                            "  result BLOB, columns TEXT, machine TEXT REFERENCES "
                                            "machine (id), host TEXT,"
                                            "  started_us INTEGER, duration_us INTEGER, content "
                                            "TEXT NOT NULL);"
                                            "CREATE INDEX point_of_study ON point (digest, seed, "
                                            "version);"
                                            "CREATE TABLE call (key TEXT PRIMARY KEY, workload "
                                            "TEXT NOT NULL, arguments TEXT NOT NULL,"
                                            "  machine TEXT NOT NULL REFERENCES machine (id), seed "
                                            "INTEGER NOT NULL,"
                                            "  version TEXT NOT NULL, result BLOB NOT NULL, "
                                            "content TEXT NOT NULL);"
                                            "COMMIT;";

static const char *const statement_texts[STATEMENTS] = {
    [STATEMENT_PUT_MACHINE] = "INSERT OR IGNORE INTO machine VALUES (?1, ?2, ?3)",
    [STATEMENT_PUT_STUDY] = "INSERT OR IGNORE INTO study VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [STATEMENT_PUT_POINT] = "INSERT OR REPLACE INTO point VALUES"
                            " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    [STATEMENT_PUT_CALL] = "INSERT OR IGNORE INTO call VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [STATEMENT_GET_POINT] = "SELECT point.*, name, parameters FROM point"
                            " LEFT JOIN machine ON machine.id = point.machine WHERE key = ?1",
    [STATEMENT_GET_CALL] = "SELECT call.*, parameters FROM call"
                           " JOIN machine ON machine.id = call.machine WHERE key = ?1",
};

bool store_fail(const struct result_store *store, const char *what, GError **error)
{
    int code = sqlite3_errcode(store->sqlite);
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        g_set_error(error, STUDY_ERROR, STUDY_ERROR_RUN,
                    "%s is damaged (%s); gpunetsim merge %s -o NEW.db saves what can be read",
                    store->path, sqlite3_errmsg(store->sqlite), store->path);
    else
        g_set_error(error, STUDY_ERROR, STUDY_ERROR_RUN, "cannot %s %s: %s", what, store->path,
                    code == SQLITE_FULL ? "no space left on device"
                                        : sqlite3_errmsg(store->sqlite));
    return false;
}

/* --- opening -----------------------------------------------------------------------------------
 */

/* The number that a PRAGMA gives; -1 if the file cannot be read. */
static int64_t ask_number(const struct result_store *store, const char *question)
{
    sqlite3_stmt *statement;
    int64_t number = -1;
    if (sqlite3_prepare_v2(store->sqlite, question, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static bool execute(const struct result_store *store, const char *text)
{
    return sqlite3_exec(store->sqlite, text, NULL, NULL, NULL) == SQLITE_OK;
}

static bool refuse(const struct result_store *store, const char *why, GError **error)
{
    g_set_error(error, STUDY_ERROR, STUDY_ERROR_USE, "%s %s", store->path, why);
    return false;
}

static bool open_file(struct result_store *store, enum store_mode mode, GError **error)
{
    int flags =
        mode == STORE_READ ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (g_file_test(store->path, G_FILE_TEST_IS_DIR))
        return refuse(store, "is a folder, not a store", error);
    if (sqlite3_open_v2(store->path, &store->sqlite, flags, NULL) != SQLITE_OK) {
        g_set_error(error, STUDY_ERROR, STUDY_ERROR_USE, "cannot open the store %s: %s",
                    store->path,
                    g_file_test(store->path, G_FILE_TEST_EXISTS) || mode == STORE_WRITE
                        ? sqlite3_errmsg(store->sqlite)
                        : "there is no such file");
        return false;
    }
    sqlite3_busy_timeout(store->sqlite, BUSY_MS);
    return true;
}

/* Looks before anything is written: an empty file becomes a store, any other stays as it is. */
static bool check_identity(const struct result_store *store, enum store_mode mode, GError **error)
{
    int64_t tables = ask_number(store, "SELECT count(*) FROM sqlite_master");
    if (tables < 0)
        return store_fail(store, "read", error);
    int64_t identity = ask_number(store, "PRAGMA application_id");
    if (tables == 0 && identity == 0 && mode == STORE_WRITE)
        return execute(store, schema) || store_fail(store, "write", error);
    if (identity != APPLICATION_ID)
        return refuse(store, "is not a store of gpunetsim", error);
    if (ask_number(store, "PRAGMA user_version") != SCHEMA_VERSION)
        return refuse(store, "has the layout of another version of gpunetsim", error);
    return true;
}

static bool set_journal(const struct result_store *store, GError **error)
{
    return execute(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;") ||
           store_fail(store, "write", error);
}

struct result_store *store_open(const char *path, enum store_mode mode, GError **error)
{
    struct result_store *store = g_new0(struct result_store, 1);
    store->path = g_strdup(path);
    if (!open_file(store, mode, error) || !check_identity(store, mode, error) ||
        (mode == STORE_WRITE && !set_journal(store, error)))
        g_clear_pointer(&store, store_close);
    return store;
}

void store_close(struct result_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->sqlite);
    g_free(store->path);
    g_free(store);
}

/* --- statements --------------------------------------------------------------------------------
 */

sqlite3_stmt *store_statement(struct result_store *store, enum store_statement number, GError **error)
{
    sqlite3_stmt **statement = &store->statements[number];
    if (!*statement &&
        sqlite3_prepare_v3(store->sqlite, statement_texts[number], -1, SQLITE_PREPARE_PERSISTENT,
                           statement, NULL) != SQLITE_OK) {
        store_fail(store, "read", error);
        return NULL;
    }
    return *statement;
}

char *store_column_text(sqlite3_stmt *statement, int column)
{
    return g_strdup((const char *)sqlite3_column_text(statement, column));
}

GBytes *store_column_bytes(sqlite3_stmt *statement, int column)
{
    const void *bytes = sqlite3_column_blob(statement, column);
    int length = sqlite3_column_bytes(statement, column);
    return bytes ? g_bytes_new(bytes, (gsize)length) : NULL;
}

void store_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

void store_bind_bytes(sqlite3_stmt *statement, int index, GBytes *bytes)
{
    gsize length = 0;
    const void *data = bytes ? g_bytes_get_data(bytes, &length) : NULL;
    sqlite3_bind_blob64(statement, index, data, length, SQLITE_STATIC);
}

/* --- keys --------------------------------------------------------------------------------------
 */

char *store_digest(const char *const *texts, GBytes *bytes)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (; *texts; texts++) /* with its NUL, so that "a", "bc" is not "ab", "c" */
        g_checksum_update(sum, (const guchar *)*texts, (gssize)strlen(*texts) + 1);
    gsize length = 0;
    const guchar *data = bytes ? g_bytes_get_data(bytes, &length) : NULL;
    if (length > 0)
        g_checksum_update(sum, data, (gssize)length);
    char *digest = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    return digest;
}

char *store_point_key(const struct study *study, size_t n, uint64_t seed, const char *version)
{
    g_autofree char *axes = study_point_json(study, n);
    g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, seed);
    const char *const texts[] = {"point", study->digest, axes, number, version, NULL};
    return store_digest(texts, NULL);
}

char *store_call_key(const struct workload_call *call, const char *version)
{
    g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, call->seed);
    const char *const texts[] = {
        "call", call->workload, call->arguments, call->machine, number, version, NULL};
    return store_digest(texts, NULL);
}
