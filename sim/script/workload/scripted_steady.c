/* SPDX-License-Identifier: BSD-3-Clause */
/* run.steady { steps, window, tolerance }: workloads/patterns/steady_stop.h for the steps of one party. */
#include "protocols/shmem/service.h"
#include "script/workload/scripted_parts.h"
#include "workloads/patterns/steady_stop.h"

#define STEADY "gpunetsim.steady"

struct steady_stop *scripted_steady_at(lua_State *L, int index)
{
    return luaL_checkudata(L, index, STEADY);
}

static struct steady_stop *stop_at(lua_State *L)
{
    return scripted_steady_at(L, 1);
}

/* steady:begins(step) */
static int begins(lua_State *L)
{
    lua_pushboolean(L, steady_stop_begins(stop_at(L), luaL_checkinteger(L, 2)));
    return 1;
}

/* steady:start(time): the first step begins. */
static int start(lua_State *L)
{
    stop_at(L)->start_ps = luaL_checkinteger(L, 2);
    return 0;
}

/* steady:note(step, time): the step has ended. */
static int note(lua_State *L)
{
    const struct world *world = scripted_of(L)->world;
    const struct steady_step step = {
        .now_ps = luaL_checkinteger(L, 3),
        .stock = world_has_words(world) ? service_fresh_places(world_service(world)) : 0};
    steady_stop_note(stop_at(L), luaL_checkinteger(L, 2), 0, &step);
    return 0;
}

/* steady:steps(): how many steps have ended, the last step that parties do, how many steps were simulated. */
static int steps(lua_State *L)
{
    const struct steady_stop *stop = stop_at(L);
    lua_pushinteger(L, stop->ended);
    lua_pushinteger(L, stop->last);
    lua_pushinteger(L, steady_stop_simulated(stop));
    return 3;
}

/* steady:rest(): the time that the steps that were not simulated would have taken. */
static int rest(lua_State *L)
{
    lua_pushinteger(L, steady_stop_rest_ps(stop_at(L)));
    return 1;
}

/* steady:count_on(): tells observers which steps the others are like. */
static int count_on(lua_State *L)
{
    const struct observe_repeat repeat = steady_stop_repeat(stop_at(L));
    world_counted_on(scripted_of(L)->world, &repeat);
    return 0;
}

static int close_stop(lua_State *L)
{
    steady_stop_close(stop_at(L));
    return 0;
}

int scripted_steady(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"begins", begins}, {"start", start},       {"note", note},       {"steps", steps},
        {"rest", rest},     {"count_on", count_on}, {"__gc", close_stop}, {NULL, NULL}};
    lua_getfield(L, 1, "steps");
    lua_getfield(L, 1, "window");
    lua_getfield(L, 1, "tolerance");
    struct steady_stop *stop = lua_newuserdatauv(L, sizeof *stop, 0);
    steady_stop_open(stop, &(struct steady_setup){.steps = luaL_checkinteger(L, 2),
                                                  .parties = 1,
                                                  .window = luaL_checkinteger(L, 3),
                                                  .tolerance = luaL_checknumber(L, 4)});
    scripted_set_methods(L, STEADY, methods);
    return 1;
}
