/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi3D as one process with a host thread for each GPU, without messages: CUDA copies carry the faces. An iteration: each
 * thread copies its blocks' faces to the neighbours' GPUs, or to host memory, from where the neighbour's thread fetches them;
 * waits for its copies; meets the other threads; launches the kernels that unpack, update and pack; waits for them; meets the
 * other threads. A block has one stream for copies and one for kernels. probe/jacobi3d.cu is this program on real GPUs. */
#include "workloads/jacobi3d/jacobi3d.h"

typedef void face_action(struct jacobi_block *block, int face);

static sim_time hop_ps(const struct jacobi_pe *pe)
{
    return host_hop_ps(&pe->process->spec->host);
}

/* Each thread adds one to a counter; the last thread's write ends the polling of the others. */
static void meet(struct jacobi_pe *pe)
{
    struct jacobi3d *run = pe->run;
    struct cpu *cpu = &pe->process->cpu;
    cpu_access(cpu, CPU_WAIT, hop_ps(pe));
    cpu_settle(cpu);
    pe->has_met = false;
    if (++run->met < run->pe_count) {
        cpu_block(cpu, &pe->has_met, CPU_WAIT, "the threads of other GPUs");
        cpu_access(cpu, CPU_WAIT, hop_ps(pe));
        return;
    }
    run->met = 0;
    for (int64_t i = 0; i < run->pe_count; i++)
        if (&run->pes[i] != pe) {
            run->pes[i].has_met = true;
            cpu_unblock(&run->pes[i].process->cpu);
        }
}

static struct jacobi_block *block_of(const struct jacobi_pe *pe, int64_t i)
{
    return &pe->run->blocks[pe->rank * pe->run->spec->odf + i];
}

static void move_faces(struct jacobi_pe *pe, face_action *action)
{
    struct cpu *cpu = &pe->process->cpu;
    for (int64_t i = 0; i < pe->run->spec->odf; i++) {
        struct jacobi_block *block = block_of(pe, i);
        for (int face = 0; face < FACES; face++)
            if (jacobi_has_face(block, face))
                action(block, face);
    }
    for (int64_t i = 0; i < pe->run->spec->odf; i++)
        cuda_stream_synchronize(block_of(pe, i)->comm, cpu);
    meet(pe);
}

static void compute(struct jacobi_pe *pe)
{
    bool has_graph = pe->run->spec->graph;
    for (int64_t i = 0; i < pe->run->spec->odf; i++)
        jacobi_gpu_iterate(block_of(pe, i));
    for (int64_t i = 0; i < pe->run->spec->odf; i++) {
        const struct jacobi_block *block = block_of(pe, i);
        cuda_stream_synchronize(has_graph ? block->graph : block->compute, &pe->process->cpu);
    }
    meet(pe);
}

static void iterate(struct jacobi_pe *pe)
{
    int64_t odf = pe->run->spec->odf;
    for (int64_t i = 0; i < odf; i++) {
        struct jacobi_block *block = block_of(pe, i);
        block->exchange_ps[block->iteration % 2] = cpu_now(&pe->process->cpu);
    }
    move_faces(pe, jacobi_gpu_give);
    if (pe->run->is_staged)
        move_faces(pe, jacobi_gpu_fetch);
    compute(pe);
    for (int64_t i = 0; i < odf; i++) {
        jacobi_iteration_ended(block_of(pe, i));
        block_of(pe, i)->iteration++;
    }
}

void jacobi_thread(struct party *party, void *argument)
{
    struct jacobi3d *run = argument;
    struct jacobi_pe *pe = &run->pes[party->place];
    for (int64_t i = 0; i < run->spec->odf; i++) {
        jacobi_gpu_open(block_of(pe, i));
        jacobi_field_open(block_of(pe, i));
        jacobi_gpu_pack_first(block_of(pe, i));
    }
    for (int64_t i = 0; i < run->spec->odf; i++)
        jacobi_gpu_finish(block_of(pe, i));
    meet(pe);
    while (steady_stop_begins(&run->pace, block_of(pe, 0)->iteration))
        iterate(pe);
}
