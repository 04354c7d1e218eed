/* SPDX-License-Identifier: BSD-3-Clause */
/* One parameter: its range in steps, then the steps in which the measure passes the target. */
#include <math.h>
#include <stdlib.h>

#include "study/solve/solve.h"

#define STEPS 8

/* A step between two tries that lie on both sides of the target. */
struct solve_step {
    size_t near, far; /* seen from the present value */
    double distance;  /* on the scale */
};

static double present_place(const struct solve *solve)
{
    double place = solve_place(&solve->knobs[0], solve->knobs[0].parameter.now);
    return isfinite(place) ? place : 0;
}

static double place_of(const struct solve *solve, size_t number)
{
    return solve_place(&solve->knobs[0], solve_try_at(solve, number)->values[0]);
}

static int compare_steps(const void *a, const void *b)
{
    const struct solve_step *one = a, *other = b;
    return (one->distance > other->distance) - (one->distance < other->distance);
}

/* The steps through the target among `count` tries in the order of their values; nearest to the present first. A step goes past
 * tries that failed, or whose spread reaches the target. */
static size_t find_steps(const struct solve *solve, const size_t *numbers, size_t count,
                         struct solve_step *steps)
{
    double present = present_place(solve);
    size_t found = 0;
    for (size_t i = 1, last = SIZE_MAX; i <= count; i++) {
        size_t before = last;
        if (solve_side(solve_try_at(solve, numbers[i - 1])) != 0)
            last = numbers[i - 1];
        if (before == SIZE_MAX || before == last ||
            solve_side(solve_try_at(solve, before)) == solve_side(solve_try_at(solve, last)))
            continue;
        double a = fabs(place_of(solve, before) - present),
               b = fabs(place_of(solve, last) - present);
        steps[found++] =
            a <= b ? (struct solve_step){before, last, a} : (struct solve_step){last, before, b};
    }
    qsort(steps, found, sizeof *steps, compare_steps);
    return found;
}

bool solve_one(struct solve *solve, GError **error)
{
    double values[STEPS + 1];
    size_t numbers[STEPS + 1];
    struct solve_step steps[STEPS + 1];
    for (size_t i = 0; i <= STEPS; i++)
        values[i] = solve_value(&solve->knobs[0], (double)i / STEPS);
    if (!solve_try_values(solve, values, STEPS + 1, numbers, error))
        return false;
    size_t found = find_steps(solve, numbers, STEPS + 1, steps);
    for (size_t i = 0; i < found; i++)
        if (!solve_cut(solve, steps[i].near, steps[i].far, error))
            return false;
        else if (solve_take_end(solve))
            return true;
    return true;
}
