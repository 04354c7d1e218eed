#include "core/standstill.h"

#include "core/check.h"

void standstill_init(struct standstill *standstill, struct event_queue *events)
{
    *standstill = (struct standstill){.events = events};
}

static void count(struct looker *looker)
{
    struct standstill *standstill = looker->of;
    if (standstill->mark == 0 || looker->counted_under == standstill->mark)
        return;
    looker->counted_under = standstill->mark;
    standstill->counted++;
}

/* Each looker that is awake has at least one event, the one at work none, one that waits for what is under
 * way those: if these are all, there is nothing else, since whoever is no looker adds one more. Lookers may
 * have others for a moment (a line that leaves a cache): then a later moment will do. */
static bool nothing_else_pending(const struct standstill *standstill)
{
    int64_t of_lookers = standstill->lookers - standstill->asleep - 1 - standstill->waiting_for_it +
                         standstill->under_way;
    return standstill->held == 0 && (int64_t)event_pending(standstill->events) == of_lookers;
}

void looker_looks(struct looker *looker)
{
    struct standstill *standstill = looker->of;
    if (!looker->is_looking) {
        looker->is_looking = true;
        standstill->lookers++;
        standstill->mark = 0;
    }
    looker->begun_under = standstill->mark;
}

void looker_found_nothing(struct looker *looker)
{
    struct standstill *standstill = looker->of;
    if (standstill->mark != 0 && looker->begun_under == standstill->mark)
        count(looker);
    if (standstill->mark != 0 && standstill->counted < standstill->lookers)
        return;
    if (!nothing_else_pending(standstill) || standstill->is_ignored)
        return;
    if (standstill->mark == 0) {
        standstill->mark = ++standstill->marks;
        standstill->counted = standstill->asleep;
        return;
    }
    standstill->is_found = true;
    event_stop(standstill->events);
}

void looker_leaves(struct looker *looker)
{
    if (!looker->is_looking)
        return;
    check_debug(!looker->is_asleep, "a looker leaves in its sleep");
    looker->is_looking = false;
    looker->of->lookers--;
    looker->of->mark = 0;
}

void looker_sleeps(struct looker *looker)
{
    count(looker);
    looker->is_asleep = true;
    looker->of->asleep++;
}

/* As a sleeper it was counted. It may be woken without a change of contents: its line has left the L2. */
void looker_wakes(struct looker *looker)
{
    looker->is_asleep = false;
    looker->of->asleep--;
    looker->counted_under = looker->of->mark;
}
