/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's bus: PCIe as transactions.
 *
 * Requests travel in packets (header + data) over the links of the route between two ports of the
 * node: every link direction serialises them in order and adds its latency. Because each direction
 * is first-in-first-out, PCIe's ordering follows: a read pushes the posted writes before it, a
 * completion does not overtake posted writes of its direction. Bulk payloads go by transport: with those of ranks
 * packets take turns (fabric/link_use.h); of a NIC's own for kernels they would wait for at most one packet each, which
 * is left out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/param.h"
#include "core/sim.h"
#include "fabric/link_use.h"
#include "fabric/platform.h"
#include "fabric/port.h"
#include "fabric/wire.h"

/* Component "bus" of a machine file: the PCIe of a node. `latency` and `rate` are those of the link
 * between a device and the root complex or switch. */
#define BUS_ROWS(ROW)                                                                              \
    ROW(PART, wire, struct wire_spec, "", &wire_rows,                                              \
        "latency=90ns,rate=15.754GB/s,byte_energy=40pJ",                                           \
        "Link between a device and the root complex or switch: ")                                  \
    ROW(COUNT, root_links, "1", "1", "64",                                                         \
        "Bandwidth between root complex and CPU, as a number of links.")                           \
    ROW(TIME, switch_latency, "50ns", "0", "1ms",                                                  \
        "Time in which a packet or the head of a payload passes the root complex or a switch.")    \
    ROW(BYTES, header, "24B", "0", "4KiB",                                                         \
        "Bytes that the transaction, link and physical layers add to the payload of a packet.")    \
    ROW(BYTES, max_payload, "256B", "1B", "64KiB", "Largest payload of one packet.")
struct bus_spec {
    BUS_ROWS(PARAM_FIELD)
};
extern struct param_table bus_params;

struct bus;

/* The bus of `node`, over the links of the platform. Kept until bus_free. */
struct bus *bus_new(struct sim *sim, struct platform *platform, int64_t node,
                    const struct bus_spec *spec);
void bus_free(struct bus *bus);

/* Makes packets of the bus share links with the bulk of the transport that `use` belongs to. */
void bus_share_links(struct bus *bus, struct link_use *use);

/* Whether both slots are joined as NVLink joins two GPUs: by one link with no root complex or PCIe switch between, or by an
 * NVSwitch (bus_join_by_nvswitch). What is written over it is acknowledged by its target. */
bool bus_is_link(const struct bus *bus, int from_slot, int to_slot);

/* An NVSwitch joins these slots: it forwards the packets of NVLink and their acknowledgements. */
void bus_join_by_nvswitch(struct bus *bus, int from_slot, int to_slot);

/* The rate of the one link that joins both slots; 0 if there is none. */
int64_t bus_link_rate_Bps(const struct bus *bus, int from_slot, int to_slot);

/* Says that the rate between these slots is that of payloads: headers of packets take none of it. */
void bus_rate_is_of_payloads(struct bus *bus, int from_slot, int to_slot);

/* Attaches a device to the port in `slot`, one to each port. */
void bus_attach(struct bus *bus, int slot, const struct endpoint *endpoint);

/* Sets the function that attaches a slot's device when a request is first sent to the slot: `make(argument, slot)`. */
void bus_set_maker(struct bus *bus, void (*make)(void *argument, int slot), void *argument);
/* Puts a device in front of the one in `slot`, which is returned, and to which the new one passes requests on. For devices that
 * share a port. */
struct endpoint bus_replace(struct bus *bus, int slot, const struct endpoint *endpoint);

/* A fresh request from the bus's pool, all zero; then fill it in and bus_send it. */
struct bus_request *bus_request(struct bus *bus);

/* Writes without contents of `bytes` in `packets` that go from a slot to a device at `at` evenly over `duration_ps`
 * (above 0), the first of them `delay_ps` from now; then comes the request that ends the flow. Over one link only
 * (bus_link_rate_Bps). */
struct bus_flow_plan {
    int from_slot;
    address at;
    int64_t bytes, packets;
    sim_time duration_ps;
};
struct bus_flow *bus_flow_begin(struct bus *bus, const struct bus_flow_plan *plan,
                                sim_time delay_ps);

/* Sends it, `delay_ps` from now, from request->from_slot to the port of request->at. The bus owns it from this call on. A
 * sender that already knows when a request will be at its port says so at once, which takes no event. A shift of the request
 * lies within `delay_ps` and the target's way inward, whichever its sign: beyond them it is cut, so that shifts that are even
 * about 0 stay so. Of what the sender is ahead it takes at most the way home, so that no answer is back before its request is
 * made. */
void bus_send(struct bus *bus, struct bus_request *request, sim_time delay_ps);

/* The target device says that the request has been performed, or that it will have been `delay_ps`
 * from now: for a write or a stream read `done` is called then; else a completion with
 * request->data (or the old value in request->operand) sets out. */
void bus_performed(struct bus *bus, struct bus_request *request, sim_time delay_ps);

/* Latency of a link between a device and a switch of the node's platform: the cable's, and half of
 * the switch's, since every way through the switch takes two such links. In the platform, so that
 * bulk payloads pass the switch in the same time. */
static inline sim_time bus_link_latency_ps(const struct bus_spec *spec)
{
    return spec->wire.latency_ps + spec->switch_latency_ps / 2;
}

/* Packets that a payload of so many bytes takes: at least one. */
int64_t bus_packet_count(const struct bus_spec *spec, int64_t payload_bytes);

/* Bytes on the wire for a payload: payload plus a header for each packet. */
static inline int64_t bus_wire_bytes(const struct bus_spec *spec, int64_t payload_bytes)
{
    return payload_bytes + bus_packet_count(spec, payload_bytes) * spec->header_bytes;
}

/* Counts bytes that a device streams to `at` without requests of the bus, for the energy of links and memory. */
void bus_count_stream(struct bus *bus, int from_slot, address at, int64_t bytes);

/* Adds to `link_bytes`, by link of the platform, what packets of this bus have sent over each so far in both directions,
 * with their headers. */
void bus_add_link_bytes(const struct bus *bus, int64_t *link_bytes);

/* Statistics by kind: packets and wire bytes of writes, reads, atomics, completions are registered
 * in the simulation's registry under "nodeN.bus". */
