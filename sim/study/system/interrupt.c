/* SPDX-License-Identifier: BSD-3-Clause */
/* Interrupts. Flags and what handlers need are outside of any struct: signals belong to the whole process, and a handler gets no
 * argument of ours. Code in handlers makes only system calls. */
#include "study/system/interrupt.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"

/* --- the end of a process that does not end by itself --------------------------------------------- */

#define GRACE_NS 600000000
#define EXIT_CODE_INTERRUPTED 130
#define EXIT_CODE_NO_MEMORY 1

static timer_t timer;
static volatile sig_atomic_t has_timer, has_partial, is_told;
static char partial[PATH_MAX];

/* Removes a folder that this program made, which contains only files. */
static void remove_folder(const char *path)
{
    _Alignas(struct dirent64) char entries[4096];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0)
        return;
    for (long length; (length = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < length;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
            unlinkat(folder, entry->d_name, 0);
            at += entry->d_reclen;
        }
    }
    close(folder);
    rmdir(path);
}

static void end_now(int number)
{
    static const char sentence[] =
        "gpunetsim: interrupted; files that were not finished have been removed.\n";
    (void)number;
    if (has_partial && unlink(partial) != 0)
        remove_folder(partial);
    if (!is_told && write(STDERR_FILENO, sentence, strlen(sentence)) < 0)
        _exit(EXIT_CODE_INTERRUPTED);
    _exit(EXIT_CODE_INTERRUPTED);
}

/* When out of memory, GLib ends the process by a signal, after a message in the locale's encoding, for which it needs memory.
 * This handler prints a sentence instead. */
static GLogWriterOutput end_without_memory(GLogLevelFlags level, const GLogField *fields,
                                           gsize count, gpointer unused)
{
    static const char sentence[] = INTERRUPT_NO_MEMORY;
    const char *why = NULL;
    for (gsize i = 0; i < count; i++)
        if (strcmp(fields[i].key, "MESSAGE") == 0)
            why = strstr(fields[i].value, "failed to allocate");
    if (!(level & G_LOG_LEVEL_ERROR) || !why)
        return g_log_writer_default(level, fields, count, unused);
    if (write(STDERR_FILENO, sentence, strlen(sentence)) > 0 &&
        write(STDERR_FILENO, why, strlen(why)) > 0 && write(STDERR_FILENO, "\n", 1) > 0)
        _exit(EXIT_CODE_NO_MEMORY);
    _exit(EXIT_CODE_NO_MEMORY);
}

static void ending_install(void)
{
    struct sigaction action = {.sa_handler = end_now};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    g_log_set_writer_func(end_without_memory, NULL, NULL);
    has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

static void ending_begin(void)
{
    const struct itimerspec grace = {.it_value = {.tv_nsec = GRACE_NS}};
    if (has_timer)
        timer_settime(timer, 0, &grace, NULL);
}

void ending_partial(const char *path)
{
    has_partial = 0;
    if (!path || strlen(path) >= sizeof partial)
        return;
    strcpy(partial, path);
    has_partial = 1;
}

void ending_told(void)
{
    is_told = 1;
}

/* --- signals ------------------------------------------------------------------------------------- */

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
