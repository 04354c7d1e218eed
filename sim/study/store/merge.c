/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging goes row by row and compares before it writes: that is slower than copying tables, but finds contradictions. */
#include "study/store/merge.h"

struct merging {
    struct result_store *target;
    struct merge_counts *counts;
    GError **error;
};

static bool add_study(void *context, const void *row)
{
    const struct store_study *study = row;
    const struct merging *merging = context;
    return store_put(merging->target, STORED_STUDY, study, merging->error);
}

static bool add_point(void *context, const void *row)
{
    const struct store_point *point = row;
    const struct merging *merging = context;
    struct store_point there;
    merging->counts->points++;
    if (!store_get(merging->target, STORED_POINT, point->key, &there))
        return store_put(merging->target, STORED_POINT, point, merging->error);
    bool replaces = there.failure && !point->failure;
    bool agrees = there.failure || point->failure || g_bytes_equal(there.result, point->result);
    store_row_clear(STORED_POINT, &there);
    merging->counts->contradictions += !agrees;
    return !replaces || store_put(merging->target, STORED_POINT, point, merging->error);
}

static bool add_call(void *context, const void *row)
{
    const struct store_call *call = row;
    const struct merging *merging = context;
    merging->counts->calls++;
    return store_put(merging->target, STORED_CALL, call, merging->error);
}

bool merge_store(struct result_store *target, const char *path, struct merge_counts *counts,
                 GError **error)
{
    struct result_store *source = store_open(path, STORE_SALVAGE, error);
    if (!source)
        return false;
    struct merging merging = {target, counts, error};
    bool good = store_each(source, STORED_STUDY, add_study, &merging, error) &&
                store_each(source, STORED_POINT, add_point, &merging, error) &&
                store_each(source, STORED_CALL, add_call, &merging, error);
    uint64_t lost;
    counts->damaged_stores += store_is_damaged(source, &lost);
    counts->lost += lost;
    store_close(source);
    return good;
}
