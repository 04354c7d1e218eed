/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a program: each party is a Lua thread on the stack of the party's process. */
#include <lauxlib.h>
#include <string.h>

#include "models/topology.h"
#include "script/program/program_parts.h"
#include "script/sandbox/traces.h"
#include "script/sandbox/unknown.h"
#include "script/sandbox/watchdog.h"
#include "script/study/workload_lua.h"
#include "workloads/reach.h"

/* Lua nests at most 200 C calls. The largest one, of a pattern with a callback, takes two frames of two kilobytes. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) /* stack frames are several times as large */
#define STACK_BYTES (4 << 20)
#endif
#endif
#ifndef STACK_BYTES
#define STACK_BYTES (1 << 20)
#endif

/* Stack slots that a run takes on the script's stack, with some room. */
#define RUN_STACK 20

/* The instructions that a thread costs a script beside its memory. */
#define THREAD_INSTRUCTIONS 200

/* --- parties ------------------------------------------------------------------------------------ */

/* The party's function has raised the value on top of its stack. */
static void fail_party(struct program_party *party, int status)
{
    struct program_run *run = party->run;
    if (status == LUA_ERRMEM)
        run->state->is_stopped = true;
    if (run->failure != NULL)
        return;
    run->failure = status == LUA_ERRMEM
                       ? g_strdup_printf("%s: the script needs more than %d MiB of memory",
                                         run->state->memory_place, SANDBOX_MEMORY_MIB)
                       : g_strdup(lua_tostring(party->lua.L, -1));
    sim_fail(world_sim(run->world), "%s", run->failure);
}

/* Runs a party. The thread's stack: message handler, function, the party's object. */
static void run_party(struct party *party, void *argument)
{
    struct program_run *run = argument;
    struct program_party *own =
        &run->parties[party->place * run->program->names.groups + party->group];
    own->lua.party = party;
    own->has_begun = true;
    if (lua_gettop(own->lua.L) > 0) { /* else the place has no program */
        party_enter(&own->lua);
        int status = lua_pcall(own->lua.L, 1, 0, 1);
        if (status == LUA_OK && own->lua.under_way > 0) {
            lua_pushfstring(own->lua.L,
                            "%s:%d: a party's function ended before it waited for its messages",
                            own->source, own->line);
            status = LUA_ERRRUN;
        }
        party_leave(&own->lua);
        if (status != LUA_OK)
            fail_party(own, status);
    }
    own->has_ended = true;
    own->lua.party = NULL;
}

/* Makes the threads of all places that have a function; the table on top of the stack keeps them. */
static void make_threads(lua_State *L, struct program_run *run)
{
    int keep = lua_gettop(L);
    const struct program *program = run->program;
    lua_getiuservalue(L, run->index, PROGRAM_FUNCTIONS);
    for (int64_t i = 0; i < run->party_count; i++) {
        struct program_party *party = &run->parties[i];
        *party = (struct program_party){.run = run,
                                        .lua.world = &run->program->names,
                                        .lua.serial = ++run->state->serials,
                                        .lua.place = i / program->names.groups,
                                        .lua.group = i % program->names.groups};
        sandbox_charge(L, THREAD_INSTRUCTIONS);
        party->lua.L = lua_newthread(L);
        lua_rawseti(L, keep, 2 * i + 1);
        if (lua_rawgeti(L, keep + 1, party->lua.place + 1) == LUA_TFUNCTION) {
            lua_Debug function;
            lua_pushvalue(L, -1);
            lua_getinfo(L, ">S", &function);
            party->source = function.source + 1;
            party->line = function.linedefined;
            sandbox_push_handler(party->lua.L);
            lua_xmove(L, party->lua.L, 1);
            program_push_party(L, party);
            lua_pushvalue(L, -1);
            lua_rawseti(L, keep, 2 * i + 2);
            lua_xmove(L, party->lua.L, 1);
        }
        lua_settop(L, keep + 1);
    }
    lua_settop(L, keep);
}

/* --- the world ---------------------------------------------------------------------------------- */

/* Makes the world of a run, the `guest`th on the machine of the world `beside`; NULL: on a machine of its own. */
static bool make_world(struct program_run *run, struct world *beside, int64_t guest, GError **error)
{
    struct program *program = run->program;
    const struct program_spec *spec = &program->spec;
    int64_t count = program_places(program);
    struct world_setup setup = {.design = &spec->design,
                                .beside = beside,
                                .guest = guest,
                                .seed = run->state->seed,
                                .places = run->places,
                                .place_count = count,
                                .servers = run->servers,
                                .groups = program->names.groups,
                                .threads = program->threads,
                                .queues = spec->queues,
                                .served_places = spec->kernels > 0 ? spec->kernels : count,
                                .is_cooperative = spec->cooperative,
                                .stack_bytes = STACK_BYTES,
                                .has_channels = spec->channels,
                                .has_barrier = spec->barrier};
    run->world = lua_world_new(&program->names, run->machine, &setup, error);
    return run->world != NULL;
}

/* "FILE:LINE: rank 1 waits here", of the first party that waits; NULL if there is none in Lua. */
static char *place_of_wait(const struct program_run *run)
{
    const char *what = program_has_kernels(run->program) ? "work-group" : "rank";
    for (int64_t i = 0; i < run->party_count; i++) {
        const struct program_party *party = &run->parties[i];
        lua_Debug frame;
        for (int level = 0;
             party->has_begun && !party->has_ended && lua_getstack(party->lua.L, level, &frame);
             level++) {
            lua_getinfo(party->lua.L, "Sl", &frame);
            if (frame.currentline > 0)
                return g_strdup_printf("%s:%d: %s %lld of GPU %lld waits here", frame.source + 1,
                                       frame.currentline, what, (long long)party->lua.group,
                                       (long long)party->lua.place);
        }
    }
    return NULL;
}

/* The sentence of the first failure, with its place if it came from Lua. */
static char *sentence_of(const struct program_run *runs, int count, const GError *error)
{
    bool is_deadlock = g_str_has_prefix(error->message, "deadlock");
    for (int i = 0; is_deadlock && i < count; i++) {
        g_autofree char *place = place_of_wait(&runs[i]);
        if (place != NULL)
            return g_strdup_printf("%s; %s", place, error->message);
    }
    return g_strdup(error->message);
}

/* Runs all programs on their machine; returns the sentence of a failure, or NULL. */
static char *simulate(struct program_run *runs, int count)
{
    g_autoptr(GError) error = NULL;
    struct world *worlds[PROGRAMS_AT_ONCE];
    party_program *programs[PROGRAMS_AT_ONCE];
    void *const *arguments[PROGRAMS_AT_ONCE];
    for (int i = 0; i < count; i++) {
        int64_t places = program_places(runs[i].program);
        void **all = g_new(void *, (gsize)places);
        for (int64_t place = 0; place < places; place++)
            all[place] = &runs[i];
        worlds[i] = runs[i].world;
        programs[i] = run_party;
        arguments[i] = all;
    }
    watchdog_sample(true);
    bool good = worlds_run(worlds, (size_t)count, programs, arguments, &error);
    watchdog_sample(false);
    runs->state->at = NULL;
    for (int i = 0; i < count; i++)
        g_free((void *)(uintptr_t)arguments[i]);
    if (!good)
        return sentence_of(runs, count, error);
    for (int i = 0; i < count; i++) {
        runs[i].result->stats = runs[i].stats;
        records_report(&runs[i], runs[i].result);
        world_report(runs[i].world, 1, runs[i].result);
        runs[i].result->stats = NULL;
    }
    return NULL;
}

static void check_shape(lua_State *L, const struct program *program)
{
    const struct machine_spec *machine = &sandbox_of(L)->machine->spec;
    if (program->names.groups == 0)
        script_fail(L, "no party of the program has a function; give one by w:parties { ... }");
    if (program->spec.nodes > machine->nodes)
        script_fail(L, "the program is for %lld nodes, the machine has %lld",
                    (long long)program->spec.nodes, (long long)machine->nodes);
    if (program->spec.gpus_per_node > topology_gpu_count(&machine->node))
        script_fail(L, "the program is for %lld GPUs a node, the machine has %d",
                    (long long)program->spec.gpus_per_node, topology_gpu_count(&machine->node));
    int64_t words = 0;
    for (int i = 0; i < program->names.signals_count; i++)
        words += program->names.signals[i].words;
    if (words > MESSAGE_TAG_MOST / 2)
        script_fail(L, "a program has at most %d signals", MESSAGE_TAG_MOST / 2);
    if (sandbox_of(L)->memory && sandbox_of(L)->memory->is_all)
        script_fail(L,
                    "the result of a program is not known: only whole points of it are remembered");
}

static const struct job_place *push_places(lua_State *L, const struct program *program)
{
    int64_t count = program_places(program);
    struct job_place *places = lua_newuserdatauv(L, (size_t)count * sizeof *places, 0);
    for (int64_t i = 0; i < count; i++)
        places[i] = (struct job_place){
            .node = i / program->spec.gpus_per_node,
            .gpu = (int32_t)(i % program->spec.gpus_per_node),
        };
    return places;
}

/* Pushes the list of which cores run the rank of each place. */
static const int64_t *push_servers(lua_State *L, int index)
{
    int64_t count = program_places(lua_touserdata(L, index));
    int64_t *servers = lua_newuserdatauv(L, (size_t)count * sizeof *servers, 0);
    lua_getiuservalue(L, index, PROGRAM_SERVERS);
    for (int64_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, i + 1);
        servers[i] = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return servers;
}

/* Leaves the values that a run of the program at `index` needs on the stack. */
static void push_run(lua_State *L, struct program_run *run, int index)
{
    run->program = lua_touserdata(L, index);
    run->index = index;
    run->state = sandbox_of(L);
    run->party_count = program_places(run->program) * run->program->names.groups;
    run->places = push_places(L, run->program);
    run->servers = push_servers(L, index);
    run->parties = lua_newuserdatauv(L, (size_t)run->party_count * sizeof *run->parties, 0);
    lua_newtable(L);
    make_threads(L, run);
}

/* Makes the worlds, each on the machine of the first one. */
static bool make_worlds(struct program_run *runs, int count, GError **error)
{
    for (int i = 0; i < count; i++)
        if (!make_world(&runs[i], i > 0 ? runs->world : NULL, i, error))
            return false;
    return true;
}

static void end_runs(struct program_run *runs, int count)
{
    for (int i = count - 1; i >= 0; i--) { /* the machine of the first world is that of all */
        world_free(runs[i].world);
        for (int64_t k = 0; k < runs[i].party_count; k++) {
            g_free(runs[i].parties[k].told);
            if (runs[i].parties[k].lua.object)
                *runs[i].parties[k].lua.object = NULL;
        }
        records_clear(&runs[i]);
        g_free(runs[i].failure);
    }
}

/* Checks that the values at 1 to `count` are programs, none twice. */
static void check_programs(lua_State *L, int count)
{
    if (count > PROGRAMS_AT_ONCE)
        script_fail(L, "at most %d programs run at once", PROGRAMS_AT_ONCE);
    for (int i = 1; i <= count; i++) {
        struct program *program = program_check(L, i);
        check_shape(L, program);
        program->has_run = true;
    }
}

/* A call of w:run(...). */
struct program_call {
    lua_State *L;
    int count; /* of programs, at stack indices from 1 on */
    struct machine_spec machine;
    bool is_listed; /* `list` and `digest` hold the values that functions can see */
    int list;
    uint64_t digest;
};

/* Raises the error, if there is one: of a world, or a sentence about a run. */
static void check_good(lua_State *L, GError *error, char *sentence, bool has_failed)
{
    if (error)
        script_fail_error(L, error);
    if (sentence)
        sandbox_raise(L, sentence, has_failed || strstr(sentence, " waits here; ") != NULL);
}

static void run_programs(const struct program_call *call, struct workload_result *results,
                         GString *stats)
{
    lua_State *L = call->L;
    int count = call->count;
    struct program_run *runs = lua_newuserdatauv(L, (size_t)count * sizeof *runs, 0);
    memset(runs, 0, (size_t)count * sizeof *runs);
    for (int i = 0; i < count; i++) {
        runs[i] = (struct program_run){.machine = &call->machine,
                                       .result = &results[i],
                                       .stats = i == 0 ? stats
                                                       : NULL}; /* the machine's statistics, once */
        push_run(L, &runs[i], i + 1);
    }
    GError *error = NULL;
    bool is_made = make_worlds(runs, count, &error), has_failed = false;
    char *sentence = is_made ? simulate(runs, count) : NULL;
    for (int i = 0; i < count; i++)
        has_failed |= runs[i].failure != NULL;
    end_runs(runs, count);
    check_good(L, error, sentence, has_failed);
}

/* Whether a further run would see the same values as the first one. */
static bool may_repeat(const struct program_call *call)
{
    for (int i = 1; i <= call->count; i++)
        if (((const struct program *)lua_touserdata(call->L, i))->spec.once)
            return false;
    return call->is_listed && traces_stay(call->L, call->list, call->digest);
}

/* Runs the programs once. Instructions of runs after the first, which the script did not ask for, are not charged. */
static enum independent_run_end run_once(void *argument, uint64_t number,
                                         struct workload_result *results, GError **error)
{
    struct program_call *call = argument;
    struct script_state *state = sandbox_of(call->L);
    int64_t budget = state->budget;
    int top = lua_gettop(call->L);
    (void)error; /* an error is raised */
    call->machine.independent_run = number;
    run_programs(call, results, number == 0 ? state->stats : NULL);
    lua_settop(call->L, top);
    if (number > 0)
        state->budget = budget;
    return may_repeat(call) ? RUN_MAY_REPEAT : RUN_WAS_LAST;
}

/* Lists the values that the functions of all programs can see. */
static void list_seen(struct program_call *call)
{
    lua_State *L = call->L;
    lua_createtable(L, call->count, 0);
    call->list = lua_gettop(L);
    for (int i = 1; i <= call->count; i++) {
        lua_getiuservalue(L, i, PROGRAM_FUNCTIONS);
        lua_rawseti(L, call->list, i);
    }
    call->is_listed = traces_list(L, &call->digest);
}

static int rehearse(lua_State *L, int count)
{
    struct script_state *state = sandbox_of(L);
    state->has_skipped = true;
    for (int i = 1; i <= count; i++) {
        const struct program *program = lua_touserdata(L, i);
        const struct design *design = &program->spec.design;
        if (state->calls)
            g_string_append_printf(
                state->calls, "program\t{\"nodes\": \"%lld\", \"gpus_per_node\": \"%lld\"}\n",
                (long long)program->spec.nodes, (long long)program->spec.gpus_per_node);
        reach_of_designs(&state->machine->spec, &design, 1, true, &state->uses);
        unknown_push(L);
    }
    return count;
}

/* w:run(), w:run(other, ...): a result for each. */
int program_run(lua_State *L)
{
    struct script_state *state = sandbox_of(L);
    struct program_call call = {.L = L, .count = MAX(lua_gettop(L), 1)};
    script_refuse_in_party(L, "a program's run");
    check_programs(L, call.count);
    luaL_checkstack(L, RUN_STACK * call.count, "programs");
    if (state->is_rehearsal)
        return rehearse(L, call.count);
    struct workload_result results[PROGRAMS_AT_ONCE];
    const struct independent_runs how = {.run = run_once,
                                         .argument = &call,
                                         .count = (size_t)call.count,
                                         .is_observed = state->machine->spec.listener != NULL};
    memset(results, 0, (size_t)call.count * sizeof *results);
    call.machine = state->machine->spec;
    list_seen(&call);
    independent_runs(&how, results, NULL); /* an error has been raised */
    if (state->stats)
        g_string_append_c(state->stats, '\n'); /* the call's end */
    for (int i = 0; i < call.count; i++) {
        param_use_join(&state->uses, &results[i].uses);
        *workload_push_result(L) = results[i];
    }
    return call.count;
}
