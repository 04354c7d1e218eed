/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU's memory as CUs, CPs and the bus meet it: a banked set-associative L2 in front of device
 * memory, and the way out to the rest of the node. The L2 is where device scope ends: what has
 * arrived here is seen by every CU and CP, and by what comes in over the bus.
 *
 * What comes in over the bus goes to memory, with a poll into the L2 for coarse-grained lines on
 * the way; fine-grained memory is never in the L2 (models/memory/store.h), so whoever shares it
 * with the rest of the node pays for memory each time.
 *
 * Every access moves real tags, line by line. Contents are those of the store; since all accesses
 * meet here, in one order, the L2 needs no copies of its own.
 *
 * Source: ComPNet18 section 2, 4.2 (M-058 to M-060, M-073), Table 1 (L2: 1 MB, 8 banks, 16-way,
 * 150 cycles). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/pool.h"
#include "core/sim.h"
#include "fabric/bus.h"
#include "models/gpu/gather.h"
#include "models/gpu/line_lock.h"
#include "models/memory/cache.h"
#include "models/memory/directory.h"
#include "models/memory/dram.h"
#include "models/memory/line_gap.h"
#include "models/memory/line_watch.h"
#include "models/memory/store.h"

/* The requester of an access; hit rates are counted by requester (ComPNet18 Fig 7). Lines that a CP shares with others
 * and its private lines are counted apart: only the former are ever locked (M-075). */
enum l2_requester { L2_FROM_CU, L2_FROM_CP, L2_FROM_CP_PRIVATE, L2_FROM_BUS, L2_REQUESTERS };

#define L2_POLLERS (L2_FROM_CP + 1) /* the first of them */

#define L2_MAX_BANKS 64

struct gpu_spec;

struct device_memory {
    struct sim *sim;
    const struct gpu_spec *spec;
    uint64_t *used; /* of the spec (GPU_READ) */
    struct bus *bus;
    int slot;
    struct directory *directory; /* of an APU's coherent host memory; NULL on a discrete GPU */
    int directory_number;        /* of the L2 there */
    struct store *store;
    struct cache *l2;
    struct dram *dram;
    sim_time bank_free_ps[L2_MAX_BANKS];
    sim_time bank_service_ps;
    int64_t lines_read; /* from the memory behind the L2 so far */
    sim_time read_ps;   /* the last of them */
    int64_t *
        copied; /* for each way: lines_read when a CU last loaded the line; NULL without far_partition */
    sim_time half_way_ps;  /* requester to L2, and back: half of the L2's latency each */
    double passed_bytes;   /* bytes of kernels that have passed through the L2 so far */
    event_handle push_out; /* when lines that pass may push out one that is watched */
    struct gather flushes; /* reads of fences behind posted writes */
    address flushed;       /* what the batch of `flushes` that is served reads */
    struct line_watch watch;
    struct line_locks locks;
    struct stat_counter *hits[L2_REQUESTERS], *misses[L2_REQUESTERS];
    struct stat_counter *poll_hits[L2_POLLERS], *poll_misses[L2_POLLERS];
    struct stat_counter *writebacks;
    struct pool stores; /* pool of memory_client.c's stores on their way */
    struct map atomics; /* line_gap.h */
};

/* A parameter of a GPU, or of its memory, noted as read. */
#define GPU_READ(part, field) PARAM_READ((part)->used, (part)->spec, field)
#define GPU_NOTE(part, field) PARAM_NOTE((part)->used, (part)->spec, field)

/* The L2 and the memory behind it of a GPU in `slot` of `bus`, whose statistics are under `path` ("node0.gpu0"). `spec`, `sim`,
 * `bus`, `dram` and `directory` (an APU's; else NULL) have to outlive it. device_memory_clear frees what it holds, not the
 * struct. */
void device_memory_init(struct device_memory *memory, struct sim *sim, const struct gpu_spec *spec,
                        struct bus *bus, int slot, struct dram *dram, struct directory *directory,
                        const char *path);
void device_memory_clear(struct device_memory *memory);

/* Whether `at` is served by this L2: device memory, and an APU's host memory. */
bool device_memory_serves(const struct device_memory *memory, address at);

/* An access of up to one line arrives at the L2 now; returns how long until the L2 has its data:
 * the wait for the bank, and the memory behind on a miss. Moves tags, counts, writes back. */
sim_time device_memory_access(struct device_memory *memory, enum l2_requester from, address at,
                              bool is_write);

/* The same for `lines` lines of a CU's stream from `at` on: one at a time, or, with a statistical L2, any
 * number, which then passes through without a poll of each. Writes change no contents. */
sim_time device_memory_stream(struct device_memory *memory, address at, int64_t lines,
                              bool is_write);

/* An access of `lines` lines of this device's payload from `at` on, of which the last `together` arrive now and those
 * before them have come evenly until now; returns how long until the L2 has all data. */
sim_time device_memory_access_block(struct device_memory *memory, enum l2_requester from,
                                    address at, int64_t lines, int64_t together, bool is_write);

/* How long the last of so many lines that arrive together waits for the banks, which are idle at first. */
sim_time device_memory_banks_ps(const struct device_memory *memory, int64_t lines);

/* Whether a compute unit's load of these lines, at any time soon, hits and waits for nothing but banks. If so, the lines count as
 * loaded. */
bool device_memory_loads_block(struct device_memory *memory, address at, int64_t lines);

/* A kernel begins to move bytes between its compute units and memory (a flow of memory/dram.h): they pass through the L2
 * and push out lines that are used less often. */
void device_memory_flow_begins(struct device_memory *memory);

/* The CP thread's read-modify-write of a word (gpu/line_lock.h): the first half has arrived at the
 * L2, reads, and locks the line; the second writes and unlocks it. Both return as
 * device_memory_access does. */
sim_time device_memory_read_locking(struct device_memory *memory, struct line_lock *lock,
                                    address at);
sim_time device_memory_write_unlocking(struct device_memory *memory, struct line_lock *lock,
                                       address at);

/* Whether any line is in the middle of a read-modify-write. */
static inline bool device_memory_has_locks(const struct device_memory *memory)
{
    return !list_is_empty(&memory->locks.taken);
}

/* Whether the line of `at` is in the middle of a read-modify-write: then `waiter` (filled in except `next`) is called when that
 * is over and asks again. To be asked before any access of this file, and after each such call. */
static inline bool device_memory_make_wait(struct device_memory *memory, address at,
                                           struct line_waiter *waiter)
{
    return line_locks_make_wait(&memory->locks, at / CACHE_LINE_BYTES, waiter);
}

/* The store that has just accessed `at` was a locked one: its line stays in the L2 until a CP has
 * accessed it. Does nothing on a GPU without locked stores, and for lines that its L2 does not hold
 * for long (fine-grained memory) or not for itself (an APU's host memory). */
void device_memory_pin(struct device_memory *memory, address at);

/* The same as device_memory_access for a load that only looks, the next of many
 * (memory_client_poll): it takes no turn at the bank, does not count as a use of its line, and is
 * counted apart. A miss on coarse-grained memory fetches the line as any load does. Fine-grained
 * memory answers as if it were idle.
 *
 * Why: polls are a steady background whose bandwidth is small (one line a poller and period,
 * against the banks' one line a cycle each) and which has no end. With its cost a function of the
 * line's state alone, a poll that finds what the last one found need not be simulated. */
sim_time device_memory_poll(struct device_memory *memory, enum l2_requester from, address at);

/* Whether a poll now would hit, find its line unlocked, and change nothing. */
bool device_memory_poll_is_still(const struct device_memory *memory, enum l2_requester from,
                                 address at);

/* Adds polls of `at` that were counted instead of simulated: nothing changed between them, so they hit. */
void device_memory_count_polls(struct device_memory *memory, enum l2_requester from, address at,
                               int64_t polls);

/* Tells `watcher` (the caller's, its `changed` filled in) of all that a poll of the line of `at`
 * could notice, until device_memory_unwatch; see memory/line_watch.h. */
void device_memory_watch(struct device_memory *memory, address at, struct line_watcher *watcher);
static inline void device_memory_unwatch(struct device_memory *memory, struct line_watcher *watcher)
{
    line_watch_remove(&memory->watch, watcher);
}

/* How long after its arrival at the L2 a write is seen by everybody: 0, or the way to the directory
 * for an APU's host memory. */
sim_time device_memory_visible_after(const struct device_memory *memory, address at);

/* Reads and writes contents, at the time of the access that they belong to. A write to an APU's host memory
 * goes through to the directory (write-through: the L2 is never the only sharer). */
void device_memory_read(struct device_memory *memory, address at, void *data, size_t bytes);
void device_memory_write(struct device_memory *memory, address at, const void *data, size_t bytes);

/* How long an atomic on the line of `at` that arrives now waits for those before it, which keep the line for `gap_ps` each
 * (gpu.atomic_gap, peer_atomic_gap). */
static inline sim_time device_memory_atomic_wait(struct device_memory *memory, address at,
                                                 sim_time gap_ps)
{
    return line_gap_take(&memory->atomics, at / CACHE_LINE_BYTES, sim_now(memory->sim), gap_ps);
}
uint64_t device_memory_atomic(struct device_memory *memory, address at, enum atomic_op op,
                              uint64_t operand, uint64_t compare);
