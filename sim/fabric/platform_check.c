/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds every error that could make the building of a platform fail, before SimGrid sees any of it: SimGrid's messages about a
 * bad platform are meant for its own files, and some errors abort it. */

#include <inttypes.h>
#include <string.h>

#include "core/error.h"
#include "fabric/layout.h"

/* Bounds that keep link and port numbers within 32 bits, and memory within reason. */
#define MAX_NODES 65536
#define MAX_VERTICES_A_NODE 4096
#define MAX_LINKS (1 << 24)
#define MAX_FULL_NODES 1024

/* Names become parts of SimGrid's and of Graphviz's names: a dot would make them ambiguous. */
static bool name_usable(const char *name, GError **error)
{
    if (!name || !*name)
        return error_set(error, "a port, switch or link has no name");
    for (const char *c = name; *c; c++)
        if (!g_ascii_isalnum(*c) && *c != '-' && *c != '_')
            return error_set(
                error, "the name \"%s\" has characters other than letters, digits, - and _", name);
    return true;
}

/* Adds `name` to the set; an error if it is unusable or already there. */
static bool take_name(GHashTable *names, const char *name, GError **error)
{
    if (!name_usable(name, error))
        return false;
    return g_hash_table_add(names, (gpointer)(uintptr_t)name) ||
           error_set(error, "the name \"%s\" is used twice", name);
}

/* --- connectivity: sets of joined vertices ---------------------------------------------------- */

static int set_of(int *parents, int vertex)
{
    while (parents[vertex] != vertex)
        vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
}

static int *separate_sets(size_t count)
{
    int *parents = g_new(int, count);
    for (size_t i = 0; i < count; i++)
        parents[i] = (int)i;
    return parents;
}

static void join_sets(int *parents, int a, int b)
{
    parents[set_of(parents, a)] = set_of(parents, b);
}

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

/* The number of a node's gateway called `name` (NULL: the first); the number of gateways if there is none. */
static size_t gateway_number(const struct node_graph *node, const char *name)
{
    size_t number = 0;
    while (name != NULL && number < node->gateway_count &&
           strcmp(node->gateways[number], name) != 0)
        number++;
    return number;
}

/* The vertex of one end of a hand-drawn cable. Gateways are numbered node after node, then switches in the order in which they
 * were added to `switches`. */
static bool cable_end(const struct platform_spec *spec, GHashTable *switches, const char *name,
                      int *vertex, GError **error)
{
    int64_t node;
    const char *gateway;
    size_t gateways = spec->node.gateway_count;
    if (name != NULL && layout_gateway_of_name(name, &node, &gateway)) {
        size_t number = gateway_number(&spec->node, gateway);
        if (node >= spec->nodes)
            return error_set(error,
                             "a cable leads to \"%s\", but there are %" PRId64 " nodes, from node0",
                             name, spec->nodes);
        *vertex = (int)((size_t)node * gateways + number);
        return number < gateways ||
               error_set(error, "a cable leads to \"%s\", but a node has no port \"%s\" for cables",
                         name, gateway);
    }
    if (!name_usable(name, error))
        return false;
    if (!g_hash_table_contains(switches, name))
        g_hash_table_insert(
            switches, (gpointer)(uintptr_t)name,
            GINT_TO_POINTER((int)((size_t)spec->nodes * gateways + g_hash_table_size(switches))));
    *vertex = GPOINTER_TO_INT(g_hash_table_lookup(switches, name));
    return true;
}

/* Checks that cables have unique names and two different ends, notes these, and joins their sets. */
static bool cables_valid(const struct platform_spec *spec, GHashTable *switches, bool *is_end,
                         int *sets, GError **error)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < spec->cable_count; i++) {
        const struct node_link *cable = &spec->cables[i];
        int from = 0, to = 0;
        if (!take_name(names, cable->link.name, error) ||
            !cable_end(spec, switches, cable->from, &from, error) ||
            !cable_end(spec, switches, cable->to, &to, error))
            return false;
        if (from == to)
            return error_set(error, "cable \"%s\" leads from \"%s\" to itself", cable->link.name,
                             cable->from);
        is_end[from] = is_end[to] = true;
        join_sets(sets, from, to);
    }
    return true;
}

/* Whether the gateway, or another one of its node if it is the first, has to have cables: one without any is out of use. */
static bool needs_cable(const struct platform_spec *spec, const bool *is_end, size_t gateway)
{
    size_t count = spec->node.gateway_count;
    bool is_needed = gateway % count == 0;
    for (size_t other = gateway; is_needed && other < gateway + count; other++)
        is_needed = !is_end[other];
    return is_needed || is_end[gateway];
}

/* Reports that no cables lead from the first gateway in use to this one. */
static bool refuse_apart(const struct platform_spec *spec, size_t first, size_t gateway,
                         GError **error)
{
    const struct node_graph *node = &spec->node;
    size_t count = node->gateway_count;
    if (count == 1)
        return error_set(error, "no cables join node0 to node%zu", gateway);
    return error_set(error, "no cables join node%zu.%s to node%zu.%s", first / count,
                     node->gateways[first % count], gateway / count,
                     node->gateways[gateway % count]);
}

static bool drawn_network_valid(const struct platform_spec *spec, GError **error)
{
    size_t gateways = (size_t)spec->nodes * spec->node.gateway_count;
    if (spec->cable_count > MAX_LINKS)
        return error_set(error, "a network has at most %d cables", MAX_LINKS);
    g_autofree int *sets = separate_sets(gateways + 2 * spec->cable_count);
    g_autoptr(GHashTable) switches = g_hash_table_new(g_str_hash, g_str_equal);
    g_autofree bool *is_end = g_new0(bool, gateways + 2 * spec->cable_count);
    if (!cables_valid(spec, switches, is_end, sets, error))
        return false;
    size_t first = 0;
    while (!needs_cable(spec, is_end, first))
        first++;
    for (size_t i = first + 1; i < gateways + g_hash_table_size(switches); i++)
        if ((i >= gateways || needs_cable(spec, is_end, i)) &&
            set_of(sets, (int)i) != set_of(sets, (int)first))
            return i < gateways ? refuse_apart(spec, first, i, error)
                                : error_set(error, "some switches of the network lead to no node");
    return true;
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
    if (has_network &&
        !(is_drawn ? drawn_network_valid(spec, error) : generated_network_valid(spec, error)))
        return false;
    int64_t links = has_network ? count_links(spec) : (int64_t)spec->node.link_count;
    if (links > MAX_LINKS)
        return error_set(error, "the platform has %" PRId64 " links, more than %d", links,
                         MAX_LINKS);
    return true;
}
