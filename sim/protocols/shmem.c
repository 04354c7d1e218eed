#include "protocols/shmem.h"

void shmem_init(struct shmem *shmem, struct cluster *cluster, int64_t node,
                enum node_memory memory, uint64_t entries)
{
    *shmem = (struct shmem){
        .nic = cluster->nodes[node].nic,
        .software = &cluster->spec->software,
        .entries = entries,
        .commands = node_allocate(cluster, node, memory,
                                  (int64_t)(entries * sizeof(struct nic_command)),
                                  STORE_FINE_GRAINED),
        .completions = node_allocate(cluster, node, memory,
                                     (int64_t)(entries * sizeof(struct nic_completion)),
                                     STORE_FINE_GRAINED),
    };
    shmem->queue =
        nic_add_queue(shmem->nic, shmem->commands, shmem->completions, (int64_t)entries);
}

/* Looks once at the next completion entry; takes it if it is new. */
static void poll_completion(struct shmem *shmem)
{
    struct agent *agent = shmem->agent;
    uint64_t place = shmem->completed % shmem->entries;
    uint64_t valid_now = 1 - shmem->completed / shmem->entries % 2;
    agent_execute(agent, shmem->software->poll_instructions);
    agent_acquire(agent, SCOPE_SYSTEM);
    address valid = shmem->completions + place * sizeof(struct nic_completion) +
                    offsetof(struct nic_completion, valid);
    if (agent_load_word(agent, valid) != valid_now)
        return;
    agent_execute(agent, shmem->software->complete_instructions);
    shmem->completed++;
}

void shmem_quiet(struct shmem *shmem)
{
    while (shmem->completed < shmem->issued)
        poll_completion(shmem);
}

/* The command, the release that lets the NIC see it, the doorbell. */
static void issue(struct shmem *shmem, const struct nic_command *command)
{
    struct agent *agent = shmem->agent;
    while (shmem->issued - shmem->completed == shmem->entries)
        poll_completion(shmem);
    address place = shmem->commands + shmem->issued % shmem->entries * sizeof *command;
    agent_store(agent, place, command, sizeof *command);
    agent_release(agent, SCOPE_SYSTEM);
    shmem->issued++;
    agent_store_word(agent, nic_doorbell(shmem->nic, shmem->queue), shmem->issued);
}

void shmem_put_nbi(struct shmem *shmem, int64_t node, address local, address remote, int64_t bytes,
                   uint64_t cookie)
{
    agent_execute(shmem->agent, shmem->software->put_instructions);
    issue(shmem, &(struct nic_command){.opcode = NIC_PUT,
                                       .remote_node = (uint32_t)node,
                                       .local = local,
                                       .remote = remote,
                                       .bytes = (uint64_t)bytes,
                                       .cookie = cookie});
}

void shmem_put_inline_nbi(struct shmem *shmem, int64_t node, uint64_t value, address remote,
                          int64_t bytes, uint64_t cookie)
{
    agent_execute(shmem->agent, shmem->software->put_instructions);
    issue(shmem, &(struct nic_command){.opcode = NIC_PUT_INLINE,
                                       .remote_node = (uint32_t)node,
                                       .local = value,
                                       .remote = remote,
                                       .bytes = (uint64_t)bytes,
                                       .cookie = cookie});
}

void shmem_get_nbi(struct shmem *shmem, int64_t node, address local, address remote, int64_t bytes,
                   uint64_t cookie)
{
    agent_execute(shmem->agent, shmem->software->get_instructions);
    issue(shmem, &(struct nic_command){.opcode = NIC_GET,
                                       .remote_node = (uint32_t)node,
                                       .local = local,
                                       .remote = remote,
                                       .bytes = (uint64_t)bytes,
                                       .cookie = cookie});
}
