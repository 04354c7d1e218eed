/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/nic/nic.h"

#include <stdio.h>
#include <string.h>

#include "models/nic/nic_parts.h"

PARAM_TABLE_OF(nic_params, "nic", struct nic_spec, NIC_ROWS,
               "A NIC: doorbell, command fetch over the bus, DMA, packets, completions.");

/* --- registers --------------------------------------------------------------------------------- */

#define FRONT_ADDRESS(name) &nic_front_##name,
const struct nic_front *const nic_fronts[] = {NIC_FRONTS(FRONT_ADDRESS)};
#undef FRONT_ADDRESS

/* A front's registers have 8 bytes each; their offset begins with the front's number, shifted by this many bits. */
#define FRONT_BITS 40

address nic_register(const struct nic *nic, enum nic_front_number front, uint64_t number)
{
    uint64_t offset = (uint64_t)front << FRONT_BITS | number * sizeof(uint64_t);
    return address_make(nic->slot, ADDRESS_REGISTERS + offset);
}

static void request_arrives(void *device, struct bus_request *request)
{
    struct nic *nic = device;
    check_always(request->op == BUS_WRITE && request->bytes == sizeof(uint64_t) &&
                     address_is_register(request->at),
                 "a NIC takes 8-byte writes to its registers only");
    uint64_t offset = address_offset(request->at) - ADDRESS_REGISTERS;
    uint64_t front = offset >> FRONT_BITS, value;
    check_always(front < NIC_FRONT_COUNT && nic_fronts[front]->store != NULL &&
                     nic->fronts[front] != NULL,
                 "a NIC has no register at offset 0x%llx", (unsigned long long)offset);
    memcpy(&value, request->data, sizeof value);
    offset -= front << FRONT_BITS;
    nic_fronts[front]->store(nic, offset / sizeof(uint64_t), value);
    bus_performed(nic->bus, request, 0);
}

struct bus *nic_bus(struct nic *nic)
{
    if (nic->bus != NULL)
        return nic->bus;
    struct nic_network *network = nic->network;
    check_always(network->bus_of != NULL, "NIC %d has no bus", (int)nic->number);
    nic->bus = network->bus_of(network->machine, nic->number / network->nics_per_node);
    struct endpoint endpoint = {request_arrives, nic, 0};
    bus_attach(nic->bus, nic->slot, &endpoint);
    return nic->bus;
}

struct bus_request *nic_bus_request(struct nic *nic, enum bus_op op, address at, size_t bytes)
{
    struct bus_request *request = bus_request(nic_bus(nic));
    request->op = op;
    request->from_slot = nic->slot;
    request->at = at;
    request->bytes = (int64_t)bytes;
    return request;
}

/* --- NICs -------------------------------------------------------------------------------------- */

struct nic *nic_make(struct nic_network *network, int32_t number)
{
    struct nic *nic = g_new0(struct nic, 1);
    int32_t node = number / network->nics_per_node;
    nic->network = network;
    nic->kind = &network->kinds[network->kind_of != NULL ? network->kind_of[node] : 0];
    nic->number = number;
    nic->index = number % network->nics_per_node;
    nic->first_port = node * network->ports_per_node;
    nic->slot = network->slots[nic->index];
    char path[64];
    snprintf(path, sizeof path, "node%d.nic%d", (int)node, (int)nic->index);
    nic->commands =
        stat_counter_new(network->sim->stats, path, STAT("commands", "1", "commands taken up"));
    nic->payload = stat_counter_new(network->sim->stats, path,
                                    STAT("payload_bytes", "B", "payload of the commands taken up"));
    network->nics[number] = nic;
    return nic;
}

static void free_nic(struct nic *nic)
{
    if (nic == NULL)
        return;
    for (int front = 0; front < NIC_FRONT_COUNT; front++)
        if (nic->fronts[front] != NULL)
            nic_fronts[front]->free(nic->fronts[front]);
    g_free(nic);
}

struct nic *nic_network_nic(struct nic_network *network, int64_t node, int64_t index)
{
    check_release(node >= 0 && node < network->nodes && index >= 0 &&
                      index < network->nics_per_node,
                  "no NIC %lld of node %lld", (long long)index, (long long)node);
    return nic_numbered(network, (int32_t)(node * network->nics_per_node + index));
}

int32_t nic_remote_number(const struct nic *nic, const struct nic_command *command)
{
    int32_t index =
        command->remote_nic != 0
            ? command->remote_nic - 1
            : platform_cabled_gateway(nic->network->platform, command->remote_node, nic->index);
    return (int32_t)command->remote_node * nic->network->nics_per_node + index;
}

/* --- all of a machine -------------------------------------------------------------------------- */

struct nic_totals nic_network_totals(const struct nic_network *network, size_t kind)
{
    struct nic_totals totals = {0, 0, 0};
    for (int64_t number = 0; number < network->nodes * network->nics_per_node; number++) {
        const struct nic *nic = network->nics[number];
        if (nic == NULL || nic->kind != &network->kinds[kind])
            continue;
        totals.nics++;
        totals.commands += nic->commands->value;
        totals.payload_bytes += nic->payload->value;
    }
    return totals;
}

/* Finds the ports "nic0", "nic1", ... of a node. */
static void find_nics(struct nic_network *network)
{
    g_autoptr(GArray) slots = g_array_new(FALSE, FALSE, sizeof(int));
    for (;;) {
        char name[32];
        snprintf(name, sizeof name, "nic%u", slots->len);
        int slot = platform_port(network->platform, 0, name);
        if (slot < 0)
            break;
        g_array_append_val(slots, slot);
    }
    check_always(slots->len > 0, "no port nic0 on the platform");
    network->nics_per_node = (int)slots->len;
    network->slots = (int *)g_array_steal(slots, NULL);
}

static void find_nodes(struct nic_network *network)
{
    int ports = platform_port_count(network->platform);
    int next_node = platform_port(network->platform, 1, "nic0");
    network->ports_per_node = next_node < 0 ? ports : next_node - network->slots[0];
    network->nodes = ports / network->ports_per_node;
}

void nic_network_add_kind(struct nic_network *network, const struct nic_spec *spec,
                          const struct bus_spec *bus, const uint8_t *kind_of)
{
    struct nic_kind *kind = &network->kinds[network->kind_count++];
    int pairs = network->ports_per_node * network->ports_per_node;
    *kind = (struct nic_kind){spec, bus, g_new(sim_time, (gsize)pairs)};
    for (int pair = 0; pair < pairs; pair++)
        kind->latencies_ps[pair] = -1;
    network->kind_of = kind_of;
}

struct nic_network *nic_network_new(struct sim *sim, struct platform *platform,
                                    struct transport *transport, const struct nic_spec *spec,
                                    const struct bus_spec *bus, nic_bus_fn *bus_of,
                                    dram_at_fn *memory_at, void *argument)
{
    struct nic_network *network = g_new0(struct nic_network, 1);
    network->sim = sim;
    network->platform = platform;
    network->transport = transport;
    network->used = param_use_of(&sim->uses, &nic_params);
    network->bus_used = param_use_of(&sim->uses, &bus_params);
    network->bus_of = bus_of;
    network->memory_at = memory_at;
    network->machine = argument;
    find_nics(network);
    find_nodes(network);
    nic_network_add_kind(network, spec, bus, NULL);
    network->nics = g_new0(struct nic *, (gsize)(network->nodes * network->nics_per_node));
    rng_init(&network->ways, sim->seed, "nic.ways");
    pool_init(&network->operations, sizeof(struct nic_operation));
    pool_init(&network->packets, sizeof(struct nic_packet));
    return network;
}

void nic_network_receive(struct nic_network *network, int64_t node, int slot,
                         nic_receive_fn *receive, void *argument)
{
    if (network->receivers == NULL)
        network->receivers =
            g_new0(struct nic_receiver, (gsize)(network->nodes * network->ports_per_node));
    struct nic_receiver *receiver =
        &network->receivers[node * network->ports_per_node + (int64_t)slot];
    check_always(receiver->receive == NULL, "two receivers of messages for slot %d", slot);
    *receiver = (struct nic_receiver){receive, argument};
}

void nic_network_free(struct nic_network *network)
{
    if (network == NULL)
        return;
    for (int64_t number = 0; number < network->nodes * network->nics_per_node; number++)
        free_nic(network->nics[number]);
    pool_clear(&network->packets);
    pool_clear(&network->operations);
    g_free(network->nics);
    for (int kind = 0; kind < network->kind_count; kind++)
        g_free(network->kinds[kind].latencies_ps);
    g_free(network->receivers);
    g_free(network->slots);
    g_free(network);
}
