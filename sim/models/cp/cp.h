/* Command processors: small programmable cores on the GPU, each with a private L1 data cache that is
 * not coherent, attached to the GPU's L2 (ComPNet18 section 2, 3.3, Table 1; M-058, M-082). */
#ifndef GPUNETSIM_MODELS_CP_CP_H
#define GPUNETSIM_MODELS_CP_CP_H

#include <stdint.h>

#include "core/param.h"
#include "core/sim.h"
#include "models/gpu/gpu.h"

/* Component "cp" of a machine file. */
struct cp_spec {
    int64_t cores;
    int64_t clock_Hz;
    double instructions_per_cycle; /* sustained, on the network software */
    int64_t dcache_size_bytes, dcache_ways, dcache_latency_cycles;
};
extern const struct param_table cp_params;

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
void cp_thread_init(struct cp_thread *thread, struct cp *cp, int64_t core,
                    struct process *process);

/* Executes `instructions` of a service thread. */
void cp_thread_execute(struct cp_thread *thread, int64_t instructions);

#endif
