/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the store: what its files share. */
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

#define STORE_MOST_BYTES 67108864 /* of a value */

struct result_store {
    sqlite3 *sqlite;
    char *path;
    sqlite3_stmt *statements[STATEMENTS];
    int code;       /* SQLite's, of the last failure */
    sqlite3 *saved; /* what a damaged file still has, once it was asked for; or NULL */
    bool is_damaged;
    uint64_t lost;              /* rows, as far as can be seen */
    char *machine, *machine_id; /* parameters of the one that was written last; NULL: none */
};

/* Sets the error to what SQLite says. Returns false. */
bool store_fail(struct result_store *store, const char *what, GError **error);

/* Makes the tables of a store in an empty database. */
bool store_write_schema(sqlite3 *sqlite);

/* A statement of the list, prepared at first use; NULL and the error if it cannot be. */
sqlite3_stmt *store_statement(struct result_store *store, enum store_statement number,
                              GError **error);

/* A copy of a column's text or bytes; NULL if it has none. */
char *store_column_text(sqlite3_stmt *statement, int column);
GBytes *store_column_bytes(sqlite3_stmt *statement, int column);

/* Binds a text or bytes that outlive the statement's run; NULL is null. */
void store_bind_text(sqlite3_stmt *statement, int index, const char *text);
void store_bind_bytes(sqlite3_stmt *statement, int index, GBytes *bytes);

/* Reads the row at which the statement is, of "SELECT study.*", "SELECT point.*, name, parameters" or
 * "SELECT call.*, parameters". False if it is damaged; the caller clears it otherwise. */
bool store_read_row(sqlite3_stmt *from, enum stored_kind kind, void *row);

/* SHA-256 over texts (a NULL-ended list) and bytes, as hexadecimal digits. */
char *store_digest(const char *const *texts, GBytes *bytes);
