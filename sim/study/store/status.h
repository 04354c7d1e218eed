/* SPDX-License-Identifier: BSD-3-Clause */
/* What a store has, for people. */
#pragma once

#include "study/store/store.h"
#include "study/table/table.h"

struct status {
    struct table *studies;  /* a row a study, seed and version */
    struct table *failures; /* failed points, at most some of each study */
    bool is_damaged;        /* the file */
    uint64_t lost;          /* rows that cannot be read */
};
/* False and an error if interrupted. */
bool status_read(struct result_store *store, struct status *status, GError **error);
void status_clear(struct status *status);
