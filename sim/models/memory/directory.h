/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory: the home of a node's host memory, where every access to it meets.
 *
 * CPU cores, devices on the bus and, in an APU, the GPU's L2 read and write host memory here. A
 * memory-side last-level cache decides whether DRAM is needed. A write drops the copies in all the
 * other coherent caches, so that a hit in one of them is never stale; what an invalidation costs its
 * writer is the writer's business (models/host, models/gpu).
 *
 * Source: ComPNet18 section 5.1 (APU coherent through a directory protocol; M-078), Table 1 (L3). */
#pragma once

#include "core/map.h"
#include "core/sim.h"
#include "fabric/port.h"
#include "models/memory/cache.h"
#include "models/memory/dram.h"
#include "models/memory/line_watch.h"
#include "models/memory/store.h"

#define DIRECTORY_MAX_SHARERS 64

struct directory {
    struct sim *sim;
    int slot; /* slot of the device whose memory it is */
    struct store *store;
    struct cache *last_level; /* on the memory side: tags of lines that need no DRAM */
    sim_time last_level_latency_ps;
    struct dram dram;
    uint64_t *used, near_bits,
        far_bits; /* parameters that an access reads, and an access of the DRAM (core/param_use.h); NULL: nobody asks */
    struct directory_sharer {
        int owner;
        struct cache *inner, *outer;
    } coherent[DIRECTORY_MAX_SHARERS]; /* whose private caches are to be kept coherent */
    int coherent_count;
    /* By line: a bit for each place in `coherent` whose caches may have it. When a line leaves a cache by itself its bit stays,
     * and so does a line's place in the map, since shared lines are shared again. */
    struct map sharers;
    struct line_watch watch; /* of those who wait for a write to a line */
    struct directory_observer {
        void (*written)(void *observer, address at);
        void *observer;
    } observers[DIRECTORY_MAX_SHARERS]; /* told of every write, before it is performed */
    int observer_count;
};

/* A directory for the memory of the device in `slot`. It owns store and last-level cache. */
void directory_init(struct directory *directory, struct sim *sim, int slot,
                    int64_t last_level_bytes, int64_t last_level_ways,
                    sim_time last_level_latency_ps, sim_time dram_latency_ps,
                    int64_t dram_rate_Bps);
void directory_clear(struct directory *directory);

/* Who writes: a CPU core by its number, or one of these. */
#define DIRECTORY_DEVICE (-1)             /* over the bus */
#define DIRECTORY_GPU(slot) (-3 - (slot)) /* an APU's GPU in that slot of the bus, through its L2 */

/* Calls `written` for every write from now on, besides earlier observers. Each observer is an L2. */
void directory_observe(struct directory *directory, void (*written)(void *observer, address at),
                       void *observer);

/* Keeps the private caches of `owner` coherent: `outer`, and `inner` or NULL, into which lines come
 * through `outer` only. They are the caller's, alive as long as the directory is used. Returns the
 * owner's number here. */
int directory_add_sharer(struct directory *directory, int owner, struct cache *inner,
                         struct cache *outer);

/* cache_insert of a line of this directory's into the outer cache of sharer `number`. */
cache_way directory_fill(struct directory *directory, int number, cache_line line,
                         struct cache_victim *victim);

/* An access of up to one line arrives now; returns how long until its data are ready. Moves the
 * tags of the last-level cache; contents are read and written with the functions below. */
sim_time directory_access(struct directory *directory, address at);

/* A write of up to one line by a device arrives now and goes to memory: the last-level cache does not keep the
 * line. */
void directory_pass_by(struct directory *directory, address at);

/* Drops all copies of its line except the writer's own; contents stay as they are. */
void directory_take_away(struct directory *directory, int writer, address at);

/* Whether a coherent cache of somebody else than `owner` holds the line: then a write has to wait
 * until its copy is gone. */
bool directory_others_hold(const struct directory *directory, int owner, address at);

/* Writes now, visible to all from now on: drops the line from every coherent cache but those of
 * `writer`. Writes are ordered at the directory in the order of the calls. */
void directory_write(struct directory *directory, int writer, address at, const void *data,
                     size_t bytes);
/* The same of a device, while a core waits for the line, which comes to it as it is then. */
void directory_update(struct directory *directory, address at, const void *data, size_t bytes);
uint64_t directory_atomic(struct directory *directory, int writer, address at, enum atomic_op op,
                          uint64_t operand, uint64_t compare);
