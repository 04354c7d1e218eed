/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/ring.h"

#include <glib.h>

/* --- the elements of a message ---------------------------------------------------------------- */

/* A range of a phase's elements, cut at their end. */
static struct ring_range range_of(const struct ring_phase *phase, int64_t from, int64_t count)
{
    int64_t first = MIN(phase->first + from, phase->end);
    return (struct ring_range){first, MIN(count, phase->end - first)};
}

/* In a reduce-scatter a place first sends the block of its own position; it ends with the sum of the next block, which it sends
 * first in an allgather. */
static int64_t block_sent(const struct ring_phase *phase, int64_t position, int64_t step)
{
    int64_t block = (position - step + (phase->reduces ? 0 : 1)) % phase->members;
    return block < 0 ? block + phase->members : block;
}

static struct ring_range chunk_of(const struct ring_phase *phase, int64_t block, int64_t chunk)
{
    int64_t from = chunk * phase->chunk;
    return range_of(phase, block * phase->block + from,
                    MIN(phase->chunk, MAX(phase->block - from, 0)));
}

struct ring_range ring_sent(const struct ring_phase *phase, int64_t step, int64_t chunk)
{
    return chunk_of(phase, block_sent(phase, phase->position, step), chunk);
}

struct ring_range ring_received(const struct ring_phase *phase, int64_t step, int64_t chunk)
{
    return chunk_of(phase, block_sent(phase, phase->position - 1, step), chunk);
}

int64_t ring_phase_steps(const struct ring_phase *phase)
{
    return phase->members - 1;
}

int64_t ring_phase_chunks(const struct ring_phase *phase)
{
    return (phase->block + phase->chunk - 1) / phase->chunk;
}

/* --- a party's messages ------------------------------------------------------------------------ */

/* A party in its ring. */
struct runner {
    struct party *party;
    const struct ring *ring;
    const struct ring_listener *listener; /* NULL: none */
};

/* Where it is: in step `number` of a phase, or before the first one. */
struct ring_step {
    const struct ring_phase *phase; /* NULL: none */
    int64_t number;
};

static int64_t bytes_of(struct ring_range range)
{
    return MAX(range.count, 1) * RING_ELEMENT_BYTES;
}

/* The transfer of a range of the ring's buffer. */
static struct party_call transfer_of(const struct runner *runner, int64_t place,
                                     struct ring_range range)
{
    return (struct party_call){.place = place,
                               .group = runner->party->group,
                               .buffer = runner->ring->buffer,
                               .bytes = bytes_of(range)};
}

static void send_chunk(const struct runner *runner, struct ring_step step, int64_t chunk,
                       struct message *message)
{
    struct ring_range range = ring_sent(step.phase, step.number, chunk);
    struct party_call what = transfer_of(runner, step.phase->next, range);
    transfer_send(runner->party, message, &what);
    if (runner->listener != NULL)
        runner->listener->sent(runner->listener->argument, step.phase->next, range);
}

static void expect_chunk(const struct runner *runner, struct ring_step step, int64_t chunk,
                         struct message *message)
{
    struct ring_range range = ring_received(step.phase, step.number, chunk);
    struct party_call what = transfer_of(runner, step.phase->before, range);
    transfer_receive(runner->party, message, &what);
}

/* A loop that adds up two arrays of numbers: two loads and a store for each. */
static void add_up(const struct runner *runner, int64_t count)
{
    transfer_loop(runner->party, 0,
                  &(struct transfer_loop){.elements = count,
                                          .flops = 1,
                                          .bytes = 3 * RING_ELEMENT_BYTES,
                                          .working_set_bytes = runner->ring->working_set_bytes,
                                          .groups = 1,
                                          .in_flight_bytes = runner->ring->in_flight_bytes});
    transfer_finish(runner->party, 0);
}

static void take_chunk(const struct runner *runner, struct ring_step step, int64_t chunk)
{
    struct ring_range range = ring_received(step.phase, step.number, chunk);
    bool reduces = step.phase->reduces;
    if (runner->listener != NULL)
        runner->listener->received(runner->listener->argument, step.phase->before, range, reduces,
                                   step.number);
    if (reduces && range.count > 0)
        add_up(runner, range.count);
}

static void receive_chunk(const struct runner *runner, struct ring_step step, int64_t chunk)
{
    struct message message;
    expect_chunk(runner, step, chunk, &message);
    transfer_wait(runner->party, &message, 1);
    take_chunk(runner, step, chunk);
}

/* A step in chunks: each is sent once the chunk of the same number has come in the previous step, if there is one. */
static void step_in_chunks(const struct runner *runner, struct ring_step before,
                           struct ring_step step)
{
    struct message message;
    for (int64_t chunk = 0; chunk < ring_phase_chunks(step.phase); chunk++) {
        if (before.phase != NULL)
            receive_chunk(runner, before, chunk);
        send_chunk(runner, step, chunk, &message);
    }
}

/* Receives the chunks of the last step that are still missing. */
static void finish_chunks(const struct runner *runner, struct ring_step last)
{
    for (int64_t chunk = 0; last.phase != NULL && chunk < ring_phase_chunks(last.phase); chunk++)
        receive_chunk(runner, last, chunk);
}

/* A step with whole blocks. */
static void step_in_blocks(const struct runner *runner, struct ring_step step)
{
    struct message messages[2];
    expect_chunk(runner, step, 0, &messages[0]);
    send_chunk(runner, step, 0, &messages[1]);
    transfer_wait(runner->party, messages, 2);
    take_chunk(runner, step, 0);
}

/* Runs a phase's steps, or as many as are needed to know their time. Returns the last step that was run. */
static struct ring_step go_around(const struct runner *runner, const struct ring_phase *phase,
                                  struct steady_stop *stop, struct ring_step before)
{
    struct party *party = runner->party;
    bool is_timed = stop != NULL && party->place == 0 && party->group == 0;
    if (is_timed)
        stop->start_ps = party_now(party);
    for (int64_t i = 0;
         i < ring_phase_steps(phase) && (stop == NULL || steady_stop_begins(stop, i)); i++) {
        struct ring_step step = {phase, i};
        if (runner->ring->has_chunks)
            step_in_chunks(runner, before, step);
        else
            step_in_blocks(runner, step);
        before = step;
        if (is_timed)
            steady_stop_note(stop, i, 0, &(struct steady_step){.now_ps = party_now(party)});
    }
    return before;
}

void ring_run(struct party *party, const struct ring *ring, struct steady_stop *const *stops,
              const struct ring_listener *listener)
{
    const struct runner runner = {party, ring, listener};
    struct ring_step last = {NULL, 0};
    for (int i = 0; i < ring->count; i++) {
        if (ring->has_chunks && !ring->phases[i].is_chained) {
            finish_chunks(&runner, last);
            last.phase = NULL;
        }
        last = go_around(&runner, &ring->phases[i], stops != NULL ? stops[i] : NULL, last);
    }
    if (ring->has_chunks)
        finish_chunks(&runner, last);
}
