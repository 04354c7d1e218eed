/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the subcommands: exit codes and errors. */
#pragma once

#include <glib.h>
#include <stdbool.h>

enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_FAILED = 1,        /* the use was right, but the command failed */
    EXIT_CODE_USE = 2,           /* bad use: options, files, scripts */
    EXIT_CODE_INTERRUPTED = 130, /* as shells report SIGINT */
};

/* Prints `gpunetsim: ` and a sentence on standard error, without control characters. */
void command_tell(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Prints `gpunetsim: ` and the error's sentence on standard error, frees it and gives its exit
 * code. */
int command_fail(GError *error);
