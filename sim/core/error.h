/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors that a user can mend: bad input, a full disk or a missing program, an interrupt. Each is a GError with one clause:
 * where (FILE:LINE, if it comes from a file), what was wrong, what is accepted. Faults of the code are failed checks
 * (core/check.h). */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define ERROR_DOMAIN error_domain()
GQuark error_domain(void);

/* They decide the exit code of the command line: 2, 1 and 130. */
enum error_code {
    ERROR_USE, /* the request is bad: a value, a script, an output folder that is a file */
    ERROR_RUN, /* a failure while it ran: a point failed, the disk is full, there is no gnuplot */
    ERROR_INTERRUPTED, /* the user stopped it */
    ERROR_TAKEN, /* this process holds a platform already; another process can do it. Exit code as of ERROR_RUN */
};

/* Makes `*error` an ERROR_USE with that text; nothing if `error` is NULL. Returns false, for the caller to
 * return. `error_set_code` takes another code. */
bool error_set(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool error_set_code(GError **error, enum error_code code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* A text as one sentence for a user: no line breaks, a full stop at its end, cut after 8 KiB. Further lines stay only behind a line
 * that ends with a full stop: details of the sentence, as those of script/deadlock/deadlock.h. The caller frees it with g_free. */
char *error_sentence(const char *message);
