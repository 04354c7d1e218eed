#include "workloads/steady_stop.h"

#include <glib.h>

#include "core/check.h"

void steady_stop_init(struct steady_stop *stop, int64_t steps, int64_t window, double tolerance)
{
    check_release(steps >= 1 && window >= 0 && tolerance >= 0, "%lld steps", (long long)steps);
    *stop = (struct steady_stop){
        .steps = steps, .window = tolerance > 0 ? window : 0, .tolerance = tolerance, .last = steps - 1};
}

bool steady_stop_begins(struct steady_stop *stop, int64_t step)
{
    if (step > stop->last)
        return false;
    stop->begun = MAX(stop->begun, step);
    return true;
}

void steady_stop_start(struct steady_stop *stop, sim_time now_ps)
{
    stop->ended_ps = stop->alike_since_ps = now_ps;
}

static bool repeats(const struct steady_stop *stop, sim_time took_ps)
{
    sim_time shortest_ps = MIN(stop->shortest_ps, took_ps), longest_ps = MAX(stop->longest_ps, took_ps);
    return (double)(longest_ps - shortest_ps) <= stop->tolerance * (double)shortest_ps;
}

void steady_stop_note(struct steady_stop *stop, sim_time now_ps)
{
    sim_time took_ps = now_ps - stop->ended_ps;
    bool is_alike = stop->alike > 0 && repeats(stop, took_ps);
    if (!is_alike) {
        stop->alike = 0;
        stop->alike_since_ps = stop->ended_ps;
        stop->shortest_ps = stop->longest_ps = took_ps;
    }
    stop->shortest_ps = MIN(stop->shortest_ps, took_ps);
    stop->longest_ps = MAX(stop->longest_ps, took_ps);
    stop->alike++;
    stop->noted++;
    stop->ended_ps = now_ps;
    bool is_steady = stop->window > 0 && stop->alike >= stop->window;
    if (is_steady && stop->last == stop->steps - 1)
        stop->last = MIN(stop->begun + 1, stop->last);
}

sim_time steady_stop_total_ps(const struct steady_stop *stop, sim_time start_ps, sim_time now_ps)
{
    int64_t left = stop->steps - 1 - stop->last;
    sim_time row_ps = stop->ended_ps - stop->alike_since_ps;
    sim_time rest_ps = left > 0 ? (sim_time)((double)row_ps / (double)stop->alike * (double)left) : 0;
    return now_ps - start_ps + rest_ps;
}
