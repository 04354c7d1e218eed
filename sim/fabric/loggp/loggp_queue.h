/* SPDX-License-Identifier: BSD-3-Clause */
/* The pending operations of a LogGOPS machine (fabric/loggp/loggp.h): records in the order (time, serial). Unlike in core/event.h
 * an operation may be queued before others of the same time, if its serial is older, and even before the present
 * (fabric/loggp/loggp.c says when); it is then the next. With core/event.h instead, and ties still in the order of scheduling,
 * bench_goal's ring ran at 86 % of the speed (8.8 instead of 10.2 M messages/s), all-to-all at 83 to 91 %, doubling at 79 to 93 %
 * with 42 MB instead of 17, and only the halo as fast. Ties by serial would cost every event a key and a sorted insertion. With
 * postponed records in the heap alone, so that no slot is sorted, the halo ran at 70 to 74 %. */
#pragma once

#include <stdbool.h>

#include "fabric/loggp/loggp_record.h"

struct loggp_queue;

/* A new queue for records of this pool, which the caller keeps. */
struct loggp_queue *loggp_queue_new(struct loggp_records *records);
void loggp_queue_free(struct loggp_queue *queue);

/* Inserts a record by its time and serial. `fresh`: its serial is the greatest so far. */
void loggp_queue_push(struct loggp_queue *queue, uint32_t record, bool fresh);

/* Takes out the first record; LOGGP_NONE if none is pending. */
uint32_t loggp_queue_pop(struct loggp_queue *queue);
