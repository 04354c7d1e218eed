/* SPDX-License-Identifier: BSD-3-Clause */
/* What a LogGOPS machine (fabric/loggp/loggp.h) does next: records in the order (time, serial).
 *
 * Unlike in core/event.h an operation may be put before others of its time, if its serial is older,
 * and even before the present (fabric/loggp/loggp.c says when); it is then the next.
 *
 * core/event.h in its place, with ties still in the order of scheduling, ran bench_goal's ring at 86 % of
 * the speed (8.8 for 10.2 M messages/s), all-to-all at 83 to 91 %, doubling at 79 to 93 % with 42 MB for
 * 17, and only the halo as fast. Ties by serial would cost every event a key and a sorted insertion. */
#pragma once

#include <stdbool.h>

#include "fabric/loggp/loggp_record.h"

struct loggp_queue;

/* A queue of records of this pool, which the caller keeps. */
struct loggp_queue *loggp_queue_new(struct loggp_records *records);
void loggp_queue_free(struct loggp_queue *queue);

/* Puts a record at its time and serial. `fresh`: its serial is the greatest so far. */
void loggp_queue_push(struct loggp_queue *queue, uint32_t record, bool fresh);

/* Takes out the first record; LOGGP_NONE if none is pending. */
uint32_t loggp_queue_pop(struct loggp_queue *queue);
