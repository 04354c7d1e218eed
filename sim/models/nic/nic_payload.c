/* SPDX-License-Identifier: BSD-3-Clause */
/* Payloads with contents, in and out of a node's memory.
 *
 * Payloads of up to a line travel with their contents, read and written as bus requests; larger ones
 * stream from memory to the receiving NIC as one transfer of the transport, and only their last line
 * is written as a bus request, so that any request ordered behind this line is ordered behind all lines. */
#include <string.h>

#include "models/nic/nic_parts.h"

static void send_request(struct nic *nic, struct bus_request *request,
                         void (*done)(struct bus_request *, void *), struct nic_packet *packet)
{
    request->done = done;
    request->argument = packet;
    bus_send(nic->bus, request, 0);
}

/* --- reading ----------------------------------------------------------------------------------- */

static void line_is_read(struct bus_request *request, void *argument)
{
    struct nic_packet *packet = argument;
    memcpy(packet->data, request->data, (size_t)request->bytes);
    nic_packet_send(packet);
}

static void stream_may_start(struct bus_request *request, void *argument)
{
    (void)request;
    nic_packet_send(argument);
}

void nic_payload_read(struct nic_packet *packet)
{
    struct nic *nic = nic_packet_sender(packet);
    bool large = nic_payload_is_large(packet);
    struct bus_request *request =
        nic_bus_request(nic, large ? BUS_READ_STREAM : BUS_READ, nic_packet_source(packet),
                        large ? BUS_DATA_BYTES : packet->command.bytes);
    send_request(nic, request, large ? stream_may_start : line_is_read, packet);
}

/* --- writing ----------------------------------------------------------------------------------- */

/* One of the writes is done. Payload and signal may lie in two memories, so either may be written first. */
static void is_written(struct bus_request *request, void *argument)
{
    (void)request;
    struct nic_packet *packet = argument;
    if (--packet->writes == 0)
        nic_payload_written(packet);
}

static void payload_is_written(struct bus_request *request, void *argument)
{
    nic_packet_observe(argument, STAGE_DELIVERED);
    is_written(request, argument);
}

/* The signal follows the payload on the same way, so it cannot be seen before it. */
static void write_signal(struct nic *nic, struct nic_packet *packet, address signal)
{
    const uint64_t *value = &packet->command.signal_value;
    struct bus_request *request = nic_bus_request(nic, BUS_WRITE, signal, sizeof *value);
    memcpy(request->data, value, sizeof *value);
    send_request(nic, request, is_written, packet);
}

void nic_payload_write(struct nic_packet *packet, address signal)
{
    struct nic *nic = nic_packet_receiver(packet);
    uint64_t bytes = packet->command.bytes;
    uint64_t last_line =
        nic_payload_is_large(packet) ? (bytes - 1) / BUS_DATA_BYTES * BUS_DATA_BYTES : 0;
    struct bus_request *request = nic_bus_request(
        nic, BUS_WRITE, nic_packet_target(packet) + last_line, (size_t)(bytes - last_line));
    memcpy(request->data, packet->data, (size_t)(bytes - last_line));
    packet->writes = signal != 0 ? 2 : 1;
    if (!nic_packet_enters_memory(packet))
        bus_count_stream(nic->bus, nic->slot, nic_packet_target(packet), (int64_t)last_line);
    send_request(nic, request, payload_is_written, packet);
    if (signal != 0)
        write_signal(nic, packet, signal);
}

/* --- atomics ----------------------------------------------------------------------------------- */

/* The atomic is performed. Its old value always returns to this NIC, since an atomic over the bus is non-posted. */
static void is_performed(struct bus_request *request, void *argument)
{
    struct nic_packet *packet = argument;
    memcpy(packet->data, &request->operand, sizeof request->operand);
    nic_atomic_performed(packet);
}

void nic_payload_atomic(struct nic_packet *packet)
{
    const struct nic_command *command = &packet->command;
    struct nic *nic = nic_packet_receiver(packet);
    struct bus_request *request =
        nic_bus_request(nic, BUS_ATOMIC, command->remote, sizeof command->operand);
    request->atomic = (enum atomic_op)command->atomic;
    request->operand = command->operand;
    request->compare = command->compare;
    send_request(nic, request, is_performed, packet);
}

/* --- payloads without contents -------------------------------------------------------------------
 *
 * Payloads without contents: the time that the NICs' DMA adds to the transport's time from memory to memory.
 * Each NIC passes a packet on once it has all of it, so the first packet takes its time on each of the two buses. */

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
