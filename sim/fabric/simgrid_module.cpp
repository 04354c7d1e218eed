/* SPDX-License-Identifier: BSD-3-Clause */
/* SimGrid behind a table of C functions.
 *
 * Routes are ours (fabric/routes.h), so SimGrid's platform is a zone of two hosts, and every flow
 * goes from the one to the other: over the links that it is to share, which the zone hands to
 * SimGrid as their route at that moment. SimGrid asks for a route once a flow, when the flow starts,
 * and keeps none. tests/fabric/test_zones.c holds our routes against those of SimGrid's own zones.
 *
 * A link is made when a flow first uses it, one for each direction that has its own bandwidth. They
 * belong to a second zone, outside of SimGrid's platform, which it therefore does not close when it
 * begins to run.
 *
 * SimGrid's defaults are made for grids of computers, not for GPU fabrics. Set below, each pinned
 * by tests/fabric/test_simgrid_traps.c:
 *
 *   network/model CM02       the others scale bandwidth and latency by factors fitted to TCP
 *   network/crosstraffic no  else acknowledgements take 5 % of the way back
 *   network/TCP-gamma 0      else a window of 4 MiB a round trip caps each flow
 *   network/optim Lazy       only what changed is computed again
 *   surf/precision 1e-13     1 ns by default: events nearer than that are taken for one. Smaller
 *                            ones drown in the rounding of a clock of doubles after some minutes.
 */
#include "fabric/simgrid_module.h"

#include <signal.h>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

/* A C header, which calls a function as a struct is called. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#include "fabric/platform.h"
}
#pragma GCC diagnostic pop

namespace
{

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

/* SimGrid's flows are whole bytes, ours are not: one that went alone at first is handed over with a
 * fraction. So SimGrid is told grains instead of bytes, a power of two of them to the byte, which
 * leaves the mantissas of its doubles as they are. */
constexpr double grains = 65536;

/* The links of the flow that is being started. */
struct Way {
    const int32_t *hops = nullptr;
    size_t count = 0;
};

/* SimGrid's one engine and what we hold of it. Made by start and never freed. */
struct State {
    s4u::Engine *engine = nullptr;
    simgrid_host host = {};
    s4u::Host *from = nullptr, *to = nullptr; /* of every flow */
    s4u::NetZone *link_zone = nullptr;
    std::vector<s4u::Link *> links; /* by hop, as they are used */
    Way way;
    std::vector<s4u::Comm *> finished;  /* since the last advance */
    std::vector<s4u::Comm *> cancelled; /* likewise */
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

/* --- links and the way of a flow -------------------------------------------------------------- */

/* One direction of a link is a shared link of SimGrid's. */
s4u::Link *link_of(int32_t hop)
{
    const link_spec *spec = state->host.link(state->host.layout, static_cast<size_t>(hop) / 2);
    s4u::Link *&link = state->links[static_cast<size_t>(hop)];
    if (!link) {
        link = state->link_zone->create_link(std::to_string(hop),
                                             grains * static_cast<double>(spec->bandwidth_Bps));
        link->set_sharing_policy(s4u::Link::SharingPolicy::SHARED);
        link->seal();
    }
    return link;
}

/* A zone without routes of its own: between any two of its hosts leads the way of the flow that is
 * being started. */
class GivenWayZone : public routing::NetZoneImpl
{
  public:
    explicit GivenWayZone(const std::string &name) : NetZoneImpl(name)
    {
    }
    void get_local_route(const routing::NetPoint *, const routing::NetPoint *,
                         routing::Route *route, double *) override
    {
        if (state->way.count == 0)
            state->host.fail("asks for a route", "no flow starts");
        for (size_t i = 0; i < state->way.count; i++)
            route->link_list_.push_back(link_of(state->way.hops[i])->get_impl());
    }
};

/* Zones are SimGrid's once made; it makes its models with the first of them. */
void make_zones()
{
    auto *zone = new GivenWayZone("platform");
    state->from = zone->get_iface()->create_host("from", 1e9)->seal();
    state->to = zone->get_iface()->create_host("to", 1e9)->seal();
    zone->seal();
    auto *links = new GivenWayZone("links");
    links->set_network_model(zone->get_network_model());
    state->link_zone = links->get_iface();
}

/* --- what the program calls -------------------------------------------------------------------- */

const char *version()
{
    static char version[32];
    int major, minor, patch;
    sg_version_get(&major, &minor, &patch);
    std::snprintf(version, sizeof version, patch ? "%d.%d.%d" : "%d.%d", major, minor, patch);
    return version;
}

const char *start(const simgrid_host *host)
{
    static std::string said;
    try {
        state = new State;
        state->host = *host;
        start_engine();
        make_zones();
        return nullptr;
    } catch (const std::exception &exception) {
        said = exception.what();
        return said.c_str();
    }
}

double now_s()
{
    return s4u::Engine::get_clock();
}

double next_s()
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

/* The reference taken here is given back by advance after the flow has ended or been
 * cancelled: SimGrid signals the end of a cancelled flow a second time when it advances, and giving
 * the reference back inside that signal would free the flow under its feet. */
struct adapter_flow *flow_start(const int32_t *hops, size_t count, double bytes, void *cookie)
{
    if (state->links.empty())
        state->links.resize(2 * state->host.link_count(state->host.layout));
    try {
        s4u::CommPtr comm = s4u::Comm::sendto_init();
        comm->set_data(cookie);
        comm->add_ref();
        /* A flow of 0 never starts. */
        comm->set_payload_size(static_cast<uint64_t>(std::max(1.0, std::round(bytes * grains))));
        state->way = {hops, count};
        comm->set_source(state->from)->set_destination(state->to); /* which starts it */
        state->way = {};
        return reinterpret_cast<adapter_flow *>(comm.get());
    } catch (const std::exception &exception) {
        state->host.fail("starts no flow", exception.what());
    }
    return nullptr;
}

void flow_cancel(struct adapter_flow *flow)
{
    auto *comm = reinterpret_cast<s4u::Comm *>(flow);
    try {
        comm->set_data(nullptr);
        comm->cancel();
        state->cancelled.push_back(comm);
    } catch (const std::exception &exception) {
        state->host.fail("cancels no flow", exception.what());
    }
}

void advance(double to_s, adapter_ended_fn *ended, void *argument)
{
    try {
        /* run_until returns early at any event within 10 us of its limit, and refuses the past. */
        do
            state->engine->run_until(std::max(to_s, s4u::Engine::get_clock()));
        while (s4u::Engine::get_clock() < to_s);
    } catch (const std::exception &exception) {
        state->host.fail("stopped", exception.what());
    }
    for (auto *comm : state->cancelled)
        comm->unref();
    state->cancelled.clear();
    for (auto *comm : state->finished) {
        void *cookie = comm->get_data<void>();
        const double end_s = comm->get_finish_time();
        comm->unref();
        if (ended)
            ended(cookie, end_s, argument);
    }
    state->finished.clear();
}

} // namespace

extern "C" __attribute__((visibility("default"))) const simgrid_ops gpunetsim_simgrid_ops = {
    version, start, now_s, next_s, flow_start, flow_cancel, advance};
