/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi3D with chares, several on each PE (Async22 sections II and III; M-091, M-093 to M-096, M-102, M-105).
 *
 * A PE's scheduler picks the next event of any of its chares; no chare blocks. An iteration of a chare: run() packs its faces;
 * when the GPU has packed them, a callback of HAPI sends them; each received face is copied to the GPU, if it came through the
 * host, and unpacked; after the last completion the update is launched, and a message calls run() of the next iteration.
 * Messages carry no iteration number, since they are in order for each face. Host messages and channels are received when the
 * chare has reached their iteration; the GPU Messaging API's post entry method is called when a message comes, so its receives
 * are posted one iteration ahead, and early messages wait (SDAG's `when` with a reference number; M-050, M-051). */
#include "protocols/runtimes/charm.h"
#include "workloads/jacobi3d/jacobi3d.h"

static void run_entry(struct charm_pe *pe, void *content);
static void proceed(struct jacobi_block *block);

/* The two chares that share a face identify a message by the face of the lower chare, and by its direction. The lower chare's PE
 * does not have the higher number, so a tag is unique between two PEs. */
static int32_t tag_of(const struct jacobi_block *block, int face, bool is_receive)
{
    const struct jacobi3d_spec *spec = block->run->spec;
    bool is_lower = face % 2 == 1;
    int64_t lower = is_lower ? block->number : block->neighbours[face];
    bool is_upward = is_lower != is_receive;
    return (int32_t)(lower % spec->odf * FACES + face / 2 * 2 + is_upward);
}

static struct message describe(struct jacobi_block *block, int face, bool is_receive)
{
    return (struct message){.is_receive = is_receive,
                            .is_apart = true,
                            .peer = (int32_t)(block->neighbours[face] / block->run->spec->odf),
                            .tag = tag_of(block, face, is_receive),
                            .number = (uint64_t)face,
                            .owner = block,
                            .block = jacobi_gpu_buffer(block, face, is_receive)};
}

/* --- the exchange --------------------------------------------------------------------------------- */

static void tell(const struct jacobi_block *block, enum observed_call_kind kind, const void *handle)
{
    messenger_tell(block->run->runtime, block->pe->rank, kind, handle);
}

static void count_completion(struct jacobi_block *block)
{
    if (--block->pending == 0)
        proceed(block);
}

static void take(struct jacobi_block *block, int face)
{
    tell(block, CALL_WORK, NULL);
    tell(block, CALL_NOTICE, &block->receives[face]);
    jacobi_field_receive(block, face);
    jacobi_gpu_take(block, face);
    count_completion(block);
}

static void has_come(struct message *message)
{
    struct jacobi_block *block = message->owner;
    tell(block, CALL_NOTICE, NULL);
    jacobi_observe_received(block, message);
    if (block->is_exchanging) {
        take(block, (int)message->number);
    } else {
        block->early |= (uint8_t)(1 << message->number);
        block->run->sums.early++;
    }
    tell(block, CALL_WORK, NULL);
}

static void has_left(struct message *message)
{
    struct jacobi_block *block = message->owner;
    bool counts = block->run->counts_sends;
    tell(block, CALL_NOTICE, counts ? message : NULL);
    block->pe->sends--;
    jacobi_observe_sent(block, 1);
    pool_give(&block->run->messages, message);
    if (counts)
        count_completion(block);
    tell(block, CALL_WORK, NULL);
}

static void send_face(struct jacobi_block *block, int face)
{
    struct message *message = pool_take(&block->run->messages);
    *message = describe(block, face, false);
    message->on_done = has_left;
    block->pe->sends++;
    jacobi_field_send(block, face);
    jacobi_start(block, message);
}

static void post(struct jacobi_block *block, int face)
{
    block->receives[face] = describe(block, face, true);
    block->receives[face].on_done = has_come;
    jacobi_start(block, &block->receives[face]);
}

/* Takes messages that came before the chare was ready. */
static void take_early(struct jacobi_block *block)
{
    uint8_t early = block->early;
    block->early = 0;
    for (int face = 0; face < FACES; face++)
        if (early >> face & 1)
            take(block, face);
}

/* Starts all sends before all receives (M-095). */
static void send_ghosts(struct jacobi_block *block)
{
    const struct jacobi3d *run = block->run;
    bool is_ahead = run->is_announced;
    jacobi_timer_starts(block);
    block->pending = block->face_count * (run->counts_sends ? 2 : 1) + 1;
    block->is_exchanging = true;
    for (int face = 0; face < FACES; face++)
        if (jacobi_has_face(block, face))
            send_face(block, face);
    for (int face = 0; face < FACES; face++)
        if (jacobi_has_face(block, face) && !is_ahead)
            post(block, face);
    if (is_ahead)
        take_early(block);
    count_completion(block);
}

static void send_entry(struct charm_pe *pe, void *content)
{
    (void)pe;
    tell(content, CALL_BESIDE_OVER, content);
    send_ghosts(content);
    tell(content, CALL_WORK, NULL);
}

/* --- an iteration ---------------------------------------------------------------------------------- */

/* Calls `entry` when the GPU has done the work in the stream: by a callback, or directly after a call that blocks the PE (M-038). */
static void when_done(struct jacobi_block *block, struct cuda_stream *stream, charm_entry *entry)
{
    if (block->run->spec->completion == COMPLETION_ASYNC) {
        tell(block, CALL_BESIDE, block);
        charm_gpu_callback(block->pe->charm, stream, entry, block);
        return;
    }
    cuda_stream_synchronize(stream, jacobi_cpu(block));
    entry(block->pe->charm, block);
}

static void run_next(struct jacobi_block *block)
{
    const struct charm_call call = {.entry = run_entry, .content = block};
    charm_send(block->pe->charm, block->pe->rank, &call);
}

static void iteration_ended(struct jacobi_block *block)
{
    jacobi_iteration_ended(block);
    block->iteration++;
    run_next(block);
}

static void update_entry(struct charm_pe *pe, void *content)
{
    (void)pe;
    tell(content, CALL_BESIDE_OVER, content);
    iteration_ended(content);
    tell(content, CALL_WORK, NULL);
}

/* With two synchronisations an iteration ends with its update (M-041). */
static void proceed(struct jacobi_block *block)
{
    block->is_exchanging = false;
    jacobi_timer_stops(block);
    jacobi_gpu_update(block, PART_ALL);
    for (int face = 0; face < FACES; face++)
        if (jacobi_has_face(block, face) && block->run->is_announced)
            post(block, face);
    if (!block->run->spec->optimised)
        when_done(block, block->compute, update_entry);
    else
        iteration_ended(block);
}

static void run_entry(struct charm_pe *pe, void *content)
{
    (void)pe;
    struct jacobi_block *block = content;
    tell(block, CALL_NOTICE, NULL);
    if (!steady_stop_begins(&block->run->pace, block->iteration)) {
        block->pe->working_blocks--;
        return;
    }
    when_done(block, jacobi_gpu_pack(block), send_entry);
    tell(block, CALL_WORK, NULL);
}

/* --- a PE ----------------------------------------------------------------------------------------- */

static void open_block(struct jacobi_block *block)
{
    jacobi_gpu_open(block);
    jacobi_field_open(block);
    jacobi_gpu_pack_first(block);
    for (int face = 0; face < FACES; face++)
        if (jacobi_has_face(block, face) && block->run->is_announced)
            post(block, face);
    run_next(block);
}

static bool is_empty(const struct jacobi_pe *pe)
{
    return pe->working_blocks == 0 && pe->sends == 0;
}

void jacobi_chares(struct party *party, void *argument)
{
    struct jacobi3d *run = argument;
    struct jacobi_pe *pe = &run->pes[party->place];
    pe->charm = &run->runtime->charm->pes[pe->rank];
    charm_pe_start(pe->charm);
    pe->working_blocks = run->spec->odf;
    for (int64_t i = 0; i < run->spec->odf; i++)
        open_block(&run->blocks[pe->rank * run->spec->odf + i]);
    while (!is_empty(pe))
        messenger_turn(run->runtime, pe->rank);
    for (int64_t i = 0; i < run->spec->odf; i++)
        jacobi_gpu_finish(&run->blocks[pe->rank * run->spec->odf + i]);
}
