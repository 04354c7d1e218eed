/* NICs as message-passing software sees them: RDMA writes and reads posted by a core with the command
 * inside the doorbell, and completions that it finds by polling. Costs are those of struct nic_spec and
 * struct bus_spec; the NIC whose queues lie in simulated memory is models/nic/nic.h.
 *
 * A write: the doorbell crosses the bus; the NIC decodes it (command_latency, one command after the other
 * with command_gap), fetches the payload from its memory unless it came inline (a read request crosses the
 * bus), sends it by the transport from the memory's port over the chosen rails to the other memory's port,
 * and the other NIC handles the last packet (packet_latency). Each NIC passes a packet on when it has it
 * whole: the first packet of a message takes its time on the bus on both sides (an inline one on the far
 * side) before what the transport takes. The initiator's completion entry comes an acknowledgement later.
 *
 * Control packets (doorbells, read requests, acknowledgements, completion entries) wait for no payloads. */
#ifndef GPUNETSIM_MODELS_NIC_VERBS_H
#define GPUNETSIM_MODELS_NIC_VERBS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sim.h"
#include "fabric/bus.h"
#include "fabric/transport.h"
#include "models/nic/nic.h"

struct verbs; /* all NICs of a machine */

/* A queue pair's side. Writes posted to one are delivered in the order of posting, though the transport
 * would let a small one overtake a large one. A NIC serves the payloads of one queue pair in turn, reads
 * among them: a payload waits while two others, and enough bytes to fill the way, are on the wires. All
 * zero at first, the caller's, kept while one of its operations is under way. */
struct verbs_queue {
    struct verbs_transfer *first, *last;           /* writes that were not delivered yet */
    struct verbs_transfer *first_held, *last_held; /* payloads that wait for the wires */
    int32_t on_wire;
    int64_t on_wire_bytes;
};

/* Specs, platform and transport are kept by the caller until verbs_free. */
struct verbs *verbs_new(struct sim *sim, struct platform *platform, struct transport *transport,
                        const struct nic_spec *nic, const struct bus_spec *bus,
                        int64_t nics_per_node);
void verbs_free(struct verbs *verbs);

/* One RDMA operation, from now on (the core has written the doorbell). All callbacks are events and may be NULL. */
struct verbs_operation {
    int64_t node, remote_node;         /* two different ones */
    int32_t rail, remote_rail;         /* NIC of either node */
    int32_t core_port;                 /* socket of the core: where the doorbell comes from and the
                                        completion entry goes to */
    int32_t local_port, remote_port;   /* of the memories: a socket or a GPU */
    struct verbs_queue *queue;         /* NULL: it has one of its own */
    int64_t bytes;                     /* payload >= 0 */
    bool is_inline;                    /* writes: the payload came with the command */
    void (*delivered)(void *argument); /* a write's last byte lies in the remote memory */
    void (*completed)(void *argument); /* the initiator's completion entry is in its memory */
    void *argument;
};
void verbs_write(struct verbs *verbs, const struct verbs_operation *operation);

/* Fetches `bytes` from remote_port into local_port: a request packet goes, the data comes. `delivered` is
 * not called; `completed` is when the data lie in the local memory. */
void verbs_read(struct verbs *verbs, const struct verbs_operation *operation);

#endif
