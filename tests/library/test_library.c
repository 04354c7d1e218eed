/* SPDX-License-Identifier: BSD-3-Clause */
/* The C library: as in the program, a setting that nothing reads is an error. */
#include "gpunetsim.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

static const char *const get[] = {"design=comp-net", "bytes=8B", NULL};

/* The error begins so; it is freed. */
static void assert_error(char **error, const char *sentence)
{
    if (!*error || !g_str_has_prefix(*error, sentence))
        g_error("\"%s\" instead of \"%s\"", *error, sentence);
    gpunetsim_free_text(*error);
    *error = NULL;
}

static void test_machine(void)
{
    static const char *const unread[] = {"smart_nic.clock=1GHz", NULL};
    static const char *const read[] = {"nic.doorbell_latency=200ns", NULL};
    char *error = NULL;
    struct gpunetsim_machine *machine = gpunetsim_machine_open("gcn3_node", unread, &error);
    g_assert_cmpstr(error, ==, NULL);
    g_assert_null(gpunetsim_machine_run(machine, "get_latency", get, 1, &error));
    g_assert_cmpstr(error, ==, "smart_nic.clock was set, but no SmartNIC serves in this run.");
    gpunetsim_free_text(error);
    gpunetsim_machine_close(machine);
    error = NULL;
    machine = gpunetsim_machine_open("gcn3_node", read, &error);
    struct gpunetsim_result *result = gpunetsim_machine_run(machine, "get_latency", get, 1, &error);
    g_assert_cmpstr(error, ==, NULL);
    g_assert_cmpfloat(gpunetsim_result_value(result, "latency_us", &error), >, 1);
    g_assert_true(isnan(gpunetsim_result_value(result, "latency", &error)));
    assert_error(&error, "there is no measure \"latency\"; did you mean \"latency_us\"?");
    gpunetsim_result_free(result);
    gpunetsim_machine_close(machine);
}

/* The nearest machine is named; a path is its reader's to judge. */
static void test_no_machine(void)
{
    char *error = NULL;
    g_assert_null(gpunetsim_machine_open("gcn3_nod", NULL, &error));
    assert_error(&error, "there is no machine \"gcn3_nod\", nor a file of that name; did you mean "
                         "\"gcn3_node\"? Accepted: ac922, b200, gb200, gcn3_node,");
    g_assert_null(gpunetsim_machine_open("./gcn3_nod", NULL, &error));
    assert_error(&error, "./gcn3_nod: cannot be read: no such file.");
}

/* A run that is refused, each with its sentence. */
static void test_refused(void)
{
    static const struct {
        const char *workload, *argument, *sentence;
    } cases[] = {
        {"get_latncy", "bytes=8B",
         "there is no workload \"get_latncy\"; did you mean \"get_latency\"?"},
        {"get_latency", "bytes", "\"bytes\" is not PARAMETER=VALUE"},
        {"get_latency", "byts=8B",
         "get_latency has no parameter \"byts\"; `gpunetsim help get_latency` lists them"},
        {"get_latency", "bytes=8", "get_latency.bytes: \"8\" has no unit"},
        {"get_latency", "repeats=5", "get_latency.bytes is missing and has no default"},
        {"queue_service", "bytes=8B", "queue_service.work_groups is missing and has no default"},
        {"get_latency", "design=dgpu", "get_latency.design is given twice"},
        {"allreduce", "nodes=1", "allreduce: "},
    };
    char *error = NULL;
    struct gpunetsim_machine *machine = gpunetsim_machine_open("gcn3_node", NULL, &error);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *const arguments[] = {"design=comp-net", cases[i].argument, NULL};
        g_assert_null(gpunetsim_machine_run(machine, cases[i].workload, arguments, 1, &error));
        assert_error(&error, cases[i].sentence);
    }
    const char *const unread[] = {"design=comp-net", "phase=dispatch", "combine=4KiB", NULL};
    g_assert_null(gpunetsim_machine_run(machine, "moe", unread, 1, &error));
    assert_error(&error, "moe.combine was set, but nothing in this run reads it.");
    gpunetsim_machine_close(machine);
}

#define STUDY                                                                                      \
    "local node = require 'configs.gcn3_node'\n"                                                   \
    "return study { title = 'Mine', machine = node { nodes = 2 },\n"                               \
    "  vary = { design = { 'comp-net', 'dgpu' } },\n"                                              \
    "  run = function(p) return get_latency { design = p.design, bytes = '8B' } end }\n"

#define TEXT_STUDY                                                                                   \
    "return study { title = 'A word', machine = machine { name = 'plain' }, vary = { a = { 1 } },\n" \
    "  run = function(p) return { word = 'yes' } end }\n"

/* Runs all points; the error of the last, or NULL. Those before it are good. */
static char *run_all(const char *path, const char *setting)
{
    const char *const settings[] = {setting, NULL};
    char *error = NULL;
    struct gpunetsim_study *study = gpunetsim_study_open(path, settings, &error);
    g_assert_cmpstr(error, ==, NULL);
    for (size_t point = 0; point < gpunetsim_study_point_count(study); point++) {
        g_assert_cmpstr(error, ==, NULL);
        gpunetsim_result_free(gpunetsim_study_run(study, point, 1, &error));
    }
    gpunetsim_study_close(study);
    return error;
}

static void test_study(void)
{
    g_autofree char *folder = g_dir_make_tmp("gpunetsim-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "mine.lua", NULL);
    g_assert_true(g_file_set_contents(path, STUDY, -1, NULL));
    g_assert_cmpstr(run_all(path, "cp.clock=1GHz"), ==, NULL); /* one of its points reads it */
    char *error = run_all(path, "smart_nic.clock=1GHz");
    g_assert_cmpstr(error, ==, "smart_nic.clock was set, but no SmartNIC serves in this run.");
    gpunetsim_free_text(error);
    struct gpunetsim_study *study = gpunetsim_study_open(path, NULL, &error);
    g_assert_null(gpunetsim_study_run(study, 2, 1, &error));
    assert_error(&error, "the study has 2 points, so there is no number 2");
    g_assert_null(gpunetsim_study_run(study, SIZE_MAX, 1, &error));
    assert_error(&error, "the study has 2 points, so there is no number 18446744073709551615");
    gpunetsim_study_close(study);
    g_assert_true(g_file_set_contents(path, TEXT_STUDY, -1, NULL));
    study = gpunetsim_study_open(path, NULL, &error);
    struct gpunetsim_result *result = gpunetsim_study_run(study, 0, 1, &error);
    g_assert_true(isnan(gpunetsim_result_value(result, "word", &error)));
    assert_error(&error, "measure \"word\" is the text \"yes\"");
    gpunetsim_result_free(result);
    gpunetsim_study_close(study);
    g_unlink(path);
    g_rmdir(folder);
}

/* Each function with what a caller has who did not look at an error: NULL, or a number of nothing. */
static void test_nothing_at_hand(void)
{
    char *error = NULL;
    size_t point = 0;
    g_assert_true(isnan(gpunetsim_result_value(NULL, "latency_us", &error)));
    assert_error(&error, "gpunetsim_result_value: there is no result; the call before has failed.");
    g_assert_true(isnan(gpunetsim_result_value(NULL, NULL, NULL)));
    g_assert_cmpuint(gpunetsim_result_count(NULL), ==, 0);
    g_assert_null(gpunetsim_result_name(NULL, 0));
    g_assert_null(gpunetsim_result_text(NULL, 0));
    g_assert_null(gpunetsim_study_open(NULL, NULL, &error));
    assert_error(&error, "gpunetsim_study_open: a name has to be given, not NULL.");
    g_assert_null(gpunetsim_study_title(NULL));
    g_assert_cmpuint(gpunetsim_study_axis_count(NULL), ==, 0);
    g_assert_null(gpunetsim_study_axis_name(NULL, 0));
    g_assert_cmpuint(gpunetsim_study_point_count(NULL), ==, 0);
    g_assert_null(gpunetsim_study_value(NULL, 0, 0));
    g_assert_false(gpunetsim_study_find(NULL, "a=1", &point, &error));
    assert_error(&error,
                 "gpunetsim_study_find: there is no study; gpunetsim_study_open gives one.");
    g_assert_null(gpunetsim_study_run(NULL, 0, 1, &error));
    assert_error(&error, "gpunetsim_study_run: there is no study; gpunetsim_study_open gives one.");
    g_assert_null(gpunetsim_machine_open(NULL, NULL, &error));
    assert_error(&error, "gpunetsim_machine_open: a name has to be given, not NULL.");
    g_assert_cmpuint(gpunetsim_machine_parameter_count(NULL), ==, 0);
    g_assert_null(gpunetsim_machine_parameter_name(NULL, 0));
    g_assert_null(gpunetsim_machine_parameter_text(NULL, 0));
    g_assert_null(gpunetsim_machine_run(NULL, "get_latency", get, 1, &error));
    assert_error(&error,
                 "gpunetsim_machine_run: there is no machine; gpunetsim_machine_open gives one.");
    gpunetsim_result_free(NULL);
    gpunetsim_study_close(NULL);
    gpunetsim_machine_close(NULL);
    gpunetsim_free_text(NULL);
}

/* Numbers behind the last one, and names that are missing, of what is there. */
static void test_nothing_of_that_number(void)
{
    char *error = NULL;
    struct gpunetsim_machine *machine = gpunetsim_machine_open("gcn3_node", NULL, NULL);
    size_t count = gpunetsim_machine_parameter_count(machine);
    g_assert_cmpuint(count, >, 0);
    g_assert_nonnull(gpunetsim_machine_parameter_name(machine, count - 1));
    g_assert_null(gpunetsim_machine_parameter_name(machine, count));
    g_assert_null(gpunetsim_machine_parameter_text(machine, SIZE_MAX));
    g_assert_null(gpunetsim_machine_run(machine, NULL, get, 1, &error));
    assert_error(&error, "gpunetsim_machine_run: a name has to be given, not NULL.");
    struct gpunetsim_result *result = gpunetsim_machine_run(machine, "get_latency", get, 1, NULL);
    count = gpunetsim_result_count(result);
    g_assert_cmpuint(count, >, 0);
    g_assert_null(gpunetsim_result_name(result, count));
    g_assert_null(gpunetsim_result_text(result, SIZE_MAX));
    g_assert_true(isnan(gpunetsim_result_value(result, NULL, &error)));
    assert_error(&error, "gpunetsim_result_value: a name has to be given, not NULL.");
    gpunetsim_result_free(result);
    gpunetsim_machine_close(machine);
}

#define THREADS 4
#define RUNS 3

/* What each thread does with objects of its own; its latencies, of which all threads have the same. */
static void *run_alone(void *latencies)
{
    double *latency = latencies;
    for (size_t run = 0; run < RUNS; run++) {
        char *error = NULL;
        struct gpunetsim_machine *machine = gpunetsim_machine_open("gcn3_node", NULL, &error);
        struct gpunetsim_result *result =
            gpunetsim_machine_run(machine, "get_latency", get, run, &error);
        latency[run] = gpunetsim_result_value(result, "latency_us", &error);
        g_assert_cmpstr(error, ==, NULL);
        g_assert_nonnull(gpunetsim_version());
        gpunetsim_result_free(result);
        g_assert_null(gpunetsim_machine_open("nowhere", NULL, &error));
        gpunetsim_free_text(error);
        gpunetsim_machine_close(machine);
    }
    return NULL;
}

/* Threads need no lock of their own, and get what one thread gets. */
static void test_threads(void)
{
    pthread_t threads[THREADS];
    double latencies[THREADS][RUNS], alone[RUNS];
    for (size_t i = 0; i < THREADS; i++)
        g_assert_cmpint(pthread_create(&threads[i], NULL, run_alone, latencies[i]), ==, 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    run_alone(alone);
    for (size_t i = 0; i < THREADS; i++)
        g_assert_true(memcmp(latencies[i], alone, sizeof alone) == 0);
}

/* The header says the version that the library has. */
static void test_version(void)
{
    g_autofree char *header = g_strdup_printf("%d.%d.%d ", GPUNETSIM_VERSION_MAJOR,
                                              GPUNETSIM_VERSION_MINOR, GPUNETSIM_VERSION_PATCH);
    g_autofree char *text = NULL,
                    *file = g_build_filename(g_getenv("GPUNETSIM_ROOT"), "VERSION", NULL);
    g_assert_true(g_str_has_prefix(gpunetsim_version(), header));
    g_assert_true(GPUNETSIM_VERSION_AT_LEAST(0, 1, 0));
    g_assert_true(GPUNETSIM_VERSION_AT_LEAST(0, 0, 9));
    g_assert_false(GPUNETSIM_VERSION_AT_LEAST(0, 1, 1) || GPUNETSIM_VERSION_AT_LEAST(1, 0, 0));
    g_assert_true(g_file_get_contents(file, &text, NULL, NULL));
    g_assert_true(g_str_has_prefix(g_strdelimit(text, "\n", ' '), header));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/library/machine", test_machine);
    g_test_add_func("/library/no-machine", test_no_machine);
    g_test_add_func("/library/refused", test_refused);
    g_test_add_func("/library/study", test_study);
    g_test_add_func("/library/nothing-at-hand", test_nothing_at_hand);
    g_test_add_func("/library/nothing-of-that-number", test_nothing_of_that_number);
    g_test_add_func("/library/threads", test_threads);
    g_test_add_func("/library/version", test_version);
    return g_test_run();
}
