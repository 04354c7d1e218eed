/* SPDX-License-Identifier: BSD-3-Clause */
/* A wavefront of a resident kernel as an agent: each lane polls a queue of its own, all lanes in one vector load. The wavefront
 * serves the entries found one after the other: it reads one entry, serves it, and only then reads the next, since the lanes
 * that have found an entry diverge (an operation on an H200 costs about twice what it would if the entries were read together;
 * hardware measurements e6_gpu_agent, variant warp). */

#include "protocols/agents/agent.h"

static bool start(struct agent_thread *thread, GError **error)
{
    int64_t lanes = cluster_spec(thread->place.cluster, thread->place.site->node)->gpu.lanes;
    return gpu_agent_start(thread, MIN(lanes, LOADS_IN_FLIGHT_MAX), error);
}

const struct agent_kind gpu_warp_kind = {
    .name = "gpu_warp",
    .description = "wavefronts of a resident kernel: they look in parallel and serve in sequence",
    .threads = "wavefronts of a resident kernel",
    .is_on_gpu = true,
    .memory = MEMORY_GPU,
    .no_rank = GPU_AGENT_NO_RANK,
    .is_vector = true,
    .room = gpu_agent_room,
    .power = gpu_agent_power,
    .start = start,
};
