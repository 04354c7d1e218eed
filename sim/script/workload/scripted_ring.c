/* SPDX-License-Identifier: BSD-3-Clause */
/* run.ring and me:ring: the rings of an allreduce. */
#include "script/values/values.h"
#include "script/workload/scripted_parts.h"
#include "workloads/patterns/ring.h"

#define RING "gpunetsim.ring"

/* Arguments of me:ring on its stack. */
enum { RING_AT = 2, STOPS_AT, SENT_AT, RECEIVED_AT };

/* run.ring { places, gpus, rotates, hierarchical, elements, slice, chunk, working_set }: a ring with the fields of struct
 * ring_plan. Returns it, the elements of its longest message, and a list of the steps of each phase. */
int scripted_ring(lua_State *L)
{
    struct ring *ring = lua_newuserdatauv(L, sizeof *ring, 0);
    struct ring_phase phases[RING_PHASES_MOST];
    ring->working_set_bytes = lua_integer_field(L, 1, "working_set");
    ring->plan = (struct ring_plan){.places = lua_integer_field(L, 1, "places"),
                                    .gpus = lua_integer_field(L, 1, "gpus"),
                                    .rotates = lua_flag_field(L, 1, "rotates"),
                                    .is_hierarchical = lua_flag_field(L, 1, "hierarchical"),
                                    .elements = lua_integer_field(L, 1, "elements"),
                                    .slice = lua_integer_field(L, 1, "slice"),
                                    .chunk = lua_integer_field(L, 1, "chunk")};
    luaL_newmetatable(L, RING);
    lua_setmetatable(L, -2);
    int count = ring_phases(&ring->plan, 0, 0, phases);
    lua_pushinteger(L, phases[0].chunk);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushinteger(L, ring_phase_steps(&phases[i]));
        lua_seti(L, -2, i + 1);
    }
    return 3;
}

static void push_range(lua_State *L, int64_t place, struct ring_range range)
{
    lua_pushinteger(L, place);
    lua_pushinteger(L, range.first);
    lua_pushinteger(L, range.count);
}

static void sent(void *L, int64_t to, struct ring_range range)
{
    lua_pushvalue(L, SENT_AT);
    push_range(L, to, range);
    lua_call(L, 3, 0);
}

static void received(void *L, int64_t from, struct ring_range range, bool reduces, int64_t step)
{
    lua_pushvalue(L, RECEIVED_AT);
    push_range(L, from, range);
    lua_pushboolean(L, reduces);
    lua_pushinteger(L, step);
    lua_call(L, 5, 0);
}

/* me:ring(ring, stops, sent, received): the party's part of an allreduce, with buffer 1. `stops`: a list of run.steady for each
 * phase, or nil. The functions, or nil, are called for each message: sent(to, first, count), received(from, first, count,
 * reduces, step), with the range of its elements. */
int scripted_run_ring(lua_State *L, struct lua_party *party)
{
    struct ring *ring = luaL_checkudata(L, RING_AT, RING);
    struct steady_stop *stops[RING_PHASES_MOST] = {NULL};
    const struct ring_listener listener = {sent, received, L};
    lua_settop(L, RECEIVED_AT);
    int phases = lua_istable(L, STOPS_AT) ? (int)lua_rawlen(L, STOPS_AT) : 0;
    for (int i = 0; i < phases; i++) {
        lua_geti(L, STOPS_AT, i + 1);
        stops[i] = scripted_steady_at(L, -1);
    }
    ring->buffer = party->world->buffers[0].buffer;
    ring_run(party->party, ring, phases > 0 ? stops : NULL,
             lua_isfunction(L, SENT_AT) ? &listener : NULL);
    return 0;
}
