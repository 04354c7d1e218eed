/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's commands, which are Lua files in views/commands/, listed in views/commands.lua. Each returns a table of its options and
 * its function; here is what these call. Only the command that is asked for is read. */
#pragma once

#include "script/commands/command.h"

/* Runs a study as `gpunetsim run` and `gpunetsim sweep` do, which stay in C for programs that have no other command. */
typedef int commands_study(const struct command *command, int argc, char **argv);

/* Runs the command that argv[1] names, and returns the exit code. */
int commands_run(int argc, char **argv, commands_study *run_study);
