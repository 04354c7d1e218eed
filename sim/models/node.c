#include "models/node.h"

#include <stdio.h>

#include "core/check.h"

#define MODELS_ERROR g_quark_from_static_string("gpunetsim-models")

#define SPEC struct machine_spec
static const struct param params[] = {
    PARAM_COUNT(nodes, SPEC, "2", "1", "65536", "Nodes of the machine."),
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

#define MOST_DAYS 10

bool machine_can_carry(const struct machine_spec *spec, double bytes, char *why, size_t why_size)
{
    for (size_t i = 0; i < machine_component_count; i++) {
        const struct param_table *table = machine_components[i].table;
        const char *component = (const char *)spec + machine_components[i].offset;
        for (size_t k = 0; k < table->count; k++) {
            const struct param *param = &table->params[k];
            char rate[UNIT_TEXT_SIZE];
            if (param->kind != PARAM_QUANTITY || param->unit != UNIT_RATE)
                continue;
            int64_t rate_Bps = *(const int64_t *)(component + param->offset);
            if (rate_Bps == 0 || /* nothing passes there: switched off */
                bytes / (double)rate_Bps <= MOST_DAYS * 86400.0)
                continue;
            snprintf(
                why, why_size,
                "%.3g bytes in all would take %.3g days at %s.%s = %s; a run simulates at most "
                "%d days of transfers",
                bytes, bytes / (double)rate_Bps / 86400, table->component, param->name,
                param_format(param, component, rate), MOST_DAYS);
            return false;
        }
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

static struct store *store_of(const struct cluster *cluster, const struct node *node,
                              enum node_memory memory)
{
    return memory == MEMORY_GPU && cluster->form == NODE_DISCRETE
               ? gpu_memory(node->gpu)->store
               : host_directory(node->host)->store;
}

/* What all nodes have is on this one, too. */
static void take_common_memory(const struct cluster *cluster, const struct node *node)
{
    for (enum node_memory memory = 0; memory < NODE_MEMORIES; memory++)
        for (enum store_kind kind = 0; kind < STORE_KINDS; kind++)
            if (cluster->common_end[memory][kind] != 0)
                store_advance(store_of(cluster, node, memory), kind,
                              cluster->common_end[memory][kind]);
}

static struct nic *nic_of_node(void *cluster, int64_t index)
{
    return cluster_node(cluster, index)->nic;
}

static struct node *node_new(struct cluster *cluster, int64_t index)
{
    struct sim *sim = cluster->sim;
    const struct machine_spec *spec = cluster->spec;
    struct node *node = g_new0(struct node, 1);
    bool is_apu = cluster->form == NODE_APU;
    node->index = index;
    for (int slot = 0; slot < NODE_SLOTS; slot++)
        node->ports[slot] = (int)index * NODE_SLOTS + slot;
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
    nic_connect(node->nic, nic_of_node, cluster, spec->nodes);
    take_common_memory(cluster, node);
    return node;
}

static void node_free(struct node *node)
{
    if (node == NULL)
        return;
    nic_free(node->nic);
    cp_free(node->cp);
    gpu_free(node->gpu);
    host_free(node->host);
    bus_free(node->bus);
    g_free(node);
}

struct node *cluster_node(struct cluster *cluster, int64_t index)
{
    check_always(index >= 0 && index < cluster->spec->nodes, "node %lld of %lld", (long long)index,
                 (long long)cluster->spec->nodes);
    if (cluster->nodes[index] == NULL)
        cluster->nodes[index] = node_new(cluster, index);
    return cluster->nodes[index];
}

const struct node *cluster_made_node(const struct cluster *cluster, int64_t index)
{
    return cluster->nodes[index];
}

/* --- the cluster ------------------------------------------------------------------------------- */

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

/* Threads poll in every cycle of a run: one whose packets take seconds would take days. */
#define LEAST_RATE_BPS INT64_C(1000000)
#define MOST_LATENCY_PS PS_PER_MS

static bool is_fast_enough(const struct machine_spec *spec, GError **error)
{
    const char *slow = NULL;
    if (spec->bus.rate_Bps < LEAST_RATE_BPS)
        slow = "bus.rate of at least 1MB/s";
    else if (spec->network.rate_Bps < LEAST_RATE_BPS)
        slow = "network.rate of at least 1MB/s";
    else if (spec->network.latency_ps > MOST_LATENCY_PS)
        slow = "network.latency of at most 1ms";
    if (slow != NULL)
        g_set_error(error, MODELS_ERROR, 0,
                    "this workload, which simulates every poll, takes a machine with a %s", slow);
    return slow == NULL;
}

struct cluster *cluster_new(struct sim *sim, const struct machine_spec *spec, enum node_form form,
                            GError **error)
{
    char why[256];
    if (!machine_spec_valid(spec, why, sizeof why)) {
        g_set_error_literal(error, MODELS_ERROR, 0, why);
        return NULL;
    }
    struct platform *platform = has_node_slots(&spec->node, error) && is_fast_enough(spec, error)
                                    ? machine_platform(spec, error)
                                    : NULL;
    if (platform == NULL)
        return NULL;
    struct cluster *cluster = g_new0(struct cluster, 1);
    cluster->sim = sim;
    cluster->spec = spec;
    cluster->form = form;
    cluster->platform = platform;
    cluster->transport = transport_new(sim, platform, &spec->transport);
    cluster->nodes = g_new0(struct node *, (gsize)spec->nodes);
    return cluster;
}

void cluster_free(struct cluster *cluster)
{
    if (cluster == NULL)
        return;
    for (int64_t i = 0; i < cluster->spec->nodes; i++)
        node_free(cluster->nodes[i]);
    transport_free(cluster->transport);
    g_free(cluster->nodes);
    g_free(cluster);
}

address node_allocate(struct cluster *cluster, int64_t node, enum node_memory memory, int64_t bytes,
                      enum store_kind kind)
{
    return store_allocate(store_of(cluster, cluster_node(cluster, node), memory), bytes, kind);
}

/* Behind what the node has that has the most. */
address cluster_allocate(struct cluster *cluster, enum node_memory memory, int64_t bytes,
                         enum store_kind kind)
{
    struct store *first = store_of(cluster, cluster_node(cluster, 0), memory);
    address *end = &cluster->common_end[memory][kind];
    for (int64_t i = 1; i < cluster->spec->nodes; i++)
        if (cluster->nodes[i] != NULL) {
            address next = store_next(store_of(cluster, cluster->nodes[i], memory), kind);
            store_advance(first, kind, next);
        }
    address at = store_allocate(first, bytes, kind);
    if (at == ADDRESS_NONE)
        return at;
    *end = store_next(first, kind);
    for (int64_t i = 1; i < cluster->spec->nodes; i++)
        if (cluster->nodes[i] != NULL)
            store_advance(store_of(cluster, cluster->nodes[i], memory), kind, *end);
    return at;
}
