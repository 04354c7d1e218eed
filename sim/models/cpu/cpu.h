/* SPDX-License-Identifier: BSD-3-Clause */
/* A core of a CPU or a command processor as message-passing software sees it: one process whose time passes in named accounts
 * and states, and which sleeps until a notification has arrived for it. Accesses of memory line by line are in
 * models/host/host.h and models/cp/cp.h.
 *
 * Software spends time with cpu_spend; the time is only owed until the core acts visibly for others, and then passes in one go
 * (cpu_settle). So a chain of steps takes one switch of processes. */
#pragma once

#include "core/agent_state.h"
#include "core/observe_place.h"
#include "core/sim.h"
#include "models/noise/noise.h"

/* The accounts of a core's time. Software of every layer books its time under the account of its work. Each has a name, the stage
 * of a place whose core spends time on it, and the description of its statistic. CUDA: also blocking in its calls. ALLOCATE:
 * metadata, messages, fresh pages. SCHEDULE: picking messages, invoking entry methods, switching user-level threads. SYSTEM: see
 * models/noise/noise.h. */
#define CPU_ACCOUNT_ROWS(ROW)                                                                      \
    ROW(APPLICATION, application, BUSY, "the cores' time in the program itself")                   \
    ROW(CUDA, cuda, BUSY, "the cores' time in calls of the CUDA runtime")                          \
    ROW(COPY, copy, COPIED, "the cores' time in copies between host buffers")                      \
    ROW(ALLOCATE, allocate, PACKED, "the cores' time in the heap")                                 \
    ROW(LIBRARY, library, PACKED, "the cores' time in the communication library")                  \
    ROW(PACK, pack, PACKED, "the cores' time with headers and marshalling")                        \
    ROW(SCHEDULE, schedule, SCHEDULED, "the cores' time in schedulers")                            \
    ROW(CALLBACK, callback, CALLBACK, "the cores' time in completion callbacks")                   \
    ROW(MATCH, match, MATCHED, "the cores' time in matching above the library")                    \
    ROW(INTERPRETER, interpreter, BUSY, "the cores' time in Python and Cython")                    \
    ROW(SYSTEM, system, BUSY, "the cores' time that the operating system took")                    \
    ROW(WAIT, wait, EXPOSED, "the cores' time in which there was nothing but to poll")
#define CPU_ACCOUNT_NUMBER(capitals, ...) CPU_##capitals,
enum cpu_account { CPU_ACCOUNT_ROWS(CPU_ACCOUNT_NUMBER) CPU_ACCOUNTS };

/* "application", "cuda", ...: measures are called time_NAME. */
extern const char *const cpu_account_names[CPU_ACCOUNTS];

/* How fast a core is, and the power that it draws in each state. Software's times (components ucx, charm, openmpi, ...) are
 * given for a core of one rate, and are proportionally longer on a slower core (M-082). */
struct cpu_spec {
    int64_t told_rate,
        rate; /* instructions in 1000 s, both >= 1: of the core that times are given for; and of this core */
    int64_t power_mW[AGENT_STATES];
};

struct cpu {
    struct sim *sim;
    const struct cpu_spec *spec;
    bool is_scaled;          /* its rate differs from the one that times are given for */
    bool has_spent;          /* has spent time that depends on its rate */
    struct process *process; /* the process on the core: only it makes calls that take time */
    struct noise noise;      /* the core's interruptions; all zero: none */
    sim_time owed_ps;        /* spent, not yet passed */
    bool is_notified;        /* cpu_notify was called since the last cpu_wait */
    bool is_waiting;         /* it waits and was not woken yet */
    bool is_suspended;       /* the wait is not booked yet */
    uint64_t
        operation; /* the operation it works for, as known to observers (core/observe.h); 0: none */
    uint32_t track;    /* the track of its spans; 0: none yet */
    bool is_launching; /* it is in a call that issues an operation to a GPU (account CPU_CUDA) */
    struct observe_place *
        place; /* the application's place, whose iterations are explained; NULL: none. Owned by the application */
    sim_time time_ps[CPU_ACCOUNTS];
    sim_time state_ps[AGENT_STATES]; /* the same time by state, for cpu_state_ps */
    enum agent_state last_state;     /* the state that was booked last */
};

/* `spec` is kept by the caller; NULL: a core of the rate that times are given for, which draws no power. */
void cpu_init(struct cpu *cpu, struct sim *sim, const struct cpu_spec *spec);

/* How long work of `told_ps` takes on such a core, rounded up. */
sim_time cpu_scaled_ps(const struct cpu_spec *spec, sim_time told_ps);

/* Tells observers what the core does for `duration_ps` from its own time on. */
void cpu_observe(struct cpu *cpu, enum cpu_account account, enum agent_state state,
                 sim_time duration_ps);

/* Books `duration_ps` >= 0 of the core's time to an account and a state. */
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

/* The core does work that takes `told_ps` >= 0 on the core that software's times are given for. */
static inline void cpu_spend(struct cpu *cpu, enum cpu_account account, sim_time told_ps)
{
    cpu->has_spent |= told_ps > 0;
    cpu_pass(cpu, account, AGENT_ACTIVE,
             cpu->is_scaled ? cpu_scaled_ps(cpu->spec, told_ps) : told_ps);
}

/* The core waits `duration_ps` >= 0 for its loads and stores, independent of its rate. */
static inline void cpu_access(struct cpu *cpu, enum cpu_account account, sim_time duration_ps)
{
    cpu_pass(cpu, account, AGENT_STALLED, duration_ps);
}

/* The core's time in a state from the start of the simulation up to `now_ps`. The times of all states add up to `now_ps`; a
 * core without a process, or whose process has ended, is idle. */
sim_time cpu_state_ps(const struct cpu *cpu, enum agent_state state, sim_time now_ps);

/* The core's own time, at which the owed time has passed. */
static inline sim_time cpu_now(const struct cpu *cpu)
{
    return sim_now(cpu->sim) + cpu->owed_ps;
}

/* Reports that the operation for which the core works has reached a stage, now. */
static inline void cpu_stage(struct cpu *cpu, enum stage stage)
{
    observe_stage(&cpu->sim->observe, cpu->operation, stage, cpu_now(cpu));
}

/* Makes the core work for `operation` from now on; returns the operation before. */
static inline uint64_t cpu_work_for(struct cpu *cpu, uint64_t operation)
{
    uint64_t before = cpu->operation;
    cpu->operation = operation;
    return before;
}

/* Lets the owed time pass. To be called before any action that others can see, or that depends on their actions. */
void cpu_settle(struct cpu *cpu);

/* Blocks until `flag` is set by an event that then calls cpu_unblock; the time is booked under `account`.
 * `reason` (static) is for the deadlock report. Other notifications stay pending. */
void cpu_block(struct cpu *cpu, const bool *flag, enum cpu_account account, const char *reason);

/* Polls until a notification arrives: returns at once if cpu_notify was called since the last cpu_wait
 * returned. The time is booked under CPU_WAIT. */
void cpu_wait(struct cpu *cpu, const char *reason);

/* Tells the core that something has arrived for it. Any process or event may call it. */
void cpu_notify(struct cpu *cpu);

/* Wakes a core after the flag of its cpu_block was set. Unlike cpu_notify this does not make the next cpu_wait return at once. */
void cpu_unblock(struct cpu *cpu);
