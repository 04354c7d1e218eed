/* A GPU's memory as CUs, CPs and the bus meet it: a banked set-associative L2 in front of device
 * memory, and the way out to the rest of the node. The L2 is where device scope ends: what has
 * arrived here is seen by every CU and CP, and by what comes in over the bus.
 *
 * What comes in over the bus goes to memory, with a look into the L2 for coarse-grained lines on the
 * way; fine-grained memory is never in the L2 (models/memory/store.h), so whoever shares it with the
 * rest of the node pays for memory each time.
 *
 * Every access moves real tags, line by line. Contents are those of the store; since all accesses
 * meet here, in one order, the L2 needs no copies of its own.
 *
 * Source: ComPNet18 section 2, 4.2 (M-058 to M-060, M-073), Table 1 (L2: 1 MB, 8 banks, 16-way,
 * 150 cycles). */
#ifndef GPUNETSIM_MODELS_GPU_DEVICE_MEMORY_H
#define GPUNETSIM_MODELS_GPU_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sim.h"
#include "fabric/bus.h"
#include "core/pool.h"
#include "models/memory/cache.h"
#include "models/memory/directory.h"
#include "models/memory/dram.h"
#include "models/memory/store.h"

/* Who asks: hit rates are counted by requester (ComPNet18 Fig 7). */
enum l2_requester { L2_FROM_CU, L2_FROM_CP, L2_FROM_BUS, L2_REQUESTERS };

#define L2_MAX_BANKS 64

struct gpu_spec;

struct device_memory {
    struct sim *sim;
    const struct gpu_spec *spec;
    struct bus *bus;
    int slot;
    struct directory *directory; /* of an APU's coherent host memory; NULL on a discrete GPU */
    struct store *store;
    struct cache *l2;
    struct dram dram;
    sim_time bank_free_ps[L2_MAX_BANKS];
    sim_time bank_service_ps;
    sim_time half_way_ps; /* requester to L2, and back: half of the L2's latency each */
    struct stat_counter *hits[L2_REQUESTERS], *misses[L2_REQUESTERS];
    struct stat_counter *writebacks;
    struct pool stores; /* of memory_client.c: stores on their way */
};

void device_memory_init(struct device_memory *memory, struct sim *sim, const struct gpu_spec *spec,
                        struct bus *bus, int slot, struct directory *directory, const char *path);
void device_memory_clear(struct device_memory *memory);

/* Whether `at` is served by this L2: device memory, and an APU's host memory. */
bool device_memory_serves(const struct device_memory *memory, address at);

/* An access of up to one line arrives at the L2 now; returns how long until the L2 has its data:
 * the wait for the bank, and the memory behind on a miss. Moves tags, counts, writes back. */
sim_time device_memory_access(struct device_memory *memory, enum l2_requester from, address at,
                              bool is_write);

/* How long after its arrival at the L2 a write is seen by everybody: 0, or the way to the directory
 * for an APU's host memory. */
sim_time device_memory_visible_after(const struct device_memory *memory, address at);

/* The contents, now: at the time of the access that they belong to. A write to an APU's host memory
 * goes through to the directory (write-through: the L2 is never the only holder). */
void device_memory_read(struct device_memory *memory, address at, void *data, size_t bytes);
void device_memory_write(struct device_memory *memory, address at, const void *data, size_t bytes);
uint64_t device_memory_atomic(struct device_memory *memory, address at, enum atomic_op op,
                              uint64_t operand, uint64_t compare);

#endif
