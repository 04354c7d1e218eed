/* Going through a whole store, row number by row number, so that a damaged page costs the rows that
 * stand on it and no others. */
#include "study/store_private.h"

/* Row numbers to be tried where the last one cannot be read: more than fit on a page. */
#define ROWS_OF_A_PAGE 64

struct scan {
    struct result_store *store;
    sqlite3_stmt *statement; /* takes a row number as ?1 */
    int64_t last;
    uint64_t lost;
};

/* The number of the first column; `otherwise` if the question fails. */
static int64_t ask(const struct result_store *store, const char *question, int64_t otherwise)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->sqlite, question, -1, &statement, NULL) != SQLITE_OK)
        return otherwise;
    int64_t number =
        sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : otherwise;
    sqlite3_finalize(statement);
    return number;
}

/* False if the table cannot be asked at all. */
static bool begin_scan(struct scan *scan, struct result_store *store, const char *select,
                       const char *last_row)
{
    *scan = (struct scan){.store = store};
    if (sqlite3_prepare_v2(store->sqlite, select, -1, &scan->statement, NULL) != SQLITE_OK)
        return false;
    scan->last = ask(store, last_row, -1);
    if (scan->last < 0)
        scan->last = ask(store, "PRAGMA page_count", 0) * ROWS_OF_A_PAGE;
    return true;
}

/* Whether row `number` is there and can be read so far. */
static bool at_row(struct scan *scan, int64_t number)
{
    sqlite3_reset(scan->statement);
    sqlite3_bind_int64(scan->statement, 1, number);
    int code = sqlite3_step(scan->statement);
    scan->lost += code != SQLITE_ROW && code != SQLITE_DONE;
    return code == SQLITE_ROW;
}

static void end_scan(struct scan *scan, uint64_t *damaged)
{
    sqlite3_finalize(scan->statement);
    if (damaged)
        *damaged = scan->lost;
}

bool store_each_study(struct result_store *store, store_study_visitor *each, void *context)
{
    struct scan scan;
    bool goes_on = begin_scan(&scan, store, "SELECT * FROM study WHERE rowid = ?1",
                              "SELECT ifnull(max(rowid), 0) FROM study");
    for (int64_t i = 1; goes_on && i <= scan.last; i++) {
        if (!at_row(&scan, i))
            continue;
        struct store_study study = {.digest = store_column_text(scan.statement, 0),
                                    .seed = (uint64_t)sqlite3_column_int64(scan.statement, 1),
                                    .version = store_column_text(scan.statement, 2),
                                    .name = store_column_text(scan.statement, 3),
                                    .title = store_column_text(scan.statement, 4),
                                    .points = (uint64_t)sqlite3_column_int64(scan.statement, 5)};
        goes_on = each(context, &study);
        store_study_clear(&study);
    }
    end_scan(&scan, NULL);
    return goes_on;
}

bool store_each_point(struct result_store *store, store_point_visitor *each, void *context,
                      uint64_t *damaged)
{
    struct scan scan;
    bool goes_on = begin_scan(&scan, store,
                              "SELECT point.*, name, parameters FROM point LEFT JOIN machine"
                              " ON machine.id = point.machine WHERE point.rowid = ?1",
                              "SELECT ifnull(max(rowid), 0) FROM point");
    for (int64_t i = 1; goes_on && i <= scan.last; i++) {
        struct store_point point;
        if (!at_row(&scan, i))
            continue;
        if (!store_read_point(scan.statement, &point)) {
            scan.lost++;
            continue;
        }
        goes_on = each(context, &point);
        store_point_clear(&point);
    }
    end_scan(&scan, damaged);
    return goes_on;
}

bool store_each_call(struct result_store *store, store_call_visitor *each, void *context,
                     uint64_t *damaged)
{
    struct scan scan;
    bool goes_on = begin_scan(&scan, store,
                              "SELECT call.*, parameters FROM call JOIN machine"
                              " ON machine.id = call.machine WHERE call.rowid = ?1",
                              "SELECT ifnull(max(rowid), 0) FROM call");
    for (int64_t i = 1; goes_on && i <= scan.last; i++) {
        struct store_call call;
        if (!at_row(&scan, i))
            continue;
        if (!store_read_call(scan.statement, &call)) {
            scan.lost++;
            continue;
        }
        goes_on = each(context, &call);
        store_call_clear(&call);
    }
    end_scan(&scan, damaged);
    return goes_on;
}
