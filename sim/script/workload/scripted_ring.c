/* SPDX-License-Identifier: BSD-3-Clause */
/* me:ring: the rings of an allreduce. */
#include "script/values/values.h"
#include "script/workload/scripted_parts.h"
#include "workloads/patterns/ring.h"

/* Arguments of me:ring on its stack. */
enum { PHASES_AT = 2, HAS_CHUNKS_AT, WORKING_SET_AT, IN_FLIGHT_AT, STOPS_AT, SENT_AT, RECEIVED_AT };

/* Reads the phase on top of the stack, and pops it. */
static struct ring_phase read_phase(lua_State *L)
{
    const struct ring_phase phase = {.members = lua_integer_field(L, -1, "members"),
                                     .position = lua_integer_field(L, -1, "position"),
                                     .next = lua_integer_field(L, -1, "next"),
                                     .before = lua_integer_field(L, -1, "before"),
                                     .first = lua_integer_field(L, -1, "first"),
                                     .end = lua_integer_field(L, -1, "last"),
                                     .block = lua_integer_field(L, -1, "block"),
                                     .chunk = lua_integer_field(L, -1, "chunk"),
                                     .reduces = lua_flag_field(L, -1, "reduces"),
                                     .is_chained = lua_flag_field(L, -1, "is_chained")};
    lua_pop(L, 1);
    return phase;
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

/* me:ring(phases, has_chunks, working_set, in_flight, stops, sent, received): the party's part of an allreduce (struct ring), with
 * buffer 1 and the phases of benchmarks/parts/rings.lua. `stops`: a list of run.steady for each
 * phase, or nil. The functions, or nil, are called for each message: sent(to, first, count), received(from, first, count,
 * reduces, step), with the range of its elements. */
int scripted_run_ring(lua_State *L, struct lua_party *party)
{
    struct ring ring = {.has_chunks = lua_toboolean(L, HAS_CHUNKS_AT),
                        .buffer = party->world->buffers[0].buffer,
                        .working_set_bytes = luaL_checkinteger(L, WORKING_SET_AT),
                        .in_flight_bytes = luaL_checkinteger(L, IN_FLIGHT_AT)};
    struct steady_stop *stops[RING_PHASES_MOST] = {NULL};
    const struct ring_listener listener = {sent, received, L};
    lua_settop(L, RECEIVED_AT);
    while (ring.count < RING_PHASES_MOST && lua_geti(L, PHASES_AT, ring.count + 1) == LUA_TTABLE)
        ring.phases[ring.count++] = read_phase(L);
    lua_settop(L, RECEIVED_AT);
    int phases = lua_istable(L, STOPS_AT) ? (int)lua_rawlen(L, STOPS_AT) : 0;
    for (int i = 0; i < phases; i++) {
        lua_geti(L, STOPS_AT, i + 1);
        stops[i] = scripted_steady_at(L, -1);
    }
    ring_run(party->party, &ring, phases > 0 ? stops : NULL,
             lua_isfunction(L, SENT_AT) ? &listener : NULL);
    return 0;
}
