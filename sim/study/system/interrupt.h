/* SPDX-License-Identifier: BSD-3-Clause */
/* Ctrl-C: a signal is remembered, and long work asks for it where it can stop cleanly. */
#pragma once

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP set a flag, those of them that are not ignored, and system calls
 * that wait end with EINTR. Who does not ask for the flag is ended all the same, in less than a second
 * (ending.h). */
void interrupt_install(void);

/* Whether SIGUSR1 has come since the last call: somebody wants to know how far the program is. */
bool interrupt_asked(void);

/* Undoes interrupt_install: they end the process again. */
void interrupt_uninstall(void);

/* True, with `error` set (ERROR_INTERRUPTED), once one of them has come. `error` may be NULL.
 */
bool interrupt_pending(GError **error);

/* Holds these signals back until interrupt_release, except within a ppoll that is given `outside`:
 * so none can fall between asking for the flag and going to sleep. */
void interrupt_hold(sigset_t *outside);
void interrupt_release(const sigset_t *outside);

/* In a forked worker: a signal to the whole group of processes, as by Ctrl-C or a batch system, is
 * the parent's to understand. It alone decides what an interrupt means, and ends its workers. */
void interrupt_ignore_in_worker(void);
