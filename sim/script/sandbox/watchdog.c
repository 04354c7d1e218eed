/* SPDX-License-Identifier: BSD-3-Clause */
/* The timer counts processor time, not elapsed time, so that the result is the same on a machine under load. */
#include "script/sandbox/watchdog.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define EXIT_CODE_USE 2

/* Data of the signal handler. */
static lua_State *volatile watched; /* NULL: none */
static volatile lua_Hook hook_at_end;
static const char *volatile path_shown;
static volatile sig_atomic_t is_over;

static struct itimerval left; /* while paused */

static volatile sig_atomic_t is_sampled, is_inside, seconds_inside;

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

/* Calls only functions that are allowed in a signal handler; lua_sethook is one. */
static void time_is_over(int number)
{
    (void)number;
    if (!watched || (is_sampled && (!is_inside || ++seconds_inside < WATCHDOG_SECONDS)))
        return;
    if (!is_over) {
        is_over = 1;
        lua_sethook(watched, hook_at_end, LUA_MASKCOUNT, 1);
        return;
    }
    say("gpunetsim: ");
    say(path_shown);
    say(": the script needs too much computing time.\n");
    _exit(EXIT_CODE_USE);
}

void watchdog_start(lua_State *L, lua_Hook hook, const char *path)
{
    const struct itimerval limit = {.it_value = {.tv_sec = WATCHDOG_SECONDS},
                                    .it_interval = {.tv_sec = 1}};
    struct sigaction action = {.sa_handler = time_is_over, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    is_over = 0;
    is_sampled = 0;
    hook_at_end = hook;
    path_shown = path;
    watched = L;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &limit, NULL);
}

void watchdog_stop(void)
{
    const struct itimerval none = {.it_value = {.tv_sec = 0}};
    setitimer(ITIMER_PROF, &none, NULL);
    watched = NULL;
}

bool watchdog_is_over(void)
{
    return is_over;
}

void watchdog_pause(void)
{
    const struct itimerval none = {.it_value = {.tv_sec = 0}};
    setitimer(ITIMER_PROF, &none, &left);
}

void watchdog_resume(void)
{
    setitimer(ITIMER_PROF, &left, NULL);
}

void watchdog_sample(bool is_on)
{
    const struct itimerval each_second = {.it_value = {.tv_sec = 1}, .it_interval = {.tv_sec = 1}};
    if (!is_on) {
        is_sampled = 0;
        setitimer(ITIMER_PROF, &left, NULL);
        return;
    }
    is_inside = 0;
    seconds_inside = 0;
    is_sampled = 1;
    setitimer(ITIMER_PROF, &each_second, &left);
}

void watchdog_enter(void)
{
    is_inside = 1;
}

void watchdog_leave(void)
{
    is_inside = 0;
}
