/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of payload to another GPU as blocks. Payload has no simulated contents, so nobody can see a part of it. The stores of
 * a step, which set out together, are one request of the bus; and steps of a work-group that has its compute unit for itself,
 * and whose loads hit, go at a pace that is known from the first one on: their stores are one flow over the link, with a start
 * and an end, which shares the link with what it meets there (fabric/lane.h). A step that misses ends the flow. Over several
 * links, and over one that may be more than half full, steps go one by one.
 *
 * Left out: that a flow's loads meet others at the banks of the L2, and that others may come to the compute unit
 * meanwhile. With sim->stores_one_by_one each store is simulated: the test workloads/peer_blocks compares both. */
#pragma once

#include "protocols/shmem/peer.h"

/* Whether a copy by the lanes of peer->work_group goes in blocks: whole lines of payload, from this GPU to another one. */
bool peer_goes_in_blocks(const struct peer_path *peer, address to, address from);

/* Stores the next part of such a copy, of which `left` bytes are left. Returns the bytes of that part, which the compute unit has
 * passed on. */
int64_t peer_put_block(struct peer_path *peer, address to, address from, int64_t left);
