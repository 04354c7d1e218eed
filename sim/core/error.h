/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that a user can mend: bad input, surroundings that do not help, an interrupt. Each is a GError with one
 * clause: where (FILE:LINE, if it comes from a file), what was wrong, what is accepted. What the code itself has
 * got wrong is a failed check instead (core/check.h). */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define ERROR_DOMAIN error_domain()
GQuark error_domain(void);

/* What the command line ends with: exit codes 2, 1 and 130. */
enum error_code {
    ERROR_USE, /* what was asked for cannot be: a value, a script, an output folder that is a file */
    ERROR_RUN, /* it went wrong while it ran: a point that failed, a disk that is full, no gnuplot */
    ERROR_INTERRUPTED, /* the user stopped it */
    ERROR_TAKEN, /* not by this process, which holds a platform already; another one can. Ends as ERROR_RUN */
};

/* Makes `*error` an ERROR_USE with that text; nothing if `error` is NULL. Returns false, for the caller to
 * return. `error_set_code` takes another code. */
bool error_set(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool error_set_code(GError **error, enum error_code code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* A text as one sentence, as it is when it comes to a user: no line breaks, a full stop at its end. Only where a line ends with a full stop others may
 * follow: what a sentence says at length (workloads/transfer/deadlock.h). The caller frees it with g_free. */
char *error_sentence(const char *message);
