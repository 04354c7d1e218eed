/* SPDX-License-Identifier: BSD-3-Clause */
/* NICs: commands, packets, DMA, completions.
 *
 * A NIC has one back, which carries out commands: its pipeline takes one after the other, payloads are
 * read from memory, travel in packets to the NIC at another port, are written to memory there, are
 * acknowledged and completed. Commands reach the back by several fronts:
 *
 *   models/nic/nic_queue.h    a work queue in memory, fetched over the bus behind a doorbell
 *   models/nic/verbs.h        posted by a core, the command inside the doorbell
 *   models/nic/nic_trigger.h  posted beforehand by either, and held until a counter has reached a threshold
 *
 * NICs know each other by packets only, and a packet carries all that its receiver needs.
 *
 * Payloads are of two kinds. Those of commands in work queues have contents and addresses: up to a line
 * travels with its contents and is read and written by bus requests. Those of verbs are blocks without
 * contents in the memory at a port. */
#pragma once

#include "core/list.h"
#include "core/param.h"
#include "core/sim.h"
#include "fabric/bus.h"
#include "fabric/transport.h"
#include "models/memory/dram.h"

#define NIC_LEAST_PAYLOAD_BYTES 64 /* the least value of packet_payload */

/* Component "nic" of a machine file. */
#define NIC_ROWS(ROW)                                                                              \
    ROW(TIME, doorbell_latency, "20ns", "0ns", "10us",                                             \
        "Time from a store to the doorbell or trigger register until the NIC begins what it "      \
        "starts.")                                                                                 \
    ROW(TIME, command_latency, "50ns", "0ns", "10us",                                              \
        "Time from when the NIC has a command until its first packet or memory read.")             \
    ROW(TIME, command_gap, "10ns", "0ns", "10us",                                                  \
        "Minimum time between two commands (1 / message rate).")                                   \
    ROW(TIME, packet_latency, "50ns", "0ns", "10us",                                               \
        "Time from a packet's arrival until the NIC acts on it.")                                  \
    ROW(BYTES, packet_header, "42B", "0B", "1KiB", "Bytes of headers and checksums of a packet.")  \
    ROW(BYTES, packet_payload, "4KiB", G_STRINGIFY(NIC_LEAST_PAYLOAD_BYTES) "B", "64KiB",          \
        "Largest payload of a packet.")                                                            \
    ROW(TIME, packet_spread, "0ns", "0ns", "1ms",                                                  \
        "Packets take several paths through the network. They arrive up to this much "             \
        "later than by the shortest path, at random, and so overtake each other.")                 \
    ROW(COUNT, fetch_depth, "8", "1", "1024",                                                      \
        "Largest number of command fetches from work queues that are in flight at a time.")        \
    ROW(POWER, idle_power, "12W", "0W", "1kW",                                                     \
        "Power of a NIC without commands, with its links up.")                                     \
    ROW(POWER, active_power, "4W", "0W", "1kW",                                                    \
        "Additional power while the NIC handles a command, or while a payload passes its port.")
struct nic_spec {
    NIC_ROWS(PARAM_FIELD)
};
extern const struct param_table nic_params;

enum nic_opcode { NIC_PUT, NIC_GET, NIC_PUT_INLINE, NIC_ATOMIC, NIC_SEND };

/* A command as it lies in a work queue or travels in a doorbell. */
struct nic_command {
    uint8_t opcode : 6; /* enum nic_opcode */
    uint8_t
        is_chained : 1; /* waits for the end of the previous command in its queue, too (NIC_QUEUE_CHAINED) */
    uint8_t
        is_fenced : 1; /* it and later commands wait until all earlier ones in its queue are complete (nic_queue.h) */
    uint8_t atomic;      /* NIC_ATOMIC: enum atomic_op, on the 8-byte word at `remote` */
    uint16_t remote_nic; /* NIC at that node: its number + 1; 0: the one with this NIC's number */
    uint32_t remote_node;
    uint64_t
        local; /* in this node; NIC_PUT_INLINE, NIC_SEND: the value; NIC_ATOMIC: target of the old value, or ADDRESS_NONE */
    uint64_t remote; /* address in the remote node */
    uint64_t bytes;
    uint64_t cookie; /* returned in the completion */
    union {
        uint64_t signal;  /* puts: remote address of a word written behind the payload, or 0 */
        uint64_t compare; /* NIC_ATOMIC: the compare value of ATOMIC_COMPARE_SWAP */
    };
    union {
        uint64_t signal_value;
        uint64_t operand; /* NIC_ATOMIC */
    };
    uint32_t counter;   /* 0, or the command waits for this counter (models/nic/nic_trigger.h) */
    uint32_t threshold; /* the counter's value that it waits for */
};
_Static_assert(sizeof(struct nic_command) == 64, "a command packet has 64 bytes (N-36)");

/* A completion entry. `valid` flips between 1 and 0 at each pass through the queue, so that a reader
 * tells a new entry from an old one without writing to it. */
struct nic_completion {
    uint64_t cookie;
    uint64_t valid;
};

/* The state that two NICs keep for a connection of two processes or queues. Ordered commands are carried out at the far side in
 * the order of posting, though the network would let a small payload overtake a large one. Payloads of a connection go one
 * after the other in each direction, as a queue pair of InfiniBand sends them: the next one sets out when the previous one has
 * left, while that is still on its way. All zero at first; kept while one of its operations is under way. */
struct queue_pair {
    struct wire_turn {
        struct list held; /* payloads that wait for their turn */
        bool is_taken;
    } turns[2];        /* payloads written from here, and payloads read from there */
    uint32_t posted;   /* near side: number of ordered commands */
    struct list early; /* far side: packets that arrived before their turn */
    uint32_t next;     /* far side: the command whose turn it is */
};

/* --- the NICs of a machine --------------------------------------------------------------------- */

/* Gives the bus of a node, made when it is first asked for. */
typedef struct bus *nic_bus_fn(void *argument, int64_t node);

struct nic_network;
struct nic;

/* All NICs of `platform`: its ports "nic0", "nic1", ... of each node. Its other ports are named by their slot: the number of
 * the port within its node. The caller keeps specs, platform and transport until nic_network_free; also the buses, which
 * `bus_of` gives (NULL: no bus, verbs only), and the memories that payloads share with other traffic, which `memory_at` gives
 * (NULL: none). Takes no simulated time. */
struct nic_network *nic_network_new(struct sim *sim, struct platform *platform,
                                    struct transport *transport, const struct nic_spec *spec,
                                    const struct bus_spec *bus, nic_bus_fn *bus_of,
                                    dram_at_fn *memory_at, void *argument);
void nic_network_free(struct nic_network *network);

/* Adds the NICs of a further kind of nodes, the first with number 1, before any NIC is made. `kind_of` gives the kind of each
 * node (0: the NICs of nic_network_new); the caller keeps it, as the specs. */
void nic_network_add_kind(struct nic_network *network, const struct nic_spec *spec,
                          const struct bus_spec *bus, const uint8_t *kind_of);

/* NIC `index` of `node`, made when a caller or a packet first asks for it. It attaches to its bus when it first needs it. */
struct nic *nic_network_nic(struct nic_network *network, int64_t node, int64_t index);

/* A receiver of messages (NIC_SEND) for memory in a slot of a node, such as a shared receive queue of verbs. It turns
 * `command`, which came from `from_node`, into the line that the NIC writes, and says where to. False: there is no room, and
 * the NIC tries the message again after the time of a packet's handling. */
typedef bool nic_receive_fn(void *argument, const struct nic_command *command, int64_t from_node,
                            uint8_t line[BUS_DATA_BYTES], address *at);

/* Makes `receive` take all messages for the memory in `slot` of `node` from now on. A message's command has the value in
 * `local`, the address that it concerns in `remote`, and the address of the answer in `signal`; it has BUS_DATA_BYTES on the
 * wire. At start-up. */
void nic_network_receive(struct nic_network *network, int64_t node, int slot,
                         nic_receive_fn *receive, void *argument);

/* Totals so far: the number of NICs that were made, of the commands that they have taken up, and the bytes of their payloads. */
struct nic_totals {
    int64_t nics, commands, payload_bytes;
};
struct nic_totals nic_network_totals(const struct nic_network *network, size_t kind);

/* The NIC's bus, on which its registers are from this call on. Fails if the machine has none. */
struct bus *nic_bus(struct nic *nic);
