/* SPDX-License-Identifier: BSD-3-Clause */
/* What a work-group on a CU, or a thread on a CP, sees of the GPU's memory: an L1 that is not
 * coherent, the L2 behind it, and, over the bus, the rest of the node.
 *
 *   load     a hit in the L1 may be stale; a miss crosses to the L2; a load that leaves the GPU crosses the bus and back and is
 *            not kept in the L1
 *   poll     a load that only looks, past the L1 (device_memory_poll): it sees what a load after an acquire would see, and
 *            leaves the rest of the L1 alone
 *   store    written through the L1, does not wait; others see it when it arrives at the L2 (or over the bus), in the order in
 *            which one client issues stores to one place
 *   locked   a store that pins its line in the L2 until a CP has accessed it (gpu.l2_locking; without that, a plain store)
 *   atomic   performed past the L1 at the L2, or at the other end of the bus; waits for the old value. A CP's is a
 *            read-modify-write of its core: the read locks the line in the L2, the write unlocks it, and it is over when the
 *            write is acknowledged
 *   touch    a load or store of private data (STORE_PRIVATE): kept in the L1 and written back when it is pushed out, so that
 *            what does not fit spills into the L2, unlocked
 *   acquire  drops the L1 except private lines, as GCN3's BUFFER_WBINVL1_VOL drops volatile lines only: nobody else writes
 *            them, and dirty ones hold the only copy. Later loads see what others released
 *   release  waits until this client's stores have been performed at the scope, and no less than gpu.device_fence or
 *            gpu.system_fence. Posted writes over the bus send no acknowledgement: a release to the system scope reads behind
 *            them, and the read pushes them (measured on real GPUs: store and fence over PCIe cost a little more than one load
 *            over PCIe; on other hosts as much as the fence alone, less than a load: gpu.fence_reads_back = false, there it
 *            waits until they have arrived)
 *
 * Source: ComPNet18 section 2 and 4.2 (M-059, M-060, M-065, M-066, M-070, M-071, M-074). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/process.h"
#include "models/gpu/device_memory.h"
#include "models/gpu/gather.h"
#include "models/memory/bus_wait.h"
#include "models/memory/load.h"
#include "models/memory/poll_rhythm.h"

enum memory_scope { SCOPE_WORK_GROUP, SCOPE_DEVICE, SCOPE_SYSTEM };

struct memory_client {
    struct device_memory *memory;
    struct cache *l1; /* with copies; shared by the clients of one CU or CP core */
    sim_time l1_latency_ps;
    enum l2_requester kind;
    struct process *process; /* the process that calls */
    int16_t turn;            /* of its polls among those of one time (process_sleep_until_turn) */
    bool
        runs_ahead; /* no other client shares the L1, so its process may run ahead (process_run_ahead) */
    int64_t
        stores_in_flight; /* stores on their way to the L2; and those over the bus that no read follows */
    sim_time stored_ps;      /* when it knows that all other stores have arrived */
    bool is_draining;        /* the process waits for stores_in_flight to come down to 0 */
    struct gather *fences;   /* fences of its compute unit; NULL: no fence waits for another */
    sim_time port_offset_ps; /* of its compute unit's way to the bus port (gpu.port_spread) */
    bool is_spread;          /* whether port_offset_ps may differ from 0 */
    address unflushed;       /* the memory to which a posted bus write went since the last flush */
    sim_time unflushed_ps;   /* when it left */
    sim_time round_trip_ps;  /* time of the last read over the bus; 0: none yet */
};

/* Sets up a client with the parts that it shares with others; `process` is set before the first call. */
void memory_client_init(struct memory_client *client, struct device_memory *memory,
                        struct cache *l1, sim_time l1_latency_ps, enum l2_requester kind);

/* `bytes` <= 64 within one line. All of these are called by client->process and let time pass. */
void memory_client_load(struct memory_client *client, address at, void *data, size_t bytes);
void memory_client_poll(struct memory_client *client, address at, void *data, size_t bytes,
                        enum poll_place from);

/* For load_batch.c: the line of `at` is read at the L2, now, into the L1; its contents there. */
const uint8_t *memory_client_read_line(struct memory_client *client, address at);

/* For block_access.c: notes a write over the bus that sets out now and that a release to the system scope has to follow. */
void memory_client_note_posted(struct memory_client *client, struct bus_request *request);

/* Its path to the bus port of its GPU, through L1 and L2, for reads that are under way together. */
struct bus_path memory_client_bus_path(const struct memory_client *client);

/* For poll_wait.c: the rest of a poll that has reached the L2 now; whether one that reached it now would take the least
 * time and change nothing, and what it would read; polls that were skipped, counted. */
void memory_client_poll_at_l2(struct memory_client *client, address at, void *data, size_t bytes);
bool memory_client_poll_is_still(const struct memory_client *client, address at, uint64_t *word);
static inline void memory_client_count_polls(struct memory_client *client, address at,
                                             int64_t polls)
{
    device_memory_count_polls(client->memory, client->kind, at, polls);
}

/* What a poll of `at` takes, behind `loop_ps` of instructions, as long as its line is in the L2 and nobody
 * changes it; false if that is not known. */
bool memory_client_poll_rhythm(const struct memory_client *client, address at, sim_time loop_ps,
                               struct poll_rhythm *rhythm);

/* For poll_wait.c: a poll of the line of `at` has reached the L2 now. Raises `wait_ps` to the time from now to its data. Returns
 * false if the line is locked: then `waiter`, filled in, waits at the line, and the poll is to be made again when it arrives. */
bool memory_client_look(struct memory_client *client, address at, struct line_waiter *waiter,
                        sim_time *wait_ps);

/* One poll of the 8-byte words at `at`, `count` of them, all of one memory across the bus, a lane a word. It begins now. */
void memory_client_poll_words_across_bus(struct memory_client *client, const address *at,
                                         size_t count, uint64_t *words);
void memory_client_store(struct memory_client *client, address at, const void *data, size_t bytes);
void memory_client_store_locked(struct memory_client *client, address at, const void *data,
                                size_t bytes);
uint64_t memory_client_atomic(struct memory_client *client, address at, enum atomic_op op,
                              uint64_t operand, uint64_t compare);
void memory_client_touch(struct memory_client *client, address at, bool is_write);
void memory_client_acquire(struct memory_client *client, enum memory_scope scope);
void memory_client_release(struct memory_client *client, enum memory_scope scope);

/* Size of a store on its way, for device_memory's pool of them. */
size_t memory_client_store_bytes(void);
