/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep whose points other processes run. */
#pragma once

#include "cli/command.h"
#include "study/run/runner.h"

/* The command `sweep` with its points run by `dispatch`; NULL: by worker processes of this machine. A
 * helper takes part in a sweep whose results another process keeps: it has no store, and writes and
 * shows nothing. */
int sweep_with(const struct command *command, int argc, char **argv, runner_dispatch *dispatch,
               void *context, bool is_helper);
