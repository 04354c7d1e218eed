/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends the process hard after a signal. Long work calls interrupt_pending where it can stop cleanly; work that does not call
 * it, such as a running simulation or script, is ended by a timer that the first signal starts. */
#pragma once

/* Prepares the timer; call it once in each process, since a forked process has no timer. From then on the process ends with exit
 * code 1 and one sentence if GLib finds it out of memory, which begins with ENDING_NO_MEMORY. */
#define ENDING_NO_MEMORY "gpunetsim: there is not enough memory: "
void ending_install(void);

/* Called by a signal's handler: the process ends less than a second later with exit code 130 and the sentence of an interrupt. */
void ending_begin(void);

/* Names the unfinished file or folder to be removed if a signal ends the process; NULL: none any more. There is one at a time. */
void ending_partial(const char *path);

/* Notes that the user has been told of the interrupt. */
void ending_told(void);
