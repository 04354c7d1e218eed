#include "workloads/jacobi3d_pace.h"

#include <glib.h>

/* Of an iteration. */
struct pace_note {
    int64_t ended;    /* blocks */
    uint64_t digest;  /* of which block took how long, with which levels */
    uint64_t stocks;  /* of the levels that are used up */
    sim_time ends_ps; /* for all of them */
};

void pace_open(struct pace *pace, int64_t warmup, int64_t iterations, int64_t blocks,
               double tolerance)
{
    *pace = (struct pace){.warmup = warmup,
                          .iterations = iterations,
                          .blocks = blocks,
                          .tolerance = tolerance,
                          .last = warmup + iterations - 1,
                          .notes = g_new0(struct pace_note, (gsize)(warmup + iterations))};
}

void pace_close(struct pace *pace)
{
    g_free(pace->notes);
}

bool pace_begins(struct pace *pace, int64_t iteration)
{
    if (iteration > pace->last)
        return false;
    pace->begun = MAX(pace->begun, iteration);
    return true;
}

static uint64_t mixed(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static bool repeats(const struct pace *pace, int64_t period)
{
    int64_t repeated = MAX(PACE_REPEATS, 2 * period);
    if (pace->ended - pace->warmup < repeated + period)
        return false;
    for (int64_t i = pace->ended - repeated; i < pace->ended; i++)
        if (pace->notes[i].digest != pace->notes[i - period].digest)
            return false;
    return true;
}

/* The end of the iteration before `number`. */
static sim_time start_ps(const struct pace *pace, int64_t number)
{
    return number > 0 ? pace->notes[number - 1].ends_ps : 0;
}

static bool is_steady(const struct pace *pace)
{
    if (pace->tolerance == 0 || pace->ended - pace->warmup < 2 * PACE_WINDOW)
        return false;
    sim_time middle_ps = start_ps(pace, pace->ended - PACE_WINDOW);
    sim_time last_ps = start_ps(pace, pace->ended) - middle_ps;
    sim_time before_ps = middle_ps - start_ps(pace, pace->ended - 2 * PACE_WINDOW);
    if (pace->notes[pace->ended - 1].stocks != pace->notes[pace->ended - 1 - PACE_WINDOW].stocks)
        return false;
    return (double)ABS(last_ps - before_ps) <= pace->tolerance * (double)MIN(last_ps, before_ps);
}

static void look(struct pace *pace)
{
    if (pace->tolerance < 0 || pace->last < pace->warmup + pace->iterations - 1)
        return;
    for (int64_t period = 1; period <= PACE_PERIODS && pace->period == 0; period++)
        if (repeats(pace, period))
            pace->period = period;
    if (pace->period > 0 || is_steady(pace))
        pace->last = MIN(pace->begun + 1, pace->last);
}

bool pace_note(struct pace *pace, int64_t iteration, int64_t block, const struct pace_step *step)
{
    struct pace_note *note = &pace->notes[iteration];
    uint64_t stock = mixed((uint64_t)step->stock + mixed((uint64_t)block));
    note->stocks += stock;
    note->digest += mixed((uint64_t)step->took_ps + mixed((uint64_t)step->level + stock));
    note->ends_ps = MAX(note->ends_ps, step->now_ps);
    if (++note->ended < pace->blocks)
        return false;
    pace->ended = iteration + 1;
    look(pace);
    return true;
}

int64_t pace_simulated(const struct pace *pace)
{
    return pace->ended - pace->warmup;
}

sim_time pace_end_ps(const struct pace *pace, int64_t iteration)
{
    return start_ps(pace, iteration + 1);
}

int64_t pace_like(const struct pace *pace)
{
    return pace->period > 0 ? pace->period : MIN(2 * PACE_WINDOW, pace_simulated(pace));
}

sim_time pace_total_ps(const struct pace *pace)
{
    int64_t simulated = pace_simulated(pace), left = pace->iterations - simulated;
    sim_time own_ps = start_ps(pace, pace->ended) - start_ps(pace, pace->warmup);
    if (left == 0)
        return own_ps;
    int64_t like = pace_like(pace);
    sim_time like_ps = start_ps(pace, pace->ended) - start_ps(pace, pace->ended - like);
    return own_ps + muldiv_ceil(like_ps, left, like);
}
