#include "models/node.h"

#include <stdio.h>

#define MODELS_ERROR g_quark_from_static_string("gpunetsim-models")

#define SPEC struct machine_spec
static const struct param params[] = {
    PARAM_COUNT(nodes, SPEC, "2", "1", "100000", "Nodes of the machine."),
};
PARAM_TABLE(machine_params, "machine", struct machine_spec, params, "A machine of equal nodes.");

const struct machine_component machine_components[] = {
    {&node_params, offsetof(SPEC, node)},
    {&host_params, offsetof(SPEC, host)},
    {&gpu_params, offsetof(SPEC, gpu)},
    {&cp_params, offsetof(SPEC, cp)},
    {&nic_params, offsetof(SPEC, nic)},
    {&bus_params, offsetof(SPEC, bus)},
    {&nvlink_params, offsetof(SPEC, nvlink)},
    {&socket_link_params, offsetof(SPEC, socket_link)},
    {&network_params, offsetof(SPEC, network)},
    {&transport_params, offsetof(SPEC, transport)},
    {&software_params, offsetof(SPEC, software)},
    {&host_copy_params, offsetof(SPEC, host_copy)},
    {&cuda_params, offsetof(SPEC, cuda)},
    {&ucx_params, offsetof(SPEC, ucx)},
    {&pami_params, offsetof(SPEC, pami)},
    {&openmpi_params, offsetof(SPEC, openmpi)},
    {&spectrum_params, offsetof(SPEC, spectrum)},
    {&charm_params, offsetof(SPEC, charm)},
    {&ampi_params, offsetof(SPEC, ampi)},
    {&charm4py_params, offsetof(SPEC, charm4py)},
};
#undef SPEC
const size_t machine_component_count = G_N_ELEMENTS(machine_components);

void machine_spec_defaults(struct machine_spec *spec)
{
    param_set_defaults(&machine_params, spec);
    for (size_t i = 0; i < machine_component_count; i++)
        param_set_defaults(machine_components[i].table,
                           (char *)spec + machine_components[i].offset);
}

bool machine_spec_valid(const struct machine_spec *spec, char *why, size_t why_size)
{
    const struct {
        const char *name;
        int64_t bytes, ways;
    } caches[] = {
        {"host.l1", spec->host.l1_size_bytes, spec->host.l1_ways},
        {"host.l2", spec->host.l2_size_bytes, spec->host.l2_ways},
        {"host.l3", spec->host.l3_size_bytes, spec->host.l3_ways},
        {"gpu.l1", spec->gpu.l1_size_bytes, spec->gpu.l1_ways},
        {"gpu.l2", spec->gpu.l2_size_bytes, spec->gpu.l2_ways},
        {"cp.dcache", spec->cp.dcache_size_bytes, spec->cp.dcache_ways},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(caches); i++)
        if (!cache_shape_valid(caches[i].bytes, caches[i].ways)) {
            snprintf(why, why_size,
                     "%s_size of %lld bytes is not a whole number of sets of %lld ways of %d bytes",
                     caches[i].name, (long long)caches[i].bytes, (long long)caches[i].ways,
                     CACHE_LINE_BYTES);
            return false;
        }
    return true;
}

/* --- the platform ------------------------------------------------------------------------------ */

struct platform *machine_platform(const struct machine_spec *spec, GError **error)
{
    struct topology *topology =
        topology_draw(&spec->node, &spec->bus, &spec->nvlink, &spec->socket_link);
    const struct platform_spec drawn = {
        .name = "machine",
        .nodes = spec->nodes,
        .node = topology->graph,
        .network = spec->network,
    };
    struct platform *platform = platform_get(&drawn, error);
    topology_free(topology);
    return platform;
}

/* --- nodes ------------------------------------------------------------------------------------- */

static void node_init(struct cluster *cluster, int64_t index)
{
    struct sim *sim = cluster->sim;
    const struct machine_spec *spec = cluster->spec;
    struct node *node = &cluster->nodes[index];
    bool is_apu = cluster->form == NODE_APU;
    node->index = index;
    node->bus = bus_new(sim, cluster->platform, index, &spec->bus);
    node->host = host_new(sim, &spec->host, node->bus, SLOT_HOST, is_apu);

    char path[64];
    snprintf(path, sizeof path, "node%lld.gpu", (long long)index);
    node->gpu = gpu_new(sim, &spec->gpu, node->bus, SLOT_GPU,
                        is_apu ? host_directory(node->host) : NULL, path);
    node->cp = cp_new(sim, &spec->cp, node->gpu);
    node->nic = nic_network_nic(cluster->nics, index, 0);
}

static struct bus *bus_of_node(void *argument, int64_t node)
{
    const struct cluster *cluster = argument;
    return cluster->nodes[node].bus;
}

/* The slots of enum node_slot are the ports of a node of one socket, GPU and NIC. */
static bool has_node_slots(const struct node_shape *shape, GError **error)
{
    if (shape->sockets == 1 && shape->gpus_per_socket == 1 && shape->nics_per_socket == 1)
        return true;
    g_set_error(error, MODELS_ERROR, 0,
                "this workload runs on nodes of one socket, GPU and NIC; node has sockets = %lld, "
                "gpus_per_socket = %lld, nics_per_socket = %lld",
                (long long)shape->sockets, (long long)shape->gpus_per_socket,
                (long long)shape->nics_per_socket);
    return false;
}

struct cluster *cluster_new(struct sim *sim, const struct machine_spec *spec, enum node_form form,
                            GError **error)
{
    char why[256];
    if (!machine_spec_valid(spec, why, sizeof why)) {
        g_set_error_literal(error, MODELS_ERROR, 0, why);
        return NULL;
    }
    struct platform *platform =
        has_node_slots(&spec->node, error) ? machine_platform(spec, error) : NULL;
    if (platform == NULL)
        return NULL;
    struct cluster *cluster = g_new0(struct cluster, 1);
    cluster->sim = sim;
    cluster->spec = spec;
    cluster->form = form;
    cluster->platform = platform;
    cluster->transport = transport_new(sim, platform, &spec->transport);
    cluster->nodes = g_new0(struct node, (gsize)spec->nodes);
    cluster->nics = nic_network_new(sim, platform, cluster->transport, &spec->nic, &spec->bus,
                                    bus_of_node, cluster);
    for (int64_t i = 0; i < spec->nodes; i++)
        node_init(cluster, i);
    return cluster;
}

void cluster_free(struct cluster *cluster)
{
    if (cluster == NULL)
        return;
    nic_network_free(cluster->nics);
    for (int64_t i = 0; i < cluster->spec->nodes; i++) {
        struct node *node = &cluster->nodes[i];
        cp_free(node->cp);
        gpu_free(node->gpu);
        host_free(node->host);
        bus_free(node->bus);
    }
    transport_free(cluster->transport);
    g_free(cluster->nodes);
    g_free(cluster);
}

address node_allocate(struct cluster *cluster, int64_t node, enum node_memory memory, int64_t bytes,
                      enum store_kind kind)
{
    struct node *at = &cluster->nodes[node];
    struct store *store = memory == MEMORY_GPU && cluster->form == NODE_DISCRETE
                              ? gpu_memory(at->gpu)->store
                              : host_directory(at->host)->store;
    return store_allocate(store, bytes, kind);
}
