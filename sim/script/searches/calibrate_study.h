/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim calibrate STUDY.lua (views/calibrate/study.lua). */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/run/runner.h"

struct calibrate_study {
    const char *path;
    char *const *overrides; /* of its machine, NULL-ended, may be NULL: not searched for */
    char *const *
        bands; /* studies whose claims are answered at the ends of spans, NULL-ended, may be NULL */
    size_t evaluations; /* runs of the study that the search may take */
    bool keep;          /* searches for nothing */
    struct runner_options options;
};

/* Searches for the fitted values of the study's machine, and prints them and how well each is known. False and one sentence if that
 * is no study, if its machine has no fitted value, or if a point fails or lacks a measure. */
bool calibrate_study(struct calibrate_study *request, GError **error);
