/* Numbers of ports, and the drawing of a node. */
#include "models/topology.h"

#define SHAPE struct node_shape
static const char *const gpu_links[] = {"pcie", "nvlink", NULL};
static const struct param shape_parameters[] = {
    PARAM_COUNT(sockets, SHAPE, "1", "1", "64", "Sockets of a node, each with a CPU."),
    PARAM_COUNT(gpus_per_socket, SHAPE, "1", "1", "64", "GPUs of a socket."),
    PARAM_COUNT(nics_per_socket, SHAPE, "1", "1", "64",
                "NICs of a socket, each with a cable of its own into the network."),
    PARAM_ENUM(
        gpu_link, SHAPE, "pcie", gpu_links,
        "What joins the GPUs of a socket to its CPU and to each other: pcie (the root complex) "
        "or nvlink (a link between every two)."),
};
#undef SHAPE
PARAM_TABLE(node_params, "node", struct node_shape, shape_parameters,
            "What a node is made of: sockets, GPUs, NICs.");

#define LINK struct direct_link_spec
/* By default the rate of two bricks of NVLink 2.0 and of an X-Bus of POWER9, and nothing that a data
 * sheet does not say. */
static const struct param nvlink_parameters[] = {
    PARAM_TIME(latency, LINK, "0ns", "0", "1ms", "Latency of a link."),
    PARAM_RATE(rate, LINK, "50GB/s", "1B/s", "1000TB/s",
               "Bandwidth between two GPUs of a socket, or a GPU and its CPU, per direction."),
    PARAM_NUMBER(efficiency, LINK, "1", "0.01", "1",
                 "The share of the bandwidth that payloads have."),
};
PARAM_TABLE(nvlink_params, "nvlink", struct direct_link_spec, nvlink_parameters,
            "NVLink within a socket, if node.gpu_link is nvlink.");

static const struct param socket_link_parameters[] = {
    PARAM_TIME(latency, LINK, "0ns", "0", "1ms", "Latency of a link."),
    PARAM_RATE(rate, LINK, "64GB/s", "1B/s", "1000TB/s",
               "Bandwidth between two CPUs, per direction."),
    PARAM_NUMBER(efficiency, LINK, "1", "0.01", "1",
                 "The share of the bandwidth that payloads have."),
};
#undef LINK
PARAM_TABLE(socket_link_params, "socket_link", struct direct_link_spec, socket_link_parameters,
            "The link between two sockets of a node: X-Bus, UPI, xGMI.");

/* --- numbers ---------------------------------------------------------------------------------- */

int topology_gpu_count(const struct node_shape *shape)
{
    return (int)(shape->sockets * shape->gpus_per_socket);
}

int topology_nic_count(const struct node_shape *shape)
{
    return (int)(shape->sockets * shape->nics_per_socket);
}

int topology_port_count(const struct node_shape *shape)
{
    return (int)shape->sockets + topology_gpu_count(shape) + topology_nic_count(shape);
}

int topology_cpu_port(const struct node_shape *shape, int socket)
{
    (void)shape;
    return socket;
}

int topology_gpu_port(const struct node_shape *shape, int gpu)
{
    return (int)shape->sockets + gpu;
}

int topology_nic_port(const struct node_shape *shape, int nic)
{
    return (int)shape->sockets + topology_gpu_count(shape) + nic;
}

int topology_gpu_socket(const struct node_shape *shape, int gpu)
{
    return gpu / (int)shape->gpus_per_socket;
}

int topology_nic_socket(const struct node_shape *shape, int nic)
{
    return nic / (int)shape->nics_per_socket;
}

int topology_socket_nic(const struct node_shape *shape, int socket)
{
    return socket * (int)shape->nics_per_socket;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* What the drawing of one node needs. */
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

static void add_link(struct topology *topology, const char *from, const char *to, char *name,
                     sim_time latency_ps, int64_t rate_Bps)
{
    struct node_link link = {
        from, to, {own_text(topology, name), latency_ps, rate_Bps, LINK_SPLIT_DUPLEX}};
    g_array_append_val(topology->links, link);
}

/* "nvlink-gpu0-cpu0". */
static void add_direct(struct topology *topology, const char *kind, int from, int to,
                       const struct direct_link_spec *spec)
{
    const char *from_name = port_name(topology, from), *to_name = port_name(topology, to);
    int64_t rate_Bps = (int64_t)((double)spec->rate_Bps * spec->efficiency + 0.5);
    add_link(topology, from_name, to_name, g_strdup_printf("%s-%s-%s", kind, from_name, to_name),
             spec->latency_ps, MAX(1, rate_Bps));
}

/* A port's link to its socket's root complex. */
static void add_to_root(const struct drawing *drawing, int port, int socket)
{
    struct topology *topology = drawing->topology;
    const char *name = port_name(topology, port);
    add_link(topology, name, g_ptr_array_index(topology->switches, socket),
             g_strdup_printf("pcie-%s", name), bus_link_latency_ps(drawing->bus),
             drawing->bus->rate_Bps);
}

/* The root complex is a part of this CPU, and each of its NICs has a link to it for itself: so the
 * whole way of a packet between CPU and device is one link, with the latency of both links and the
 * root complex between them. */
static void add_to_cpu(const struct drawing *drawing, int port, int socket)
{
    struct topology *topology = drawing->topology;
    const char *name = port_name(topology, port);
    add_link(topology, port_name(topology, topology_cpu_port(drawing->shape, socket)), name,
             g_strdup_printf("pcie-%s", name), 2 * bus_link_latency_ps(drawing->bus),
             drawing->bus->rate_Bps);
}

static void draw_pcie_socket(const struct drawing *drawing, int socket)
{
    const struct node_shape *shape = drawing->shape;
    int gpus = (int)shape->gpus_per_socket, nics = (int)shape->nics_per_socket;
    add_to_root(drawing, topology_cpu_port(shape, socket), socket);
    for (int i = 0; i < gpus; i++)
        add_to_root(drawing, topology_gpu_port(shape, socket * gpus + i), socket);
    for (int i = 0; i < nics; i++)
        add_to_root(drawing, topology_nic_port(shape, socket * nics + i), socket);
}

static void draw_nvlink_socket(const struct drawing *drawing, int socket)
{
    const struct node_shape *shape = drawing->shape;
    int gpus = (int)shape->gpus_per_socket, nics = (int)shape->nics_per_socket;
    int first = topology_gpu_port(shape, socket * gpus), cpu = topology_cpu_port(shape, socket);
    for (int i = 0; i < gpus; i++) {
        add_direct(drawing->topology, "nvlink", first + i, cpu, drawing->nvlink);
        for (int j = i + 1; j < gpus; j++)
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
