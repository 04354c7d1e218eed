/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets on the wires. The packets of one payload travel as one transfer of the transport: a large one with contents from its
 * memory to the receiving NIC, a small one from NIC to NIC, a block from memory to memory, all links of the way at once.
 * Control packets of blocks do not wait for payloads: they are sent over the transport with 0 bytes. Left out: retransmission,
 * credits, reads that wait for the responder's own commands. */
#include "models/nic/nic_parts.h"

/* --- turns of payloads ------------------------------------------------------------------------- */

static bool takes_turns(const struct nic_packet *packet)
{
    return packet->pair != NULL && nic_packet_has_payload(packet);
}

/* The turn of the packet's direction: answers travel in the opposite direction. */
static struct wire_turn *turn_of(const struct nic_packet *packet)
{
    return &packet->pair->turns[nic_packet_is_answer(packet)];
}

/* The time at which the memories at both ends have let the payload pass. */
static sim_time memories_end_ps(struct nic_packet *packet, sim_time now_ps)
{
    sim_time source_ps = dram_flow_end_ps(&packet->flows[0], now_ps);
    sim_time target_ps = dram_flow_end_ps(&packet->flows[1], now_ps);
    return MAX(source_ps, target_ps);
}

static void put_on_wire(struct nic_packet *packet);

static void end_turn(struct wire_turn *turn)
{
    turn->is_taken = false;
    if (!list_is_empty(&turn->held))
        put_on_wire(LIST_TAKE(&turn->held, struct nic_packet, item.link));
}

static void left_memories(void *argument);

/* Lets the turn end at `at_ps`, when the memories have let the payload pass, too. */
static void end_turn_after(struct nic_packet *packet, sim_time at_ps)
{
    packet->turn_end = event_schedule_priority(packet->network->sim->events, at_ps, EVENT_EARLY,
                                               left_memories, packet);
}

static void left_memories(void *argument)
{
    struct nic_packet *packet = argument;
    sim_time now_ps = sim_now(packet->network->sim), until_ps = memories_end_ps(packet, now_ps);
    if (until_ps > now_ps)
        end_turn_after(packet, until_ps);
    else
        end_turn(turn_of(packet));
}

/* The packet's last byte has left. No transfer may start in this call, so a waiting packet is started by an event. */
static void left_wire(void *argument)
{
    struct nic_packet *packet = argument;
    sim_time now_ps = sim_now(packet->network->sim), until_ps = memories_end_ps(packet, now_ps);
    if (until_ps > now_ps || !list_is_empty(&turn_of(packet)->held))
        end_turn_after(packet, until_ps);
    else
        turn_of(packet)->is_taken = false;
}

/* --- there ------------------------------------------------------------------------------------- */

static void handle(void *argument)
{
    struct nic_packet *packet = argument;
    struct queue_pair *pair = packet->pair;
    if (!packet->is_ordered || nic_packet_is_answer(packet)) {
        nic_packet_handle(packet);
        return;
    }
    nic_list_insert(&pair->early, &packet->item);
    struct nic_item *item;
    while ((item = nic_list_take_up_to(&pair->early, pair->next)) != NULL) {
        pair->next++;
        nic_packet_handle((struct nic_packet *)item);
    }
}

/* How much later the packet arrives than by the shortest way. */
static sim_time detour_ps(const struct nic_packet *packet)
{
    sim_time spread_ps = NIC_READ(nic_packet_receiver(packet), packet_spread_ps);
    return spread_ps > 0 ? (sim_time)rng_below(&packet->network->ways, (uint64_t)spread_ps + 1) : 0;
}

static void arrive(void *argument)
{
    struct nic_packet *packet = argument;
    struct sim *sim = packet->network->sim;
    sim_time until_ps = memories_end_ps(packet, sim_now(sim));
    if (until_ps > sim_now(sim)) {
        event_schedule(sim->events, until_ps, arrive, packet);
        return;
    }
    if (event_cancel(sim->events, packet->turn_end))
        end_turn(turn_of(packet));
    event_schedule(sim->events, sim_now(sim) + detour_ps(packet) + nic_packet_handling_ps(packet),
                   handle, packet);
}

/* --- here -------------------------------------------------------------------------------------- */

static int64_t with_headers(const struct nic *sender, int64_t bytes)
{
    int64_t most_bytes = nic_most_payload_bytes(sender, bytes);
    int64_t packets = (bytes + most_bytes - 1) / most_bytes;
    return bytes + (packets > 0 ? packets : 1) * NIC_READ(sender, packet_header_bytes);
}

static int64_t operand_bytes(const struct nic_command *command)
{
    bool compares = command->atomic == ATOMIC_COMPARE_SWAP;
    return (int64_t)(sizeof command->operand + (compares ? sizeof command->compare : 0));
}

static int64_t wire_bytes(const struct nic_packet *packet)
{
    const struct nic *sender = nic_packet_sender(packet);
    if (nic_packet_has_payload(packet))
        return with_headers(sender, (int64_t)packet->command.bytes);
    if (packet->is_block)
        return 0;
    return with_headers(sender,
                        packet->kind == NIC_PACKET_ATOMIC ? operand_bytes(&packet->command) : 0);
}

/* Whether the packet's payload goes by the transport, and not as a bus request. */
static bool is_bulk(const struct nic_packet *packet)
{
    return nic_packet_has_payload(packet) && (packet->is_block || nic_payload_is_large(packet));
}

/* Whether the transport takes the payload out of its memory itself. */
static bool leaves_memory(const struct nic_packet *packet)
{
    return is_bulk(packet) && packet->command.opcode != NIC_PUT_INLINE;
}

/* Whether the receiver's bus is the narrowest link of the way, which can be so if nodes are of several kinds. As a bus request
 * a payload with contents would then arrive faster than this bus lets it pass. */
static bool has_narrow_end(const struct nic_packet *packet)
{
    struct nic_network *network = packet->network;
    const struct nic *from = nic_packet_sender(packet), *to = nic_packet_receiver(packet);
    if (network->kind_of == NULL || from->kind == to->kind || !is_bulk(packet))
        return false;
    int source = from->first_port +
                 (leaves_memory(packet) ? address_slot(nic_packet_source(packet)) : from->slot);
    int nic = to->first_port + to->slot,
        target = to->first_port + address_slot(nic_packet_target(packet));
    return platform_route(network->platform, nic, target)->bandwidth_Bps <
           platform_route_via(network->platform, source, from->index, to->index, nic)
               ->bandwidth_Bps;
}

bool nic_packet_enters_memory(const struct nic_packet *packet)
{
    return nic_packet_has_payload(packet) && (packet->is_block || has_narrow_end(packet));
}

/* The payload takes a share of the rate of each memory that it leaves or enters, at most the rate of its way. */
static void take_memories(struct nic_packet *packet, int from_port, int to_port)
{
    struct nic_network *network = packet->network;
    const struct nic *from = nic_packet_sender(packet), *to = nic_packet_receiver(packet);
    int64_t bytes = (int64_t)packet->command.bytes;
    int target = to->first_port + address_slot(nic_packet_target(packet));
    struct dram *memories[] = {
        leaves_memory(packet) ? network->memory_at(network->machine, from_port) : NULL,
        is_bulk(packet) ? network->memory_at(network->machine, target) : NULL};
    int64_t rate_Bps =
        platform_route_via(network->platform, from_port, from->index, to->index, to_port)
            ->bandwidth_Bps;
    for (size_t i = 0; i < G_N_ELEMENTS(memories); i++)
        dram_flow_begin(&packet->flows[i], memories[i], sim_now(network->sim), bytes, rate_Bps);
}

static void put_on_wire(struct nic_packet *packet)
{
    const struct nic *from = nic_packet_sender(packet), *to = nic_packet_receiver(packet);
    int from_slot = leaves_memory(packet) ? address_slot(nic_packet_source(packet)) : from->slot;
    int to_slot =
        nic_packet_enters_memory(packet) ? address_slot(nic_packet_target(packet)) : to->slot;
    bool has_turn = takes_turns(packet);
    if (has_turn)
        turn_of(packet)->is_taken = true;
    if (!nic_packet_is_answer(packet))
        nic_packet_observe(packet, STAGE_ON_WIRE);
    int from_port = from->first_port + from_slot, to_port = to->first_port + to_slot;
    struct transport *transport = packet->network->transport;
    if (is_bulk(packet) && packet->network->memory_at != NULL)
        take_memories(packet, from_port, to_port);
    const struct transport_calls calls = {has_turn ? left_wire : NULL, arrive, packet};
    if (packet->is_block)
        transport_send_bulk(transport, from_port, from->index, to->index, to_port,
                            wire_bytes(packet), &calls);
    else
        transport_send_via(transport, from_port, from->index, to->index, to_port,
                           wire_bytes(packet), &calls);
}

void nic_packet_send(struct nic_packet *packet)
{
    if (takes_turns(packet) && turn_of(packet)->is_taken)
        list_append(&turn_of(packet)->held, &packet->item.link);
    else
        put_on_wire(packet);
}
