/* What a workload may ask of a runtime: non-blocking sends and receives between ranks, and waiting for them.
 * Which runtime answers, and whether GPU buffers travel directly or staged by the program through host memory
 * (payload direct or staged), is the design's. M-027, M-113, M-114.
 *
 * A messenger is one rank's end. In the Charm++ designs the rank is a chare alone on its PE: its program calls
 * messenger_send (an entry method or channel call), and messenger_wait is the PE's scheduler, which runs until
 * the request has ended: the entry method or callback of the message was invoked. */
#ifndef GPUNETSIM_PROTOCOLS_RUNTIMES_MESSENGER_H
#define GPUNETSIM_PROTOCOLS_RUNTIMES_MESSENGER_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/list.h"
#include "models/job.h"
#include "protocols/design.h"

/* Whether a design (protocols/design.h) has such a runtime. True, or false and one sentence. */
bool messenger_accepts(const struct design *design, GError **error);

/* The runtime of a design in all processes of a job; both outlive it. */
struct runtime;
struct runtime *runtime_new(struct job *job, const struct design *design);
void runtime_free(struct runtime *runtime);

/* A send or a receive under way: a struct of the caller, in place until it is done. */
struct message {
    bool is_done;
    bool is_receive;
    int32_t peer;
    int32_t tag;
    uint64_t number;    /* the caller's */
    struct block block; /* where the payload lies or shall lie */

    uint64_t
        operation; /* of a receive that is done: what the message belongs to, as observers know it; a send belongs
                           to that of its core (cpu_work_for) */

    int32_t fragments; /* GPU buffers of equal size that the payload is made of; 1 unless set by
                       messenger_set_fragments */

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

/* `count` >= 1 messages to that peer, as a program sends a window: where it stages GPU buffers, it copies all of them to
 * host memory, waits for the copies once, and then sends (M-114). messenger_send is a window of one. */
void messenger_send_window(struct runtime *runtime, int32_t rank, struct message *messages,
                           size_t count, int32_t to, int32_t tag, struct block block,
                           const uint64_t *operations);

/* From now on every message of the runtime's is made of `fragments` >= 1 GPU buffers that one entry method call
 * carries (M-016: several device parameters). Only the GPU Messaging API can; true if the design does. */
bool messenger_set_fragments(struct runtime *runtime, int32_t fragments);

/* Until all `count` messages are done, and those that were received into host memory are on the GPU: copied one after
 * the other, waited for once. */
void messenger_wait(struct runtime *runtime, int32_t rank, struct message *messages, size_t count);

/* The communication library below the runtime, for its counts. */
struct ucx *runtime_ucx(const struct runtime *runtime);

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

/* A runtime; runtime_kinds.c lists them all. */
struct runtime_ops {
    const struct param_table *tables[4]; /* whose numbers it takes of a machine; NULL-ended */
    void *(*open)(struct job *job, const struct design *design);
    void (*close)(void *state);
    struct ucx *(*ucx)(void *state);
    int64_t (*stock)(void *state, int32_t rank); /* NULL: nothing */
    void (*send)(void *state, int32_t rank, struct message *message);
    void (*receive)(void *state, int32_t rank, struct message *message);

    /* Works on behalf of `rank` until all `count` messages are done. */
    void (*wait)(void *state, int32_t rank, struct message *messages, size_t count);

    bool takes_fragments; /* several GPU buffers in a message */

    /* staged: */
    enum copy_in copy_in;
    bool
        receives_new; /* each message in a new buffer, pageable; else into the program's, pinned (M-114) */
    sim_time (*interpreter_ps)(
        void *state); /* a CUDA call of the program passes an interpreter; NULL: none */
};
extern const struct runtime_ops charm_host_ops, gpu_messaging_ops, channel_ops, ampi_ops,
    charm4py_ops, openmpi_ops, spectrum_ops, mvapich_ops;

/* By enum design_runtime; NULL: no runtime of messages. */
extern const struct runtime_ops *const runtime_kinds[RUNTIMES];

/* Starts copying a received message from its host copy to the GPU (cudaMemcpyAsync). */
void messenger_copy_in(struct job_process *process, const struct message *message);

/* Whether all of them are done. */
bool messages_done(const struct message *messages, size_t count);

#endif
