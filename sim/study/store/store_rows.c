/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes and reads the store's rows. Each point and call has a digest of its content, so that a row changed by a damaged disk
 * is not taken for a result. Many rows have the same machine, which is kept once. */

#include <stddef.h>
#include <string.h>

#include "study/store/store_private.h"

#define MOST_TIME_US (INT64_C(253402300799) * 1000000) /* the end of the year 9999 */

enum field_type { FIELD_TEXT, FIELD_BYTES, FIELD_NUMBER, FIELD_TIME };

enum { NEEDED = 1, SIGNED = 2 };

/* A field of a row's struct. */
struct field {
    size_t offset;
    enum field_type type;
    int column;     /* number of the selected column (store_read_row), from 0 */
    unsigned marks; /* a row without it is damaged; the digest of the row's content covers it */
};

#define OF_STUDY(field) offsetof(struct store_study, field)
#define OF_POINT(field) offsetof(struct store_point, field)
#define OF_CALL(field) offsetof(struct store_call, field)

static const struct field study_fields[] = {
    {OF_STUDY(digest), FIELD_TEXT, 0, NEEDED},  {OF_STUDY(seed), FIELD_NUMBER, 1, 0},
    {OF_STUDY(version), FIELD_TEXT, 2, NEEDED}, {OF_STUDY(name), FIELD_TEXT, 3, NEEDED},
    {OF_STUDY(title), FIELD_TEXT, 4, NEEDED},   {OF_STUDY(points), FIELD_NUMBER, 5, 0},
};

static const struct field point_fields[] = {
    {OF_POINT(key), FIELD_TEXT, 0, NEEDED | SIGNED},
    {OF_POINT(study), FIELD_TEXT, 1, NEEDED},
    {OF_POINT(digest), FIELD_TEXT, 2, NEEDED},
    {OF_POINT(axes), FIELD_TEXT, 3, NEEDED | SIGNED},
    {OF_POINT(seed), FIELD_NUMBER, 4, 0},
    {OF_POINT(version), FIELD_TEXT, 5, NEEDED},
    {OF_POINT(failure), FIELD_TEXT, 6, SIGNED},
    {OF_POINT(result), FIELD_BYTES, 7, NEEDED | SIGNED},
    {OF_POINT(columns), FIELD_TEXT, 8, 0},
    {OF_POINT(host), FIELD_TEXT, 10, 0},
    {OF_POINT(started_us), FIELD_TIME, 11, 0},
    {OF_POINT(duration_us), FIELD_TIME, 12, 0},
    {OF_POINT(machine_name), FIELD_TEXT, 14, 0},
    {OF_POINT(machine), FIELD_TEXT, 15, 0},
};

static const struct field call_fields[] = {
    {OF_CALL(key), FIELD_TEXT, 0, NEEDED | SIGNED},
    {OF_CALL(workload), FIELD_TEXT, 1, NEEDED},
    {OF_CALL(arguments), FIELD_TEXT, 2, NEEDED},
    {OF_CALL(seed), FIELD_NUMBER, 4, 0},
    {OF_CALL(version), FIELD_TEXT, 5, NEEDED},
    {OF_CALL(result), FIELD_BYTES, 6, NEEDED | SIGNED},
    {OF_CALL(machine), FIELD_TEXT, 8, NEEDED},
};

static const struct row_kind {
    const struct field *fields;
    size_t count, size;
    int machine, content; /* columns of the machine's id and of the digest; 0: none */
    enum store_statement put, get;
} kinds[] = {
    [STORED_STUDY] = {study_fields, G_N_ELEMENTS(study_fields), sizeof(struct store_study), 0, 0,
                      STATEMENT_PUT_STUDY, STATEMENTS},
    [STORED_POINT] = {point_fields, G_N_ELEMENTS(point_fields), sizeof(struct store_point), 9, 13,
                      STATEMENT_PUT_POINT, STATEMENT_GET_POINT},
    [STORED_CALL] = {call_fields, G_N_ELEMENTS(call_fields), sizeof(struct store_call), 3, 7,
                     STATEMENT_PUT_CALL, STATEMENT_GET_CALL},
};

static void *place_of(const void *row, const struct field *field)
{
    return (char *)(gsize)row + field->offset;
}

void store_row_clear(enum stored_kind kind, void *row)
{
    for (size_t i = 0; i < kinds[kind].count; i++) {
        const struct field *field = &kinds[kind].fields[i];
        if (field->type == FIELD_TEXT)
            g_free(*(char **)place_of(row, field));
        else if (field->type == FIELD_BYTES)
            g_clear_pointer((GBytes **)place_of(row, field), g_bytes_unref);
    }
}

/* The digest of a row's content; NULL if its kind has none. */
static char *content_of(const struct row_kind *kind, const void *row)
{
    const char *texts[G_N_ELEMENTS(point_fields) + 1];
    size_t count = 0;
    GBytes *bytes = NULL;
    for (size_t i = 0; i < kind->count; i++) {
        const struct field *field = &kind->fields[i];
        if (!(field->marks & SIGNED))
            continue;
        if (field->type == FIELD_BYTES)
            bytes = *(GBytes **)place_of(row, field);
        else
            texts[count++] = *(char **)place_of(row, field) ? *(char **)place_of(row, field) : "";
    }
    texts[count] = NULL;
    return kind->content ? store_digest(texts, bytes) : NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

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

/* Writes a machine, unless the store has it, and returns its id, which the store owns; NULL: no machine, or an error. Most rows
 * have the machine of the previous row. */
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
    forget_machine(store); /* the machine may not have been written either */
    return false;
}

static bool begin(struct result_store *store, GError **error)
{
    return sqlite3_exec(store->sqlite, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK ||
           store_fail(store, "write", error);
}

static void bind_field(sqlite3_stmt *statement, const struct field *field, const void *row)
{
    const void *place = place_of(row, field);
    if (field->type == FIELD_TEXT)
        store_bind_text(statement, field->column + 1, *(char *const *)place);
    else if (field->type == FIELD_BYTES)
        store_bind_bytes(statement, field->column + 1, *(GBytes *const *)place);
    else
        sqlite3_bind_int64(statement, field->column + 1, *(const sqlite3_int64 *)place);
}

static bool write_row(struct result_store *store, enum stored_kind number, const void *row,
                      GError **error)
{
    const struct row_kind *kind = &kinds[number];
    const struct store_point *point = number == STORED_POINT ? row : NULL;
    const struct store_call *call = number == STORED_CALL ? row : NULL;
    const char *parameters = point ? point->machine : call ? call->machine : NULL;
    sqlite3_stmt *statement = store_statement(store, kind->put, error);
    g_autofree char *content = content_of(kind, row);
    const char *machine =
        statement ? put_machine(store, point ? point->machine_name : NULL, parameters, error)
                  : NULL;
    if (!statement || (parameters && !machine))
        return false;
    for (size_t i = 0; i < kind->count; i++)
        if (!kind->content || kind->fields[i].column < kind->content)
            bind_field(statement, &kind->fields[i], row);
    if (kind->content) {
        store_bind_text(statement, kind->machine + 1, machine);
        store_bind_text(statement, kind->content + 1, content);
    }
    return run(store, statement, error);
}

bool store_put(struct result_store *store, enum stored_kind kind, const void *row, GError **error)
{
    return begin(store, error) && finish(store, write_row(store, kind, row, error), error);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads a field; fields for display are text, and times are numbers that can be added up. */
static bool read_field(sqlite3_stmt *from, const struct field *field, void *row)
{
    void *place = place_of(row, field);
    if (field->type == FIELD_TEXT) {
        char *text = *(char **)place = store_column_text(from, field->column);
        return text ? g_utf8_validate(text, -1, NULL) : !(field->marks & NEEDED);
    }
    if (field->type == FIELD_BYTES)
        return (*(GBytes **)place = store_column_bytes(from, field->column)) ||
               !(field->marks & NEEDED);
    sqlite3_int64 number = *(sqlite3_int64 *)place = sqlite3_column_int64(from, field->column);
    return field->type != FIELD_TIME || (number >= 0 && number <= MOST_TIME_US);
}

bool store_read_row(sqlite3_stmt *from, enum stored_kind number, void *row)
{
    const struct row_kind *kind = &kinds[number];
    bool is_whole = true;
    memset(row, 0, kind->size);
    for (size_t i = 0; is_whole && i < kind->count; i++)
        is_whole = read_field(from, &kind->fields[i], row);
    g_autofree char *content = is_whole ? content_of(kind, row) : NULL;
    if (is_whole && (!kind->content || g_strcmp0(content, (const char *)sqlite3_column_text(
                                                              from, kind->content)) == 0))
        return true;
    store_row_clear(number, row);
    return false;
}

bool store_get(struct result_store *store, enum stored_kind kind, const char *key, void *row)
{
    sqlite3_stmt *statement = store_statement(store, kinds[kind].get, NULL);
    if (!statement)
        return false;
    store_bind_text(statement, 1, key);
    bool is_there = sqlite3_step(statement) == SQLITE_ROW && store_read_row(statement, kind, row);
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
