/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/node.h"

#include <math.h>
#include <stdio.h>

#include "core/pages.h"
#include "models/run_energy.h"

/* From LARGE_NODES nodes on their data do not fit the TLB in small pages. HEAP_BYTES_OF_NODE is the heap that a busy node of
 * Summit takes. */
#define LARGE_NODES 64
#define HEAP_BYTES_OF_NODE ((size_t)1 << 20)

/* --- devices ----------------------------------------------------------------------------------- */

/* The devices of a node, of each kind by number; NULL: not made yet. */
struct node {
    struct cluster *cluster;
    int64_t index;
    struct bus *bus;
    struct host **hosts;           /* by socket */
    struct smart_nic **smart_nics; /* by NIC */
    struct site *sites; /* by GPU; those without a bus are not made, but may have a GPU */
};

static const struct machine_spec *spec_of(const struct node *node)
{
    return cluster_spec(node->cluster, node->index);
}

/* The shape of a node, which is the same for nodes of all kinds. */
static const struct node_shape *shape_of(const struct node *node)
{
    return &node->cluster->spec->node;
}

/* Reserves in this node's store what was allocated in `memory` at the first sites of all nodes. */
static void take_common_memory(const struct cluster *cluster, enum node_memory memory,
                               struct store *store)
{
    for (enum store_kind kind = 0; kind < STORE_KINDS; kind++)
        if (cluster->common_end[memory][kind] != 0)
            store_advance(store, kind, cluster->common_end[memory][kind]);
}

static struct host *host_of(struct node *node, int socket)
{
    struct cluster *cluster = node->cluster;
    bool is_apu = cluster->form == NODE_APU;
    if (node->hosts[socket] != NULL)
        return node->hosts[socket];
    struct host *host = host_new(cluster->sim, &spec_of(node)->host, node->bus,
                                 topology_cpu_port(shape_of(node), socket), is_apu);
    node->hosts[socket] = host;
    if (is_apu)
        gpu_computes_on(&host_directory(host)->dram, &spec_of(node)->gpu, true);
    if (socket == 0)
        take_common_memory(cluster, MEMORY_HOST, host_directory(host)->store);
    if (socket == 0 && is_apu)
        take_common_memory(cluster, MEMORY_GPU, host_directory(host)->store);
    return host;
}

/* The DRAM of a GPU, which is made without the GPU: a bulk transfer needs only the memory, not the device. */
static struct dram *gpu_dram(struct cluster *cluster, int64_t node, int number)
{
    const struct gpu_spec *gpu = &cluster_spec(cluster, node)->gpu;
    struct dram **dram = &cluster->drams[node * topology_gpu_count(&cluster->spec->node) + number];
    if (*dram == NULL) {
        *dram = g_new0(struct dram, 1);
        dram_init(*dram, gpu->memory_latency_ps, gpu->memory_rate_Bps);
        gpu_computes_on(*dram, gpu, false);
    }
    return *dram;
}

static uint64_t seed_of_run(const struct cluster *cluster)
{
    return rng_seed_of_run(cluster->sim->seed, cluster->spec->independent_run);
}

/* The specification of a GPU: the node's, or its own if its clock is slower. */
static const struct gpu_spec *gpu_spec_at(struct cluster *cluster, int64_t node, const char *path)
{
    const struct gpu_spec *spec = &cluster_spec(cluster, node)->gpu;
    if (!cluster->spec->has_noise || cluster->spec->noise.slow_gpus == 0)
        return spec;
    struct gpu_spec *own = g_memdup2(spec, sizeof *spec);
    double slowdown = noise_slowdown(&cluster->spec->noise, seed_of_run(cluster), path);
    own->clock_Hz = MAX(llround((double)spec->clock_Hz / slowdown), 1);
    g_ptr_array_add(cluster->slow_gpus, own);
    cluster->drawn_parts++;
    return own;
}

static struct gpu *gpu_of(struct node *node, int number)
{
    struct cluster *cluster = node->cluster;
    struct gpu **gpu = &node->sites[number].gpu;
    if (*gpu != NULL)
        return *gpu;
    struct host *host = host_of(node, topology_gpu_socket(shape_of(node), number));
    char path[64];
    if (number == 0)
        snprintf(path, sizeof path, "node%lld.gpu", (long long)node->index);
    else
        snprintf(path, sizeof path, "node%lld.gpu%d", (long long)node->index, number);
    *gpu =
        gpu_new(cluster->sim, gpu_spec_at(cluster, node->index, path),
                &cluster->gpu_pools[cluster_kind(cluster, node->index)], node->bus,
                topology_gpu_port(shape_of(node), number), gpu_dram(cluster, node->index, number),
                cluster->form == NODE_APU ? host_directory(host) : NULL, path);
    if (number == 0 && cluster->form == NODE_DISCRETE)
        take_common_memory(cluster, MEMORY_GPU, gpu_memory(*gpu)->store);
    return *gpu;
}

static struct cp *cp_of(struct node *node, int gpu)
{
    struct cp **cp = &node->sites[gpu].cp;
    if (*cp == NULL)
        *cp = cp_new(node->cluster->sim, &spec_of(node)->cp, gpu_of(node, gpu));
    return *cp;
}

static struct node *node_of(struct cluster *cluster, int64_t index);

/* Notes the parameters that decide which share of a memory a device's flow gets. Beside kernels these include the number of
 * wavefronts that the GPU has room for. */
static void note_flow(struct cluster *cluster, const struct dram *dram, bool is_gpu)
{
    struct param_use *uses = &cluster->sim->uses;
    bool has_kernels = dram->flows.counts[true] > 0;
    uint8_t bit = (uint8_t)(1U << (2 * is_gpu + has_kernels));
    if (cluster->flows_noted & bit)
        return;
    cluster->flows_noted |= bit;
    param_uses_only(uses, is_gpu ? &gpu_params : &host_params, "memory_rate", NULL);
    if (has_kernels)
        param_uses_only(uses, &gpu_params, "wave_in_flight", "compute_units", "waves_per_cu", NULL);
}

/* The DRAM of a GPU or, in an APU, of the host (dram_at_fn). Under LogGP there are no memories. */
static struct dram *dram_at(void *argument, int port)
{
    struct cluster *cluster = argument;
    const struct node_shape *shape = &cluster->spec->node;
    int slot = port % topology_port_count(shape), gpu = slot - topology_gpu_port(shape, 0);
    int64_t node = port / topology_port_count(shape);
    bool is_gpu = gpu >= 0 && gpu < topology_gpu_count(shape);
    if (is_gpu != (cluster->form == NODE_DISCRETE))
        return NULL;
    if (!is_gpu && slot >= shape->sockets)
        return NULL;
    struct dram *dram = is_gpu ? gpu_dram(cluster, node, gpu)
                               : &host_directory(host_of(node_of(cluster, node), slot))->dram;
    note_flow(cluster, dram, is_gpu);
    return dram;
}

static struct bus *bus_of_node(void *cluster, int64_t node)
{
    return node_of(cluster, node)->bus;
}

/* `hops`: the network links of a route. A route between nodes below one switch has two, and uses no uplinks. */
static void note_network(struct cluster *cluster, int hops)
{
    const struct network_spec *network = &cluster->spec->network;
    struct param_use *uses = &cluster->sim->uses;
    unsigned bit = 1U << (LINK_KINDS + (hops > 2 ? 2 : 1));
    if ((cluster->noted & bit) != 0)
        return;
    cluster->noted |= bit;
    param_uses_only(uses, &network_params, "topology", "latency", "rate", NULL);
    if (topology_nic_count(&cluster->spec->node) > cluster->spec->node.sockets)
        param_uses_only(uses, &node_params, "nic_policy", NULL);
    if (network_has_leaves(network->topology))
        param_uses_only(uses, &network_params, "radix", NULL);
    if (network_has_leaves(network->topology) && hops > 2)
        param_uses_only(uses, &network_params, "uplinks", "routing", "pod", NULL);
    if (network->topology == NETWORK_DRAWN)
        param_uses_only(uses, &network_params, "cables", "routing", NULL);
    if (network_is_tree(network->topology) && hops > 2 && network->pod > 0)
        param_uses_only(uses, &network_params, "pod_uplinks", NULL);
}

/* Notes a link's parameters as used once traffic goes over it. */
static void note_link(struct cluster *cluster, const char *name)
{
    struct param_use *uses = &cluster->sim->uses;
    enum link_kind kind = topology_link_kind(name);
    bool is_root = g_str_has_prefix(name, "pcie-cpu");
    unsigned bit = 1U << (is_root ? LINK_KINDS : (int)kind);
    if ((cluster->noted & bit) != 0)
        return;
    cluster->noted |= bit;
    if (kind == LINK_NVLINK)
        param_uses_all_but(uses, &nvlink_params, "byte_energy", "access_efficiency", NULL);
    if (kind == LINK_SOCKET)
        param_uses_all_but(uses, &socket_link_params, "byte_energy", NULL);
    if (kind == LINK_PCIE)
        param_uses_only(uses, &bus_params, "latency", "switch_latency", "rate", NULL);
    if (kind == LINK_PCIE && cluster->spec->node.gpu_link == GPU_LINK_PCIE)
        param_uses_only(uses, &node_params, "gpus_per_switch", NULL);
    if (kind == LINK_PCIE || kind == LINK_NVLINK)
        param_uses_only(uses, &node_params, "gpu_link", NULL);
    if (is_root)
        param_uses_only(uses, &bus_params, "root_links", NULL);
}

/* Notes that a link's node takes part: the node that the link lies in, or that it joins to the network. */
static void note_nodes(struct cluster *cluster, size_t link)
{
    int64_t node = platform_link_node(cluster->platform, link);
    int port = node < 0 ? platform_cable_port(cluster->platform, link) : -1;
    if (port >= 0)
        node = port / topology_port_count(&cluster->spec->node);
    if (node >= 0)
        cluster_takes_part(cluster, node);
}

static void note_links(void *context, const struct platform_route *route)
{
    struct cluster *cluster = context;
    int of_network = 0, gpus = 0;
    for (size_t i = 0; i < route->count; i++) {
        const char *name = platform_link(cluster->platform, (size_t)route->hops[i] / 2)->name;
        note_link(cluster, name);
        if (cluster->kind_of != NULL)
            note_nodes(cluster, (size_t)route->hops[i] / 2);
        gpus += topology_link_gpus(name);
        of_network += topology_link_kind(name) == LINK_NETWORK;
    }
    if (of_network > 0)
        note_network(cluster, of_network);
    else if (gpus > 1)
        param_uses_only(&cluster->sim->uses, &node_params, "peer_link", NULL);
}

/* Makes the device in `slot` when the first request is on its way to it. */
static void make_device(void *argument, int slot)
{
    struct node *node = argument;
    const struct node_shape *shape = shape_of(node);
    int gpu = slot - topology_gpu_port(shape, 0), nic = slot - topology_nic_port(shape, 0);
    if (slot < shape->sockets)
        host_of(node, slot);
    else if (gpu < topology_gpu_count(shape))
        gpu_of(node, gpu);
    else
        nic_bus(nic_network_nic(node->cluster->nics, node->index, nic));
}

/* --- nodes and sites --------------------------------------------------------------------------- */

/* Where links join GPUs beside the bus, nvlink.efficiency is the share of their rate that headers leave to payloads. */
static void set_peer_path(struct node *node, int from_gpu, int to_gpu)
{
    const struct machine_spec *spec = node->cluster->spec;
    int from = topology_gpu_port(&spec->node, from_gpu),
        to = topology_gpu_port(&spec->node, to_gpu);
    if (spec->node.peer_link == PEER_LINK_SWITCH && from_gpu != to_gpu)
        bus_join_by_nvswitch(node->bus, from, to);
    if (spec->nvlink.efficiency < 1 && bus_is_link(node->bus, from, to))
        bus_rate_is_of_payloads(node->bus, from, to);
}

static void set_peer_paths(struct node *node)
{
    const struct machine_spec *spec = spec_of(node);
    int gpus = topology_gpu_count(&spec->node);
    for (int i = 0; i < gpus * gpus && spec->node.peer_link != PEER_LINK_AS_GPU_LINK; i++)
        set_peer_path(node, i / gpus, i % gpus);
}

static struct node *node_of(struct cluster *cluster, int64_t index)
{
    const struct node_shape *shape = &cluster->spec->node;
    check_always(index >= 0 && index < cluster->spec->nodes, "node %lld of %lld", (long long)index,
                 (long long)cluster->spec->nodes);
    if (cluster->nodes[index] != NULL)
        return cluster->nodes[index];
    struct node *node = g_new0(struct node, 1);
    node->cluster = cluster;
    node->index = index;
    node->bus = bus_new(cluster->sim, cluster->platform, index, &spec_of(node)->bus);
    bus_share_links(node->bus, transport_link_use(cluster->transport));
    bus_set_maker(node->bus, make_device, node);
    set_peer_paths(node);
    node->hosts = g_new0(struct host *, (gsize)shape->sockets);
    node->smart_nics = g_new0(struct smart_nic *, (gsize)topology_nic_count(shape));
    node->sites = g_new0(struct site, (gsize)topology_gpu_count(shape));
    cluster->nodes[index] = node;
    cluster_takes_part(cluster, index);
    return node;
}

static void node_free(struct node *node)
{
    if (node == NULL)
        return;
    const struct node_shape *shape = shape_of(node);
    for (int i = 0; i < topology_nic_count(shape); i++)
        smart_nic_free(node->smart_nics[i]);
    for (int i = 0; i < topology_gpu_count(shape); i++) {
        cp_free(node->sites[i].cp);
        gpu_free(node->sites[i].gpu);
    }
    for (int i = 0; i < shape->sockets; i++)
        host_free(node->hosts[i]);
    bus_free(node->bus);
    g_free(node->sites);
    g_free(node->smart_nics);
    g_free(node->hosts);
    g_free(node);
}

/* The NIC that serves a GPU's queues. */
static int nic_of(const struct cluster *cluster, int64_t node, int gpu)
{
    return platform_cabled_gateway(cluster->platform, node,
                                   topology_gpu_nic(&cluster->spec->node, gpu));
}

struct site *cluster_site(struct cluster *cluster, int64_t index, int gpu)
{
    const struct node_shape *shape = &cluster->spec->node;
    struct node *node = node_of(cluster, index);
    check_always(gpu >= 0 && gpu < topology_gpu_count(shape), "GPU %d of %d", gpu,
                 topology_gpu_count(shape));
    struct site *site = &node->sites[gpu];
    if (site->bus != NULL)
        return site;
    int socket = topology_gpu_socket(shape, gpu);
    int nic = nic_of(cluster, index, gpu);
    *site = (struct site){.node = index,
                          .gpu_number = gpu,
                          .host_slot = topology_cpu_port(shape, socket),
                          .gpu_slot = topology_gpu_port(shape, gpu),
                          .nic_slot = topology_nic_port(shape, nic),
                          .bus = node->bus,
                          .host = host_of(node, socket),
                          .gpu = gpu_of(node, gpu),
                          .cp = cp_of(node, gpu),
                          .nic = nic_network_nic(cluster->nics, index, nic)};
    return site;
}

const struct site *cluster_made_site(const struct cluster *cluster, int64_t node, int gpu)
{
    const struct node *made = cluster->nodes[node];
    return made != NULL && made->sites[gpu].bus != NULL ? &made->sites[gpu] : NULL;
}

const struct gpu *cluster_made_gpu(const struct cluster *cluster, int64_t node, int gpu)
{
    return cluster->nodes[node] == NULL ? NULL : cluster->nodes[node]->sites[gpu].gpu;
}

static int64_t gpu_number(const struct cluster *cluster, int64_t node, int gpu)
{
    return node * topology_gpu_count(&cluster->spec->node) + gpu;
}

void cluster_hold_gpu(struct cluster *cluster, int64_t node, int gpu)
{
    if (cluster->gpus_held == NULL)
        cluster->gpus_held = g_new0(bool, (gsize)gpu_number(cluster, cluster->spec->nodes, 0));
    cluster->gpus_held[gpu_number(cluster, node, gpu)] = true;
}

bool cluster_gpu_takes_part(const struct cluster *cluster, int64_t node, int gpu)
{
    return cluster_made_gpu(cluster, node, gpu) != NULL ||
           (cluster->gpus_held != NULL && cluster->gpus_held[gpu_number(cluster, node, gpu)]);
}

const struct bus *cluster_made_bus(const struct cluster *cluster, int64_t node)
{
    return cluster->nodes[node] == NULL ? NULL : cluster->nodes[node]->bus;
}

void site_path(const struct site *site, const char *part, char *path, size_t size)
{
    if (site->gpu_number == 0)
        snprintf(path, size, "node%lld.%s", (long long)site->node, part);
    else
        snprintf(path, size, "node%lld.gpu%d.%s", (long long)site->node, site->gpu_number, part);
}

struct smart_nic *site_smart_nic(struct cluster *cluster, const struct site *site)
{
    struct node *node = node_of(cluster, site->node);
    int nic = site->nic_slot - topology_nic_port(&cluster->spec->node, 0);
    if (node->smart_nics[nic] == NULL) {
        nic_bus(site->nic);
        node->smart_nics[nic] =
            smart_nic_new(cluster->sim, &spec_of(node)->smart_nic, site->bus, site->nic_slot);
    }
    return node->smart_nics[nic];
}

struct store *site_store(struct cluster *cluster, const struct site *site, enum node_memory memory)
{
    if (memory == MEMORY_NIC)
        return smart_nic_store(site_smart_nic(cluster, site));
    return memory == MEMORY_GPU && cluster->form == NODE_DISCRETE
               ? gpu_memory(site->gpu)->store
               : host_directory(site->host)->store;
}

/* --- the cluster ------------------------------------------------------------------------------- */

/* Sets the parameters of each kind of nodes, and which nodes are of it. */
static void add_kinds(struct cluster *cluster)
{
    const struct machine_spec *spec = cluster->spec;
    if (spec->kind_count == 0)
        return;
    cluster->kinds = g_new(struct machine_spec, spec->kind_count);
    cluster->kind_of = g_new(uint8_t, (gsize)spec->nodes);
    for (size_t kind = 0; kind < spec->kind_count; kind++)
        machine_spec_of_kind(spec, 1 + kind, &cluster->kinds[kind]);
    machine_kinds_of_nodes(spec, cluster->kind_of, NULL);
}

static void add_noise(struct cluster *cluster)
{
    const struct machine_spec *spec = cluster->spec;
    cluster->slow_gpus = g_ptr_array_new_with_free_func(g_free);
    if (!spec->has_noise)
        return;
    param_uses(&cluster->sim->uses, &noise_params);
    cluster->is_interrupted = spec->noise.period_ps > 0;
    if (cluster->is_interrupted)
        noise_source_init(&cluster->noise, &spec->noise, seed_of_run(cluster));
}

struct cluster *cluster_new(struct sim *sim, const struct machine_spec *spec, enum node_form form,
                            GError **error)
{
    if (!machine_spec_valid(spec, error)) {
        return NULL;
    }
    struct platform *platform = machine_platform(spec, error);
    if (platform == NULL)
        return NULL;
    if (spec->nodes >= LARGE_NODES)
        pages_prepare_heap((size_t)spec->nodes * HEAP_BYTES_OF_NODE);
    struct cluster *cluster = g_new0(struct cluster, 1);
    cluster->sim = sim;
    cluster->spec = spec;
    cluster->form = form;
    cluster->platform = platform;
    if (spec->listener != NULL)
        observe_listen(&sim->observe, spec->listener);
    sim->stores_one_by_one = spec->stores_one_by_one;
    cluster->transport = transport_new(sim, platform, &spec->transport);
    add_kinds(cluster);
    add_noise(cluster);
    for (size_t kind = 0; kind <= spec->kind_count; kind++)
        gpu_pools_init(&cluster->gpu_pools[kind],
                       kind > 0 ? &cluster->kinds[kind - 1].gpu : &spec->gpu);
    cluster->nodes = g_new0(struct node *, (gsize)spec->nodes);
    cluster->drams = g_new0(struct dram *, (gsize)(spec->nodes * topology_gpu_count(&spec->node)));
    cluster->nics = nic_network_new(sim, platform, cluster->transport, &spec->nic, &spec->bus,
                                    bus_of_node, dram_at, cluster);
    for (size_t kind = 0; kind < spec->kind_count; kind++)
        nic_network_add_kind(cluster->nics, &cluster->kinds[kind].nic, &cluster->kinds[kind].bus,
                             cluster->kind_of);
    platform_watch(platform, note_links, cluster);
    param_uses(&sim->uses, &machine_params);
    param_uses_only(&sim->uses, &node_params, "sockets", "gpus_per_socket", "nics_per_socket",
                    NULL);
    return cluster;
}

void cluster_free(struct cluster *cluster)
{
    if (cluster == NULL)
        return;
    platform_watch(cluster->platform, NULL, NULL);
    nic_network_free(cluster->nics);
    cuda_free(cluster->cuda);
    for (int64_t i = 0; i < cluster->spec->nodes; i++)
        node_free(cluster->nodes[i]);
    for (int64_t i = 0; i < cluster->spec->nodes * topology_gpu_count(&cluster->spec->node); i++)
        g_free(cluster->drams[i]);
    g_free(cluster->drams);
    for (size_t kind = 0; kind <= cluster->spec->kind_count; kind++)
        gpu_pools_clear(&cluster->gpu_pools[kind]);
    transport_free(cluster->transport);
    run_energy_meter_free(cluster->energy);
    g_ptr_array_unref(cluster->slow_gpus);
    for (int pool = 0; pool < CORE_POOLS; pool++)
        g_free(cluster->cores_taken[pool]);
    g_free(cluster->gpus_held);
    g_free(cluster->kinds);
    g_free(cluster->kind_of);
    g_free(cluster->nodes);
    g_free(cluster);
}

/* --- cores ------------------------------------------------------------------------------------- */

struct core_pool_spec core_pool_of(const struct machine_spec *spec, enum core_pool pool)
{
    const struct node_shape *shape = &spec->node;
    check_release(pool != CORES_OF_NONE && pool < CORE_POOLS, "no pool of cores: %d", (int)pool);
    if (pool == CORES_OF_HOST)
        return (struct core_pool_spec){&spec->host.core, &host_params, spec->host.cores,
                                       (int)shape->sockets};
    if (pool == CORES_OF_CP)
        return (struct core_pool_spec){&spec->cp.core, &cp_params, spec->cp.cores,
                                       topology_gpu_count(shape)};
    return (struct core_pool_spec){&spec->smart_nic.core, &smart_nic_params, spec->smart_nic.cores,
                                   topology_nic_count(shape)};
}

static size_t pool_place(const struct cluster *cluster, enum core_pool pool, int64_t node, int gpu)
{
    int unit = pool == CORES_OF_HOST ? topology_gpu_socket(&cluster->spec->node, gpu)
               : pool == CORES_OF_CP ? gpu
                                     : nic_of(cluster, node, gpu);
    return (size_t)(node * core_pool_of(cluster->spec, pool).units + unit);
}

int64_t cluster_cores_left(const struct cluster *cluster, enum core_pool pool, int64_t node,
                           int gpu)
{
    int64_t size = core_pool_of(cluster_spec(cluster, node), pool).cores;
    const int16_t *taken = cluster->cores_taken[pool];
    return taken == NULL ? size : size - taken[pool_place(cluster, pool, node, gpu)];
}

int64_t cluster_take_core(struct cluster *cluster, enum core_pool pool, int64_t node, int gpu)
{
    const struct core_pool_spec of = core_pool_of(cluster_spec(cluster, node), pool);
    if (cluster->cores_taken[pool] == NULL)
        cluster->cores_taken[pool] = g_new0(int16_t, (gsize)(cluster->spec->nodes * of.units));
    int16_t *taken = &cluster->cores_taken[pool][pool_place(cluster, pool, node, gpu)];
    return *taken < of.cores ? (*taken)++ : -1;
}

void cluster_interrupt_core(struct cluster *cluster, const struct process *process,
                            struct noise *noise)
{
    if (!cluster->is_interrupted)
        return;
    noise_init(noise, &cluster->noise, process_name(process));
    cluster->drawn_parts++;
}

/* --- CUDA -------------------------------------------------------------------------------------- */

static void set_sockets(struct cluster *cluster)
{
    const struct node_shape *shape = &cluster->spec->node;
    int ports = topology_port_count(shape);
    g_autofree int32_t *sockets = g_new0(int32_t, (gsize)ports);
    for (int socket = 0; socket < shape->sockets; socket++)
        sockets[topology_cpu_port(shape, socket)] = socket;
    for (int gpu = 0; gpu < topology_gpu_count(shape); gpu++)
        sockets[topology_gpu_port(shape, gpu)] = topology_gpu_socket(shape, gpu);
    cuda_set_sockets(cluster->cuda, sockets, ports);
}

/* The GPU on a port of the platform. */
static struct gpu *gpu_on_port(void *argument, int port, bool make)
{
    struct cluster *cluster = argument;
    const struct node_shape *shape = &cluster->spec->node;
    int ports = topology_port_count(shape), number = port % ports - topology_gpu_port(shape, 0);
    const struct node *made = cluster->nodes[port / ports];
    if (make)
        return gpu_of(node_of(cluster, port / ports), number);
    return made != NULL ? made->sites[number].gpu : NULL;
}

struct cuda *cluster_cuda(struct cluster *cluster)
{
    if (cluster->cuda == NULL) {
        cluster->cuda =
            cuda_new(cluster->sim, cluster->platform, cluster->transport, &cluster->spec->cuda);
        set_sockets(cluster);
        cuda_set_gpus(cluster->cuda, gpu_on_port, dram_at, cluster);
    }
    return cluster->cuda;
}

/* --- memory ------------------------------------------------------------------------------------ */

address site_allocate(struct cluster *cluster, struct site *site, enum node_memory memory,
                      int64_t bytes, enum store_kind kind)
{
    return store_allocate(site_store(cluster, site, memory), bytes, kind);
}

/* Allocates the same address at all nodes: behind the last allocation of the site that has allocated most. */
address cluster_allocate(struct cluster *cluster, enum node_memory memory, int64_t bytes,
                         enum store_kind kind)
{
    struct store *first = site_store(cluster, cluster_site(cluster, 0, 0), memory);
    address *end = &cluster->common_end[memory][kind];
    for (int64_t i = 1; i < cluster->spec->nodes; i++) {
        const struct site *site = cluster_made_site(cluster, i, 0);
        if (site != NULL)
            store_advance(first, kind, store_next(site_store(cluster, site, memory), kind));
    }
    address at = store_allocate(first, bytes, kind);
    if (at == ADDRESS_NONE)
        return at;
    *end = store_next(first, kind);
    for (int64_t i = 1; i < cluster->spec->nodes; i++) {
        const struct site *site = cluster_made_site(cluster, i, 0);
        if (site != NULL)
            store_advance(site_store(cluster, site, memory), kind, *end);
    }
    return at;
}
