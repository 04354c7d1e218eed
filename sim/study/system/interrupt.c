/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupts. The flag is the one piece of state outside of any struct: signals belong to the whole
 * process, and a handler gets no argument of ours. */
#include "study/system/interrupt.h"

#include <stddef.h>

#include "core/error.h"
#include "study/system/ending.h"

static volatile sig_atomic_t came, asked;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static void remember(int number)
{
    came = number;
    ending_begin();
}

static void note_question(int number)
{
    (void)number;
    asked = 1;
}

bool interrupt_asked(void)
{
    bool was_asked = asked != 0;
    asked = 0;
    return was_asked;
}

/* Signals that are ignored already stay ignored: nohup ignores SIGHUP, a shell SIGINT for background jobs. */
void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = remember}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    action.sa_handler = note_question;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, NULL);
    signal(SIGXFSZ,
           SIG_IGN); /* exceeding a file's size limit is an error of the write, as on a full disk */
    ending_install();
}

/* Whether a signal has come, including blocked ones, whose handler has not run yet. */
static bool has_come(void)
{
    sigset_t held;
    if (came != 0)
        return true;
    sigpending(&held);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        if (sigismember(&held, signals[i]) == 1)
            return true;
    }
    return false;
}

bool interrupt_pending(GError **error)
{
    if (!has_come())
        return false;
    error_set_code(error, ERROR_INTERRUPTED,
                   "interrupted; files that were not finished have been removed");
    return true;
}

void interrupt_hold(sigset_t *outside)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        sigaddset(&held, signals[i]);
    sigaddset(&held, SIGUSR1);
    sigprocmask(SIG_BLOCK, &held, outside);
}

void interrupt_release(const sigset_t *outside)
{
    sigprocmask(SIG_SETMASK, outside, NULL);
}

void interrupt_ignore_in_worker(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        signal(signals[i], SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
}

void interrupt_uninstall(void)
{
    struct sigaction now;
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == remember)
            signal(signals[i], SIG_DFL);
    }
}
