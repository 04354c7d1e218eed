/* SPDX-License-Identifier: BSD-3-Clause */
/* The C library: what is set has to be read, by the rule that the program has. */
#include "library/gpunetsim.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
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
                         "\"gcn3_node\"? Accepted: ac922, gcn3_node,");
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
        {"allreduce", "nodes=1", "allreduce: "},
    };
    char *error = NULL;
    struct gpunetsim_machine *machine = gpunetsim_machine_open("gcn3_node", NULL, &error);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *const arguments[] = {"design=comp-net", cases[i].argument, NULL};
        g_assert_null(gpunetsim_machine_run(machine, cases[i].workload, arguments, 1, &error));
        assert_error(&error, cases[i].sentence);
    }
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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/library/machine", test_machine);
    g_test_add_func("/library/no-machine", test_no_machine);
    g_test_add_func("/library/refused", test_refused);
    g_test_add_func("/library/study", test_study);
    return g_test_run();
}
