/* Interrupts. The flag is the one piece of state outside of any struct: signals belong to the whole
 * process, and a handler gets no argument of ours. */
#include "study/interrupt.h"

#include <stddef.h>

#include "study/ending.h"
#include "study/error.h"

static volatile sig_atomic_t came;

static void remember(int number)
{
    came = number;
    ending_begin();
}

void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = remember};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    ending_install();
}

bool interrupt_pending(GError **error)
{
    if (came == 0)
        return false;
    g_set_error_literal(error, STUDY_ERROR, STUDY_ERROR_INTERRUPTED,
                        "interrupted; files that were not finished have been removed");
    return true;
}

void interrupt_hold(sigset_t *outside)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, outside);
}

void interrupt_release(const sigset_t *outside)
{
    sigprocmask(SIG_SETMASK, outside, NULL);
}

void interrupt_ignore_in_worker(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
}
