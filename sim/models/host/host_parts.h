/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the host share. */
#pragma once

#include "core/map.h"
#include "core/pool.h"
#include "models/host/host.h"
#include "models/host/inbound.h"
#include "models/host/store_buffer.h"
#include "models/memory/bus_wait.h"

struct core {
    struct cache *l1, *l2;
    int number; /* at the directory */
    struct store_buffer stores;
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
    uint64_t *used; /* of the spec (HOST_READ) */
    struct inbound inbound;
    struct pool reads; /* of host.c */
    struct map
        owned; /* of store_buffer.c: when a line came, in ps + 1; 0: a device has read it since */
};

/* A parameter of the host, noted as read. */
#define HOST_READ(host, field) PARAM_READ((host)->used, (host)->spec, field)
#define HOST_NOTE(host, field) PARAM_NOTE((host)->used, (host)->spec, field)

/* Takes the line into both private caches of the core and returns what that takes. Of the line that this pushes out of
 * the L1 those who poll it are told: their next look takes longer. */
sim_time host_fetch_into_caches(struct host_thread *thread, address at);
