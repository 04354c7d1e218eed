/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes behind a device's addresses.
 *
 * Queues, flags and completion entries have real contents, since a protocol reads what another agent has written. Payload
 * buffers are far larger and no protocol reads them: they have addresses, hence lines and banks, but no contents; reads give
 * zeros, and writes are dropped.
 *
 * What a GPU shares with the rest of the node while a kernel runs is fine-grained memory: its L2,
 * which the bus does not see, does not hold it, so that every access goes to memory. What only CUs
 * and CPs share is coarse-grained and lives in the L2 (ComPNet18 section 4.2: device against system
 * scope; M-060). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "fabric/port.h"

struct store;

/* A memory of the device in `slot` of its node, empty. */
struct store *store_new(int slot);
void store_free(struct store *store);

enum store_kind {
    STORE_COARSE_GRAINED, /* with contents */
    STORE_FINE_GRAINED,   /* with contents, not held by a GPU's L2 */
    STORE_PAYLOAD,        /* without contents */
    STORE_PRIVATE,        /* memory without contents that a single agent uses */
    STORE_KINDS,
};

/* How many bytes a store has room for, with contents and without. */
#define STORE_CONTENTS_BYTES (INT64_C(1) << 30)
#define STORE_PAYLOAD_BYTES ((INT64_C(1) << 46) - (INT64_C(1) << 40))

/* Allocates `bytes` (> 0) of memory, all zero, aligned to a line of 64 bytes; ADDRESS_NONE if there is no room. It is
 * never freed: a run allocates what it needs at its start. Contents take the simulator's memory only once they are
 * written. */
address store_allocate(struct store *store, int64_t bytes, enum store_kind kind);

/* The address of the next allocation of `kind`; and a function that moves it to `at` or behind it. */
address store_next(const struct store *store, enum store_kind kind);
void store_advance(struct store *store, enum store_kind kind, address at);

/* Whether the address is one of fine-grained memory. */
static inline bool store_is_fine_grained(address at)
{
    return (at >> 46 & 1) != 0;
}

/* Whether it is one of memory without contents. */
static inline bool store_is_payload(address at)
{
    return !store_is_fine_grained(at) && (at >> 40 & 0x3F) != 0;
}

/* `bytes` within one allocation. */
void store_read(const struct store *store, address at, void *data, size_t bytes);
void store_write(struct store *store, address at, const void *data, size_t bytes);

/* The value that a 64-bit atomic stores where `old` was. */
uint64_t store_atomic_result(enum atomic_op op, uint64_t old, uint64_t operand, uint64_t compare);

/* Performs a 64-bit atomic at a multiple of 8 and returns the old value. */
uint64_t store_atomic(struct store *store, address at, enum atomic_op op, uint64_t operand,
                      uint64_t compare);
