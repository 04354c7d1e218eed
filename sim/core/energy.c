/* Energy by state and by event. Times are summed up, and powers constant, so that a meter is exact for any length
 * of run; only what is read from it is rounded. */
#include "core/energy.h"

#include "core/check.h"

#define J_PER_FJ 1e-15

void energy_init(struct energy_meter *meter, const char *const *state_names,
                 const int64_t *power_mW, size_t states, sim_time now_ps)
{
    check_release(states >= 1 && states <= ENERGY_MAX_STATES, "an energy meter has %zu states",
                  states);
    *meter =
        (struct energy_meter){.state_names = state_names, .states = states, .since_ps = now_ps};
    for (int i = 0; i < ENERGY_MEMORY; i++)
        meter->before[i].from_ps = now_ps;
    for (size_t i = 0; i < states; i++) {
        check_release(power_mW[i] >= 0, "state %s draws %lld mW", state_names[i],
                      (long long)power_mW[i]);
        meter->power_mW[i] = power_mW[i];
    }
}

/* Of `passed_ps` since the last change, what the other of two alternating states had. */
static sim_time time_in_other_ps(const struct energy_meter *meter, sim_time passed_ps)
{
    if (meter->other_ps == 0)
        return 0;
    sim_time period_ps = meter->state_ps + meter->other_ps;
    sim_time rest_ps = passed_ps % period_ps - meter->state_ps;
    return passed_ps / period_ps * meter->other_ps + (rest_ps > 0 ? rest_ps : 0);
}

/* Accounts for the time up to `now_ps`. */
static void settle(struct energy_meter *meter, sim_time now_ps)
{
    sim_time passed_ps = now_ps - meter->since_ps;
    check_release(passed_ps >= 0, "an energy meter's time went back by %lld ps",
                  (long long)-passed_ps);
    sim_time other_ps = time_in_other_ps(meter, passed_ps);
    meter->time_ps[meter->state] += passed_ps - other_ps;
    if (other_ps > 0)
        meter->time_ps[meter->other_state] += other_ps;
    meter->since_ps = now_ps;
}

void energy_observe(struct energy_meter *meter, struct observe *observe, uint32_t track)
{
    meter->observe = observe;
    meter->track = track;
    observe_change(observe, track, "power", "mW", meter->since_ps, meter->power_mW[meter->state]);
}

/* Of states in turn the first stands for both. */
static void tell(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    int64_t power_mW = meter->power_mW[meter->state];
    if (now_ps > meter->since_ps && power_mW > 0)
        observe_span(meter->observe, meter->track, meter->state_names[meter->state],
                     meter->since_ps, now_ps, 0);
    if (meter->power_mW[state] != power_mW)
        observe_change(meter->observe, meter->track, "power", "mW", now_ps,
                       meter->power_mW[state] - power_mW);
}

void energy_set_state(struct energy_meter *meter, sim_time now_ps, size_t state)
{
    check_release(state < meter->states, "state %zu of %zu", state, meter->states);
    if (now_ps > meter->since_ps) {
        meter->before[meter->next_before++ % ENERGY_MEMORY] =
            (struct energy_stretch){meter->since_ps, meter->state};
    }
    if (meter->observe != NULL)
        tell(meter, now_ps, state);
    if (now_ps != meter->since_ps)
        settle(meter, now_ps);
    meter->state = state;
    meter->other_ps = 0;
}

void energy_alternate(struct energy_meter *meter, sim_time now_ps, size_t state, sim_time state_ps,
                      size_t other_state, sim_time other_ps)
{
    check_release(other_state < meter->states && state_ps >= 0 && other_ps > 0,
                  "states %zu and %zu of %zu alternate", state, other_state, meter->states);
    energy_set_state(meter, now_ps, state);
    meter->state_ps = state_ps;
    meter->other_state = other_state;
    meter->other_ps = other_ps;
}

void energy_add(struct energy_meter *meter, int64_t energy_fJ)
{
    check_release(energy_fJ >= 0, "an event's energy is %lld fJ", (long long)energy_fJ);
    meter->event_energy_fJ += (uint64_t)energy_fJ;
}

static sim_uint128 state_fJ(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    return product_128(energy_state_time_ps(meter, now_ps, state), meter->power_mW[state]);
}

/* Of the time settled, what a state had after `now_ps`. */
static sim_time settled_after_ps(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    sim_time after_ps = 0, end_ps = meter->since_ps;
    for (size_t i = 1; i <= ENERGY_MEMORY && end_ps > now_ps; i++) {
        const struct energy_stretch *stretch =
            &meter->before[(meter->next_before - i) % ENERGY_MEMORY];
        sim_time from_ps = stretch->from_ps > now_ps ? stretch->from_ps : now_ps;
        after_ps += stretch->state == state ? end_ps - from_ps : 0;
        end_ps = from_ps;
    }
    check_release(end_ps <= now_ps, "a meter was asked for a time %lld ps ago",
                  (long long)(meter->since_ps - now_ps));
    return after_ps;
}

double energy_total_J(const struct energy_meter *meter, sim_time now_ps)
{
    sim_uint128 total_fJ = meter->event_energy_fJ;
    for (size_t i = 0; i < meter->states; i++)
        total_fJ += state_fJ(meter, now_ps, i);
    return (double)total_fJ * J_PER_FJ;
}

double energy_state_J(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    check_release(state < meter->states, "state %zu of %zu", state, meter->states);
    return (double)state_fJ(meter, now_ps, state) * J_PER_FJ;
}

sim_time energy_state_time_ps(const struct energy_meter *meter, sim_time now_ps, size_t state)
{
    check_release(state < meter->states, "state %zu of %zu", state, meter->states);
    if (now_ps < meter->since_ps)
        return meter->time_ps[state] - settled_after_ps(meter, now_ps, state);
    sim_time passed_ps = now_ps - meter->since_ps, other_ps = time_in_other_ps(meter, passed_ps);
    sim_time running_ps = state == meter->state ? passed_ps - other_ps : 0;
    if (other_ps > 0 && state == meter->other_state)
        running_ps += other_ps;
    return meter->time_ps[state] + running_ps;
}
