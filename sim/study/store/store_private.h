/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the store: what its files share. */
#pragma once

#include <sqlite3.h>

#include "study/store/store.h"

enum store_statement {
    STATEMENT_PUT_MACHINE,
    STATEMENT_PUT_STUDY,
    STATEMENT_PUT_POINT,
    STATEMENT_PUT_CALL,
    STATEMENT_GET_POINT,
    STATEMENT_GET_AXES,
    STATEMENT_GET_CALL,
    STATEMENTS,
};

#define STORE_MOST_BYTES 67108864 /* limit of a value */

struct result_store {
    sqlite3 *sqlite;
    char *path;
    sqlite3_stmt *statements[STATEMENTS];
    int code;       /* SQLite's code of the last failure */
    sqlite3 *saved; /* the rows recovered from a damaged file, made at first use; or NULL */
    bool is_damaged;
    uint64_t lost;              /* lost rows that were seen */
    char *machine, *machine_id; /* parameters and id of the machine written last; NULL: none */
};

/* Sets the error to SQLite's message. Returns false. */
bool store_fail(struct result_store *store, const char *what, GError **error);

/* Makes the tables of a store in an empty database. */
bool store_write_schema(sqlite3 *sqlite);

/* A statement of the list, prepared at first use; NULL and an error if that fails. */
sqlite3_stmt *store_statement(struct result_store *store, enum store_statement number,
                              GError **error);

/* A copy of a column's text or bytes; NULL if the column is null. */
char *store_column_text(sqlite3_stmt *statement, int column);
GBytes *store_column_bytes(sqlite3_stmt *statement, int column);

/* Binds a text or bytes, which must outlive the statement's run; NULL binds null. */
void store_bind_text(sqlite3_stmt *statement, int index, const char *text);
void store_bind_bytes(sqlite3_stmt *statement, int index, GBytes *bytes);

/* Reads the current row of a statement: "SELECT study.*", "SELECT point.*, name, parameters" or "SELECT call.*, parameters".
 * False if the row is damaged; otherwise the caller clears it. */
bool store_read_row(sqlite3_stmt *from, enum stored_kind kind, void *row);

/* SHA-256 over texts (a NULL-ended list) and bytes, as hexadecimal digits. */
char *store_digest(const char *const *texts, GBytes *bytes);
