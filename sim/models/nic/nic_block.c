/* SPDX-License-Identifier: BSD-3-Clause */
/* Payloads without contents: the time that the NICs' DMA adds to the transport's time from memory to memory.
 * Each NIC passes a packet on once it has all of it, so the first packet takes its time on each of the two buses. */

#include "models/nic/nic_parts.h"

int64_t nic_most_payload_bytes(const struct nic *nic, int64_t bytes)
{
    if (bytes > NIC_LEAST_PAYLOAD_BYTES)
        PARAM_NOTE(nic->network->used, nic->kind->spec, packet_payload_bytes);
    return nic->kind->spec->packet_payload_bytes;
}

sim_time nic_block_bus_ps(const struct nic *nic, int64_t bytes)
{
    uint64_t *used = nic->network->bus_used;
    const struct bus_spec *bus = nic->kind->bus;
    PARAM_NOTE(used, bus, header_bytes);
    if (bytes > 1)
        PARAM_NOTE(used, bus, max_payload_bytes);
    return transfer_ps(bus_wire_bytes(bus, bytes), PARAM_READ(used, bus, wire.rate_Bps));
}

sim_time nic_block_latency_ps(const struct nic *nic, int from, int to)
{
    sim_time *known_ps = &nic->kind->latencies_ps[from * nic->network->ports_per_node + to];
    if (*known_ps < 0)
        *known_ps =
            platform_route(nic->network->platform, nic->first_port + from, nic->first_port + to)
                ->latency_ps;
    return *known_ps;
}

sim_time nic_block_fetch_ps(const struct nic *nic, address memory, int64_t bytes)
{
    const struct bus_spec *bus = nic->kind->bus;
    return nic_block_latency_ps(nic, nic->slot, address_slot(memory)) +
           transfer_ps(bus->header_bytes, bus->wire.rate_Bps) +
           nic_block_first_packet_ps(nic, nic, bytes);
}
