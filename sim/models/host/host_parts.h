/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the host's files, and private to them. */
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
    struct bus_path path; /* a core's path to the bus */
    sim_time l1_latency_ps, l2_latency_ps;
    sim_time window_ps; /* how long the instructions take that a core may have under way */
    sim_time mispredict_ps;
    bool coherent_gpu;
    struct directory directory;
    struct core *cores;
    struct pool pending;
    uint64_t *used; /* of the spec (HOST_READ) */
    struct inbound inbound;
    struct pool reads; /* of host.c */
    struct pool looks; /* look_ahead.c's */
    struct map
        owned; /* store_buffer.c's: when a line came, in ps + 1; 0: a device has read it since */
};

/* A parameter of the host, noted as read. */
#define HOST_READ(host, field) PARAM_READ((host)->used, (host)->spec, field)
#define HOST_NOTE(host, field) PARAM_NOTE((host)->used, (host)->spec, field)

/* Takes the line into both private caches of the core and returns the time for that. Pollers of the line that is pushed out of
 * the L1 are told, since their next look takes longer. */
sim_time host_fetch_into_caches(struct host_thread *thread, address at);
