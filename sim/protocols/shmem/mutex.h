/* SPDX-License-Identifier: BSD-3-Clause */
/* A mutex between service threads: a word in their memory, taken by an atomic swap, waited for by
 * polling it, given back by a store behind a release (ComPNet18 section 4.2.2; M-071, M-072).
 * What contention costs follows from the memory: on command processors the read-modify-write that
 * locks the line in the L2, on CPU cores the line that goes from cache to cache. */
#pragma once

#include "core/stat.h"
#include "protocols/agents/agent.h"
#include "protocols/shmem/software.h"

/* Counts over all mutexes that share this struct: how often one was taken, how often it was not free at the first attempt, and how
 * long taking it took (ps, contended or not). */
struct mutex_stats {
    struct stat_counter *taken, *contended;
    struct stat_histogram *wait;
};
void mutex_stats_init(struct mutex_stats *stats, struct stat_registry *registry, const char *path);

struct mutex {
    address word;            /* 8 bytes on a line of their own, 0 at first */
    enum memory_scope scope; /* of all who take it */
    struct software software;
    struct mutex_stats stats;
    bool is_held; /* checked: the memory's atomics must let in one at a time */
};

/* Takes the mutex, then acquires; releases, then gives the mutex back. */
void mutex_lock(struct mutex *mutex, struct agent *agent);
void mutex_unlock(struct mutex *mutex, struct agent *agent);
