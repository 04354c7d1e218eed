/* SPDX-License-Identifier: BSD-3-Clause */
/* The C library's process of its own: whatever becomes of it or of the program, no call waits for ever. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpunetsim.h"

#define ENDED "the process that simulates has ended, and what was open with it"
#define NOT_THIS "the process that simulates has ended since this was opened, or was another one's"

static const char *const get[] = {"design=comp-net", "bytes=8B", NULL};
/* Minutes. */
static const char *const long_get[] = {"design=comp-net", "bytes=8B", "repeats=1000000", NULL};

static void assert_error(char **error, const char *sentence)
{
    if (!*error || !g_str_has_prefix(*error, sentence))
        g_error("\"%s\" instead of \"%s\"", *error, sentence);
    gpunetsim_free_text(*error);
    *error = NULL;
}

static struct gpunetsim_machine *open_machine(void)
{
    char *error = NULL;
    struct gpunetsim_machine *machine = gpunetsim_machine_open("gcn3_node", NULL, &error);
    g_assert_cmpstr(error, ==, NULL);
    return machine;
}

static double latency_on(const struct gpunetsim_machine *machine)
{
    char *error = NULL;
    struct gpunetsim_result *result = gpunetsim_machine_run(machine, "get_latency", get, 1, &error);
    double latency = gpunetsim_result_value(result, "latency_us", &error);
    g_assert_cmpstr(error, ==, NULL);
    gpunetsim_result_free(result);
    return latency;
}

static double latency(void)
{
    struct gpunetsim_machine *machine = open_machine();
    double found = latency_on(machine);
    gpunetsim_machine_close(machine);
    return found;
}

static guint descriptors_of(const char *process)
{
    g_autofree char *path = g_strdup_printf("/proc/%s/fd", process);
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    guint count = 0;
    while (g_dir_read_name(folder))
        count++;
    return count;
}

/* The only child of a process; 0: none. */
static pid_t child_of(pid_t parent)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/children", parent, parent);
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return (pid_t)strtol(text, NULL, 10);
}

/* Runs `test` in a process of its own, to which processes of nobody come; it returns when these have ended, too. */
static void run_apart(void (*test)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        test();
        _exit(EXIT_SUCCESS);
    }
    int status;
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
}

static void wait_for_all(void)
{
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
    g_assert_cmpint(errno, ==, ECHILD);
}

/* --- the program's children, descriptors and streams ------------------------------------------- */

#define THREADS 8
#ifdef GPUNETSIM_SANITIZED
#define OPENS 40
#else
#define OPENS 125
#endif

static void *open_often(void *unused)
{
    for (int i = 0; i < OPENS; i++)
        gpunetsim_machine_close(open_machine());
    return unused;
}

static void test_often(void)
{
    pthread_t threads[THREADS];
    gpunetsim_machine_close(open_machine());
    guint before = descriptors_of("self");
    for (size_t i = 0; i < THREADS; i++)
        g_assert_cmpint(pthread_create(&threads[i], NULL, open_often, NULL), ==, 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    g_assert_cmpuint(descriptors_of("self"), ==, before);
    g_assert_cmpint(waitpid(-1, NULL, WNOHANG), ==, -1); /* nobody's child, no zombie */
    g_assert_cmpint(errno, ==, ECHILD);
}

static void with_nothing_open(void)
{
    signal(SIGCHLD, SIG_IGN);
    for (int fd = 0; fd < 64; fd++)
        close(fd);
    g_assert_cmpfloat(latency(), >, 1);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        g_assert_cmpint(fcntl(fd, F_GETFD), ==, -1);
}

static void test_nothing_open(void)
{
    run_apart(with_nothing_open);
}

/* What the program has open stays its own: a pipe has its end when the program says so. */
static void test_descriptors(void)
{
    int ends[2];
    char byte;
    pid_t pid = fork();
    if (pid == 0) { /* has no server yet */
        g_assert_cmpint(pipe(ends), ==, 0);
        g_assert_cmpfloat(latency(), >, 1);
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) != 0);
    }
    int status;
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
}

/* --- forks ------------------------------------------------------------------------------------- */

/* What was opened before belongs to the parent; the child has all else. */
static void test_fork(void)
{
    int status;
    char *error = NULL;
    struct gpunetsim_machine *machine = open_machine();
    double before = latency_on(machine);
    pid_t pid = fork();
    if (pid == 0) {
        g_assert_null(gpunetsim_machine_run(machine, "get_latency", get, 1, &error));
        assert_error(&error, NOT_THIS);
        g_assert_cmpuint(gpunetsim_machine_parameter_count(machine), >, 0);
        g_assert_cmpfloat(latency(), ==, before);
        g_assert_null(gpunetsim_machine_run(machine, "get_latency", get, 1, &error));
        assert_error(&error, NOT_THIS);
        gpunetsim_machine_close(machine);
        _exit(EXIT_SUCCESS);
    }
    g_assert_cmpfloat(latency_on(machine), ==, before); /* at the same time */
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
    g_assert_cmpfloat(latency_on(machine), ==, before);
    gpunetsim_machine_close(machine);
}

/* --- ends -------------------------------------------------------------------------------------- */

static void *run_long(void *error)
{
    struct gpunetsim_machine *machine = open_machine();
    g_assert_null(gpunetsim_machine_run(machine, "get_latency", long_get, 1, error));
    gpunetsim_machine_close(machine);
    return NULL;
}

/* Starts a long run in a thread, and waits until it is simulated; the server. */
static pid_t begin_long_run(pthread_t *thread, char **error)
{
    gpunetsim_machine_close(open_machine());
    pid_t server = child_of(getpid());
    g_assert_cmpint(server, >, 0);
    g_assert_cmpint(pthread_create(thread, NULL, run_long, error), ==, 0);
    while (child_of(server) == 0)
        g_usleep(1000);
    return server;
}

static void kill_in_a_run(void)
{
    pthread_t thread;
    char *error = NULL;
    pid_t server = begin_long_run(&thread, &error);
    pid_t pid = fork(); /* while another thread waits for an answer */
    if (pid == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 0);
        _exit(latency() > 1 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status;
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
    kill(server, SIGKILL);
    pthread_join(thread, NULL);
    assert_error(&error, ENDED);
    wait_for_all(); /* what was simulated has ended, too */
    g_assert_cmpfloat(latency(), >, 1);
}

static void test_killed_in_a_run(void)
{
    run_apart(kill_in_a_run);
}

static void kill_between_runs(void)
{
    char *error = NULL;
    struct gpunetsim_machine *machine = open_machine();
    kill(child_of(getpid()), SIGKILL);
    wait_for_all();
    g_assert_null(gpunetsim_machine_run(machine, "get_latency", get, 1, &error));
    assert_error(&error, NOT_THIS);
    g_assert_cmpuint(gpunetsim_machine_parameter_count(machine), >, 0);
    g_assert_cmpfloat(latency(), >, 1);
    gpunetsim_machine_close(machine);
}

static void test_killed_between_runs(void)
{
    run_apart(kill_between_runs);
}

/* One that is killed while it simulates: a sentence, and nothing else has changed. */
static void kill_the_run(void)
{
    pthread_t thread;
    char *error = NULL;
    struct gpunetsim_machine *machine = open_machine();
    pid_t server = begin_long_run(&thread, &error);
    kill(child_of(server), SIGKILL);
    pthread_join(thread, NULL);
    assert_error(&error, "get_latency: its process was ended by signal 9 (Killed).");
    g_assert_cmpfloat(latency_on(machine), >, 1);
    g_assert_cmpint(child_of(getpid()), ==, server);
    gpunetsim_machine_close(machine);
}

static void test_killed_run(void)
{
    run_apart(kill_the_run);
}

/* The program itself is killed in the middle of a run: what it has started ends, too. */
static void kill_the_program(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        char *error = NULL;
        run_long(&error);
        _exit(EXIT_FAILURE);
    }
    pid_t server = 0;
    for (; server == 0 || child_of(server) == 0; g_usleep(1000)) {
        g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/children", getpid(), getpid());
        g_autofree char *text = NULL;
        g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
        g_auto(GStrv) children = g_strsplit(text, " ", -1);
        for (char **child = children; *child; child++)
            server = **child && atoi(*child) != pid ? atoi(*child) : server;
    }
    kill(pid, SIGKILL);
    wait_for_all();
}

static void test_killed_program(void)
{
    run_apart(kill_the_program);
}

/* --- other programs ---------------------------------------------------------------------------- */

static void start_others(void)
{
    char *error = NULL;
    g_setenv("GPUNETSIM_PROGRAM", "/nowhere/gpunetsim", TRUE);
    g_assert_null(gpunetsim_machine_open("gcn3_node", NULL, &error));
    assert_error(&error,
                 "the program /nowhere/gpunetsim cannot be started: No such file or directory; "
                 "GPUNETSIM_PROGRAM names its file.");
    g_setenv("GPUNETSIM_PROGRAM", "/bin/true", TRUE);
    g_assert_null(gpunetsim_machine_open("gcn3_node", NULL, &error));
    assert_error(&error, ENDED);
    g_unsetenv("GPUNETSIM_PROGRAM"); /* the one of the build is above this test */
    g_assert_cmpfloat(latency(), >, 1);
}

static void test_other_programs(void)
{
    run_apart(start_others);
}

static void start_without_files(void)
{
    char *error = NULL;
    g_autofree char *root = g_strdup(g_getenv("GPUNETSIM_ROOT"));
    g_setenv("GPUNETSIM_ROOT", "/", TRUE);
    g_assert_null(gpunetsim_machine_open("gcn3_node", NULL, &error));
    assert_error(&error, "views is not found in /; GPUNETSIM_ROOT names the folder");
    g_setenv("GPUNETSIM_ROOT", root, TRUE);
    g_assert_cmpfloat(latency(), >, 1);
}

static void test_without_files(void)
{
    run_apart(start_without_files);
}

/* --- what is asked ----------------------------------------------------------------------------- */

#define POINTS 5000
#define STUDY                                                                                      \
    "local many = {}\n"                                                                            \
    "for i = 1, 5000 do many[i] = i end\n"                                                         \
    "return study { title = 'Many', machine = machine { name = 'plain' },\n"                       \
    "  vary = { b = { 1, 2 }, a = many }, run = function(p) return { double = 2 * p.a } end }\n"

/* An answer of many packets; a path from the folder where the program is by now. */
static void test_many_points(void)
{
    char *error = NULL;
    size_t point;
    g_autofree char *before = g_get_current_dir();
    g_autofree char *folder = g_dir_make_tmp("gpunetsim-test-XXXXXX", NULL);
    g_assert_cmpint(g_chdir(folder), ==, 0);
    g_assert_true(g_file_set_contents("many.lua", STUDY, -1, NULL));
    struct gpunetsim_study *study = gpunetsim_study_open("many.lua", NULL, &error);
    g_assert_cmpstr(error, ==, NULL);
    g_assert_cmpuint(gpunetsim_study_point_count(study), ==, 2 * POINTS);
    g_assert_cmpuint(gpunetsim_study_axis_count(study), ==, 2);
    g_assert_true(gpunetsim_study_find(study, "b=2,a=4999", &point, &error));
    g_assert_cmpstr(gpunetsim_study_title(study), ==, "Many");
    for (size_t axis = 0; axis < 2; axis++)
        g_assert_cmpstr(gpunetsim_study_value(study, point, axis), ==,
                        *gpunetsim_study_axis_name(study, axis) == 'a' ? "4999" : "2");
    struct gpunetsim_result *result = gpunetsim_study_run(study, point, 1, &error);
    g_assert_cmpfloat(gpunetsim_result_value(result, "double", &error), ==, 9998);
    gpunetsim_result_free(result);
    gpunetsim_study_close(study);
    g_unlink("many.lua");
    g_assert_cmpint(g_chdir(before), ==, 0);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/process/often", test_often);
    g_test_add_func("/process/nothing-open", test_nothing_open);
    g_test_add_func("/process/descriptors", test_descriptors);
    g_test_add_func("/process/fork", test_fork);
    g_test_add_func("/process/killed-in-a-run", test_killed_in_a_run);
    g_test_add_func("/process/killed-between-runs", test_killed_between_runs);
    g_test_add_func("/process/killed-run", test_killed_run);
    g_test_add_func("/process/killed-program", test_killed_program);
    g_test_add_func("/process/other-programs", test_other_programs);
    g_test_add_func("/process/without-files", test_without_files);
    g_test_add_func("/process/many-points", test_many_points);
    return g_test_run();
}
