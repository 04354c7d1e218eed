/* A NIC: doorbells, work queues fetched over the bus, DMA, the wire, completions.
 *
 * Software writes a 64-byte command into a work queue in memory and rings the doorbell; the NIC fetches
 * the command over the bus wherever the queue lies, carries it out, and writes a completion entry
 * (ComPNet18 section 5.1, N-36, N-37; M-063, M-077). Remote puts and gets read and write the memory of
 * the other node over its bus, without its processors. */
#ifndef GPUNETSIM_MODELS_NIC_NIC_H
#define GPUNETSIM_MODELS_NIC_NIC_H

#include <stdint.h>

#include "core/param.h"
#include "core/sim.h"
#include "fabric/bus.h"
#include "fabric/transport.h"

/* Component "nic" of a machine file. */
struct nic_spec {
    sim_time doorbell_latency_ps; /* from the doorbell register to the command fetch */
    sim_time command_latency_ps;  /* decoding a command, making the first packet */
    sim_time command_gap_ps;      /* between two commands: the reciprocal of the message rate */
    sim_time packet_latency_ps;   /* handling an arriving packet */
    int64_t packet_header_bytes;  /* on the wire, a packet */
    int64_t packet_payload_bytes; /* largest payload of a packet */
    int64_t fetch_depth;          /* command fetches in flight */
};
extern const struct param_table nic_params;

enum nic_opcode { NIC_PUT, NIC_GET, NIC_PUT_INLINE, NIC_ATOMIC };

/* A command as it lies in a work queue. */
struct nic_command {
    uint16_t opcode; /* enum nic_opcode */
    uint16_t atomic; /* NIC_ATOMIC: enum atomic_op, on the 8-byte word at `remote` */
    uint32_t remote_node;
    uint64_t local;  /* address in this node; the value itself if NIC_PUT_INLINE; where NIC_ATOMIC
                      * writes what the word was, or ADDRESS_NONE: nowhere */
    uint64_t remote; /* address in the remote node */
    uint64_t bytes;
    uint64_t cookie;  /* comes back in the completion */
    uint64_t operand; /* NIC_ATOMIC */
    union {
        uint64_t signal; /* puts: remote address of a word to be written behind the payload, or 0 */
        uint64_t compare; /* NIC_ATOMIC: of ATOMIC_COMPARE_SWAP */
    };
    uint64_t signal_value;
};
_Static_assert(sizeof(struct nic_command) == 64, "a command packet has 64 bytes (N-36)");

/* A completion entry. `valid` flips between 1 and 0 at each pass through the queue, so that a reader
 * tells a new entry from an old one without writing to it. */
struct nic_completion {
    uint64_t cookie;
    uint64_t valid;
};

/* Where an operation is; handed to the observer as it passes (DESIGN: every operation stamps the
 * stages it passes). */
enum nic_stage {
    NIC_STAGE_DOORBELL,  /* the doorbell has arrived */
    NIC_STAGE_FETCHED,   /* the command is in the NIC */
    NIC_STAGE_ON_WIRE,   /* the first packet sets out */
    NIC_STAGE_DELIVERED, /* the last byte of payload is in its memory */
};
typedef void nic_observer_fn(void *observer, uint64_t cookie, enum nic_stage stage, sim_time at_ps);

struct nic;

/* The NIC in `slot` of its node's bus. `ports` (the caller's, kept) are the platform's ports of the
 * node by slot. */
struct nic *nic_new(struct sim *sim, const struct nic_spec *spec, struct bus *bus, int slot,
                    struct transport *transport, const int *ports, const char *path);
void nic_free(struct nic *nic);

/* Tells the NIC how to find those of the other nodes: `peer` gives that of `node` (0 .. count - 1). */
typedef struct nic *nic_peer_fn(void *argument, int64_t node);
void nic_connect(struct nic *nic, nic_peer_fn *peer, void *argument, int64_t count);

/* A work queue with its completion queue, both in memory of this node: `entries` commands of 64 B at
 * `commands`, `entries` completions of 16 B at `completions`, all zero. Returns the queue's number.
 * Made at start-up; costs no simulated time. */
int nic_add_queue(struct nic *nic, address commands, address completions, int64_t entries);

/* The doorbell register of a queue: an 8-byte store of the number of commands written so far. */
address nic_doorbell(const struct nic *nic, int queue);

/* Tells `observer` of the stages that this NIC's commands pass. One observer. */
void nic_observe(struct nic *nic, nic_observer_fn *observer, void *argument);

#endif
