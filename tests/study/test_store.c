/* SPDX-License-Identifier: BSD-3-Clause */
/* The store: what goes in comes out, what is damaged is not taken for a result, and stores merge
 * and compare by what they hold. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "script/views/views.h"
#include "study/store/contents.h"
#include "study/store/merge.h"
#include "study/store/pack.h"
#include "study/store/store.h"

static char *folder;

static char *path_of(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static struct result_store *open_store(const char *name)
{
    g_autofree char *path = path_of(name);
    GError *error = NULL;
    struct result_store *store = store_open(path, STORE_WRITE, &error);
    g_assert_no_error(error);
    return store;
}

/* Puts point `n` with that latency; NULL fails it. */
static void put_point(struct result_store *store, int n, const char *latency)
{
    g_autofree char *key = g_strdup_printf("key %d", n);
    g_autofree char *axes = g_strdup_printf("{\"n\":\"%d\"}", n);
    char study[] = "s", digest[] = "d", version[] = "v", failure[] = "went wrong";
    char machine[] = "{\"nodes\":\"2\"}", name[] = "two";
    struct measure measure = {.name = (char[]){"latency"}};
    struct row row = {.measures = &measure, .measure_count = latency ? 1 : 0};
    row.failure = latency ? NULL : failure;
    measure.value = (struct value){.kind = VALUE_NUMBER, .text = (char *)(gsize)latency};
    measure.value.number = latency ? g_ascii_strtod(latency, NULL) : 0;
    g_autoptr(GBytes) result = pack_row(&row);
    const struct store_point point = {.key = key,
                                      .study = study,
                                      .digest = digest,
                                      .axes = axes,
                                      .seed = 1,
                                      .version = version,
                                      .failure = row.failure,
                                      .result = result,
                                      .machine_name = name,
                                      .machine = machine,
                                      .duration_us = 7};
    GError *error = NULL;
    store_put(store, STORED_POINT, &point, &error);
    g_assert_no_error(error);
}

static bool count(void *context, const void *row)
{
    const struct store_point *point = row;
    size_t *seen = context;
    g_assert_cmpstr(point->machine, ==, "{\"nodes\":\"2\"}");
    (*seen)++;
    return true;
}

static size_t count_points(struct result_store *store)
{
    size_t seen = 0;
    GError *error = NULL;
    g_assert_true(store_each(store, STORED_POINT, count, &seen, &error));
    g_assert_no_error(error);
    return seen;
}

static void test_in_and_out(void)
{
    struct result_store *store = open_store("in-out.db");
    struct store_point point;
    put_point(store, 1, "2.5");
    put_point(store, 2, NULL);
    put_point(store, 1, "3.5"); /* takes the place of the first */
    store_close(store);
    store = open_store("in-out.db");
    g_assert_cmpuint(count_points(store), ==, 2);
    g_assert_true(store_get(store, STORED_POINT, "key 1", &point));
    struct row *row = g_new0(struct row, 1);
    g_assert_true(unpack_row(point.result, row));
    g_assert_cmpfloat(row->measures[0].value.number, ==, 3.5);
    g_assert_cmpstr(point.machine_name, ==, "two");
    g_assert_cmpint(point.duration_us, ==, 7);
    store_row_clear(STORED_POINT, &point);
    row_free(row);
    g_assert_true(store_get(store, STORED_POINT, "key 2", &point));
    g_assert_cmpstr(point.failure, ==, "went wrong");
    store_row_clear(STORED_POINT, &point);
    g_assert_false(store_get(store, STORED_POINT, "key 3", &point));
    store_close(store);
}

static void test_calls(void)
{
    struct result_store *store = open_store("calls.db");
    const struct workload_call asked = {"get", "{\"nodes\":\"2\"}", "{\"bytes\":\"8B\"}", 5};
    struct workload_call other = asked;
    other.seed = 6;
    g_autofree char *key = store_call_key(&asked, "v1");
    g_autofree char *of_other = store_call_key(&other, "v1");
    g_autofree char *of_version = store_call_key(&asked, "v2");
    g_assert_cmpstr(key, !=, of_other);
    g_assert_cmpstr(key, !=, of_version);
    g_autoptr(GBytes) result = g_bytes_new("result", 6);
    char version[] = "v1";
    struct store_call call = {key,
                              (char *)(gsize)asked.workload,
                              (char *)(gsize)asked.arguments,
                              (char *)(gsize)asked.machine,
                              5,
                              version,
                              result};
    g_assert_true(store_put(store, STORED_CALL, &call, NULL));
    g_assert_true(store_put(store, STORED_CALL, &call, NULL));
    struct store_call found;
    g_assert_true(store_get(store, STORED_CALL, key, &found));
    g_assert_true(g_bytes_equal(found.result, result));
    g_assert_cmpstr(found.machine, ==, asked.machine);
    store_row_clear(STORED_CALL, &found);
    g_assert_false(store_get(store, STORED_CALL, of_other, &found));
    store_close(store);
}

/* Files that are no stores are refused and stay as they are. */
static void test_refuses_other_files(void)
{
    g_autofree char *text = path_of("text.db"), *none = path_of("none.db");
    g_autoptr(GError) no_store = NULL, missing = NULL;
    g_assert_true(g_file_set_contents(text, "some text that is no database at all", -1, NULL));
    g_assert_null(store_open(text, STORE_WRITE, &no_store));
    g_assert_error(no_store, ERROR_DOMAIN, ERROR_USE);
    g_autofree char *after = NULL;
    g_assert_true(g_file_get_contents(text, &after, NULL, NULL));
    g_assert_cmpstr(after, ==, "some text that is no database at all");
    g_assert_null(store_open(none, STORE_READ, &missing));
    g_assert_error(missing, ERROR_DOMAIN, ERROR_USE);
    g_assert_false(g_file_test(none, G_FILE_TEST_EXISTS));
}

static bool count_any(void *context, const void *row)
{
    (void)row;
    (*(size_t *)context)++;
    return true;
}

/* Changes a store behind its back. */
static void change(const char *name, const char *statements)
{
    g_autofree char *path = path_of(name);
    sqlite3 *sqlite;
    g_assert_cmpint(sqlite3_open(path, &sqlite), ==, SQLITE_OK);
    g_assert_cmpint(sqlite3_exec(sqlite, statements, NULL, NULL, NULL), ==, SQLITE_OK);
    sqlite3_close(sqlite);
}

/* Overwrites `length` bytes of a file from `offset` on. */
static void damage(const char *path, off_t offset, size_t length)
{
    int fd = open(path, O_WRONLY);
    g_autofree char *noise = g_strnfill(length, 'Z');
    g_assert_cmpint(pwrite(fd, noise, length, offset), ==, (gssize)length);
    close(fd);
}

#define PAGE_BYTES 4096
#define MANY 600 /* points */

/* A store of many points, closed; its path and its pages. */
static char *make_large(const char *name, off_t *pages)
{
    struct result_store *store = open_store(name);
    GStatBuf status;
    for (int i = 0; i < MANY; i++)
        put_point(store, i, "1");
    store_close(store);
    char *path = path_of(name);
    g_assert_cmpint(g_stat(path, &status), ==, 0);
    *pages = status.st_size / PAGE_BYTES;
    return path;
}

/* Merges a damaged store into a new one; the points that were saved. What is saved is sound, and the
 * source stays as it is. */
static size_t save(const char *path, const char *name)
{
    struct result_store *saved = open_store(name);
    struct merge_counts counts = {0};
    GError *error = NULL;
    g_autofree char *before = NULL, *after = NULL;
    gsize length_before, length_after;
    uint64_t lost = 1;
    g_assert_true(g_file_get_contents(path, &before, &length_before, NULL));
    merge_store(saved, path, &counts, &error);
    g_assert_no_error(error);
    g_assert_true(g_file_get_contents(path, &after, &length_after, NULL));
    g_assert_cmpuint(length_before, ==, length_after);
    g_assert_true(memcmp(before, after, length_before) == 0);
    g_assert_cmpuint(counts.damaged_stores, ==, 1);
    g_assert_cmpuint(count_points(saved), ==, counts.points);
    g_assert_false(store_is_damaged(saved, &lost));
    g_assert_cmpuint(lost, ==, 0);
    store_close(saved);
    return counts.points;
}

/* A page in the middle is lost: the rows on all others are saved. */
static void test_damage(void)
{
    off_t pages;
    g_autofree char *path = make_large("damaged.db", &pages);
    damage(path, pages / 2 * PAGE_BYTES, PAGE_BYTES);
    size_t saved = save(path, "saved.db");
    g_assert_cmpuint(saved, >=, MANY - 100);
    g_assert_cmpuint(saved, <=, MANY);
}

/* Its first page is lost, and with it the list of tables: all rows are saved. */
static void test_no_head(void)
{
    off_t pages;
    g_autofree char *path = make_large("headless.db", &pages);
    g_autoptr(GError) error = NULL;
    damage(path, 0, PAGE_BYTES);
    g_assert_null(store_open(path, STORE_READ, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_RUN);
    g_assert_cmpuint(save(path, "saved-headless.db"), ==, MANY);
}

/* Half of the file is gone: about half of the rows are saved. Of a third of it less, as the first
 * pages have none. Nothing stands on the first alone. */
static void test_truncated(void)
{
    off_t pages;
    g_autofree char *path = make_large("truncated.db", &pages);
    g_autoptr(GError) error = NULL;
    g_assert_cmpint(truncate(path, pages / 2 * PAGE_BYTES + 100), ==, 0);
    g_assert_null(store_open(path, STORE_READ, &error));
    g_assert_nonnull(strstr(error->message, "gpunetsim merge"));
    g_assert_cmpuint(save(path, "half.db"), >, MANY * 4 / 10);
    g_assert_cmpint(truncate(path, pages / 3 * PAGE_BYTES), ==, 0);
    g_assert_cmpuint(save(path, "third.db"), >, MANY / 10);
    g_assert_cmpint(truncate(path, PAGE_BYTES), ==, 0);
    g_autoptr(GError) nothing = NULL;
    g_assert_null(store_open(path, STORE_SALVAGE, &nothing));
    g_assert_error(nothing, ERROR_DOMAIN, ERROR_RUN);
    g_autofree char *log = g_strconcat(path, "-wal", NULL),
                    *shared = g_strconcat(path, "-shm", NULL);
    g_assert_false(g_file_test(log, G_FILE_TEST_EXISTS));
    g_assert_false(g_file_test(shared, G_FILE_TEST_EXISTS));
}

/* Bytes anywhere: whatever is read is what was written, and nothing crashes or goes on for ever. */
static void test_noise(void)
{
    off_t pages;
    g_autofree char *path = make_large("noise.db", &pages);
    g_autofree char *sound = NULL;
    gsize length;
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    g_assert_true(g_file_get_contents(path, &sound, &length, NULL));
    for (int round = 0; round < 40; round++) {
        g_autofree char *noisy = g_memdup2(sound, length);
        for (int i = 0; i < 1 << round % 12; i++)
            noisy[(gsize)g_rand_int(random) % length] = (char)g_rand_int(random);
        g_assert_true(g_file_set_contents(path, noisy, (gssize)length, NULL));
        struct result_store *store = store_open(path, STORE_SALVAGE, NULL);
        size_t seen = 0;
        if (store)
            store_each(store, STORED_POINT, count_any, &seen, NULL);
        g_assert_cmpuint(seen, <=, MANY);
        store_close(store);
    }
}

/* Row numbers say nothing about how many rows there are. */
static void test_far_rows(void)
{
    struct result_store *store = open_store("far.db");
    for (int i = 0; i < 5; i++)
        put_point(store, i, "1");
    store_close(store);
    change("far.db", "UPDATE point SET rowid = 1 << 40 WHERE rowid = 2;"
                     "UPDATE point SET rowid = 9223372036854775807 WHERE rowid = 3;"
                     "UPDATE point SET rowid = -7 WHERE rowid = 4;");
    store = open_store("far.db");
    g_assert_cmpuint(count_points(store), ==, 5);
    store_close(store);
}

/* Rows that no gpunetsim has written, each with the digest that its content should have, are left
 * out; the others are there. */
static void test_wrong_rows(void)
{
    static const char *const changes[] = {
        "UPDATE point SET result = NULL WHERE rowid = 1",
        "UPDATE point SET axes = x'00ff' WHERE rowid = 1",
        "UPDATE point SET study = x'ff41' WHERE rowid = 1",
        "UPDATE point SET result = zeroblob(100000000) WHERE rowid = 1",
        "UPDATE point SET duration_us = 9223372036854775807 WHERE rowid = 1",
        "UPDATE point SET started_us = -9223372036854775808 WHERE rowid = 1",
        "UPDATE point SET key = NULL WHERE rowid = 1",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_autofree char *name = g_strdup_printf("wrong-%zu.db", i);
        struct result_store *store = open_store(name);
        uint64_t lost;
        put_point(store, 1, "1");
        put_point(store, 2, "2");
        store_close(store);
        change(name, changes[i]);
        store = open_store(name);
        g_assert_cmpuint(count_points(store), ==, 1);
        g_assert_true(store_is_damaged(store, &lost));
        g_assert_cmpuint(lost, >=, 1);
        store_close(store);
    }
}

/* A file that says that it is a store and has other tables is refused. */
static void test_wrong_tables(void)
{
    static const char *const changes[] = {
        "DROP TABLE call",
        "DROP TABLE machine",
        "DROP INDEX point_of_study",
        "DROP TABLE point; CREATE VIEW point AS SELECT * FROM call",
        "CREATE TRIGGER t AFTER INSERT ON point BEGIN DELETE FROM call; END",
        "CREATE UNIQUE INDEX other ON point (study)",
        "ALTER TABLE study ADD COLUMN more TEXT",
        "CREATE TABLE mine (a)",
        "CREATE VIEW mine AS SELECT 1",
        "CREATE INDEX mine ON call (workload)",
        "CREATE TABLE mine (a); CREATE TRIGGER t AFTER INSERT ON mine BEGIN DELETE FROM call; END",
        "ANALYZE",
        "PRAGMA user_version = 2",
        "PRAGMA application_id = 2",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        g_autofree char *name = g_strdup_printf("tables-%zu.db", i);
        g_autofree char *path = path_of(name);
        store_close(open_store(name));
        change(name, changes[i]);
        for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
            g_autoptr(GError) error = NULL;
            g_assert_null(store_open(path, (enum store_mode)mode, &error));
            g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
            if (strstr(changes[i], "mine"))
                g_assert_nonnull(strstr(error->message, " \"mine\""));
        }
    }
}

/* A path is a path, whatever SQLite could read into it. */
static void test_odd_paths(void)
{
    static const char *const names[] = {":memory:", "file:x?mode=memory", "a%20b#c?d"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = path_of(names[i]);
        struct result_store *store = open_store(names[i]);
        put_point(store, 1, "1");
        store_close(store);
        g_assert_true(g_file_test(path, G_FILE_TEST_IS_REGULAR));
    }
}

#define MAKERS 8

/* Processes that make one store at the same moment all get it. */
static void test_made_at_the_same_moment(void)
{
    for (int round = 0; round < 10; round++) {
        g_autofree char *name = g_strdup_printf("made-%d.db", round);
        int gate[2], status;
        pid_t makers[MAKERS];
        g_assert_cmpint(pipe(gate), ==, 0);
        for (int i = 0; i < MAKERS; i++) {
            makers[i] = fork();
            if (makers[i] != 0)
                continue;
            char byte;
            close(gate[1]);
            g_assert_cmpint(read(gate[0], &byte, 1), ==, 0); /* until all are there */
            struct result_store *store = open_store(name);
            put_point(store, i, "1");
            store_close(store);
            _exit(0);
        }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < MAKERS; i++) {
            g_assert_cmpint(waitpid(makers[i], &status, 0), ==, makers[i]);
            g_assert_cmpint(status, ==, 0);
        }
        struct result_store *store = open_store(name);
        g_assert_cmpuint(count_points(store), ==, MAKERS);
        store_close(store);
    }
}

/* What `gpunetsim diff` says at its end. */
static void assert_differ(struct result_store *a, struct result_store *b, double tolerance,
                          const char *counts)
{
    GVariant *contents[] = {store_contents(a, true, NULL), store_contents(b, true, NULL)};
    g_auto(GStrv) texts = views_texts(
        "store", "diff", g_variant_new("(**d)", contents[0], contents[1], tolerance), NULL);
    g_autofree char *end = g_strconcat(counts, "\n", NULL);
    g_assert_true(g_str_has_suffix(texts[0], end));
}

static void test_merge(void)
{
    struct result_store *a = open_store("a.db"), *b = open_store("b.db"), *c = open_store("c.db");
    g_autofree char *path_a = path_of("a.db"), *path_b = path_of("b.db");
    put_point(a, 1, "1");
    put_point(a, 2, NULL); /* went well in b */
    put_point(a, 3, "3");
    put_point(b, 2, "2");
    put_point(b, 3, "33"); /* contradicts a */
    put_point(b, 4, "4");
    struct merge_counts counts = {0};
    g_assert_true(merge_store(c, path_a, &counts, NULL));
    g_assert_true(merge_store(c, path_b, &counts, NULL));
    g_assert_cmpuint(count_points(c), ==, 4);
    g_assert_cmpuint(counts.contradictions, ==, 1);
    struct store_point point;
    g_assert_true(store_get(c, STORED_POINT, "key 2", &point));
    g_assert_null(point.failure);
    store_row_clear(STORED_POINT, &point);

    /* c against a: point 2 differs in its failure and its latency, 4 is c's alone. */
    assert_differ(c, a, 0, "3 points compared, 3 differences");
    store_close(a);
    store_close(b);
    store_close(c);
}

static void test_tolerance(void)
{
    struct result_store *a = open_store("one.db"), *b = open_store("other.db");
    put_point(a, 1, "1000");
    put_point(b, 1, "1001");
    assert_differ(a, b, 0.0009, "1 points compared, 1 differences");
    assert_differ(a, b, 0.001, "1 points compared, 0 differences");
    store_close(a);
    store_close(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("gpunetsim-XXXXXX", NULL);
    g_test_add_func("/store/in-and-out", test_in_and_out);
    g_test_add_func("/store/calls", test_calls);
    g_test_add_func("/store/other-files", test_refuses_other_files);
    g_test_add_func("/store/damage", test_damage);
    g_test_add_func("/store/no-head", test_no_head);
    g_test_add_func("/store/truncated", test_truncated);
    g_test_add_func("/store/noise", test_noise);
    g_test_add_func("/store/far-rows", test_far_rows);
    g_test_add_func("/store/wrong-rows", test_wrong_rows);
    g_test_add_func("/store/wrong-tables", test_wrong_tables);
    g_test_add_func("/store/odd-paths", test_odd_paths);
    g_test_add_func("/store/made-at-the-same-moment", test_made_at_the_same_moment);
    g_test_add_func("/store/merge", test_merge);
    g_test_add_func("/store/tolerance", test_tolerance);
    int result = g_test_run();
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    for (const char *name; (name = g_dir_read_name(entries));) {
        g_autofree char *path = path_of(name);
        g_unlink(path);
    }
    g_rmdir(folder);
    g_free(folder);
    return result;
}
