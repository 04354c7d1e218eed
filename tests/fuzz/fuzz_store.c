/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores: bytes that begin as an SQLite file do are one; all else is SQL, which changes a store that is good.
 * It is asked for everything that is in it, and merged into another. */
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "study/store/contents.h"
#include "study/store/merge.h"
#include "study/store/pack.h"
#include "study/store/store.h"

#define MOST_STEPS 20000
#define MOST_BYTES (1 << 16)

/* --- a good store -------------------------------------------------------------------------------- */

static void put_point(struct result_store *store, int n)
{
    struct measure measure = {.name = (char[]){"latency"},
                              .value = {.kind = VALUE_QUANTITY,
                                        .unit = UNIT_TIME,
                                        .quantity = 1500 + n,
                                        .text = (char[]){"1.5ns"}}};
    struct row row = {.measures = &measure, .measure_count = 1};
    g_autoptr(GBytes) result = pack_row(&row);
    g_autofree char *key = g_strdup_printf("key %d", n);
    const struct store_point point = {.key = key,
                                      .study = (char[]){"s"},
                                      .digest = (char[]){"d"},
                                      .axes = (char[]){"{\"bytes\":\"8\"}"},
                                      .seed = 1,
                                      .version = (char[]){"v"},
                                      .result = result,
                                      .columns = (char[]){"{\"latency_ps\":1500}"},
                                      .machine_name = (char[]){"two"},
                                      .machine = (char[]){"{\"nodes\":\"2\"}"},
                                      .host = (char[]){"h"}};
    fuzz_expect(store_put(store, STORED_POINT, &point, NULL), "no point can be stored");
}

static void put_call(struct result_store *store)
{
    struct workload_result result = {.count = 0};
    workload_add_quantity(&result, "latency", UNIT_TIME, 1500);
    g_autoptr(GBytes) packed = pack_result(&result);
    const struct store_call call = {.key = (char[]){"call"},
                                    .workload = (char[]){"get_latency"},
                                    .arguments = (char[]){"{}"},
                                    .machine = (char[]){"{\"nodes\":\"2\"}"},
                                    .seed = 1,
                                    .version = (char[]){"v"},
                                    .result = packed};
    fuzz_expect(store_put(store, STORED_CALL, &call, NULL), "no call can be stored");
}

/* The bytes of a store with a study, its points and a call. Kept until the end. */
static GBytes *good_store(void)
{
    static GBytes *bytes;
    if (bytes)
        return bytes;
    g_autofree char *path = fuzz_path("good.db");
    struct result_store *store = store_open(path, STORE_WRITE, NULL);
    fuzz_expect(store != NULL, "%s cannot be made", path);
    const struct store_study study = {
        (char[]){"d"}, (char[]){"v"}, (char[]){"s"}, (char[]){"A study"}, 1, 4};
    fuzz_expect(store_put(store, STORED_STUDY, &study, NULL), "no study can be stored");
    for (int i = 0; i < 3; i++)
        put_point(store, i);
    put_call(store);
    store_close(store);
    char *data;
    gsize size;
    fuzz_expect(g_file_get_contents(path, &data, &size, NULL), "%s cannot be read", path);
    return bytes = g_bytes_new_take(data, size);
}

/* --- changes by SQL ------------------------------------------------------------------------------- */

/* No other file is touched. */
static int authorize(void *context, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    (void)context, (void)a, (void)b, (void)c, (void)d;
    return action == SQLITE_ATTACH ? SQLITE_DENY : SQLITE_OK;
}

static int enough(void *context)
{
    (void)context;
    return 1;
}

static void change(const char *path, const char *text)
{
    sqlite3 *sqlite;
    fuzz_expect(sqlite3_open(path, &sqlite) == SQLITE_OK, "%s cannot be opened", path);
    sqlite3_set_authorizer(sqlite, authorize, NULL);
    sqlite3_progress_handler(sqlite, MOST_STEPS, enough, NULL);
    sqlite3_limit(sqlite, SQLITE_LIMIT_LENGTH, MOST_BYTES);
    sqlite3_exec(sqlite, text, NULL, NULL, NULL);
    sqlite3_close(sqlite);
}

/* --- what is asked ------------------------------------------------------------------------------- */

static bool see_point(void *context, const void *stored)
{
    const struct store_point *point = stored;
    struct row *row = g_new0(struct row, 1);
    row->axis_index = g_new0(size_t, 1);
    if (point->result && unpack_row(point->result, row)) {
        GBytes *packed = pack_row(row);
        g_bytes_unref(packed);
    }
    row_free(row);
    struct store_point again;
    if (store_get(context, STORED_POINT, point->key, &again))
        store_row_clear(STORED_POINT, &again);
    return true;
}

static bool see_call(void *context, const void *row)
{
    const struct store_call *call = row;
    struct workload_result result;
    (void)context;
    unpack_result(call->result, &result);
    return true;
}

static void read_store(struct result_store *store)
{
    GError *error = NULL;
    store_each(store, STORED_POINT, see_point, store, NULL);
    store_each(store, STORED_CALL, see_call, store, NULL);
    GVariant *contents = store_contents(store, true, &error);
    fuzz_expect_told(contents != NULL, error);
    if (contents)
        g_variant_unref(g_variant_ref_sink(contents));
}

static void merge(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm", NULL};
    for (const char *const *ending = endings; *ending; ending++) {
        g_autofree char *name = g_strconcat("merged.db", *ending, NULL), *old = fuzz_path(name);
        unlink(old);
    }
    g_autofree char *to = fuzz_path("merged.db");
    GError *error = NULL;
    struct merge_counts counts = {0};
    struct result_store *target = store_open(to, STORE_WRITE, &error);
    fuzz_expect_told(target != NULL, error);
    error = NULL;
    bool good = merge_store(target, path, &counts, &error);
    fuzz_expect_told(good, error);
    store_close(target);
}

static char *store_file(const uint8_t *data, size_t size)
{
    if (size >= 16 && memcmp(data, "SQLite format 3", 16) == 0)
        return fuzz_file("store.db", data, size);
    gsize length;
    const void *good = g_bytes_get_data(good_store(), &length);
    char *path = fuzz_file("store.db", good, length);
    g_autofree char *text = fuzz_text(data, size);
    change(path, text);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GError *error = NULL;
    g_autofree char *path = store_file(data, size);
    struct result_store *store = store_open(path, STORE_READ, &error);
    fuzz_expect_told(store != NULL, error);
    if (store)
        read_store(store);
    store_close(store);
    merge(path);
    return 0;
}
