/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of a world of work-groups share; for transfer_device*.c, transfer_kernel.c and intra_kernel.c only. */
#pragma once

#include "core/map.h"
#include "protocols/shmem/device_library.h"
#include "protocols/shmem/symmetric_heap.h"
#include "workloads/transfer/transfer_parts.h"

/* --- a kernel and its services (intra_kernel.c) --------------------------------------------------- */

struct device_world;

/* Makes a service for each served place; if the design gathers puts, or its servers set words, the other node has a service, too.
 * If places are the first GPUs of nodes, all of these have a heap of `heap_bytes`. Node 0 needs `stream_bytes` more. False with an
 * error on failure; intra_kernel_end frees what was made. */
bool intra_kernel_start(struct device_world *own, const struct machine_spec *machine,
                        int64_t heap_bytes, int64_t stream_bytes, GError **error);
void intra_kernel_end(struct device_world *own);

/* Launches the world's kernel on all served places at once; `arguments` has the argument of its program for each place. False
 * with one sentence if the kernel does not fit. */
bool intra_kernel_begin(struct device_world *own, kernel_program *program, void *const *arguments,
                        GError **error);

/* Reports measures of the first kernel: energy, as workload_observe; the mean time of each stage of its operations, polls and
 * events. */
void intra_kernel_report_stages(const struct device_world *own, double units,
                                struct workload_result *result);

/* --- its world ----------------------------------------------------------------------------------- */

/* An object with the same address at every place, or, if places are not the first GPUs of nodes, one address for each. */
struct device_object {
    address *at; /* by place */
    int64_t stride;
};

struct device_world {
    struct world *world;
    bool is_symmetric;         /* places are the first GPUs of nodes 0, 1, ... */
    int64_t service_count;     /* services of the kernels, then of other places */
    struct site **sites;       /* sites of the services */
    struct service **services; /* likewise */
    struct symmetric_heap *heap;
    struct host_wait *waits; /* how the hosts wait for the kernels, one at each served place */
    int64_t running;         /* kernels that have not ended */
    sim_time launched_ps,
        ended_ps; /* the hosts launch the kernels; the hosts know that all have ended */
    GArray *buffers, *signals; /* elements: struct device_object */
    /* one line for each sending place, with words for each channel */
    struct device_object channels;
    /* for group barriers: one word for each place, in device memory */
    struct device_object gates;
    address stream_source, stream_target; /* buffers of all streaming work-groups */
    struct map counts; /* counts of messages, by count_key, for pairs that have any */
    /* observed messages and signals under way: name -> operation */
    GHashTable *observed;
    GPtrArray **together;   /* by group number: processes that wait for those at other places */
    struct last_come *last; /* two for each place, used by group barriers in turn */
    party_program *program;
    struct device_side *sides; /* by served place, while it runs */
};

/* A party while it runs. */
struct device_party {
    struct device_context context;
    struct work_group *work_group;
    uint64_t gates;            /* group barriers passed */
    struct observed_step step; /* the current step, which began at `from_ps` */
};

/* The process that came last to a group barrier. */
struct last_come {
    uint32_t actor;
    sim_time at_ps;
};

struct device_context *device_context_of(const struct party *party);

/* The address of a transfer's signal of the other party, and of the party's own. */
address device_signal_there(const struct party *party, const struct party_call *what);
address device_signal_here(const struct party *party, const struct party_call *what);

static inline int64_t device_node(const struct party *party, int64_t place)
{
    return party->world->setup.places[place].node;
}

/* A transfer between the party's own buffer and that of the other party, without signal. */
struct device_transfer device_way(const struct party *party, const struct party_call *what);

/* --- what observers hear (transfer_device_observe.c) ---------------------------------------------- */

/* The number of that party among all parties. */
uint32_t device_actor(const struct party *party, int64_t place, int64_t group);

/* Begins a put with a signal, or a signal alone, whose operation the next call is part of; ends it when the signal, which party
 * (place, group) has set, was waited for. */
void device_begin_signal(struct party *party, address signal, int64_t place, uint64_t value);
void device_begin_set(struct party *party, address signal, int64_t place, uint64_t value);
void device_waited_for_signal(struct party *party, address signal, int64_t place, int64_t group,
                              uint64_t value);

/* A message, which begins as a signal alone in the receiver's word, ends when its receiver has waited for it. */
void device_end_message(struct party *party, address word, const struct message *message);

/* Assigns the party's time since the last call to that stage. device_waited_for_own, called before it, notes that the party
 * waited for its own call. */
void device_stepped(struct party *party, enum stage stage);
void device_waited_for_own(struct party *party);
