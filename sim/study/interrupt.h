/* Ctrl-C: a signal is remembered, and long work asks for it where it can stop cleanly. */
#ifndef GPUNETSIM_STUDY_INTERRUPT_H
#define GPUNETSIM_STUDY_INTERRUPT_H

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

/* From now on SIGINT and SIGTERM set a flag, and system calls that wait end with EINTR. Who does not
 * ask for the flag is ended all the same, in less than a second (ending.h). */
void interrupt_install(void);

/* True, with `error` set (STUDY_ERROR_INTERRUPTED), once one of them has come. `error` may be NULL.
 */
bool interrupt_pending(GError **error);

/* Holds both signals back until interrupt_release, except within a ppoll that is given `outside`:
 * so none can fall between asking for the flag and going to sleep. */
void interrupt_hold(sigset_t *outside);
void interrupt_release(const sigset_t *outside);

/* In a forked worker: the parent alone decides what an interrupt means and ends its workers. */
void interrupt_ignore_in_worker(void);

#endif
