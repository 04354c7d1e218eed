/* SPDX-License-Identifier: BSD-3-Clause */
/* A parallel job on a machine: processes with a core and a GPU each, placed on its nodes (P-M05: one
 * process, one core, one GPU; M-006), and the devices that they share. */
#pragma once

#include "models/cpu/block.h"
#include "models/cpu/cpu.h"
#include "models/cpu/host_copy.h"
#include "models/cuda/cuda.h"
#include "models/nic/verbs.h"
#include "models/node.h"

/* The cores that a job's processes run on. The kind of agents fills this in (protocols/agents: `rank_core`). Cores on the GPU sit
 * behind its L2: its memory is theirs, and the host's memory and the NIC are across the bus. */
struct job_core {
    const char *name; /* "host_thread" */
    const struct machine_spec
        *machine;        /* the kind of nodes whose numbers these are (cluster_spec) */
    enum core_pool pool; /* the pool from which each process takes a core */
    bool is_on_gpu;
    struct cpu_spec cpu;
    sim_time load_ps;        /* on the GPU: a load that the L2 does not hold */
    int64_t loads_in_flight; /* on the GPU: how many such loads are in flight at a time */
};

/* Cores of a pool of the machine, or of a kind of its nodes (cluster_spec), without what only those on a GPU have; and CPU cores. */
struct job_core job_core_of(const struct machine_spec *spec, enum core_pool pool);
struct job_core job_host_core(const struct machine_spec *spec);

/* Where a process runs: the GPU's number in its node, socket by socket; it runs on a core of that GPU's
 * socket, or of the GPU itself. */
struct job_place {
    int64_t node;
    int32_t gpu;
    const struct job_core *core; /* its kind of core, which the caller keeps; NULL: a CPU core */
};

/* How far two processes are apart. */
enum job_distance { JOB_SAME_SOCKET, JOB_SAME_NODE, JOB_OTHER_NODE, JOB_DISTANCES };

struct job_process {
    struct job *job;
    const struct job_core *kind; /* of its core */
    int32_t rank;
    int64_t node;
    const struct machine_spec *spec; /* the numbers that hold for its node */
    int32_t socket;
    int32_t
        core_port; /* where its core sits: its socket's port of the platform, or its GPU's; the memory there is
                          that of its heap and its library's buffers */
    int gpu; /* of its node */
    int32_t gpu_port;
    int64_t core; /* its number in its pool */
    int32_t rail; /* the NIC that serves it */
    struct cpu cpu;
    struct heap heap;
    struct cuda_device *device;
    struct cuda_stream *stream; /* a stream of that device, for the program's own copies */
};

#define JOB_CORE_KINDS 32

struct job {
    struct cluster *cluster;
    struct sim *sim; /* the cluster's, as the next three */
    const struct machine_spec *spec;
    struct job_core
        kinds[JOB_CORE_KINDS]; /* the processes' cores, one entry for each kind of nodes */
    int kind_count;
    struct cuda *cuda;
    struct nic_network *nics;
    struct job_process *processes; /* by rank */
    int32_t count;
    int64_t
        stack_bytes; /* the stack of each process, which the caller may set; 0: as usual (process_spawn) */
    bool has[JOB_DISTANCES]; /* whether there are two processes at this distance */
};

/* Whether there is at least one place and the machine has all of them; else one sentence. */
bool job_places_valid(const struct machine_spec *spec, const struct job_place *places,
                      int32_t count, GError **error);

/* A job on `cluster`, which outlives it and may have other guests: kernels with in-kernel queues, further
 * jobs. Its processes run on the kinds of cores that their places name (copied), or on CPU cores. NULL and an error
 * if a place is not on the machine, or all cores there are taken. */
struct job *job_new(struct cluster *cluster, const struct job_place *places, int32_t count,
                    GError **error);
void job_free(struct job *job);

/* Runs `program` as the process of `rank` from now on, bound to its core. */
void job_start(struct job *job, int32_t rank, process_fn *program, void *argument);

/* A block of memory of that process: in its core's memory (for a CPU core, its socket's) or in its GPU's. With `id` 0 it is new
 * each time. */
struct block job_host_block(const struct job_process *process, enum block_kind kind, uint32_t id,
                            int64_t bytes);
struct block job_device_block(const struct job_process *process, uint32_t id, int64_t bytes);

/* How these two do. */
enum job_distance job_distance(const struct job *job, int32_t rank, int32_t other);

/* Whether the core loads and stores the block as its own memory; others go by way of CUDA, or a mapping. */
static inline bool job_reaches(const struct job_process *process, struct block block)
{
    return !block_is_device(block) || block.port == process->core_port;
}

/* The core copies `bytes` within its own memory, from where `kind` says (of a core on the GPU: line by line through the
 * L2, as many loads at a time as it keeps under way). Booked under `account`. */
void job_copy_as(struct job_process *process, enum cpu_account account, enum host_copy_kind kind,
                 int64_t bytes);

/* How long a core on a GPU takes to copy the lines of `bytes`. */
sim_time job_line_copy_ps(const struct job_process *process, int64_t bytes);

/* The platform's latency from one process's core to the other's, if either is on a GPU; else -1: both have coherent caches, and the
 * message library's parameters say what a transfer between them takes. */
sim_time job_core_latency_ps(const struct job *job, int32_t rank, int32_t other);

/* A core's copy of `bytes` in its own memory (CPU_COPY), and malloc/free of its process's heap (CPU_ALLOCATE);
 * job_allocate tells whether the block has fresh pages. */
void job_copy(struct job_process *process, int64_t bytes);
bool job_allocate(struct job_process *process, int64_t bytes);
static inline void job_free_memory(struct job_process *process, int64_t bytes)
{
    heap_free(&process->heap, bytes);
}
