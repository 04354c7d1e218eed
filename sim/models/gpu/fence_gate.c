/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/gpu/fence_gate.h"

void fence_gate_init(struct fence_gate *gate)
{
    *gate = (struct fence_gate){0};
    signal_init(&gate->turn);
}

void fence_gate_enter(struct fence_gate *gate, int64_t most, struct process *self)
{
    process_sync(self);
    if (gate->under_way < most && gate->waiting == 0) {
        gate->under_way++;
        return;
    }
    gate->waiting++;
    signal_wait(&gate->turn, self, "the fences of its compute unit");
}

/* Who leaves cannot be back for the round that begins as his ends: the first to leave closes it. */
void fence_gate_leave(struct fence_gate *gate)
{
    if (!gate->is_ending)
        gate->next = gate->waiting;
    gate->is_ending = --gate->under_way > 0;
    if (gate->is_ending || gate->waiting == 0)
        return;
    gate->under_way = gate->next > 0 ? gate->next : gate->waiting;
    gate->waiting -= gate->under_way;
    for (int64_t i = 0; i < gate->under_way; i++)
        signal_one(&gate->turn);
}
