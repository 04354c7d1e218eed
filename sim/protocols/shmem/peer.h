/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers between GPUs of a node without a NIC: the memories of the node's GPUs are mapped into each other, as IPC
 * handles do it, and what joins them (NVLink, xGMI, PCIe) carries loads, stores and copies. A design's axis `peer` says
 * who moves the data:
 *
 *   work_group   the work-group itself. No queue and no server has a part in it
 *   server       the server of its queue, by its own loads and stores: a wavefront by the vector loads of its lanes,
 *                another core by as many loads as it keeps under way
 *   peer_copy, copy_engine   a host thread starts copies of the copy engine (peer_copies.h). Words are its own loads
 *                and stores; atomics, which a CPU cannot do over a bus, are left to the NIC
 *
 *   put      loads of a step of lanes, 16 bytes each, their stores; again, to the end. With design.copy_unroll loads of
 *            several steps are under way together: the first takes its way through the caches, and the others are as
 *            far behind it as the compute unit takes for their bytes (gpu.copy_rate)
 *   signal   behind a release to the system, which no store before it outlives
 *   get      the same from there to here; the loads of a step are under way together
 *   atomic   at the other end, whose answer is the value
 *   end      of a put that is blocking, and of a quiet or fence: a release to the system; across a bus a read behind the
 *            stores. A get and an atomic have ended when their data are here
 *
 * Source: rocSHMEM, IPC back end (github.com/ROCm/rocSHMEM; V-271 to V-276). */
#pragma once

#include "protocols/agents/agent.h"
#include "protocols/shmem/peer_copies.h"
#include "protocols/shmem/ring_queue.h"

/* Fewer lanes than load a line at once load at least so much of it: a sector of the L1, which holds what comes next
 * (CUDA C programming guide, global memory of compute capability 5.x and later). */
#define PEER_SECTOR_BYTES 32

/* Instructions of one step of a copy to or from another GPU: the addresses, a (vector) load, a (vector) store. */
#define PEER_STEP_INSTRUCTIONS 6

/* The registers that hold the data of a work-group's step while they are in flight. */
struct peer_room;
struct peer_room *peer_room_new(void);
void peer_room_free(struct peer_room *room);

/* How one agent moves data to other GPUs of its node. */
struct peer_path {
    struct agent *agent;           /* NULL: the design has none */
    struct work_group *work_group; /* whose lanes load; NULL: the agent does */
    struct peer_copies *copies;    /* NULL: loads and stores move payloads, too */
    struct peer_room *room;
    struct memory_client loads;   /* vector loads, into registers */
    struct memory_client *stores; /* of payload as blocks: the agent's */
    int64_t
        load_bytes;  /* bytes of one load: a line, or the part of it that few lanes load at once */
    size_t lines;    /* of a step */
    size_t steps;    /* how many steps' loads are under way together */
    int64_t node;    /* whose GPUs it reaches */
    bool reads_back; /* its release does not push its stores to where they go */
    address last;    /* where it has stored last since the last finish; ADDRESS_NONE: nowhere */
    uint64_t returned; /* the value that the last atomic found */
};

/* For a work-group that moves data by itself, or a server's wavefront: `lanes` of its lanes load, and its agent stores through
 * `stores`. `room` is the caller's, for this path alone. */
void peer_path_init(struct peer_path *peer, struct agent *agent, struct work_group *wg,
                    struct memory_client *stores, int64_t lanes, int64_t node, int64_t unroll,
                    struct peer_room *room);

/* For a server on a core; `is_across`: a bus is between the core and the GPU. `copies` is the caller's, or NULL. */
void peer_path_init_core(struct peer_path *peer, struct agent *agent, bool is_across, int64_t node,
                         struct peer_copies *copies, struct peer_room *room);

/* Whether the operation takes this path: a put, get or atomic to a GPU of the node. */
bool peer_reaches(const struct peer_path *peer, const struct queue_entry *entry);

/* Carries out an operation. When it returns, all stores have been issued and all loads have come; or a copy is under way, which
 * `under_way` counts until its end. `operation` is the number by which observers know it. peer_push waits until the stores have
 * been performed, peer_finish for the copies, too. */
void peer_carry_out(struct peer_path *peer, const struct queue_entry *entry, uint64_t operation,
                    uint64_t *under_way);
void peer_push(struct peer_path *peer);
void peer_finish(struct peer_path *peer);
