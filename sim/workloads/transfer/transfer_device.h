/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of a world of work-groups share; for transfer_device*.c only. */
#pragma once

#include "core/map.h"
#include "workloads/transfer/intra_kernel.h"
#include "workloads/transfer/transfer_parts.h"

/* The same at every place, or, where places are not the first GPUs of nodes, an address for each. */
struct device_object {
    address *at; /* by place */
    int64_t stride;
};

struct device_world {
    struct world *world;
    struct intra_kernel kernel;
    bool is_symmetric;             /* places are the first GPUs of nodes 0, 1, ... */
    GArray *buffers, *signals;     /* of struct device_object */
    struct device_object channels; /* a line for each sending place, in each for each channel */
    struct device_object gates;    /* of group barriers: a word of each place, in device memory */
    address stream_source, stream_target; /* buffers of all that stream */
    struct map counts; /* of messages, by count_key: those of pairs that have any */
    GHashTable
        *observed; /* messages and signals under way that somebody asks for: by name -> operation */
    GPtrArray **together;   /* by group number: processes that wait for those of other places */
    struct last_come *last; /* of each place: two, for group barriers by turns */
    party_program *program;
    struct device_side *sides; /* by served place, once it runs */
};

/* A party at work. */
struct device_party {
    struct device_context context;
    struct work_group *work_group;
    uint64_t gates;            /* group barriers passed */
    struct observed_step step; /* under way, from `from_ps` on */
};

/* Who came last to a group barrier. */
struct last_come {
    uint32_t actor;
    sim_time at_ps;
};

struct device_context *device_context_of(const struct party *party);

/* A buffer, or the lines of signals under their number's complement, of party (place, group); a signal of that party. */
address device_buffer_at(const struct party *party, int32_t number, int64_t place, int64_t group);
address device_signal_at(const struct party *party, int32_t number, int64_t place, int64_t group,
                         int64_t index);

/* From the party's own buffer to that of party (place, group). */
struct device_way {
    int64_t node;
    address local, remote;
};
struct device_way device_way(const struct party *party, int64_t place, int64_t group,
                             int32_t buffer);

/* --- what observers hear (transfer_device_observe.c) ---------------------------------------------- */

/* The number of that party among all. */
uint32_t device_actor(const struct party *party, int64_t place, int64_t group);

/* A message is an operation from the send until its receiver has waited for it. Begins one, 0 if nobody listens; ends it. */
uint64_t device_begin_message(struct party *party, const struct message *message);
void device_end_message(struct party *party, const struct message *message);

/* A put whose signal tells somebody begins; its signal at `place`, which party (place, group) has set, was waited for. */
void device_begin_signal(struct party *party, address signal, int64_t place, uint64_t value);
void device_begin_set(struct party *party, address signal, int64_t place, uint64_t value);
void device_waited_for_signal(struct party *party, address signal, int64_t place, int64_t group,
                              uint64_t value);

/* What the party has done since the last call was of that stage; before, that it waited for what it called itself. */
void device_stepped(struct party *party, enum stage stage);
void device_waited_for_own(struct party *party);
