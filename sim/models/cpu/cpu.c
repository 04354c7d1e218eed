/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/cpu/cpu.h"

#define NAME(capitals, name, ...) #name,
const char *const cpu_account_names[CPU_ACCOUNTS] = {CPU_ACCOUNT_ROWS(NAME)};

void cpu_init(struct cpu *cpu, struct sim *sim, const struct cpu_spec *spec)
{
    *cpu = (struct cpu){
        .sim = sim, .spec = spec, .is_scaled = spec != NULL && spec->rate != spec->told_rate};
}

sim_time cpu_scaled_ps(const struct cpu_spec *spec, sim_time told_ps)
{
    sim_uint128 work = (sim_uint128)told_ps * (sim_uint128)spec->told_rate,
                rate = (sim_uint128)spec->rate;
    return duration_ps((work + rate - 1) / rate);
}

sim_time cpu_state_ps(const struct cpu *cpu, enum agent_state state, sim_time now_ps)
{
    sim_time open_ps =
        now_ps; /* time not booked yet; below 0: booked time that lies after `now_ps` */
    for (int other = 0; other < AGENT_STATES; other++)
        open_ps -= cpu->state_ps[other];
    enum agent_state doing = open_ps < 0 || cpu->is_suspended ? cpu->last_state : AGENT_IDLE;
    return cpu->state_ps[state] + (state == doing ? open_ps : 0);
}

/* The stage of a place while its core spends time on an account. */
#define STAGE_OF(capitals, name, stage, description) STAGE_##stage,
static const enum stage place_stages[CPU_ACCOUNTS] = {CPU_ACCOUNT_ROWS(STAGE_OF)};

/* Records work on the core's track. */
static void observe_work(struct cpu *cpu, const char *name, enum agent_state state,
                         sim_time from_ps, sim_time duration_ps)
{
    struct observe *observe = &cpu->sim->observe;
    if (duration_ps == 0 || cpu->process == NULL)
        return;
    if (cpu->track == 0)
        cpu->track = observe_track(observe, process_name(cpu->process), "core");
    observe_span(observe, cpu->track, name, from_ps, from_ps + duration_ps, cpu->operation);
    int64_t power_mW = cpu->spec != NULL ? cpu->spec->power_mW[state] : 0;
    if (power_mW == 0)
        return;
    observe_change(observe, cpu->track, "power", "mW", from_ps, power_mW);
    observe_change(observe, cpu->track, "power", "mW", from_ps + duration_ps, -power_mW);
}

void cpu_observe(struct cpu *cpu, enum cpu_account account, enum agent_state state,
                 sim_time duration_ps)
{
    sim_time from_ps = cpu_now(cpu);
    if (cpu->place != NULL)
        observe_place_core(cpu->place, cpu->is_launching ? STAGE_LAUNCHED : place_stages[account],
                           from_ps, from_ps + duration_ps);
    if (observe_wants_spans(&cpu->sim->observe))
        observe_work(cpu, cpu_account_names[account], state, from_ps, duration_ps);
}

/* Adds the interruptions that fall into the owed time. */
static void be_interrupted(struct cpu *cpu)
{
    sim_time delay_ps = noise_delay_ps(&cpu->noise, sim_now(cpu->sim), cpu->owed_ps);
    if (delay_ps > 0)
        cpu_pass(cpu, CPU_SYSTEM, AGENT_ACTIVE, delay_ps);
}

void cpu_settle(struct cpu *cpu)
{
    be_interrupted(cpu);
    sim_time owed_ps = cpu->owed_ps;
    cpu->owed_ps = 0;
    if (owed_ps > 0)
        process_sleep(cpu->process, owed_ps);
}

static void suspend(struct cpu *cpu, enum cpu_account account, const char *reason)
{
    sim_time since_ps = sim_now(cpu->sim);
    cpu->is_waiting = cpu->is_suspended = true;
    cpu->last_state = AGENT_POLLING;
    process_suspend(cpu->process, reason);
    sim_time interrupted_ps = noise_delay_ps(&cpu->noise, sim_now(cpu->sim), 0);
    if (interrupted_ps > 0)
        process_sleep(cpu->process, interrupted_ps);
    cpu->is_suspended = false;
    cpu->time_ps[account] += sim_now(cpu->sim) - since_ps;
    cpu->state_ps[AGENT_POLLING] += sim_now(cpu->sim) - since_ps;
    if (observe_wants_spans(&cpu->sim->observe))
        observe_work(cpu, reason, AGENT_POLLING, since_ps, sim_now(cpu->sim) - since_ps);
}

void cpu_block(struct cpu *cpu, const bool *flag, enum cpu_account account, const char *reason)
{
    cpu_settle(cpu);
    while (!*flag)
        suspend(cpu, account, reason);
}

void cpu_wait(struct cpu *cpu, const char *reason)
{
    cpu_settle(cpu);
    if (!cpu->is_notified)
        suspend(cpu, CPU_WAIT, reason);
    cpu->is_notified = false;
}

void cpu_notify(struct cpu *cpu)
{
    cpu->is_notified = true;
    cpu_unblock(cpu);
}

void cpu_unblock(struct cpu *cpu)
{
    if (!cpu->is_waiting)
        return;
    cpu->is_waiting = false;
    process_wake(cpu->process);
}
