/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds every number that could make the building of a platform fail, before SimGrid sees any of it: SimGrid's messages about a
 * bad platform are meant for its own files, and some errors abort it. */

#include <inttypes.h>

#include "core/error.h"
#include "fabric/layout.h"

/* Bounds that keep link and port numbers within 32 bits, and memory within reason. */
#define MAX_NODES 65536
#define MAX_VERTICES_A_NODE 4096
#define MAX_LINKS (1 << 24)
#define MAX_FULL_NODES 1024

/* --- the network ------------------------------------------------------------------------------ */

/* Every group must reach every other group. */
static bool dragonfly_valid(const struct platform_spec *spec, GError **error)
{
    struct dragonfly dragonfly = dragonfly_of(&spec->network, spec->nodes);
    if (dragonfly.groups == 1 || dragonfly.copies > 0)
        return true;
    return error_set(error,
                     "a dragonfly of %d groups needs %d cables from each to the others, but %d "
                     "routers with %" PRId64 " uplinks each have %" PRId64,
                     dragonfly.groups, dragonfly.groups - 1, dragonfly.routers,
                     spec->network.uplinks, dragonfly.routers * spec->network.uplinks);
}

static bool generated_network_valid(const struct platform_spec *spec, GError **error)
{
    int64_t topology = spec->network.topology;
    if (topology == NETWORK_FULL && spec->node.gateway_count > 1)
        return error_set(error, "a fully connected network joins nodes of one gateway port each");
    if (topology == NETWORK_FULL && spec->nodes > MAX_FULL_NODES)
        return error_set(error, "a fully connected network has at most %d nodes, not %" PRId64,
                         MAX_FULL_NODES, spec->nodes);
    return topology != NETWORK_DRAGONFLY || dragonfly_valid(spec, error);
}

/* There are at most as many leaves as gateways, and each further factor is at most 65536, so the products do not overflow. */
static int64_t count_tree_links(const struct platform_spec *spec)
{
    const struct network_spec *network = &spec->network;
    bool has_rails = network->topology == NETWORK_RAIL_TREE;
    int64_t rails = has_rails ? (int64_t)spec->node.gateway_count : 1;
    int64_t leaves = (spec->nodes / network->radix + 1) * rails;
    int64_t pods = network->pod > 0 ? leaves / network->pod + 1 : 1;
    int64_t links = leaves * network->uplinks;
    return pods > 1 ? links + pods * network->uplinks * network->pod_uplinks : links;
}

/* The most links that the whole platform can have. */
static int64_t count_links(const struct platform_spec *spec)
{
    const struct network_spec *network = &spec->network;
    int64_t links = spec->nodes * (int64_t)spec->node.link_count;
    if (network->topology == NETWORK_FULL)
        return links + spec->nodes * (spec->nodes - 1) / 2;
    if (network->topology == NETWORK_DRAWN)
        return links + (int64_t)spec->cable_count;
    if (network_is_tree(network->topology))
        links += count_tree_links(spec);
    if (network->topology == NETWORK_DRAGONFLY) {
        struct dragonfly dragonfly = dragonfly_of(network, spec->nodes);
        links += dragonfly_local_count(&dragonfly) + dragonfly_global_count(&dragonfly);
    }
    return links + spec->nodes * (int64_t)spec->node.gateway_count;
}

bool platform_check(const struct platform_spec *spec, GError **error)
{
    if (spec->nodes < 1 || spec->nodes > MAX_NODES)
        return error_set(error, "a platform has between 1 and %d nodes, not %" PRId64, MAX_NODES,
                         spec->nodes);
    size_t vertices = spec->node.port_count + spec->node.switch_count;
    if (vertices > MAX_VERTICES_A_NODE)
        return error_set(error, "a node has %zu ports and switches, more than %d", vertices,
                         MAX_VERTICES_A_NODE);
    bool has_network = spec->nodes > 1, is_drawn = spec->network.topology == NETWORK_DRAWN;
    if (has_network && !is_drawn && !generated_network_valid(spec, error))
        return false;
    if (has_network && is_drawn && spec->cable_count > MAX_LINKS)
        return error_set(error, "a network has at most %d cables", MAX_LINKS);
    int64_t links = has_network ? count_links(spec) : (int64_t)spec->node.link_count;
    if (links > MAX_LINKS)
        return error_set(error, "the platform has %" PRId64 " links, more than %d", links,
                         MAX_LINKS);
    return true;
}
