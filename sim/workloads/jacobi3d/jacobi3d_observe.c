/* SPDX-License-Identifier: BSD-3-Clause */
/* What Jacobi3D tells observers of its time: iterations of its PEs, divided by the activity of PE, GPU and network, and the
 * messages of the halo. An iteration begins when all blocks have ended the previous one and lasts until all have ended it, so
 * its time is the same for each PE, and the one that the workload reports. Without a listener only traffic that leaves a node
 * is counted. */
#include "core/observe_place.h"
#include "workloads/jacobi3d/jacobi3d.h"

static struct observe *observe_of(const struct jacobi3d *run)
{
    return &run->job->sim->observe;
}

void jacobi_observe_open(struct jacobi3d *run)
{
    run->iterations_origin = (struct observe_origin){
        .path = "iterations", .callers = "PE", .is_iteration = true, .design = &run->spec->design};
    run->messages_origin =
        (struct observe_origin){.path = "messages", .callers = "PE", .design = &run->spec->design};
    for (int64_t i = 0; i < run->pe_count; i++)
        run->pes[i].process->cpu.place =
            observe_place_new(observe_of(run), &run->iterations_origin, (uint32_t)i, STAGE_IDLE, 0);
}

/* --- messages ------------------------------------------------------------------------------------- */

static void change_under_way(struct observe_place *place, sim_time at_ps, int change)
{
    if (place != NULL)
        observe_place_change(place, STAGE_EXPOSED, at_ps, change);
}

void jacobi_start(struct jacobi_block *block, struct message *message)
{
    struct jacobi3d *run = block->run;
    struct cpu *cpu = &block->pe->process->cpu;
    uint64_t before = cpu->operation;
    if (!message->is_receive)
        jacobi_leaves(block, (int)message->number);
    if (!message->is_receive && cpu->place != NULL) {
        bool is_measured = block->iteration >= run->spec->warmup;
        cpu_work_for(cpu, is_measured ? observe_begin(observe_of(run), &run->messages_origin,
                                                      (uint32_t)block->pe->rank, cpu_now(cpu))
                                      : 0);
        change_under_way(cpu->place, cpu_now(cpu), 1);
        change_under_way(run->pes[message->peer].process->cpu.place, cpu_now(cpu), 1);
    }
    messenger_start(run->runtime, block->pe->rank, message);
    cpu_work_for(cpu, before);
}

void jacobi_observe_sent(const struct jacobi_block *block, int count)
{
    const struct cpu *cpu = &block->pe->process->cpu;
    change_under_way(cpu->place, cpu_now(cpu), -count);
}

void jacobi_observe_received(const struct jacobi_block *block, const struct message *message)
{
    const struct cpu *cpu = &block->pe->process->cpu;
    jacobi_arrives(block, (int)message->number);
    if (cpu->place == NULL)
        return;
    observe_end_at(observe_of(block->run), message->operation, cpu_now(cpu), cpu->place);
    change_under_way(cpu->place, cpu_now(cpu), -1);
}

/* --- iterations ----------------------------------------------------------------------------------- */

void jacobi_observe_iteration(struct jacobi3d *run, int64_t iteration)
{
    sim_time end_ps = steady_stop_end_ps(&run->pace, iteration);
    for (int64_t i = 0; i < run->pe_count && observe_wants_operations(observe_of(run)); i++)
        observe_place_cut(run->pes[i].process->cpu.place, end_ps, iteration >= run->spec->warmup,
                          sim_now(run->job->sim));
}

void jacobi_observe_ended(struct jacobi3d *run)
{
    const struct observe_repeat repeat = steady_stop_repeat(&run->pace);
    for (int64_t i = 0; i < run->pe_count; i++)
        observe_place_finish(run->pes[i].process->cpu.place);
    observe_counted_on(observe_of(run), &run->iterations_origin, &repeat);
}
