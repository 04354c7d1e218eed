/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores of payload by a compute unit as blocks of lines. They take what the single ones of memory_client.h
 * and load_batch.h take; nobody reads their data, so only the last of them has to be known of. */
#pragma once

#include "models/gpu/memory_client.h"

/* Loads of the lines of `bytes` of the GPU's own payload that set out together arrive at the L2, where nothing locks
 * them; returns after how long the last of them will be back. The client's other way to load them is a load_batch. */
sim_time block_load(struct memory_client *client, address at, int64_t bytes);

/* Stores of whole lines of another device's payload, the last of which may be shorter: `bytes` that leave together
 * now, behind `flowed_bytes` before them from `at` on, which a flow has taken (block_flow_begin); without one 0 and
 * NULL. */
struct block_store {
    address at;
    int64_t flowed_bytes, bytes;
    struct bus_flow *flow;
};
void block_store(struct memory_client *client, const struct block_store *store);

/* A flow of stores from `delay_ps` from now on for `duration_ps` (> 0), over the one link between two GPUs (bus_link_rate_Bps). */
struct bus_flow *block_flow_begin(struct memory_client *client, address at, int64_t bytes,
                                  sim_time duration_ps, sim_time delay_ps);
