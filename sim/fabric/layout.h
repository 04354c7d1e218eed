/* SPDX-License-Identifier: BSD-3-Clause */
/* How a platform's vertices and links are numbered: routes, transports and the SimGrid adapter look it up here.
 *
 * Vertices: node after node, in each its ports and then its switches; behind the last node the
 * switches of the network. Links: node after node, in each as drawn; behind them the network's
 * cables. So what is alike in every node is stored once, and links once for each kind of nodes. */
#pragma once

#include <glib.h>

#include "fabric/dragonfly.h"
#include "fabric/platform.h"

struct link_ends {
    int from, to;
};

/* Read-only once made. */
struct layout {
    int nodes;
    int ports, vertices; /* of one node: the number of its ports; and of its ports and switches */
    const char **names;  /* names of a node's vertices */
    int *gateways;       /* vertices within the node */
    int gateway_count;   /* 0 if the node has no network */
    /* By gateway, node after node: whether a hand-drawn cable leads to it; NULL: to all. */
    bool *cabled;
    int first_end; /* no route passes through this vertex and later ports */

    int node_link_count;
    struct link_spec *node_links; /* of the first kind of nodes, then of the second, and so on */
    uint8_t *kind_of;             /* by node; NULL: all are of kind 0 */
    struct wire_spec *wires;      /* cables from a gateway, by kind of nodes */
    struct link_ends *node_ends;  /* vertices within the node */

    struct network_spec network;
    int leaves; /* fat tree: leaf switches; the spines follow them, pod after pod, then the cores */
    int pods;   /* fat tree: 1 if it has two levels */
    struct dragonfly dragonfly;
    int leaf_cables; /* fat tree: the first cable between switches, among the cables; else 0 */
    GPtrArray *switch_names;
    GArray *cables;     /* struct link_spec */
    GArray *cable_ends; /* struct link_ends, vertices of the whole platform */

    GStringChunk *strings; /* owns every name */
};

/* The layout of a description whose numbers are within their bounds; freed by layout_free. NULL and one sentence (ERROR_USE) if
 * cables of a hand-drawn network have unusable or doubled names or ends, or leave switches or nodes apart. */
struct layout *layout_new(const struct platform_spec *spec, GError **error);
void layout_free(struct layout *layout);

/* How many vertices and links the layout has: their numbers are from 0 to these less 1. */
static inline int layout_vertex_count(const struct layout *layout)
{
    return layout->nodes * layout->vertices + (int)layout->switch_names->len;
}
static inline size_t layout_link_count(const struct layout *layout)
{
    return (size_t)layout->nodes * (size_t)layout->node_link_count + layout->cables->len;
}

/* The vertex of a port, numbered as in platform.h. */
static inline int layout_port_vertex(const struct layout *layout, int port)
{
    return port / layout->ports * layout->vertices + port % layout->ports;
}

/* "node0.gpu0", "leaf1"; "node0.pcie-gpu0", "cable-node0". The caller frees them with g_free. */
char *layout_vertex_name(const struct layout *layout, int vertex);
char *layout_link_name(const struct layout *layout, size_t link);

const struct link_spec *layout_link(const struct layout *layout, size_t link);
struct link_ends layout_link_ends(const struct layout *layout, size_t link);

/* The first of a node's gateways from this one on, and on from the first after the last, to which a cable leads. */
int layout_cabled_gateway(const struct layout *layout, int node, int gateway);

/* The leaf switch of a fat tree, or router, that a node's gateway has its cable to. */
int layout_leaf(const struct layout *layout, int node, int gateway);
