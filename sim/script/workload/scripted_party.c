/* SPDX-License-Identifier: BSD-3-Clause */
/* What a party may do: functions of workloads/transfer/transfer.h, as methods of what a file calls `me`. Buffers and signals are known
 * by their numbers; -1 is the buffer that the lines of signals 1 make, and so on. */
#include "core/simtime.h"
#include "script/workload/scripted_parts.h"

#define PARTY "gpunetsim.work"
#define MESSAGES "gpunetsim.messages"

static struct party *party_at(lua_State *L)
{
    return *(struct party **)luaL_checkudata(L, 1, PARTY);
}

static struct transfer_signals signals_at(lua_State *L, int index)
{
    lua_Integer number = luaL_checkinteger(L, index);
    luaL_argcheck(L, number >= 1 && number <= SCRIPTED_BUFFERS, index, "no signals");
    return scripted_of(L)->signals[number - 1];
}

static struct transfer_buffer buffer_at(lua_State *L, int index)
{
    lua_Integer number = luaL_checkinteger(L, index);
    luaL_argcheck(L, number != 0 && ABS(number) <= SCRIPTED_BUFFERS, index, "no buffer");
    if (number < 0)
        return transfer_lines(scripted_of(L)->signals[-number - 1]);
    return scripted_of(L)->buffers[number - 1];
}

/* --- puts and gets: me:put(place, group, buffer, bytes) and its like ----------------------------- */

typedef void transfer_call(struct party *party, int64_t place, int64_t group,
                           struct transfer_buffer buffer, int64_t bytes);

static int call(lua_State *L, transfer_call *function)
{
    function(party_at(L), luaL_checkinteger(L, 2), luaL_checkinteger(L, 3), buffer_at(L, 4),
             luaL_checkinteger(L, 5));
    return 0;
}

static int get(lua_State *L)
{
    return call(L, transfer_get);
}

static int put(lua_State *L)
{
    return call(L, transfer_put);
}

static int post_get(lua_State *L)
{
    return call(L, transfer_post_get);
}

static int post_put(lua_State *L)
{
    return call(L, transfer_post_put);
}

/* me:post_put_lanes(place, group, buffer, bytes, lanes) */
static int post_put_lanes(lua_State *L)
{
    transfer_post_put_lanes(party_at(L), luaL_checkinteger(L, 2), luaL_checkinteger(L, 3),
                            buffer_at(L, 4), luaL_checkinteger(L, 5), luaL_checkinteger(L, 6));
    return 0;
}

/* me:put_signal(place, group, buffer, bytes, signals, index, value) and its like */
typedef void signal_call(struct party *party, int64_t place, int64_t group,
                         struct transfer_buffer buffer, int64_t bytes,
                         struct transfer_signals signals, int64_t index, uint64_t value);

static int call_signal(lua_State *L, signal_call *function)
{
    function(party_at(L), luaL_checkinteger(L, 2), luaL_checkinteger(L, 3), buffer_at(L, 4),
             luaL_checkinteger(L, 5), signals_at(L, 6), luaL_checkinteger(L, 7),
             (uint64_t)luaL_checkinteger(L, 8));
    return 0;
}

static int put_signal(lua_State *L)
{
    return call_signal(L, transfer_put_signal);
}

static int post_put_signal(lua_State *L)
{
    return call_signal(L, transfer_post_put_signal);
}

static int wait_signal(lua_State *L)
{
    return call_signal(L, transfer_wait_signal);
}

/* me:serve(place, group), me:leave(place, group) */
static int serve(lua_State *L)
{
    transfer_serve(party_at(L), luaL_checkinteger(L, 2), luaL_checkinteger(L, 3));
    return 0;
}

static int leave(lua_State *L)
{
    transfer_leave(party_at(L), luaL_checkinteger(L, 2), luaL_checkinteger(L, 3));
    return 0;
}

/* me:nop(); me:nops(count): posted together. */
static int nop(lua_State *L)
{
    transfer_nop(party_at(L));
    return 0;
}

static int nops(lua_State *L)
{
    transfer_nops(party_at(L), luaL_checkinteger(L, 2));
    return 0;
}

/* --- words ---------------------------------------------------------------------------------------- */

/* me:put_word(place, group, signals, index, value) */
static int put_word(lua_State *L)
{
    transfer_put_word(party_at(L), luaL_checkinteger(L, 2), luaL_checkinteger(L, 3),
                      signals_at(L, 4), luaL_checkinteger(L, 5), (uint64_t)luaL_checkinteger(L, 6));
    return 0;
}

/* me:load(signals, index), me:store(signals, index, value): the party's own word. */
static int load(lua_State *L)
{
    uint64_t word = transfer_load_word(party_at(L), signals_at(L, 2), luaL_checkinteger(L, 3));
    lua_pushinteger(L, (lua_Integer)word);
    return 1;
}

static int store(lua_State *L)
{
    transfer_store_word(party_at(L), signals_at(L, 2), luaL_checkinteger(L, 3),
                        (uint64_t)luaL_checkinteger(L, 4));
    return 0;
}

/* --- messages ------------------------------------------------------------------------------------- */

/* me:messages(most) */
static int new_messages(lua_State *L)
{
    size_t bytes = (size_t)luaL_checkinteger(L, 2) * sizeof(struct message);
    memset(lua_newuserdatauv(L, bytes, 0), 0, bytes);
    return 1;
}

/* me:send(messages, number, place, group, channel, buffer, bytes), me:receive(...): message `number`, from 0 on. */
static int exchange(lua_State *L, bool is_send)
{
    struct message *message = (struct message *)lua_touserdata(L, 2) + luaL_checkinteger(L, 3);
    (is_send ? transfer_send : transfer_receive)(
        party_at(L), message, luaL_checkinteger(L, 4), luaL_checkinteger(L, 5),
        (int32_t)luaL_checkinteger(L, 6), buffer_at(L, 7), luaL_checkinteger(L, 8));
    return 0;
}

static int send(lua_State *L)
{
    return exchange(L, true);
}

static int receive(lua_State *L)
{
    return exchange(L, false);
}

/* me:wait(messages, count), me:wait_received(messages, count): for the first ones. */
static int wait(lua_State *L)
{
    transfer_wait(party_at(L), lua_touserdata(L, 2), (size_t)luaL_checkinteger(L, 3));
    return 0;
}

static int wait_received(lua_State *L)
{
    transfer_wait_received(party_at(L), lua_touserdata(L, 2), (size_t)luaL_checkinteger(L, 3));
    return 0;
}

/* --- order and time ------------------------------------------------------------------------------- */

static int quiet(lua_State *L)
{
    transfer_quiet(party_at(L));
    return 0;
}

static int fence(lua_State *L)
{
    transfer_fence(party_at(L));
    return 0;
}

static int barrier(lua_State *L)
{
    transfer_barrier(party_at(L));
    return 0;
}

static int group_barrier(lua_State *L)
{
    transfer_group_barrier(party_at(L));
    return 0;
}

/* me:begin_repeat(is_whole) */
static int begin_repeat(lua_State *L)
{
    transfer_begin_repeat(party_at(L), lua_toboolean(L, 2));
    return 0;
}

/* me:compute(time) */
static int compute(lua_State *L)
{
    transfer_compute(party_at(L), luaL_checkinteger(L, 2));
    return 0;
}

/* me:loop(lane, elements, flops, bytes, working_set, groups); me:finish(lane) */
static int loop(lua_State *L)
{
    const struct transfer_loop over = {.elements = luaL_checkinteger(L, 3),
                                       .flops = luaL_checkinteger(L, 4),
                                       .bytes = luaL_checkinteger(L, 5),
                                       .working_set_bytes = luaL_checkinteger(L, 6),
                                       .groups = luaL_checkinteger(L, 7)};
    transfer_loop(party_at(L), (int)luaL_checkinteger(L, 2), &over);
    return 0;
}

static int finish(lua_State *L)
{
    transfer_finish(party_at(L), (int)luaL_checkinteger(L, 2));
    return 0;
}

static int begin_iteration(lua_State *L)
{
    transfer_begin_iteration(party_at(L));
    return 0;
}

static int end_iteration(lua_State *L)
{
    transfer_end_iteration(party_at(L), party_now(party_at(L)));
    return 0;
}

static int now(lua_State *L)
{
    lua_pushinteger(L, party_now(party_at(L)));
    return 1;
}

/* me:sleep(reason), until another one calls me:wake_all(). Neither takes time. */
static int sleep_until_woken(lua_State *L)
{
    signal_wait(&scripted_of(L)->meeting, party_process(party_at(L)),
                g_intern_string(luaL_checkstring(L, 2)));
    return 0;
}

static int wake_all(lua_State *L)
{
    signal_all(&scripted_of(L)->meeting);
    return 0;
}

/* --- the party ------------------------------------------------------------------------------------ */

static void push_party(lua_State *L, struct party *party)
{
    static const luaL_Reg methods[] = {{"get", get},
                                       {"put", put},
                                       {"post_get", post_get},
                                       {"post_put", post_put},
                                       {"post_put_lanes", post_put_lanes},
                                       {"put_signal", put_signal},
                                       {"post_put_signal", post_put_signal},
                                       {"wait_signal", wait_signal},
                                       {"serve", serve},
                                       {"leave", leave},
                                       {"nop", nop},
                                       {"nops", nops},
                                       {"put_word", put_word},
                                       {"load", load},
                                       {"store", store},
                                       {"messages", new_messages},
                                       {"send", send},
                                       {"receive", receive},
                                       {"wait", wait},
                                       {"wait_received", wait_received},
                                       {"quiet", quiet},
                                       {"fence", fence},
                                       {"barrier", barrier},
                                       {"group_barrier", group_barrier},
                                       {"begin_repeat", begin_repeat},
                                       {"compute", compute},
                                       {"loop", loop},
                                       {"finish", finish},
                                       {"begin_iteration", begin_iteration},
                                       {"end_iteration", end_iteration},
                                       {"now", now},
                                       {"sleep", sleep_until_woken},
                                       {"wake_all", wake_all},
                                       {NULL, NULL}};
    struct party **object = lua_newuserdatauv(L, sizeof(struct party *), 0);
    *object = party;
    scripted_set_methods(L, PARTY, methods);
}

static int push_arguments(lua_State *L, void *argument)
{
    struct party *party = argument;
    push_party(L, party);
    lua_pushinteger(L, party->place);
    lua_pushinteger(L, party->group);
    return 3;
}

void scripted_party(struct party *party, void *argument)
{
    struct scripted *run = argument;
    scripted_call(run, run->program, push_arguments, party);
}
