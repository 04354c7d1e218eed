/* SPDX-License-Identifier: BSD-3-Clause */
/* The LogGOPS machine: ranks that compute, send and receive at costs L, o, g, G, O and S.
 *
 * LogGOPS (Hoefler, Schneider, Lumsdaine: LogGOPSim, 2010) has no network to contend for: only each rank's own CPU and NIC
 * streams can be busy. The rules are those of LogGOPSim 76451de, to the tick, ties included; docs/use/goal.md explains them.
 * With t the time at which an operation starts and s the bytes of a message:
 *
 *   calculate  waits for the CPU, which is then taken until t + duration
 *   send       waits for the CPU and the NIC's sending side, taken until t + o + (s - 1) O and
 *              t + g + (s - 1) G; the message's first byte arrives at t + o + L
 *   receive    is posted when the CPU was free on becoming ready, and takes nothing
 *   message    waits for the receiver's CPU and the NIC's receiving side, taken until
 *              t + o + max((s - 1) O, (s - 1) G) and t + g + (s - 1) G; it uses the streams of its
 *              send's numbers
 *
 * A send of up to S bytes is done when it goes; a longer one (rendezvous) when its message has met its receive, and the
 * sender's CPU and NIC are not free before. A receive is done when its message has met it. An operation that is done releases
 * the operations that wait for it, which begin when their CPU (and NIC) is free. For s = 0, s - 1 is -1, here as in LogGOPSim.
 * Times lie between 0 and LOGGP_LAST ticks: an operation that would leave this range ends the run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/loggp/loggp_match.h"
#include "fabric/loggp/loggp_model.h"
#include "fabric/loggp/loggp_ready.h"

/* The latest time in ticks: 292 years, if ticks are nanoseconds. */
#define LOGGP_LAST INT64_MAX

/* The numbers give the order in which operations that become ready together start. */
enum loggp_kind {
    LOGGP_SEND = 1,
    LOGGP_RECEIVE,
    LOGGP_CALCULATE,
    LOGGP_MESSAGE,
    LOGGP_END,
    LOGGP_MOVES
};

/* Times in ticks; a tick is a nanosecond or a fraction of it. No time is above LOGGP_LAST. */
struct loggp_spec {
    uint64_t L, o, g;
    uint64_t G, O; /* time for each byte of a message but the first */
    uint64_t S;    /* bytes up to which a message is eager */
    uint64_t ticks_per_ns;
};

/* The program that runs on the machine. Its calls write the operations of their rank that have become ready to `ready`; if
 * several become ready at once, their order decides ties. */
struct loggp_program {
    uint32_t ranks;      /* >= 1 */
    uint32_t cpus, nics; /* how many streams each rank has, 1 to 65,536 */
    bool empty_messages; /* whether any message has 0 bytes */
    void *state;
    /* ready at the beginning */
    void (*start)(void *state, uint32_t rank, struct loggp_ready *ready);
    void (*started)(void *state, uint32_t rank, uint32_t id, struct loggp_ready *ready);
    void (*done)(void *state, uint32_t rank, uint32_t id, struct loggp_ready *ready);
};

/* Why a run cannot go on, and the rank and operation at fault (for a message, its send). */
enum loggp_fault_kind {
    LOGGP_NO_FAULT,
    LOGGP_TOO_LATE,  /* the operation ends after LOGGP_LAST */
    LOGGP_TOO_EARLY, /* the operation ends before 0: its message of 0 bytes has a negative cost */
    LOGGP_TRUNCATES, /* a receive of fewer bytes than its message has */
    LOGGP_TOO_MANY_BYTES, /* more than 2^63 bytes are sent with it; not on this machine */
    /* the model has no costs for a message of this size between its two ranks */
    LOGGP_OUTSIDE_MODEL,
};
struct loggp_fault {
    enum loggp_fault_kind kind;
    uint32_t rank, id;
    uint32_t source,
        source_id; /* LOGGP_TRUNCATES: the send and its rank; LOGGP_OUTSIDE_MODEL: the destination */
    uint64_t bytes; /* LOGGP_OUTSIDE_MODEL */
};

struct loggp;

/* A new machine, before its first operation. Copies both specs, but not the program's state, which the caller keeps. */
struct loggp *loggp_new(const struct loggp_spec *spec, const struct loggp_program *program);
void loggp_free(struct loggp *machine);

/* The same with the costs of a model, which the caller keeps; ticks are picoseconds. The time that an operation takes of its CPU
 * stream is fixed when it becomes ready, so operations of a stream run in the order in which they became ready. Operations that
 * wait for another one wait for its end. */
struct loggp *loggp_new_model(const struct loggp_model *model, const struct loggp_program *program);

/* Runs at most `steps` operations. False when nothing is left to do, or at a fault. */
bool loggp_run(struct loggp *machine, uint64_t steps);

/* The fault that has ended the run; its kind is LOGGP_NO_FAULT if there was none. */
struct loggp_fault loggp_fault(const struct loggp *machine);

/* The time at which all of the rank's CPU streams are free, in ticks. */
uint64_t loggp_end(const struct loggp *machine, uint32_t rank);

/* The number of messages sent so far. */
uint64_t loggp_messages(const struct loggp *machine);

/* After the end: calls `tell` for each receive without a message, and each message without a receive, rank by rank. `tell` NULL:
 * only counts. Returns how many there are. */
size_t loggp_unmatched(const struct loggp *machine,
                       void (*tell)(void *argument, uint32_t rank, bool is_receive,
                                    const struct loggp_entry *entry),
                       void *argument);

/* Unlike LogGOPSim, treats a calculation, and a receive whose message comes later, as done when it ends: operations on other CPU
 * streams that require it wait for its end. Call it before the first loggp_run. */
void loggp_wait_for_ends(struct loggp *machine);

/* For tests: postpones each operation by itself, as LogGOPSim does, instead of keeping waiting operations in a queue. All ranks
 * end at the same times. Call it before the first loggp_run. */
void loggp_put_off_one_by_one(struct loggp *machine);
