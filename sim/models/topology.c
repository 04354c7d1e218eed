/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers the ports of a node, and draws its links. */
#include "models/topology.h"

#include <string.h>

#define SHAPE struct node_shape
PARAM_TABLE_OF(node_params, "node", struct node_shape, NODE_ROWS,
               "What a node is made of: sockets, GPUs, NICs.");

#define LINK struct direct_link_spec
/* The defaults are the rates of two bricks of NVLink 2.0 and of an X-Bus of POWER9, and no value that is not in a data sheet. */
static const struct param nvlink_parameters[] = {
    PARAM_SHARE("", wire, LINK, &wire_rows, "latency=0ns,rate=50GB/s,byte_energy=40pJ",
                "Link between two GPUs of a socket, or a GPU and its CPU: "),
    PARAM_NUMBER(efficiency, LINK, "1", "0.01", "1",
                 "The share of the bandwidth that is available for payloads."),
    PARAM_NUMBER(access_efficiency, LINK, "1", "0.01", "1",
                 "The share of the bandwidth that is available for loads and stores of a kernel "
                 "that copies."),
};
PARAM_TABLE_SHARING(nvlink_params, "nvlink", struct direct_link_spec, nvlink_parameters,
                    "NVLink: of node.gpu_link = nvlink, and of node.peer_link.");

static const struct param socket_link_parameters[] = {
    PARAM_SHARE("", wire, LINK, &wire_rows, "latency=0ns,rate=64GB/s,byte_energy=40pJ",
                "Link between two CPUs: "),
    PARAM_NUMBER(efficiency, LINK, "1", "0.01", "1",
                 "The share of the bandwidth that is available for payloads."),
};
#undef LINK
PARAM_TABLE_SHARING(socket_link_params, "socket_link", struct direct_link_spec,
                    socket_link_parameters,
                    "The link between two sockets of a node: X-Bus, UPI, xGMI.");

/* --- numbers ---------------------------------------------------------------------------------- */

int topology_cpu_port(const struct node_shape *shape, int socket)
{
    (void)shape;
    return socket;
}

static bool has_switches(const struct node_shape *shape)
{
    return shape->gpu_link == GPU_LINK_PCIE && shape->gpus_per_switch > 0;
}

static int switches_per_socket(const struct node_shape *shape)
{
    if (!has_switches(shape))
        return 0;
    return (int)((shape->gpus_per_socket + shape->gpus_per_switch - 1) / shape->gpus_per_switch);
}

int topology_switch_count(const struct node_shape *shape)
{
    return (int)shape->sockets * switches_per_socket(shape);
}

int topology_gpu_switch(const struct node_shape *shape, int gpu)
{
    int in_socket = gpu % (int)shape->gpus_per_socket;
    return topology_gpu_socket(shape, gpu) * switches_per_socket(shape) +
           in_socket / (int)shape->gpus_per_switch;
}

/* The NICs of a socket are dealt out to its switches one by one. */
int topology_nic_switch(const struct node_shape *shape, int nic)
{
    int in_socket = nic % (int)shape->nics_per_socket, switches = switches_per_socket(shape);
    return topology_nic_socket(shape, nic) * switches + in_socket % switches;
}

static bool is_near(const struct node_shape *shape, int gpu, int nic)
{
    return !has_switches(shape) ||
           topology_nic_switch(shape, nic) == topology_gpu_switch(shape, gpu);
}

/* Picks one of the NICs nearest to the GPU. If there is at least one for each GPU there, the GPU's number picks it; else it is
 * the first of them. If the GPU's switch has no NIC, it is the socket's first. */
static int nearest_nic(const struct node_shape *shape, int gpu)
{
    int nics = (int)shape->nics_per_socket, near[64], count = 0;
    int first = topology_socket_nic(shape, topology_gpu_socket(shape, gpu));
    int gpus = (int)(has_switches(shape) ? MIN(shape->gpus_per_switch, shape->gpus_per_socket)
                                         : shape->gpus_per_socket);
    int number = gpu % (int)shape->gpus_per_socket % gpus;
    for (int nic = first; nic < first + nics; nic++)
        if (is_near(shape, gpu, nic))
            near[count++] = nic;
    if (count == 0)
        return first;
    return near[count >= gpus ? number * count / gpus : 0];
}

int topology_gpu_nic(const struct node_shape *shape, int gpu)
{
    return topology_process_nic(shape, gpu, 0);
}

/* The NICs of a socket are dealt out round robin: first one to each of its GPUs, then one more to each GPU for every further
 * sharer. */
int topology_process_nic(const struct node_shape *shape, int gpu, int sharers)
{
    int gpus = (int)shape->gpus_per_socket, number = sharers * gpus + gpu % gpus;
    if (shape->nic_policy == NIC_NEAREST)
        return nearest_nic(shape, gpu);
    int first = topology_socket_nic(shape, topology_gpu_socket(shape, gpu));
    return first + number % (int)shape->nics_per_socket;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* The parts and the result of the drawing of one node. */
struct drawing {
    struct topology *topology;
    const struct node_shape *shape;
    const struct bus_spec *bus;
    const struct direct_link_spec *nvlink;
};

static const char *own_text(struct topology *topology, char *text)
{
    const char *own = g_string_chunk_insert(topology->strings, text);
    g_free(text);
    return own;
}

static void add_names(struct topology *topology, GPtrArray *names, const char *prefix, int count)
{
    for (int i = 0; i < count; i++)
        g_ptr_array_add(
            names, (gpointer)(uintptr_t)own_text(topology, g_strdup_printf("%s%d", prefix, i)));
}

static const char *port_name(const struct topology *topology, int port)
{
    return g_ptr_array_index(topology->ports, port);
}

static struct node_link *add_link(struct topology *topology, const char *from, const char *to,
                                  char *name, sim_time latency_ps, int64_t rate_Bps)
{
    struct node_link link = {from, to, {own_text(topology, name), latency_ps, rate_Bps, false}};
    g_array_append_val(topology->links, link);
    return &g_array_index(topology->links, struct node_link, topology->links->len - 1);
}

/* An efficiency below 1 is the share of the rate that payloads get. At 1 the rate is the wire's, and headers take time, too. */
static void add_direct_link(struct topology *topology, const char *from, const char *to, char *name,
                            const struct direct_link_spec *spec)
{
    int64_t rate_Bps = MAX(1, (int64_t)((double)spec->wire.rate_Bps * spec->efficiency + 0.5));
    add_link(topology, from, to, name, spec->wire.latency_ps, rate_Bps)->link.is_payload_rate =
        spec->efficiency < 1;
}

/* Adds a link named like "nvlink-gpu0-cpu0". */
static void add_direct(struct topology *topology, const char *kind, int from, int to,
                       const struct direct_link_spec *spec)
{
    const char *from_name = port_name(topology, from), *to_name = port_name(topology, to);
    add_direct_link(topology, from_name, to_name,
                    g_strdup_printf("%s-%s-%s", kind, from_name, to_name), spec);
}

enum link_kind topology_link_kind(const char *name)
{
    if (g_str_has_prefix(name, "pcie-"))
        return LINK_PCIE;
    if (g_str_has_prefix(name, "nvlink-"))
        return LINK_NVLINK;
    return g_str_has_prefix(name, "socket-") ? LINK_SOCKET : LINK_NETWORK;
}

int topology_link_gpus(const char *name)
{
    int gpus = 0;
    for (const char *at = name; (at = strstr(at, "-gpu")) != NULL; at++)
        gpus++;
    return gpus;
}

/* Adds `links` parallel links from `from` up to the root complex or switch called `to`. */
static void add_pcie_links(const struct drawing *drawing, const char *from, const char *to,
                           int64_t links)
{
    add_link(drawing->topology, from, to, g_strdup_printf("pcie-%s", from),
             bus_link_latency_ps(drawing->bus), links * drawing->bus->wire.rate_Bps);
}

/* Adds the link of a port or of a PCIe switch. */
static void add_pcie(const struct drawing *drawing, const char *from, const char *to)
{
    add_pcie_links(drawing, from, to, 1);
}

static const char *root_name(const struct drawing *drawing, int socket)
{
    return g_ptr_array_index(drawing->topology->switches, socket);
}

/* The name of a PCIe switch; in the list switches follow the roots. */
static const char *switch_name(const struct drawing *drawing, int number)
{
    return g_ptr_array_index(drawing->topology->switches, drawing->shape->sockets + number);
}

/* The root complex is a part of this CPU, and each of its NICs has its own link to it, so the whole way of a packet between CPU
 * and device is one link, with the latency of both links and the root complex between them. */
static void add_to_cpu(const struct drawing *drawing, int port, int socket)
{
    struct topology *topology = drawing->topology;
    const char *name = port_name(topology, port);
    add_link(topology, port_name(topology, topology_cpu_port(drawing->shape, socket)), name,
             g_strdup_printf("pcie-%s", name), 2 * bus_link_latency_ps(drawing->bus),
             drawing->bus->wire.rate_Bps);
}

static void draw_pcie_socket(const struct drawing *drawing, int socket)
{
    const struct node_shape *shape = drawing->shape;
    const struct topology *topology = drawing->topology;
    int gpus = (int)shape->gpus_per_socket, nics = (int)shape->nics_per_socket;
    int switches = switches_per_socket(shape);
    const char *root = root_name(drawing, socket);
    add_pcie_links(drawing, port_name(topology, topology_cpu_port(shape, socket)), root,
                   drawing->bus->root_links);
    for (int i = 0; i < switches; i++)
        add_pcie(drawing, switch_name(drawing, socket * switches + i), root);
    for (int gpu = socket * gpus; gpu < (socket + 1) * gpus; gpu++)
        add_pcie(drawing, port_name(topology, topology_gpu_port(shape, gpu)),
                 switches ? switch_name(drawing, topology_gpu_switch(shape, gpu)) : root);
    for (int nic = socket * nics; nic < (socket + 1) * nics; nic++)
        add_pcie(drawing, port_name(topology, topology_nic_port(shape, nic)),
                 switches ? switch_name(drawing, topology_nic_switch(shape, nic)) : root);
}

/* Draws links between every two of the GPUs `first` to `first + count - 1`. */
static void draw_peers(const struct drawing *drawing, int first, int count)
{
    for (int i = first; i < first + count; i++)
        for (int j = i + 1; j < first + count; j++)
            add_direct(drawing->topology, "nvlink", topology_gpu_port(drawing->shape, i),
                       topology_gpu_port(drawing->shape, j), drawing->nvlink);
}

static void draw_nvswitch(const struct drawing *drawing)
{
    struct topology *topology = drawing->topology;
    const char *hub = g_ptr_array_index(topology->switches, topology->switches->len - 1);
    for (int gpu = 0; gpu < topology_gpu_count(drawing->shape); gpu++) {
        const char *name = port_name(topology, topology_gpu_port(drawing->shape, gpu));
        add_direct_link(topology, name, hub, g_strdup_printf("nvlink-%s-%s", name, hub),
                        drawing->nvlink);
    }
}

/* Draws the links between GPUs. This comes before the links of the sockets, so that of two paths with the same number of links
 * GPUs take these. */
static void draw_peer_links(const struct drawing *drawing)
{
    const struct node_shape *shape = drawing->shape;
    int gpus = (int)shape->gpus_per_socket;
    if (shape->peer_link == PEER_LINK_SWITCH)
        draw_nvswitch(drawing);
    else if (shape->peer_link == PEER_LINK_NODE)
        draw_peers(drawing, 0, topology_gpu_count(shape));
    for (int socket = 0; socket < shape->sockets && shape->peer_link == PEER_LINK_SOCKET; socket++)
        draw_peers(drawing, socket * gpus, gpus);
}

static void draw_nvlink_socket(const struct drawing *drawing, int socket)
{
    const struct node_shape *shape = drawing->shape;
    int gpus = (int)shape->gpus_per_socket, nics = (int)shape->nics_per_socket;
    int first = topology_gpu_port(shape, socket * gpus), cpu = topology_cpu_port(shape, socket);
    bool has_peers = shape->peer_link == PEER_LINK_AS_GPU_LINK;
    for (int i = 0; i < gpus; i++) {
        add_direct(drawing->topology, "nvlink", first + i, cpu, drawing->nvlink);
        for (int j = i + 1; j < gpus && has_peers; j++)
            add_direct(drawing->topology, "nvlink", first + i, first + j, drawing->nvlink);
    }
    for (int i = 0; i < nics; i++)
        add_to_cpu(drawing, topology_nic_port(shape, socket * nics + i), socket);
}

static struct topology *topology_new(const struct node_shape *shape)
{
    struct topology *topology = g_new0(struct topology, 1);
    topology->strings = g_string_chunk_new(1024);
    topology->ports = g_ptr_array_new();
    topology->switches = g_ptr_array_new();
    topology->gateways = g_ptr_array_new();
    topology->links = g_array_new(FALSE, FALSE, sizeof(struct node_link));
    add_names(topology, topology->ports, "cpu", (int)shape->sockets);
    add_names(topology, topology->ports, "gpu", topology_gpu_count(shape));
    add_names(topology, topology->ports, "nic", topology_nic_count(shape));
    if (shape->gpu_link == GPU_LINK_PCIE)
        add_names(topology, topology->switches, "root", (int)shape->sockets);
    add_names(topology, topology->switches, "switch", topology_switch_count(shape));
    if (shape->peer_link == PEER_LINK_SWITCH)
        add_names(topology, topology->switches, "nvswitch", 1);
    for (int nic = 0; nic < topology_nic_count(shape); nic++)
        g_ptr_array_add(topology->gateways,
                        g_ptr_array_index(topology->ports, topology_nic_port(shape, nic)));
    return topology;
}

struct topology *topology_draw(const struct node_shape *shape, const struct bus_spec *bus,
                               const struct direct_link_spec *nvlink,
                               const struct direct_link_spec *socket_link)
{
    struct topology *topology = topology_new(shape);
    struct drawing drawing = {topology, shape, bus, nvlink};
    draw_peer_links(&drawing);
    for (int socket = 0; socket < shape->sockets; socket++)
        if (shape->gpu_link == GPU_LINK_NVLINK)
            draw_nvlink_socket(&drawing, socket);
        else
            draw_pcie_socket(&drawing, socket);
    for (int i = 0; i < shape->sockets; i++)
        for (int j = i + 1; j < shape->sockets; j++)
            add_direct(topology, "socket", topology_cpu_port(shape, i), topology_cpu_port(shape, j),
                       socket_link);
    topology->graph = (struct node_graph){
        .ports = (const char *const *)topology->ports->pdata,
        .port_count = topology->ports->len,
        .switches = (const char *const *)topology->switches->pdata,
        .switch_count = topology->switches->len,
        .links = (const struct node_link *)topology->links->data,
        .link_count = topology->links->len,
        .gateways = (const char *const *)topology->gateways->pdata,
        .gateway_count = topology->gateways->len,
        .end_count = (size_t)(topology_gpu_count(shape) + topology_nic_count(shape)),
    };
    return topology;
}

void topology_free(struct topology *topology)
{
    if (!topology)
        return;
    g_ptr_array_free(topology->ports, TRUE);
    g_ptr_array_free(topology->switches, TRUE);
    g_ptr_array_free(topology->gateways, TRUE);
    g_array_free(topology->links, TRUE);
    g_string_chunk_free(topology->strings);
    g_free(topology);
}
