/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the rows of a damaged store from its pages, one by one.
 *
 * SQLite refuses a file as a whole when it is shorter than its header says, and loses all rows below
 * a page that is gone, though each leaf page tells by itself which rows stand on it. The format is
 * the one of https://www.sqlite.org/fileformat2.html: section 1.6 has pages and cells, 2.1 records,
 * 4.1 the log. The tables of a store are told apart by their number of columns. SQLite's own recovery
 * (`.recover` of its shell) needs the table sqlite_dbpage, which Debian's library is built without: of a whole store it saves no row.
 *
 * The rows go into a temporary database, which SQLite deletes by itself however the process ends. */
#include "study/store/salvage.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "study/store/store_private.h"
#include "study/system/interrupt.h"

#define DEFAULT_PAGE_BYTES 4096
#define FILE_HEADER_BYTES 100
#define LOG_HEADER_BYTES 32
#define FRAME_HEADER_BYTES 24
#define PAGE_HEADER_BYTES 8
#define LEAF_OF_TABLE 0x0d
#define MOST_COLUMNS 14

struct salvage {
    int file, log; /* -1: there is none */
    guint32 page_bytes, usable_bytes;
    guint64 pages, frames; /* whole ones */
    GHashTable *logged;    /* the latest frame of a page, counted from 1 */
    guint64 budget_bytes;  /* that rows may still have: no two share a byte */
    sqlite3 *rows;
    sqlite3_stmt *insert[MOST_COLUMNS + 1]; /* by number of columns */
    uint64_t lost;
};

static guint32 big_endian(const guint8 *bytes, unsigned count)
{
    guint32 number = 0;
    for (unsigned i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* --- pages -------------------------------------------------------------------------------------
 */

static bool read_at(int file, void *bytes, size_t length, guint64 offset)
{
    return file >= 0 && pread(file, bytes, length, (off_t)offset) == (ssize_t)length;
}

static guint64 frame_offset(const struct salvage *salvage, guint64 frame)
{
    return LOG_HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + salvage->page_bytes);
}

static bool read_page(const struct salvage *salvage, guint32 number, guint8 *page)
{
    guint64 frame =
        GPOINTER_TO_SIZE(g_hash_table_lookup(salvage->logged, GSIZE_TO_POINTER((gsize)number)));
    if (frame)
        return read_at(salvage->log, page, salvage->page_bytes,
                       frame_offset(salvage, frame) + FRAME_HEADER_BYTES);
    return number >= 1 && number <= salvage->pages &&
           read_at(salvage->file, page, salvage->page_bytes,
                   (guint64)(number - 1) * salvage->page_bytes);
}

static guint64 file_bytes(int file)
{
    struct stat status;
    return file >= 0 && fstat(file, &status) == 0 ? (guint64)status.st_size : 0;
}

/* The page size as the header has it, or the usual one where that cannot be. */
static void read_header(struct salvage *salvage)
{
    guint8 header[FILE_HEADER_BYTES] = {0};
    guint32 bytes = 0, reserved = 0;
    if (read_at(salvage->file, header, sizeof header, 0)) {
        bytes = big_endian(header + 16, 2);
        bytes = bytes == 1 ? 65536 : bytes;
        reserved = header[20];
    }
    bool is_size = bytes >= 512 && (bytes & (bytes - 1)) == 0;
    salvage->page_bytes = is_size ? bytes : DEFAULT_PAGE_BYTES;
    salvage->usable_bytes = salvage->page_bytes - (is_size && reserved <= 32 ? reserved : 0);
    salvage->pages = file_bytes(salvage->file) / salvage->page_bytes;
}

/* Finds the frames of the log that belong to its present run. */
static void read_log(struct salvage *salvage)
{
    guint8 header[LOG_HEADER_BYTES], frame[FRAME_HEADER_BYTES];
    if (!read_at(salvage->log, header, sizeof header, 0))
        return;
    salvage->frames =
        (file_bytes(salvage->log) - LOG_HEADER_BYTES) / (FRAME_HEADER_BYTES + salvage->page_bytes);
    for (guint64 i = 1; i <= salvage->frames; i++) {
        if (!read_at(salvage->log, frame, sizeof frame, frame_offset(salvage, i)) ||
            memcmp(frame + 8, header + 16, 8) != 0)
            continue;
        g_hash_table_replace(salvage->logged, GSIZE_TO_POINTER((gsize)big_endian(frame, 4)),
                             GSIZE_TO_POINTER((gsize)i));
    }
}

/* --- records -----------------------------------------------------------------------------------
 */

/* What is left of a run of bytes. */
struct bytes {
    const guint8 *at, *end;
};

static bool take_varint(struct bytes *bytes, guint64 *number)
{
    *number = 0;
    for (int i = 0; i < 9 && bytes->at < bytes->end; i++) {
        guint8 byte = *bytes->at++;
        *number = i == 8 ? *number << 8 | byte : *number << 7 | (byte & 0x7f);
        if (i == 8 || !(byte & 0x80))
            return true;
    }
    return false;
}

/* The bytes of a value by its type in the record's header. */
static guint64 value_bytes(guint64 type)
{
    static const guint8 small[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < G_N_ELEMENTS(small) ? small[type] : (type - 12) / 2;
}

/* Numbers of a store are integers; a float is none of its values and becomes NULL. */
static void bind_value(sqlite3_stmt *statement, int index, guint64 type, const guint8 *at)
{
    guint64 length = value_bytes(type);
    if (type >= 12 && type % 2 == 0)
        sqlite3_bind_blob64(statement, index, at, length, SQLITE_STATIC);
    else if (type >= 12)
        sqlite3_bind_text64(statement, index, (const char *)at, length, SQLITE_STATIC, SQLITE_UTF8);
    else if (type == 8 || type == 9)
        sqlite3_bind_int64(statement, index, (sqlite3_int64)(type - 8));
    else if (type >= 1 && type <= 6) {
        guint64 number = at[0] & 0x80 ? G_MAXUINT64 : 0; /* the sign */
        for (guint64 i = 0; i < length; i++)
            number = number << 8 | at[i];
        sqlite3_bind_int64(statement, index, (sqlite3_int64)number);
    } else
        sqlite3_bind_null(statement, index);
}

/* Binds a record's values to the statement of its number of columns; NULL if it is none. */
static sqlite3_stmt *bind_record(const struct salvage *salvage, struct bytes payload)
{
    guint64 header_bytes, types[MOST_COLUMNS];
    const guint8 *begin = payload.at;
    int columns = 0;
    if (!take_varint(&payload, &header_bytes) || header_bytes > (guint64)(payload.end - begin))
        return NULL;
    struct bytes header = {payload.at, begin + header_bytes};
    while (header.at < header.end) {
        if (columns == MOST_COLUMNS || !take_varint(&header, &types[columns++]))
            return NULL;
    }
    sqlite3_stmt *statement = salvage->insert[columns];
    const guint8 *at = begin + header_bytes;
    for (int i = 0; statement && i < columns; i++) {
        guint64 length = value_bytes(types[i]);
        if (length > (guint64)(payload.end - at))
            return NULL;
        bind_value(statement, i + 2, types[i], at);
        at += length;
    }
    return statement;
}

/* A row without content, or one that its table does not take, is lost. */
static void keep_row(struct salvage *salvage, gint64 row, struct bytes payload)
{
    sqlite3_stmt *statement = bind_record(salvage, payload);
    if (!statement) {
        salvage->lost++;
        return;
    }
    sqlite3_bind_int64(statement, 1, row);
    salvage->lost += sqlite3_step(statement) != SQLITE_DONE;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

/* --- cells -------------------------------------------------------------------------------------
 */

/* The bytes of a payload that stand in the cell itself. */
static guint64 local_bytes(const struct salvage *salvage, guint64 payload_bytes)
{
    guint64 usable = salvage->usable_bytes, most = usable - 35;
    guint64 least = (usable - 12) * 32 / 255 - 23;
    guint64 wanted = least + (payload_bytes - least) % (usable - 4);
    if (payload_bytes <= most)
        return payload_bytes;
    return wanted <= most ? wanted : least;
}

/* Appends what goes on on other pages, to `length` bytes in all; false if it breaks off. */
static bool append_overflow(const struct salvage *salvage, guint32 next, guint64 length,
                            GByteArray *payload)
{
    g_autofree guint8 *page = g_malloc(salvage->page_bytes);
    while (payload->len < length) {
        if (!read_page(salvage, next, page))
            return false;
        guint64 part = MIN(length - payload->len, salvage->usable_bytes - 4);
        g_byte_array_append(payload, page + 4, (guint)part);
        next = big_endian(page, 4);
    }
    return true;
}

static bool take_cell(struct salvage *salvage, struct bytes cell)
{
    guint64 length, row;
    if (!take_varint(&cell, &length) || !take_varint(&cell, &row) ||
        length > MIN(STORE_MOST_BYTES, salvage->budget_bytes))
        return false;
    guint64 local = local_bytes(salvage, length);
    bool is_long = local < length;
    if (local + (is_long ? 4 : 0) > (guint64)(cell.end - cell.at))
        return false;
    salvage->budget_bytes -= length;
    g_autoptr(GByteArray) payload = g_byte_array_new();
    g_byte_array_append(payload, cell.at, (guint)local);
    if (is_long && !append_overflow(salvage, big_endian(cell.at + local, 4), length, payload))
        return false;
    keep_row(salvage, (gint64)row, (struct bytes){payload->data, payload->data + length});
    return true;
}

static void take_page(struct salvage *salvage, guint32 number, guint8 *page)
{
    if (number <= 1 || !read_page(salvage, number, page) || page[0] != LEAF_OF_TABLE)
        return; /* the first page has the list of tables */
    guint32 cells = big_endian(page + 3, 2);
    cells = MIN(cells, (salvage->usable_bytes - PAGE_HEADER_BYTES) / 2);
    for (guint32 i = 0; i < cells; i++) {
        guint32 offset = big_endian(page + PAGE_HEADER_BYTES + 2 * i, 2);
        struct bytes cell = {page + offset, page + salvage->usable_bytes};
        if (offset < PAGE_HEADER_BYTES || offset >= salvage->usable_bytes ||
            !take_cell(salvage, cell))
            salvage->lost++;
    }
}

static bool take_pages(struct salvage *salvage, GError **error)
{
    g_autofree guint8 *page = g_malloc(salvage->page_bytes);
    guint8 frame[FRAME_HEADER_BYTES];
    for (guint64 i = 1; i <= salvage->pages && i <= G_MAXUINT32; i++) {
        if (interrupt_pending(error))
            return false;
        take_page(salvage, (guint32)i, page);
    }
    for (guint64 i = 1; i <= salvage->frames; i++) { /* pages that the file does not have yet */
        if (interrupt_pending(error))
            return false;
        bool is_there = read_at(salvage->log, frame, sizeof frame, frame_offset(salvage, i));
        guint32 number = is_there ? big_endian(frame, 4) : 0;
        gpointer latest = g_hash_table_lookup(salvage->logged, GSIZE_TO_POINTER((gsize)number));
        if (number > salvage->pages && GPOINTER_TO_SIZE(latest) == i)
            take_page(salvage, number, page);
    }
    return true;
}

/* --- the whole ---------------------------------------------------------------------------------
 */

/* A row of a page that was given back may have the same key as a later one. */
static bool begin_rows(struct salvage *salvage)
{
    static const struct {
        int columns;
        const char *text;
    } inserts[] = {
        {3, "INSERT OR IGNORE INTO machine (rowid, id, name, parameters) VALUES (?, ?, ?, ?)"},
        {6, "INSERT OR IGNORE INTO study (rowid, digest, seed, version, name, title, points)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)"},
        {8, "INSERT OR IGNORE INTO call (rowid, key, workload, arguments, machine, seed, version,"
            " result, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"},
        {14, "INSERT OR IGNORE INTO point (rowid, key, study, digest, axes, seed, version, failure,"
             " result, columns, machine, host, started_us, duration_us, content)"
             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
    };
    bool is_good = sqlite3_open("", &salvage->rows) == SQLITE_OK &&
                   store_write_schema(salvage->rows) &&
                   sqlite3_exec(salvage->rows, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    for (size_t i = 0; is_good && i < G_N_ELEMENTS(inserts); i++)
        is_good = sqlite3_prepare_v2(salvage->rows, inserts[i].text, -1,
                                     &salvage->insert[inserts[i].columns], NULL) == SQLITE_OK;
    return is_good;
}

static bool end_rows(struct salvage *salvage)
{
    for (size_t i = 0; i < G_N_ELEMENTS(salvage->insert); i++)
        sqlite3_finalize(salvage->insert[i]);
    return sqlite3_exec(salvage->rows, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

static bool fail_rows(const struct salvage *salvage, GError **error)
{
    error_set_code(error, ERROR_RUN, "cannot keep what a damaged store has: %s",
                   sqlite3_errmsg(salvage->rows));
    return false;
}

sqlite3 *salvage_open(const char *path, uint64_t *lost, GError **error)
{
    g_autofree char *log = g_strconcat(path, "-wal", NULL);
    struct salvage salvage = {.file = open(path, O_RDONLY | O_CLOEXEC),
                              .log = open(log, O_RDONLY | O_CLOEXEC),
                              .logged = g_hash_table_new(NULL, NULL)};
    read_header(&salvage);
    read_log(&salvage);
    salvage.budget_bytes = file_bytes(salvage.file) + file_bytes(salvage.log);
    bool is_good = begin_rows(&salvage) || fail_rows(&salvage, error);
    is_good = is_good && take_pages(&salvage, error);
    bool is_kept = end_rows(&salvage);
    if (is_good && !is_kept)
        is_good = fail_rows(&salvage, error);
    if (!is_good)
        sqlite3_close(g_steal_pointer(&salvage.rows));
    g_hash_table_unref(salvage.logged);
    if (salvage.file >= 0)
        close(salvage.file);
    if (salvage.log >= 0)
        close(salvage.log);
    *lost = salvage.lost;
    return salvage.rows;
}
