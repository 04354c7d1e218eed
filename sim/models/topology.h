/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of a node: how many sockets, GPUs and NICs it has, the numbers of their ports, and the
 * links between them.
 *
 * Every node has the same shape. A socket is one CPU with its GPUs and NICs. The ports of a node are
 * its CPUs, then its GPUs and then its NICs, each kind socket by socket: cpu0, cpu1, gpu0 to gpu5,
 * nic0, nic1 in a node of two sockets with three GPUs and a NIC each.
 *
 *   gpu_link = "pcie"    CPU, GPUs and NICs of a socket hang on its PCIe root complex, or, with
 *                        gpus_per_switch, GPUs and NICs on PCIe switches that hang there
 *   gpu_link = "nvlink"  GPUs of a socket have a link to each other and to their CPU, the NICs hang
 *                        on the CPU by PCIe (IBM AC922: NVLink 2.0 between GPUs and POWER9)
 *   peer_link            what joins GPUs to each other beside that: links between every two of a
 *                        socket or of the node, or an NVSwitch for the whole node
 *
 * Between every two CPUs there is a socket link (AC922: the X-Bus); whatever goes from one socket to
 * another takes it, but what GPUs send each other over a peer link. No route passes a GPU or a NIC. */
#pragma once

#include "core/param.h"
#include "fabric/bus.h"
#include "fabric/platform.h"

enum gpu_link { GPU_LINK_PCIE, GPU_LINK_NVLINK };

/* PEER_LINK_AS_GPU_LINK: with GPU_LINK_NVLINK between every two GPUs of a socket, else none. */
enum peer_link { PEER_LINK_AS_GPU_LINK, PEER_LINK_SOCKET, PEER_LINK_NODE, PEER_LINK_SWITCH };

/* Which NIC serves a GPU and the process or queues that belong to it. No NIC of another socket does. */
enum nic_policy {
    NIC_NEAREST, /* the fewest links away: of its PCIe switch, else of its socket; the first of them,
                    as software does that looks at distances only */
    NIC_SPREAD, /* the GPUs of a socket, and the processes on one of them, take the socket's NICs in turn */
};

/* Component "node" of a machine file. */
#define NODE_ROWS(ROW)                                                                             \
    ROW(COUNT, sockets, "1", "1", "64", "Sockets of a node, each with a CPU.")                     \
    ROW(COUNT, gpus_per_socket, "1", "1", "64", "GPUs of a socket.")                               \
    ROW(COUNT, nics_per_socket, "1", "1", "64",                                                    \
        "NICs of a socket; each has a cable of its own into the network.")                         \
    ROW(ENUM, gpu_link, "pcie", CHOICES("pcie", "nvlink"),                                         \
        "What joins the GPUs of a socket to its CPU and to each other: pcie (the root complex) "   \
        "or nvlink (a link between every two).")                                                   \
    ROW(ENUM, peer_link, "as-gpu-link", CHOICES("as-gpu-link", "socket", "node", "nvswitch"),      \
        "NVLink between GPUs in addition to gpu_link: between every two GPUs of a "                \
        "socket or of the node, or from each GPU to an NVSwitch.")                                 \
    ROW(COUNT, gpus_per_switch, "0", "0", "64",                                                    \
        "GPUs on a PCIe switch, with their share of the socket's NICs; 0: GPUs and NICs"           \
        " are connected to the root complex. Only with gpu_link = pcie.")                          \
    ROW(ENUM, nic_policy, "nearest", CHOICES("nearest", "spread"),                                 \
        "The NIC that serves a GPU and its processes: the nearest, its own where as many GPUs "    \
        "as NICs "                                                                                 \
        "are equally near, else the first of these; or spread, the NICs of its socket in turn.")
struct node_shape {
    NODE_ROWS(PARAM_FIELD)
};
extern const struct param_table node_params;

/* Components "nvlink", between two GPUs of a socket and between a GPU and its CPU, and
 * "socket_link", between two CPUs. */
struct direct_link_spec {
    struct wire_spec wire;    /* its rate as on the data sheet */
    double efficiency;        /* share of it that payloads have, 0 to 1, of copies by an engine; */
    double access_efficiency; /* of loads and stores of kernels that copy (NVLink) */
};
extern struct param_table nvlink_params, socket_link_params;

/* What a link of the platform is, by its name as topology_draw gives it; and how many of its ends are GPUs. */
enum link_kind { LINK_PCIE, LINK_NVLINK, LINK_SOCKET, LINK_NETWORK, LINK_KINDS };
enum link_kind topology_link_kind(const char *name);
int topology_link_gpus(const char *name);

/* How many GPUs and NICs a node has. */
static inline int topology_gpu_count(const struct node_shape *shape)
{
    return (int)(shape->sockets * shape->gpus_per_socket);
}
static inline int topology_nic_count(const struct node_shape *shape)
{
    return (int)(shape->sockets * shape->nics_per_socket);
}
static inline int topology_port_count(const struct node_shape *shape)
{
    return (int)shape->sockets + topology_gpu_count(shape) + topology_nic_count(shape);
}

/* Ports of a node by the number of a socket, GPU or NIC within it: slots of its bus. On the platform
 * a port is that of its node's first port, node * topology_port_count, plus this. */
int topology_cpu_port(const struct node_shape *shape, int socket);
static inline int topology_gpu_port(const struct node_shape *shape, int gpu)
{
    return (int)shape->sockets + gpu;
}
static inline int topology_nic_port(const struct node_shape *shape, int nic)
{
    return (int)shape->sockets + topology_gpu_count(shape) + nic;
}

/* The socket of a GPU or NIC; the NIC nearest to a socket, its first. A NIC's number is its rail: the
 * number of the gateway (platform_route_via). */
static inline int topology_gpu_socket(const struct node_shape *shape, int gpu)
{
    return gpu / (int)shape->gpus_per_socket;
}
static inline int topology_nic_socket(const struct node_shape *shape, int nic)
{
    return nic / (int)shape->nics_per_socket;
}
static inline int topology_socket_nic(const struct node_shape *shape, int socket)
{
    return socket * (int)shape->nics_per_socket;
}

/* By the node's policy, and unless no cable leads to it (platform_cabled_gateway): the NIC that serves a GPU's queues and its first
 * process; and one that came to it after `sharers` others. */
int topology_gpu_nic(const struct node_shape *shape, int gpu);
int topology_process_nic(const struct node_shape *shape, int gpu, int sharers);

/* PCIe switches of a node; the one that a GPU or NIC hangs on (GPU_LINK_PCIE with gpus_per_switch). */
int topology_switch_count(const struct node_shape *shape);
int topology_gpu_switch(const struct node_shape *shape, int gpu);
int topology_nic_switch(const struct node_shape *shape, int nic);

/* A node drawn for struct platform_spec. Freed by topology_free. */
struct topology {
    struct node_graph graph;
    GPtrArray *ports, *switches, *gateways; /* names, in `strings` */
    GArray *links;                          /* struct node_link */
    GStringChunk *strings;
};
struct topology *topology_draw(const struct node_shape *shape, const struct bus_spec *bus,
                               const struct direct_link_spec *nvlink,
                               const struct direct_link_spec *socket_link);
void topology_free(struct topology *topology);
