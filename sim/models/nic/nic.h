/* SPDX-License-Identifier: BSD-3-Clause */
/* NICs: commands, packets, DMA, completions.
 *
 * A NIC has one back, which carries out commands: its pipeline takes one after the other, payloads are
 * read from memory, travel in packets to the NIC at another port, are written to memory there, are
 * acknowledged and completed. Commands come to it by several fronts, which share that back:
 *
 *   models/nic/nic_queue.h    a work queue in memory, fetched over the bus behind a doorbell
 *   models/nic/verbs.h        posted by a core, the command inside the doorbell
 *   models/nic/nic_trigger.h  posted beforehand by either, and held until a counter has come to a threshold
 *
 * NICs know each other by packets only, and a packet carries all that its receiver needs.
 *
 * Payloads are of two kinds. Those of commands in work queues have contents and addresses: up to a line
 * travels with its contents and is read and written by bus requests. Those of verbs are blocks without
 * contents in the memory at a port. */
#pragma once

#include <stdint.h>

#include "core/param.h"
#include "core/sim.h"
#include "fabric/bus.h"
#include "fabric/transport.h"
#include "models/memory/dram.h"
#include "models/nic/nic_list.h"

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

/* A command as it lies in a work queue or comes in a doorbell. */
struct nic_command {
    uint8_t opcode : 6; /* enum nic_opcode */
    uint8_t
        is_chained : 1; /* triggered by the end of the command before it in its work queue, besides by its counter
                             * (NIC_QUEUE_CHAINED) */
    uint8_t
        is_fenced : 1; /* starts when all commands before it in its work queue are complete, and with it
                            * what comes behind it (models/nic/nic_queue.h) */
    uint8_t atomic;      /* NIC_ATOMIC: enum atomic_op, on the 8-byte word at `remote` */
    uint16_t remote_nic; /* at that node: its number + 1; 0: the one with this NIC's number */
    uint32_t remote_node;
    uint64_t
        local; /* address in this node; the value itself if NIC_PUT_INLINE or NIC_SEND; where NIC_ATOMIC
                      * writes what the word was, or ADDRESS_NONE: nowhere */
    uint64_t remote; /* address in the remote node */
    uint64_t bytes;
    uint64_t cookie; /* comes back in the completion */
    union {
        uint64_t signal; /* puts: remote address of a word to be written behind the payload, or 0 */
        uint64_t compare; /* NIC_ATOMIC: of ATOMIC_COMPARE_SWAP */
    };
    union {
        uint64_t signal_value;
        uint64_t operand; /* NIC_ATOMIC */
    };
    uint32_t counter;   /* 0, or the command waits for this counter (models/nic/nic_trigger.h) */
    uint32_t threshold; /* to come to this */
};
_Static_assert(sizeof(struct nic_command) == 64, "a command packet has 64 bytes (N-36)");

/* A completion entry. `valid` flips between 1 and 0 at each pass through the queue, so that a reader
 * tells a new entry from an old one without writing to it. */
struct nic_completion {
    uint64_t cookie;
    uint64_t valid;
};

/* The state that two NICs keep for a connection of two processes or queues. Commands posted to one with an order are carried
 * out at the far side in the order of posting, though the network would let a small payload overtake a large one. Payloads of
 * one go one after the other in each direction, as a queue pair of InfiniBand sends them: the next sets out when the one before
 * has left, while that is still on its way. All zero at first; kept while one of its operations is under way. */
struct queue_pair {
    struct wire_turn {
        struct list held; /* payloads that wait for it */
        bool is_taken;
    } turns[2];        /* payloads written from here, and payloads read from there */
    uint32_t posted;   /* near side: commands with an order */
    struct list early; /* far side: packets that came before their turn */
    uint32_t next;     /* far side: whose turn it is */
};

/* --- the NICs of a machine --------------------------------------------------------------------- */

/* The bus of a node, made when first asked for. */
typedef struct bus *nic_bus_fn(void *argument, int64_t node);

struct nic_network;
struct nic;

/* All NICs of `platform`: its ports "nic0", "nic1", ... of each node. Its other ports by their slot: the
 * number of the port within its node. Specs, platform and transport are kept by the caller until
 * nic_network_free; so are buses, which `bus_of` gives. NULL: no bus, verbs only. So are memories
 * that payloads share with others, which `memory_at` (NULL: none) gives. Takes no simulated
 * time. */
struct nic_network *nic_network_new(struct sim *sim, struct platform *platform,
                                    struct transport *transport, const struct nic_spec *spec,
                                    const struct bus_spec *bus, nic_bus_fn *bus_of,
                                    dram_at_fn *memory_at, void *argument);
void nic_network_free(struct nic_network *network);

/* NICs of a further kind of nodes, the first with number 1, before any NIC is made: `kind_of` says by node which kind it is of
 * (0: as nic_network_new says), and is the caller's, as specs are. */
void nic_network_add_kind(struct nic_network *network, const struct nic_spec *spec,
                          const struct bus_spec *bus, const uint8_t *kind_of);

/* NIC `index` of `node`: made when first asked for, by a caller or by a packet. It takes its place on its
 * node's bus when it first needs it. */
struct nic *nic_network_nic(struct nic_network *network, int64_t node, int64_t index);

/* Who takes messages (NIC_SEND) for memory in a slot of a node, such as a shared receive queue of verbs: turns `command`,
 * which came from `from_node`, into the line that the NIC writes, and tells where to. False: there is no room, and the
 * NIC takes the message up again a packet's handling later. */
typedef bool nic_receive_fn(void *argument, const struct nic_command *command, int64_t from_node,
                            uint8_t line[BUS_DATA_BYTES], address *at);

/* Makes `receive` take all messages for the memory in `slot` of `node` from now on. Their command has the value
 * in `local`, the address that they concern in `remote`, and where the answer goes in `signal`; it is
 * BUS_DATA_BYTES long on the wire. At start-up. */
void nic_network_receive(struct nic_network *network, int64_t node, int slot,
                         nic_receive_fn *receive, void *argument);

/* What all NICs have done so far: how many there are that somebody has asked for or that a packet has come to, the commands
 * that they have taken up, and these commands' payloads. */
struct nic_totals {
    int64_t nics, commands, payload_bytes;
};
struct nic_totals nic_network_totals(const struct nic_network *network, size_t kind);

/* The NIC's bus, where its registers are from then on. Fails if the machine has none. */
struct bus *nic_bus(struct nic *nic);
