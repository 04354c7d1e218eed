/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that could make the building of a platform fail is found here, before SimGrid sees any
 * of it: what SimGrid says of a bad platform is meant for its own files, and some of it aborts. */

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
    if (g_hash_table_contains(names, name))
        return error_set(error, "the name \"%s\" is used twice", name);
    g_hash_table_insert(names, (gpointer)(uintptr_t)name,
                        GINT_TO_POINTER((int)g_hash_table_size(names)));
    return true;
}

static bool link_numbers_valid(const struct link_spec *link, GError **error)
{
    if (link->latency_ps < 0)
        return error_set(error, "link \"%s\" has a negative latency", link->name);
    if (link->bandwidth_Bps <= 0)
        return error_set(error, "link \"%s\" needs a bandwidth above 0", link->name);
    return true;
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

/* --- one node --------------------------------------------------------------------------------- */

/* Fills `vertices` with the names of ports and switches and their numbers. */
static bool node_names_valid(const struct node_graph *node, GHashTable *vertices, GError **error)
{
    if (node->port_count < 1)
        return error_set(error, "a node needs at least one port");
    if (node->port_count + node->switch_count > MAX_VERTICES_A_NODE)
        return error_set(error, "a node has %zu ports and switches, more than %d",
                         node->port_count + node->switch_count, MAX_VERTICES_A_NODE);
    for (size_t i = 0; i < node->port_count; i++)
        if (!take_name(vertices, node->ports[i], error))
            return false;
    for (size_t i = 0; i < node->switch_count; i++)
        if (!take_name(vertices, node->switches[i], error))
            return false;
    return true;
}

/* What links join: names of a node's ports and switches, or of the network's switches, with their numbers. */
struct drawn_ends {
    const struct platform_spec *spec;
    GHashTable *vertices;
};
typedef bool find_end_fn(const struct drawn_ends *ends, const char *link, const char *name,
                         int *vertex, GError **error);

/* The vertex at one end of a node's link. */
static bool node_end(const struct drawn_ends *ends, const char *link, const char *name, int *vertex,
                     GError **error)
{
    gpointer number;
    if (!name || !g_hash_table_lookup_extended(ends->vertices, name, NULL, &number))
        return error_set(error,
                         "link \"%s\" leads to \"%s\", which is no port or switch of the node",
                         link, name ? name : "");
    *vertex = GPOINTER_TO_INT(number);
    return true;
}

/* Links, called `what` ("link", "cable"), have names of their own and two ends, whose sets they join. */
static bool links_valid(const struct node_link *links, size_t count, const char *what,
                        const struct drawn_ends *ends, find_end_fn *find, int *sets, GError **error)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < count; i++) {
        const struct node_link *drawn = &links[i];
        const char *name = drawn->link.name;
        int from = 0, to = 0;
        if (!take_name(names, name, error) || !link_numbers_valid(&drawn->link, error) ||
            !find(ends, name, drawn->from, &from, error) ||
            !find(ends, name, drawn->to, &to, error))
            return false;
        if (from == to)
            return error_set(error, "%s \"%s\" leads from \"%s\" to itself", what, name,
                             drawn->from);
        join_sets(sets, from, to);
    }
    return true;
}

static bool is_port(const struct node_graph *node, const char *name)
{
    for (size_t i = 0; i < node->port_count; i++)
        if (strcmp(node->ports[i], name) == 0)
            return true;
    return false;
}

static bool gateways_valid(const struct platform_spec *spec, GError **error)
{
    const struct node_graph *node = &spec->node;
    g_autoptr(GHashTable) gateways = g_hash_table_new(g_str_hash, g_str_equal);
    if (spec->nodes > 1 && node->gateway_count == 0)
        return error_set(error, "nodes that a network joins need a gateway port");
    for (size_t i = 0; i < node->gateway_count; i++) {
        if (!take_name(gateways, node->gateways[i], error))
            return false;
        if (!is_port(node, node->gateways[i]))
            return error_set(error, "the gateway \"%s\" is no port of the node", node->gateways[i]);
    }
    return true;
}

static bool node_valid(const struct platform_spec *spec, GError **error)
{
    const struct node_graph *node = &spec->node;
    g_autoptr(GHashTable) vertices = g_hash_table_new(g_str_hash, g_str_equal);
    if (!node_names_valid(node, vertices, error))
        return false;
    g_autofree int *sets = separate_sets(node->port_count + node->switch_count);
    if (!links_valid(node->links, node->link_count, "link", &(struct drawn_ends){spec, vertices},
                     node_end, sets, error))
        return false;
    for (size_t i = 1; i < node->port_count + node->switch_count; i++)
        if (set_of(sets, (int)i) != set_of(sets, 0))
            return error_set(error, "no links join \"%s\" to \"%s\"", node->ports[0],
                             i < node->port_count ? node->ports[i]
                                                  : node->switches[i - node->port_count]);
    return true;
}

/* --- the network ------------------------------------------------------------------------------ */

/* Each group must reach each other one. */
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

static bool count_valid(const char *what, int64_t count, int64_t least, GError **error)
{
    if (count >= least && count <= MAX_NODES)
        return true;
    return error_set(error, "the %s between %" PRId64 " and %d, not %" PRId64, what, least,
                     MAX_NODES, count);
}

static bool generated_network_valid(const struct platform_spec *spec, GError **error)
{
    const struct network_spec *network = &spec->network;
    struct link_spec cable = {"cable", network->wire.latency_ps, network->wire.rate_Bps, false};
    if (!link_numbers_valid(&cable, error))
        return false;
    if (network->topology == NETWORK_FULL && spec->node.gateway_count > 1)
        return error_set(error, "a fully connected network joins nodes of one gateway port each");
    if (network->topology == NETWORK_FULL && spec->nodes > MAX_FULL_NODES)
        return error_set(error, "a fully connected network has at most %d nodes, not %" PRId64,
                         MAX_FULL_NODES, spec->nodes);
    if (!network_has_ways(network->topology))
        return true;
    if (!count_valid("radix of a network lies", network->radix, 1, error) ||
        !count_valid("uplinks of a network lie", network->uplinks, 1, error) ||
        !count_valid("switches of a pod lie", network->pod, 0, error))
        return false;
    if (network->topology == NETWORK_DRAGONFLY)
        return dragonfly_valid(spec, error);
    return network->pod == 0 ||
           count_valid("uplinks of a pod of a fat tree lie", network->pod_uplinks, 1, error);
}

/* The number of a node's gateway called `name` (NULL: the first); the count if there is none. */
static size_t gateway_number(const struct node_graph *node, const char *name)
{
    size_t number = 0;
    while (name != NULL && number < node->gateway_count &&
           strcmp(node->gateways[number], name) != 0)
        number++;
    return number;
}

/* The vertex of one end of a hand-drawn cable: a gateway, those of all nodes counted through, or a switch, numbered behind them
 * in the order in which `switches` has come to know them. */
static bool cable_end(const struct drawn_ends *ends, const char *link, const char *name,
                      int *vertex, GError **error)
{
    (void)link;
    const struct platform_spec *spec = ends->spec;
    GHashTable *switches = ends->vertices;
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

/* No cables lead from the first gateway to this one. */
static bool refuse_apart(const struct platform_spec *spec, size_t gateway, GError **error)
{
    const struct node_graph *node = &spec->node;
    size_t count = node->gateway_count;
    if (count == 1)
        return error_set(error, "no cables join node0 to node%zu", gateway);
    return error_set(error, "no cables join node0.%s to node%zu.%s", node->gateways[0],
                     gateway / count, node->gateways[gateway % count]);
}

static bool drawn_network_valid(const struct platform_spec *spec, GError **error)
{
    size_t gateways = (size_t)spec->nodes * spec->node.gateway_count;
    if (spec->cable_count > MAX_LINKS)
        return error_set(error, "a network has at most %d cables", MAX_LINKS);
    g_autofree int *sets = separate_sets(gateways + 2 * spec->cable_count);
    g_autoptr(GHashTable) switches = g_hash_table_new(g_str_hash, g_str_equal);
    if (!links_valid(spec->cables, spec->cable_count, "cable", &(struct drawn_ends){spec, switches},
                     cable_end, sets, error))
        return false;
    for (size_t i = 1; i < gateways + g_hash_table_size(switches); i++)
        if (set_of(sets, (int)i) != set_of(sets, 0))
            return i < gateways ? refuse_apart(spec, i, error)
                                : error_set(error, "some switches of the network lead to no node");
    return true;
}

static bool network_valid(const struct platform_spec *spec, GError **error)
{
    if (spec->network.topology < NETWORK_STAR || spec->network.topology > NETWORK_DRAWN)
        return error_set(error, "unknown network topology %" PRId64, spec->network.topology);
    return spec->network.topology == NETWORK_DRAWN ? drawn_network_valid(spec, error)
                                                   : generated_network_valid(spec, error);
}

/* Leaves are at most the gateways and each further factor 65536, so the products do not overflow. */
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

/* Links of the whole platform, at most. */
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
    if (!node_valid(spec, error) || !gateways_valid(spec, error))
        return false;
    if (spec->nodes > 1 && !network_valid(spec, error))
        return false;
    int64_t links = spec->nodes > 1 ? count_links(spec) : (int64_t)spec->node.link_count;
    if (links > MAX_LINKS)
        return error_set(error, "the platform has %" PRId64 " links, more than %d", links,
                         MAX_LINKS);
    return true;
}
