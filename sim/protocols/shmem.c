#include "protocols/shmem.h"

void shmem_init(struct shmem *shmem, struct cluster *cluster, int64_t node, enum node_memory memory,
                uint64_t entries)
{
    *shmem = (struct shmem){
        .nic = cluster->nodes[node].nic,
        .software = &cluster->spec->software,
        .entries = entries,
        .commands =
            node_allocate(cluster, node, memory, (int64_t)(entries * sizeof(struct nic_command)),
                          STORE_FINE_GRAINED),
        .completions =
            node_allocate(cluster, node, memory, (int64_t)(entries * sizeof(struct nic_completion)),
                          STORE_FINE_GRAINED),
    };
    shmem->queue = nic_add_queue(shmem->nic, shmem->commands, shmem->completions, (int64_t)entries);
}

/* Waits for the next completion entry and takes it. */
static void take_completion(struct shmem *shmem)
{
    const struct software_spec *software = shmem->software;
    uint64_t place = shmem->completed % shmem->entries;
    uint64_t valid_now = 1 - shmem->completed / shmem->entries % 2;
    address valid = shmem->completions + place * sizeof(struct nic_completion) +
                    offsetof(struct nic_completion, valid);
    agent_wait_word(shmem->agent, valid, valid_now, software->poll_instructions, SCOPE_SYSTEM,
                    software->skip_polls);
    agent_execute(shmem->agent, software->complete_instructions);
    shmem->completed++;
}

void shmem_quiet(struct shmem *shmem)
{
    while (shmem->completed < shmem->issued)
        take_completion(shmem);
}

/* The library's instructions, the command, the release that lets the NIC see it, the doorbell. */
void shmem_issue_nbi(struct shmem *shmem, const struct nic_command *command)
{
    struct agent *agent = shmem->agent;
    const struct software_spec *software = shmem->software;
    agent_execute(agent, command->opcode == NIC_GET ? software->get_instructions
                                                    : software->put_instructions);
    if (shmem->issued - shmem->completed == shmem->entries)
        take_completion(shmem);
    address place = shmem->commands + shmem->issued % shmem->entries * sizeof *command;
    agent_store(agent, place, command, sizeof *command);
    agent_release(agent, SCOPE_SYSTEM);
    shmem->issued++;
    agent_store_word(agent, nic_doorbell(shmem->nic, shmem->queue), shmem->issued);
}
