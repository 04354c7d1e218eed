/* SPDX-License-Identifier: BSD-3-Clause */
/* The time that a work-group's instructions and copies take of its compute unit. */
#include "models/gpu/gpu_parts.h"

sim_time work_group_copy_ps(const struct work_group *wg, int64_t bytes)
{
    return transfer_ps(bytes, GPU_READ(wg->gpu, copy_rate_Bps));
}

sim_time work_group_copies(struct work_group *wg, sim_time start_ps, int64_t bytes)
{
    sim_time *free_ps = &wg->gpu->compute_units[wg->compute_unit].copy_free_ps;
    *free_ps = MAX(*free_ps, start_ps) + work_group_copy_ps(wg, bytes);
    return *free_ps;
}

int64_t work_groups_beside(const struct work_group *wg, bool on_unit)
{
    const struct gpu *gpu = wg->gpu;
    int64_t room = unit_run_of(gpu->rooms, wg->compute_unit)->room.groups;
    return on_unit ? gpu->spec->work_groups_per_cu - room - 1 : gpu->running - 1;
}

sim_time work_group_time_ps(const struct work_group *wg, int64_t instructions)
{
    const struct gpu *gpu = wg->gpu;
    return cycles_ps(instructions * GPU_READ(gpu, instruction_cycles), GPU_READ(gpu, clock_Hz));
}

void work_group_barrier(struct work_group *wg)
{
    const struct gpu *gpu = wg->gpu;
    process_sleep(wg->process, cycles_ps(GPU_READ(gpu, barrier_cycles), GPU_READ(gpu, clock_Hz)));
}
