/* SPDX-License-Identifier: BSD-3-Clause */
/* The host: CPU cores with coherent private caches, host memory behind a directory, and the way to
 * devices over the bus (ComPNet18 Table 1; M-056, M-078, M-079). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/agent_state.h"
#include "core/energy.h"
#include "core/param.h"
#include "core/process.h"
#include "core/sim.h"
#include "fabric/bus.h"
#include "models/host/look_ahead.h"
#include "models/memory/cache.h"
#include "models/memory/directory.h"
#include "models/memory/load.h"
#include "models/memory/poll_rhythm.h"
#include "models/memory/word_condition.h"
#include "models/noise/noise.h"

enum device_writes { DEVICE_WRITES_LAST_LEVEL, DEVICE_WRITES_MEMORY };

/* Component "host" of a machine file. */
struct host_spec {
    int64_t cores;
    struct core_spec core; /* its loads in flight: of host memory */
    int64_t
        software_rate_Hz; /* instructions a second of the core that the times of ranks' software are told for */
    struct cache_shape l1, l2; /* of a core */
    struct cache_shape l3;     /* shared, on the memory side */
    int64_t device_writes;     /* enum device_writes: where they land */
    sim_time memory_latency_ps;
    int64_t memory_rate_Bps;
    sim_time atomic_gap_ps;   /* between two atomics of devices on one line */
    sim_time atomic_turn_ps;  /* between two on any lines */
    sim_time written_line_ps; /* a device's write keeps its line from devices' reads */
    sim_time
        bounced_line_ps;  /* a device's write of a line that a core took after a device's write */
    sim_time mesh_hop_ps; /* more of it for each hop to that core */
    sim_time bus_latency_ps;        /* between a core or the memory and the bus port */
    int64_t reorder_instructions;   /* that a core has under way: its reorder window */
    int64_t mispredict_cycles;      /* until the right instructions come after a wrong prediction */
    int64_t owned_at_once;          /* lines asked for again because a device has read them */
    int64_t stores_under_way;       /* that wait to be seen, at most */
    int64_t device_loads_in_flight; /* of device memory */
    int64_t uncached_load_bytes;    /* what one load of device memory fetches */
    sim_time directory_latency_ps;  /* APU: core to directory, one way */
    int64_t flops_per_cycle;        /* of a core in a vectorised loop */
    int64_t bytes_per_cycle;        /* between a core and its L1 */
    sim_time parallel_region_ps;    /* beginning and end of a loop that all cores share out */
};
extern struct param_table host_params;

/* A line from one core's cache to another's. */
static inline sim_time host_hop_ps(const struct host_spec *spec)
{
    return cycles_ps(spec->l3.latency_cycles, spec->core.clock_Hz);
}

struct host;

/* The host in `slot` of its node's bus. `coherent_gpu`: the CPU of an APU, whose misses cross the
 * directory. */
struct host *host_new(struct sim *sim, const struct host_spec *spec, struct bus *bus, int slot,
                      bool coherent_gpu);
void host_free(struct host *host);
struct directory *host_directory(struct host *host);

/* A thread that is bound to a core of its own (0 to cores - 1). */
struct host_thread {
    struct host *host;
    int64_t core;
    struct process *process;
    sim_time stores_visible_ps; /* when the last store is seen: stores keep their order */
    struct look_ahead ahead;
    struct noise noise; /* of its core; all zero: none */
};
void host_thread_init(struct host_thread *thread, struct host *host, int64_t core,
                      struct process *process);

/* `bytes` <= 64 within one line; host memory or, over the bus, device memory and registers. A load
 * waits; loads of device memory are uncached, as many as it takes, device_loads_in_flight of them
 * at a time. Stores do not wait and are seen in order (x86-like total store order), so a release
 * needs nothing. */
void host_thread_load(struct host_thread *thread, address at, void *data, size_t bytes);

/* Independent loads, all of host memory or all of device memory, as many at a time as the core
 * keeps under way there. Each has its value when it retires, in order: a core replays a load whose
 * line was taken from it meanwhile. */
void host_thread_load_all(struct host_thread *thread, const struct memory_load *loads,
                          size_t count);
/* The same as a load of host memory, as a poll, from `from` on; of device memory it is made whole. What it takes,
 * behind `loop_ps` of instructions, as long as the line is in the core's L1 and nobody writes it; false if that
 * is not known. */
void host_thread_poll(struct host_thread *thread, address at, void *data, size_t bytes,
                      enum poll_place from);
/* From now on its polls are looks at `places` places of host memory in turn, by an out-of-order core
 * (models/host/look_ahead.h). `next`, which is asked during a poll, tells where the next ones look. Behind each poll the
 * caller tells whether that has found something, and behind a wait for the clock that there was one. */
void host_thread_looks_ahead(struct host_thread *thread, look_ahead_next *next, void *argument,
                             size_t places);
void host_thread_looked(struct host_thread *thread, bool found);
void host_thread_waited(struct host_thread *thread);
bool host_thread_poll_rhythm(const struct host_thread *thread, address at, sim_time loop_ps,
                             struct poll_rhythm *rhythm);
/* A poll of each line, all in the core's L1, that is not made: who watches them is told when one leaves it. */
void host_thread_skip_polls(struct host_thread *thread, struct cached_line *lines, size_t count);

/* How many loads of the memory at `at` the core keeps in flight: of host memory `loads_in_flight`, of device memory
 * `device_loads_in_flight`. */
int64_t host_thread_loads_in_flight(const struct host_thread *thread, address at);

/* What one load brings: of host memory a line, of device memory `uncached_load`. */
int64_t host_thread_load_bytes(const struct host_thread *thread, address at);

/* A store is posted: the data are copied, and others see them later, in the order of the thread's stores. An atomic acts on 8 bytes at
 * `at`, in host memory once all stores before it are seen, and waits; it returns the old value (`compare` is for a compare-and-swap). */
void host_thread_store(struct host_thread *thread, address at, const void *data, size_t bytes);
uint64_t host_thread_atomic(struct host_thread *thread, address at, enum atomic_op op,
                            uint64_t operand, uint64_t compare);
/* Waits for the 8-byte word of host memory at `at` to meet `until`, polling it again and again
 * with `loop_ps` of instructions (> 0) before each poll. A poll its own cache finds what the
 * last one found until another writes the line; with `skip` such polls are not made, and the
 * trajectory is the same. `energy` is in state `looping` during the instructions, `loading` during
 * the loads. */
struct host_word_wait {
    address at;
    struct word_condition until;
    sim_time loop_ps;
    bool skip;
    struct poller *poller; /* of the thread */
    struct energy_meter *energy;
    size_t looping, loading;
};
void host_thread_wait_word(struct host_thread *thread, const struct host_word_wait *wait);
bool host_thread_owns(const struct host_thread *thread, address at); /* whether it is host memory */
sim_time host_thread_time_ps(const struct host_thread *thread, int64_t instructions);
void host_thread_execute(struct host_thread *thread, int64_t instructions);
