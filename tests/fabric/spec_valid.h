/* SPDX-License-Identifier: BSD-3-Clause */
/* What must be true of a platform's description besides what platform_check looks at: of nodes, which the program draws itself
 * (models/topology.h), and of a network's numbers, which parameter tables bound. */
#pragma once

#include <string.h>

#include "core/error.h"
#include "fabric/platform.h"

static inline bool take_spec_name(GHashTable *names, const char *name, GError **error)
{
    if (!name || !*name)
        return error_set(error, "a port, switch or link has no name");
    for (const char *c = name; *c; c++)
        if (!g_ascii_isalnum(*c) && *c != '-' && *c != '_')
            return error_set(
                error, "the name \"%s\" has characters other than letters, digits, - and _", name);
    int number = (int)g_hash_table_size(names);
    return g_hash_table_insert(names, (gpointer)(uintptr_t)name, GINT_TO_POINTER(number)) ||
           error_set(error, "the name \"%s\" is used twice", name);
}

static inline bool node_names_valid(const struct node_graph *node, GHashTable *vertices,
                                    GError **error)
{
    if (node->port_count < 1)
        return error_set(error, "a node needs at least one port");
    for (size_t i = 0; i < node->port_count; i++)
        if (!take_spec_name(vertices, node->ports[i], error))
            return false;
    for (size_t i = 0; i < node->switch_count; i++)
        if (!take_spec_name(vertices, node->switches[i], error))
            return false;
    return true;
}

static inline bool link_numbers_valid(const struct link_spec *link, GError **error)
{
    if (link->latency_ps < 0)
        return error_set(error, "link \"%s\" has a negative latency", link->name);
    if (link->bandwidth_Bps <= 0)
        return error_set(error, "link \"%s\" needs a bandwidth above 0", link->name);
    return true;
}

/* The vertex at one end of a node's link; -1 and an error if it is none. */
static inline int link_end(GHashTable *vertices, const char *link, const char *name, GError **error)
{
    gpointer number;
    if (name && g_hash_table_lookup_extended(vertices, name, NULL, &number))
        return GPOINTER_TO_INT(number);
    error_set(error, "link \"%s\" leads to \"%s\", which is no port or switch of the node", link,
              name ? name : "");
    return -1;
}

/* Each vertex has in `sets` a number that all have that links join to it. */
static inline bool node_links_valid(const struct node_graph *node, GHashTable *vertices, int *sets,
                                    GError **error)
{
    size_t count = node->port_count + node->switch_count;
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < node->link_count; i++) {
        const struct node_link *drawn = &node->links[i];
        const char *name = drawn->link.name;
        if (!take_spec_name(names, name, error) || !link_numbers_valid(&drawn->link, error))
            return false;
        int from = link_end(vertices, name, drawn->from, error);
        int to = from >= 0 ? link_end(vertices, name, drawn->to, error) : -1;
        if (to < 0)
            return false;
        if (from == to)
            return error_set(error, "link \"%s\" leads from \"%s\" to itself", name, drawn->from);
        for (size_t k = 0, old = (size_t)sets[from]; k < count; k++)
            sets[k] = sets[k] == (int)old ? sets[to] : sets[k];
    }
    return true;
}

static inline bool gateways_valid(const struct platform_spec *spec, GError **error)
{
    const struct node_graph *node = &spec->node;
    g_autoptr(GHashTable) gateways = g_hash_table_new(g_str_hash, g_str_equal);
    if (spec->nodes > 1 && node->gateway_count == 0)
        return error_set(error, "nodes that a network joins need a gateway port");
    for (size_t i = 0; i < node->gateway_count; i++) {
        bool is_port = false;
        for (size_t k = 0; k < node->port_count; k++)
            is_port |= strcmp(node->ports[k], node->gateways[i]) == 0;
        if (!take_spec_name(gateways, node->gateways[i], error))
            return false;
        if (!is_port)
            return error_set(error, "the gateway \"%s\" is no port of the node", node->gateways[i]);
    }
    return true;
}

static inline bool node_valid(const struct platform_spec *spec, GError **error)
{
    const struct node_graph *node = &spec->node;
    g_autoptr(GHashTable) vertices = g_hash_table_new(g_str_hash, g_str_equal);
    if (!node_names_valid(node, vertices, error))
        return false;
    size_t count = node->port_count + node->switch_count;
    g_autofree int *sets = g_new(int, count);
    for (size_t i = 0; i < count; i++)
        sets[i] = (int)i;
    if (!node_links_valid(node, vertices, sets, error))
        return false;
    for (size_t i = 1; i < count; i++)
        if (sets[i] != sets[0])
            return error_set(error, "no links join \"%s\" to \"%s\"", node->ports[0],
                             i < node->port_count ? node->ports[i]
                                                  : node->switches[i - node->port_count]);
    return gateways_valid(spec, error);
}

/* --- the network's numbers -------------------------------------------------------------------- */

static inline bool count_valid(const char *what, int64_t count, int64_t least, GError **error)
{
    return (count >= least && count <= 65536) ||
           error_set(error, "the %s between %" PRId64 " and 65536, not %" PRId64, what, least,
                     count);
}

static inline bool network_numbers_valid(const struct network_spec *network, GError **error)
{
    struct link_spec cable = {"cable", network->wire.latency_ps, network->wire.rate_Bps, false};
    if (network->topology < NETWORK_STAR || network->topology > NETWORK_DRAWN)
        return error_set(error, "unknown network topology %" PRId64, network->topology);
    if (network->topology == NETWORK_DRAWN)
        return true;
    if (!link_numbers_valid(&cable, error))
        return false;
    if (!network_has_ways(network->topology))
        return true;
    return count_valid("radix of a network lies", network->radix, 1, error) &&
           count_valid("uplinks of a network lie", network->uplinks, 1, error) &&
           count_valid("switches of a pod lie", network->pod, 0, error) &&
           (network->topology == NETWORK_DRAGONFLY || network->pod == 0 ||
            count_valid("uplinks of a pod of a fat tree lie", network->pod_uplinks, 1, error));
}

/* Returns true, or false with one sentence (ERROR_USE). */
static inline bool platform_spec_valid(const struct platform_spec *spec, GError **error)
{
    return node_valid(spec, error) &&
           (spec->nodes == 1 || network_numbers_valid(&spec->network, error));
}
