/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers within a node by the work-group's own loads and stores (peer = stores): the memories of the node's GPUs are
 * mapped into each other, as IPC handles do it, and what joins them (NVLink, xGMI, PCIe) carries loads and stores. No
 * queue, no server and no NIC has a part in it.
 *
 *   put      loads of a step of lanes, 16 bytes each, their stores; again, to the end. With design.copy_unroll loads of
 *            several steps are under way together: the first takes its way through the caches, and the others are as
 *            far behind it as the compute unit takes for their bytes (gpu.copy_rate)
 *   signal   behind a release to the system, which no store before it outlives
 *   get      the same from there to here; the loads of a step are under way together
 *   atomic   at the other end
 *   end      of what is blocking, and of a quiet or fence: a release to the system
 *
 * Source: rocSHMEM, IPC back end (github.com/ROCm/rocSHMEM; V-271 to V-276). */
#ifndef GPUNETSIM_PROTOCOLS_SHMEM_PEER_H
#define GPUNETSIM_PROTOCOLS_SHMEM_PEER_H

#include "protocols/agents/agent.h"
#include "protocols/shmem/ring_queue.h"
#include "protocols/shmem/software.h"

/* Room for the data of a work-group's step that are in flight: its registers. */
struct peer_room;
struct peer_room *peer_room_new(void);
void peer_room_free(struct peer_room *room);

/* A work-group's use of it. */
struct peer_path {
    struct agent *agent; /* NULL: the design has none */
    struct software software;
    struct peer_room *room;
    struct memory_client loads; /* vector loads, into registers */
    size_t lines;               /* of a step */
    size_t steps;               /* whose loads are under way together */
    int64_t node;               /* whose GPUs it reaches */
};

/* `room`: the caller's, of this work-group alone. */
void peer_path_init(struct peer_path *peer, struct agent *agent, int64_t node,
                    struct software software, int64_t unroll, struct peer_room *room);

/* Whether the operation goes that way: a put, get or atomic to a GPU of the node. */
bool peer_reaches(const struct peer_path *peer, const struct queue_entry *entry);

/* Carries it out: at the return all its stores have been issued, and its loads have come. peer_finish: they have all
 * been performed. */
void peer_carry_out(struct peer_path *peer, const struct queue_entry *entry);
void peer_finish(struct peer_path *peer);

#endif
