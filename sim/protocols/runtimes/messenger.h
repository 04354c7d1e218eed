/* SPDX-License-Identifier: BSD-3-Clause */
/* What a workload may ask of a runtime: non-blocking sends and receives between ranks, and waiting for them.
 * Which runtime answers, and whether GPU buffers travel directly or staged by the program through host memory
 * (payload direct or staged), is the design's. M-027, M-113, M-114.
 *
 * A messenger is one rank's end. In the Charm++ designs the rank is a chare alone on its PE: its program calls
 * messenger_send (an entry method or channel call), and messenger_wait is the PE's scheduler, which runs until
 * the request has ended: the entry method or callback of the message was invoked. */
#pragma once

#include "core/list.h"
#include "models/job.h"
#include "protocols/design.h"

/* Whether a design (protocols/design.h) has such a runtime. True, or false and one sentence. */
bool messenger_accepts(const struct design *design, GError **error);

/* The runtime of a design in all processes of a job; both outlive it. NULL and one sentence if the job's machine does not have it:
 * an MPI that another machine file added. */
struct runtime {
    struct job *job;
    const struct runtime_ops *ops;
    bool is_staged; /* the program copies GPU buffers to host memory and back */
    void *state;    /* the state that the ops are called with */

    /* set by ops->open: */
    struct ucx *ucx;     /* the communication library below, for its counts */
    struct charm *charm; /* Charm++ below; NULL: none */
};
struct runtime *runtime_new(struct job *job, const struct design *design, GError **error);
void runtime_free(struct runtime *runtime);

/* A send or a receive under way: a struct of the caller, in place until it is done. */
struct message {
    bool is_done;
    bool is_receive;
    bool is_taken; /* messenger_wait_any has returned it */
    int32_t peer;
    int32_t tag;
    uint64_t number;    /* the caller's */
    struct block block; /* where the payload lies or shall lie */

    uint64_t
        operation; /* of a receive that is done: what the message belongs to, as observers know it; a send belongs
                           to that of its core (cpu_work_for) */

    /* Called when it is done, by who runs the rank's scheduler or waits; may be NULL. The message may be gone then. */
    void (*on_done)(struct message *message);
    void *owner; /* the caller's */
    bool
        is_apart; /* of a chare of its own: in order among the messages of its tag only, where the runtime's chares
                      are not one a rank (messenger_start) */

    int32_t group; /* between work-groups: the peer's */

    /* the runtime's */
    struct block wire;     /* what travels: the block, or its copy in host memory */
    struct list_link link; /* in a list of receives that wait for their message */
};

#define MESSAGE_TAG_MOST 32767

/* Called by the process of `rank`. A receive gets the oldest message of that peer with that tag (0 to
 * MESSAGE_TAG_MOST); its block is at least as long as the message. */
void messenger_send(struct runtime *runtime, int32_t rank, struct message *message, int32_t to,
                    int32_t tag, struct block block);
void messenger_receive(struct runtime *runtime, int32_t rank, struct message *message, int32_t from,
                       int32_t tag, struct block block);

/* Starts the send or receive that `message` describes: is_receive, peer, tag, block, on_done, owner and is_apart are
 * filled in, all else is 0. Nothing is staged, whatever the design says: the block is what travels, and the program copies
 * it. For programs of chares, several of which share a rank, which do not wait: they go on when messages are done. */
void messenger_start(struct runtime *runtime, int32_t rank, struct message *message);

/* One turn of the rank's scheduler, or of the library's progress: takes up what has arrived; if there is nothing, waits
 * until there is, or until somebody notifies the rank's core. */
void messenger_turn(struct runtime *runtime, int32_t rank);

/* Waits for one of the messages that it has not returned yet, of which there is at least one (MPI_Waitany); the first in
 * order where a runtime's receives follow one another. */
size_t messenger_wait_any(struct runtime *runtime, int32_t rank, struct message *messages,
                          size_t count);

/* What kind of host memory the program receives into where it stages GPU data: its own, pinned; or new each time. */
enum block_kind messenger_staging_kind(const struct runtime *runtime);

/* Tells who observes calls (core/observe.h) what a program of chares does in its scheduler's turns: CALL_NOTICE of a message when it
 * goes on with that; CALL_BESIDE and CALL_BESIDE_OVER of work on its GPU; CALL_WORK when it gives the core back. */
void messenger_tell(const struct runtime *runtime, int32_t rank, enum observed_call_kind kind,
                    const void *handle);

/* What the interpreter of the program takes for a kernel launch and for another CUDA call, beside the call; 0 without
 * an interpreter. */
sim_time messenger_launch_ps(const struct runtime *runtime);
sim_time messenger_cuda_call_ps(const struct runtime *runtime);

/* `count` >= 1 messages to that peer, as a program sends a window: where it stages GPU buffers, it copies all of them to
 * host memory, waits for the copies once, and then sends (M-114). messenger_send is a window of one. */
void messenger_send_window(struct runtime *runtime, int32_t rank, struct message *messages,
                           size_t count, int32_t to, int32_t tag, struct block block,
                           const uint64_t *operations);

/* Until all `count` messages are done, and those that were received into host memory are on the GPU: copied one after
 * the other, waited for once. */
void messenger_wait(struct runtime *runtime, int32_t rank, struct message *messages, size_t count);

/* What the runtime has for `rank` and a run uses up, as one number: messages kept ready (AMPI), receives of memory that
 * is still new (Charm++); 0 if nothing. */
int64_t runtime_stock(const struct runtime *runtime, int32_t rank);

/* --- for the runtimes ------------------------------------------------------------------------- */

/* When a program that stages GPU buffers copies what it received to the GPU. */
enum copy_in {
    COPY_IN_AFTER_ALL, /* of a window, when all its messages are there (MPI_Waitall) */
    COPY_IN_EACH,      /* each after its own receive, which blocks */
    COPY_IN_ON_ARRIVAL /* in the entry method that the message invokes: the runtime's */
};

/* A runtime; runtime_kinds.c lists them all. What others ask about it is a field here. */
struct runtime_ops {
    /* Why a stage of a message takes what it takes with it (views/explain.lua); NULL: as with all others. */
    const char *reasons[STAGES];

    bool
        has_chares; /* a program may have several on a rank, which do not wait: they go on when messages are done */
    bool
        announces; /* a receive can be posted when the message beside the data has come, not before */
    bool counts_sends;                   /* a chare's exchange is over when its sends are, too */
    const struct param_table *tables[4]; /* whose numbers it takes of a machine; NULL-ended */

    /* Whether the machine has what the design names; else one sentence. NULL: every machine has. */
    bool (*is_there)(const struct machine_spec *machine, const struct design *design,
                     GError **error);

    /* Whether a run with the design also takes numbers of that instance of the machine's (core/param_instance.h); NULL: none. */
    bool (*stands_on)(const struct machine_spec *machine, const struct design *design,
                      const struct param_table *table);
    void *(*open)(struct runtime *runtime, const struct design *design); /* returns the state */
    void (*close)(void *state);
    int64_t (*stock)(void *state, int32_t rank); /* NULL: nothing */
    void (*send)(void *state, int32_t rank, struct message *message);
    void (*receive)(void *state, int32_t rank, struct message *message);

    void (*turn)(void *state, int32_t rank); /* messenger_turn */

    /* Works on behalf of `rank` until all `count` messages are done. */
    void (*wait)(void *state, int32_t rank, struct message *messages, size_t count);

    bool receives_in_order; /* each receive waits for its message before the next one is called */
    sim_time (*block_ps)(void *state); /* a call that has to wait takes more; NULL: nothing */

    /* staged: */
    enum copy_in copy_in;
    bool
        receives_new; /* each message in a new buffer, pageable; else into the program's, pinned (M-114) */
    sim_time (*interpreter_ps)(
        void *state); /* a CUDA call of the program passes an interpreter; NULL: none */
    sim_time (*launch_ps)(void *state); /* likewise a kernel launch */
};
extern const struct runtime_ops charm_host_ops, gpu_messaging_ops, channel_ops, ampi_ops,
    charm4py_ops, mpi_ops;

/* Whether it takes numbers of that table with every design. */
bool runtime_takes(const struct runtime_ops *runtime, const struct param_table *table);

/* The runtime of messages of a design; NULL: none. */
const struct runtime_ops *runtime_of(const struct design *design);

/* By enum design_runtime; NULL: no runtime of messages. */
extern const struct runtime_ops *const runtime_kinds[RUNTIMES];

/* Starts copying a received message from its host copy to the GPU (cudaMemcpyAsync). */
void messenger_copy_in(struct job_process *process, const struct message *message);

/* It is done: calls on_done. */
static inline void message_finish(struct message *message)
{
    message->is_done = true;
    if (message->on_done != NULL)
        message->on_done(message);
}

/* The first message from `from` on that is not done, `count` if there is none: who waits for many asks from there on. */
size_t messages_first_left(const struct message *messages, size_t count, size_t from);
