#include "models/node.h"

#include <stdio.h>

#define MODELS_ERROR g_quark_from_static_string("gpunetsim-models")

#define SPEC struct machine_spec
static const struct param params[] = {
    PARAM_COUNT(nodes, SPEC, "2", "1", "100000", "Nodes of the machine."),
};
PARAM_TABLE(machine_params, "machine", struct machine_spec, params, "A machine of equal nodes.");

const struct machine_component machine_components[] = {
    {&host_params, offsetof(SPEC, host)},
    {&gpu_params, offsetof(SPEC, gpu)},
    {&cp_params, offsetof(SPEC, cp)},
    {&nic_params, offsetof(SPEC, nic)},
    {&bus_params, offsetof(SPEC, bus)},
    {&network_params, offsetof(SPEC, network)},
    {&transport_params, offsetof(SPEC, transport)},
    {&software_params, offsetof(SPEC, software)},
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

static const char *const port_names[NODE_SLOTS] = {
    [SLOT_HOST] = "cpu0", [SLOT_GPU] = "gpu0", [SLOT_NIC] = "nic0"};

struct platform *machine_platform(const struct machine_spec *spec, GError **error)
{
    static const char *const switches[] = {"root0"};
    sim_time latency_ps = bus_link_latency_ps(&spec->bus);
    int64_t rate_Bps = spec->bus.rate_Bps;
    const struct node_link links[] = {
        {"cpu0", "root0", {"pcie-cpu0", latency_ps, rate_Bps, LINK_SPLIT_DUPLEX}},
        {"gpu0", "root0", {"pcie-gpu0", latency_ps, rate_Bps, LINK_SPLIT_DUPLEX}},
        {"nic0", "root0", {"pcie-nic0", latency_ps, rate_Bps, LINK_SPLIT_DUPLEX}},
    };
    const struct platform_spec platform = {
        .name = "machine",
        .nodes = spec->nodes,
        .node = {.ports = port_names,
                 .port_count = NODE_SLOTS,
                 .switches = switches,
                 .switch_count = G_N_ELEMENTS(switches),
                 .links = links,
                 .link_count = G_N_ELEMENTS(links),
                 .gateways = &port_names[SLOT_NIC],
                 .gateway_count = 1},
        .network = spec->network,
    };
    return platform_get(&platform, error);
}

/* --- nodes ------------------------------------------------------------------------------------- */

static void node_init(struct cluster *cluster, int64_t index)
{
    struct sim *sim = cluster->sim;
    const struct machine_spec *spec = cluster->spec;
    struct node *node = &cluster->nodes[index];
    bool is_apu = cluster->form == NODE_APU;
    node->index = index;
    for (int slot = 0; slot < NODE_SLOTS; slot++)
        node->ports[slot] = platform_port(cluster->platform, index, port_names[slot]);
    node->bus = bus_new(sim, cluster->platform, index, &spec->bus);
    node->host = host_new(sim, &spec->host, node->bus, SLOT_HOST, is_apu);

    char path[64];
    snprintf(path, sizeof path, "node%lld.gpu", (long long)index);
    node->gpu = gpu_new(sim, &spec->gpu, node->bus, SLOT_GPU,
                        is_apu ? host_directory(node->host) : NULL, path);
    node->cp = cp_new(sim, &spec->cp, node->gpu);
    snprintf(path, sizeof path, "node%lld.nic", (long long)index);
    node->nic =
        nic_new(sim, &spec->nic, node->bus, SLOT_NIC, cluster->transport, node->ports, path);
    cluster->nics[index] = node->nic;
}

struct cluster *cluster_new(struct sim *sim, const struct machine_spec *spec, enum node_form form,
                            GError **error)
{
    char why[256];
    if (!machine_spec_valid(spec, why, sizeof why)) {
        g_set_error_literal(error, MODELS_ERROR, 0, why);
        return NULL;
    }
    struct platform *platform = machine_platform(spec, error);
    if (platform == NULL)
        return NULL;
    struct cluster *cluster = g_new0(struct cluster, 1);
    cluster->sim = sim;
    cluster->spec = spec;
    cluster->form = form;
    cluster->platform = platform;
    cluster->transport = transport_new(sim, platform, &spec->transport);
    cluster->nodes = g_new0(struct node, (gsize)spec->nodes);
    cluster->nics = g_new0(struct nic *, (gsize)spec->nodes);
    for (int64_t i = 0; i < spec->nodes; i++)
        node_init(cluster, i);
    for (int64_t i = 0; i < spec->nodes; i++)
        nic_connect(cluster->nics[i], cluster->nics, spec->nodes);
    return cluster;
}

void cluster_free(struct cluster *cluster)
{
    if (cluster == NULL)
        return;
    for (int64_t i = 0; i < cluster->spec->nodes; i++) {
        struct node *node = &cluster->nodes[i];
        nic_free(node->nic);
        cp_free(node->cp);
        gpu_free(node->gpu);
        host_free(node->host);
        bus_free(node->bus);
    }
    transport_free(cluster->transport);
    g_free(cluster->nics);
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
