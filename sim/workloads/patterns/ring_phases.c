/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/ring_phases.h"

#include <glib.h>

static int64_t divided_up(int64_t number, int64_t parts)
{
    return MAX((number + parts - 1) / parts, 1);
}

static int64_t modulo(int64_t number, int64_t members)
{
    return (number % members + members) % members;
}

/* --- circles ------------------------------------------------------------------------------------ */

/* A circle of `members` places, from `first` on, `stride` apart; a circle that rotates contains all places. */
struct circle {
    const struct ring_plan *plan;
    int64_t first, stride, members, ring;
    bool rotates;
};

/* Within a node, a ring begins with the GPU of the ring's number; in every second node it goes backwards. */
static int64_t rotated(const struct circle *circle, int64_t node, int64_t number, bool to_position)
{
    int64_t gpus = circle->plan->gpus;
    int64_t from = to_position ? modulo(number - circle->ring, gpus) : number;
    int64_t turned = node % 2 == 0 ? from : gpus - 1 - from;
    return node * gpus + (to_position ? turned : modulo(turned + circle->ring, gpus));
}

static int64_t position_of(const struct circle *circle, int64_t place)
{
    int64_t gpus = circle->plan->gpus;
    return circle->rotates ? rotated(circle, place / gpus, place % gpus, true)
                           : (place - circle->first) / circle->stride;
}

static int64_t place_at(const struct circle *circle, int64_t position)
{
    int64_t gpus = circle->plan->gpus;
    return circle->rotates ? rotated(circle, position / gpus, position % gpus, false)
                           : circle->first + position * circle->stride;
}

/* `elements` go around the circle; the blocks have the length for `nominal` elements, so that all circles take the same steps. */
static struct ring_phase phase_of(const struct circle *circle, int64_t place,
                                  struct ring_range elements, int64_t nominal, bool reduces)
{
    const struct ring_plan *plan = circle->plan;
    int64_t position = position_of(circle, place);
    struct ring_phase phase = {.members = circle->members,
                               .position = position,
                               .first = elements.first,
                               .end = elements.first + elements.count,
                               .reduces = reduces,
                               .is_chained = !reduces};
    phase.next = place_at(circle, modulo(position + 1, circle->members));
    phase.before = place_at(circle, modulo(position - 1, circle->members));
    phase.block = divided_up(nominal, circle->members);
    phase.chunk = plan->chunk > 0 ? MIN(plan->chunk, phase.block) : phase.block;
    return phase;
}

/* --- blocks ------------------------------------------------------------------------------------- */

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
    return modulo(position - step + (phase->reduces ? 0 : 1), phase->members);
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
    return divided_up(phase->block, phase->chunk);
}

/* --- plans -------------------------------------------------------------------------------------- */

struct ring_range ring_slice(const struct ring_plan *plan, int64_t ring)
{
    int64_t first = MIN(ring * plan->slice, plan->elements);
    return (struct ring_range){first, MIN(plan->slice, plan->elements - first)};
}

static void plan_ring(const struct ring_plan *plan, int64_t place, int64_t ring,
                      struct ring_phase phases[2])
{
    struct circle all = {.plan = plan,
                         .stride = 1,
                         .members = plan->places,
                         .ring = ring,
                         .rotates = plan->rotates && plan->places > plan->gpus};
    for (int i = 0; i < 2; i++)
        phases[i] = phase_of(&all, place, ring_slice(plan, ring), plan->slice, i == 0);
}

static void plan_hierarchical(const struct ring_plan *plan, int64_t place, int64_t ring,
                              struct ring_phase phases[4])
{
    int64_t number = place % plan->gpus;
    struct circle node = {
        .plan = plan, .first = place - number, .stride = 1, .members = plan->gpus};
    struct circle rail = {
        .plan = plan, .first = number, .stride = plan->gpus, .members = plan->places / plan->gpus};
    struct ring_range slice = ring_slice(plan, ring);
    phases[0] = phase_of(&node, place, slice, plan->slice, true);
    phases[3] = phase_of(&node, place, slice, plan->slice, false);
    phases[3].is_chained = false;
    int64_t own = block_sent(&phases[3], phases[3].position, 0);
    struct ring_range block = range_of(&phases[0], own * phases[0].block, phases[0].block);
    for (int i = 1; i <= 2; i++)
        phases[i] = phase_of(&rail, place, block, phases[0].block, i == 1);
}

int ring_phases(const struct ring_plan *plan, int64_t place, int64_t ring,
                struct ring_phase phases[RING_PHASES_MOST])
{
    if (plan->is_hierarchical)
        plan_hierarchical(plan, place, ring, phases);
    else
        plan_ring(plan, place, ring, phases);
    return plan->is_hierarchical ? 4 : 2;
}
