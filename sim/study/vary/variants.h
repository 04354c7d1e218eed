/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants of a study: points of it with further overrides, run by worker processes and kept in the store as any points
 * are. A run of a workload that the store knows, whoever asked for it, is not simulated again. */
#pragma once

#include <glib.h>

#include "study/run/runner.h"

struct variant {
    size_t point; /* of the study as it was loaded */
    char **
        overrides; /* "nic.rate=10GB/s", NULL-ended, owned; those of an empty list are the point as it is */
};

struct variants {
    struct study *study;
    struct runner_options options;
    char *digest;     /* the study's own */
    uint32_t *points; /* likewise */
    size_t point_count;
    size_t runs;  /* variants run so far */
    GArray *list; /* struct variant: to be run by variants_run */
};

/* Makes variants of `study` and takes it over; it must not be used for anything else. Options are those of a run. */
struct variants *variants_new(struct study *study, const struct runner_options *options);
void variants_free(struct variants *variants);
/* The same, but the study is given back as it was. */
struct study *variants_release(struct variants *variants);

/* Lists one more; `overrides` is taken over, NULL is none. Returns its number in what variants_run gives. */
size_t variants_add(struct variants *variants, size_t point, char **overrides);

/* Runs all that are listed and empties the list. A row each, in their order (struct row *, freed with it); the row of one
 * without overrides lists all that it read. NULL and an error as from runner_run. */
GPtrArray *variants_run(struct variants *variants, GError **error);

/* The same from the store alone; rows that are not there are NULL. */
GPtrArray *variants_recall(struct variants *variants, GError **error);

/* The machine of a point of the study as it was loaded. The caller frees it with machine_free. */
struct machine *variants_machine(struct variants *variants, size_t point, GError **error);
