/* The C library: what is set has to be read, by the rule that the program has. */
#include "library/gpunetsim.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

static const char *const get[] = {"design=comp-net", "bytes=8B", NULL};

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
    gpunetsim_result_free(result);
    gpunetsim_machine_close(machine);
}

#define STUDY                                                                                      \
    "local node = require 'configs.gcn3_node'\n"                                                   \
    "return study { title = 'Mine', machine = node { nodes = 2 },\n"                               \
    "  vary = { design = { 'comp-net', 'dgpu' } },\n"                                              \
    "  run = function(p) return get_latency { design = p.design, bytes = '8B' } end }\n"

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
    g_unlink(path);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/library/machine", test_machine);
    g_test_add_func("/library/study", test_study);
    return g_test_run();
}
