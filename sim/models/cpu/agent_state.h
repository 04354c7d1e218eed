/* SPDX-License-Identifier: BSD-3-Clause */
/* What a core does, as far as its power is concerned: of every kind of agents, ranks' cores too. */
#ifndef GPUNETSIM_MODELS_CPU_AGENT_STATE_H
#define GPUNETSIM_MODELS_CPU_AGENT_STATE_H

enum agent_state {
    AGENT_ACTIVE,  /* executes what serves an operation; of a rank all that it works at */
    AGENT_POLLING, /* executes polls of queues, completions and mutexes */
    AGENT_STALLED, /* waits for a load, an atomic or a release in either; of a rank: copies */
    AGENT_IDLE,    /* has no thread to run: its clock stands */
    AGENT_SLEEP,   /* the same, without supply */
    AGENT_STATES,
};

/* "active", "polling", ... */
extern const char *const agent_state_names[AGENT_STATES];

/* Notes that the power of cores in that state, such as "polling_power" of the table, is read. */
struct param_use;
struct param_table;
void agent_state_note_power(struct param_use *use, const struct param_table *table,
                            enum agent_state state);

#endif
