/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/steady_stop.h"

#include <glib.h>

#include "core/check.h"

/* The notes of a step. */
struct steady_note {
    int64_t ended;              /* parties that have ended it */
    uint64_t stocks;            /* sum of the stocks */
    sim_time first_ps, ends_ps; /* end of the step for the first party, and for all */
};

static int64_t final_step(const struct steady_stop *stop)
{
    return stop->setup.warmup + stop->setup.steps - 1;
}

void steady_stop_open(struct steady_stop *stop, const struct steady_setup *setup)
{
    check_release(setup->steps >= 1 && setup->parties >= 1 && setup->window >= 1 &&
                      setup->tolerance >= 0,
                  "%lld steps of %lld parties", (long long)setup->steps, (long long)setup->parties);
    *stop = (struct steady_stop){
        .setup = *setup,
        .notes = g_new0(struct steady_note, (gsize)(setup->warmup + setup->steps)),
        .digests = g_new0(uint64_t, (gsize)(setup->warmup + setup->steps))};
    stop->last = final_step(stop);
}

void steady_stop_close(struct steady_stop *stop)
{
    g_free(stop->notes);
    g_free(stop->digests);
}

bool steady_stop_begins(struct steady_stop *stop, int64_t step)
{
    if (step > stop->last)
        return false;
    stop->begun = MAX(stop->begun, step);
    return true;
}

static uint64_t mixed(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

uint64_t steady_mix(uint64_t digest, int64_t number)
{
    return mixed((uint64_t)number + mixed(digest));
}

static bool repeats(const uint64_t *digests, int64_t count, int64_t period, int64_t least)
{
    int64_t first = count - MAX(least, 2 * period);
    if (first < period)
        return false;
    for (int64_t i = first; i < count; i++)
        if (digests[i] != digests[i - period])
            return false;
    return true;
}

int64_t steady_period_of(const uint64_t *digests, int64_t count, int64_t longest, int64_t least)
{
    int64_t period = 1;
    while (period <= longest && !repeats(digests, count, period, least))
        period++;
    return period <= longest ? period : 0;
}

/* The end of the step before `number`. */
static sim_time start_ps(const struct steady_stop *stop, int64_t number)
{
    return number > 0 ? stop->notes[number - 1].ends_ps : stop->start_ps;
}

/* The time at which the first party ended that step. */
static sim_time first_start_ps(const struct steady_stop *stop, int64_t number)
{
    return number > 0 ? stop->notes[number - 1].first_ps : stop->start_ps;
}

/* Whether the first and the last party took as long as each other for the last `steps` steps, but for STEADY_DRIFT. */
static bool stay_together(const struct steady_stop *stop, int64_t steps)
{
    int64_t end = stop->ended;
    sim_time last_ps = start_ps(stop, end) - start_ps(stop, end - steps);
    sim_time first_ps = first_start_ps(stop, end) - first_start_ps(stop, end - steps);
    return (double)ABS(last_ps - first_ps) <= STEADY_DRIFT * (double)last_ps;
}

/* Whether the two windows' times differ by no more than the tolerance, for the first party and for the last: while the parties in
 * front are faster than those behind, they drift apart, and steps have not reached their final time. */
static bool is_steady(const struct steady_stop *stop)
{
    int64_t window = stop->setup.window, end = stop->ended;
    sim_time least_ps = SIM_TIME_MAX, most_ps = 0;
    if (stop->setup.tolerance == 0 || end - stop->setup.warmup < 2 * window)
        return false;
    if (stop->notes[end - 1].stocks != stop->notes[end - 1 - window].stocks)
        return false;
    for (int64_t from = end - 2 * window; from < end; from += window) {
        sim_time last_ps = start_ps(stop, from + window) - start_ps(stop, from);
        sim_time first_ps = first_start_ps(stop, from + window) - first_start_ps(stop, from);
        least_ps = MIN(least_ps, MIN(first_ps, last_ps));
        most_ps = MAX(most_ps, MAX(first_ps, last_ps));
    }
    return (double)(most_ps - least_ps) <= stop->setup.tolerance * (double)least_ps;
}

static void look(struct steady_stop *stop)
{
    if (stop->last < final_step(stop))
        return;
    int64_t warmup = stop->setup.warmup;
    if (stop->setup.are_all)
        stop->period = steady_period_of(stop->digests + warmup, stop->ended - warmup,
                                        STEADY_PERIODS, STEADY_REPEATS);
    if (!stay_together(stop, stop->period))
        stop->period = 0;
    if (stop->period == 0 && !is_steady(stop))
        return;
    stop->shown = stop->ended;
    stop->last = MIN(stop->begun + 1, stop->last);
}

bool steady_stop_note(struct steady_stop *stop, int64_t step, int64_t party,
                      const struct steady_step *noted)
{
    struct steady_note *note = &stop->notes[step];
    uint64_t stock = mixed((uint64_t)noted->stock + mixed((uint64_t)party));
    note->stocks += stock;
    stop->digests[step] += mixed((uint64_t)noted->took_ps + mixed((uint64_t)noted->level + stock));
    note->first_ps = note->ended == 0 ? noted->now_ps : MIN(note->first_ps, noted->now_ps);
    note->ends_ps = MAX(note->ends_ps, noted->now_ps);
    if (++note->ended < stop->setup.parties)
        return false;
    stop->ended = step + 1;
    look(stop);
    return true;
}

int64_t steady_stop_left(const struct steady_stop *stop)
{
    return final_step(stop) - stop->last;
}

/* The duration of a step. */
static sim_time took_ps(const struct steady_stop *stop, int64_t step)
{
    return start_ps(stop, step + 1) - start_ps(stop, step);
}

static int64_t like_steps(const struct steady_stop *stop)
{
    return stop->period > 0 ? stop->period : 2 * stop->setup.window;
}

/* Uses the steps up to the one at which steadiness was found: in the last steps no work of a next step runs beside them. */
sim_time steady_stop_rest_ps(const struct steady_stop *stop)
{
    int64_t left = steady_stop_left(stop);
    if (left == 0)
        return 0;
    int64_t like = like_steps(stop), first = stop->shown - like;
    sim_time like_ps = start_ps(stop, stop->shown) - start_ps(stop, first);
    if (stop->period == 0)
        return muldiv_ceil(like_ps, left, like);
    sim_time rest_ps = left / like * like_ps;
    for (int64_t i = left / like * like; i < left; i++)
        rest_ps += took_ps(stop, first + (stop->last + 1 + i - first) % like);
    return rest_ps;
}

struct observe_repeat steady_stop_repeat(const struct steady_stop *stop)
{
    int64_t warmup = stop->setup.warmup, like = like_steps(stop);
    return (struct observe_repeat){.first = stop->shown - like - warmup,
                                   .like = like,
                                   .from = stop->last + 1 - warmup,
                                   .left = steady_stop_left(stop),
                                   .is_exact = stop->period > 0};
}

sim_time steady_stop_end_ps(const struct steady_stop *stop, int64_t step)
{
    return start_ps(stop, step + 1);
}

int64_t steady_stop_simulated(const struct steady_stop *stop)
{
    return stop->ended - stop->setup.warmup;
}

sim_time steady_stop_total_ps(const struct steady_stop *stop)
{
    return start_ps(stop, stop->ended) - start_ps(stop, stop->setup.warmup) +
           steady_stop_rest_ps(stop);
}
