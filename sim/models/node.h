/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine put together from its description (models/machine_spec.h). Only these two files know all device models. */
#pragma once

#include "core/sim.h"
#include "models/machine_spec.h"

/* How the CPU and the GPU of a node are joined. */
enum node_form {
    NODE_DISCRETE, /* GPU with its own memory on the bus */
    NODE_APU,      /* CPU and GPU share host memory coherently; the NIC is on the bus */
};

/* A GPU and what serves it: the host of its socket, its command processors, the NIC that the node's
 * policy gives it, and the bus that joins them. A device's slot is its port within the node. */
struct site {
    int64_t node;
    int gpu_number; /* in its node */
    int host_slot, gpu_slot, nic_slot;
    struct bus *bus;
    struct host *host;
    struct gpu *gpu;
    struct cp *cp;
    struct nic *nic;
};

/* Where a design keeps its queues and data: memory of the host or of the GPU of a site (NODE_APU has one memory for
 * both, the host's), or of its SmartNIC. */
enum node_memory { MEMORY_HOST, MEMORY_GPU, MEMORY_NIC, NODE_MEMORIES };

/* Cores that threads and ranks are bound to, one each: of a socket, of a GPU's command processors, of the board of a
 * SmartNIC. */
enum core_pool { CORES_OF_NONE, CORES_OF_HOST, CORES_OF_CP, CORES_OF_SMART_NIC, CORE_POOLS };

/* What a pool's cores are, their table, how many a unit has (a socket, a GPU, a NIC), and how many units a node has. */
struct core_pool_spec {
    const struct core_spec *core;
    const struct param_table *table;
    int64_t cores;
    int units;
};
struct core_pool_spec core_pool_of(const struct machine_spec *spec, enum core_pool pool);

struct node; /* the devices of a node */

/* A machine at work, of nodes of any shape. A device is made when it is first asked for or reached over
 * the bus or the network, so that those that a run does not use cost nothing. */
struct cluster {
    struct sim *sim;
    const struct machine_spec *spec;
    enum node_form form;
    struct platform *platform;
    unsigned noted; /* a bit for each kind of link whose parameters have been noted as read */
    struct transport *transport;
    struct gpu_pools gpu_pools[1 + PLATFORM_KINDS_MOST]; /* by kind of nodes */
    struct machine_spec
        *kinds; /* the values of each kind of nodes, by its number; NULL: all nodes are alike */
    uint8_t *kind_of;    /* by node: 0, or 1 + the number of its kind; NULL: all 0 */
    struct node **nodes; /* by number; NULL: the node has not been used yet */
    struct dram **drams; /* memories of GPUs, by number; NULL: not used yet */
    uint8_t flows_noted; /* which parameters of flows through memories have been noted as read */
    address common_end
        [NODE_MEMORIES]
        [STORE_KINDS]; /* end of what the first GPUs of all nodes, and their hosts, have allocated; 0: nothing */
    struct nic_network *nics;         /* of all NICs; each NIC is made when first asked for */
    struct cuda *cuda;                /* made by cluster_cuda */
    int16_t *cores_taken[CORE_POOLS]; /* by node and unit of the pool */
    bool *gpus_held;                  /* by node and GPU: a process has memory there */
    struct run_energy_meter *energy;  /* models/run_energy.h's */
    struct noise_source noise;        /* interruptions of its host cores */
    bool is_interrupted;              /* by the operating system */
    int64_t drawn_parts;  /* cores with a stream of interruptions, GPUs with a clock of their own */
    GPtrArray *slow_gpus; /* struct gpu_spec, of GPUs with a clock of their own */
};

/* A machine of `spec` (the caller's, kept until cluster_free) in `sim`. NULL and an error if
 * the description does not make a machine. */
struct cluster *cluster_new(struct sim *sim, const struct machine_spec *spec, enum node_form form,
                            GError **error);
void cluster_free(struct cluster *cluster);

/* 1 + the number of a node's kind, or 0 if it has none; and the values that hold for the node. */
static inline size_t cluster_kind(const struct cluster *cluster, int64_t node)
{
    return cluster->kind_of != NULL ? cluster->kind_of[node] : 0;
}
static inline const struct machine_spec *cluster_spec(const struct cluster *cluster, int64_t node)
{
    size_t kind = cluster_kind(cluster, node);
    return kind > 0 ? &cluster->kinds[kind - 1] : cluster->spec;
}

/* The site of GPU `gpu` (0 .. topology_gpu_count - 1) of `node` (0 .. spec->nodes - 1), alive as long as the cluster.
 * cluster_made_site gives NULL instead if nobody has used it yet. */
struct site *cluster_site(struct cluster *cluster, int64_t node, int gpu);
const struct site *cluster_made_site(const struct cluster *cluster, int64_t node, int gpu);

/* Says that a node takes part in the run, so that its kind's values count as read. */
static inline void cluster_takes_part(struct cluster *cluster, int64_t node)
{
    param_use_add_bits(&cluster->sim->uses, &node_kind_params,
                       UINT64_C(1) << cluster_kind(cluster, node));
}

/* Says that a process has memory on a GPU, which draws power from then on, even if nothing is simulated in it. And whether a
 * GPU is held so, or has been made. */
void cluster_hold_gpu(struct cluster *cluster, int64_t node, int gpu);
bool cluster_gpu_takes_part(const struct cluster *cluster, int64_t node, int gpu);

/* The GPU and the bus of a node, or NULL if it has not been used yet. */
const struct gpu *cluster_made_gpu(const struct cluster *cluster, int64_t node, int gpu);
const struct bus *cluster_made_bus(const struct cluster *cluster, int64_t node);

/* The SmartNIC around a site's NIC, made when first asked for. */
struct smart_nic *site_smart_nic(struct cluster *cluster, const struct site *site);

/* Takes a core of the pool at GPU `gpu` of `node` (of its socket, its command processors or its NIC's board) for as long as the
 * cluster lives. Returns the lowest free number, or -1 if all are taken. The second function says how many are free. */
int64_t cluster_take_core(struct cluster *cluster, enum core_pool pool, int64_t node, int gpu);
int64_t cluster_cores_left(const struct cluster *cluster, enum core_pool pool, int64_t node,
                           int gpu);

/* Gives the interruptions of the core that `process` is bound to, or none. */
void cluster_interrupt_core(struct cluster *cluster, const struct process *process,
                            struct noise *noise);

/* GPUs as processes see them through CUDA. */
struct cuda *cluster_cuda(struct cluster *cluster);

/* Allocates `bytes` of one site's memory, as store_allocate; the second function does so at the same address on the first site
 * of every node, including nodes that are not made yet. */
address site_allocate(struct cluster *cluster, struct site *site, enum node_memory memory,
                      int64_t bytes, enum store_kind kind);
address cluster_allocate(struct cluster *cluster, enum node_memory memory, int64_t bytes,
                         enum store_kind kind);

/* "node0.PART" of the first site of node 0, "node0.gpu2.PART" of another one. `path` has `size` bytes. */
void site_path(const struct site *site, const char *part, char *path, size_t size);

/* A memory of the site. */
struct store *site_store(struct cluster *cluster, const struct site *site, enum node_memory memory);
