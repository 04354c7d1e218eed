/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants of a study: its points with further overrides, run by worker processes and kept in the store like other points. A run
 * of a workload that the store already has is not simulated again. */
#pragma once

#include <glib.h>

#include "study/run/runner.h"

struct variant {
    size_t point; /* the number in the study as it was loaded */
    /* "nic.rate=10GB/s", NULL-ended, owned; an empty list: the unchanged point */
    char **overrides;
};

struct variants {
    struct study *study;
    struct runner_options options;
    char *digest;     /* digest of the study as it was loaded */
    uint32_t *points; /* likewise */
    size_t point_count;
    size_t runs;  /* variants run so far */
    GArray *list; /* struct variant: the variants that variants_run will run */
};

/* Starts a list of variants of `study` and takes the study over; it must not be used for anything else. Options are those of a
 * run. */
struct variants *variants_new(struct study *study, const struct runner_options *options);
void variants_free(struct variants *variants);
/* Frees the variants and returns the unchanged study. */
struct study *variants_release(struct variants *variants);

/* Adds a variant to the list; takes `overrides` (NULL: none) over. Returns its index in the result of variants_run. */
size_t variants_add(struct variants *variants, size_t point, char **overrides);

/* Runs all listed variants and empties the list. Returns one row for each, in order (struct row *, freed with it); the row of a
 * variant without overrides lists all parameters that it read. `from_store`: only from the store, and missing rows are NULL. NULL
 * and an error as from runner_run. */
GPtrArray *variants_run(struct variants *variants, bool from_store, GError **error);

/* The machine of a point in the study as it was loaded. The caller frees it with machine_free. */
struct machine *variants_machine(struct variants *variants, size_t point, GError **error);
