/* The store: what goes in comes out, what is damaged is not taken for a result, and stores merge
 * and compare by what they hold. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "study/diff.h"
#include "study/error.h"
#include "study/merge.h"
#include "study/pack.h"
#include "study/store.h"

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
    measure.value = (struct script_value){.kind = SCRIPT_NUMBER, .text = (char *)(gsize)latency};
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
    store_put_point(store, &point, &error);
    g_assert_no_error(error);
}

static bool count(void *context, const struct store_point *point)
{
    size_t *seen = context;
    g_assert_cmpstr(point->machine, ==, "{\"nodes\":\"2\"}");
    (*seen)++;
    return true;
}

static size_t count_points(struct result_store *store, uint64_t *damaged)
{
    size_t seen = 0;
    store_each_point(store, count, &seen, damaged);
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
    g_assert_cmpuint(count_points(store, NULL), ==, 2);
    g_assert_true(store_get_point(store, "key 1", &point));
    struct row *row = g_new0(struct row, 1);
    g_assert_true(unpack_row(point.result, row));
    g_assert_cmpfloat(row->measures[0].value.number, ==, 3.5);
    g_assert_cmpstr(point.machine_name, ==, "two");
    g_assert_cmpint(point.duration_us, ==, 7);
    store_point_clear(&point);
    row_free(row);
    g_assert_true(store_get_point(store, "key 2", &point));
    g_assert_cmpstr(point.failure, ==, "went wrong");
    store_point_clear(&point);
    g_assert_false(store_get_point(store, "key 3", &point));
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
    g_assert_true(store_put_call(store, &call, NULL));
    g_assert_true(store_put_call(store, &call, NULL));
    struct store_call found;
    g_assert_true(store_get_call(store, key, &found));
    g_assert_true(g_bytes_equal(found.result, result));
    g_assert_cmpstr(found.machine, ==, asked.machine);
    store_call_clear(&found);
    g_assert_false(store_get_call(store, of_other, &found));
    store_close(store);
}

/* Files that are no stores are refused and stay as they are. */
static void test_refuses_other_files(void)
{
    g_autofree char *text = path_of("text.db"), *none = path_of("none.db");
    g_autoptr(GError) no_store = NULL, missing = NULL;
    g_assert_true(g_file_set_contents(text, "some text that is no database at all", -1, NULL));
    g_assert_null(store_open(text, STORE_WRITE, &no_store));
    g_assert_error(no_store, STUDY_ERROR, STUDY_ERROR_RUN);
    g_autofree char *after = NULL;
    g_assert_true(g_file_get_contents(text, &after, NULL, NULL));
    g_assert_cmpstr(after, ==, "some text that is no database at all");
    g_assert_null(store_open(none, STORE_READ, &missing));
    g_assert_error(missing, STUDY_ERROR, STUDY_ERROR_USE);
    g_assert_false(g_file_test(none, G_FILE_TEST_EXISTS));
}

/* Overwrites `length` bytes of a file from `offset` on. */
static void damage(const char *path, off_t offset, size_t length)
{
    int fd = open(path, O_WRONLY);
    g_autofree char *noise = g_strnfill(length, 'Z');
    g_assert_cmpint(pwrite(fd, noise, length, offset), ==, (gssize)length);
    close(fd);
}

/* A page of a store of some hundred is lost: merge saves the rows on all others. */
static void test_damage(void)
{
    struct result_store *store = open_store("damaged.db");
    for (int i = 0; i < 500; i++)
        put_point(store, i, "1");
    store_close(store);
    g_autofree char *path = path_of("damaged.db");
    GStatBuf status;
    g_assert_cmpint(g_stat(path, &status), ==, 0);
    damage(path, status.st_size / 4096 / 2 * 4096, 4096);
    struct result_store *saved = open_store("saved.db");
    struct merge_counts counts = {0};
    GError *error = NULL;
    merge_store(saved, path, &counts, &error);
    g_assert_no_error(error);
    uint64_t damaged = 0;
    g_assert_cmpuint(counts.points, >=, 400);
    g_assert_cmpuint(counts.points, <, 500);
    g_assert_cmpuint(counts.damaged, >, 0);
    g_assert_cmpuint(count_points(saved, &damaged), ==, counts.points);
    g_assert_cmpuint(damaged, ==, 0);
    store_close(saved);
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
    g_assert_cmpuint(count_points(c, NULL), ==, 4);
    g_assert_cmpuint(counts.contradictions, ==, 1);
    struct store_point point;
    g_assert_true(store_get_point(c, "key 2", &point));
    g_assert_null(point.failure);
    store_point_clear(&point);

    /* c against a: point 2 differs in its failure and its latency, 4 is c's alone. */
    struct diff *diff = diff_stores(c, a, 0, 100);
    g_assert_cmpuint(diff->compared, ==, 3);
    g_assert_cmpuint(diff->differences, ==, 3);
    diff_free(diff);
    store_close(a);
    store_close(b);
    store_close(c);
}

static void test_tolerance(void)
{
    struct result_store *a = open_store("one.db"), *b = open_store("other.db");
    put_point(a, 1, "1000");
    put_point(b, 1, "1001");
    struct diff *strict = diff_stores(a, b, 0.0009, 10), *loose = diff_stores(a, b, 0.001, 10);
    g_assert_cmpuint(strict->differences, ==, 1);
    g_assert_cmpuint(loose->differences, ==, 0);
    diff_free(strict);
    diff_free(loose);
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
