/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to transfer.c and the two worlds of transfer.h. */
#pragma once

#include "core/observe.h"
#include "workloads/transfer/transfer.h"

/* A world's implementation of each function of transfer.h. `own` is the result of `open`, which opens the machine. */
struct world_ops {
    bool is_kernel;
    void *(*open)(struct world *world, const struct machine_spec *machine, GError **error);
    void (*close)(void *own);
    void (*buffer)(void *own, int32_t number, int64_t bytes, enum transfer_memory memory);
    void (*signals)(void *own, int32_t number, int64_t count);
    bool (*begin)(void *own, party_program *program, void *const *arguments, GError **error);
    bool (*is_over)(void *own); /* all parties have ended */
    /* explains why not all parties have ended, in a deadlock */
    void (*explain)(void *own, GError **error);
    void (*report)(void *own, double units, struct workload_result *result);
    void (*end_places)(
        void *own); /* NULL: none. Tells observers of all iterations that have ended */

    sim_time (*now)(const struct party *party);
    transfer_call *get, *put, *put_signal, *wait_signal;
    void (*send)(struct party *party, struct message *messages, size_t count,
                 const struct party_call *what);
    void (*receive)(struct party *party, struct message *message, const struct party_call *what);
    void (*wait)(struct party *party, struct message *messages, size_t count);
    void (*quiet)(struct party *party);
    void (*fence)(struct party *party);
    void (*group_barrier)(struct party *party);
    /* the parties of one group number; NULL: each by itself */
    void (*go_together)(struct party *party);
    void (*compute)(struct party *party, sim_time duration_ps);
    void (*loop)(struct party *party, int lane, const struct transfer_loop *loop);
    void (*finish)(struct party *party, int lane); /* NULL: loops are over when they return */
};
extern const struct world_ops device_world_ops, messenger_world_ops;

struct world {
    const struct world_ops *ops;
    struct cluster *cluster;
    struct world_setup setup;
    struct job_place *places; /* the world's own copy of setup.places */
    struct machine_spec
        *noisy;               /* the world's own copy of a machine that noise reaches; NULL: none */
    int32_t buffers, signals; /* how many were made so far */
    struct transfer_buffer barrier_buffer; /* of a barrier: */
    struct transfer_signals barrier_signals;
    struct observe_origin iterations, messages; /* as observers know them */
    void *own;
};

/* The machine of the world beside, or one of its own. False and one sentence if it cannot be made or has other nodes. */
bool world_open_machine(struct world *world, const struct machine_spec *machine, GError **error);

/* Signals of a barrier, two for each round, used in turn; and the payload of its messages. */
#define BARRIER_ROUNDS 20
#define BARRIER_SIGNALS (2 * BARRIER_ROUNDS)
#define BARRIER_BYTES 8

static inline void *world_own(const struct party *party)
{
    return party->world->own;
}

/* For a work-group: assigns its time since the last stamp to that stage. */
void transfer_stamp(struct party *party, enum stage stage);

/* Tells observers of calls, if any listen, where the parties of the world are. */
void transfer_tell_parties(const struct world *world);

/* Tells observers of work-groups' calls: one function when a call begins; one when it is over, with its kind, the transfer, which
 * gives peer, channel and bytes (NULL: none), and the address by which a wait names it. A signal has a channel of its own. */
sim_time transfer_told_from(const struct party *party);
void transfer_tell(const struct party *party, sim_time from_ps, enum observed_call_kind kind,
                   const struct party_call *what, const void *handle);
void transfer_tell_signal(const struct party *party, sim_time from_ps, enum observed_call_kind kind,
                          const struct party_call *what, const void *handle);

/* The work that `elements` of a loop ask of a GPU with an L2 of that size. */
struct gpu_work transfer_loop_work(const struct transfer_loop *loop, int64_t elements,
                                   int64_t l2_bytes);
