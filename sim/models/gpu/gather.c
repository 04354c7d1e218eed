/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/gather.h"

void gather_init(struct gather *gather, sim_time window_ps)
{
    *gather = (struct gather){.window_ps = window_ps};
    signal_init(&gather->turn);
    signal_init(&gather->end);
}

static void begin(struct gather *gather, int64_t members, bool is_open, sim_time now_ps)
{
    gather->members = members;
    gather->began_ps = now_ps;
    gather->is_open = is_open;
    gather->has_first = false;
}

static bool can_join(const struct gather *gather, sim_time now_ps)
{
    return gather->is_open && now_ps - gather->began_ps < gather->window_ps;
}

bool gather_enter(struct gather *gather, struct process *self)
{
    process_sync(self);
    if (gather_is_idle(gather)) {
        begin(gather, 1, true, process_now(self));
    } else if (can_join(gather, process_now(self))) {
        gather->members++;
    } else {
        gather->waiting++;
        signal_wait(&gather->turn, self, "the fences that were there before");
    }
    bool is_first = !gather->has_first;
    gather->has_first = true;
    return is_first;
}

void gather_leave(struct gather *gather, struct process *self)
{
    process_sync(self);
    if (--gather->members > 0) {
        signal_wait(&gather->end, self, "the fences that it goes with");
        return;
    }
    signal_all(&gather->end);
    if (gather->waiting == 0)
        return;
    begin(gather, gather->waiting, false, process_now(self));
    gather->waiting = 0;
    signal_all(&gather->turn);
}
