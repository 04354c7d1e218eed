/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy meters: state power x time, plus energy per event. Integer arithmetic: milliwatts times
 * picoseconds are femtojoules. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/observe.h"
#include "core/simtime.h"

#define ENERGY_MAX_STATES 8
#define ENERGY_MEMORY 32 /* a power of two */

/* A time in one state; or, with other_ps > 0, in two states that alternate: `state` for state_ps, then `other_state`
 * for other_ps. */
struct energy_stretch {
    sim_time from_ps;
    sim_time state_ps, other_ps;
    uint32_t state, other_state;
};

struct energy_meter {
    struct observe *observe; /* told of the meter's states and power on `track`; NULL: none */
    uint32_t track;
    const char *const *state_names; /* static, `states` of them */
    size_t states;
    struct energy_stretch now;
    struct energy_stretch before[ENERGY_MEMORY]; /* the stretches before `now`, as a ring */
    size_t next_before;                          /* the place in `before` of the next one */
    int64_t power_mW[ENERGY_MAX_STATES];
    sim_time time_ps[ENERGY_MAX_STATES]; /* time in each state up to now.from_ps */
};

/* A meter in state 0 from `now_ps` on. 1 <= states <= ENERGY_MAX_STATES; powers >= 0. */
void energy_init(struct energy_meter *meter, const char *const *state_names,
                 const int64_t *power_mW, size_t states, sim_time now_ps);

/* From now on the observers are told the meter's power, and a span for each state that takes power. */
void energy_observe(struct energy_meter *meter, struct observe *observe, uint32_t track);

/* Enters a state. Times do not go back. */
void energy_set_state(struct energy_meter *meter, sim_time now_ps, size_t state);

/* Enters two states in turn until the next change: `state` for `state_ps` (>= 0), then
 * `other_state` for `other_ps`
 * (> 0), and again. */
void energy_alternate(struct energy_meter *meter, sim_time now_ps, size_t state, sim_time state_ps,
                      size_t other_state, sim_time other_ps);

/* The energy in joules and the time that a state has taken up to `now_ps`. `now_ps` may lie before the
 * last change, which a process ahead of time has noted (process_run_ahead). Time before the last ENERGY_MEMORY
 * stretches counts as the oldest one of these. */
double energy_state_J(const struct energy_meter *meter, sim_time now_ps, size_t state);
sim_time energy_state_time_ps(const struct energy_meter *meter, sim_time now_ps, size_t state);
