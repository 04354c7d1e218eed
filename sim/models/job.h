/* A parallel job on a machine: processes with a core and a GPU each, placed on its nodes (P-M05: one
 * process, one core, one GPU; M-006), and the devices that they share. */
#ifndef GPUNETSIM_MODELS_JOB_H
#define GPUNETSIM_MODELS_JOB_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "models/cpu/block.h"
#include "models/cpu/cpu.h"
#include "models/cpu/host_copy.h"
#include "models/cuda/cuda.h"
#include "models/nic/verbs.h"
#include "models/node.h"

/* Where a process runs: the GPU's number in its node, socket by socket; it runs on a core of that GPU's
 * socket. */
struct job_place {
    int64_t node;
    int32_t gpu;
};

/* How two processes stand to each other. */
enum job_distance { JOB_SAME_SOCKET, JOB_SAME_NODE, JOB_OTHER_NODE, JOB_DISTANCES };

struct job_process {
    struct job *job;
    int32_t rank;
    int64_t node;
    int32_t socket;
    int32_t cpu_port, gpu_port; /* of the platform */
    int32_t rail;               /* the NIC that serves it */
    struct cpu cpu;
    struct heap heap;
    struct cuda_device *device;
    struct cuda_stream *stream; /* of that device, for the program's own copies */
};

struct job {
    struct cluster *cluster;
    struct sim *sim;                 /* the cluster's, as the next three */
    const struct machine_spec *spec;
    struct cuda *cuda;
    struct nic_network *nics;
    struct job_process *processes; /* by rank */
    int32_t count;
    bool has[JOB_DISTANCES]; /* two processes that stand so to each other */
};

/* A job on `cluster`, which outlives it and may have other guests: kernels with in-kernel queues, further
 * jobs. NULL and an error if a place is not on the machine. */
struct job *job_new(struct cluster *cluster, const struct job_place *places, int32_t count,
                    GError **error);
void job_free(struct job *job);

/* Runs `program` as the process of `rank` from now on, bound to its core. */
void job_start(struct job *job, int32_t rank, process_fn *program, void *argument);

/* A block of that process: in its socket's memory or its GPU's. `id` 0: new each time. */
struct block job_host_block(const struct job_process *process, enum block_kind kind, uint32_t id,
                            int64_t bytes);
struct block job_device_block(const struct job_process *process, uint32_t id, int64_t bytes);

/* How these two do. */
enum job_distance job_distance(const struct job *job, int32_t rank, int32_t other);

/* A core's copy of `bytes` in its own socket's memory (CPU_COPY), and malloc/free of its process's heap (CPU_ALLOCATE);
 * job_allocate tells whether the block has fresh pages. */
void job_copy(struct job_process *process, int64_t bytes);
bool job_allocate(struct job_process *process, int64_t bytes);
void job_free_memory(struct job_process *process, int64_t bytes);

#endif
