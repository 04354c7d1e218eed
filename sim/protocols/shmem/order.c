/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/order.h"

static struct nic_command signal_of(const struct design *design, const struct nic_command *put)
{
    struct nic_command word = {.opcode = NIC_PUT_INLINE,
                               .is_fenced = design->signal == SIGNAL_NIC_FENCE,
                               .is_chained = design->signal == SIGNAL_CHAINED,
                               .remote_nic = put->remote_nic,
                               .remote_node = put->remote_node,
                               .local = put->signal_value,
                               .remote = put->signal,
                               .bytes = sizeof put->signal_value,
                               .cookie = put->cookie};
    if (design->signal_by == SIGNAL_BY_ATOMIC) {
        word.opcode = NIC_ATOMIC;
        word.atomic = ATOMIC_SWAP;
        word.operand = word.local;
        word.local = ADDRESS_NONE;
    } else if (design->signal_by == SIGNAL_BY_SERVER) {
        word.opcode = NIC_SEND;
        word.bytes = BUS_DATA_BYTES;
    }
    return word;
}

static bool has_signal(const struct nic_command *command)
{
    return (command->opcode == NIC_PUT || command->opcode == NIC_PUT_INLINE) &&
           command->signal != 0;
}

bool order_split(const struct design *design, struct nic_command *put, struct nic_command *word)
{
    if (!has_signal(put) || design->signal == SIGNAL_WITH_PUT)
        return false;
    *word = signal_of(design, put);
    put->signal = 0;
    return true;
}

void order_issue_nbi(struct shmem *shmem, int64_t context, const struct nic_command *command)
{
    const struct design *design = shmem->design;
    struct nic_command put = *command, word;
    if (!order_split(design, &put, &word)) {
        shmem_issue_nbi(shmem, context, command);
        return;
    }
    if (word.opcode == NIC_SEND)
        word.signal = shmem->self;
    if (design->signal == SIGNAL_QUIET) {
        shmem_issue_nbi(shmem, context, &put);
        shmem_quiet(shmem);
        shmem_issue_nbi(shmem, context, &word);
    } else {
        struct shmem_issue both[] = {{context, put}, {context, word}};
        shmem_issue_all_nbi(shmem, both, 2);
    }
}

bool order_fence(struct shmem *shmem)
{
    int64_t fence = shmem->design->fence;
    shmem->is_fenced = shmem->is_fenced || fence == FENCE_NIC;
    return fence == FENCE_NIC || fence == FENCE_ORDER;
}
