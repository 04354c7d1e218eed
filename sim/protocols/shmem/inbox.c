/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/inbox.h"

#include <string.h>

static bool receive(void *argument, const struct nic_command *command, int64_t from_node,
                    uint8_t line[BUS_DATA_BYTES], address *at)
{
    struct inbox *inbox = argument;
    const struct ring_queue *queue = inbox->consumer->queue;
    struct queue_entry entry = {.status = QUEUE_READY,
                                .operation =
                                    command->signal != 0 ? QUEUE_TOLD_TO_SET : QUEUE_ANSWERED,
                                .is_inline = true,
                                .node = (uint32_t)from_node,
                                .remote = command->remote,
                                .value = command->local,
                                .signal = command->signal};
    if (inbox->arrived - inbox->consumer->read_index == queue->count)
        return false;
    _Static_assert(sizeof entry == BUS_DATA_BYTES, "an entry is a line");
    memcpy(line, &entry, sizeof entry);
    *at = queue->entries + inbox->arrived++ % queue->count * sizeof entry;
    return true;
}

void inbox_init(struct inbox *inbox, struct cluster *cluster, struct site *site, address self,
                struct ring_consumer *consumer)
{
    *inbox = (struct inbox){.consumer = consumer, .self = self};
    nic_network_receive(cluster->nics, site->node, address_slot(self), receive, inbox);
}

void inbox_address(const struct inbox *inbox, struct nic_command *command)
{
    command->opcode = NIC_SEND;
    command->bytes = BUS_DATA_BYTES;
    command->signal = inbox->self;
}

static void answer(const struct queue_entry *entry, struct shmem *shmem, int64_t context)
{
    struct nic_command command = {.opcode = NIC_SEND,
                                  .remote_node = entry->node,
                                  .remote = entry->signal,
                                  .bytes = BUS_DATA_BYTES};
    shmem_issue_nbi(shmem, context, &command);
}

void inbox_serve(const struct queue_entry *entry, struct shmem *shmem, int64_t context)
{
    agent_execute(shmem->agent, SOFTWARE_READ(shmem->interface->software, command_instructions));
    if (entry->operation == QUEUE_ANSWERED)
        return;
    agent_load_word(shmem->agent, entry->remote);
    agent_store_word(shmem->agent, entry->remote, entry->value);
    agent_release(shmem->agent, SCOPE_SYSTEM);
    answer(entry, shmem, context);
}
