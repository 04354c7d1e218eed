/* SPDX-License-Identifier: BSD-3-Clause */
/* Charm++ in its non-SMP build: a PE a process, with a queue of messages and a scheduler that also drives
 * UCX (ParCo22 sections 2.3 and 3.1; M-001, M-002, M-005 to M-011, M-028, M-107, M-108).
 *
 * An entry method call packs its arguments into a message that is allocated on the heap; up to
 * CHARM_EAGER_BYTES such messages arrive in receives posted before, larger ones are probed, allocated and then received.
 * Device transfers go by UCX beside the messages, under a tag of their own. */
#pragma once

#include "core/list.h"
#include "core/param.h"
#include "core/pool.h"
#include "protocols/ucx/ucx.h"

/* Description of a GPU buffer in a host message (CkDeviceBuffer): pointer, size, tag, callback. */
#define CHARM_DEVICE_METADATA_BYTES 64

/* Host messages up to this are received by receives posted before (charm, machine layer ucx; M-107). */
#define CHARM_EAGER_BYTES (32 << 10)

/* Component "charm": Charm++ in its non-SMP build (M-001 to M-018, M-106 to M-108). Sources: pack M-005, callback and metadata
 * M-106, M-028, resume M-018, probe M-009 and M-108; device_transfers is the experiment of ParCo22 section 4.2.1 (P-L01). */
#define CHARM_ROWS(ROW)                                                                            \
    ROW(TIME, pack, "400ns", "0ns", "1ms",                                                         \
        "Time of an entry method call: the headers of core, Converse and machine layer.")          \
    ROW(TIME, schedule, "500ns", "0ns", "1ms",                                                     \
        "Time to pick a message from the queue and to invoke its entry method.")                   \
    ROW(TIME, callback, "200ns", "0ns", "1ms",                                                     \
        "Time of a message of a PE to itself, made, queued and delivered: a completion, or "       \
        "a call of a chare of its own.")                                                           \
    ROW(TIME, resume, "1us", "0ns", "1ms",                                                         \
        "Time to resume the user-level thread that waits for operations of the Channel API.")      \
    ROW(TIME, metadata, "200ns", "0ns", "1ms",                                                     \
        "Time to allocate and fill the record of one device transfer.")                            \
    ROW(TIME, probe, "200ns", "0ns", "1ms", "Time to find a large host message by probing.")       \
    ROW(BYTES, header, "96B", "1B", "4KiB", "Bytes of the header of a host message.")              \
    ROW(FLAG, device_transfers, "true",                                                            \
        "Move the data of device transfers; otherwise only their records are kept, as "            \
        "in ParCo22's measurement of the time outside UCX.")
struct charm_spec {
    CHARM_ROWS(PARAM_FIELD)
};
extern const struct param_table charm_params;

/* The value of the first 4 bits of a tag (P-C08, P-C09). */
enum charm_tag_type { CHARM_TAG_EAGER = 1, CHARM_TAG_PROBE, CHARM_TAG_DEVICE, CHARM_TAG_CHANNEL };
#define CHARM_TAG_TYPE_BITS 4

struct charm_pe;

/* An entry method: runs on the PE to completion. `content` is what the caller gave. */
typedef void charm_entry(struct charm_pe *pe, void *content);

/* A device transfer has ended; runs while UCX makes progress. */
typedef void charm_device_done(struct charm_pe *pe, void *argument);

struct charm_pe {
    struct charm *charm;
    struct job_process *process;
    struct ucx_worker *worker;
    struct list arrived;    /* struct charm_message, not yet picked */
    struct list gpu_events; /* struct charm_gpu_event, in the order of their recording (HAPI) */
    uint64_t device_sends;  /* counter of the GPU Messaging tag */
    int64_t
        new_receives; /* receives whose buffers the NIC does not know yet: the first ones of a run */
    bool is_started;
};

struct charm {
    void *owner; /* the runtime built on this Charm++ */
    struct job *job;
    const struct charm_spec *spec;
    uint64_t *used; /* of the spec (CHARM_READ) */
    struct ucx *ucx;
    struct charm_pe *pes; /* by rank */
    struct pool messages, transfers, gpu_events;
    struct stat_counter *sent, *invoked, *callbacks, *gpu_callbacks;
};

/* A parameter of Charm++, noted as read. */
#define CHARM_READ(charm, field) PARAM_READ((charm)->used, (charm)->spec, field)

/* Charm++ on all processes of a runtime's job, below that runtime. Each PE has to be started by its own process (charm_pe_start)
 * before it sends. */
struct runtime;
struct charm *charm_new(struct runtime *runtime, void *owner);
void charm_free(struct charm *charm);

/* The PE's core does work. */
static inline void charm_spend(struct charm_pe *pe, enum cpu_account account, sim_time duration_ps)
{
    cpu_spend(&pe->process->cpu, account, duration_ps);
}

/* Posts the receives for eager messages, the first time it is called. */
void charm_pe_start(struct charm_pe *pe);

/* Of runtimes whose state begins with a struct charm *: what lies below. And their operations (struct runtime_ops): what a run
 * uses up, the PE's receives of new memory; a turn of the rank's scheduler. And the rank's PE, started. */
static inline struct charm *charm_below(void *state)
{
    return *(struct charm **)state;
}
static inline int64_t charm_stock(void *state, int32_t rank)
{
    return charm_below(state)->pes[rank].new_receives;
}
void charm_turn(void *state, int32_t rank);
struct charm_pe *charm_pe_of(void *state, int32_t rank);

/* The arguments of an entry method. */
struct charm_call {
    charm_entry *entry;
    void *content;
    int64_t payload_bytes; /* bytes of host data, which are copied into the message (M-005) */
    bool has_device;       /* it describes a GPU buffer */
    bool is_pooled;        /* the message is a ready one of a pool: nothing is allocated */
};

/* Calls an entry method on PE `to`. */
void charm_send(struct charm_pe *pe, int32_t to, const struct charm_call *call);

/* Puts an entry method into the PE's own queue: without a message that travels (what the runtime does when a
 * device receive has ended); and a completion, which is a message of the PE to itself. */
void charm_enqueue(struct charm_pe *pe, charm_entry *entry, void *content);
void charm_callback(struct charm_pe *pe, charm_entry *entry, void *content);

/* HAPI (M-037, M-105): `entry` is invoked when all that is in `stream` now has ended. The scheduler polls an event for it
 * at each of its turns: those of a PE in the order of these calls, up to the first that has not come, so that it holds up
 * those behind it, of whichever chare. */
void charm_gpu_callback(struct charm_pe *pe, struct cuda_stream *stream, charm_entry *entry,
                        void *content);

/* A block of the PE's heap for a message of `bytes`: the core's time for it, and pages that are touched for the
 * first time are new to the NIC. job_free_memory gives it back. */
struct block charm_allocate_message(struct charm_pe *pe, int64_t bytes);

/* LrtsSendDevice and LrtsRecvDevice: a record of the transfer, then a tagged UCX operation. */
void charm_device_send(struct charm_pe *pe, int32_t to, struct block block, uint64_t tag,
                       charm_device_done *done, void *argument);
void charm_device_receive(struct charm_pe *pe, struct block block, uint64_t tag,
                          charm_device_done *done, void *argument);

/* LrtsIssueRget: fetches from the host memory of the peer that sent the block by charm_device_send. */
void charm_get(struct charm_pe *pe, struct block block, uint64_t tag, charm_device_done *done,
               void *argument);

/* The next GPU Messaging tag of the PE: its type, the source PE, the count of its GPU sends. A count or PE that does not fit
 * its bits fails the simulation, since a tag used twice could match the wrong receive. */
uint64_t charm_device_tag(struct charm_pe *pe);

/* The tag of operation `count` on channel `id`; the same limits apply. */
uint64_t charm_channel_tag(const struct charm *charm, uint64_t id, uint64_t count);

/* One turn of the scheduler: progress, then one message; waits if there is neither. */
void charm_schedule(struct charm_pe *pe);
