/* SPDX-License-Identifier: BSD-3-Clause */
/* Scans a whole store. If SQLite stops because of damage, the remaining rows are read from the intact pages. */
#include "core/error.h"
#include "study/store/salvage.h"
#include "study/store/store_private.h"
#include "study/system/interrupt.h"

struct scan {
    struct result_store *store;
    enum stored_kind kind;
    store_visitor *each;
    void *context;
    sqlite3_int64 next; /* row number */
    bool is_over;       /* `each` has returned false */
};

/* Rows from number ?1 on, in the order of their number, which is the last column. */
static const char *const selects[] = {
    [STORED_STUDY] = "SELECT study.*, rowid FROM study WHERE rowid >= ?1 ORDER BY rowid",
    [STORED_POINT] = "SELECT point.*, name, parameters, point.rowid FROM point"
                     " LEFT JOIN machine ON machine.id = point.machine"
                     " WHERE point.rowid >= ?1 ORDER BY point.rowid",
    [STORED_CALL] = "SELECT call.*, parameters, call.rowid FROM call"
                    " LEFT JOIN machine ON machine.id = call.machine"
                    " WHERE call.rowid >= ?1 ORDER BY call.rowid",
};

/* Whether the scan goes on after this row. */
static bool take_row(const struct scan *scan, sqlite3_stmt *from)
{
    union {
        struct store_study study;
        struct store_point point;
        struct store_call call;
    } row;
    if (!store_read_row(from, scan->kind, &row)) {
        scan->store->is_damaged = true;
        scan->store->lost++;
        return true;
    }
    bool goes_on = scan->each(scan->context, &row);
    store_row_clear(scan->kind, &row);
    return goes_on;
}

/* False if SQLite stops because of damage. Pages that form a cycle would return the same rows again. */
static bool scan_rows(struct scan *scan, sqlite3 *sqlite)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(sqlite, selects[scan->kind], -1, &statement, NULL);
    sqlite3_bind_int64(statement, 1, scan->next);
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        sqlite3_int64 number = sqlite3_column_int64(statement, sqlite3_column_count(statement) - 1);
        if (interrupt_pending(NULL) || number < scan->next)
            break;
        if (!take_row(scan, statement)) {
            scan->is_over = true;
            break;
        }
        if (number == G_MAXINT64) {
            code = SQLITE_DONE;
            break;
        }
        scan->next = number + 1;
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE || scan->is_over;
}

bool store_each(struct result_store *store, enum stored_kind kind, store_visitor *each,
                void *context, GError **error)
{
    struct scan scan = {
        .store = store, .kind = kind, .each = each, .context = context, .next = G_MININT64};
    if (scan_rows(&scan, store->sqlite))
        return !scan.is_over;
    if (interrupt_pending(error))
        return false;
    if (!store->saved) {
        uint64_t lost;
        store->saved = salvage_open(store->path, &lost, error);
        store->lost += lost;
        store->is_damaged = true;
    }
    if (!store->saved)
        return false;
    bool is_whole = scan_rows(&scan, store->saved);
    if (is_whole || interrupt_pending(error))
        return is_whole && !scan.is_over;
    error_set_code(error, ERROR_RUN, "cannot read what %s still has: %s", store->path,
                   sqlite3_errmsg(store->saved));
    return false;
}

bool store_is_damaged(const struct result_store *store, uint64_t *lost)
{
    *lost = store->lost;
    return store->is_damaged;
}
