/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two worlds of transfer.h share with transfer.c; for these files only. */
#pragma once

#include <glib.h>

#include "core/observe.h"
#include "workloads/transfer/transfer.h"

/* A world's own part of each function of transfer.h. `own` is what `open` gave. */
struct world_ops {
    bool is_kernel;
    void *(*open)(struct world *world, const struct machine_spec *machine, GError **error);
    void (*close)(void *own);
    void (*buffer)(void *own, int32_t number, int64_t bytes, enum transfer_memory memory);
    void (*signals)(void *own, int32_t number, int64_t count);
    bool (*begin)(void *own, party_program *program, void *const *arguments, GError **error);
    bool (*is_over)(void *own);                 /* all parties have ended */
    void (*explain)(void *own, GError **error); /* why it is not, in a deadlock */
    struct cluster *(*cluster)(void *own);
    const struct stat_histogram *(*latencies)(void *own); /* NULL: it records none */
    void (*report)(void *own, double units, struct workload_result *result);
    void (*end_places)(
        void *own); /* NULL: none. Observers hear of all iterations that have ended */

    sim_time (*now)(const struct party *party);
    struct cpu *(*core)(const struct party *party); /* of a rank; NULL: parties are work-groups */
    void (*get)(struct party *party, int64_t place, int64_t group, int32_t buffer, int64_t bytes);
    void (*put)(struct party *party, int64_t place, int64_t group, int32_t buffer, int64_t bytes);
    void (*put_signal)(struct party *party, int64_t place, int64_t group, int32_t buffer,
                       int64_t bytes, int32_t signals, int64_t index, uint64_t value);
    void (*wait_signal)(struct party *party, int64_t place, int64_t group, int32_t buffer,
                        int64_t bytes, int32_t signals, int64_t index, uint64_t value);
    void (*send)(struct party *party, struct message *messages, size_t count, int64_t place,
                 int64_t group, int32_t channel, int32_t buffer, int64_t bytes);
    void (*receive)(struct party *party, struct message *message, int64_t place, int64_t group,
                    int32_t channel, int32_t buffer, int64_t bytes);
    void (*wait)(struct party *party, struct message *messages, size_t count);
    void (*stepped)(struct party *party,
                    enum stage stage); /* of work-groups: since the last time it was at that */
    enum stage (*posted)(
        const struct party
            *party); /* what the last send, receive or put that returns at once was */
    void (*quiet)(struct party *party);
    void (*fence)(struct party *party);
    void (*group_barrier)(struct party *party);
    void (*go_together)(struct party *party); /* those of one number; NULL: each by itself */
    void (*compute)(struct party *party, sim_time duration_ps);
    void (*loop)(struct party *party, int lane, const struct transfer_loop *loop);
    void (*finish)(struct party *party, int lane); /* NULL: loops are over when they return */
};
extern const struct world_ops device_world_ops, messenger_world_ops;

struct world {
    const struct world_ops *ops;
    struct world_setup setup;
    struct job_place *places;              /* setup.places, its own */
    int32_t buffers, signals;              /* made so far */
    struct transfer_buffer barrier_buffer; /* of a barrier: */
    struct transfer_signals barrier_signals;
    struct observe_origin iterations, messages; /* as observers know them */
    void *own;
};

/* Signals of a barrier, two in turn for each round, and payload of its messages. */
#define BARRIER_ROUNDS 20
#define BARRIER_SIGNALS (2 * BARRIER_ROUNDS)
#define BARRIER_BYTES 8

static inline void *world_own(const struct party *party)
{
    return party->world->own;
}

/* Of a work-group: what it has just done was of that stage. */
void transfer_stamp(struct party *party, enum stage stage);

/* Work-groups' calls, as observers know them: when one begins; and, when it is over, the call, of which kind, channel, bytes and handle
 * are filled in, with party (place, group). A signal's channel. */
sim_time transfer_told_from(const struct party *party);
void transfer_tell(const struct party *party, sim_time from_ps, struct observed_call call,
                   int64_t place, int64_t group);

static inline int64_t transfer_channel(struct transfer_signals signals, int64_t index)
{
    return ((int64_t)signals.number + 1) << 32 | index;
}

/* What so many of a loop's elements ask of a GPU with an L2 of that size. */
struct gpu_work transfer_loop_work(const struct transfer_loop *loop, int64_t elements,
                                   int64_t l2_bytes);
