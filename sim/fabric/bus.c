/* SPDX-License-Identifier: BSD-3-Clause */
/* PCIe as transactions: store and forward of packets, link by link.
 *
 * A packet leaves a link when the link has sent all earlier packets and then this one; it reaches the far end a latency later.
 * A request of more than the largest payload travels as that many packets back to back, counted in its bytes on the wire.
 *
 * The order comes from the links alone: each is first in, first out, latencies are constants, and a
 * tie keeps the order in which packets set out; so of two packets on one path the first stays first.
 * Left out: credits (a receiver always has room), acknowledgements, relaxed ordering. */
#include "fabric/bus.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>

#include "core/check.h"
#include "core/param_use.h"
#include "core/pool.h"
#include "fabric/lane.h"
#include "fabric/platform_private.h"

/* The kinds of packets that are counted separately. */
enum packet_kind { PACKET_WRITE, PACKET_READ, PACKET_ATOMIC, PACKET_COMPLETION, PACKET_KINDS };

static const struct stat_info packet_stats[PACKET_KINDS] = {
    {"write_packets", "1", "packets of posted writes sent"},
    {"read_packets", "1", "packets of read requests sent"},
    {"atomic_packets", "1", "packets of atomic requests sent"},
    {"completion_packets", "1", "packets of completions sent"},
};
static const struct stat_info byte_stats[PACKET_KINDS] = {
    {"write_bytes", "B", "bytes on the wire of posted writes, with headers"},
    {"read_bytes", "B", "bytes on the wire of read requests, with headers"},
    {"atomic_bytes", "B", "bytes on the wire of atomic requests, with headers"},
    {"completion_bytes", "B", "bytes on the wire of completions, with headers"},
};

/* A request and its position on the way. The request is the first member, so that the packet is found by its address. */
struct packet {
    struct bus_request request;
    struct bus *bus;
    struct slot_path *path;
    sim_time beyond_ps;        /* time from the last lane until it is handed over */
    event_handle next;         /* its arrival, or its announcement at the lane of `put_off` */
    struct list_link unsteady; /* among the packets whose paths have to be worked out */
    size_t steady_stops;       /* how many of `stops` are worked out */
    struct lane_stop *put_off;
    bool is_unsteady;
    bool is_put_off;  /* the lane of `put_off` was full: it is announced on arrival */
    bool coming_back; /* the packet travels as a completion */
    bool sent;
    struct lane_stop stops[]; /* one for each lane of the path */
};

struct bus_flow {
    struct lane_stop begin; /* the flow's begin at its only lane */
};

/* The path from one port to another. */
struct slot_path {
    size_t count;
    bool is_switched;     /* bus_join_by_nvswitch */
    bool carries_headers; /* bus_rate_is_of_payloads */
    int64_t sent_bytes;   /* bytes on the wire so far */
    struct lane **lanes;
    struct wire **
        wires; /* by size_class; NULL: never used, and the platform does not know it as used (platform_watch) */
};

/* The size of a payload's packets on the wire of a path, in all and on each of its lanes. */
struct wire {
    int64_t payload_bytes, asked_packets; /* bus_request.packets */
    int64_t bytes, packets;
    struct lane_wire {
        int64_t bytes;
        struct bandwidth_work work; /* at the lane's rate */
    } lanes[];
};

/* A path keeps the sizes on the wire of one payload in each class: 0, 1, 2 to 3, 4 to 7, ..., from 64 bytes on. */
#define SIZE_CLASSES 8

static inline size_t size_class(int64_t payload_bytes)
{
    int bits = 63 - __builtin_clzll(2 * (uint64_t)payload_bytes + 1);
    return (size_t)MIN(bits, SIZE_CLASSES - 1);
}

struct bus {
    struct sim *sim;
    struct platform *platform;
    struct bus_spec spec;
    uint64_t *used; /* which values of the spec were read (core/param_use.h) */
    int slots, first_port;
    int first_hop, lane_count; /* the node's links, as hops of the platform */
    struct lane *lanes;
    struct link_use *use;       /* NULL: no transport shares the links */
    struct slot_path *paths;    /* at index from_slot * slots + to_slot */
    struct endpoint *endpoints; /* by slot */
    void (*make)(void *argument, int slot);
    void *make_argument;
    struct pool packets, flows;
    uint64_t announced;   /* packets */
    uint32_t track;       /* the track of packets' spans; 0: none yet */
    struct list unsteady; /* packets whose paths have to be worked out (again) */
    struct stat_counter *packet_counts[PACKET_KINDS], *byte_counts[PACKET_KINDS];
};

/* --- making ----------------------------------------------------------------------------------- */

static void make_lanes(struct bus *bus, int64_t node)
{
    int links = bus->platform->layout->node_link_count;
    bus->lane_count = 2 * links;
    bus->first_hop = (int)node * bus->lane_count;
    bus->lanes = g_new0(struct lane, (size_t)bus->lane_count);
    for (int i = 0; i < bus->lane_count; i++) {
        const struct link_spec *link =
            platform_link(bus->platform, (size_t)(bus->first_hop + i) / 2);
        bus->lanes[i].rate_Bps = link->bandwidth_Bps;
        bus->lanes[i].latency_ps = link->latency_ps;
        bus->lanes[i].header_free = link->is_payload_rate;
    }
}

static void make_stats(struct bus *bus, int64_t node)
{
    g_autofree char *path = g_strdup_printf("node%" PRId64 ".bus", node);
    for (int kind = 0; kind < PACKET_KINDS; kind++) {
        bus->packet_counts[kind] = stat_counter_new(bus->sim->stats, path, &packet_stats[kind]);
        bus->byte_counts[kind] = stat_counter_new(bus->sim->stats, path, &byte_stats[kind]);
    }
}

/* Makes the paths and returns the number of lanes of the longest one. */
static size_t make_paths(struct bus *bus)
{
    size_t most = 0;
    bus->paths = g_new0(struct slot_path, (size_t)(bus->slots * bus->slots));
    for (int i = 0; i < bus->slots * bus->slots; i++) {
        const struct platform_route *route =
            routes_look(bus->platform->routes, bus->first_port + i / bus->slots, -1, -1,
                        bus->first_port + i % bus->slots);
        struct slot_path *path = &bus->paths[i];
        *path =
            (struct slot_path){.count = route->count, .lanes = g_new(struct lane *, route->count)};
        for (size_t place = 0; place < route->count; place++)
            path->lanes[place] = &bus->lanes[route->hops[place] - bus->first_hop];
        most = MAX(most, path->count);
    }
    return most;
}

struct bus *bus_new(struct sim *sim, struct platform *platform, int64_t node,
                    const struct bus_spec *spec)
{
    check_always(node >= 0 && node < platform->layout->nodes, "no node %" PRId64 " for a bus",
                 node);
    struct bus *bus = g_new0(struct bus, 1);
    bus->sim = sim;
    bus->platform = platform;
    bus->spec = *spec;
    bus->used = param_use_of(&sim->uses, &bus_params);
    bus->slots = platform->layout->ports;
    bus->first_port = (int)node * bus->slots;
    bus->endpoints = g_new0(struct endpoint, (size_t)bus->slots);
    make_lanes(bus, node);
    pool_init(&bus->packets, sizeof(struct packet) + make_paths(bus) * sizeof(struct lane_stop));
    pool_init(&bus->flows, sizeof(struct bus_flow));
    make_stats(bus, node);
    return bus;
}

void bus_free(struct bus *bus)
{
    if (!bus)
        return;
    pool_clear(&bus->packets);
    pool_clear(&bus->flows);
    for (int i = 0; i < bus->slots * bus->slots; i++) {
        struct slot_path *path = &bus->paths[i];
        for (size_t k = 0; path->wires != NULL && k < SIZE_CLASSES; k++)
            g_free(path->wires[k]);
        g_free(path->wires);
        g_free(path->lanes);
    }
    g_free(bus->paths);
    g_free(bus->lanes);
    g_free(bus->endpoints);
    g_free(bus);
}

void bus_share_links(struct bus *bus, struct link_use *use)
{
    bus->use = use;
}

bool bus_is_link(const struct bus *bus, int from_slot, int to_slot)
{
    const struct slot_path *path = &bus->paths[from_slot * bus->slots + to_slot];
    return path->count == 1 || path->is_switched;
}

void bus_join_by_nvswitch(struct bus *bus, int from_slot, int to_slot)
{
    bus->paths[from_slot * bus->slots + to_slot].is_switched = true;
}

int64_t bus_link_rate_Bps(const struct bus *bus, int from_slot, int to_slot)
{
    const struct slot_path *path = &bus->paths[from_slot * bus->slots + to_slot];
    return path->count == 1 ? path->lanes[0]->rate_Bps : 0;
}

void bus_rate_is_of_payloads(struct bus *bus, int from_slot, int to_slot)
{
    bus->paths[from_slot * bus->slots + to_slot].carries_headers = true;
}

void bus_attach(struct bus *bus, int slot, const struct endpoint *endpoint)
{
    check_always(slot >= 0 && slot < bus->slots, "no slot %d on a bus of %d", slot, bus->slots);
    check_always(!bus->endpoints[slot].arrive, "slot %d of a bus has its device already", slot);
    bus->endpoints[slot] = *endpoint;
}

void bus_set_maker(struct bus *bus, void (*make)(void *argument, int slot), void *argument)
{
    bus->make = make;
    bus->make_argument = argument;
}

struct endpoint bus_replace(struct bus *bus, int slot, const struct endpoint *endpoint)
{
    check_always(slot >= 0 && slot < bus->slots && bus->endpoints[slot].arrive,
                 "no device in slot %d of a bus to stand before", slot);
    struct endpoint before = bus->endpoints[slot];
    bus->endpoints[slot] = *endpoint;
    return before;
}

/* --- what a request takes on the wire --------------------------------------------------------- */

/* The payload of a packet: none for a read request, the operands for an atomic, the data read for a completion. */
static int64_t payload_of(const struct packet *packet)
{
    const struct bus_request *request = &packet->request;
    if (packet->coming_back || request->op == BUS_WRITE)
        return request->bytes;
    if (request->op == BUS_READ || request->op == BUS_READ_STREAM)
        return 0;
    return request->atomic == ATOMIC_COMPARE_SWAP ? 2 * request->bytes : request->bytes;
}

static enum packet_kind kind_of(const struct packet *packet)
{
    if (packet->coming_back)
        return PACKET_COMPLETION;
    switch (packet->request.op) {
    case BUS_READ:
    case BUS_READ_STREAM:
        return PACKET_READ;
    case BUS_ATOMIC:
        return PACKET_ATOMIC;
    default:
        return PACKET_WRITE;
    }
}

void bus_add_link_bytes(const struct bus *bus, int64_t *link_bytes)
{
    for (int i = 0; i < bus->slots * bus->slots; i++) {
        const struct slot_path *path = &bus->paths[i];
        for (size_t k = 0; k < path->count && path->sent_bytes > 0; k++)
            link_bytes[(bus->first_hop + (path->lanes[k] - bus->lanes)) / 2] += path->sent_bytes;
    }
}

/* --- the path of a packet --------------------------------------------------------------------- */

/* Ends a request: tells its sender, then gives the packet back to the pool. */
static void finish(void *argument)
{
    struct packet *packet = argument;
    struct bus *bus = packet->bus;
    if (packet->request.done)
        packet->request.done(&packet->request, packet->request.argument);
    pool_give(&bus->packets, packet);
}

/* Records the packet's span from its first lane until it is handed over. */
static void observe_packet(const struct packet *packet)
{
    static const char *const names[] = {"write", "read", "atomic", "completion"};
    struct bus *bus = packet->bus;
    struct observe *observe = &bus->sim->observe;
    if (bus->track == 0) {
        char path[32];
        snprintf(path, sizeof path, "node%d.bus", bus->first_hop / bus->lane_count);
        bus->track = observe_track(observe, path, "packets");
    }
    observe_span(observe, bus->track, names[kind_of(packet)], packet->stops[0].arrives_ps,
                 sim_now(bus->sim), 0);
}

/* Hands over a packet that has passed its lanes and the path from the port into the device. */
static void arrive(struct packet *packet)
{
    struct bus *bus = packet->bus;
    if (observe_wants_spans(&bus->sim->observe) && packet->path->count > 0)
        observe_packet(packet);
    sim_time now_ps = sim_now(bus->sim);
    for (size_t i = 0, count = packet->path->count; i < count; i++)
        if (packet->stops[i].is_waiting)
            lane_forget(packet->stops[i].lane, now_ps);
    if (packet->request.flow != NULL)
        pool_give(&bus->flows, packet->request.flow);
    if (packet->coming_back) {
        finish(packet);
        return;
    }
    struct endpoint *endpoint = &bus->endpoints[address_slot(packet->request.at)];
    endpoint->arrive(endpoint->device, &packet->request);
}

/* Notes that the path of a packet beyond `stop` has to be worked out (again). The begin of a flow has no further path. */
static void note_unsteady(void *argument, struct lane_stop *stop)
{
    struct bus *bus = argument;
    struct packet *packet = stop->packet;
    if (packet == NULL)
        return;
    size_t hop = (size_t)(stop - packet->stops);
    if (packet->is_unsteady) {
        packet->steady_stops = hop < packet->steady_stops ? hop : packet->steady_stops;
        return;
    }
    packet->is_unsteady = true;
    packet->steady_stops = hop;
    list_append(&bus->unsteady, &packet->unsteady);
}

static void go_on(void *argument);

static void schedule_next(struct packet *packet, sim_time at_ps)
{
    struct event_queue *events = packet->bus->sim->events;
    if (!event_reschedule(events, packet->next, at_ps))
        packet->next = event_schedule(events, at_ps, go_on, packet);
}

/* Announces the packet at its lane `hop`. The last of its packets leaves the previous lane at `last_ps`. At a full lane it is
 * announced just before it arrives. */
static void announce_at(struct packet *packet, size_t hop, sim_time last_ps)
{
    struct bus *bus = packet->bus;
    struct lane_stop *stop = &packet->stops[hop];
    sim_time now_ps = sim_now(bus->sim);
    stop->arrives_ps = last_ps - stop->behind_ps;
    packet->is_put_off =
        !stop->is_waiting && stop->arrives_ps > now_ps + 1 && lane_is_full(stop->lane, now_ps);
    packet->put_off = stop;
    if (packet->is_put_off)
        schedule_next(packet, stop->arrives_ps - 1);
    else
        lane_announce(stop, now_ps, note_unsteady, bus);
}

/* Works out the path of each packet that has moved at a lane, and of the packets that move because of it. */
static void settle(struct bus *bus)
{
    struct packet *packet;
    while ((packet = LIST_TAKE(&bus->unsteady, struct packet, unsteady)) != NULL) {
        packet->is_unsteady = false;
        size_t hop = packet->steady_stops;
        const struct lane_stop *stop = &packet->stops[hop];
        sim_time at_ps = stop->sent_ps + stop->lane->latency_ps;
        if (hop + 1 < packet->path->count)
            announce_at(packet, hop + 1, at_ps);
        else
            schedule_next(packet, at_ps + packet->beyond_ps);
    }
}

/* The next event of a packet: it reaches a lane that was full, or arrives at its target. */
static void go_on(void *argument)
{
    struct packet *packet = argument;
    struct bus *bus = packet->bus;
    if (!packet->is_put_off) {
        arrive(packet);
        return;
    }
    packet->is_put_off = false;
    packet->next = 0;
    lane_announce(packet->put_off, sim_now(bus->sim), note_unsteady, bus);
    settle(bus);
}

/* A packet's bytes on a lane. A packet without a payload has its header on every lane. */
static int64_t bytes_on(const struct bus *bus, const struct lane *lane, int64_t payload_bytes,
                        int64_t wire_bytes)
{
    if (lane->header_free && payload_bytes > 0)
        return payload_bytes;
    PARAM_NOTE(bus->used, &bus->spec, header_bytes);
    if (payload_bytes > 1)
        PARAM_NOTE(bus->used, &bus->spec, max_payload_bytes);
    return wire_bytes;
}

/* The bytes that a lane sends for a request: its own and, if bulk is under way there, a packet of bulk before each packet. */
static int64_t bytes_of_turn(const struct bus *bus, const struct lane *lane, int64_t bytes,
                             int64_t packets)
{
    platform_hop hop = (platform_hop)(bus->first_hop + (lane - bus->lanes));
    if (!link_use_packet(bus->use, hop, bytes))
        return bytes;
    return bytes + packets * (PARAM_READ(bus->used, &bus->spec, max_payload_bytes) +
                              PARAM_READ(bus->used, &bus->spec, header_bytes));
}

/* Works out the sizes of a payload's packets, and notes the parameters that they depend on. */
static void fill_wire(const struct bus *bus, const struct slot_path *path, struct wire *wire)
{
    const struct bus_spec *spec = &bus->spec;
    int64_t payload_bytes = wire->payload_bytes;
    wire->packets =
        wire->asked_packets > 0 ? wire->asked_packets : bus_packet_count(spec, payload_bytes);
    int64_t headers_bytes = wire->packets * spec->header_bytes;
    wire->bytes =
        path->carries_headers ? MAX(payload_bytes, headers_bytes) : payload_bytes + headers_bytes;
    if (!path->carries_headers || payload_bytes < spec->header_bytes)
        PARAM_NOTE(bus->used, spec, header_bytes);
    if (!path->carries_headers && payload_bytes > 1)
        PARAM_NOTE(bus->used, spec, max_payload_bytes);
    for (size_t i = 0; i < path->count; i++) {
        int64_t bytes = bytes_on(bus, path->lanes[i], payload_bytes, wire->bytes);
        wire->lanes[i] = (struct lane_wire){bytes, bandwidth_work(path->lanes[i]->rate_Bps, bytes)};
    }
}

static __attribute__((noinline)) const struct wire *keep_wire(const struct bus *bus,
                                                              const struct slot_path *path,
                                                              int64_t payload_bytes,
                                                              int64_t packets)
{
    struct wire **place = &path->wires[size_class(payload_bytes)];
    struct wire *wire = g_realloc(*place, sizeof *wire + path->count * sizeof wire->lanes[0]);
    wire->payload_bytes = payload_bytes;
    wire->asked_packets = packets;
    fill_wire(bus, path, wire);
    return *place = wire;
}

/* The sizes of a payload's packets: those that the path has kept, or that it keeps from now on. */
static inline const struct wire *wire_of(const struct bus *bus, const struct slot_path *path,
                                         int64_t payload_bytes, int64_t packets)
{
    const struct wire *wire = path->wires[size_class(payload_bytes)];
    if (wire != NULL && wire->payload_bytes == payload_bytes && wire->asked_packets == packets)
        return wire;
    return keep_wire(bus, path, payload_bytes, packets);
}

/* Adds to a stop what a flow, bulk on its link, or several packets, the first `behind_ps` before the last, make of it. Returns
 * by how much the first packet leaves before the last. */
static __attribute__((noinline)) sim_time
complete_stop(struct lane_stop *stop, const struct wire *wire, size_t hop, sim_time behind_ps)
{
    const struct packet *packet = stop->packet;
    int64_t rate_Bps = stop->lane->rate_Bps;
    int64_t bytes = bytes_of_turn(packet->bus, stop->lane, wire->lanes[hop].bytes, wire->packets);
    stop->work = bandwidth_work(rate_Bps, bytes);
    if (packet->request.flow != NULL)
        stop->flow_Bps = -packet->request.flow->begin.flow_Bps;
    if (wire->asked_packets <= 1 || packet->path->count <= 1)
        return 0;
    int64_t one_bytes = bytes / wire->packets;
    stop->arrives_ps -= behind_ps;
    stop->behind_ps = behind_ps;
    stop->spread_ps = behind_ps > 0 ? behind_ps + transfer_ps(one_bytes, rate_Bps) : 0;
    return MAX(behind_ps, transfer_ps(bytes - one_bytes, rate_Bps));
}

/* Fills in the packet's stops, and announces it at its lanes as long as it is behind all other packets there. Returns the first
 * lane where it is not, with the time of its arrival there in `at_ps`; or the number of lanes, with the time at which it has
 * passed them. */
static inline size_t announce_behind_others(struct packet *packet, const struct wire *wire,
                                            sim_time now_ps, sim_time *at_ps)
{
    const struct link_use *use = packet->bus->use;
    bool is_plain = packet->request.packets <= 1 && packet->request.flow == NULL &&
                    (use == NULL || use->bulk == NULL);
    uint64_t number = packet->bus->announced++;
    size_t count = packet->path->count, passed = 0;
    sim_time arrives_ps = *at_ps;
    sim_time behind_ps = 0; /* how far the first of several packets is ahead of the last */
    for (size_t hop = 0; hop < count; hop++) {
        struct lane_stop *stop = &packet->stops[hop];
        stop->packet = packet;
        stop->lane = packet->path->lanes[hop];
        stop->number = number;
        stop->work = wire->lanes[hop].work;
        stop->flow_Bps = stop->behind_ps = stop->spread_ps = 0;
        stop->arrives_ps = arrives_ps;
        stop->is_waiting = false;
        if (!is_plain)
            behind_ps = complete_stop(stop, wire, hop, behind_ps);
        if (hop > passed || !lane_announce_last(stop, now_ps))
            continue;
        arrives_ps = stop->sent_ps + stop->lane->latency_ps;
        passed++;
    }
    *at_ps = arrives_ps;
    return passed;
}

/* The path between two slots. Its first use asks the platform for the route, so that the platform tells its watcher of it. */
static struct slot_path *path_between(struct bus *bus, int from_slot, int to_slot)
{
    struct slot_path *path = &bus->paths[from_slot * bus->slots + to_slot];
    if (path->wires == NULL) {
        platform_route(bus->platform, bus->first_port + from_slot, bus->first_port + to_slot);
        path->wires = g_new0(struct wire *, SIZE_CLASSES);
    }
    return path;
}

/* Counts a packet, and its bytes for the energy of links. */
static void count_wire(struct bus *bus, struct slot_path *path, enum packet_kind kind,
                       const struct wire *wire)
{
    path->sent_bytes += wire->bytes;
    stat_count(bus->packet_counts[kind], wire->packets);
    stat_count(bus->byte_counts[kind], wire->bytes);
}

void bus_count_stream(struct bus *bus, int from_slot, address at, int64_t bytes)
{
    path_between(bus, from_slot, address_slot(at))->sent_bytes += bytes;
}

/* Sends the packet from its port `delay_ps` from now; it is handed over `beyond_ps` after its last
 * lane. */
static void set_out(struct packet *packet, int from_slot, int to_slot, sim_time delay_ps,
                    sim_time beyond_ps)
{
    struct bus *bus = packet->bus;
    struct slot_path *path = path_between(bus, from_slot, to_slot);
    const struct wire *wire = wire_of(bus, path, payload_of(packet), packet->request.packets);
    sim_time now_ps = sim_now(bus->sim), leaves_ps = now_ps + delay_ps;
    packet->path = path;
    packet->beyond_ps = beyond_ps;
    packet->next = 0;
    count_wire(bus, path, kind_of(packet), wire);
    size_t hop = announce_behind_others(packet, wire, now_ps, &leaves_ps);
    if (hop == path->count) {
        packet->next = event_schedule(bus->sim->events, leaves_ps + beyond_ps, go_on, packet);
        return;
    }
    announce_at(packet, hop, leaves_ps);
    settle(bus);
}

struct bus_flow *bus_flow_begin(struct bus *bus, const struct bus_flow_plan *plan,
                                sim_time delay_ps)
{
    struct slot_path *path = path_between(bus, plan->from_slot, address_slot(plan->at));
    const struct wire *wire = wire_of(bus, path, plan->bytes, plan->packets);
    check_release(path->count == 1, "a flow over %zu links", path->count);
    struct bus_flow *flow = pool_take(&bus->flows);
    struct lane *lane = path->lanes[0];
    int64_t bytes = bytes_of_turn(bus, lane, wire->lanes[0].bytes, wire->packets);
    count_wire(bus, path, PACKET_WRITE, wire);
    flow->begin = (struct lane_stop){.lane = lane,
                                     .flow_Bps = muldiv_ceil(bytes, PS_PER_S, plan->duration_ps),
                                     .number = bus->announced++,
                                     .arrives_ps = sim_now(bus->sim) + delay_ps};
    lane_announce(&flow->begin, sim_now(bus->sim), note_unsteady, bus);
    settle(bus);
    return flow;
}

/* --- the devices' side ------------------------------------------------------------------------ */

struct bus_request *bus_request(struct bus *bus)
{
    struct packet *packet = pool_take_unset(&bus->packets); /* its stops are set when it sets out */
    *packet = (struct packet){.bus = bus};
    return &packet->request;
}

void bus_send(struct bus *bus, struct bus_request *request, sim_time delay_ps)
{
    struct packet *packet = (struct packet *)request;
    int to = address_slot(request->at);
    if (to < bus->slots && !bus->endpoints[to].arrive && bus->make)
        bus->make(bus->make_argument, to);
    check_release(packet->bus == bus && !packet->sent, "a request is sent twice or elsewhere");
    check_release(request->bytes >= 0 &&
                      request->bytes <= MAX(request->packets, 1) * BUS_DATA_BYTES,
                  "a request of %" PRId64 " bytes on the bus", request->bytes);
    check_release(request->from_slot >= 0 && request->from_slot < bus->slots && to < bus->slots &&
                      bus->endpoints[to].arrive,
                  "a request from slot %d to slot %d, where there is no device", request->from_slot,
                  to);
    packet->sent = true;
    sim_time inbound_ps = bus->endpoints[to].inbound_ps, leaves_ps = delay_ps;
    if (request->shift_ps != 0) {
        sim_time back_ps = MIN(request->ahead_ps, request->homeward_ps);
        sim_time room_ps = delay_ps - request->ahead_ps + back_ps + inbound_ps;
        leaves_ps += CLAMP(request->shift_ps, -room_ps, room_ps);
    }
    set_out(packet, request->from_slot, to, MAX(leaves_ps, 0), inbound_ps + MIN(leaves_ps, 0));
}

void bus_performed(struct bus *bus, struct bus_request *request, sim_time delay_ps)
{
    struct packet *packet = (struct packet *)request;
    check_release(packet->bus == bus && packet->sent && !packet->coming_back,
                  "a request is performed that has not arrived");
    if (request->op == BUS_WRITE || request->op == BUS_READ_STREAM) {
        if (delay_ps == 0 || request->done == NULL)
            finish(packet);
        else
            event_schedule(bus->sim->events, sim_now(bus->sim) + delay_ps, finish, packet);
        return;
    }
    packet->coming_back = true;
    set_out(packet, address_slot(request->at), request->from_slot, delay_ps, request->homeward_ps);
}
