/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores put together: shares of a sweep, or what a damaged store still has. */
#pragma once

#include "study/store/store.h"

struct merge_counts {
    uint64_t points, calls; /* looked at */
    unsigned damaged_stores;
    uint64_t lost;           /* rows that were seen in these and could not be read */
    uint64_t contradictions; /* points of one key with two results: that should never be */
};

/* Adds all of the store at `path` to `target`, and to the counts. What `target` has stays, but a
 * point that failed there gives way to one that did not. False and an error if one of the two
 * cannot be read or written at all. */
bool merge_store(struct result_store *target, const char *path, struct merge_counts *counts,
                 GError **error);
