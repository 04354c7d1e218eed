/* SPDX-License-Identifier: BSD-3-Clause */
/* Command processors: small programmable cores on the GPU, each with a private L1 data cache that is
 * not coherent, attached to the GPU's L2 (ComPNet18 section 2, 3.3, Table 1; M-058, M-082).
 *
 * Data that a thread shares with work-groups and NIC are loaded and stored at their addresses. A network library also has
 * private data (connection tables, descriptors, free lists), which lie in device memory and go through the same caches (M-075).
 * Of these it touches a line every 20 instructions, by the 80-20 rule: four touches of five go to the first fifth of the data,
 * four of five of these to the first fifth of that, and so on. Accesses of the stack are part of `instructions_per_cycle`; a
 * stretch of fewer than 20 instructions, such as a turn of the polling loop, touches no private data. */
#pragma once

#include "core/agent_state.h"
#include "core/param.h"
#include "core/sim.h"
#include "models/gpu/gpu.h"
#include "models/gpu/load_batch.h"
#include "models/memory/cache.h"

/* Component "cp" of a machine file. */
#define CP_ROWS(ROW)                                                                               \
    ROW(COUNT, cores, "2", "1", "64", "Command processor cores on the GPU.")                       \
    ROW(PART, core, struct core_spec, "", &core_rows,                                              \
        "clock=2GHz,instructions_per_cycle=1.0,active_power=1W,stalled_power=600mW,"               \
        "polling_power=800mW,idle_power=300mW",                                                    \
        "")                                                                                        \
    ROW(PART, dcache, struct cache_shape, "dcache_", &cache_rows, "size=32KiB,ways=8",             \
        "Data cache of a core: ")                                                                  \
    ROW(BYTES, private_data, "0B", "0B", "1GiB",                                                   \
        "Private data of a thread, in addition to what always stays in its data cache.")           \
    ROW(BYTES, private_data_a_queue, "0B", "0B", "1MiB",                                           \
        "Private data of a thread for each queue that it serves.")
struct cp_spec {
    CP_ROWS(PARAM_FIELD)
};
extern struct param_table cp_params;

struct cp;

/* The CPs of `gpu`. */
struct cp *cp_new(struct sim *sim, const struct cp_spec *spec, struct gpu *gpu);
void cp_free(struct cp *cp);
const struct cp_spec *cp_spec_of(const struct cp *cp);

/* A thread bound to core `core` (0 .. cores - 1): its view of memory and its execution. One thread a
 * core. */
struct cp_thread {
    struct cp *cp;
    int64_t core;
    struct process *process;
    struct memory_client memory;
};
void cp_thread_init(struct cp_thread *thread, struct cp *cp, int64_t core, struct process *process);

/* Gives the thread its private data, including those of `queues` queues; a thread without this call has none. Called once. The
 * data count as initialised: as many lines as fit are in the data cache. */
void cp_thread_serve_queues(struct cp_thread *thread, int64_t queues);

/* The time of `instructions` of a service thread; and their execution. */
sim_time cp_thread_time_ps(const struct cp_thread *thread, int64_t instructions);
static inline void cp_thread_execute(struct cp_thread *thread, int64_t instructions)
{
    process_run_ahead(thread->process, cp_thread_time_ps(thread, instructions));
}

/* Makes the accesses to the thread's private data that go with `instructions`, and waits for those that miss. */
void cp_thread_touch_data(struct cp_thread *thread, int64_t instructions);
int64_t cp_thread_touches(const struct cp_thread *thread, int64_t instructions); /* how many */

/* Makes independent loads, as many at a time as the core keeps under way. */
void cp_thread_load_all(struct cp_thread *thread, const struct memory_load *loads, size_t count);
