/* SPDX-License-Identifier: BSD-3-Clause */
/* The compute units of a GPU as runs of neighbours with equal amounts: what each has free, or how many work-groups of a job each
 * has. Most kernels take as much of every unit, so that a few runs, in a line or two of the cache, stand for all. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The free resources of a compute unit, or those that a work-group takes, each at most INT32_MAX, which is more than any unit
 * has. */
struct unit_room {
    int32_t groups, waves, registers_bytes, lds_bytes;
};

/* Units from the end of the previous run (the first: from 0) to before `end` have `room` each. The last run's `end` is the
 * number of units, and there are never more runs than units. */
struct unit_run {
    int32_t end;
    struct unit_room room;
};

/* The run that the unit is in, by its number, and itself. */
static inline size_t unit_run_number(const struct unit_run *runs, int64_t unit)
{
    size_t number = 0;
    while (runs[number].end <= unit)
        number++;
    return number;
}

static inline const struct unit_run *unit_run_of(const struct unit_run *runs, int64_t unit)
{
    return &runs[unit_run_number(runs, unit)];
}

/* Takes `count` times `needs` or, with a negative count, gives it back. */
static inline void unit_room_take(struct unit_room *room, struct unit_room needs, int32_t count)
{
    room->groups -= count * needs.groups;
    room->waves -= count * needs.waves;
    room->registers_bytes -= count * needs.registers_bytes;
    room->lds_bytes -= count * needs.lds_bytes;
}

/* The same on each of the units from `first` to before `end`, of `units` in all. */
void unit_runs_take(struct unit_run *runs, int64_t units, int64_t first, int64_t end,
                    struct unit_room needs, int32_t count);
