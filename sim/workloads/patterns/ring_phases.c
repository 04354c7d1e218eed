/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/ring_phases.h"

#include <glib.h>

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
