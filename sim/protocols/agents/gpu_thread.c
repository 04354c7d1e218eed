/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread of a resident kernel as an agent: it loads one word after the other. On an H200 the measured service rate agrees
 * within 4 % in the median (hardware measurements e6_gpu_agent). */
#include "protocols/agents/agent.h"

static bool start(struct agent_thread *thread, GError **error)
{
    return gpu_agent_start(thread, 1, error);
}

const struct agent_kind gpu_thread_kind = {
    .name = "gpu_thread",
    .description = "single threads of a resident kernel: one load after the other",
    .threads = "threads of a resident kernel",
    .is_on_gpu = true,
    .memory = MEMORY_GPU,
    .no_rank = GPU_AGENT_NO_RANK,
    .room = gpu_agent_room,
    .power = gpu_agent_power,
    .start = start,
};
