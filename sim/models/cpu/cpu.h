/* SPDX-License-Identifier: BSD-3-Clause */
/* A core as message-passing software sees it, of a CPU or a command processor: one process whose time passes in named
 * accounts and states, and which sleeps until something has arrived for it. What looks at memory line by line is
 * models/host/host.h and models/cp/cp.h.
 *
 * Software spends time with cpu_spend; it is only owed until the core does something that others can
 * see, and then passes in one go (cpu_settle). So a chain of steps costs one switch. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/agent_state.h"
#include "core/observe_place.h"
#include "core/sim.h"
#include "models/noise/noise.h"

/* What a core's time goes to. Software on every layer books under the account that says what it does. */
enum cpu_account {
    CPU_APPLICATION, /* the program itself */
    CPU_CUDA,        /* calls of the CUDA runtime, and blocking in them */
    CPU_COPY,        /* copying payloads between host buffers */
    CPU_ALLOCATE,    /* heap: metadata, messages, fresh pages */
    CPU_LIBRARY,     /* the communication library */
    CPU_PACK,        /* headers, marshalling and unmarshalling */
    CPU_SCHEDULE,    /* picking messages, invoking entry methods, switching user-level threads */
    CPU_CALLBACK,    /* completion callbacks of the runtime */
    CPU_MATCH,       /* matching above the communication library */
    CPU_INTERPRETER, /* Python and Cython */
    CPU_SYSTEM,      /* interruptions by the operating system (models/noise/noise.h) */
    CPU_WAIT,        /* nothing to do but to poll */
    CPU_ACCOUNTS,
};
/* "application", "cuda", ...: measures are called time_NAME. */
extern const char *const cpu_account_names[CPU_ACCOUNTS];

/* How fast a core is, and what it draws in each state. Software's times (components ucx, charm, openmpi, ...)
 * are told for a core of one rate; they take longer on a slower core in proportion (M-082). */
struct cpu_spec {
    int64_t told_rate,
        rate; /* instructions in 1000 s, both >= 1: of the core that times are told for, and its */
    int64_t power_mW[AGENT_STATES];
};

struct cpu {
    struct sim *sim;
    const struct cpu_spec *spec;
    bool is_scaled;          /* its rate is not that which times are told for */
    bool has_spent;          /* time that its rate makes longer or shorter */
    struct process *process; /* who runs on the core: only it calls what takes time */
    struct noise noise;      /* of the core; all zero: none */
    sim_time owed_ps;        /* spent, not yet passed */
    bool is_notified;        /* something has arrived since the last cpu_wait */
    bool is_waiting;         /* nobody has woken it yet */
    bool is_suspended;       /* the wait is not booked yet */
    uint64_t
        operation; /* that what it does now is for, as observers know it (core/observe.h); 0: none */
    uint32_t track; /* of its spans; 0: none yet */
    bool
        is_launching; /* its time is that of a call that gives something to a GPU (account CPU_CUDA) */
    struct observe_place
        *place; /* of an application, whose iterations are explained; NULL: none. Its owner's */
    sim_time time_ps[CPU_ACCOUNTS];
    sim_time state_ps[AGENT_STATES]; /* the same time by state, for cpu_state_ps */
    enum agent_state last_state;     /* of what was booked last */
};

/* `spec` is kept by the caller; NULL: a core of the rate that times are told for, which draws nothing. */
void cpu_init(struct cpu *cpu, struct sim *sim, const struct cpu_spec *spec);

/* What `told_ps` become on such a core, rounded up. */
sim_time cpu_scaled_ps(const struct cpu_spec *spec, sim_time told_ps);

/* Tells observers what the core does for `duration_ps` from its own time on. */
void cpu_observe(struct cpu *cpu, enum cpu_account account, enum agent_state state,
                 sim_time duration_ps);

/* `duration_ps` >= 0 of the core's time, in a state. */
static inline void cpu_pass(struct cpu *cpu, enum cpu_account account, enum agent_state state,
                            sim_time duration_ps)
{
    if (observe_wants_work(&cpu->sim->observe))
        cpu_observe(cpu, account, state, duration_ps);
    cpu->owed_ps += duration_ps;
    cpu->time_ps[account] += duration_ps;
    cpu->state_ps[state] += duration_ps;
    cpu->last_state = state;
}

/* The core works at what takes `told_ps` >= 0 on the core that software's times are told for. */
static inline void cpu_spend(struct cpu *cpu, enum cpu_account account, sim_time told_ps)
{
    cpu->has_spent |= told_ps > 0;
    cpu_pass(cpu, account, AGENT_ACTIVE,
             cpu->is_scaled ? cpu_scaled_ps(cpu->spec, told_ps) : told_ps);
}

/* The core waits for its loads and stores for `duration_ps` >= 0, however fast it computes. */
static inline void cpu_access(struct cpu *cpu, enum cpu_account account, sim_time duration_ps)
{
    cpu_pass(cpu, account, AGENT_STALLED, duration_ps);
}

/* Its time in a state from the start of the simulation up to `now_ps`. All states together are `now_ps`; a core without a process, or
 * whose process has ended, is idle. */
sim_time cpu_state_ps(const struct cpu *cpu, enum agent_state state, sim_time now_ps);

/* The core's own time: what is owed has passed. */
static inline sim_time cpu_now(const struct cpu *cpu)
{
    return sim_now(cpu->sim) + cpu->owed_ps;
}

/* Reports that the operation for which the core works has reached a stage, now. */
static inline void cpu_stage(struct cpu *cpu, enum stage stage)
{
    observe_stage(&cpu->sim->observe, cpu->operation, stage, cpu_now(cpu));
}

/* It works for `operation` from now on; returns for which it did before. */
static inline uint64_t cpu_work_for(struct cpu *cpu, uint64_t operation)
{
    uint64_t before = cpu->operation;
    cpu->operation = operation;
    return before;
}

/* Lets what is owed pass. To be called before anything that others can see, or that depends on what they
 * did. */
void cpu_settle(struct cpu *cpu);

/* Blocks until `flag` is set by an event that then calls cpu_unblock; the time is booked under `account`.
 * `reason` (static) is for the deadlock report. Other notifications stay pending. */
void cpu_block(struct cpu *cpu, const bool *flag, enum cpu_account account, const char *reason);

/* Polls until something has arrived: returns at once if cpu_notify was called since the last cpu_wait
 * returned. The time is booked under CPU_WAIT. */
void cpu_wait(struct cpu *cpu, const char *reason);

/* Called by anybody, events too: something has arrived for this core. */
void cpu_notify(struct cpu *cpu);

/* Called by who has set the flag of cpu_block: the core polls it. Unlike after cpu_notify, nothing has
 * arrived that the next cpu_wait would return for. */
void cpu_unblock(struct cpu *cpu);
