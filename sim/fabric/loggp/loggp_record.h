/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of a LogGOPS machine (fabric/loggp/loggp.h) while they are pending. */
#pragma once

#include <stdint.h>

#define LOGGP_NONE UINT32_MAX

/* An operation of a schedule, or a message on its way. */
struct loggp_op {
    uint64_t size; /* bytes; for a calculation its duration in nanoseconds */
    uint32_t rank; /* the rank that runs it */
    uint32_t peer; /* destination of a send, source of a receive or of a message */
    uint32_t tag;
    uint32_t id;       /* its number in the schedule; for a message, the number of its send */
    uint16_t cpu, nic; /* streams of the rank, from 0 */
    uint8_t kind;      /* enum loggp_kind */
};

/* A pending operation with its time, and its serial, which orders records of the same time. A serial is assigned once, when the
 * operation becomes ready, and kept when it is postponed. */
struct loggp_record {
    uint64_t time;
    uint64_t serial;
    uint32_t next; /* next record of its list */
    union {
        uint32_t
            more; /* next record of its group, which moves together; LOGGP_NONE: the last one */
        uint32_t waited_ns; /* with a model, of a message: how long others on its NICs delayed it */
    };
    struct loggp_op op;
};

/* Records are named by their number. All zero is an empty pool, but for `free`: LOGGP_NONE. */
struct loggp_records {
    struct loggp_record *at;
    uint32_t count, room;
    uint32_t free; /* list by `next` */
};

/* Makes room for more records (loggp_queue.c); fails a check if 2^32 - 1 are in use. */
void loggp_records_grow(struct loggp_records *records);
void loggp_records_clear(struct loggp_records *records);

/* Takes a record for the caller to fill in. Pointers into `at` are valid until the next call. */
static inline uint32_t loggp_record_take(struct loggp_records *records)
{
    uint32_t record = records->free;
    if (record != LOGGP_NONE) {
        records->free = records->at[record].next;
        return record;
    }
    if (records->count == records->room)
        loggp_records_grow(records);
    return records->count++;
}

static inline void loggp_record_give_back(struct loggp_records *records, uint32_t record)
{
    records->at[record].next = records->free;
    records->free = record;
}
