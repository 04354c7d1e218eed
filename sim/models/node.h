/* A machine put together from its description: the only file that knows all device models. */
#ifndef GPUNETSIM_MODELS_NODE_H
#define GPUNETSIM_MODELS_NODE_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#include "core/param.h"
#include "core/sim.h"
#include "fabric/bus.h"
#include "fabric/platform.h"
#include "fabric/transport.h"
#include "models/cp/cp.h"
#include "models/cpu/host_copy.h"
#include "models/cuda/cuda.h"
#include "models/gpu/gpu.h"
#include "models/host/host.h"
#include "models/messaging.h"
#include "models/nic/nic.h"
#include "models/software.h"
#include "models/topology.h"

/* A machine's numbers: one spec a component. Constant while it runs. */
struct machine_spec {
    int64_t nodes;
    struct node_shape node;
    struct host_spec host;
    struct gpu_spec gpu;
    struct cp_spec cp;
    struct nic_spec nic;
    struct bus_spec bus;
    struct direct_link_spec nvlink, socket_link;
    struct network_spec network;
    struct transport_spec transport;
    struct software_spec software;
    struct host_copy_spec host_copy;
    struct cuda_spec cuda;
    struct ucx_spec ucx, pami;
    struct mpi_spec openmpi, spectrum;
    struct charm_spec charm;
    struct ampi_spec ampi;
    struct charm4py_spec charm4py;
};

/* The top level of a machine file ("nodes"), and its components with the place of each spec in
 * struct machine_spec. */
extern const struct param_table machine_params;
struct machine_component {
    const struct param_table *table;
    size_t offset;
};
extern const struct machine_component machine_components[];
extern const size_t machine_component_count;

/* All defaults. */
void machine_spec_defaults(struct machine_spec *spec);

/* Checks what bounds of single parameters cannot: shapes of caches, sums. True, or false with one
 * sentence. */
bool machine_spec_valid(const struct machine_spec *spec, char *why, size_t why_size);

/* How CPU and GPU of a node stand to each other. */
enum node_form {
    NODE_DISCRETE, /* GPU with its own memory on the bus */
    NODE_APU,      /* CPU and GPU share host memory coherently; the NIC is on the bus */
};

/* The devices of a node by their slot on its bus. */
enum node_slot { SLOT_HOST, SLOT_GPU, SLOT_NIC, NODE_SLOTS };

/* One node at work. */
struct node {
    int64_t index;
    struct bus *bus;
    struct host *host;
    struct gpu *gpu;
    struct cp *cp;
    struct nic *nic;
};

/* A machine at work. */
struct cluster {
    struct sim *sim;
    const struct machine_spec *spec;
    enum node_form form;
    struct platform *platform;
    struct transport *transport;
    struct node *nodes;
    struct nic_network *nics;
};

/* Builds all nodes of `spec` (the caller's, kept until cluster_free) in `sim`. NULL and an error if
 * the description does not make a machine, or one whose nodes have more than one socket, GPU or
 * NIC: device models stand in such nodes only. */
struct cluster *cluster_new(struct sim *sim, const struct machine_spec *spec, enum node_form form,
                            GError **error);
void cluster_free(struct cluster *cluster);

/* Where a design keeps things: memory of the host or of the GPU of a node (NODE_APU has one memory for
 * both, the host's). `kind` as for store_allocate. */
enum node_memory { MEMORY_HOST, MEMORY_GPU };
address node_allocate(struct cluster *cluster, int64_t node, enum node_memory memory, int64_t bytes,
                      enum store_kind kind);

/* The platform that `spec` describes, of any shape of nodes. */
struct platform *machine_platform(const struct machine_spec *spec, GError **error);

#endif
