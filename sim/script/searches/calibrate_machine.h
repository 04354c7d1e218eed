/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim calibrate MACHINE DATA...: the machine form of the command. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/run/runner.h"

struct calibrate_request {
    const char *machine; /* a path or a name */
    char *const *data;   /* files of measurements */
    int count;
    const char *output;       /* where the machine is written; NULL: nowhere */
    const char *rows;         /* where a line a row is written; NULL: nowhere */
    const char *const *fixed; /* "gpu.clock=1GHz", NULL-ended, may be NULL: not searched for */
    bool force;               /* also over files that are not the program's own */
    bool keep;                /* searches for nothing */
    size_t folds; /* of cross-validation (views/calibrate/folds.lua), 2 to 100; 0: none */
    struct runner_options options;
};

/* Finds the machine's values that the measurements determine, prints them and how well each is known, and writes what is asked for.
 * False and one sentence; then nothing is written. */
bool calibrate_machine(const struct calibrate_request *request, GError **error);
