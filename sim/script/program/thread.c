/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a node as threads of one process: a flag in host memory tells another rank that data are there. */
#include "script/program/program_parts.h"

/* Returns the rank whose number is argument 2. */
static struct program_party *other_rank(lua_State *L, const struct program_party *party,
                                        const char *operation)
{
    struct program_run *run = party->run;
    int64_t ranks = program_places(run->program);
    int is_whole = 0;
    lua_Integer rank = lua_tointegerx(L, 2, &is_whole);
    if (!is_whole || rank < 0 || rank >= ranks || rank == party->lua.place)
        script_fail(L, "%s needs another rank's number, 0 to %lld", operation,
                    (long long)(ranks - 1));
    if (run->places[rank].node != run->places[party->lua.place].node)
        script_fail(L, "%s: rank %lld is on another node, which shares no memory", operation,
                    (long long)rank);
    struct program_party *other =
        &run->parties[rank * run->program->names.groups + party->lua.group];
    if (rank_process(party)->kind->is_on_gpu || rank_process(other)->kind->is_on_gpu)
        script_fail(L, "%s: both ranks run on cores of the host", operation);
    return other;
}

/* How often the rank of `place` has told the party, minus the party's waits. */
static int64_t *told_by(struct program_party *party, int64_t place)
{
    if (party->told == NULL)
        party->told = g_new0(int64_t, (gsize)program_places(party->run->program));
    return &party->told[place];
}

/* me:tell(rank): a store, for whose end the core does not wait. */
int thread_tell(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    struct program_party *other = other_rank(L, party, "tell");
    party_leave(&party->lua);
    cpu_settle(&process->cpu);
    ++*told_by(other, party->lua.place);
    if (other->is_waiting_told) {
        other->is_told = true;
        cpu_unblock(&rank_process(other)->cpu);
    }
    return 0;
}

/* me:wait_told(rank): waits for the store; its line comes from the cache of the core that wrote it. */
int thread_wait_told(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    struct job_process *process = rank_process(party);
    int64_t *told = told_by(party, other_rank(L, party, "wait_told")->lua.place);
    const struct host_spec *host = &process->spec->host;
    param_uses_only(&process->job->sim->uses, &host_params, "clock", "l3_latency_cycles", NULL);
    party_leave(&party->lua);
    cpu_settle(&process->cpu);
    party->is_waiting_told = true;
    while (*told == 0) {
        party->is_told = false;
        cpu_block(&process->cpu, &party->is_told, CPU_WAIT, "what another thread tells");
    }
    party->is_waiting_told = false;
    --*told;
    cpu_access(&process->cpu, CPU_WAIT, host_hop_ps(host));
    return 0;
}
