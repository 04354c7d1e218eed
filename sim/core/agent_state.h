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
struct core_spec {
    int64_t clock_Hz;
    double instructions_per_cycle; /* sustained, on the network software */
    int64_t loads_in_flight;       /* independent loads under way */
    int64_t active_power_mW;
    int64_t stalled_power_mW;
    int64_t polling_power_mW;
    int64_t idle_power_mW;
};
extern const struct param_record core_rows;

/* Its power by state. */
void core_power_by_state(const struct core_spec *core, int64_t power_mW[AGENT_STATES]);
