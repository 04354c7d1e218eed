/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/quiescence.h"

#include <glib.h>

#include "core/check.h"

void quiescence_init(struct quiescence *quiescence, struct event_queue *events)
{
    *quiescence = (struct quiescence){.events = events};
}

static void count(struct poller *poller)
{
    struct quiescence *quiescence = poller->of;
    if (quiescence->mark == 0 || poller->counted_under == quiescence->mark)
        return;
    poller->counted_under = quiescence->mark;
    quiescence->counted++;
}

/* Each poller that is awake has at least one event, except the poller at work; pollers that wait for operations under way have
 * the events of these. If no more events are pending, nothing but pollers can act, since anything else would have one more. A
 * poller may have another event for a moment (a line leaves a cache): then quiescence is found at a later moment. */
static bool nothing_else_pending(const struct quiescence *quiescence)
{
    int64_t of_pollers = quiescence->pollers - quiescence->asleep - 1 - quiescence->waiting_for_it +
                         quiescence->under_way;
    return quiescence->held == 0 && (int64_t)event_pending(quiescence->events) == of_pollers;
}

void poller_begins(struct poller *poller)
{
    struct quiescence *quiescence = poller->of;
    if (!poller->is_polling) {
        poller->is_polling = true;
        quiescence->pollers++;
        quiescence->mark = 0;
    }
    poller->begun_under = quiescence->mark;
}

void poller_found_nothing(struct poller *poller)
{
    struct quiescence *quiescence = poller->of;
    if (quiescence->mark != 0 && poller->begun_under == quiescence->mark)
        count(poller);
    if (quiescence->mark != 0 && quiescence->counted < quiescence->pollers)
        return;
    if (!nothing_else_pending(quiescence) || quiescence->is_ignored)
        return;
    if (quiescence->mark == 0) {
        quiescence->mark = ++quiescence->marks;
        quiescence->counted = quiescence->asleep;
        return;
    }
    quiescence->is_found = true;
    event_stop(quiescence->events);
}

/* Called once in a wait. */
static void shift_within_device(struct poller *poller, struct process *process, sim_time look_ps)
{
    bool has_way_home = process_local_offset_ps(process) > 0;
    if (poller->least_look_ps == 0 || look_ps < poller->least_look_ps)
        poller->least_look_ps = look_ps;
    sim_time period_ps = has_way_home ? look_ps : poller->least_look_ps;
    sim_time shift_ps = process_draw_phase(process, period_ps, -period_ps / 2);
    if (has_way_home)
        process_set_shift(process, shift_ps);
    else
        process_run_ahead(process, MAX(shift_ps, 0));
}

void poller_shifts(struct poller *poller, struct process *process, sim_time start_ps,
                   sim_time look_ps)
{
    sim_time most_ps = look_ps / 4;
    if (process_clock(process)->shift_taken_ps >= start_ps)
        process_set_shift(process, process_draw_phase(process, 2 * most_ps, -most_ps));
    else if (!poller->has_phase)
        shift_within_device(poller, process, look_ps);
    poller->has_phase = true;
    poller->process = process;
}

void poller_goes_on(struct poller *poller, struct process *process, sim_time start_ps)
{
    poller_found_nothing(poller);
    poller_shifts(poller, process, start_ps, process_now(process) - start_ps);
}

void poller_leaves(struct poller *poller)
{
    if (!poller->is_polling)
        return;
    check_debug(!poller->is_asleep, "a poller leaves in its sleep");
    poller->is_polling = poller->has_phase = false;
    if (poller->process != NULL)
        process_set_shift(poller->process, 0);
    poller->of->pollers--;
    poller->of->mark = 0;
}

void poller_sleeps(struct poller *poller)
{
    count(poller);
    poller->is_asleep = true;
    poller->of->asleep++;
}

/* While it slept the poller was counted as one that found nothing, and it stays so: it may be woken without a change of
 * contents, when its line leaves the L2. */
void poller_wakes(struct poller *poller)
{
    poller->is_asleep = false;
    poller->of->asleep--;
    poller->counted_under = poller->of->mark;
}
