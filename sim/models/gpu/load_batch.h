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
