/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/fence_gate.h"

void fence_gate_init(struct fence_gate *gate)
{
    *gate = (struct fence_gate){0};
    signal_init(&gate->turn);
    signal_init(&gate->ended);
}

static bool joins(const struct fence_gate *gate, sim_time join_ps, sim_time now_ps)
{
    return gate->under_way > 0 && !gate->is_ending && now_ps - gate->began_ps < join_ps;
}

sim_time fence_gate_enter(struct fence_gate *gate, int64_t most, sim_time join_ps,
                          struct process *self)
{
    process_sync(self);
    sim_time now_ps = process_now(self);
    bool is_joined = gate->waiting == 0 && joins(gate, join_ps, now_ps);
    if (is_joined || (gate->waiting == 0 && gate->under_way < most)) {
        if (gate->under_way++ == 0)
            gate->began_ps = now_ps;
        return is_joined ? gate->began_ps : now_ps;
    }
    gate->waiting++;
    signal_wait(&gate->turn, self, "the fences of its compute unit");
    return process_now(self);
}

/* Who leaves cannot be back for the round that begins as his ends: the first to leave closes it. */
void fence_gate_leave(struct fence_gate *gate, int64_t most, struct process *self)
{
    if (most == 1)
        process_sync(self);
    if (!gate->is_ending)
        gate->next = gate->waiting;
    gate->is_ending = --gate->under_way > 0;
    if (gate->is_ending) {
        if (most == 1)
            signal_wait(&gate->ended, self, "the fences that it goes with");
        return;
    }
    signal_all(&gate->ended);
    if (gate->waiting == 0)
        return;
    gate->under_way = gate->next > 0 ? gate->next : gate->waiting;
    gate->waiting -= gate->under_way;
    for (int64_t i = 0; i < gate->under_way; i++)
        signal_one(&gate->turn);
}
