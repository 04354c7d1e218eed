/* SPDX-License-Identifier: BSD-3-Clause */
/* Studies that are run: the command `run`, and `sweep`, which is run --only-store. */
#pragma once

#include "script/commands/command.h"
#include "study/run/runner.h"

/* Runs the study that argv names, and says how it went; as `sweep` if that is the command's name. Returns the exit code. */
int run_study(const struct command *command, int argc, char **argv);

/* The command `sweep` with its points run by `dispatch`; NULL: by worker processes of this machine. A
 * helper takes part in a sweep whose results another process keeps: it has no store, and writes and
 * shows nothing. */
int sweep_with(const struct command *command, int argc, char **argv, runner_dispatch *dispatch,
               void *context, bool is_helper);
