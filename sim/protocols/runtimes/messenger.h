/* What a workload may ask of a runtime: non-blocking sends and receives between ranks, and waiting for them.
 * Which runtime answers, and whether GPU buffers travel directly or staged by the program through host memory
 * (-d, -h), is the design's. M-027, M-113, M-114.
 *
 * A messenger is one rank's end. In the Charm++ designs the rank is a chare alone on its PE: its program calls
 * messenger_send (an entry method or channel call), and messenger_wait is the PE's scheduler, which runs until
 * the request has ended: the entry method or callback of the message was invoked. */
#ifndef GPUNETSIM_PROTOCOLS_RUNTIMES_MESSENGER_H
#define GPUNETSIM_PROTOCOLS_RUNTIMES_MESSENGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/job.h"

/* A named design: a runtime, and how GPU buffers travel. */
struct runtime_design {
    const char *name; /* "charm-channel" */
    const char *sentence;
    bool is_staged; /* the program copies GPU buffers to host memory and back */
    const struct runtime_ops *ops;
};
/* In the order of runtime_design_names, which ends with NULL. */
extern const struct runtime_design runtime_designs[];
extern const char *const runtime_design_names[];

/* A runtime in all processes of a job. */
struct runtime;
struct runtime *runtime_new(struct job *job, const struct runtime_design *design);
void runtime_free(struct runtime *runtime);

/* A send or a receive under way; plain struct of the caller, in place until it is done. */
struct message {
    bool is_done;
    int32_t peer;
    int32_t tag;
    struct block block; /* where the payload lies or shall lie */
    void *state;        /* the runtime's */
};

/* All are called by the process of `rank`. A receive gets the oldest message from that peer with that tag
 * (0..2^15-1); its block is at least as long as the message. */
void messenger_send(struct runtime *runtime, int32_t rank, struct message *message, int32_t to,
                    int32_t tag, struct block block);
void messenger_receive(struct runtime *runtime, int32_t rank, struct message *message, int32_t from,
                       int32_t tag, struct block block);

/* Until all `count` messages are done. */
void messenger_wait(struct runtime *runtime, int32_t rank, struct message *messages, size_t count);

/* --- for the runtimes --- */

struct runtime_ops {
    void *(*open)(struct job *job, const struct runtime_design *design);
    void (*close)(void *state);
    void (*send)(void *state, int32_t rank, struct message *message);
    void (*receive)(void *state, int32_t rank, struct message *message);

    /* Works on behalf of `rank` until something may have ended; called until all are done. */
    void (*advance)(void *state, int32_t rank);

    /* A count of the runtime's own for the workload's results: fills at most `most` name-value pairs and
     * returns how many. */
    size_t (*counts)(void *state, int32_t rank, const char **names, int64_t *values, size_t most);
};
extern const struct runtime_ops charm_host_ops, gpu_messaging_ops, channel_ops, ampi_ops,
    charm4py_ops, openmpi_ops, spectrum_ops;

#endif
