/* SPDX-License-Identifier: BSD-3-Clause */
/* A work-group as server of its own calls: it runs the network library itself, from
 * the command to the completion (GPUrdma, Daoud et al., ROSS 2016; NVSHMEM's IBGDA transport). */
#include "protocols/agents/agent.h"

const struct agent_kind initiator_kind = {
    .name = "initiator",
    .description = "the calling work-group itself: it writes the NIC's commands and doorbells",
    .reasons = {[STAGE_SERVED] =
                    "the work-group itself writes the NIC's command and rings its doorbell",
                [STAGE_COMPLETED] = "the work-group itself looks for the NIC's completion",
                [STAGE_NOTICED] = "the work-group goes on when it has handled the completion"},
    .is_initiator = true,
    .memory = MEMORY_GPU,
    .no_rank =
        "server = initiator is a work-group; a host process that serves itself is server = none",
};
