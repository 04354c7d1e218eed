/* SPDX-License-Identifier: BSD-3-Clause */
/* The hard end. Long work asks interrupt_pending where it can stop cleanly; what does not ask, as a
 * simulation or a script at work, is ended by a timer that the first signal starts. */
#pragma once

/* Makes ready for it. A forked process has no timer, until it makes one. From then on a process that GLib finds out of
 * memory ends with exit code 1 and a sentence about it; once a process. */
void ending_install(void);

/* Called by the handler of a signal: less than a second from now the process ends with exit code
 * 130, and with the sentence of an interrupt. */
void ending_begin(void);

/* Names the unfinished file or folder that is removed if a signal ends the process; NULL: there is none any more. There
 * is one at a time. */
void ending_partial(const char *path);

/* The user has been told of the interrupt. */
void ending_told(void);
