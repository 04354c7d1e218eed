/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's commands, which are Lua files in views/commands/, listed in views/commands.lua. Each returns a table of its options and
 * its function; here is what these call. Only the command that is asked for is read. */
#pragma once

#include "script/commands/command.h"

/* Those which stay in C, for programs that have no other commands: they run studies. */
struct commands_in_c {
    const struct command *list;                                       /* the last one has no name */
    int (*run)(const struct command *command, int argc, char **argv); /* returns the exit code */
};

/* Runs the command that argv[1] names, and returns the exit code. */
int commands_run(int argc, char **argv, const struct commands_in_c *in_c);
