/* SPDX-License-Identifier: BSD-3-Clause */
/* Payloads without contents: what the NICs' DMA adds to what the transport takes from memory to memory.
 * Each NIC passes a packet on when it has it whole, so the first one takes its time on either bus. */
#include <glib.h>

#include "models/nic/nic_parts.h"

int64_t nic_most_payload_bytes(const struct nic_network *network, int64_t bytes)
{
    if (bytes > NIC_LEAST_PAYLOAD_BYTES)
        PARAM_NOTE(network->used, network->spec, packet_payload_bytes);
    return network->spec->packet_payload_bytes;
}

sim_time nic_block_bus_ps(const struct nic_network *network, int64_t bytes)
{
    PARAM_NOTE(network->bus_used, network->bus, header_bytes);
    if (bytes > 1)
        PARAM_NOTE(network->bus_used, network->bus, max_payload_bytes);
    return transfer_ps(bus_wire_bytes(network->bus, bytes),
                       PARAM_READ(network->bus_used, network->bus, wire.rate_Bps));
}

sim_time nic_block_latency_ps(struct nic_network *network, int from, int to)
{
    sim_time *known_ps = &network->latencies_ps[from * network->ports_per_node + to];
    if (*known_ps < 0)
        *known_ps = platform_route(network->platform, from, to)->latency_ps;
    return *known_ps;
}

sim_time nic_block_first_packet_ps(const struct nic_network *network, int64_t bytes)
{
    return nic_block_bus_ps(network, MIN(bytes, nic_most_payload_bytes(network, bytes)));
}

sim_time nic_block_fetch_ps(struct nic_network *network, int slot, address memory, int64_t bytes)
{
    return nic_block_latency_ps(network, slot, address_slot(memory)) +
           transfer_ps(network->bus->header_bytes, network->bus->wire.rate_Bps) +
           nic_block_first_packet_ps(network, bytes);
}
