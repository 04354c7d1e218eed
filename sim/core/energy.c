/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy by state and by event. Times are summed up, and powers are constant, so that a meter is exact for a run of any length;
 * only the values read from it are rounded. */
#include "core/energy.h"

#include <glib.h>

#include "core/check.h"

#define J_PER_FJ 1e-15

void energy_init(struct energy_meter *meter, const char *const *state_names,
                 const int64_t *power_mW, size_t states, sim_time now_ps)
{
    check_release(states >= 1 && states <= ENERGY_MAX_STATES, "an energy meter has %zu states",
                  states);
    *meter =
        (struct energy_meter){.state_names = state_names, .states = states, .now.from_ps = now_ps};
    for (int i = 0; i < ENERGY_MEMORY; i++)
        meter->before[i].from_ps = now_ps;
    for (size_t i = 0; i < states; i++) {
        check_release(power_mW[i] >= 0, "state %s draws %lld mW", state_names[i],
                      (long long)power_mW[i]);
        meter->power_mW[i] = power_mW[i];
    }
}

/* The part of the stretch's first `passed_ps` that was spent in the other one of two alternating states. */
static sim_time time_in_other_ps(const struct energy_stretch *stretch, sim_time passed_ps)
{
    if (stretch->other_ps == 0)
        return 0;
    sim_time period_ps = stretch->state_ps + stretch->other_ps;
    sim_time rest_ps = passed_ps % period_ps - stretch->state_ps;
    return passed_ps / period_ps * stretch->other_ps + (rest_ps > 0 ? rest_ps : 0);
}

/* The part of the same time that was spent in `state`. */
static sim_time time_in_state_ps(const struct energy_stretch *stretch, sim_time passed_ps,
                                 size_t state)
{
    sim_time other_ps = time_in_other_ps(stretch, passed_ps);
    return (state == stretch->state ? passed_ps - other_ps : 0) +
           (state == stretch->other_state ? other_ps : 0);
}

/* Accounts for the time up to `now_ps`. */
static void settle(struct energy_meter *meter, sim_time now_ps)
{
    const struct energy_stretch *now = &meter->now;
    sim_time passed_ps = now_ps - now->from_ps;
    check_release(passed_ps >= 0, "an energy meter's time went back by %lld ps",
                  (long long)-passed_ps);
    sim_time other_ps = time_in_other_ps(now, passed_ps);
    meter->time_ps[now->state] += passed_ps - other_ps;
    meter->time_ps[now->other_state] += other_ps;
}

void energy_observe(struct energy_meter *meter, struct observe *observe, uint32_t track)
{
    meter->observe = observe;
    meter->track = track;
    observe_change(observe, track, "power", "mW", meter->now.from_ps,
                   meter->power_mW[meter->now.state]);
}

/* Tells the observers of a stretch; for two alternating states they are told only the first one. */
static void tell(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    const struct energy_stretch *now = &meter->now;
    int64_t power_mW = meter->power_mW[now->state];
    if (now_ps > now->from_ps && power_mW > 0)
        observe_span(meter->observe, meter->track, meter->state_names[now->state], now->from_ps,
                     now_ps, 0);
    if (meter->power_mW[state] != power_mW)
        observe_change(meter->observe, meter->track, "power", "mW", now_ps,
                       meter->power_mW[state] - power_mW);
}

/* Begins a stretch; the one before it is not kept if it took no time. */
static void begin_stretch(struct energy_meter *meter, const struct energy_stretch *next)
{
    struct energy_stretch *now = &meter->now;
    check_release(next->state < meter->states && next->other_state < meter->states,
                  "states %u and %u of %zu", next->state, next->other_state, meter->states);
    if (meter->observe != NULL)
        tell(meter, next->from_ps, next->state);
    if (next->from_ps != now->from_ps) {
        settle(meter, next->from_ps);
        meter->before[meter->next_before++ % ENERGY_MEMORY] = *now;
    }
    *now = *next;
}

/* The usual change of state: without an observer, and from a stretch of one state. */
static void change_state(struct energy_meter *meter, sim_time now_ps, size_t state)
{
    struct energy_stretch *now = &meter->now;
    check_release(state < meter->states, "state %zu of %zu", state, meter->states);
    if (now_ps != now->from_ps) {
        meter->time_ps[now->state] += now_ps - now->from_ps;
        meter->before[meter->next_before++ % ENERGY_MEMORY] = *now;
        now->from_ps = now_ps;
    }
    now->state = (uint32_t)state;
}

void energy_set_state(struct energy_meter *meter, sim_time now_ps, size_t state)
{
    const struct energy_stretch *now = &meter->now;
    bool is_plain = now->other_ps == 0 && meter->observe == NULL && now_ps >= now->from_ps;
    if (!is_plain)
        begin_stretch(meter, &(struct energy_stretch){.from_ps = now_ps, .state = (uint32_t)state});
    else if (now->state != state)
        change_state(meter, now_ps, state);
}

void energy_alternate(struct energy_meter *meter, sim_time now_ps, size_t state, sim_time state_ps,
                      size_t other_state, sim_time other_ps)
{
    check_release(state_ps >= 0 && other_ps > 0, "states alternate every %lld and %lld ps",
                  (long long)state_ps, (long long)other_ps);
    begin_stretch(meter, &(struct energy_stretch){now_ps, state_ps, other_ps, (uint32_t)state,
                                                  (uint32_t)other_state});
}

static sim_uint128 state_fJ(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    return product_128(energy_state_time_ps(meter, now_ps, state), meter->power_mW[state]);
}

/* The part of the settled time after `now_ps` that was spent in a state. */
static sim_time settled_after_ps(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    sim_time after_ps = 0, end_ps = meter->now.from_ps;
    const struct energy_stretch *stretch = &meter->now;
    for (size_t i = 1; i <= ENERGY_MEMORY && end_ps > now_ps; i++) {
        stretch = &meter->before[(meter->next_before - i) % ENERGY_MEMORY];
        sim_time from_ps = MAX(stretch->from_ps, now_ps);
        after_ps += time_in_state_ps(stretch, end_ps - stretch->from_ps, state) -
                    time_in_state_ps(stretch, from_ps - stretch->from_ps, state);
        end_ps = from_ps;
    }
    return stretch->state == state ? after_ps + MAX(end_ps - now_ps, 0) : after_ps;
}

double energy_state_J(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    check_release(state < meter->states, "state %zu of %zu", state, meter->states);
    return (double)state_fJ(meter, now_ps, state) * J_PER_FJ;
}

sim_time energy_state_time_ps(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    check_release(state < meter->states, "state %zu of %zu", state, meter->states);
    const struct energy_stretch *now = &meter->now;
    if (now_ps < now->from_ps)
        return meter->time_ps[state] - settled_after_ps(meter, now_ps, state);
    return meter->time_ps[state] + time_in_state_ps(now, now_ps - now->from_ps, state);
}
