/* The kinds of agents that a design may name as its server: a line each. */
#include "protocols/agents/agent.h"

const struct agent_kind *const agent_kinds[] = {
    &host_thread_kind, &command_processor_kind, &gpu_thread_kind,
    &gpu_warp_kind,    &smart_nic_kind,         &initiator_kind,
    NULL,
};
