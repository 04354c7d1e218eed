/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the files of a world of ranks: transfer_messenger.c has its setup and loops, transfer_messages.c what its parties
 * send, and the numbers that may repeat. */
#pragma once

#include "core/list.h"
#include "models/job.h"
#include "workloads/transfer/transfer_parts.h"

/* Tags: first the channels, then the tags of gets and puts, then one for each signal. */
enum { TAG_REQUEST = TRANSFER_CHANNELS, TAG_DATA, TAG_ANSWER, TAG_SIGNALS };

struct messenger_buffer {
    int64_t bytes;
    enum transfer_memory memory;
};

struct messenger_world {
    struct world *world;
    struct job *job;
    struct runtime *runtime;
    GArray *buffers; /* struct messenger_buffer */
    GArray *signals; /* int32_t: first tag */
    int32_t next_tag;
    struct messenger_party *parties; /* by rank */
    party_program *program;
    int32_t ended; /* parties that have ended */
};

struct messenger_party {
    struct messenger_world *own;
    struct party party;
    int32_t rank;
    struct list asked; /* struct asked_for, of it */
    void *argument;
    struct message signals[2]; /* the last put with signal, and a message that is waited for */
    bool is_signalling;        /* the put may be under way */
    struct cuda_stream *lanes[TRANSFER_LANES]; /* NULL: not used yet */
    bool has_launched[TRANSFER_LANES];         /* since the lane was last waited for */
    int64_t ranks_here;                        /* ranks on its socket; 0: not counted yet */
};

static inline const struct world_setup *messenger_setup(const struct messenger_world *own)
{
    return &own->world->setup;
}

/* Whether the host works on payloads: the processor where the payloads lie does. */
static inline bool messenger_computes_on_host(const struct messenger_world *own)
{
    const struct design *design = messenger_setup(own)->design;
    return design != NULL && design_is_of_cpu(design);
}

static inline struct messenger_party *messenger_of(const struct party *party)
{
    return party->own;
}

static inline struct job_process *messenger_process(const struct messenger_party *party)
{
    return &party->own->job->processes[party->rank];
}

static inline sim_time messenger_now(const struct party *party)
{
    return cpu_now(&messenger_process(messenger_of(party))->cpu);
}

/* transfer_messages.c: functions of struct world_ops, and what ranks alone do for each other. */
transfer_call messenger_get, messenger_put, messenger_serve, messenger_leave;
transfer_call messenger_put_signal, messenger_wait_signal;
void messenger_send_messages(struct party *party, struct message *messages, size_t count,
                             const struct party_call *what);
void messenger_receive_message(struct party *party, struct message *message,
                               const struct party_call *what);
void messenger_wait_messages(struct party *party, struct message *messages, size_t count);
void messenger_quiet(struct party *party);
