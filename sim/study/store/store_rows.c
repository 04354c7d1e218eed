/* SPDX-License-Identifier: BSD-3-Clause */
/* The store's rows, in and out. Each point and call carries a digest of its content: what a damaged
 * disk has changed is not taken for a result. Machines are many times the same and are kept once.
 */

#include "study/store/store_private.h"

void store_study_clear(struct store_study *study)
{
    g_free(study->digest);
    g_free(study->version);
    g_free(study->name);
    g_free(study->title);
}

void store_point_clear(struct store_point *point)
{
    char *texts[] = {point->key,     point->study,   point->digest,  point->axes,
                     point->version, point->failure, point->columns, point->machine_name,
                     point->machine, point->host};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    g_clear_pointer(&point->result, g_bytes_unref);
}

void store_call_clear(struct store_call *call)
{
    g_free(call->key);
    g_free(call->workload);
    g_free(call->arguments);
    g_free(call->machine);
    g_free(call->version);
    g_clear_pointer(&call->result, g_bytes_unref);
}

static char *point_content(const struct store_point *point)
{
    const char *const texts[] = {point->key, point->axes, point->failure ? point->failure : "",
                                 NULL};
    return store_digest(texts, point->result);
}

static char *call_content(const struct store_call *call)
{
    const char *const texts[] = {call->key, NULL};
    return store_digest(texts, call->result);
}

/* --- writing -----------------------------------------------------------------------------------
 */

static bool run(struct result_store *store, sqlite3_stmt *statement, GError **error)
{
    bool is_done = sqlite3_step(statement) == SQLITE_DONE;
    if (!is_done)
        store_fail(store, "write", error);
    sqlite3_reset(statement);
    return is_done;
}

static void forget_machine(struct result_store *store)
{
    g_clear_pointer(&store->machine, g_free);
    g_clear_pointer(&store->machine_id, g_free);
}

/* Writes a machine, unless it is there, and gives its id, which is the store's; NULL if there is none, or the error. Most
 * rows have the machine of the row before. */
static const char *put_machine(struct result_store *store, const char *name, const char *parameters,
                               GError **error)
{
    const char *const texts[] = {parameters, NULL};
    if (!parameters || g_strcmp0(parameters, store->machine) == 0)
        return parameters ? store->machine_id : NULL;
    forget_machine(store);
    sqlite3_stmt *statement = store_statement(store, STATEMENT_PUT_MACHINE, error);
    g_autofree char *id = statement ? store_digest(texts, NULL) : NULL;
    if (!statement)
        return NULL;
    store_bind_text(statement, 1, id);
    store_bind_text(statement, 2, name);
    store_bind_text(statement, 3, parameters);
    if (!run(store, statement, error))
        return NULL;
    store->machine = g_strdup(parameters);
    return store->machine_id = g_steal_pointer(&id);
}

/* A row and its machine are written together or not at all. */
static bool finish(struct result_store *store, bool is_good, GError **error)
{
    const char *end = is_good ? "COMMIT" : "ROLLBACK";
    bool is_ended = sqlite3_exec(store->sqlite, end, NULL, NULL, NULL) == SQLITE_OK;
    if (is_ended && is_good)
        return true;
    if (is_good) {
        store_fail(store, "write", error);
        sqlite3_exec(store->sqlite, "ROLLBACK", NULL, NULL, NULL);
    }
    forget_machine(store); /* it may not have been written either */
    return false;
}

static bool begin(struct result_store *store, GError **error)
{
    return sqlite3_exec(store->sqlite, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK ||
           store_fail(store, "write", error);
}

bool store_put_study(struct result_store *store, const struct store_study *study, GError **error)
{
    sqlite3_stmt *statement = store_statement(store, STATEMENT_PUT_STUDY, error);
    if (!statement)
        return false;
    store_bind_text(statement, 1, study->digest);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)study->seed);
    store_bind_text(statement, 3, study->version);
    store_bind_text(statement, 4, study->name);
    store_bind_text(statement, 5, study->title);
    sqlite3_bind_int64(statement, 6, (sqlite3_int64)study->points);
    return run(store, statement, error);
}

static bool write_point(struct result_store *store, const struct store_point *point, GError **error)
{
    sqlite3_stmt *statement = store_statement(store, STATEMENT_PUT_POINT, error);
    g_autofree char *content = point_content(point);
    const char *machine =
        statement ? put_machine(store, point->machine_name, point->machine, error) : NULL;
    if (!statement || (point->machine && !machine))
        return false;
    const char *const texts[] = {point->key, point->study, point->digest, point->axes};
    for (int i = 0; i < 4; i++)
        store_bind_text(statement, i + 1, texts[i]);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)point->seed);
    store_bind_text(statement, 6, point->version);
    store_bind_text(statement, 7, point->failure);
    store_bind_bytes(statement, 8, point->result);
    store_bind_text(statement, 9, point->columns);
    store_bind_text(statement, 10, machine);
    store_bind_text(statement, 11, point->host);
    sqlite3_bind_int64(statement, 12, point->started_us);
    sqlite3_bind_int64(statement, 13, point->duration_us);
    store_bind_text(statement, 14, content);
    return run(store, statement, error);
}

static bool write_call(struct result_store *store, const struct store_call *call, GError **error)
{
    sqlite3_stmt *statement = store_statement(store, STATEMENT_PUT_CALL, error);
    g_autofree char *content = call_content(call);
    const char *machine = statement ? put_machine(store, NULL, call->machine, error) : NULL;
    if (!machine)
        return false;
    store_bind_text(statement, 1, call->key);
    store_bind_text(statement, 2, call->workload);
    store_bind_text(statement, 3, call->arguments);
    store_bind_text(statement, 4, machine);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)call->seed);
    store_bind_text(statement, 6, call->version);
    store_bind_bytes(statement, 7, call->result);
    store_bind_text(statement, 8, content);
    return run(store, statement, error);
}

bool store_put_point(struct result_store *store, const struct store_point *point, GError **error)
{
    return begin(store, error) && finish(store, write_point(store, point, error), error);
}

bool store_put_call(struct result_store *store, const struct store_call *call, GError **error)
{
    return begin(store, error) && finish(store, write_call(store, call, error), error);
}

/* --- reading -----------------------------------------------------------------------------------
 */

#define MOST_TIME_US (INT64_C(253402300799) * 1000000) /* the end of the year 9999 */

/* What is shown to people is text, and times can be added up. */
static bool are_texts(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (texts[i] && !g_utf8_validate(texts[i], -1, NULL))
            return false;
    }
    return true;
}

static bool is_time(gint64 us)
{
    return us >= 0 && us <= MOST_TIME_US;
}

bool store_read_study(sqlite3_stmt *row, struct store_study *study)
{
    *study = (struct store_study){.digest = store_column_text(row, 0),
                                  .seed = (uint64_t)sqlite3_column_int64(row, 1),
                                  .version = store_column_text(row, 2),
                                  .name = store_column_text(row, 3),
                                  .title = store_column_text(row, 4),
                                  .points = (uint64_t)sqlite3_column_int64(row, 5)};
    const char *const texts[] = {study->digest, study->version, study->name, study->title};
    if (study->digest && study->version && study->name && study->title &&
        are_texts(texts, G_N_ELEMENTS(texts)))
        return true;
    store_study_clear(study);
    return false;
}

bool store_read_point(sqlite3_stmt *row, struct store_point *point)
{
    *point = (struct store_point){.key = store_column_text(row, 0),
                                  .study = store_column_text(row, 1),
                                  .digest = store_column_text(row, 2),
                                  .axes = store_column_text(row, 3),
                                  .seed = (uint64_t)sqlite3_column_int64(row, 4),
                                  .version = store_column_text(row, 5),
                                  .failure = store_column_text(row, 6),
                                  .result = store_column_bytes(row, 7),
                                  .columns = store_column_text(row, 8),
                                  .host = store_column_text(row, 10),
                                  .started_us = sqlite3_column_int64(row, 11),
                                  .duration_us = sqlite3_column_int64(row, 12),
                                  .machine_name = store_column_text(row, 14),
                                  .machine = store_column_text(row, 15)};
    const char *const texts[] = {point->key,     point->study,       point->digest,  point->axes,
                                 point->version, point->failure,     point->columns, point->machine,
                                 point->host,    point->machine_name};
    bool is_whole = point->key && point->study && point->digest && point->axes && point->version &&
                    point->result && is_time(point->started_us) && is_time(point->duration_us) &&
                    are_texts(texts, G_N_ELEMENTS(texts));
    g_autofree char *content = is_whole ? point_content(point) : NULL;
    if (content && g_strcmp0(content, (const char *)sqlite3_column_text(row, 13)) == 0)
        return true;
    store_point_clear(point);
    return false;
}

bool store_read_call(sqlite3_stmt *row, struct store_call *call)
{
    *call = (struct store_call){.key = store_column_text(row, 0),
                                .workload = store_column_text(row, 1),
                                .arguments = store_column_text(row, 2),
                                .seed = (uint64_t)sqlite3_column_int64(row, 4),
                                .version = store_column_text(row, 5),
                                .result = store_column_bytes(row, 6),
                                .machine = store_column_text(row, 8)};
    const char *const texts[] = {call->key, call->workload, call->arguments, call->machine,
                                 call->version};
    bool is_whole = call->key && call->workload && call->arguments && call->machine &&
                    call->version && call->result && are_texts(texts, G_N_ELEMENTS(texts));
    g_autofree char *content = is_whole ? call_content(call) : NULL;
    if (content && g_strcmp0(content, (const char *)sqlite3_column_text(row, 7)) == 0)
        return true;
    store_call_clear(call);
    return false;
}

bool store_get_point(struct result_store *store, const char *key, struct store_point *point)
{
    sqlite3_stmt *statement = store_statement(store, STATEMENT_GET_POINT, NULL);
    if (!statement)
        return false;
    store_bind_text(statement, 1, key);
    bool is_there = sqlite3_step(statement) == SQLITE_ROW && store_read_point(statement, point);
    sqlite3_reset(statement);
    return is_there;
}

GHashTable *store_axes(struct result_store *store, const char *digest, uint64_t seed,
                       const char *version)
{
    GHashTable *all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    sqlite3_stmt *statement = store_statement(store, STATEMENT_GET_AXES, NULL);
    if (!statement)
        return all;
    store_bind_text(statement, 1, digest);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)seed);
    store_bind_text(statement, 3, version);
    while (sqlite3_step(statement) == SQLITE_ROW)
        g_hash_table_add(all, store_column_text(statement, 0));
    sqlite3_reset(statement);
    return all;
}

bool store_get_call(struct result_store *store, const char *key, struct store_call *call)
{
    sqlite3_stmt *statement = store_statement(store, STATEMENT_GET_CALL, NULL);
    if (!statement)
        return false;
    store_bind_text(statement, 1, key);
    bool is_there = sqlite3_step(statement) == SQLITE_ROW && store_read_call(statement, call);
    sqlite3_reset(statement);
    return is_there;
}
