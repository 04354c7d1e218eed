/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's commands, which are Lua files in views/commands/, listed in views/commands.lua. Each file returns a table of
 * its options and its function; the C functions that these call are in this folder. Only the file of the given command is read. */
#pragma once

#include "study/run/runner.h"

enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_FAILED = 1,        /* the use was right, but the command failed */
    EXIT_CODE_USE = 2,           /* bad use: options, files, scripts */
    EXIT_CODE_INTERRUPTED = 130, /* as shells report SIGINT */
};

/* A program that is the command `sweep` alone, and whose points are run by `dispatch`. */
struct commands_sweep {
    const char *program; /* its name; `description` says what it does */
    const char *description;
    runner_dispatch *dispatch;
    void *context;
    /* It takes part in a sweep whose results another process keeps: it has no store, and writes and shows nothing. */
    bool is_helper;
};

/* Runs the command that argv[1] names, or `sweep` if it is not NULL. Returns the exit code. */
int commands_run(int argc, char **argv, const struct commands_sweep *sweep);

/* Prints `gpunetsim: ` and the error's sentence on standard error, frees it and gives its exit
 * code. */
int command_fail(GError *error);
