/* SPDX-License-Identifier: BSD-3-Clause */
/* A run up to a limit, for tests that look at what is there by then. */
#pragma once

#include <stdint.h>

#include "core/event.h"

static void end_run(void *queue)
{
    event_stop(queue);
}

/* Runs all events with time <= limit_ps; then the current time is limit_ps, or that of the event that called event_stop. */
static inline void run_until(struct event_queue *queue, sim_time limit_ps)
{
    event_handle end = event_schedule_priority(queue, limit_ps, INT16_MAX, end_run, queue);
    event_run(queue);
    event_cancel(queue, end);
}
