/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's commands, which are Lua files in views/commands/, listed in views/commands.lua. Each returns a table of its options and
 * its function; here is what these call. Only the command that is asked for is read. */
#pragma once

#include "study/run/runner.h"

/* A program that is the command `sweep` alone, and whose points are run by `dispatch`. */
struct commands_sweep {
    const char *program; /* its name, and what it does */
    const char *description;
    runner_dispatch *dispatch;
    void *context;
    bool
        is_helper; /* it takes part in a sweep whose results another process keeps: it has no store, and writes and shows nothing */
};

/* Runs the command that argv[1] names; with `sweep` not NULL that one. Returns the exit code. */
int commands_run(int argc, char **argv, const struct commands_sweep *sweep);
