/* Points in worker processes: rows come back bit for bit and in order whatever the number of
 * workers, and a point that dies is a row that says so. */
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/error.h"
#include "study/interrupt.h"
#include "study/pack.h"
#include "study/workers.h"
#include "study_test.h"

static void assert_same_row(const struct row *row, const struct row *expected)
{
    g_assert_cmpstr(row->failure, ==, expected->failure);
    g_assert_cmpuint(row->axis_index[0], ==, expected->axis_index[0]);
    g_assert_cmpuint(row->axis_index[1], ==, expected->axis_index[1]);
    g_assert_cmpuint(row->measure_count, ==, expected->measure_count);
    for (size_t i = 0; i < row->measure_count; i++) {
        const struct measure *a = &row->measures[i], *b = &expected->measures[i];
        g_assert_cmpstr(a->name, ==, b->name);
        g_assert_cmpint(a->value.kind, ==, b->value.kind);
        g_assert_cmpint(a->value.unit, ==, b->value.unit);
        g_assert_cmpint(a->value.quantity, ==, b->value.quantity);
        g_assert_cmpfloat(a->value.number, ==, b->value.number);
        g_assert_cmpstr(a->value.text, ==, b->value.text);
    }
}

static void test_pack_keeps_every_bit(void)
{
    struct row *row = test_row(3);
    g_autoptr(GBytes) bytes = pack_row(row);
    struct row *back = unpack_row(bytes, test_axes, TEST_AXES, 3);
    assert_same_row(back, row);
    row_free(back);
    row_free(row);
}

static void test_broken_bytes_are_no_row(void)
{
    struct row *row = test_row(0);
    g_autoptr(GBytes) bytes = pack_row(row);
    g_autoptr(GBytes) none = g_bytes_new(NULL, 0);
    g_autoptr(GBytes) half = g_bytes_new_from_bytes(bytes, 0, g_bytes_get_size(bytes) / 2);
    g_assert_null(unpack_row(none, test_axes, TEST_AXES, 0));
    g_assert_null(unpack_row(half, test_axes, TEST_AXES, 0));
    row_free(row);
}

/* --- the pool -----------------------------------------------------------------------------------
 */

static struct row *run_well(void *context, size_t point)
{
    (void)context;
    /* Later points end first, so that order is put to the test. */
    g_usleep((TEST_POINTS - point) * 3000);
    return test_row(point);
}

static struct workers_job job_of(struct row *(*run)(void *, size_t), unsigned workers)
{
    return (struct workers_job){
        .axes = test_axes, .axis_count = TEST_AXES, .workers = workers, .run = run};
}

static void test_same_rows_with_any_number_of_workers(void)
{
    for (unsigned workers = 1; workers <= 6; workers++) {
        struct workers_job job = job_of(run_well, workers);
        GError *error = NULL;
        struct row **rows = workers_run(&job, &error);
        g_assert_no_error(error);
        for (size_t i = 0; i < TEST_POINTS; i++) {
            struct row *expected = test_row(i);
            assert_same_row(rows[i], expected);
            row_free(expected);
        }
        workers_free_rows(rows, TEST_POINTS);
    }
}

/* Each point leaves something behind in memory; no other may see it. */
static struct row *run_counting(void *context, size_t point)
{
    int *runs = context;
    struct row *row = test_row(point);
    row->measures[0].value.quantity = ++*runs;
    return row;
}

static void test_points_do_not_see_each_other(void)
{
    int runs = 0;
    struct workers_job job = job_of(run_counting, 1);
    job.context = &runs;
    struct row **rows = workers_run(&job, NULL);
    for (size_t i = 0; i < TEST_POINTS; i++)
        g_assert_cmpint(rows[i]->measures[0].value.quantity, ==, 1);
    g_assert_cmpint(runs, ==, 0);
    workers_free_rows(rows, TEST_POINTS);
}

static struct row *run_with_accidents(void *context, size_t point)
{
    (void)context;
    if (point == 1) {
        signal(SIGABRT, SIG_DFL);
        fputs("check failed: bytes in == bytes out\nand more\n", stderr);
        abort();
    }
    if (point == 2)
        _exit(3);
    return test_row(point);
}

struct told {
    size_t calls, done, failed;
};

static void tell(void *context, size_t done, size_t failed)
{
    struct told *told = context;
    told->calls++;
    told->done = done;
    told->failed = failed;
}

static void test_accidents_are_rows(void)
{
    struct told told = {0};
    struct workers_job job = job_of(run_with_accidents, 2);
    job.progress = tell;
    job.progress_context = &told;
    struct row **rows = workers_run(&job, NULL);
    g_assert_null(rows[0]->failure);
    g_assert_null(rows[3]->failure);
    g_assert_cmpstr(rows[1]->failure, ==,
                    "its process was ended by signal 6 (Aborted): "
                    "check failed: bytes in == bytes out");
    g_assert_cmpstr(rows[2]->failure, ==, "its process ended with exit code 3 and no result");
    g_assert_cmpuint(rows[2]->axis_index[0], ==, 1);
    g_assert_cmpuint(rows[2]->axis_index[1], ==, 0);
    g_assert_cmpuint(told.calls, ==, TEST_POINTS);
    g_assert_cmpuint(told.done, ==, TEST_POINTS);
    g_assert_cmpuint(told.failed, ==, 2);
    workers_free_rows(rows, TEST_POINTS);
}

/* More than a pipe holds: a parent that waits for the end before it reads would wait for ever. */
static struct row *run_talkative(void *context, size_t point)
{
    (void)context;
    for (int i = 0; i < 20000; i++)
        fputs("a line of sixteen\n", stderr);
    struct row *row = test_row(point);
    g_free(row->measures[0].value.text);
    row->measures[0].value.text = g_strnfill(200000, 'x');
    return row;
}

static void test_much_text_passes(void)
{
    struct workers_job job = job_of(run_talkative, 2);
    struct row **rows = workers_run(&job, NULL);
    for (size_t i = 0; i < TEST_POINTS; i++)
        g_assert_cmpuint(strlen(rows[i]->measures[0].value.text), ==, 200000);
    workers_free_rows(rows, TEST_POINTS);
}

static struct row *run_to_a_long_end(void *context, size_t point)
{
    (void)context;
    (void)point;
    for (int i = 0; i < 100000; i++)
        fputs("no end of a line ", stderr);
    _exit(1);
}

static void test_last_words_are_cut(void)
{
    struct workers_job job = job_of(run_to_a_long_end, 2);
    struct row **rows = workers_run(&job, NULL);
    for (size_t i = 0; i < TEST_POINTS; i++) {
        g_assert_nonnull(strstr(rows[i]->failure, "no end of a line"));
        g_assert_cmpuint(strlen(rows[i]->failure), <, 10000);
    }
    workers_free_rows(rows, TEST_POINTS);
}

static struct row *run_interrupting(void *context, size_t point)
{
    (void)context;
    if (point == 0)
        kill(getppid(), SIGINT);
    while (true)
        pause();
    return NULL;
}

/* In a process of its own, since an interrupt is for good. */
static void test_interrupt_ends_the_workers(void)
{
    if (g_test_subprocess()) {
        struct workers_job job = job_of(run_interrupting, 2);
        g_autoptr(GError) error = NULL;
        interrupt_install();
        g_assert_null(workers_run(&job, &error));
        g_assert_error(error, STUDY_ERROR, STUDY_ERROR_INTERRUPTED);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pack/every-bit", test_pack_keeps_every_bit);
    g_test_add_func("/pack/broken", test_broken_bytes_are_no_row);
    g_test_add_func("/workers/any-number", test_same_rows_with_any_number_of_workers);
    g_test_add_func("/workers/apart", test_points_do_not_see_each_other);
    g_test_add_func("/workers/accidents", test_accidents_are_rows);
    g_test_add_func("/workers/much-text", test_much_text_passes);
    g_test_add_func("/workers/last-words", test_last_words_are_cut);
    g_test_add_func("/workers/interrupt", test_interrupt_ends_the_workers);
    return g_test_run();
}
