/* SPDX-License-Identifier: BSD-3-Clause */
/* Going through a whole store. Where SQLite comes to an end because of damage, what follows is read
 * from the pages that are whole. */
#include "core/error.h"
#include "study/store/salvage.h"
#include "study/store/store_private.h"
#include "study/system/interrupt.h"

struct scan {
    struct result_store *store;
    const char *select; /* rows from number ?1 on by number, which is the last column */
    bool (*take)(struct scan *scan, sqlite3_stmt *row);
    union {
        store_study_visitor *study;
        store_point_visitor *point;
        store_call_visitor *call;
    } each;
    void *context;
    sqlite3_int64 next; /* row number */
    bool is_over;       /* `each` said so */
};

static void note_lost_row(struct scan *scan)
{
    scan->store->is_damaged = true;
    scan->store->lost++;
}

/* False if there is damage that SQLite cannot get over. Pages that lead in a circle would have the same
 * rows again. */
static bool scan_rows(struct scan *scan, sqlite3 *sqlite)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(sqlite, scan->select, -1, &statement, NULL);
    sqlite3_bind_int64(statement, 1, scan->next);
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        sqlite3_int64 number = sqlite3_column_int64(statement, sqlite3_column_count(statement) - 1);
        if (interrupt_pending(NULL) || number < scan->next)
            break;
        if (!scan->take(scan, statement)) {
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

static bool run_scan(struct scan *scan, GError **error)
{
    struct result_store *store = scan->store;
    scan->next = G_MININT64;
    if (scan_rows(scan, store->sqlite))
        return !scan->is_over;
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
    bool is_whole = scan_rows(scan, store->saved);
    if (is_whole || interrupt_pending(error))
        return is_whole && !scan->is_over;
    error_set_code(error, ERROR_RUN, "cannot read what %s still has: %s", store->path,
                   sqlite3_errmsg(store->saved));
    return false;
}

/* --- the kinds of rows -------------------------------------------------------------------------
 */

static bool take_study(struct scan *scan, sqlite3_stmt *row)
{
    struct store_study study;
    if (!store_read_study(row, &study)) {
        note_lost_row(scan);
        return true;
    }
    bool goes_on = scan->each.study(scan->context, &study);
    store_study_clear(&study);
    return goes_on;
}

static bool take_point(struct scan *scan, sqlite3_stmt *row)
{
    struct store_point point;
    if (!store_read_point(row, &point)) {
        note_lost_row(scan);
        return true;
    }
    bool goes_on = scan->each.point(scan->context, &point);
    store_point_clear(&point);
    return goes_on;
}

static bool take_call(struct scan *scan, sqlite3_stmt *row)
{
    struct store_call call;
    if (!store_read_call(row, &call)) {
        note_lost_row(scan);
        return true;
    }
    bool goes_on = scan->each.call(scan->context, &call);
    store_call_clear(&call);
    return goes_on;
}

bool store_each_study(struct result_store *store, store_study_visitor *each, void *context,
                      GError **error)
{
    struct scan scan = {.store = store,
                        .select = "SELECT study.*, rowid FROM study WHERE rowid >= ?1"
                                  " ORDER BY rowid",
                        .take = take_study,
                        .each.study = each,
                        .context = context};
    return run_scan(&scan, error);
}

bool store_each_point(struct result_store *store, store_point_visitor *each, void *context,
                      GError **error)
{
    struct scan scan = {.store = store,
                        .select = "SELECT point.*, name, parameters, point.rowid FROM point"
                                  " LEFT JOIN machine ON machine.id = point.machine"
                                  " WHERE point.rowid >= ?1 ORDER BY point.rowid",
                        .take = take_point,
                        .each.point = each,
                        .context = context};
    return run_scan(&scan, error);
}

bool store_each_call(struct result_store *store, store_call_visitor *each, void *context,
                     GError **error)
{
    struct scan scan = {.store = store,
                        .select = "SELECT call.*, parameters, call.rowid FROM call"
                                  " LEFT JOIN machine ON machine.id = call.machine"
                                  " WHERE call.rowid >= ?1 ORDER BY call.rowid",
                        .take = take_call,
                        .each.call = each,
                        .context = context};
    return run_scan(&scan, error);
}

bool store_is_damaged(const struct result_store *store, uint64_t *lost)
{
    *lost = store->lost;
    return store->is_damaged;
}
