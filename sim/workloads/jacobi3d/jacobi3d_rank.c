/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi3D with ranks that wait, one block for each: MPI, AMPI, Charm4py (M-104, M-124).
 *
 * Pack, one synchronisation, send and receive of each face, unpack each as it comes, wait for the sends, update. With manual
 * overlap the cells that need no ghosts are updated meanwhile (Async22, Fig 1). Charm4py's program synchronises after each face
 * that it unpacks. */
#include "workloads/jacobi3d/jacobi3d.h"

static void synchronize(struct jacobi_block *block, struct cuda_stream *stream)
{
    sim_time call_ps = messenger_cuda_call_ps(block->run->runtime);
    if (call_ps > 0)
        cpu_spend(jacobi_cpu(block), CPU_INTERPRETER, call_ps);
    cuda_stream_synchronize(stream, jacobi_cpu(block));
}

static void start(struct jacobi_block *block, struct message *message, int face, bool is_receive)
{
    *message = (struct message){.is_receive = is_receive,
                                .peer = (int32_t)block->neighbours[face],
                                .tag = face ^ (is_receive ? 1 : 0), /* as its sender sees it */
                                .number = (uint64_t)face,
                                .owner = block,
                                .block = jacobi_gpu_buffer(block, face, is_receive)};
    if (!is_receive)
        jacobi_field_send(block, face);
    jacobi_start(block, message);
}

/* Starts sends and receives of all faces; returns how many. */
static size_t exchange(struct jacobi_block *block, struct message *sends, struct message *receives)
{
    size_t count = 0;
    for (int face = 0; face < FACES; face++) {
        if (!jacobi_has_face(block, face))
            continue;
        start(block, &sends[count], face, false);
        start(block, &receives[count], face, true);
        count++;
    }
    return count;
}

static void take(struct jacobi_block *block, int face)
{
    jacobi_field_receive(block, face);
    jacobi_gpu_take(block, face);
    if (runtime_of(&block->run->spec->design)->interpreter_ps != NULL)
        synchronize(block, block->comm);
}

static void iterate(struct jacobi_block *block)
{
    const struct jacobi3d *run = block->run;
    struct message sends[FACES], receives[FACES];
    synchronize(block, jacobi_gpu_pack(block));
    jacobi_timer_starts(block);
    size_t count = exchange(block, sends, receives);
    if (run->spec->overlap)
        jacobi_gpu_update(block, PART_INTERIOR);
    for (size_t i = 0; i < count; i++) {
        size_t come = messenger_wait_any(run->runtime, block->pe->rank, receives, count);
        jacobi_observe_received(block, &receives[come]);
        take(block, (int)receives[come].number);
    }
    messenger_wait(run->runtime, block->pe->rank, sends, count);
    jacobi_observe_sent(block, (int)count);
    jacobi_timer_stops(block);
    jacobi_gpu_update(block, run->spec->overlap ? PART_EXTERIOR : PART_ALL);
    if (!run->spec->optimised)
        synchronize(block, block->compute);
    jacobi_iteration_ended(block);
}

void jacobi_rank(struct party *party, void *argument)
{
    struct jacobi3d *run = argument;
    struct jacobi_block *block = &run->blocks[party->place];
    jacobi_gpu_open(block);
    jacobi_field_open(block);
    jacobi_gpu_pack_first(block);
    for (; steady_stop_begins(&run->pace, block->iteration); block->iteration++)
        iterate(block);
    jacobi_gpu_finish(block);
}
