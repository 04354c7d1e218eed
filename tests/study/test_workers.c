/* SPDX-License-Identifier: BSD-3-Clause */
/* Points in worker processes: results come back bit for bit whatever the number of workers, a point
 * that dies or hangs has a failure that says so, and ground is built once where it can be. */
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "study/run/workers.h"
#include "study/store/pack.h"
#include "study/system/interrupt.h"
#include "study_test.h"

/* --- packing -----------------------------------------------------------------------------------
 */

static void test_pack_keeps_every_bit(void)
{
    struct row *row = test_row(3), *back = g_new0(struct row, 1);
    g_autoptr(GBytes) bytes = pack_row(row);
    g_assert_true(unpack_row(bytes, back));
    g_assert_cmpuint(back->measure_count, ==, row->measure_count);
    for (size_t i = 0; i < row->measure_count; i++) {
        const struct measure *a = &back->measures[i], *b = &row->measures[i];
        g_assert_cmpstr(a->name, ==, b->name);
        g_assert_cmpint(a->value.kind, ==, b->value.kind);
        g_assert_cmpint(a->value.unit, ==, b->value.unit);
        g_assert_cmpint(a->value.quantity, ==, b->value.quantity);
        g_assert_cmpfloat(a->value.number, ==, b->value.number);
        g_assert_cmpstr(a->value.text, ==, b->value.text);
    }
    row_free(back);
    row_free(row);
}

static void test_broken_bytes_are_no_row(void)
{
    struct row *row = test_row(0), *back = g_new0(struct row, 1);
    g_autoptr(GBytes) bytes = pack_row(row);
    g_autoptr(GBytes) none = g_bytes_new(NULL, 0);
    g_autoptr(GBytes) half = g_bytes_new_from_bytes(bytes, 0, g_bytes_get_size(bytes) / 2);
    g_assert_false(unpack_row(none, back));
    g_assert_false(unpack_row(half, back));
    row_free(back);
    row_free(row);
}

/* Units and kinds that there are none of, and texts that are not there, as in a store that another
 * program has written. */
static void test_wrong_values_are_no_row(void)
{
    for (int wrong = 0; wrong < 4; wrong++) {
        struct row *row = test_row(0), *back = g_new0(struct row, 1);
        struct value *value = &row->measures[1].value;
        if (wrong == 0)
            row->measures[0].value.unit = (enum unit_kind)(UNIT_COUNT + 1);
        if (wrong == 1)
            value->unit = (enum unit_kind)G_MAXUINT32;
        if (wrong == 2)
            value->kind = (enum value_kind)(VALUE_QUANTITY + 1);
        if (wrong == 3) {
            value->kind = VALUE_TEXT;
            g_clear_pointer(&value->text, g_free);
        }
        g_autoptr(GBytes) bytes = pack_row(row);
        g_assert_false(unpack_row(bytes, back));
        row_free(back);
        row_free(row);
    }
    struct workload_result result = {.count = 0}, back;
    workload_add_quantity(&result, "latency", (enum unit_kind)(UNIT_COUNT + 1), 1);
    g_autoptr(GBytes) bytes = pack_result(&result);
    g_assert_false(unpack_result(bytes, &back));
}

static void test_pack_call_and_result(void)
{
    struct workload_result result = {.count = 0}, back;
    workload_add_quantity(&result, "latency", UNIT_TIME, G_MAXINT64);
    workload_add_ratio(&result, "share", 1.0 / 3.0);
    const struct workload_call call = {"get", "{\"nodes\":\"2\"}", "{}", G_MAXUINT64};
    g_autoptr(GBytes) packed = pack_result(&result);
    g_autoptr(GBytes) bytes = pack_call(&call, packed);
    g_autoptr(GBytes) inside = NULL;
    g_autoptr(GVariant) holder = NULL;
    struct workload_call read;
    g_assert_true(unpack_call(bytes, &read, &inside, &holder));
    g_assert_cmpstr(read.machine, ==, call.machine);
    g_assert_cmpuint(read.seed, ==, call.seed);
    g_assert_true(unpack_result(inside, &back));
    g_assert_cmpuint(back.count, ==, 2);
    g_assert_cmpstr(back.measures[0].name, ==, "latency");
    g_assert_cmpint(back.measures[0].quantity, ==, G_MAXINT64);
    g_assert_cmpfloat(back.measures[1].ratio, ==, 1.0 / 3.0);
}

/* --- the pool ----------------------------------------------------------------------------------
 */

#define POINTS 6

/* A run of points 0 to POINTS - 1 whose results are texts. */
struct trial {
    size_t next, done;
    char *results[POINTS], *failures[POINTS];
    int in_memory;   /* what a point leaves behind */
    char ground[20]; /* that stands in this process */
    size_t news;
    bool was_ended[POINTS];
    size_t from_outside; /* outcomes that say nothing about their point */
    char *folder;
};

static bool next(void *context, size_t *point)
{
    struct trial *trial = context;
    *point = trial->next;
    return trial->next++ < POINTS;
}

static bool done(void *context, size_t point, const struct worker_outcome *outcome, GError **error)
{
    struct trial *trial = context;
    (void)error;
    gsize length;
    g_assert_null(trial->results[point]);
    if (outcome->result)
        trial->results[point] = g_strdup(g_bytes_get_data(outcome->result, &length));
    trial->failures[point] = g_strdup(outcome->failure);
    trial->from_outside += outcome->is_from_outside;
    trial->done++;
    return true;
}

static GBytes *text_bytes(const char *text)
{
    return g_bytes_new(text, strlen(text) + 1);
}

static struct workers_job job_of(struct trial *trial, unsigned workers,
                                 GBytes *(*run)(void *, size_t, struct worker_link *))
{
    *trial = (struct trial){0};
    return (struct workers_job){
        .context = trial, .workers = workers, .run = run, .next = next, .done = done};
}

static void run_job(const struct workers_job *job)
{
    GError *error = NULL;
    workers_run(job, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(((struct trial *)job->context)->done, ==, POINTS);
}

static void clear(struct trial *trial)
{
    for (size_t i = 0; i < POINTS; i++) {
        g_clear_pointer(&trial->results[i], g_free);
        g_clear_pointer(&trial->failures[i], g_free);
    }
}

/* Later points end first, and each leaves something behind in memory that no other may see. */
static GBytes *run_well(void *context, size_t point, struct worker_link *link)
{
    struct trial *trial = context;
    (void)link;
    g_usleep((POINTS - point) * 2000);
    g_autofree char *text = g_strdup_printf("point %zu, run %d", point, ++trial->in_memory);
    return text_bytes(text);
}

static void test_any_number_of_workers(void)
{
    for (unsigned workers = 1; workers <= 7; workers++) {
        struct trial trial;
        struct workers_job job = job_of(&trial, workers, run_well);
        run_job(&job);
        for (size_t i = 0; i < POINTS; i++) {
            g_autofree char *expected = g_strdup_printf("point %zu, run 1", i);
            g_assert_cmpstr(trial.results[i], ==, expected);
            g_assert_null(trial.failures[i]);
        }
        g_assert_cmpint(trial.in_memory, ==, 0);
        clear(&trial);
    }
}

static GBytes *run_with_accidents(void *context, size_t point, struct worker_link *link)
{
    (void)context;
    (void)link;
    if (point == 1) {
        signal(SIGABRT, SIG_DFL);
        fputs("\ncheck failed: bytes in == bytes out\nand more\n", stderr);
        abort();
    }
    if (point == 2)
        _exit(3);
    while (point == 3)
        pause();
    if (point == 4)
        kill(getppid(), SIGKILL); /* the worker */
    while (point == 4)
        pause();
    return text_bytes("well");
}

static void test_accidents_are_failures(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 2, run_with_accidents);
    job.time_limit_us = 300000;
    run_job(&job);
    static const char *const expected[POINTS] = {
        NULL,
        "its process was ended by signal 6 (Aborted): check failed: bytes in == bytes out",
        "its process ended with exit code 3 and no result",
        "it took longer than the limit of 0.3 s",
        "its process was ended by signal 9 (Killed)",
        NULL};
    for (size_t i = 0; i < POINTS; i++) {
        g_assert_cmpstr(trial.failures[i], ==, expected[i]);
        g_assert_cmpstr(trial.results[i], ==, expected[i] ? NULL : "well");
    }
    g_assert_cmpuint(trial.from_outside, ==, 1);
    clear(&trial);
}

/* The first two runs of each point are ended by somebody else; a file tells which run it is. */
static GBytes *run_killed_twice(void *context, size_t point, struct worker_link *link)
{
    const struct trial *trial = context;
    (void)link;
    g_autofree char *name = g_strdup_printf("%s/%zu", trial->folder, point);
    g_autofree char *runs = NULL;
    g_file_get_contents(name, &runs, NULL, NULL);
    g_autofree char *more = g_strconcat(runs ? runs : "", "x", NULL);
    g_file_set_contents(name, more, -1, NULL);
    if (strlen(more) < 3)
        kill(point % 2 ? getpid() : getppid(), SIGKILL);
    while (strlen(more) < 3)
        pause();
    return text_bytes("well");
}

static void test_a_killed_point_runs_again(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 2, run_killed_twice);
    trial.folder = g_dir_make_tmp("gpunetsim-XXXXXX", NULL);
    run_job(&job);
    for (size_t i = 0; i < POINTS; i++) {
        g_autofree char *name = g_strdup_printf("%s/%zu", trial.folder, i);
        g_assert_cmpstr(trial.results[i], ==, "well");
        g_unlink(name);
    }
    g_assert_cmpuint(trial.from_outside, ==, 0);
    g_rmdir(trial.folder);
    g_free(trial.folder);
    clear(&trial);
}

/* More than a socket or a pipe holds: a parent that waits before it reads would wait for ever. */
static GBytes *run_talkative(void *context, size_t point, struct worker_link *link)
{
    (void)context;
    (void)link;
    for (int i = 0; i < 20000; i++)
        fputs("a line of sixteen\n", stderr);
    g_autofree char *text = g_strnfill(1000000 + point, 'x');
    return text_bytes(text);
}

static void test_much_text_passes(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 2, run_talkative);
    run_job(&job);
    for (size_t i = 0; i < POINTS; i++)
        g_assert_cmpuint(strlen(trial.results[i]), ==, 1000000 + i);
    clear(&trial);
}

static GBytes *run_to_a_long_end(void *context, size_t point, struct worker_link *link)
{
    (void)context;
    (void)point;
    (void)link;
    for (int i = 0; i < 100000; i++)
        fputs("no end of a line ", stderr);
    _exit(1);
}

static void test_last_words_are_cut(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 2, run_to_a_long_end);
    run_job(&job);
    for (size_t i = 0; i < POINTS; i++) {
        g_assert_nonnull(strstr(trial.failures[i], "no end of a line"));
        g_assert_cmpuint(strlen(trial.failures[i]), <, 10000);
    }
    clear(&trial);
}

/* --- asking and telling ------------------------------------------------------------------------
 */

static GBytes *answer(void *context, GBytes *question)
{
    (void)context;
    gsize length;
    const char *text = g_bytes_get_data(question, &length);
    return strcmp(text, "3") == 0 ? NULL : g_bytes_ref(question);
}

static bool hear(void *context, GBytes *news, GError **error)
{
    struct trial *trial = context;
    (void)news;
    if (++trial->news < 4 * POINTS)
        return true;
    error_set_code(error, ERROR_RUN, "heard enough");
    return false;
}

static GBytes *run_curious(void *context, size_t point, struct worker_link *link)
{
    (void)context;
    g_autofree char *text = g_strdup_printf("%zu", point);
    g_autoptr(GBytes) question = text_bytes(text);
    worker_tell(link, question);
    g_autoptr(GBytes) known = worker_ask(link, question);
    worker_tell(link, question);
    return known ? g_bytes_ref(known) : text_bytes("not known");
}

static void test_points_ask_and_tell(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 2, run_curious);
    job.answer = answer;
    job.hear = hear;
    run_job(&job);
    for (size_t i = 0; i < POINTS; i++) {
        g_autofree char *text = g_strdup_printf("%zu", i);
        g_assert_cmpstr(trial.results[i], ==, i == 3 ? "not known" : text);
    }
    g_assert_cmpuint(trial.news, ==, 2 * POINTS);
    clear(&trial);
}

/* Ends the process that asks before it can read the answer, in the first run of each point: its worker then has an
 * answer that nobody waits for. */
static GBytes *answer_the_dead(void *context, GBytes *question)
{
    struct trial *trial = context;
    gsize length;
    const char *text = g_bytes_get_data(question, &length);
    size_t point = (size_t)atoi(text);
    pid_t asks = (pid_t)atoi(strchr(text, ' '));
    if (trial->was_ended[point])
        return g_bytes_ref(question);
    trial->was_ended[point] = true;
    kill(asks, SIGKILL);
    while (kill(asks, 0) == 0) /* until its worker has waited for it */
        g_usleep(100);
    return point % 2 ? g_bytes_ref(question) : NULL;
}

static GBytes *run_asking(void *context, size_t point, struct worker_link *link)
{
    (void)context;
    g_autofree char *text = g_strdup_printf("%zu %d", point, (int)getpid());
    g_autoptr(GBytes) question = text_bytes(text);
    return worker_ask(link, question);
}

static void test_an_answer_that_nobody_waits_for(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 2, run_asking);
    job.answer = answer_the_dead;
    run_job(&job);
    for (size_t i = 0; i < POINTS; i++) {
        g_assert_cmpstr(trial.failures[i], ==, NULL);
        g_assert_cmpint(atoi(trial.results[i]), ==, (int)i);
    }
    clear(&trial);
}

/* What cannot be kept, as on a full disk, stops it all. */
static void test_an_error_of_the_keeper_ends_it(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 2, run_curious);
    job.hear = hear;
    trial.news = 4 * POINTS - 1;
    g_autoptr(GError) error = NULL;
    g_assert_false(workers_run(&job, &error));
    g_assert_cmpstr(error->message, ==, "heard enough");
    clear(&trial);
}

/* --- ground ------------------------------------------------------------------------------------
 */

/* Points 0, 1, 2 stand on one ground, 3, 4, 5 on another. */
static GBytes *survey(void *context, size_t point)
{
    struct trial *trial = context;
    trial->in_memory++; /* stays in the surveyor */
    return text_bytes(point < 3 ? "rock" : "sand");
}

static void build(void *context, GBytes *ground)
{
    struct trial *trial = context;
    gsize length;
    g_assert_cmpstr(trial->ground, ==, "");
    g_strlcpy(trial->ground, g_bytes_get_data(ground, &length), sizeof trial->ground);
}

static bool fits(void *context, size_t point)
{
    const struct trial *trial = context;
    return strcmp(trial->ground, point < 3 ? "rock" : "sand") == 0;
}

static GBytes *run_on_ground(void *context, size_t point, struct worker_link *link)
{
    struct trial *trial = context;
    (void)point;
    (void)link;
    g_autofree char *text =
        g_strdup_printf("%s %d worker %d", trial->ground, trial->in_memory, (int)getppid());
    return text_bytes(text);
}

static void test_ground_is_built_once(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 1, run_on_ground);
    job.survey = survey;
    job.build = build;
    job.fits = fits;
    run_job(&job);
    for (size_t i = 0; i < POINTS; i++) {
        g_assert_true(g_str_has_prefix(trial.results[i], i < 3 ? "rock 0 " : "sand 0 "));
        g_assert_cmpstr(trial.results[i], ==, trial.results[i < 3 ? 0 : 3]); /* the same worker */
    }
    clear(&trial);
}

static pid_t own_pid;

static bool fits_once(void *context, size_t point)
{
    struct trial *trial = context;
    trial->in_memory += getppid() == own_pid; /* where the worker makes it, not its points */
    g_strlcpy(trial->ground, "laid", sizeof trial->ground);
    return point < POINTS;
}

/* What fits all points a worker makes once, and each of them has it. */
static void test_what_fits_all_is_made_in_the_worker(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 1, run_on_ground);
    own_pid = getpid();
    job.fits = fits_once;
    job.fits_alike = true;
    run_job(&job);
    for (size_t i = 0; i < POINTS; i++)
        g_assert_true(g_str_has_prefix(trial.results[i], "laid 1 "));
    clear(&trial);
}

static bool never_fits(void *context, size_t point)
{
    (void)context;
    (void)point;
    return false;
}

static void test_a_point_that_fits_nowhere(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 2, run_on_ground);
    job.fits = never_fits;
    run_job(&job);
    for (size_t i = 0; i < POINTS; i++)
        g_assert_cmpstr(trial.failures[i], ==, "the machine of the point is not the same twice");
    clear(&trial);
}

/* --- processes that run several points ---------------------------------------------------------
 */

static enum point_traces left; /* by the point that was run last */

/* Tells how many points its process has run before, and whether it has left traces: point 1 crashes there, point 3 is in
 * doubt there, point 4 leaves traces. */
static GBytes *run_on(void *context, size_t point, struct worker_link *link)
{
    struct trial *trial = context;
    (void)link;
    int before = trial->in_memory++;
    if (point == 1 && before > 0)
        abort();
    left = point == 3 ? POINT_IS_DOUBTFUL : point == 4 ? POINT_LEFT_TRACES : POINT_LEFT_NONE;
    g_autofree char *text = g_strdup_printf("%zu after %d", point, before);
    return text_bytes(text);
}

static enum point_traces traces(void *context)
{
    (void)context;
    return left;
}

static void test_a_process_runs_several_points(void)
{
    static const char *const expected[POINTS] = {"0 after 0", "1 after 0", "2 after 1",
                                                 "3 after 0", "4 after 0", "5 after 0"};
    struct trial trial;
    struct workers_job job = job_of(&trial, 1, run_on);
    job.traces = traces;
    run_job(&job);
    for (size_t i = 0; i < POINTS; i++) {
        g_assert_cmpstr(trial.failures[i], ==, NULL);
        g_assert_cmpstr(trial.results[i], ==, expected[i]);
    }
    clear(&trial);
}

/* --- interrupts --------------------------------------------------------------------------------
 */

static GBytes *run_interrupting(void *context, size_t point, struct worker_link *link)
{
    (void)link;
    if (point == 0)
        kill(*(pid_t *)context, SIGINT);
    while (true)
        pause();
    return NULL;
}

static bool next_of_two(void *context, size_t *point)
{
    static size_t number;
    (void)context;
    *point = number;
    return number++ < 2;
}

/* --- one worker, or more ------------------------------------------------------------------------ */

/* Four workers leave all short points to one of them. In a process of its own, whose workers have had nothing to do before; on a
 * machine that does much else the points may take long enough for others to help, so not each time. */
static void test_short_points_take_one_worker(void)
{
    int tries = 0;
    if (!g_test_subprocess()) {
        do
            g_test_trap_subprocess(NULL, 0, 0);
        while (!g_test_trap_has_passed() && ++tries < 100);
        g_test_trap_assert_passed();
        return;
    }
    struct trial trial;
    struct workers_job job = job_of(&trial, 4, run_on_ground);
    run_job(&job);
    for (size_t i = 1; i < POINTS; i++)
        g_assert_cmpstr(trial.results[i], ==, trial.results[0]);
    clear(&trial);
}

/* Ends once point 3 has begun, which has a worker then that is not this one's. */
static GBytes *run_together(void *context, size_t point, struct worker_link *link)
{
    struct trial *trial = context;
    g_autofree char *file = g_build_filename(trial->folder, "begun", NULL);
    if (point == 3)
        g_assert_true(g_file_set_contents(file, "", 0, NULL));
    while (point < 3 && !g_file_test(file, G_FILE_TEST_EXISTS))
        g_usleep(1000);
    return run_on_ground(context, point, link);
}

static void test_long_points_take_all_workers(void)
{
    struct trial trial;
    struct workers_job job = job_of(&trial, 4, run_together);
    g_autofree char *folder = g_dir_make_tmp("workers-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(folder, "begun", NULL);
    trial.folder = folder;
    run_job(&job);
    for (size_t i = 0; i < 3; i++)
        g_assert_cmpstr(trial.results[i], !=, trial.results[i + 1]);
    g_assert_cmpint(g_remove(file), ==, 0);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    trial.folder = NULL;
    clear(&trial);
}

/* In a process of its own, since an interrupt is for good. */
static void test_interrupt_ends_the_workers(void)
{
    if (g_test_subprocess()) {
        pid_t own = getpid();
        struct workers_job job = {.context = &own,
                                  .workers = 2,
                                  .run = run_interrupting,
                                  .next = next_of_two,
                                  .done = done};
        g_autoptr(GError) error = NULL;
        interrupt_install();
        g_assert_false(workers_run(&job, &error));
        g_assert_error(error, ERROR_DOMAIN, ERROR_INTERRUPTED);
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
    g_test_add_func("/pack/wrong-values", test_wrong_values_are_no_row);
    g_test_add_func("/pack/call", test_pack_call_and_result);
    g_test_add_func("/workers/any-number", test_any_number_of_workers);
    g_test_add_func("/workers/accidents", test_accidents_are_failures);
    g_test_add_func("/workers/killed-twice", test_a_killed_point_runs_again);
    g_test_add_func("/workers/much-text", test_much_text_passes);
    g_test_add_func("/workers/last-words", test_last_words_are_cut);
    g_test_add_func("/workers/ask-and-tell", test_points_ask_and_tell);
    g_test_add_func("/workers/answer-to-the-dead", test_an_answer_that_nobody_waits_for);
    g_test_add_func("/workers/keeper-error", test_an_error_of_the_keeper_ends_it);
    g_test_add_func("/workers/ground", test_ground_is_built_once);
    g_test_add_func("/workers/fits-alike", test_what_fits_all_is_made_in_the_worker);
    g_test_add_func("/workers/short-points", test_short_points_take_one_worker);
    g_test_add_func("/workers/long-points", test_long_points_take_all_workers);
    g_test_add_func("/workers/several-points", test_a_process_runs_several_points);
    g_test_add_func("/workers/fits-nowhere", test_a_point_that_fits_nowhere);
    g_test_add_func("/workers/interrupt", test_interrupt_ends_the_workers);
    return g_test_run();
}
