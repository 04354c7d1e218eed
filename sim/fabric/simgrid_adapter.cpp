/* SimGrid behind a C header.
 *
 * Zones: each node is a Floyd zone (ports are hosts, switches are routers; graphs of a dozen
 * vertices, whose look-ups are then quick), and the network is the root zone that joins them: Star,
 * FatTree, Full, or Floyd if hand-drawn. A route between nodes leads through their gateways.
 *
 * SimGrid's defaults are made for grids of computers, not for GPU fabrics. Set below, each pinned
 * by tests/fabric/test_simgrid_traps.c: network/model CM02       the others scale bandwidth and
 * latency by factors fitted to TCP network/crosstraffic no  else acknowledgements take 5 % of the
 * way back network/TCP-gamma 0      else a window of 4 MiB a round trip caps each flow
 *   network/optim Lazy       only what changed is computed again
 *   surf/precision 1e-13     1 ns by default: events nearer than that are taken for one. Smaller
 *                            ones drown in the rounding of a clock of doubles after some minutes.
 */
#include "fabric/simgrid_adapter.h"

#include <signal.h>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/* C headers: they say _Noreturn, and call a function as a struct is called. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#define _Noreturn [[noreturn]]
#include "core/check.h"
#undef _Noreturn
#include "fabric/layout.h"
}
#pragma GCC diagnostic pop

namespace
{

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;
using Direction = s4u::LinkInRoute::Direction;

/* SimGrid's flows are whole bytes, ours are not: one that went alone at first is handed over with a
 * fraction. So SimGrid is told grains instead of bytes, a power of two of them to the byte, which
 * leaves the mantissas of its doubles as they are. */
constexpr double grains = 65536;

/* SimGrid's one engine and what we hold of it. Made by adapter_build and never freed. */
struct State {
    s4u::Engine *engine = nullptr;
    const layout *plan = nullptr;
    std::vector<s4u::Host *> hosts;                       /* by port */
    std::unordered_map<const s4u::Link *, int32_t> links; /* to the layout's number */
    std::vector<s4u::Comm *> finished;                    /* since the last advance */
    std::vector<s4u::Comm *> cancelled;                   /* likewise */
};
State *state;

/* --- the engine ------------------------------------------------------------------------------- */

/* Keeps SimGrid's hands off what belongs to the program: Ctrl-C, crashes, uncaught exceptions. */
class HandlerGuard
{
    static constexpr std::array<int, 3> signals{SIGINT, SIGSEGV, SIGBUS};
    std::array<struct sigaction, signals.size()> before;
    std::terminate_handler terminate = std::get_terminate();

  public:
    HandlerGuard()
    {
        for (size_t i = 0; i < signals.size(); i++)
            sigaction(signals[i], nullptr, &before[i]);
    }
    ~HandlerGuard()
    {
        for (size_t i = 0; i < signals.size(); i++)
            sigaction(signals[i], &before[i], nullptr);
        std::set_terminate(terminate);
    }
    HandlerGuard(const HandlerGuard &) = delete;
    HandlerGuard &operator=(const HandlerGuard &) = delete;
};

void start_engine()
{
    static char name[] = "gpunetsim", quiet[] = "--log=root.thresh:critical";
    static char *arguments[] = {name, quiet, nullptr};
    int count = 2;
    HandlerGuard guard;
    state->engine = new s4u::Engine(&count, arguments);
    for (const char *setting :
         {"network/model:CM02", "network/crosstraffic:no", "network/TCP-gamma:0",
          "network/optim:Lazy", "surf/precision:1e-13"})
        s4u::Engine::set_config(setting);
    s4u::Activity::on_completion_cb([](const s4u::Activity &activity) {
        auto *comm = dynamic_cast<const s4u::Comm *>(&activity);
        if (comm && comm->get_data<void>()) /* cancelled ones have none */
            state->finished.push_back(const_cast<s4u::Comm *>(comm));
    });
}

/* --- the platform ----------------------------------------------------------------------------- */

std::string owned(char *text)
{
    std::string copy(text);
    g_free(text);
    return copy;
}

s4u::Link::SharingPolicy policy_of(int64_t sharing)
{
    switch (static_cast<link_sharing>(sharing)) {
    case LINK_SHARED:
        return s4u::Link::SharingPolicy::SHARED;
    case LINK_FAT_PIPE:
        return s4u::Link::SharingPolicy::FATPIPE;
    default:
        return s4u::Link::SharingPolicy::SPLITDUPLEX;
    }
}

/* Makes link `number` of the layout in `zone`, as part of a route along its drawing. */
s4u::LinkInRoute make_link(s4u::NetZone *zone, size_t number)
{
    const link_spec *spec = layout_link(state->plan, number);
    const std::string name = owned(layout_link_name(state->plan, number));
    const double bandwidth = grains * static_cast<double>(spec->bandwidth_Bps);
    const auto id = static_cast<int32_t>(number);
    if (spec->sharing == LINK_SPLIT_DUPLEX) {
        auto *link = zone->create_split_duplex_link(name, bandwidth);
        link->seal();
        state->links[link->get_link_up()] = id;
        state->links[link->get_link_down()] = id;
        return s4u::LinkInRoute(link, Direction::UP);
    }
    auto *link = zone->create_link(name, bandwidth);
    link->set_sharing_policy(policy_of(spec->sharing));
    link->seal();
    state->links[link] = id;
    return s4u::LinkInRoute(link);
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
    auto *gateway = plan->gateway < 0 ? nullptr : points[static_cast<size_t>(plan->gateway)];
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
    std::map<int, int> leaf_of, spine_of; /* SimGrid's number of a switch to ours */

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
        grains * static_cast<double>(network.rate_Bps), 0.0, policy_of(network.sharing));
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

/* --- the C side ------------------------------------------------------------------------------- */

const char *adapter_simgrid_version()
{
    static char version[32];
    int major, minor, patch;
    sg_version_get(&major, &minor, &patch);
    std::snprintf(version, sizeof version, patch ? "%d.%d.%d" : "%d.%d", major, minor, patch);
    return version;
}

bool adapter_build(const struct layout *layout, char *why, size_t why_size)
{
    check_always(!state, "SimGrid holds one platform a process");
    try {
        state = new State;
        state->plan = layout;
        state->hosts.resize(static_cast<size_t>(layout->nodes) *
                            static_cast<size_t>(layout->ports));
        start_engine();
        make_platform();
        return true;
    } catch (const std::exception &exception) {
        std::snprintf(why, why_size, "%s", exception.what());
        return false;
    }
}

size_t adapter_route(int from_port, int to_port, int32_t *links, size_t capacity)
{
    std::vector<s4u::Link *> route;
    try {
        state->hosts[static_cast<size_t>(from_port)]->route_to(
            state->hosts[static_cast<size_t>(to_port)], route, nullptr);
    } catch (const std::exception &exception) {
        check_always(false, "SimGrid finds no route: %s", exception.what());
    }
    for (size_t i = 0; i < std::min(route.size(), capacity); i++)
        links[i] = state->links.at(route[i]);
    return route.size();
}

double adapter_now_s()
{
    return s4u::Engine::get_clock();
}

double adapter_next_s()
{
    const double now = s4u::Engine::get_clock();
    double next = HUGE_VAL;
    for (auto *model : state->engine->get_all_models()) {
        const double wait = model->next_occurring_event(now);
        if (wait >= 0)
            next = std::min(next, now + wait);
    }
    return next;
}

/* The reference taken here is given back by adapter_advance after the flow has ended or been
 * cancelled: SimGrid signals the end of a cancelled flow a second time when it advances, and giving
 * the reference back inside that signal would free the flow under its feet. */
struct adapter_flow *adapter_flow_start(int from_port, int to_port, double bytes, void *cookie)
{
    try {
        s4u::CommPtr comm = s4u::Comm::sendto_init();
        comm->set_data(cookie);
        comm->add_ref();
        /* A flow of 0 never starts. */
        comm->set_payload_size(static_cast<uint64_t>(std::max(1.0, std::round(bytes * grains))));
        comm->set_source(state->hosts[static_cast<size_t>(from_port)])
            ->set_destination(state->hosts[static_cast<size_t>(to_port)]);
        return reinterpret_cast<adapter_flow *>(comm.get());
    } catch (const std::exception &exception) {
        check_always(false, "SimGrid starts no flow: %s", exception.what());
    }
    return nullptr;
}

void adapter_flow_cancel(struct adapter_flow *flow)
{
    auto *comm = reinterpret_cast<s4u::Comm *>(flow);
    try {
        comm->set_data(nullptr);
        comm->cancel();
        state->cancelled.push_back(comm);
    } catch (const std::exception &exception) {
        check_always(false, "SimGrid cancels no flow: %s", exception.what());
    }
}

void adapter_advance(double to_s, adapter_ended_fn *ended, void *argument)
{
    try {
        /* run_until returns early at any event within 10 us of its limit, and refuses the past. */
        do
            state->engine->run_until(std::max(to_s, s4u::Engine::get_clock()));
        while (s4u::Engine::get_clock() < to_s);
    } catch (const std::exception &exception) {
        check_always(false, "SimGrid stopped: %s", exception.what());
    }
    for (auto *comm : state->cancelled)
        comm->unref();
    state->cancelled.clear();
    for (auto *comm : state->finished) {
        void *cookie = comm->get_data<void>();
        const double end_s = comm->get_finish_time();
        comm->unref();
        ended(cookie, end_s, argument);
    }
    state->finished.clear();
}
