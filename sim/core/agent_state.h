/* SPDX-License-Identifier: BSD-3-Clause */
/* What a core does, as far as its power is concerned. Agents of every kind have these states, cores of ranks too. */
#pragma once

#include <stdint.h>

#include "core/param.h"

enum agent_state {
    AGENT_ACTIVE,  /* executes the service of an operation; a rank's core: any work */
    AGENT_POLLING, /* executes polls of queues, completions and mutexes */
    AGENT_STALLED, /* waits for a load, an atomic or a release in either; a rank's core: copies */
    AGENT_IDLE,    /* has no thread to run: its clock stands */
    AGENT_STATES,
};

/* "active", "polling", ... */
extern const char *const agent_state_names[AGENT_STATES];

/* Notes that the power of cores in that state, such as "polling_power" of the table, is read. */
struct param_use;
struct param_table;
void agent_state_note_power(struct param_use *use, const struct param_table *table,
                            enum agent_state state);

/* A core as a machine file describes it; its rows are shared by the tables of all kinds of cores. */
#define CORE_ROWS(ROW)                                                                             \
    ROW(FREQUENCY, clock, NULL, "1MHz", "10GHz", "Clock of a core.")                               \
    ROW(NUMBER, instructions_per_cycle, NULL, "0.01", "16",                                        \
        "Instructions per cycle that a core sustains on the network software.")                    \
    ROW(COUNT, loads_in_flight, "1", "1", "16",                                                    \
        "Independent loads that a core keeps in flight: its miss registers or fill buffers.")      \
    ROW(POWER, active_power, NULL, "1mW", "1kW", "Power of a core that executes.")                 \
    ROW(POWER, stalled_power, NULL, "0mW", "1kW",                                                  \
        "Power of a core that waits for memory or the bus.")                                       \
    ROW(POWER, polling_power, NULL, "0mW", "1kW",                                                  \
        "Power of a core that polls, without its waits.")                                          \
    ROW(POWER, idle_power, NULL, "0mW", "1kW",                                                     \
        "Power of a core that has nothing to run: its clock is stopped.")
struct core_spec {
    CORE_ROWS(PARAM_FIELD)
};
extern const struct param_record core_rows;

/* Its power by state. */
void core_power_by_state(const struct core_spec *core, int64_t power_mW[AGENT_STATES]);
