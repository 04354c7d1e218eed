/* SPDX-License-Identifier: BSD-3-Clause */
/* The parties of a program: the operations that they may call, and the further fields of their object. */
#include <lauxlib.h>
#include <string.h>

#include "script/program/program_parts.h"

/* The instructions that an operation costs a script beside its Lua code. */
#define OPERATION_INSTRUCTIONS 20

struct program_party *program_party_of(struct lua_party *party)
{
    return (struct program_party *)(void *)party;
}

/* me:reset(): ends a warm-up. */
static int reset(lua_State *L, struct lua_party *lua)
{
    (void)L;
    struct program_run *run = program_party_of(lua)->run;
    world_reset(run->world, party_now(lua->party));
    records_reset(run);
    return 0;
}

static const struct party_operation operations[] = {
    {"reset", 0, NO_ARGUMENTS, .call = reset},
    {"record", 0, NO_ARGUMENTS, .call = party_record},
    {.name = NULL},
};

static const struct party_operation *const lists[] = {party_operations, cuda_operations, operations,
                                                      NULL};

/* --- which party may call which operation ------------------------------------------------------- */

static void check_queue(lua_State *L, const struct program *program, const struct lua_party *party)
{
    bool is_kernel = program_has_kernels(program);
    if (is_kernel && program->spec.queues > 0 && party->group >= program->spec.queues)
        script_fail(L,
                    "work-group %lld has no queue: only the first %lld of a GPU have one (queues)",
                    (long long)party->group, (long long)program->spec.queues);
}

static void check_barrier(lua_State *L, const struct program *program)
{
    if (!program->spec.barrier)
        script_fail(L, "barrier needs program { barrier = true, ... }");
    if (program->spec.kernels > 0)
        script_fail(L, "barrier needs a program on all GPUs; here kernels says which have one");
}

static void check_needs(lua_State *L, const struct program *program, const struct lua_party *party,
                        const struct party_operation *operation)
{
    bool is_kernel = program_has_kernels(program);
    if (operation->needs & NEEDS_WORDS && !is_kernel)
        script_fail(L, "%s is for work-groups: a rank's signals are messages", operation->name);
    if (operation->needs & NEEDS_QUEUE)
        check_queue(L, program, party);
    if (operation->needs & NEEDS_CHANNELS && !program->spec.channels)
        script_fail(L, "messages need channels: program { channels = true, ... }");
    if (operation->needs & NEEDS_BARRIER)
        check_barrier(L, program);
    if (operation->needs & NEEDS_PLACE && !is_kernel && program->names.groups > 1)
        script_fail(L, "ranks of a GPU are processes of their own, without a barrier");
}

void program_check_call(lua_State *L, struct lua_party *lua,
                        const struct party_operation *operation)
{
    const struct program_party *party = program_party_of(lua);
    const struct program *program = party->run->program;
    sandbox_charge(L, OPERATION_INSTRUCTIONS);
    if (party->captured != NULL && !(operation->needs & IN_GRAPH))
        script_fail(L, "a graph is a chain of kernels: its function can only launch them");
    if (operation->needs & NEEDS_RANK && program_has_kernels(program))
        script_fail(L, "%s is for ranks: a work-group has no streams", operation->name);
    if (operation->arguments[0] != ARGUMENTS_END)
        party_check_keys(L, operation->name, operation->arguments);
    check_needs(L, program, lua, operation);
}

/* --- the object --------------------------------------------------------------------------------- */

/* Pushes the operation of which `name` may be a misspelling, and where the operations are documented. */
static const char *push_hint(lua_State *L, const char *name)
{
    const char *names[PARTY_OPERATIONS_MOST];
    size_t count = 0;
    for (const struct party_operation *const *list = lists; *list != NULL; list++)
        for (const struct party_operation *one = *list; one->name && count < G_N_ELEMENTS(names);
             one++)
            names[count++] = one->name;
    const char *nearest = param_nearest(name, names, count);
    if (!nearest)
        return lua_pushliteral(L, "; docs/use/programs.md lists its operations");
    return lua_pushfstring(L, "; did you mean \"%s\"? gpunetsim help me:%s explains it", nearest,
                           nearest);
}

/* __index of a party's object. Upvalue 1: the table of operations. */
static int party_index(lua_State *L)
{
    luaL_checkudata(L, 1, PARTY);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    const struct lua_party *party = party_of_object(L);
    if (party == NULL)
        script_fail(L, "the run of this party is over");
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {{"rank", party->place},
                  {"group", party->group},
                  {"ranks", party->world->places},
                  {"groups", party->world->groups}};
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
        if (strcmp(fields[i].name, name) == 0) {
            lua_pushinteger(L, fields[i].value);
            return 1;
        }
    script_fail(L, "a party has no \"%s\"%s", name, push_hint(L, name));
}

void program_push_party(lua_State *L, struct program_party *party)
{
    party_push(L, &party->lua, lists, party_index);
}
