/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known in advance of a poll of one line by a thread that polls many lines in turn: the time it takes if
 * nothing has changed since the last poll, and the times at which it loads. So polls that would find nothing can be
 * counted instead of simulated (protocols/shmem/poll_sweep.h). */
#pragma once

#include "core/simtime.h"

/* Turns of polls of one time (process_sleep_until_turn): those of work-groups in the order in which they started,
 * of which so many have turns of their own, then cores by number. */
#define POLL_TURN_WORK_GROUPS 1
#define POLL_WORK_GROUPS 8192
#define POLL_TURN_CORES (POLL_TURN_WORK_GROUPS + POLL_WORK_GROUPS)

struct poll_rhythm {
    sim_time loop_ps; /* instructions, from the beginning of the poll */
    sim_time
        looked_ps; /* from the beginning to the moment that decides what the load costs and which contents it brings */
    sim_time period_ps; /* from the beginning to the end, > 0 */
    int16_t turn;       /* its turn among events of the same moment, in which it looks and reads */
};

/* From which point on a poll is simulated. */
enum poll_place { POLL_WHOLE, POLL_AT_LOOK };
