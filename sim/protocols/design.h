/* SPDX-License-Identifier: BSD-3-Clause */
/* Designs: a networking architecture is a point in a design space (docs/change/architecture.md). Its axes are the
 * rows of one parameter table; named designs (configs/designs.lua) are only names for points. */
#pragma once

#include "core/param.h"
#include "core/simtime.h"
#include "models/node.h"
#include "protocols/agents/agent.h"

/* Who starts a transfer. */
enum design_initiator { INITIATOR_HOST, INITIATOR_KERNEL };

/* The value of the axis `server` where no agent serves, but the host process that started the transfer. Other values are the
 * kinds of AGENT_KINDS in their order, from 1 on; callers ask design_server_kind. */
#define NO_SERVER 0

enum design_payload { PAYLOAD_DIRECT, PAYLOAD_STAGED };
enum design_runtime {
    RUNTIME_NONE,
    RUNTIME_SHMEM,
    RUNTIME_CHARM,
    RUNTIME_MESSAGING,
    RUNTIME_CHANNEL,
    RUNTIME_AMPI,
    RUNTIME_CHARM4PY,
    RUNTIME_MPI, /* the first of the MPIs, which are data (runtimes/mpi.h); the others follow */
    RUNTIMES,
};

/* Adds the MPI `name` to the values of the axis `runtime`. False and one sentence if there is no room for it. */
bool design_add_runtime(const char *name, GError **error);

/* When a server marks blocking operations and quiets as done: all of them once everything that it has issued is complete
 * (ComPNet18 section 4.2.1), or each once the operations of its own context are, as OpenSHMEM contexts allow. */
enum design_marks { MARKS_AWAITED, MARKS_ASYNCHRONOUS };
enum design_completion { COMPLETION_TOGETHER, COMPLETION_BY_CONTEXT };

/* What a fence holds up: everything the server does; later operations of the same context; nothing, since the queue keeps its
 * order; or the NIC, by a flag of the next command. */
enum design_fence { FENCE_QUIET, FENCE_BY_CONTEXT, FENCE_ORDER, FENCE_NIC };

/* Whether commands of one NIC queue to one node are carried out there in their order. */
enum design_order { ORDER_NONE, ORDER_QUEUE };

/* How a put's signal follows its payload: the NIC writes it as part of the put; or it is a command of its own, which comes right
 * behind the put, with the NIC's fence flag, after a quiet, or triggered by the put's end. */
enum design_signal {
    SIGNAL_WITH_PUT,
    SIGNAL_AFTER,
    SIGNAL_NIC_FENCE,
    SIGNAL_QUIET,
    SIGNAL_CHAINED
};

/* Who moves data to and from other GPUs of the node: the NIC, as to other nodes; or a way that shmem/peer.h describes. */
enum design_peer {
    PEER_BY_NIC,
    PEER_BY_WORK_GROUP,
    PEER_BY_SERVER,
    PEER_BY_PEER_COPY,
    PEER_BY_COPY_ENGINE
};

/* How a quiet learns that operations are complete: a counter that it waits for (a counting event of Portals 4), or an event
 * queue whose entries it takes one by one; with `each round` a server also takes one entry in each round over its queues. */
enum design_quiet_by { QUIET_BY_COUNTER, QUIET_BY_ENTRIES, QUIET_BY_EACH_ROUND };

/* How a server goes over its queues: one acquire and one look, queue by queue, or the loop unrolled over as many
 * queues as it keeps loads under way, behind one acquire; or queue by queue on a core that fetches the lines of the
 * next looks while one that misses waits. A wavefront of threads looks at as many as it has lanes in any case. */
enum design_poll_loop { POLL_LOOP_SINGLE, POLL_LOOP_UNROLLED, POLL_LOOP_AHEAD };

/* What a waiting work-group polls: the status of its pending entries (M-070), or the read index. */
enum design_wait_on { WAIT_ON_ENTRIES, WAIT_ON_READ_INDEX };

/* How a CPU thread reads queues in the memory of a GPU on the bus: maps them and loads, or calls the GPU's
 * runtime to copy them (ComPNet18 section 3.1). */
enum design_queue_polling { POLLING_LOADS, POLLING_RUNTIME_CALL };

/* How users of one NIC queue find a place for a command: behind a mutex that is held until the doorbell, or by an
 * atomic on the index; then each rings the doorbell once those before it have. */
enum design_reserve { RESERVE_MUTEX, RESERVE_ATOMIC };

/* What a put's signal is where it is a command of its own: a put of its value, an atomic of the NIC on its word, or a message to
 * the receiver's server, which stores it. */
enum design_signal_by { SIGNAL_BY_PUT, SIGNAL_BY_ATOMIC, SIGNAL_BY_SERVER };

/* How a work-group knows that its queue has room: by its copy of the read index, which it refreshes when the queue seems
 * full; or it reads that index before each post. */
enum design_room_by { ROOM_BY_COPY, ROOM_BY_READ_INDEX };

/* Who stores a word that is set at the receiver without a payload (device_set_nbi): the receiver's NIC, or its server when a
 * message asks for it. */
enum design_word_set_by { WORD_SET_BY_NIC, WORD_SET_BY_SERVER };

/* Queues between work-groups and server. */
struct design_queue {
    int64_t memory; /* enum node_memory */
    int64_t count;  /* that the work-groups of a GPU share; 0: one for each */
    int64_t locked, room_by, polling, wait_on;
};

/* Queues of commands to the NIC. */
struct design_nic_queue {
    int64_t memory; /* enum node_memory, also of completions */
    int64_t
        sharers; /* users of one queue: service threads, or work-groups that post themselves; 0: all (M-072) */
    int64_t reserve, order, fences;
};

/* How puts to one node are gathered into one message. */
struct design_coalesce {
    int64_t count;       /* puts in a message; 0: each is sent on its own */
    int64_t size_bytes;  /* of a message; 0: room for `count` puts of a line each */
    sim_time timeout_ps; /* no put waits longer for others */
};

/* A point of the design space. design_params describes each field under its name. */
struct design {
    int64_t base; /* struct param_record's */
    int64_t initiator, server, service_threads;
    int64_t node; /* enum node_form */
    struct design_queue queue;
    struct design_nic_queue nic_queue;
    int64_t heap; /* enum node_memory, of the symmetric heap, that is of payloads */
    int64_t payload, runtime;
    int64_t polling_rounds, completion, marks, fence, quiet_by;
    int64_t poll_loop;
    int64_t signal, peer, copy_unroll;
    int64_t
        verb_instructions; /* of a work-group that posts for itself; 0: as the library's put or get */
    int64_t word_set_by, signal_by;
    int64_t take_instructions; /* of a server that takes a completion; 0: as the library's */
    struct design_coalesce coalesce;
};
extern const struct param_table design_params;
extern const struct param_record design_record; /* for PARAM_STRUCT */

/* The parameter `design` of a workload's spec. */
#define PARAM_DESIGN(spec, default_text, description)                                              \
    PARAM_STRUCT(design, spec, default_text, &design_record, description)

/* Whether the values of a design's axes go together, by the rules that design_set_rules was given
 * (script/machine/designs.h). False comes with the reason, without full stop. */
typedef bool design_rules(const struct design *design, GError **error);
void design_set_rules(design_rules *is_valid);
bool design_valid(const struct design *design, GError **error);

/* The design's name, or the name of the design that it was derived from and the values that differ: param_format's text, of at
 * most PARAM_TEXT_SIZE bytes. */
static inline char *design_text(const struct design *design, char *text)
{
    return param_record_format(&design_record, design, false, text);
}

/* The kind of agents that serve; NULL: none. */
static inline const struct agent_kind *design_server_kind(const struct design *design)
{
    return design->server != NO_SERVER ? agent_kinds[design->server - 1] : NULL;
}

/* The value of the design's axis `runtime`, such as "charm" or "openmpi". */
const char *design_runtime_name(const struct design *design);

/* Whether the NIC's triggers serve, which host threads have set up; and whether work-groups post and complete everything
 * themselves. */
bool design_is_triggered(const struct design *design);
bool design_serves_itself(const struct design *design);

/* How many of `users` share an interface to the NIC. With triggers each work-group has its own. */
int64_t design_nic_queue_sharers(const struct design *design, int64_t users);

/* Whether puts and gets are those of the library that design and server share (runtime = shmem). */
static inline bool design_has_shmem(const struct design *design)
{
    return design->runtime == RUNTIME_SHMEM;
}

/* Whether the design has a server that polls for work. */
bool design_has_poller(const struct design *design);

/* Whether the server moves data between GPUs of its node, by itself or by copies that it starts. */
static inline bool design_server_moves(const struct design *design)
{
    return design->peer >= PEER_BY_SERVER;
}

/* Whether the processes of the design keep their data in host memory, where CPU cores work on them. */
static inline bool design_is_of_cpu(const struct design *design)
{
    return design->initiator == INITIATOR_HOST && design->node == NODE_DISCRETE &&
           design->heap == MEMORY_HOST;
}

/* The scope at which work-groups and their server synchronise: the GPU's if both and the queue are on it. */
enum memory_scope design_scope(const struct design *design);

/* --- named designs ------------------------------------------------------------------------------ */

struct named_design {
    char *name;
    char *label;       /* as figures show it: "ComP-Net"; its name if none is given */
    char *description; /* a sentence */
    char *source;
    char **axis_sources; /* the source of each axis's value, in the order of the table; or NULL */
    struct design design;
};

/* Frees what it holds. */
void named_design_clear(struct named_design *named);

/* Sets the named designs; called once, at the start of a program (script/machine/designs.h). Takes over the
 * array and what it holds, all allocated with g_malloc. */
void designs_set(struct named_design *named, size_t count);
size_t designs_count(void);
const struct named_design *designs_at(size_t number);

/* The design of this name, or NULL. */
const struct design *design_named(const char *name);
