/* SPDX-License-Identifier: BSD-3-Clause */
/* The host: CPU cores with coherent private caches, host memory behind a directory, and the way to
 * devices over the bus (ComPNet18 Table 1; M-056, M-078, M-079). */
#pragma once

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
#define HOST_ROWS(ROW)                                                                             \
    ROW(COUNT, cores, "16", "1", "32", "CPU cores of a socket.")                                   \
    ROW(PART, core, struct core_spec, "", &core_rows,                                              \
        "clock=4GHz,instructions_per_cycle=2.0,active_power=10W,stalled_power=6W,"                 \
        "polling_power=8W,idle_power=3W",                                                          \
        "")                                                                                        \
    ROW(FREQUENCY, software_rate, "8GHz", "1MHz", "100GHz",                                        \
        "Instructions per second (clock times instructions per cycle) of the core for "            \
        "which the times of ranks' software (network libraries, runtimes) are given; "             \
        "slower cores take proportionally longer.")                                                \
    ROW(PART, l1, struct cache_shape, "l1_", &cache_rows, "ways=2,latency_cycles=2",               \
        "L1 data cache of a core: ")                                                               \
    ROW(PART, l2, struct cache_shape, "l2_", &cache_rows, "size=2MiB,ways=8,latency_cycles=8",     \
        "L2 of a core: ")                                                                          \
    ROW(PART, l3, struct cache_shape, "l3_", &cache_rows, "size=16MiB,latency_cycles=20",          \
        "L3 shared by all cores, on the memory side: ")                                            \
    ROW(ENUM, device_writes, "last_level", device_writes,                                          \
        "Where devices' writes over the bus land: in the L3 (as with Intel's DDIO), or "           \
        "in memory.")                                                                              \
    ROW(TIME, memory_latency, "60ns", "0ns", "10us", "Host memory behind an L3 miss.")             \
    ROW(RATE, memory_rate, "153.6GB/s", "1MB/s", "100TB/s",                                        \
        "Bandwidth of host memory, all channels together.")                                        \
    ROW(TIME, atomic_gap, "0ns", "0ns", "100us",                                                   \
        "Minimum time between two atomics of devices on one line of host memory.")                 \
    ROW(TIME, atomic_turn, "0ns", "0ns", "100us",                                                  \
        "Minimum time between any two atomics of devices on host memory, whatever their lines.")   \
    ROW(TIME, bounced_line, "0ns", "0ns", "100us",                                                 \
        "Time in which a device's write fetches a line that a core's cache holds; later "          \
        "writes of devices are performed after it. 0: it need not be fetched.")                    \
    ROW(TIME, mesh_hop, "0ns", "0ns", "1us",                                                       \
        "Additional time of bounced_line for each of the 0 to 10 hops to the line's home. "        \
        "bounced_line alone would make all lines equally far.")                                    \
    ROW(TIME, handed_line, "0ns", "0ns", "100us",                                                  \
        "Time in which a core that waits for such a line gets it once the bus port has it; "       \
        "half until the core's request is there, half until the line is back.")                    \
    ROW(TIME, bus_latency, "20ns", "0ns", "10us",                                                  \
        "Latency between a core or host memory and the bus port, each way.")                       \
    ROW(COUNT, reorder_instructions, "512", "1", "10000",                                          \
        "Reorder window of an out-of-order core: how many instructions a service thread runs "     \
        "ahead of a poll that waits for its line (poll_loop = ahead).")                            \
    ROW(COUNT, mispredict_cycles, "0", "0", "1000",                                                \
        "Cycles that an out-of-order core loses when a poll has another outcome than "             \
        "predicted (poll_loop = ahead). 0: nothing is lost, and the core stays ahead.")            \
    ROW(COUNT, owned_at_once, "0", "0", "64",                                                      \
        "How many cache lines a core can regain at a time for its stores, after reads by a "       \
        "device have made the lines shared. 0: such a read does not make a line shared.")          \
    ROW(COUNT, stores_under_way, "56", "1", "1000",                                                \
        "Store-buffer capacity of a core: when it is full of stores that wait for ownership "      \
        "of their lines (owned_at_once), the core stalls.")                                        \
    ROW(COUNT, device_loads_in_flight, "1", "1", "16",                                             \
        "Independent loads of device memory over the bus that a core keeps in flight.")            \
    ROW(BYTES, uncached_load, "8B", "1B", "64B",                                                   \
        "Bytes that one load of device memory over the bus fetches.")                              \
    ROW(TIME, directory_latency, "60ns", "0ns", "10us",                                            \
        "On an APU: latency from a core to the directory, one way.")                               \
    ROW(COUNT, flops_per_cycle, "8", "1", "1024",                                                  \
        "Floating-point operations per cycle of a core in a vectorised loop.")                     \
    ROW(COUNT, bytes_per_cycle, "64", "1", "4096",                                                 \
        "Bytes per cycle between a core and its L1 in such a loop.")                               \
    ROW(TIME, parallel_region, "1us", "0ns", "1ms",                                                \
        "Beginning and end of a loop that is divided among all cores: threads are woken"           \
        " and synchronise.")
struct host_spec {
    HOST_ROWS(PARAM_FIELD)
};
extern struct param_table host_params;

/* The time that a line takes from one core's cache to another's. */
static inline sim_time host_hop_ps(const struct host_spec *spec)
{
    return cycles_ps(spec->l3.latency_cycles, spec->core.clock_Hz);
}

struct host;

/* A host in `slot` of its node's bus. `coherent_gpu`: it is the CPU of an APU, whose misses cross the directory. */
struct host *host_new(struct sim *sim, const struct host_spec *spec, struct bus *bus, int slot,
                      bool coherent_gpu);
void host_free(struct host *host);
struct directory *host_directory(struct host *host);

/* A thread that is bound to its own core (0 to cores - 1). */
struct host_thread {
    struct host *host;
    int64_t core;
    struct process *process;
    sim_time stores_visible_ps; /* when others see the last store, since stores keep their order */
    struct look_ahead *ahead;   /* NULL: host_thread_looks_ahead was not called */
    struct noise noise;         /* interruptions of its core; all zero: none */
};
void host_thread_init(struct host_thread *thread, struct host *host, int64_t core,
                      struct process *process);

/* `bytes` <= 64 within one line; host memory or, over the bus, device memory and registers. A load waits; loads of device
 * memory are uncached and as many as the bytes need, device_loads_in_flight of them at a time. Stores do not wait and are seen
 * in order (x86-like total store order), so a release needs nothing. */
void host_thread_load(struct host_thread *thread, address at, void *data, size_t bytes);

/* Independent loads, all of host memory or all of device memory, as many at a time as the core keeps under way there. Each load
 * gets its value when it retires, in order: a core replays a load whose line was taken from it meanwhile. */
void host_thread_load_all(struct host_thread *thread, const struct memory_load *loads,
                          size_t count);
/* A load of host memory as a poll, from the point `from` on; a poll of device memory is a whole load. host_thread_poll_rhythm
 * tells the poll's times, behind `loop_ps` of instructions, for as long as the line is in the core's L1 and nobody writes it;
 * false if they are not known. */
void host_thread_poll(struct host_thread *thread, address at, void *data, size_t bytes,
                      enum poll_place from);
/* Makes the thread's polls looks at `places` places of host memory in turn, by an out-of-order core (models/host/look_ahead.h).
 * `next`, which is asked during a poll, tells where the next polls look. After each poll the caller says whether it found
 * something; after a wait for the clock it says that there was one. */
void host_thread_looks_ahead(struct host_thread *thread, look_ahead_next *next, void *argument,
                             size_t places);
void host_thread_looked(struct host_thread *thread, bool found);
void host_thread_waited(struct host_thread *thread);
bool host_thread_poll_rhythm(const struct host_thread *thread, address at, sim_time loop_ps,
                             struct poll_rhythm *rhythm);
/* Counts polls of lines, all in the core's L1, instead of making them. Watchers of the lines are told when one leaves the L1. */
void host_thread_skip_polls(struct host_thread *thread, struct cached_line *lines, size_t count);

/* How many loads of the memory at `at` the core keeps in flight: of host memory `loads_in_flight`, of device memory
 * `device_loads_in_flight`. */
int64_t host_thread_loads_in_flight(const struct host_thread *thread, address at);

/* The bytes that one load brings: a line of host memory, `uncached_load` of device memory. */
int64_t host_thread_load_bytes(const struct host_thread *thread, address at);

/* A store is posted: the data are copied, and others see them later, in the order of the thread's stores. An atomic acts on 8
 * bytes at `at`, in host memory once all stores before it are seen, and waits; it returns the old value (`compare` is for a
 * compare-and-swap). */
void host_thread_store(struct host_thread *thread, address at, const void *data, size_t bytes);
uint64_t host_thread_atomic(struct host_thread *thread, address at, enum atomic_op op,
                            uint64_t operand, uint64_t compare);
/* Waits for the 8-byte word of host memory at `at` to meet `until`, polling it again and again with `loop_ps` of instructions
 * (> 0) before each poll. A poll that hits in the core's own cache finds what the last one found until another agent writes the
 * line; with `skip` such polls are not made, and the trajectory is the same. `energy` is in state `looping` during the
 * instructions, `loading` during the loads. */
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

/* --- a loop of a socket's cores ---
 *
 * A loop whose iterations the cores of a socket share, like OpenMP's parallel for: a roofline by cache level.
 *
 *   parallel_region                                     the threads are woken, and meet at the end
 *   + the longer of   flops / (threads x flops_per_cycle x clock)
 *                     bytes / (what threads get out of the level that holds their part)
 *
 * Each thread's part of the working set lies in the nearest cache that holds it, if the loop runs again and again: the
 * L1 and L2 of its core, a share of the L3, or memory. A core gets bytes_per_cycle out of its L1, and out of
 * what is behind no more than loads_in_flight lines in that level's latency; all of them no more than
 * memory_rate out of memory. ComPNet18 Table 1; roofline: Williams et al., CACM 2009. */

struct parallel_loop {
    int64_t flops;             /* of all threads together */
    int64_t bytes;             /* loaded and stored */
    int64_t working_set_bytes; /* the bytes that the loop uses again when it runs again */
};

/* How long `threads` (1 .. cores) threads take for the loop. `sharers` (>= 1) such groups of threads use the socket's L3 and
 * memory. */
sim_time parallel_loop_ps(const struct host_spec *spec, const struct parallel_loop *loop,
                          int64_t threads, int64_t sharers);

/* The bytes per second that one thread gets if its part of the working set is `part_bytes`. */
int64_t parallel_thread_Bps(const struct host_spec *spec, int64_t part_bytes, int64_t threads,
                            int64_t sharers);
