/* SPDX-License-Identifier: BSD-3-Clause */
/* The LogGOPS machine: ranks that compute, send and receive at costs L, o, g, G, O and S.
 *
 * LogGOPS (Hoefler, Schneider, Lumsdaine: LogGOPSim, 2010) has no network to contend for: only each
 * rank's own CPU and NIC streams are ever taken. The rules are those of LogGOPSim 76451de, to the
 * tick, ties included; docs/use/goal.md tells them. With t the time at which an operation goes and s
 * the bytes of a message:
 *
 *   calculate  waits for the CPU, which is then taken until t + duration
 *   send       waits for the CPU and the NIC's sending side, taken until t + o + (s - 1) O and
 *              t + g + (s - 1) G; the message's first byte arrives at t + o + L
 *   receive    is posted when the CPU was free on becoming ready, and takes nothing
 *   message    waits for the receiver's CPU and the NIC's receiving side, taken until
 *              t + o + max((s - 1) O, (s - 1) G) and t + g + (s - 1) G; it uses the streams of its
 *              send's numbers
 *
 * A send of up to S bytes is done when it goes; a longer one (rendezvous) when its message has met
 * its receive, and the sender's CPU and NIC are not free before. A receive is done when its message
 * has met it. What is done sets free other operations, which begin when their CPU (and NIC) is
 * free.
 *
 * s = 0 makes s - 1 one less than nothing, here as there. Times lie between 0 and LOGGP_LAST ticks: an
 * operation that would take the machine out of that ends the run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/loggp/loggp_match.h"
#include "fabric/loggp/loggp_model.h"
#include "fabric/loggp/loggp_ready.h"

/* The latest time in ticks: 292 years, if they are nanoseconds. */
#define LOGGP_LAST INT64_MAX

/* Numbered in the order in which operations that become ready together take their turn. */
enum loggp_kind { LOGGP_SEND = 1, LOGGP_RECEIVE, LOGGP_CALCULATE, LOGGP_MESSAGE, LOGGP_END };

/* Times in ticks: of a nanosecond each, or of a fraction of it. None is above LOGGP_LAST. */
struct loggp_spec {
    uint64_t L, o, g;
    uint64_t G, O; /* for each byte but a message's first */
    uint64_t S;    /* bytes up to which a message is eager */
    uint64_t ticks_per_ns;
};

/* What runs on the machine. Its calls write what has become ready, on the rank that they are about,
 * to `ready`; where several operations become ready at once, their order matters for ties. */
struct loggp_program {
    uint32_t ranks;      /* >= 1 */
    uint32_t cpus, nics; /* streams of each rank, 1 to 65,536 */
    bool empty_messages; /* whether any message has 0 bytes */
    void *state;
    void (*start)(void *state, uint32_t rank, struct loggp_ready *ready); /* from the beginning */
    void (*started)(void *state, uint32_t rank, uint32_t id, struct loggp_ready *ready);
    void (*done)(void *state, uint32_t rank, uint32_t id, struct loggp_ready *ready);
};

/* Why a run cannot go on, and which operation of which rank it was (of a message, its send). */
enum loggp_fault_kind {
    LOGGP_NO_FAULT,
    LOGGP_TOO_LATE,  /* it ends after LOGGP_LAST */
    LOGGP_TOO_EARLY, /* it ends before 0: its message of 0 bytes is charged less than nothing */
    LOGGP_TRUNCATES, /* a receive, of fewer bytes than the message that it was met by has */
    LOGGP_TOO_MANY_BYTES, /* with it more than 2^63 bytes are sent; not on this machine */
    LOGGP_OUTSIDE_MODEL, /* the model says nothing of a message of its size between its two ranks */
};
struct loggp_fault {
    enum loggp_fault_kind kind;
    uint32_t rank, id;
    uint32_t source,
        source_id; /* LOGGP_TRUNCATES: the send and its rank; LOGGP_OUTSIDE_MODEL: its destination */
    uint64_t bytes; /* LOGGP_OUTSIDE_MODEL */
};

struct loggp;

/* A machine before its first operation. Both specs are copied, the program's state is kept. */
struct loggp *loggp_new(const struct loggp_spec *spec, const struct loggp_program *program);
void loggp_free(struct loggp *machine);

/* The same at the costs of a model, which is kept; ticks are picoseconds. What an operation takes of its CPU stream is
 * settled when it becomes ready, so operations of a stream go in the order in which they became ready. What waits for an operation
 * waits for its end. */
struct loggp *loggp_new_model(const struct loggp_model *model, const struct loggp_program *program);

/* Goes on for at most `steps` operations. False when nothing is left to do, or at a fault. */
bool loggp_run(struct loggp *machine, uint64_t steps);

/* What has ended the run; its kind is LOGGP_NO_FAULT if nothing has. */
struct loggp_fault loggp_fault(const struct loggp *machine);

/* When the rank's last CPU stream is free, in ticks. */
uint64_t loggp_end(const struct loggp *machine, uint32_t rank);

/* Messages that have gone so far. */
uint64_t loggp_messages(const struct loggp *machine);

/* After the end: calls `tell` for each receive that no message met, and each message that no
 * receive met, rank by rank. NULL just counts. Returns how many there are. */
size_t loggp_unmatched(const struct loggp *machine,
                       void (*tell)(void *argument, uint32_t rank, bool is_receive,
                                    const struct loggp_entry *entry),
                       void *argument);

/* Otherwise than in LogGOPSim, a calculation, and a receive whose message comes later, is done when it ends: what requires it on
 * another CPU stream waits for that. To be called before the first loggp_run. */
void loggp_wait_for_ends(struct loggp *machine);

/* For tests: postpones each operation by itself, as LogGOPSim does, instead of keeping the waiting ones in a line. All
 * ranks end at the same times. To be called before the first loggp_run. */
void loggp_put_off_one_by_one(struct loggp *machine);
