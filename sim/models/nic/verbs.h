/* SPDX-License-Identifier: BSD-3-Clause */
/* The front of verbs: RDMA writes and reads as message-passing software sees them. A core posts them with the command inside
 * the doorbell, and finds completions by polling. Payloads are blocks without contents in the memories at two ports.
 *
 * A write: the doorbell crosses the bus and passes its register (doorbell_latency); the NIC decodes it (command_latency, one
 * command after the other with command_gap), fetches the payload from its memory unless it is inline (a read request crosses
 * the bus), sends it by the transport from the memory's port over the chosen rails to the other memory's port, and the other
 * NIC handles the last packet (packet_latency). Each NIC passes a packet on once it has all of it: the first packet of a
 * message takes its time on the bus on both sides (an inline one on the far side) before the transport's time. The initiator's
 * completion entry follows after an acknowledgement.
 *
 * Control packets (doorbells, read requests, acknowledgements, completion entries) do not wait for payloads. */
#pragma once

#include "models/nic/nic.h"

/* One RDMA operation, which begins now (the core has written the doorbell). All callbacks are events and may be NULL. */
struct verbs_operation {
    int64_t node, remote_node;
    int32_t rail,
        remote_rail; /* NIC of either node; within a node the same one, through its loop */
    int32_t
        core_port; /* the core's socket: source of the doorbell, target of the completion entry */
    int32_t local_port, remote_port; /* the memories' ports: a socket or a GPU */
    struct queue_pair *queue; /* the caller's; writes posted to it keep their order. NULL: none */
    int64_t bytes;            /* payload >= 0 */
    bool is_inline;           /* writes: the payload is in the command */
    int32_t counter; /* counter of that NIC that it waits for, to reach `threshold`; 0: none */
    uint32_t threshold;
    uint64_t cookie;                   /* for the NIC's observer */
    void (*delivered)(void *argument); /* a write's last byte lies in the remote memory */
    void (*completed)(void *argument); /* the initiator's completion entry is in its memory */
    void *argument;
};
void verbs_write(struct nic_network *network, const struct verbs_operation *operation);

/* Fetches `bytes` from remote_port into local_port: a request packet goes out, the data come back. `delivered` is not called;
 * `completed` is called when the data lie in the local memory. */
void verbs_read(struct nic_network *network, const struct verbs_operation *operation);
