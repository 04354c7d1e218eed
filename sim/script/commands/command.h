/* SPDX-License-Identifier: BSD-3-Clause */
/* What the subcommands share: their form, exit codes, errors and options. */
#pragma once

#include <glib.h>
#include <stdbool.h>

enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_FAILED = 1,        /* it was right to ask, but it went wrong */
    EXIT_CODE_USE = 2,           /* bad use: options, files, scripts */
    EXIT_CODE_INTERRUPTED = 130, /* as shells report SIGINT */
};

struct command {
    const char *name;
    const char *arguments; /* "FILE.lua" */
    const char *description;
};

/* Takes the options in `entries` (NULL: none) out of argc and argv, and `--help`, which ends the
 * program. Then argv[1] onwards are the arguments, and there must be `least` to `most` of them.
 * False and one sentence otherwise. Texts and lists that options give stay until the program ends. */
bool command_parse(const struct command *command, int *argc, char ***argv,
                   const GOptionEntry *entries, int least, int most, GError **error);

/* Prints `gpunetsim: ` and a sentence on standard error, without control characters. */
void command_tell(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Prints `gpunetsim: ` and the error's sentence on standard error, frees it and gives its exit
 * code. */
int command_fail(GError *error);

/* Reads the project's named designs (script/machine/designs.h): first of all. */
bool command_load_designs(GError **error);
