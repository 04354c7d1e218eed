/* SPDX-License-Identifier: BSD-3-Clause */
/* The NIC as server of a work-group's calls: host threads have posted the commands beforehand, and a
 * store of the work-group to a trigger address starts the next one (GPU-TN, LeBeane et al., SC'17). */
#include "protocols/agents/agent.h"

const struct agent_kind nic_trigger_kind = {
    .name = "nic_trigger",
    .description =
        "the NIC, which starts commands of the host when a work-group pulls their trigger",
    .reasons =
        {[STAGE_SERVED] =
             "the work-group stores to the trigger of a command that a host thread has posted beforehand",
         [STAGE_DOORBELL] = "the store that pulls the trigger goes to the NIC",
         [STAGE_FETCHED] = "the NIC has read the command beforehand, and starts it",
         [STAGE_COMPLETED] = "the work-group itself looks for the NIC's completion",
         [STAGE_NOTICED] = "the work-group goes on when it has seen the completion"},
    .is_initiator = true,
    .is_trigger = true,
    .is_on_host = true,
    .memory = MEMORY_GPU,
    .no_rank = "server = nic_trigger starts what work-groups pull, not what a process sends",
};
