/* The SHMEM library under the service thread: non-blocking puts and gets as NIC commands, quiet by the
 * completion queue. It runs unmodified on whatever agent the thread is (ComPNet18 section 4.1, 4.2.2;
 * M-063); towards the NIC it synchronises at system scope (M-060). */
#ifndef GPUNETSIM_PROTOCOLS_SHMEM_H
#define GPUNETSIM_PROTOCOLS_SHMEM_H

#include <stdint.h>

#include "protocols/agent.h"

/* One thread's connection to its node's NIC: a work queue and a completion queue of its own. */
struct shmem {
    struct agent *agent;
    struct nic *nic;
    const struct software_spec *software;
    int queue; /* the NIC's number for it */
    address commands, completions;
    uint64_t entries;
    uint64_t issued, completed;
};

/* Allocates queues of `entries` commands in `memory` of `node` and makes them known to its NIC. Costs
 * no simulated time. The agent is set before the first call. */
void shmem_init(struct shmem *shmem, struct cluster *cluster, int64_t node, enum node_memory memory,
                uint64_t entries);

/* Issues one operation: put, put inline, get or fetch-add as the command says, whose `cookie` is what the
 * NIC's observer is told. Waits only if the work queue is full. */
void shmem_issue_nbi(struct shmem *shmem, const struct nic_command *command);

/* Waits until everything issued so far is complete. */
void shmem_quiet(struct shmem *shmem);

#endif
