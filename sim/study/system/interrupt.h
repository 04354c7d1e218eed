/* SPDX-License-Identifier: BSD-3-Clause */
/* Ctrl-C: a signal sets a flag, and long work checks the flag where it can stop cleanly. */
#pragma once

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP, unless ignored, set a flag, and waiting system calls end with EINTR. Work that does
 * not check the flag, such as a running simulation or script, is ended by a timer in less than a second, with exit code 130 and the
 * sentence of an interrupt. From then on the process ends with exit code 1 and one sentence, which begins with INTERRUPT_NO_MEMORY,
 * if GLib finds it out of memory. Called once in each process, since a forked process has no timer. */
#define INTERRUPT_NO_MEMORY "gpunetsim: there is not enough memory: "
void interrupt_install(void);

/* Whether SIGUSR1, which asks for the progress, has come since the last call. */
bool interrupt_asked(void);

/* Undoes interrupt_install: the signals end the process again. */
void interrupt_uninstall(void);

/* True, with `error` set (ERROR_INTERRUPTED), once one of the signals has come. `error` may be NULL. */
bool interrupt_pending(GError **error);

/* Blocks these signals until interrupt_release, except within a ppoll that is given `outside`: so none can come between the check
 * of the flag and the sleep. */
void interrupt_hold(sigset_t *outside);
void interrupt_release(const sigset_t *outside);

/* In a forked worker: ignores signals to the whole group of processes, as from Ctrl-C or a batch system. Only the parent handles
 * them, and it ends its workers. */
void interrupt_ignore_in_worker(void);

/* Names the unfinished file or folder to be removed if a signal ends the process; NULL: none any more. There is one at a time. */
void ending_partial(const char *path);

/* Notes that the user has been told of the interrupt. */
void ending_told(void);
