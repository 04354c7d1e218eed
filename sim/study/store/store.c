/* SPDX-License-Identifier: BSD-3-Clause */
/* The store's file: opening, schema, and what all rows have in common. It uses write-ahead logging with synchronous NORMAL: a
 * written row is with the operating system, so it survives the death of this process at any moment. fsync happens only when the
 * log is moved into the file (each 1,000 pages, and at the end): a loss of power can lose the rows since then, never the file.
 * One process writes; the others send it their results. */
#include "study/store/store.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/error.h"
#include "core/shown.h"
#include "study/store/salvage.h"
#include "study/store/store_private.h"
#include "study/system/interrupt.h"

#define APPLICATION_ID 0x67707573
#define SCHEMA_VERSION 1
#define MOST_NAME_CHARACTERS 60 /* longest entry that is quoted in a sentence */
#define BUSY_TRIES 1000
#define PART_BYTES 4096
#define BUSY_US 10000 /* pause between two tries */
#define STEPS_BETWEEN_INTERRUPTS 100000

/* All entries of a store, with exactly the texts of its own list of tables. */
static const struct schema_entry {
    const char *name, *text;
} schema[] = {
    {"machine", "CREATE TABLE machine (id TEXT PRIMARY KEY, name TEXT, parameters TEXT NOT NULL)"},
    {"study", "CREATE TABLE study (digest TEXT, seed INTEGER, version TEXT, name TEXT NOT NULL,"
              "  title TEXT NOT NULL, points INTEGER NOT NULL, PRIMARY KEY (digest, seed,"
              " version))"},
    {"point", "CREATE TABLE point (key TEXT PRIMARY KEY, study TEXT NOT NULL, digest TEXT NOT NULL,"
              "  axes TEXT NOT NULL, seed INTEGER NOT NULL, version TEXT NOT NULL, failure TEXT,"
              "  result BLOB, columns TEXT, machine TEXT REFERENCES machine (id), host TEXT,"
              "  started_us INTEGER, duration_us INTEGER, content TEXT NOT NULL)"},
    {"point_of_study", "CREATE INDEX point_of_study ON point (digest, seed, version)"},
    {"call", "CREATE TABLE call (key TEXT PRIMARY KEY, workload TEXT NOT NULL, arguments TEXT NOT"
             " NULL,  machine TEXT NOT NULL REFERENCES machine (id), seed INTEGER NOT NULL,"
             "  version TEXT NOT NULL, result BLOB NOT NULL, content TEXT NOT NULL)"},
};

static const char *const statement_texts[STATEMENTS] = {
    [STATEMENT_PUT_MACHINE] = "INSERT OR IGNORE INTO machine VALUES (?1, ?2, ?3)",
    [STATEMENT_PUT_STUDY] = "INSERT OR IGNORE INTO study VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [STATEMENT_PUT_POINT] = "INSERT OR REPLACE INTO point VALUES"
                            " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    [STATEMENT_PUT_CALL] = "INSERT OR IGNORE INTO call VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [STATEMENT_GET_POINT] = "SELECT point.*, name, parameters FROM point"
                            " LEFT JOIN machine ON machine.id = point.machine WHERE key = ?1",
    [STATEMENT_GET_AXES] =
        "SELECT axes FROM point WHERE digest = ?1 AND seed = ?2 AND version = ?3",
    [STATEMENT_GET_CALL] = "SELECT call.*, parameters FROM call"
                           " JOIN machine ON machine.id = call.machine WHERE key = ?1",
};

static bool is_damage(int code)
{
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

/* Whether no byte of the file is zero; every page of a store has zero bytes, however damaged it is. */
static bool is_text(const char *path)
{
    char part[PART_BYTES];
    size_t count = 0;
    bool has_zero = false, is_empty = true;
    FILE *file = fopen(path, "rb");
    while (file && !has_zero && (count = fread(part, 1, sizeof part, file)) > 0) {
        has_zero = memchr(part, 0, count) != NULL;
        is_empty = false;
    }
    if (file)
        fclose(file);
    return !is_empty && !has_zero;
}

bool store_fail(struct result_store *store, const char *what, GError **error)
{
    int code = store->code = sqlite3_errcode(store->sqlite);
    if (interrupt_pending(error))
        return false;
    if (code == SQLITE_NOTADB && is_text(store->path))
        error_set(error, "%s is not a store of gpunetsim, but a text", store->path);
    else if (code == SQLITE_NOTADB)
        error_set_code(
            error, ERROR_RUN,
            "%s is not a store of gpunetsim, or was one and its head is damaged: then gpunetsim"
            " merge %s -o NEW.db saves what can be read",
            store->path, store->path);
    else if (code == SQLITE_CORRUPT)
        error_set_code(error, ERROR_RUN,
                       "%s is damaged (%s); gpunetsim merge %s -o NEW.db saves what can be read",
                       store->path, sqlite3_errmsg(store->sqlite), store->path);
    else
        error_set_code(error, ERROR_RUN, "cannot %s %s: %s", what, store->path,
                       code == SQLITE_FULL ? "no space left on device"
                                           : sqlite3_errmsg(store->sqlite));
    return false;
}

static bool refuse(const struct result_store *store, const char *why, GError **error)
{
    error_set(error, "%s %s", store->path, why);
    return false;
}

/* --- the file --------------------------------------------------------------------------------- */

/* Waits while another process writes, but stops at an interrupt. */
static int wait_while_busy(void *context, int tries)
{
    (void)context;
    if (tries >= BUSY_TRIES || interrupt_pending(NULL))
        return 0;
    g_usleep(BUSY_US);
    return 1;
}

static int stop_if_interrupted(void *context)
{
    (void)context;
    return interrupt_pending(NULL);
}

/* Makes SQLite distrust the file, since a store may come from a stranger. */
static void be_careful(const struct result_store *store)
{
    sqlite3_busy_handler(store->sqlite, wait_while_busy, NULL);
    sqlite3_progress_handler(store->sqlite, STEPS_BETWEEN_INTERRUPTS, stop_if_interrupted, NULL);
    sqlite3_limit(store->sqlite, SQLITE_LIMIT_LENGTH, STORE_MOST_BYTES);
    sqlite3_db_config(store->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(store->sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->sqlite, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_exec(store->sqlite, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

/* The file as a URI, since SQLite would take a path like "file:a?mode=memory" for a URI. */
static bool open_file(struct result_store *store, int flags, const char *suffix, GError **error)
{
    g_autofree char *absolute = g_canonicalize_filename(store->path, NULL);
    g_autofree char *plain = g_filename_to_uri(absolute, NULL, NULL);
    g_autofree char *uri = g_strconcat(plain, suffix, NULL);
    if (sqlite3_open_v2(uri, &store->sqlite, flags | SQLITE_OPEN_URI, NULL) == SQLITE_OK) {
        be_careful(store);
        return true;
    }
    g_autofree char *folder = g_path_get_dirname(absolute);
    error_set(error, "cannot open the store %s: %s", store->path,
              !g_file_test(folder, G_FILE_TEST_IS_DIR) ? "there is no such folder"
              : g_file_test(store->path, G_FILE_TEST_EXISTS) || (flags & SQLITE_OPEN_CREATE)
                  ? sqlite3_errmsg(store->sqlite)
                  : "there is no such file");
    return false;
}

/* The number that a PRAGMA or SELECT returns; -1 if the file cannot be read. */
static int64_t ask_number(const struct result_store *store, const char *question)
{
    sqlite3_stmt *statement;
    int64_t number = -1;
    if (sqlite3_prepare_v2(store->sqlite, question, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement); /* SQLite keeps the error for later */
    return number;
}

static int64_t count_tables(const struct result_store *store)
{
    return ask_number(store, "SELECT count(*) FROM sqlite_master");
}

/* Whether a log has rows that are not in the file yet. */
static bool has_log(const struct result_store *store)
{
    GStatBuf status;
    g_autofree char *log = g_strconcat(store->path, "-wal", NULL);
    return g_stat(log, &status) == 0 && status.st_size > 0;
}

static bool open_as_it_stands(struct result_store *store, GError **error)
{
    return open_file(store, SQLITE_OPEN_READONLY, "?immutable=1", error);
}

/* Whether no writer can be at work, since there is no log, and this user may not write: files that she made beside the store
 * would stay and hinder the owner. */
static bool is_anothers(const struct result_store *store)
{
    g_autofree char *log = g_strconcat(store->path, "-wal", NULL);
    return g_access(store->path, R_OK) == 0 && g_access(store->path, W_OK) != 0 &&
           !g_file_test(log, G_FILE_TEST_EXISTS);
}

/* Reading needs a file beside the store, through which readers and writers coordinate. If it cannot be made, no process writes,
 * and the store can be read as it is. */
static bool open_to_read(struct result_store *store, GError **error)
{
    if (is_anothers(store))
        return open_as_it_stands(store, error);
    if (!open_file(store, SQLITE_OPEN_READWRITE, "", error))
        return false;
    int64_t tables = count_tables(store);
    int code = sqlite3_errcode(store->sqlite);
    if (tables >= 0 || (code != SQLITE_CANTOPEN && code != SQLITE_READONLY))
        return true;
    if (has_log(store))
        return refuse(
            store,
            "cannot be read here: its last rows are in the -wal file beside it, for which "
            "the folder has to be writable; copy both into one that is",
            error);
    sqlite3_close(g_steal_pointer(&store->sqlite));
    return open_as_it_stands(store, error);
}

/* --- what is in it ---------------------------------------------------------------------------- */

static bool execute(const struct result_store *store, const char *text)
{
    return sqlite3_exec(store->sqlite, text, NULL, NULL, NULL) == SQLITE_OK;
}

/* The number of the entry with that name, compared as SQLite does; -1: none. */
static int find_entry(const char *name)
{
    for (size_t i = 0; name && i < G_N_ELEMENTS(schema); i++) {
        if (g_ascii_strcasecmp(schema[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

/* Whether an entry of the file's list of tables belongs to a store: the entries of the schema, and the indices that SQLite
 * makes for their keys. */
static bool is_allowed(const char *type, const char *name, const char *table, const char *text,
                       unsigned *seen)
{
    int entry = find_entry(name);
    if (entry < 0)
        return g_strcmp0(type, "index") == 0 && !text && find_entry(table) >= 0;
    bool is_first = !(*seen & (1U << entry));
    *seen |= 1U << entry;
    return is_first && g_strcmp0(text, schema[entry].text) == 0;
}

/* An entry that `seen` lacks; NULL: none. */
static const char *missing_entry(unsigned seen)
{
    for (size_t i = 0; i < G_N_ELEMENTS(schema); i++)
        if (!(seen & (1U << i)))
            return schema[i].name;
    return NULL;
}

static bool refuse_entry(const struct result_store *store, const char *what, const char *name,
                         GError **error)
{
    g_autofree char *shown = shown_start(name, MOST_NAME_CHARACTERS);
    return error_set(error, "%s is not a store of gpunetsim: it has %s \"%s\"", store->path, what,
                     shown);
}

static bool refuse_row(const struct result_store *store, sqlite3_stmt *row, GError **error)
{
    const char *type = (const char *)sqlite3_column_text(row, 0);
    const char *name = (const char *)sqlite3_column_text(row, 1);
    g_autofree char *what = shown_start(type, MOST_NAME_CHARACTERS);
    g_autofree char *other = g_strdup_printf(
        find_entry(name) >= 0 ? "a different %s" : "something that no store has, the %s", what);
    return refuse_entry(store, other, name, error);
}

static bool check_schema(struct result_store *store, GError **error)
{
    static const char question[] = "SELECT type, name, tbl_name, sql FROM sqlite_master";
    sqlite3_stmt *statement;
    unsigned seen = 0;
    bool is_good = true;
    if (sqlite3_prepare_v2(store->sqlite, question, -1, &statement, NULL) != SQLITE_OK)
        return store_fail(store, "read", error);
    while (is_good && sqlite3_step(statement) == SQLITE_ROW)
        is_good = is_allowed((const char *)sqlite3_column_text(statement, 0),
                             (const char *)sqlite3_column_text(statement, 1),
                             (const char *)sqlite3_column_text(statement, 2),
                             (const char *)sqlite3_column_text(statement, 3), &seen) ||
                  refuse_row(store, statement, error);
    int code = sqlite3_finalize(statement);
    if (!is_good || code != SQLITE_OK)
        return is_good && store_fail(store, "read", error);
    return !missing_entry(seen) || refuse_entry(store, "no", missing_entry(seen), error);
}

bool store_write_schema(sqlite3 *sqlite)
{
    static const char identity[] = "PRAGMA application_id = " G_STRINGIFY(
        APPLICATION_ID) ";"
                        "PRAGMA user_version = " G_STRINGIFY(SCHEMA_VERSION);
    bool is_good = sqlite3_exec(sqlite, identity, NULL, NULL, NULL) == SQLITE_OK;
    for (size_t i = 0; is_good && i < G_N_ELEMENTS(schema); i++)
        is_good = sqlite3_exec(sqlite, schema[i].text, NULL, NULL, NULL) == SQLITE_OK;
    return is_good;
}

/* Turns an empty file into a store, unless another process has done so meanwhile. */
static bool create(struct result_store *store, GError **error)
{
    bool is_good = execute(store, "BEGIN IMMEDIATE") &&
                   (count_tables(store) != 0 || store_write_schema(store->sqlite)) &&
                   execute(store, "COMMIT");
    if (!is_good)
        store_fail(store, "write", error);
    if (!sqlite3_get_autocommit(store->sqlite))
        execute(store, "ROLLBACK");
    return is_good;
}

/* Checks the file before anything is written: an empty file becomes a store, any other stays unchanged. */
static bool check_identity(struct result_store *store, enum store_mode mode, GError **error)
{
    int64_t tables = count_tables(store);
    if (tables < 0)
        return store_fail(store, "read", error);
    int64_t identity = ask_number(store, "PRAGMA application_id");
    if (tables == 0 && identity == 0 && mode == STORE_WRITE) {
        if (!create(store, error))
            return false;
        identity = ask_number(store, "PRAGMA application_id");
    }
    if (identity != APPLICATION_ID)
        return refuse(store, "is not a store of gpunetsim", error);
    if (ask_number(store, "PRAGMA user_version") != SCHEMA_VERSION)
        return refuse(store, "has the layout of another version of gpunetsim", error);
    return check_schema(store, error);
}

static bool set_journal(struct result_store *store, GError **error)
{
    return (execute(store, "PRAGMA journal_mode = WAL") &&
            execute(store, "PRAGMA synchronous = NORMAL")) ||
           store_fail(store, "write", error);
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Whether the store is busy: two processes that make it at the same moment collide where SQLite does not wait by itself. */
static bool is_busy(const struct result_store *store)
{
    return store->code == SQLITE_BUSY || store->code == SQLITE_LOCKED ||
           store->code == SQLITE_PROTOCOL;
}

static bool open_to_write(struct result_store *store, GError **error)
{
    if (!open_file(store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "", error))
        return false;
    if (sqlite3_db_readonly(store->sqlite, "main"))
        return refuse(
            store,
            "may only be read by this user, not written; status, diff, merge and plot read it",
            error);
    for (int tries = 0;; tries++) {
        GError *cause = NULL;
        store->code = SQLITE_OK;
        if (check_identity(store, STORE_WRITE, &cause) && set_journal(store, &cause))
            return true;
        if (!is_busy(store) || !wait_while_busy(NULL, tries)) {
            g_propagate_error(error, cause);
            return false;
        }
        g_error_free(cause);
    }
}

static bool check_file(const struct result_store *store, GError **error)
{
    GStatBuf status;
    if (g_stat(store->path, &status) != 0 || S_ISREG(status.st_mode))
        return true; /* opening reports that the file does not exist */
    return refuse(store,
                  S_ISDIR(status.st_mode) ? "is a folder, not a store"
                                          : "is a device or a pipe, not a store",
                  error);
}

/* Opens a damaged store: readable rows are read page by page, and the file stays unchanged. */
static bool open_damaged(struct result_store *store, GError **error)
{
    static const char rows[] = "SELECT (SELECT count(*) FROM point) + (SELECT count(*) FROM call)";
    sqlite3_db_config(store->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log(store), NULL);
    sqlite3_close(store->sqlite);
    store->is_damaged = true;
    store->sqlite = salvage_open(store->path, &store->lost, error);
    if (!store->sqlite || ask_number(store, rows) > 0)
        return store->sqlite != NULL;
    error_set_code(error, ERROR_RUN,
                   "%s is no store, or so damaged that none of its rows can be read", store->path);
    return false;
}

struct result_store *store_open(const char *path, enum store_mode mode, GError **error)
{
    struct result_store *store = g_new0(struct result_store, 1);
    GError *cause = NULL;
    store->path = g_strdup(path);
    bool is_good =
        check_file(store, &cause) &&
        (mode == STORE_WRITE ? open_to_write(store, &cause)
                             : open_to_read(store, &cause) && check_identity(store, mode, &cause));
    if (!is_good && mode == STORE_SALVAGE && is_damage(store->code)) {
        g_clear_error(&cause);
        is_good = open_damaged(store, &cause);
    }
    if (is_good)
        return store;
    g_propagate_error(error, cause);
    store_close(store);
    return NULL;
}

void store_close(struct result_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->sqlite);
    sqlite3_close(store->saved);
    g_free(store->machine);
    g_free(store->machine_id);
    g_free(store->path);
    g_free(store);
}

/* --- statements ------------------------------------------------------------------------------- */

sqlite3_stmt *store_statement(struct result_store *store, enum store_statement number,
                              GError **error)
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

/* --- keys ------------------------------------------------------------------------------------- */

char *store_digest(const char *const *texts, GBytes *bytes)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (; *texts; texts++) /* with its NUL, so that "a", "bc" differs from "ab", "c" */
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
