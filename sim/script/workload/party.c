/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/workload/party.h"

#include <lauxlib.h>

#include "script/sandbox/sandbox.h"
#include "script/sandbox/watchdog.h"
#include "script/values/values.h"
#include "script/workload/scripted_parts.h"

#define WITH const struct party_arguments *with

/* --- the world ---------------------------------------------------------------------------------- */

struct world *lua_world_new(struct lua_world *names, const struct machine_spec *machine,
                            struct world_setup *setup, GError **error)
{
    setup->heap_bytes = 0;
    for (int i = 0; i < names->buffer_count; i++)
        setup->heap_bytes += transfer_heap_bytes(names->groups, names->buffers[i].bytes);
    for (int i = 0; i < names->signals_count; i++)
        setup->heap_bytes += transfer_signal_bytes(names->groups, names->signals[i].words);
    struct world *world = world_new(machine, setup, error);
    if (world == NULL)
        return NULL;
    for (int i = 0; i < names->buffer_count; i++)
        names->buffers[i].buffer =
            world_buffer(world, names->buffers[i].bytes, names->buffers[i].memory);
    for (int i = 0; i < names->signals_count; i++)
        names->signals[i].signals = world_signals(world, names->signals[i].words);
    return world;
}

/* --- order, time and computing ------------------------------------------------------------------ */

int party_loop(lua_State *L, struct lua_party *party, WITH)
{
    (void)L;
    transfer_loop(party->party, (int)with->lane, &with->loop);
    return 0;
}

static int compute_loop(lua_State *L, struct lua_party *party)
{
    static const uint8_t arguments[] = {ELEMENTS,  FLOPS, ELEMENT_BYTES, WORKING_SET,
                                        IN_FLIGHT, MIXED, LANE,          ARGUMENTS_END};
    struct party_arguments with = {.loop.groups = 1};
    party_check_keys(L, "compute", arguments);
    party_read(L, party, arguments, &with);
    party_leave(party);
    return party_loop(L, party, &with);
}

/* me:compute("1us"), or me:compute { elements, flops, bytes, working_set, in_flight, mixed, lane } */
static int compute(lua_State *L, struct lua_party *party)
{
    int64_t duration_ps = 0;
    if (lua_istable(L, 2))
        return compute_loop(L, party);
    if (party->world->is_exact)
        duration_ps = luaL_checkinteger(L, 2);
    else if (lua_type(L, 2) != LUA_TSTRING ||
             !unit_parse(lua_tostring(L, 2), UNIT_TIME, &duration_ps, NULL) || duration_ps < 0)
        script_fail(
            L,
            "compute needs a time such as \"1us\", or { elements = ..., flops = ..., bytes = ... }");
    party_leave(party);
    transfer_compute(party->party, duration_ps);
    return 0;
}

/* me:finish(lane) */
static int finish(lua_State *L, struct lua_party *party)
{
    lua_Integer lane = luaL_optinteger(L, 2, 0);
    if (lane < 0 || lane >= TRANSFER_LANES)
        script_fail(L, "lanes are 0 to %d", TRANSFER_LANES - 1);
    party_leave(party);
    transfer_finish(party->party, (int)lane);
    return 0;
}

/* me:begin_iteration(), me:end_iteration(): an iteration of the party's place, for listeners. Work-groups of a place have the
 * iterations of the first one. */
static int begin_iteration(lua_State *L, struct lua_party *party)
{
    if (party->is_iterating)
        script_fail(L, "an iteration begins before the one before has ended");
    party->is_iterating = true;
    if (party->group == 0)
        transfer_begin_iteration(party->party);
    return 0;
}

static int end_iteration(lua_State *L, struct lua_party *party)
{
    if (!party->is_iterating)
        script_fail(L, "no iteration of this party has begun");
    party->is_iterating = false;
    if (party->group == 0)
        transfer_end_iteration(party->party, party_now(party->party));
    return 0;
}

static int now(lua_State *L, struct lua_party *party)
{
    char text[UNIT_TEXT_SIZE];
    if (party->world->is_exact)
        lua_pushinteger(L, party_now(party->party));
    else
        lua_pushstring(L, unit_format(party_now(party->party), UNIT_TIME, text));
    return 1;
}

/* --- words -------------------------------------------------------------------------------------- */

/* me:load { signal, index }: loads the party's own word. */
static int load(lua_State *L, struct lua_party *party, WITH)
{
    uint64_t word = transfer_load_word(party->party, &with->what);
    lua_pushinteger(L, (lua_Integer)word);
    return 1;
}

/* me:atomic { to, group, signal, index, op, value, compare }: changes a word of another party; returns its old value. */
static int atomic(lua_State *L, struct lua_party *party, WITH)
{
    uint64_t old = transfer_atomic(party->party, &with->what);
    lua_pushinteger(L, (lua_Integer)old);
    return 1;
}

const struct party_operation party_operations[] = {
    {"put", NEEDS_QUEUE, ARGUMENTS(TO, GROUP, BUFFER, BYTES), .transfer = transfer_put},
    {"get", NEEDS_QUEUE, ARGUMENTS(FROM, GROUP, BUFFER, BYTES), .transfer = transfer_get},
    {"begin_iteration", 0, NO_ARGUMENTS, .call = begin_iteration},
    {"end_iteration", 0, NO_ARGUMENTS, .call = end_iteration},
    {"send", NEEDS_QUEUE | NEEDS_CHANNELS, ARGUMENTS(TO, GROUP, BUFFER, BYTES, CHANNEL),
     .call = message_send},
    {"receive", NEEDS_QUEUE | NEEDS_CHANNELS, ARGUMENTS(FROM, GROUP, BUFFER, BYTES, CHANNEL),
     .call = message_receive},
    {"wait", 0, NO_ARGUMENTS, .call = message_wait},
    {"put_signal", NEEDS_QUEUE, ARGUMENTS(TO, GROUP, BUFFER, BYTES, SIGNAL, INDEX, VALUE),
     .transfer = transfer_put_signal},
    {"fence", NEEDS_QUEUE, NO_ARGUMENTS, .alone = transfer_fence},
    {"wait_until", NEEDS_QUEUE, ARGUMENTS(FROM, GROUP, BUFFER, BYTES, SIGNAL, INDEX, VALUE),
     .transfer = transfer_wait_signal},
    {"quiet", NEEDS_QUEUE, NO_ARGUMENTS, .alone = transfer_quiet},
    {"group_barrier", NEEDS_PLACE, NO_ARGUMENTS, .alone = transfer_group_barrier},
    {"serve", 0, ARGUMENTS(FROM, GROUP), .transfer = transfer_serve},
    {"leave", 0, ARGUMENTS(TO, GROUP), .transfer = transfer_leave},
    {"barrier", NEEDS_QUEUE | NEEDS_BARRIER, NO_ARGUMENTS, .alone = transfer_barrier},
    {"compute", 0, NO_ARGUMENTS, .call = compute},
    {"finish", 0, NO_ARGUMENTS, .call = finish},
    {"now", 0, NO_ARGUMENTS, .call = now},
    {"load", NEEDS_WORDS, ARGUMENTS(SIGNAL, INDEX), .act = load},
    {"store", NEEDS_WORDS, ARGUMENTS(SIGNAL, INDEX, VALUE), .transfer = transfer_store_word},
    {"atomic", NEEDS_QUEUE | NEEDS_WORDS,
     ARGUMENTS(TO_OTHER, GROUP, SIGNAL, INDEX, OP, VALUE, COMPARE), .act = atomic},
    {.name = NULL},
};

/* --- calls -------------------------------------------------------------------------------------- */

void party_leave(struct lua_party *party)
{
    if (party->world->is_exact)
        return;
    watchdog_leave();
    sandbox_of(party->L)->at = NULL;
}

void party_enter(struct lua_party *party)
{
    if (party->world->is_exact)
        return;
    sandbox_of(party->L)->at = party->L;
    watchdog_enter();
}

struct lua_party *party_of_object(lua_State *L)
{
    return *(struct lua_party **)lua_touserdata(L, 1);
}

/* The party of a call. Upvalue 2: the metatable of parties. */
static struct lua_party *party_at(lua_State *L)
{
    bool is_party = lua_getmetatable(L, 1) && lua_rawequal(L, -1, lua_upvalueindex(2));
    if (!is_party)
        script_fail(L, "a party's operations are called with a colon, as in me:quiet()");
    lua_pop(L, 1);
    struct lua_party *party = party_of_object(L);
    if (party == NULL || party->L != L || party->party == NULL)
        script_fail(L, "a party's operations are its own: this is not its function");
    return party;
}

static int act(lua_State *L, struct lua_party *lua, const struct party_operation *operation)
{
    struct party *party = lua->party;
    struct party_arguments read = {.loop.groups = 1}, *with = &read;
    party_read(L, lua, operation->arguments, with);
    party_leave(lua);
    if (operation->act != NULL)
        return operation->act(L, lua, with);
    if (operation->alone != NULL)
        operation->alone(party);
    else
        operation->transfer(party, &with->what);
    return 0;
}

/* Calls an operation, upvalue 1, which leaves the script while it blocks. */
static int call(lua_State *L)
{
    const struct party_operation *operation = lua_touserdata(L, lua_upvalueindex(1));
    struct lua_party *party = party_at(L);
    if (party->world->check != NULL)
        party->world->check(L, party, operation);
    int results = operation->call != NULL ? operation->call(L, party) : act(L, party, operation);
    party_enter(party);
    return results;
}

/* Pushes the __index of the metatable on top of the stack: a function that knows the methods, or their table itself. */
static void push_methods(lua_State *L, const struct party_operation *const *lists,
                         lua_CFunction index)
{
    lua_newtable(L);
    for (; *lists != NULL; lists++)
        for (const struct party_operation *one = *lists; one->name != NULL; one++) {
            lua_pushlightuserdata(L, (void *)(uintptr_t)one);
            lua_pushvalue(L, -3);
            lua_pushcclosure(L, call, 2);
            lua_setfield(L, -2, one->name);
        }
    if (index != NULL)
        lua_pushcclosure(L, index, 1);
}

void party_push(lua_State *L, struct lua_party *party, const struct party_operation *const *lists,
                lua_CFunction index)
{
    struct lua_party **object =
        lua_newuserdatauv(L, sizeof(struct lua_party *), 2); /* messages, events */
    *object = party;
    party->object = object;
    lua_newtable(L);
    lua_setiuservalue(L, -2, 2);
    if (luaL_newmetatable(L, PARTY)) {
        push_methods(L, lists, index);
        lua_setfield(L, -2, "__index");
        lua_set_flag(L, "__metatable", 0);
    }
    lua_setmetatable(L, -2);
}
