/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports, by which devices reach each other.
 *
 * A device attaches an endpoint to its port and answers what arrives there; GPU, NIC and host know
 * each other only by addresses. The bus (fabric/bus.h) carries the requests: posted writes, and
 * non-posted reads and atomics whose completions come back.
 *
 * Addresses are 64 bits: the port within the node in the upper 16, the offset in that device in the
 * lower 48. They mean something within one node only; another node's memory is reached through
 * NICs by (node, address). */
#pragma once

#include <stdint.h>

#include "core/simtime.h"

typedef uint64_t address;

#define ADDRESS_OFFSET_BITS 48
#define ADDRESS_NONE UINT64_MAX

/* `slot` is the number of the port within its node, in the order of node_graph.ports. */
static inline address address_make(int slot, uint64_t offset)
{
    return ((address)slot << ADDRESS_OFFSET_BITS) | offset;
}
static inline int address_slot(address at)
{
    return (int)(at >> ADDRESS_OFFSET_BITS);
}
static inline uint64_t address_offset(address at)
{
    return at & ((UINT64_C(1) << ADDRESS_OFFSET_BITS) - 1);
}

/* Device registers (doorbells) lie in the upper half of a device's offsets, memory in the lower: a
 * store to a register is ordered behind the stores before it, but no release waits for it. */
#define ADDRESS_REGISTERS (UINT64_C(1) << (ADDRESS_OFFSET_BITS - 1))
static inline int address_is_register(address at)
{
    return (at & ADDRESS_REGISTERS) != 0;
}

enum bus_op {
    BUS_WRITE,       /* posted: no completion comes back */
    BUS_READ,        /* non-posted: a completion with data comes back */
    BUS_READ_STREAM, /* a read whose data leave by transport: no completion comes back, `done` is
                        called at the target when the first data are ready */
    BUS_ATOMIC,      /* non-posted: fetch-and-op at the target, the old value comes back */
};

enum atomic_op { ATOMIC_ADD, ATOMIC_SWAP, ATOMIC_COMPARE_SWAP };

/* Bytes that one request can carry along; larger payloads travel by transport, without contents. */
#define BUS_DATA_BYTES 64

/* A flow of writes without contents between two ports (bus_flow_begin in fabric/bus.h). */
struct bus_flow;

/* One request on its way. Made by the sender with bus_request (fabric/bus.h), valid until its
 * `done` has returned. */
struct bus_request {
    enum bus_op op;
    enum atomic_op atomic;
    int from_slot;
    bool is_flush; /* a read that only pushes the posted writes before it */
    address at;
    int64_t bytes; /* written or read; <= BUS_DATA_BYTES a packet */
    int64_t
        packets; /* 0: one packet; else a write of so many packets without contents, back to back */
    struct bus_flow *flow;        /* the flow that these packets end; NULL: none */
    int64_t flowed_bytes;         /* bytes of the flow before them, from `at` on */
    uint64_t operand;             /* atomics */
    uint64_t compare;             /* ATOMIC_COMPARE_SWAP */
    uint8_t data[BUS_DATA_BYTES]; /* of a write; of a completion */

    /* Called when the completion is back (read, atomic), or when a write has been performed at its
     * target: for the sender's own books and for tests, a real sender of posted writes does not
     * learn it. NULL for none. */
    void (*done)(struct bus_request *request, void *argument);
    void *argument;
    sim_time homeward_ps; /* read, atomic: from the sender's port to where `done` is called */
    sim_time shift_ps;    /* by how much its arrival at the target is later or, below 0, earlier */
    sim_time ahead_ps;    /* how much later than now its sender makes it */
};

/* How a device handles requests: it is called `inbound_ps` after a request's arrival at its port, when the request is where it is
 * performed, and calls bus_performed (fabric/bus.h) then or later. */
struct endpoint {
    void (*arrive)(void *device, struct bus_request *request);
    void *device;
    sim_time inbound_ps;
};
