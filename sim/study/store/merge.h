/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges stores: the shards of a sweep, or what is left of a damaged store. */
#pragma once

#include "study/store/store.h"

struct merge_counts {
    uint64_t points, calls; /* rows that were compared */
    unsigned damaged_stores;
    uint64_t lost;           /* rows that were seen and could not be read */
    uint64_t contradictions; /* points with one key and two results, which should never happen */
};

/* Adds all rows of the store at `path` to `target`, and counts them. Rows of `target` stay, but a point that failed there is
 * replaced by one that did not fail. False and an error if one of the two cannot be read or written at all. */
bool merge_store(struct result_store *target, const char *path, struct merge_counts *counts,
                 GError **error);
