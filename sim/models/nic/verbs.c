/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/nic/verbs.h"

#include "models/nic/nic_parts.h"

/* --- the end ------------------------------------------------------------------------------------ */

/* How long the NIC takes to write the completion entry. A read's entry follows its data without further latency. */
static sim_time completion_ps(const struct nic_operation *operation)
{
    sim_time entry_ps = nic_block_bus_ps(operation->nic, sizeof(struct nic_completion));
    if (operation->command.opcode == NIC_GET)
        return entry_ps;
    return entry_ps +
           nic_block_latency_ps(operation->nic, operation->nic->slot, operation->core_slot);
}

static void complete(struct nic_operation *operation)
{
    if (operation->completed != NULL)
        operation->completed(operation->argument);
}

const struct nic_front nic_front_verbs = {
    .completion_ps = completion_ps,
    .complete = complete,
};

/* --- the beginning ------------------------------------------------------------------------------ */

static void doorbell_is_seen(void *argument)
{
    nic_operation_start(argument);
}

static void check_operation(const struct nic_network *network,
                            const struct verbs_operation *operation)
{
    int ports = network->ports_per_node;
    check_release(operation->bytes >= 0, "an RDMA operation of %lld bytes",
                  (long long)operation->bytes);
    check_release(operation->node != operation->remote_node ||
                      operation->rail == operation->remote_rail,
                  "RDMA within node %lld from NIC %d to NIC %d", (long long)operation->node,
                  (int)operation->rail, (int)operation->remote_rail);
    check_release(operation->remote_rail >= 0 && operation->remote_rail < network->nics_per_node,
                  "rail %d of %d", (int)operation->remote_rail, network->nics_per_node);
    check_release(operation->core_port / ports == operation->node &&
                      operation->local_port / ports == operation->node &&
                      operation->remote_port / ports == operation->remote_node,
                  "ports %d, %d and %d are not of nodes %lld and %lld", (int)operation->core_port,
                  (int)operation->local_port, (int)operation->remote_port,
                  (long long)operation->node, (long long)operation->remote_node);
}

/* The memory at a port, as an address in its node. */
static address memory_at(const struct nic_network *network, int32_t port)
{
    return address_make(port % network->ports_per_node, 0);
}

static struct nic_operation *post(struct nic_network *network, const struct verbs_operation *posted,
                                  enum nic_opcode opcode)
{
    check_operation(network, posted);
    struct nic *nic = nic_network_nic(network, posted->node, posted->rail);
    struct nic_operation *operation = nic_operation_new(nic, NIC_FRONT_verbs);
    operation->command = (struct nic_command){
        .opcode = (unsigned)opcode & 0x3fu,
        .remote_nic = (uint16_t)(posted->remote_rail + 1),
        .remote_node = (uint32_t)posted->remote_node,
        .local = memory_at(network, posted->local_port),
        .remote = memory_at(network, posted->remote_port),
        .bytes = (uint64_t)posted->bytes,
        .cookie = posted->cookie,
        .counter = (uint32_t)posted->counter,
        .threshold = posted->threshold,
    };
    operation->is_block = true;
    operation->pair = posted->queue;
    operation->argument = posted->argument;
    operation->completed = posted->completed;
    operation->core_slot = posted->core_port % network->ports_per_node;
    return operation;
}

/* The command, with its inline data, crosses the bus and passes the doorbell's register. */
static void ring_doorbell(struct nic_operation *operation)
{
    struct nic_network *network = operation->nic->network;
    int64_t bytes = (int64_t)sizeof(struct nic_command);
    if (operation->command.opcode == NIC_PUT_INLINE)
        bytes += (int64_t)operation->command.bytes;
    operation->doorbell_ps =
        sim_now(network->sim) +
        nic_block_latency_ps(operation->nic, operation->core_slot, operation->nic->slot) +
        nic_block_bus_ps(operation->nic, bytes);
    event_schedule(network->sim->events,
                   operation->doorbell_ps + NIC_READ(operation->nic, doorbell_latency_ps),
                   doorbell_is_seen, operation);
}

/* Posts a write. A write of 0 bytes counts as inline, since it has no payload to fetch. */
void verbs_write(struct nic_network *network, const struct verbs_operation *posted)
{
    bool has_payload = posted->bytes == 0 || posted->is_inline;
    struct nic_operation *operation = post(network, posted, has_payload ? NIC_PUT_INLINE : NIC_PUT);
    operation->delivered = posted->delivered;
    operation->is_unanswered = posted->completed == NULL;
    operation->is_ordered = posted->queue != NULL;
    if (operation->is_ordered && posted->counter == 0)
        nic_operation_take_turn(operation);
    ring_doorbell(operation);
}

void verbs_read(struct nic_network *network, const struct verbs_operation *posted)
{
    ring_doorbell(post(network, posted, NIC_GET));
}
