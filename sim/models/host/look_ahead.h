/* SPDX-License-Identifier: BSD-3-Clause */
/* How an out-of-order core looks at many places in turn. Its front end runs ahead of what retires: the loads of the next looks
 * are under way while a look before them waits for its line, as far as the reorder window (`host.reorder_instructions`) and
 * fill buffers (`host.loads_in_flight`) allow. Looks retire in order, each when its line is there; what they see is what stands
 * there then, since a core replays a load whose line was taken from it.
 *
 * The front end goes on as the branch behind a look is predicted: by a counter of two bits, so as the last looks mostly
 * went. Where that is wrong it has to start again (`host.mispredict_cycles`) and is no longer ahead; the lines that it
 * asked for still come. The same happens where a line is taken away between its load and its look's turn, and behind a wait
 * for the clock (`service_time`), whose loop ends unexpectedly. On its way to the loads of the next looks the front end
 * passes over such waits. */
#pragma once

#include <stdbool.h>

#include "core/simtime.h"
#include "fabric/port.h"
#include "models/memory/cache.h"
#include "models/memory/load.h"

struct host_thread;

/* Tells where the look `place` looks after the present one looks; false: that look loads nothing. */
typedef bool look_ahead_next(void *argument, size_t place, address *at);

/* A fill buffer: the line that it was used for last. */
struct line_fill {
    cache_line line;
    sim_time ready_ps;
};

struct look_ahead {
    look_ahead_next *next;
    void *argument;
    size_t places; /* how many places it looks at in turn; 0: it does not look ahead */
    struct line_fill fills[LOADS_IN_FLIGHT_MAX];
    sim_time lead_ps;     /* how far the front end is ahead of what retires */
    sim_time executed_ps; /* instructions since the last look */
    sim_time way_ps
        [2]; /* instructions behind the last look that found nothing, and behind the last that found something */
    size_t made; /* loads that have been made for looks after the present one */
    bool found;  /* the last look found something */
    int counter; /* 0 .. 3: from 2 on the branch is predicted to find something */
};

/* How long the look at `at` in host memory takes from now on. */
sim_time look_ahead_wait_ps(struct host_thread *thread, address at);
