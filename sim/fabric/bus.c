/* PCIe as transactions: store and forward of packets, link by link.
 *
 * A packet leaves a link when the link has sent what came before it and then this packet; it
 * reaches the far end a latency later. A request of more than the largest payload travels as that many packets back to back, counted in its bytes on
 * the wire.
 *
 * The order comes from the links alone: each is first in, first out, latencies are constants, and a
 * tie keeps the order in which packets set out; so of two packets on one way the first stays first.
 * Left out: credits (a receiver always has room), acknowledgements, relaxed ordering.
 *
 * The defaults are PCIe 3.0 x16: 8 GT/s on 16 lanes in 128b/130b code. Header: 4 B of framing with
 * the sequence number, 16 B of header with a 64-bit address, 4 B of LCRC (PCI Express Base
 * Specification 3.0, sections 2.2, 3.4 and 4.2.2). */
#include "fabric/bus.h"

#include <glib.h>
#include <inttypes.h>

#include "core/check.h"
#include "core/pool.h"
#include "core/wait.h"
#include "fabric/platform_private.h"

static const struct param parameters[] = {
    PARAM_TIME(latency, struct bus_spec, "90ns", "0", "1ms",
               "Latency of a link between a device and the root complex or switch."),
    PARAM_RATE(rate, struct bus_spec, "15.754GB/s", "1B/s", "1000TB/s",
               "Bandwidth of such a link, per direction."),
    PARAM_TIME(
        switch_latency, struct bus_spec, "50ns", "0", "1ms",
        "Time in which a packet or the head of a payload passes the root complex or a switch."),
    PARAM_BYTES(header, struct bus_spec, "24B", "0", "4KiB",
                "Bytes of transaction, link and physical layer around the payload of a packet."),
    PARAM_BYTES(max_payload, struct bus_spec, "256B", "1B", "64KiB",
                "Largest payload of one packet."),
};
PARAM_TABLE(bus_params, "bus", struct bus_spec, parameters,
            "PCIe within a node: links, root complex, packets.");

/* What is counted apart. */
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

/* One direction of a link, or both of a shared one. */
struct lane {
    struct bandwidth_server server;
    sim_time latency_ps;
    bool fat_pipe; /* packets do not wait for one another */
};

/* A request and where it is. The request comes first: the one is found from the other. */
struct packet {
    struct bus_request request;
    struct bus *bus;
    const struct platform_route *route;
    size_t hop;       /* of the route, the next to be passed */
    int64_t bytes;    /* on the wire */
    bool coming_back; /* as a completion */
    bool sent;
};

struct bus {
    struct sim *sim;
    struct platform *platform;
    struct bus_spec spec;
    int slots, first_port;
    int first_hop, lane_count; /* the node's links, as hops of the platform */
    struct lane *lanes;
    struct endpoint *endpoints; /* by slot */
    struct pool packets;
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
        bandwidth_server_init(&bus->lanes[i].server, link->bandwidth_Bps);
        bus->lanes[i].latency_ps = link->latency_ps;
        bus->lanes[i].fat_pipe = link->sharing == LINK_FAT_PIPE;
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

struct bus *bus_new(struct sim *sim, struct platform *platform, int64_t node,
                    const struct bus_spec *spec)
{
    check_always(node >= 0 && node < platform->layout->nodes, "no node %" PRId64 " for a bus",
                 node);
    struct bus *bus = g_new0(struct bus, 1);
    bus->sim = sim;
    bus->platform = platform;
    bus->spec = *spec;
    bus->slots = platform_slot_count(platform);
    bus->first_port = (int)node * bus->slots;
    bus->endpoints = g_new0(struct endpoint, (size_t)bus->slots);
    pool_init(&bus->packets, sizeof(struct packet));
    make_lanes(bus, node);
    make_stats(bus, node);
    return bus;
}

void bus_free(struct bus *bus)
{
    if (!bus)
        return;
    pool_clear(&bus->packets);
    g_free(bus->lanes);
    g_free(bus->endpoints);
    g_free(bus);
}

void bus_attach(struct bus *bus, int slot, const struct endpoint *endpoint)
{
    check_always(slot >= 0 && slot < bus->slots, "no slot %d on a bus of %d", slot, bus->slots);
    check_always(!bus->endpoints[slot].arrive, "slot %d of a bus has its device already", slot);
    bus->endpoints[slot] = *endpoint;
}

sim_time bus_link_latency_ps(const struct bus_spec *spec)
{
    return spec->latency_ps + spec->switch_latency_ps / 2;
}

/* --- what a request takes on the wire --------------------------------------------------------- */

static int64_t packet_count(const struct bus_spec *spec, int64_t payload_bytes)
{
    if (payload_bytes <= spec->max_payload_bytes)
        return 1;
    return (payload_bytes + spec->max_payload_bytes - 1) / spec->max_payload_bytes;
}

int64_t bus_wire_bytes(const struct bus_spec *spec, int64_t payload_bytes)
{
    return payload_bytes + packet_count(spec, payload_bytes) * spec->header_bytes;
}

/* A read's request carries no data, an atomic's its operands; a completion carries what was read.
 */
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

/* --- the way of a packet ---------------------------------------------------------------------- */

/* The request is over: its sender is told, then it goes back to the pool. */
static void finish(struct packet *packet)
{
    struct bus *bus = packet->bus;
    if (packet->request.done)
        packet->request.done(&packet->request, packet->request.argument);
    pool_give(&bus->packets, packet);
}

static void arrive(struct packet *packet)
{
    if (packet->coming_back) {
        finish(packet);
        return;
    }
    struct endpoint *endpoint = &packet->bus->endpoints[address_slot(packet->request.at)];
    endpoint->arrive(endpoint->device, &packet->request);
}

/* The lane of the next link of its route; a fat pipe has one here, where no packet waits. */
static struct lane *next_lane(struct packet *packet)
{
    size_t place = packet->hop++;
    platform_hop lane = packet->route->lanes[place];
    if (lane == PLATFORM_NO_LANE)
        lane = packet->route->hops[place];
    return &packet->bus->lanes[lane - packet->bus->first_hop];
}

/* When a packet given to the lane now has been sent. */
static sim_time send_through(struct lane *lane, sim_time now_ps, int64_t bytes)
{
    if (lane->fat_pipe)
        return now_ps + transfer_ps(bytes, lane->server.rate_Bps);
    return bandwidth_server_serve(&lane->server, now_ps, bytes);
}

/* Takes the packet over its next link, or hands it over at the end of the last one. */
static void go_on(void *argument)
{
    struct packet *packet = argument;
    struct bus *bus = packet->bus;
    if (packet->hop == packet->route->count) {
        arrive(packet);
        return;
    }
    struct lane *lane = next_lane(packet);
    sim_time at_ps = send_through(lane, sim_now(bus->sim), packet->bytes) + lane->latency_ps;
    event_schedule(bus->sim->events, at_ps, go_on, packet);
}

static void set_out(struct packet *packet, int from_slot, int to_slot)
{
    struct bus *bus = packet->bus;
    int64_t payload_bytes = payload_of(packet);
    enum packet_kind kind = kind_of(packet);
    packet->route =
        platform_route(bus->platform, bus->first_port + from_slot, bus->first_port + to_slot);
    packet->hop = 0;
    packet->bytes = bus_wire_bytes(&bus->spec, payload_bytes);
    stat_count(bus->packet_counts[kind], packet_count(&bus->spec, payload_bytes));
    stat_count(bus->byte_counts[kind], packet->bytes);
    if (packet->route->count == 0)
        event_schedule(bus->sim->events, sim_now(bus->sim), go_on, packet);
    else
        go_on(packet);
}

/* --- the devices' side ------------------------------------------------------------------------ */

struct bus_request *bus_request(struct bus *bus)
{
    struct packet *packet = pool_take(&bus->packets);
    packet->bus = bus;
    return &packet->request;
}

void bus_send(struct bus *bus, struct bus_request *request)
{
    struct packet *packet = (struct packet *)request;
    int to = address_slot(request->at);
    check_release(packet->bus == bus && !packet->sent, "a request is sent twice or elsewhere");
    check_release(request->bytes >= 0 && request->bytes <= BUS_DATA_BYTES,
                  "a request of %" PRId64 " bytes on the bus", request->bytes);
    check_release(request->from_slot >= 0 && request->from_slot < bus->slots && to < bus->slots &&
                      bus->endpoints[to].arrive,
                  "a request from slot %d to slot %d, where there is no device", request->from_slot,
                  to);
    packet->sent = true;
    set_out(packet, request->from_slot, to);
}

void bus_performed(struct bus *bus, struct bus_request *request)
{
    struct packet *packet = (struct packet *)request;
    check_release(packet->bus == bus && packet->sent && !packet->coming_back,
                  "a request is performed that has not arrived");
    if (request->op == BUS_WRITE || request->op == BUS_READ_STREAM) {
        finish(packet);
        return;
    }
    packet->coming_back = true;
    set_out(packet, address_slot(request->at), request->from_slot);
}
