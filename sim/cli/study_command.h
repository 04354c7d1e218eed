/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that are a shipped study with settings, and print its results in a form of their own. */
#pragma once

#include "cli/command.h"
#include "cli/run_options.h"

/* As typed; value NULL: the study's own. A list ends with a name that is NULL. */
struct study_setting {
    const char *name, *value;
};

/* As gpunetsim run --no-plot -o OUTPUT STUDY with the settings, and of the options the changes, workers, store, force and dry-run. Returns the exit code. */
int command_run_study(const struct command *command, const char *study, const char *output,
                      const struct study_setting *settings, const struct run_options *options);
