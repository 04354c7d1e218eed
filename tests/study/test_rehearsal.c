/* SPDX-License-Identifier: BSD-3-Clause */
/* The rehearsal before a run is a process of its own; if that process fails, the user is told how it ended. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../script/scratch.h"
#include "script/commands/session.h"
#include "script/script.h"
#include "script/views/views.h"

/* What befalls the next processes that are forked. */
static int forks, killed, exit_code;

static void count_fork(void)
{
    forks++;
}

static void befall(void)
{
    if (forks <= killed)
        raise(SIGKILL);
    if (exit_code == SIGABRT) {
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    if (exit_code)
        _exit(exit_code);
}

/* A study, and what a command has. */
struct given {
    struct session session;
    struct study *study;
};

static void keep(gpointer study)
{
    (void)study;
}

static int push_given(lua_State *L, void *given)
{
    static const struct session_function none = {NULL, NULL, NULL};
    session_open(L, &((struct given *)given)->session, &none);
    session_push_object(L, ((struct given *)given)->study, keep);
    lua_pushboolean(L, true);
    return 2;
}

/* Rehearses the study as a command does; false and an error at a fault. */
static bool rehearse_apart(struct study *study, GError **error)
{
    struct given given = {.session.objects = g_hash_table_new(NULL, NULL), .study = study};
    g_auto(GStrv) none = views_call("../tests/study/rehearsal", "apart", push_given, &given,
                                    g_variant_new("()"), error);
    g_hash_table_unref(given.session.objects);
    return none != NULL;
}

/* The sentence of a rehearsal of which the first `kills` processes are killed, and others end by `code`; NULL if nothing is wrong. */
static char *rehearse_with(const char *run, int kills, int code)
{
    g_autofree char *text = g_strdup_printf(
        "return study { title = 't', machine = machine { name = 'm' }, vary = { n = { 1 } },\n"
        "  run = function(p) %s end }",
        run);
    g_autofree char *path = scratch_file("s.lua", text);
    GError *error = NULL;
    struct study *study = study_load(path, NULL, &error);
    g_assert_no_error(error);
    forks = 0;
    killed = kills;
    exit_code = code;
    g_assert_true(rehearse_apart(study, &error) == !error);
    killed = exit_code = 0;
    study_free(study);
    char *sentence = error ? g_strdup(error->message + strlen(path)) : NULL;
    g_clear_error(&error);
    return sentence;
}

static void check(int kills, int code, int expected_forks, const char *expected)
{
    g_autofree char *sentence = rehearse_with("return { a = 1 }", kills, code);
    g_assert_cmpstr(sentence, ==, expected);
    g_assert_cmpint(forks, ==, expected_forks);
}

static void test_ends(void)
{
    check(0, 0, 1, NULL);
    check(0, SIGABRT, 1, ": no rehearsal: its process was ended by signal 6 (Aborted)");
    check(0, 3, 1, ": no rehearsal: its process ended with exit code 3 and no result");
}

/* Whom somebody else kills is begun again, as a point is, and not for ever. */
static void test_killed(void)
{
    check(2, 0, 3, NULL);
    check(9, 0, 3, ": no rehearsal: its process was ended by signal 9 (Killed)");
    g_autofree char *sentence = rehearse_with("error('no such thing')", 2, 0);
    g_assert_cmpstr(sentence, ==, ":2: no such thing; at n=1."); /* what the third says */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    scratch_open();
    pthread_atfork(count_fork, NULL, befall);
    g_test_add_func("/rehearsal/ends", test_ends);
    g_test_add_func("/rehearsal/killed", test_killed);
    int result = g_test_run();
    scratch_close();
    return result;
}
