/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform: which ports there are and which links join them.
 *
 * A platform is described here in our own terms (struct platform_spec). Its routes are put together
 * here too (fabric/routes.h); the bus and the transports move what they are given over their links.
 * SimGrid is told of the links that transfers share, and of nothing else.
 *
 * Every node has the same ports of devices (cpu, gpu, nic) and the same switches between them (a
 * PCIe root complex), joined by the same links, whose rates and latencies may be a kind of nodes' own. The network
 * joins the nodes' gateway ports (the NICs). A node with several gateways has as many rails: gateway k of each node is
 * joined to the network by a cable of its own. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/param.h"
#include "core/simtime.h"
#include "fabric/wire.h"

struct link_spec {
    const char *name; /* unique in its node or in the network: "pcie-gpu0" */
    sim_time latency_ps;
    int64_t bandwidth_Bps; /* of each direction, which has it for itself */
    bool is_payload_rate;  /* the bandwidth is that of payloads: headers have been subtracted */
};

/* A link of a node, between ports or switches; or a cable of a hand-drawn network, between gateways of nodes ("node0.nic1"; the
 * first is "node0", too) and switches (any other name). Routes take the fewest cables; among ways of equally few cables the
 * destination chooses, as in a fat tree. */
struct node_link {
    const char *from, *to;
    struct link_spec link;
};

/* What stands in one node; every node has the same. Arrays are the caller's and are copied. */
struct node_graph {
    const char *const *ports; /* "cpu0", "gpu0", "nic0" */
    size_t port_count;
    const char *const *switches; /* "root0" */
    size_t switch_count;
    const struct node_link *links;
    size_t link_count;
    const char *const *gateways; /* ports by which the node is joined to the network, in the order
                                    of rails; none if it stands alone */
    size_t gateway_count;
    size_t
        end_count; /* how many of the last ports no route passes through (GPUs, NICs; routes may pass a CPU that joins two sockets) */
};

enum network_topology {
    NETWORK_STAR,     /* every node's cable to one non-blocking switch */
    NETWORK_FAT_TREE, /* two or three levels of switches, `radix` nodes a leaf, each leaf joined to
                         `uplinks` spines; with `pod` leaves under the same spines, each of which is
                         joined to `pod_uplinks` cores */
    NETWORK_RAIL_TREE, /* the same, but each of `radix` nodes' gateways, by its number, has a leaf of its own: rails meet
                          at the spines only */
    NETWORK_DRAGONFLY, /* groups of `pod` routers, each with `radix` nodes and `uplinks` global cables (fabric/dragonfly.h) */
    NETWORK_FULL,      /* a cable between every two nodes, of one gateway each */
    NETWORK_DRAWN,     /* hand-drawn: `cables` between nodes' gateways and switches */
};

static inline bool network_is_tree(int64_t topology)
{
    return topology == NETWORK_FAT_TREE || topology == NETWORK_RAIL_TREE;
}

static inline bool network_has_leaves(int64_t topology)
{
    return network_is_tree(topology) || topology == NETWORK_DRAGONFLY;
}

/* Whether there may be several ways of the fewest cables, for `routing` to choose from. */
static inline bool network_has_ways(int64_t topology)
{
    return network_has_leaves(topology) || topology == NETWORK_DRAWN;
}

enum network_routing {
    ROUTING_STATIC, /* the destination chooses among the ways of the fewest cables */
    ROUTING_ADAPTIVE, /* each transfer takes the one with the fewest bytes under way (fabric/adaptive.h) */
};

/* Component "network" of a machine file: enum network_topology, one cable, enum network_routing; the text of `cables` is what
 * fabric/cables.h reads (param_words). */
extern const struct param_record cables_words;
#define NETWORK_ROWS(ROW)                                                                             \
    ROW(ENUM, topology, "star",                                                                       \
        CHOICES("star", "fat-tree", "rail-tree", "dragonfly", "full", "drawn"),                       \
        "How the nodes are joined: star (one switch), fat-tree (leaf switches under spines), "        \
        "rail-tree (a fat tree with a leaf switch for each of its nodes' rails), dragonfly "          \
        "(groups of routers), "                                                                       \
        "full (a cable between every two nodes) or drawn (cable by cable).")                          \
    ROW(PART, wire, struct wire_spec, "", &wire_rows,                                                 \
        "latency=150ns,rate=12.5GB/s,byte_energy=100pJ", "Cable: ")                                   \
    ROW(COUNT, radix, "18", "1", "65536",                                                             \
        "Nodes at a leaf switch of a fat tree, or at a router of a dragonfly.")                       \
    ROW(COUNT, uplinks, "18", "1", "65536",                                                           \
        "Cables from a leaf switch of a fat tree upwards, each to a spine of its own; or from a "     \
        "router of a dragonfly to other groups.")                                                     \
    ROW(COUNT, pod, "0", "0", "65536",                                                                \
        "Leaf switches of a fat tree under the same spines, of three levels, or routers of a "        \
        "group of a dragonfly; 0: all of them.")                                                      \
    ROW(COUNT, pod_uplinks, "18", "1", "65536",                                                       \
        "Cables from a spine of a fat tree of three levels upwards, each to a core switch of its "    \
        "own.")                                                                                       \
    ROW(ENUM, routing, "static", CHOICES("static", "adaptive"),                                       \
        "What chooses among paths: static (the destination, one of the fewest cables) or "            \
        "adaptive (each transfer takes the path with the fewest bytes in flight; of a dragonfly "     \
        "also a longer one, if it has fewer by more than it is longer).")                             \
    ROW(WORD_LIST, cables, &cables_words,                                                             \
        "Cables of a drawn network, such as { \"node0..3 leaf0\", \"leaf0..1 spine0 x2 25GB/s 1us\" " \
        "}: two ends, then how many "                                                                 \
        "cables, their rate and their latency where they are not one, network.rate and "              \
        "network.latency.")
struct network_spec {
    NETWORK_ROWS(PARAM_FIELD)
};
extern struct param_table network_params;

/* A kind of nodes with its own rates and latencies of links and cables. */
struct platform_kind {
    const struct node_link *links; /* node_graph's, in its order and between the same ends */
    struct wire_spec
        cable; /* from a gateway to the network's switch; of one between two nodes the slower end counts */
};

/* The most kinds of nodes that a platform has besides `node`. */
#define PLATFORM_KINDS_MOST 8

struct platform_spec {
    const char *name;
    int64_t nodes;
    struct node_graph node;
    const struct platform_kind *kinds;
    size_t kind_count;
    const uint8_t
        *kind_of; /* by node: 0: as `node` says, else 1 + the number of its kind; NULL: all 0 */
    struct network_spec network;
    const struct node_link *cables; /* NETWORK_DRAWN only */
    size_t cable_count;
};

/* Whether the numbers of a description are within their bounds. False comes with one sentence (ERROR_USE). Whether hand-drawn
 * cables make a network is found when they are laid out (layout_new). */
bool platform_check(const struct platform_spec *spec, GError **error);

struct platform;

/* The platform of this process. One process holds one at a time and for good (SimGrid's limit): a second call with an equal
 * spec returns the first one, with another spec it is an error (ERROR_TAKEN), unless platform_drop freed it before. A single
 * node (`nodes` of 1) has no network, whatever `network` says. */
struct platform *platform_get(const struct platform_spec *spec, GError **error);

/* Frees this process's platform, of which nothing may be in use any longer, so that another one can be made. False if SimGrid has
 * started: then it stays. */
bool platform_drop(void);

/* The version of SimGrid ("3.32"), which is loaded for that. NULL and an error if it cannot be loaded. */
const char *platform_simgrid_version(GError **error);

/* To be called before processes are forked. Loads SimGrid if one of those forked since the first call has loaded it: later ones then
 * need not. */
void platform_share_simgrid(void);

/* Whether this process has started SimGrid, for flows that share links; and starts it beforehand, for processes forked
 * later, if there is a platform. */
bool platform_has_simgrid(void);
void platform_prepare_simgrid(void);

/* The port called `name` ("gpu0") of `node`; -1 if there is none. Ports are numbered from 0. */
int platform_port(const struct platform *platform, int64_t node, const char *name);
int platform_port_count(const struct platform *platform);
const char *platform_port_name(const struct platform *platform, int port); /* "node0.gpu0" */

/* A link in one direction: link number * 2, + 1 against the direction in which it was drawn. */
typedef int32_t platform_hop;

struct platform_route {
    const platform_hop *hops; /* owned by the platform */
    size_t count;
    int middle; /* the first of the hops that other ways can replace (platform_ways); -1: none */
    int middle_count;
    bool is_detour;        /* the route belongs to one transfer alone (fabric/adaptive.h) */
    sim_time latency_ps;   /* sum over the hops */
    int64_t bandwidth_Bps; /* smallest of the hops */
};

/* The way from one port to another; looked up once and kept, in some 200 bytes. Within a node it has
 * the fewest links. A port to itself has no hops.
 *
 * Between nodes it leads through a gateway of each, numbered as in node_graph.gateways. `via` takes
 * both from the caller, -1 for the default: the gateway nearest to `from` (fewest links, then the
 * smallest number), and on the other side `to` itself if that is a gateway, else the one of the
 * same number (rail k leads to rail k). Within a node a way leads through a gateway if `via` names the same one twice. */
const struct platform_route *platform_route(struct platform *platform, int from, int to);
const struct platform_route *platform_route_via(struct platform *platform, int from, int gateway,
                                                int to_gateway, int to);

/* The gateway of this number, or the next one of its node to which a cable leads, if a hand-drawn network has none for it: it is
 * out of use. */
int platform_cabled_gateway(const struct platform *platform, int64_t node, int gateway);

/* Sets the function that is called for each route when it is first asked for; NULL: none. */
typedef void platform_told(void *context, const struct platform_route *route);
void platform_watch(struct platform *platform, platform_told *told, void *context);

/* The alternative ways for the middle of a route: how many have the fewest cables, and how many are longer. */
struct platform_ways {
    int shortest, longer;
};

/* The most hops of a route's middle that has other ways. */
#define PLATFORM_MOST_MIDDLE 16

size_t platform_link_count(const struct platform *platform);
const struct link_spec *platform_link(const struct platform *platform, size_t link);

/* The node that a link lies in; -1: a cable of the network. */
int64_t platform_link_node(const struct platform *platform, size_t link);

/* The port at an end of a cable of the network (the first, if both ends are ports); -1 for a link within a node or between
 * switches. */
int platform_cable_port(const struct platform *platform, size_t link);

/* The whole platform as text: Graphviz, and a SimGrid XML file for smpirun in which port P of node
 * N is the host "nodeN.P". The XML spells out a route for every two ports: its size grows with the
 * square of their number. The caller frees them with g_free. */
char *platform_to_dot(const struct platform *platform, bool first_node_only);
char *platform_to_simgrid_xml(struct platform *platform);
