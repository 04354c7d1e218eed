/* What a store has, for people. */
#ifndef GPUNETSIM_STUDY_STATUS_H
#define GPUNETSIM_STUDY_STATUS_H

#include "study/store.h"
#include "study/table.h"

struct status {
    struct table *studies;  /* a row a study, seed and version */
    struct table *failures; /* failed points, at most some of each study */
    uint64_t damaged;       /* rows that cannot be read */
};
void status_read(struct result_store *store, struct status *status);
void status_clear(struct status *status);

#endif
