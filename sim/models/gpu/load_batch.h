/* SPDX-License-Identifier: BSD-3-Clause */
/* Several independent loads of one client under way together, as by an out-of-order core with a
 * non-blocking cache: each takes the way of memory_client_load while the process waits for them in
 * their order. Those that set out together reach the L2 in one event. */
#pragma once

#include "models/gpu/memory_client.h"
#include "models/memory/load.h"

/* Most loads of a batch under way: those of a work-group of 1,024 lanes, 16 bytes each. */
#define LOAD_BATCH_MAX 256

/* `count` loads, at most `in_flight` (1 .. LOAD_BATCH_MAX) of them at a time; returns when
 * all data are there, ahead of time: the client shares its L1 with nobody. Loads of memory that are
 * not made through the client's L2 (device_memory_serves) are made one after the other. */
void memory_client_load_all(struct memory_client *client, const struct memory_load *loads,
                            size_t count, int64_t in_flight);

/* --- blocks --------------------------------------------------------------------------------------
 *
 * Loads and stores of payload by a compute unit as blocks of lines. They take what the single ones of memory_client.h
 * and memory_client_load_all take; nobody reads their data, so only the last of them has to be known of. */

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
