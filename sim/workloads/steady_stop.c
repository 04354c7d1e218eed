#include "workloads/steady_stop.h"

#include <glib.h>

#include "core/check.h"

#define ENDS (2 * STEADY_WINDOW + 1)

void steady_stop_init(struct steady_stop *stop, int64_t steps, double tolerance)
{
    check_release(steps >= 1 && tolerance >= 0, "%lld steps", (long long)steps);
    *stop = (struct steady_stop){.steps = steps, .tolerance = tolerance, .last = steps - 1};
}

bool steady_stop_begins(struct steady_stop *stop, int64_t step)
{
    if (step > stop->last)
        return false;
    stop->begun = MAX(stop->begun, step);
    return true;
}

/* When the step `before` the last one noted ended; the start of the first stands before it. */
static sim_time end_before(const struct steady_stop *stop, int64_t before)
{
    return stop->ends_ps[(stop->noted - before) % ENDS];
}

void steady_stop_start(struct steady_stop *stop, sim_time now_ps)
{
    stop->ends_ps[0] = now_ps;
}

static bool is_steady(const struct steady_stop *stop)
{
    if (stop->tolerance == 0 || stop->noted < 2 * STEADY_WINDOW)
        return false;
    sim_time middle_ps = end_before(stop, STEADY_WINDOW);
    sim_time last_ps = end_before(stop, 0) - middle_ps;
    sim_time before_ps = middle_ps - end_before(stop, 2 * STEADY_WINDOW);
    return (double)ABS(last_ps - before_ps) <= stop->tolerance * (double)MIN(last_ps, before_ps);
}

void steady_stop_note(struct steady_stop *stop, sim_time now_ps)
{
    stop->noted++;
    stop->ends_ps[stop->noted % ENDS] = now_ps;
    if (stop->last == stop->steps - 1 && is_steady(stop))
        stop->last = MIN(stop->begun + 1, stop->last);
}

sim_time steady_stop_rest_ps(const struct steady_stop *stop)
{
    int64_t left = stop->steps - 1 - stop->last;
    if (left == 0)
        return 0;
    sim_time windows_ps = end_before(stop, 0) - end_before(stop, 2 * STEADY_WINDOW);
    return muldiv_ceil(windows_ps, left, 2 * STEADY_WINDOW);
}
