/* SPDX-License-Identifier: BSD-3-Clause */
/* The back of a NIC carries out commands.
 *
 *   command pipeline (one every command_gap)
 *   get:  request packet -> the other NIC reads its node's memory -> payload -> written to memory here
 *   put:  memory read here (unless inline) -> payload -> written to memory there, and behind it, if
 *         asked for, a signal word -> acknowledgement
 *   send: as an inline put, but the receiver of messages there says where the line goes
 *   atomic: request packet -> atomic in the other node's memory -> old value -> written here, if
 *         asked for; else an acknowledgement
 *   then the front's completion, behind the payload.
 *
 * A put completes when the other NIC has acknowledged that its payload is in memory. */
#include <stdio.h>
#include <string.h>

#include "models/nic/nic_parts.h"

struct nic_operation *nic_operation_new(struct nic *nic, enum nic_front_number front)
{
    struct nic_operation *operation = pool_take(&nic->network->operations);
    operation->nic = nic;
    operation->front = nic_fronts[front];
    return operation;
}

void nic_operation_take_turn(struct nic_operation *operation)
{
    if (!operation->has_turn)
        operation->turn = operation->pair->posted++;
    operation->has_turn = true;
}

static void give_back(struct nic_operation *operation)
{
    pool_give(&operation->nic->network->operations, operation);
}

void nic_packet_observe(const struct nic_packet *packet, enum stage stage)
{
    struct sim *sim = packet->network->sim;
    observe_stage(&sim->observe, packet->command.cookie, stage, sim_now(sim));
}

/* --- the end ----------------------------------------------------------------------------------- */

static void free_packet(struct nic_packet *packet)
{
    pool_give(&packet->network->packets, packet);
}

static sim_time completion_ps(const struct nic_operation *operation)
{
    const struct nic_front *front = operation->front;
    return front->completion_ps != NULL ? front->completion_ps(operation) : 0;
}

static void complete(struct nic_operation *operation)
{
    operation->front->complete(operation);
    give_back(operation);
}

static void acknowledge(struct nic_packet *packet)
{
    if (packet->operation == NULL) {
        free_packet(packet);
        return;
    }
    packet->kind = NIC_PACKET_ACKNOWLEDGEMENT;
    nic_packet_send(packet);
}

void nic_payload_written(struct nic_packet *packet)
{
    if (packet->kind == NIC_PACKET_PUT)
        acknowledge(packet);
    else
        free_packet(packet);
}

/* The data of a get or an atomic have arrived. The completion is ordered behind them, but does not wait until they are written. */
static void data_is_here(struct nic_packet *packet)
{
    struct nic_operation *operation = packet->operation;
    if (packet->is_block) {
        struct sim *sim = packet->network->sim;
        if (observe_hears(&sim->observe, packet->command.cookie))
            observe_stamp(&sim->observe, packet->command.cookie, STAGE_DELIVERED,
                          sim_now(sim) - completion_ps(operation));
        free_packet(packet);
    } else {
        nic_payload_write(packet, 0);
    }
    complete(operation);
}

static void acknowledgement_is_here(struct nic_packet *packet)
{
    struct nic_operation *operation = packet->operation;
    free_packet(packet);
    complete(operation);
}

/* --- the other side ---------------------------------------------------------------------------- */

/* A message has arrived: it is written into a line that the receiver of messages on that port names. */
static void message_is_there(void *argument)
{
    struct nic_packet *packet = argument;
    struct nic_network *network = packet->network;
    int64_t node = packet->away / network->nics_per_node;
    int64_t place = node * network->ports_per_node + address_slot(packet->command.remote);
    const struct nic_receiver *receiver =
        network->receivers != NULL ? &network->receivers[place] : NULL;
    check_release(receiver != NULL && receiver->receive != NULL, "a message for nobody");
    address at;
    if (receiver->receive(receiver->argument, &packet->command,
                          packet->home / network->nics_per_node, packet->data, &at)) {
        packet->command.remote = at;
        nic_payload_write(packet, 0);
        return;
    }
    event_schedule(network->sim->events, sim_now(network->sim) + nic_packet_handling_ps(packet),
                   message_is_there, packet);
}

static void put_is_there(struct nic_packet *packet)
{
    if (packet->command.opcode == NIC_SEND) {
        message_is_there(packet);
        return;
    }
    if (!packet->is_block) {
        nic_payload_write(packet, packet->command.signal);
        return;
    }
    void (*delivered)(void *) = packet->delivered;
    void *argument = packet->argument;
    nic_packet_observe(packet, STAGE_DELIVERED);
    acknowledge(packet);
    if (delivered != NULL)
        delivered(argument);
}

static void send_data(struct nic_packet *packet)
{
    packet->kind = NIC_PACKET_DATA;
    if (packet->is_block)
        nic_packet_send(packet);
    else
        nic_payload_read(packet);
}

void nic_atomic_performed(struct nic_packet *packet)
{
    if (packet->command.local == ADDRESS_NONE) {
        nic_packet_observe(packet, STAGE_DELIVERED);
        acknowledge(packet);
        return;
    }
    packet->kind = NIC_PACKET_DATA;
    nic_packet_send(packet);
}

void nic_packet_handle(struct nic_packet *packet)
{
    switch ((enum nic_packet_kind)packet->kind) {
    case NIC_PACKET_PUT:
        put_is_there(packet);
        break;
    case NIC_PACKET_GET:
        send_data(packet);
        break;
    case NIC_PACKET_ATOMIC:
        nic_payload_atomic(packet);
        break;
    case NIC_PACKET_DATA:
        data_is_here(packet);
        break;
    case NIC_PACKET_ACKNOWLEDGEMENT:
        acknowledgement_is_here(packet);
        break;
    }
}

sim_time nic_packet_handling_ps(const struct nic_packet *packet)
{
    const struct nic *nic = nic_packet_receiver(packet);
    int64_t bytes = (int64_t)packet->command.bytes;
    sim_time handling_ps = NIC_READ(nic, packet_latency_ps);
    if (packet->is_block && nic_packet_has_payload(packet))
        handling_ps += nic_block_first_packet_ps(nic, nic_packet_sender(packet), bytes);
    if (packet->is_block && packet->kind == NIC_PACKET_GET)
        handling_ps += nic_block_fetch_ps(nic, packet->command.remote, bytes);
    if (nic_packet_is_answer(packet))
        handling_ps += completion_ps(packet->operation);
    return handling_ps;
}

/* --- this side --------------------------------------------------------------------------------- */

static const uint8_t packet_kinds[] = {
    [NIC_PUT] = NIC_PACKET_PUT,       [NIC_PUT_INLINE] = NIC_PACKET_PUT, [NIC_GET] = NIC_PACKET_GET,
    [NIC_ATOMIC] = NIC_PACKET_ATOMIC, [NIC_SEND] = NIC_PACKET_PUT,
};

/* Makes the packet of an operation. An operation without an answer is given back at once. */
static struct nic_packet *packet_of(struct nic_operation *operation)
{
    struct nic *nic = operation->nic;
    struct nic_packet *packet = pool_take(&nic->network->packets);
    packet->network = nic->network;
    packet->operation = operation;
    packet->pair = operation->pair;
    packet->item.key = operation->turn;
    packet->home = nic->number;
    packet->away = nic_remote_number(nic, &operation->command);
    packet->kind = packet_kinds[operation->command.opcode];
    packet->is_ordered = operation->is_ordered;
    packet->is_block = operation->is_block;
    packet->command = operation->command;
    packet->delivered = operation->delivered;
    packet->argument = operation->argument;
    if (operation->is_unanswered) {
        packet->operation = NULL;
        give_back(operation);
    }
    return packet;
}

static void begin(void *argument)
{
    struct nic_packet *packet = packet_of(argument);
    if (packet->command.opcode == NIC_PUT && !packet->is_block) {
        nic_payload_read(packet);
        return;
    }
    if (packet->command.opcode == NIC_PUT_INLINE)
        memcpy(packet->data, &packet->command.local, sizeof packet->command.local);
    nic_packet_send(packet);
}

static void check_command(const struct nic *nic, const struct nic_operation *operation)
{
    const struct nic_command *command = &operation->command;
    check_always(command->remote_node < (uint64_t)nic->network->nodes &&
                     command->remote_nic <= nic->network->nics_per_node,
                 "a command for node %u of %lld and its NIC %d of %d", command->remote_node,
                 (long long)nic->network->nodes, command->remote_nic - 1,
                 nic->network->nics_per_node);
    check_always(command->opcode != NIC_PUT_INLINE || operation->is_block ||
                     command->bytes <= sizeof command->local,
                 "%llu bytes inline", (unsigned long long)command->bytes);
    check_always(command->opcode != NIC_SEND ||
                     (command->bytes == BUS_DATA_BYTES && !operation->is_block),
                 "a message of %llu bytes", (unsigned long long)command->bytes);
    check_always(command->opcode != NIC_ATOMIC ||
                     (command->bytes == sizeof command->operand && !operation->is_block),
                 "an atomic of %llu bytes", (unsigned long long)command->bytes);
}

/* Time from the command to its first packet or memory read. For a block it includes reading the first packet from memory. */
static sim_time command_ps(const struct nic_operation *operation)
{
    const struct nic_command *command = &operation->command;
    sim_time took_ps = NIC_READ(operation->nic, command_latency_ps);
    if (operation->is_block && command->opcode == NIC_PUT)
        took_ps += nic_block_fetch_ps(operation->nic, command->local, (int64_t)command->bytes);
    return took_ps;
}

static void observe_command(const struct nic_operation *operation, sim_time start_ps)
{
    static const char *const names[] = {[NIC_PUT] = "put",
                                        [NIC_GET] = "get",
                                        [NIC_PUT_INLINE] = "put inline",
                                        [NIC_ATOMIC] = "atomic",
                                        [NIC_SEND] = "send"};
    struct nic *nic = operation->nic;
    struct nic_network *network = nic->network;
    struct observe *observe = &network->sim->observe;
    char path[64];
    if (nic->track == 0) {
        snprintf(path, sizeof path, "node%d.nic%d", (int)(nic->number / network->nics_per_node),
                 (int)nic->index);
        nic->track = observe_track(observe, path, "pipeline");
    }
    observe_span(observe, nic->track, names[operation->command.opcode], start_ps,
                 start_ps + command_ps(operation), operation->command.cookie);
}

void nic_operation_take_up(struct nic_operation *operation, sim_time doorbell_ps)
{
    struct nic *nic = operation->nic;
    struct sim *sim = nic->network->sim;
    uint64_t cookie = operation->command.cookie;
    sim_time now_ps = sim_now(sim);
    operation->doorbell_ps = doorbell_ps;
    check_command(nic, operation);
    if (operation->command.is_chained && nic_queue_holds(operation))
        return;
    if (operation->is_ordered)
        nic_operation_take_turn(operation);
    observe_stage(&sim->observe, cookie, STAGE_DOORBELL, doorbell_ps);
    observe_stage(&sim->observe, cookie, STAGE_FETCHED, now_ps);
    stat_count(nic->commands, 1);
    stat_count(nic->payload, (int64_t)operation->command.bytes);
    sim_time start_ps = nic->pipeline_free_ps > now_ps ? nic->pipeline_free_ps : now_ps;
    nic->pipeline_free_ps = start_ps + NIC_READ(nic, command_gap_ps);
    if (observe_wants_spans(&sim->observe))
        observe_command(operation, start_ps);
    event_schedule(sim->events, start_ps + command_ps(operation), begin, operation);
}

void nic_operation_start(struct nic_operation *operation)
{
    if (operation->command.counter != 0)
        nic_trigger_hold(operation);
    else
        nic_operation_take_up(operation, operation->doorbell_ps);
}
