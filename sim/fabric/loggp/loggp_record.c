/* SPDX-License-Identifier: BSD-3-Clause */
/* One growing array. It grows by an eighth instead of doubling, since records take most of the memory of a large simulation. */
#include "fabric/loggp/loggp_record.h"

#include <glib.h>

#include "core/check.h"

void loggp_records_grow(struct loggp_records *records)
{
    check_always(records->room < LOGGP_NONE, "more than 2^32 - 1 operations are pending at once");
    uint32_t step = MAX(1024, records->room / 8);
    records->room += MIN(step, LOGGP_NONE - records->room);
    records->at = g_renew(struct loggp_record, records->at, records->room);
}

void loggp_records_clear(struct loggp_records *records)
{
    g_free(records->at);
    *records = (struct loggp_records){.free = LOGGP_NONE};
}
