/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the host share. */
#ifndef GPUNETSIM_MODELS_HOST_HOST_PARTS_H
#define GPUNETSIM_MODELS_HOST_HOST_PARTS_H

#include "core/list.h"
#include "core/pool.h"
#include "models/host/host.h"
#include "models/host/inbound.h"
#include "models/memory/bus_wait.h"

struct core {
    struct cache *l1, *l2;
    int number;         /* at the directory */
    struct list stores; /* struct pending, on their way to be seen, in order */
};

/* A store on its way to be seen by others; its own core sees it at once. Records are reused. */
struct pending {
    struct list_link link; /* of its core */
    struct host *host;
    int core; /* that stores */
    address at;
    size_t bytes;
    uint8_t data[CACHE_LINE_BYTES];
};

struct host {
    struct sim *sim;
    const struct host_spec *spec;
    struct bus_path path; /* of a core to the bus */
    sim_time l1_latency_ps, l2_latency_ps;
    sim_time window_ps; /* the instructions that a core may have under way take this long */
    sim_time mispredict_ps;
    bool coherent_gpu;
    struct directory directory;
    struct core *cores;
    struct pool pending;
    struct inbound inbound;
    struct pool reads; /* of host.c */
};

/* Takes the line into both private caches of the core and returns what that takes. Of the line that this pushes out of
 * the L1 those who poll it are told: their next look takes longer. */
sim_time host_fetch_into_caches(struct host_thread *thread, address at);

#endif
