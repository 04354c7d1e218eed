/* SPDX-License-Identifier: BSD-3-Clause */
/* One growing array, in large pages: a large run touches records at random. Room that is not used takes no memory. */
#include "fabric/loggp/loggp_record.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"
#include "core/pages.h"

void loggp_records_grow(struct loggp_records *records)
{
    check_always(records->room < LOGGP_NONE, "more than 2^32 - 1 operations are pending at once");
    uint32_t before = records->room, step = MAX(1024, before / 2);
    records->room += MIN(step, LOGGP_NONE - before);
    struct loggp_record *at = pages_new(records->room * sizeof *at);
    if (before > 0)
        memcpy(at, records->at, before * sizeof *at);
    pages_free(records->at, before * sizeof *at);
    records->at = at;
}

void loggp_records_clear(struct loggp_records *records)
{
    pages_free(records->at, records->room * sizeof *records->at);
    *records = (struct loggp_records){.free = LOGGP_NONE};
}
