/* SPDX-License-Identifier: BSD-3-Clause */
/* SimGrid's own zones for a layout: each node is a Floyd zone (ports are hosts, switches are
 * routers), and the network is the root zone that joins them: Star, FatTree, Full, or Floyd if
 * hand-drawn. A zone has one gateway. */
#include "simgrid_zones.h"

#include <simgrid/s4u.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/* C headers: a function is called as a struct is called. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#include "fabric/layout.h"
}
#pragma GCC diagnostic pop

namespace
{

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;
using Direction = s4u::LinkInRoute::Direction;

struct State {
    s4u::Engine *engine = nullptr;
    const layout *plan = nullptr;
    std::vector<s4u::Host *> hosts;                       /* by port */
    std::unordered_map<const s4u::Link *, int32_t> links; /* to the layout's number */
};
State *state;

std::string owned(char *text)
{
    std::string copy(text);
    g_free(text);
    return copy;
}

/* Makes link `number` of the layout in `zone`, as part of a route along its drawing. */
s4u::LinkInRoute make_link(s4u::NetZone *zone, size_t number)
{
    const link_spec *spec = layout_link(state->plan, number);
    const std::string name = owned(layout_link_name(state->plan, number));
    const double bandwidth = static_cast<double>(spec->bandwidth_Bps);
    const auto id = static_cast<int32_t>(number);
    auto *link = zone->create_split_duplex_link(name, bandwidth);
    link->seal();
    state->links[link->get_link_up()] = id;
    state->links[link->get_link_down()] = id;
    return s4u::LinkInRoute(link, Direction::UP);
}

/* A node under `parent`: returns its zone's netpoint and its gateway's. */
std::pair<NetPoint *, NetPoint *> make_node(s4u::NetZone *parent, int node)
{
    const layout *plan = state->plan;
    auto *zone = s4u::create_floyd_zone("node" + std::to_string(node));
    zone->set_parent(parent);
    std::vector<NetPoint *> points;
    for (int i = 0; i < plan->vertices; i++) {
        const std::string name = owned(layout_vertex_name(plan, node * plan->vertices + i));
        if (i >= plan->ports) {
            points.push_back(zone->create_router(name));
            continue;
        }
        auto *host = zone->create_host(name, 1e9)->seal();
        state->hosts[static_cast<size_t>(node * plan->ports + i)] = host;
        points.push_back(host->get_netpoint());
    }
    for (int i = 0; i < plan->node_link_count; i++) {
        const link_ends ends = plan->node_ends[i];
        const auto number = static_cast<size_t>(node) * static_cast<size_t>(plan->node_link_count) +
                            static_cast<size_t>(i);
        zone->add_route(points[static_cast<size_t>(ends.from)],
                        points[static_cast<size_t>(ends.to)], nullptr, nullptr,
                        {make_link(zone, number)});
    }
    zone->seal();
    auto *gateway =
        plan->gateway_count == 0 ? nullptr : points[static_cast<size_t>(plan->gateways[0])];
    return {zone->get_netpoint(), gateway};
}

/* A switch of a hand-drawn network: a Floyd zone joins zones only, so it has one of its own. */
std::pair<NetPoint *, NetPoint *> make_switch(s4u::NetZone *parent, const std::string &name)
{
    auto *zone = s4u::create_full_zone(name + ".zone");
    zone->set_parent(parent);
    auto *router = zone->create_router(name);
    zone->seal();
    return {zone->get_netpoint(), router};
}

/* The place of a vertex at the end of a cable among all nodes, then all switches. */
size_t point_of(int vertex)
{
    const int nodes = state->plan->nodes, first_switch = nodes * state->plan->vertices;
    return static_cast<size_t>(vertex >= first_switch ? nodes + vertex - first_switch
                                                      : vertex / state->plan->vertices);
}

/* All nodes and switches under `root`, and a route for every cable. */
void make_graph(s4u::NetZone *root)
{
    const layout *plan = state->plan;
    std::vector<std::pair<NetPoint *, NetPoint *>> points;
    for (int node = 0; node < plan->nodes; node++)
        points.push_back(make_node(root, node));
    for (size_t i = 0; i < plan->switch_names->len; i++)
        points.push_back(
            make_switch(root, static_cast<const char *>(plan->switch_names->pdata[i])));
    for (size_t i = layout_link_count(plan) - plan->cables->len; i < layout_link_count(plan); i++) {
        const link_ends ends = layout_link_ends(plan, i);
        const auto &from = points[point_of(ends.from)], &to = points[point_of(ends.to)];
        root->add_route(from.first, to.first, from.second, to.second, {make_link(root, i)});
    }
    root->seal();
}

/* In a star zone a route leads from a node to anywhere; the switch is the zone itself. */
void make_star()
{
    const layout *plan = state->plan;
    auto *root = s4u::create_star_zone("network");
    const size_t first_cable = layout_link_count(plan) - plan->cables->len;
    for (int node = 0; node < plan->nodes; node++) {
        const auto point = make_node(root, node);
        root->add_route(point.first, nullptr, point.second, nullptr,
                        {make_link(root, first_cable + static_cast<size_t>(node))});
    }
    root->seal();
}

/* SimGrid makes a fat tree's cables itself and calls them link_from_CHILD_PARENT_SERIAL[_UP|_DOWN].
 * Computers are numbered from 0, leaf by leaf; switches in an order of SimGrid's own. So the number
 * of a leaf switch is learnt from the computers below it, and the rest are the spines. */
class FatTreeCables
{
    struct Cable {
        const s4u::Link *link;
        int child, parent;
    };
    std::vector<Cable> cables;
    /* SimGrid's number of a switch to ours; it counts switches downwards from -1. */
    std::map<int, int, std::greater<>> leaf_of, spine_of;

  public:
    explicit FatTreeCables(const std::vector<s4u::Link *> &all)
    {
        for (const auto *link : all) {
            int child, parent;
            if (std::sscanf(link->get_cname(), "link_from_%d_%d_", &child, &parent) == 2)
                cables.push_back({link, child, parent});
        }
        const layout *plan = state->plan;
        const int radix = static_cast<int>(plan->network.radix);
        for (const auto &cable : cables)
            if (cable.child < radix * plan->leaves)
                leaf_of[cable.parent] = cable.child / radix;
        for (const auto &cable : cables)
            if (leaf_of.count(cable.parent) == 0)
                spine_of[cable.parent] = 0;
        int spines = 0;
        for (auto &spine : spine_of)
            spine.second = spines++;
    }

    /* Our numbers of the cables; a cable to an empty place at a leaf has none. */
    void number_cables() const
    {
        const layout *plan = state->plan;
        const auto first = static_cast<int32_t>(layout_link_count(plan) - plan->cables->len);
        for (const auto &cable : cables) {
            const auto spine = spine_of.find(cable.parent);
            if (spine != spine_of.end())
                state->links[cable.link] =
                    first + plan->nodes +
                    leaf_of.at(cable.child) * static_cast<int>(plan->network.uplinks) +
                    spine->second;
            else if (cable.child < plan->nodes)
                state->links[cable.link] = first + cable.child;
        }
    }
};

void make_fat_tree()
{
    const network_spec &network = state->plan->network;
    const auto radix = static_cast<unsigned>(network.radix),
               leaves = static_cast<unsigned>(state->plan->leaves),
               uplinks = static_cast<unsigned>(network.uplinks);
    const s4u::ClusterCallbacks nodes(
        [](s4u::NetZone *zone, const std::vector<unsigned long> &, unsigned long id) {
            if (id < static_cast<unsigned long>(state->plan->nodes))
                return make_node(zone, static_cast<int>(id));
            auto *empty = zone->create_router("empty" + std::to_string(id));
            return std::pair<NetPoint *, NetPoint *>{empty, nullptr};
        });
    auto *root = s4u::create_fatTree_zone(
        "network", nullptr, s4u::FatTreeParams(2, {radix, leaves}, {1, uplinks}, {1, 1}), nodes,
        static_cast<double>(network.wire.rate_Bps), 0.0, s4u::Link::SharingPolicy::SPLITDUPLEX);
    root->seal();
    FatTreeCables(state->engine->get_all_links()).number_cables();
}

void make_platform()
{
    if (state->plan->nodes == 1 || state->plan->network.topology == NETWORK_FULL)
        make_graph(s4u::create_full_zone("network"));
    else if (state->plan->network.topology == NETWORK_STAR)
        make_star();
    else if (state->plan->network.topology == NETWORK_FAT_TREE)
        make_fat_tree();
    else
        make_graph(s4u::create_floyd_zone("network"));
}

} // namespace

extern "C" void zones_build(const struct layout *layout)
{
    static char name[] = "zones", quiet[] = "--log=root.thresh:critical";
    static char *arguments[] = {name, quiet, nullptr};
    int count = 2;
    state = new State;
    state->plan = layout;
    state->hosts.resize(static_cast<size_t>(layout->nodes) * static_cast<size_t>(layout->ports));
    state->engine = new s4u::Engine(&count, arguments);
    make_platform();
}

extern "C" size_t zones_route(int from_port, int to_port, int32_t *links, size_t capacity)
{
    std::vector<s4u::Link *> route;
    state->hosts[static_cast<size_t>(from_port)]->route_to(
        state->hosts[static_cast<size_t>(to_port)], route, nullptr);
    for (size_t i = 0; i < route.size() && i < capacity; i++)
        links[i] = state->links.at(route[i]);
    return route.size();
}
