/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine of nodes like the AC922: two sockets with three GPUs and a NIC each. Latencies all differ, so
 * that a wrong way shows. */
#pragma once

#include <glib.h>

#include "models/node.h"

static inline struct machine_spec ac922_spec(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, NULL);
    spec.nodes = 3;
    spec.node.sockets = 2;
    spec.node.gpus_per_socket = 3;
    spec.node.nics_per_socket = 1;
    spec.node.gpu_link = GPU_LINK_NVLINK;
    spec.nvlink.wire.latency_ps = 210000;
    spec.nvlink.wire.rate_Bps = 47000000000;
    spec.socket_link.wire.latency_ps = 330000;
    spec.socket_link.wire.rate_Bps = 42000000000;
    spec.network.wire.latency_ps = 170000;
    spec.network.wire.rate_Bps = 12100000000;
    return spec;
}

/* Ports of the platform. */
static inline int cpu_of(const struct machine_spec *spec, int node, int socket)
{
    return node * topology_port_count(&spec->node) + topology_cpu_port(&spec->node, socket);
}

static inline int gpu_of(const struct machine_spec *spec, int node, int gpu)
{
    return node * topology_port_count(&spec->node) + topology_gpu_port(&spec->node, gpu);
}

static inline int nic_of(const struct machine_spec *spec, int node, int nic)
{
    return node * topology_port_count(&spec->node) + topology_nic_port(&spec->node, nic);
}
