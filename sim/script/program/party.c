/* SPDX-License-Identifier: BSD-3-Clause */
/* What a party may do: operations of workloads/transfer/transfer.h with their arguments in a table, checked before they
 * reach the simulation. */
#include <lauxlib.h>
#include <string.h>

#include "script/program/program_parts.h"

#define PARTY "gpunetsim.party"

/* What an operation costs a script beside what its Lua does. */
#define OPERATION_INSTRUCTIONS 20

/* --- arguments ---------------------------------------------------------------------------------- */

static int push_argument(lua_State *L, const char *key)
{
    lua_pushstring(L, key);
    return lua_rawget(L, 2);
}

int64_t party_whole(lua_State *L, const char *key, int64_t low, int64_t high, int64_t fallback)
{
    int is_whole = 0;
    int type = push_argument(L, key);
    if (type == LUA_TNIL && fallback == INT64_MIN)
        script_fail(L, "%s is missing", key);
    int64_t value = type == LUA_TNIL ? fallback : lua_tointegerx(L, -1, &is_whole);
    if (type != LUA_TNIL && (type != LUA_TNUMBER || !is_whole || value < low || value > high)) {
        const char *given = luaL_tolstring(L, -1, NULL);
        script_fail(L, "%s is %s; it is a whole number from %lld to %lld", key, given,
                    (long long)low, (long long)high);
    }
    lua_pop(L, 1);
    return value;
}

int64_t party_peer(lua_State *L, const char *key, const struct program *program)
{
    int is_whole;
    push_argument(L, key);
    lua_Integer place = lua_tointegerx(L, -1, &is_whole);
    lua_pop(L, 1);
    lua_Integer places = program_places(program);
    if (is_whole && place >= places)
        script_fail(
            L,
            "%s is %lld; it is a whole number from 0 to %lld: the nodes and gpus_per_node of "
            "program { ... } give more",
            key, place, places - 1);
    return party_whole(L, key, 0, places - 1, INT64_MIN);
}

int64_t party_quantity(lua_State *L, const char *key, enum unit_kind unit, int64_t fallback)
{
    GError *error = NULL;
    int type = push_argument(L, key);
    int64_t value = fallback;
    if (type != LUA_TSTRING && (type != LUA_TNIL || fallback == INT64_MIN))
        script_fail(L, "%s has to be a quantity with a unit, one of %s", key, unit_suffixes(unit));
    if (type == LUA_TSTRING && !unit_parse(lua_tostring(L, -1), unit, &value, &error)) {
        char text[256];
        g_snprintf(text, sizeof text, "%s: %s", key, error->message);
        g_error_free(error);
        script_fail(L, "%s", text);
    }
    if (value < 0)
        script_fail(L, "%s is negative", key);
    lua_pop(L, 1);
    return value;
}

bool party_flag(lua_State *L, const char *key)
{
    int type = push_argument(L, key);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        script_fail(L, "%s is true or false", key);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

static bool is_key(const char *key, const char *const *keys)
{
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0)
            return true;
    return false;
}

void party_check_keys(lua_State *L, const char *operation, const char *const *keys)
{
    if (!lua_istable(L, 2))
        script_fail(L, "%s needs a table, as in me:%s { %s = ... }", operation, operation, keys[0]);
    for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        if (key == NULL || !is_key(key, keys))
            script_fail(L, "%s has no \"%s\"%s", operation, key ? key : luaL_typename(L, -2),
                        script_push_suggestion(L, key ? key : "", keys,
                                               g_strv_length((char **)(uintptr_t)keys)));
    }
}

static int read_buffer(lua_State *L, const struct program_party *party)
{
    push_argument(L, "buffer");
    int number = program_buffer_at(L, -1, party->run->program, "buffer");
    lua_pop(L, 1);
    return number;
}

struct transfer_arguments party_transfer(lua_State *L, const struct program_party *party,
                                         const char *peer)
{
    const struct program *program = party->run->program;
    struct transfer_arguments transfer;
    transfer.place = party_peer(L, peer, program);
    transfer.group = party_whole(L, "group", 0, program->groups - 1, party->group);
    int number = read_buffer(L, party);
    int64_t most = program->buffers[number].bytes;
    transfer.bytes = party_quantity(L, "bytes", UNIT_BYTES, most);
    transfer.buffer = party->run->buffers[number];
    if (transfer.bytes < 1 || transfer.bytes > most)
        script_fail(L, "bytes: the buffer has 1 to %lld bytes", (long long)most);
    if (transfer.place == party->place && transfer.group == party->group)
        script_fail(L, "%s is the party itself", peer);
    return transfer;
}

struct signal_arguments {
    struct transfer_signals signals;
    int64_t index, value;
};

static struct signal_arguments read_signal(lua_State *L, const struct program_party *party,
                                           bool has_value)
{
    const struct program *program = party->run->program;
    push_argument(L, "signal");
    int number = program_signals_at(L, -1, program, "signal");
    lua_pop(L, 1);
    return (struct signal_arguments){
        party->run->signals[number],
        party_whole(L, "index", 0, program->signals[number] - 1, 0),
        has_value ? party_whole(L, "value", 0, INT64_MAX, 1) : 0,
    };
}

/* --- puts and gets ------------------------------------------------------------------------------ */

static int transfer(lua_State *L, struct program_party *party, const char *peer,
                    void (*act)(struct party *, int64_t, int64_t, struct transfer_buffer, int64_t))
{
    struct transfer_arguments with = party_transfer(L, party, peer);
    program_leave(party);
    act(party->party, with.place, with.group, with.buffer, with.bytes);
    return 0;
}

static int put(lua_State *L, struct program_party *party)
{
    return transfer(L, party, "to", transfer_put);
}

static int get(lua_State *L, struct program_party *party)
{
    return transfer(L, party, "from", transfer_get);
}

static int signalled(lua_State *L, struct program_party *party, const char *peer,
                     void (*act)(struct party *, int64_t, int64_t, struct transfer_buffer, int64_t,
                                 struct transfer_signals, int64_t, uint64_t))
{
    struct transfer_arguments with = party_transfer(L, party, peer);
    struct signal_arguments signal = read_signal(L, party, true);
    program_leave(party);
    act(party->party, with.place, with.group, with.buffer, with.bytes, signal.signals, signal.index,
        (uint64_t)signal.value);
    return 0;
}

static int put_signal(lua_State *L, struct program_party *party)
{
    return signalled(L, party, "to", transfer_put_signal);
}

static int wait_until(lua_State *L, struct program_party *party)
{
    return signalled(L, party, "from", transfer_wait_signal);
}

/* Of serve and leave, whose other party is called `key`. */
static int with_peer(lua_State *L, struct program_party *party, const char *key,
                     void (*act)(struct party *, int64_t, int64_t))
{
    const struct program *program = party->run->program;
    int64_t place = party_peer(L, key, program);
    int64_t group = party_whole(L, "group", 0, program->groups - 1, party->group);
    if (place == party->place && group == party->group)
        script_fail(L, "%s is the party itself", key);
    program_leave(party);
    act(party->party, place, group);
    return 0;
}

static int serve(lua_State *L, struct program_party *party)
{
    return with_peer(L, party, "from", transfer_serve);
}

static int leave(lua_State *L, struct program_party *party)
{
    return with_peer(L, party, "to", transfer_leave);
}

/* --- order, time and computing ------------------------------------------------------------------ */

static int quiet(lua_State *L, struct program_party *party)
{
    (void)L;
    program_leave(party);
    transfer_quiet(party->party);
    return 0;
}

static int fence(lua_State *L, struct program_party *party)
{
    (void)L;
    program_leave(party);
    transfer_fence(party->party);
    return 0;
}

static int barrier(lua_State *L, struct program_party *party)
{
    if (!party->run->program->spec.barrier)
        script_fail(L, "barrier needs program { barrier = true, ... }");
    if (party->run->program->spec.kernels > 0)
        script_fail(L, "barrier needs a program on all GPUs; here kernels says which have one");
    program_leave(party);
    transfer_barrier(party->party);
    return 0;
}

static int group_barrier(lua_State *L, struct program_party *party)
{
    if (!program_has_kernels(party->run->program) && party->run->program->groups > 1)
        script_fail(L, "ranks of a GPU are processes of their own, without a barrier");
    program_leave(party);
    transfer_group_barrier(party->party);
    return 0;
}

static void compute_loop(lua_State *L, struct program_party *party)
{
    static const char *const keys[] = {"elements",  "flops", "bytes", "working_set",
                                       "in_flight", "mixed", "lane",  NULL};
    party_check_keys(L, "compute", keys);
    struct transfer_loop loop = {
        .elements = party_whole(L, "elements", 0, INT64_C(1) << 40, INT64_MIN),
        .flops = party_whole(L, "flops", 0, 1 << 20, 0),
        .bytes = party_quantity(L, "bytes", UNIT_BYTES, 0),
        .working_set_bytes = party_quantity(L, "working_set", UNIT_BYTES, 0),
        .in_flight_bytes = party_quantity(L, "in_flight", UNIT_BYTES, 0),
        .is_mixed = party_flag(L, "mixed"),
        .groups = 1};
    int lane = (int)party_whole(L, "lane", 0, TRANSFER_LANES - 1, 0);
    if (loop.bytes > 1 << 20)
        script_fail(L, "bytes of an element are 1 MiB at most");
    program_leave(party);
    transfer_loop(party->party, lane, &loop);
    program_enter(party);
}

/* me:compute("1us"), or me:compute { elements, flops, bytes, working_set, in_flight, mixed, lane } */
static int compute(lua_State *L, struct program_party *party)
{
    int64_t duration_ps = 0;
    if (lua_istable(L, 2)) {
        compute_loop(L, party);
        return 0;
    }
    if (lua_type(L, 2) != LUA_TSTRING ||
        !unit_parse(lua_tostring(L, 2), UNIT_TIME, &duration_ps, NULL) || duration_ps < 0)
        script_fail(
            L,
            "compute needs a time such as \"1us\", or { elements = ..., flops = ..., bytes = ... }");
    program_leave(party);
    transfer_compute(party->party, duration_ps);
    return 0;
}

/* me:finish(lane) */
static int finish(lua_State *L, struct program_party *party)
{
    lua_Integer lane = luaL_optinteger(L, 2, 0);
    if (lane < 0 || lane >= TRANSFER_LANES)
        script_fail(L, "lanes are 0 to %d", TRANSFER_LANES - 1);
    program_leave(party);
    transfer_finish(party->party, (int)lane);
    return 0;
}

static int now(lua_State *L, struct program_party *party)
{
    char text[UNIT_TEXT_SIZE];
    lua_pushstring(L, unit_format(party_now(party->party), UNIT_TIME, text));
    return 1;
}

/* me:begin_iteration(), me:end_iteration(): of the party's place, for those who want to know where its time goes. Work-groups of a
 * place have that of their first one. */
static int begin_iteration(lua_State *L, struct program_party *party)
{
    if (party->is_iterating)
        script_fail(L, "an iteration begins before the one before has ended");
    party->is_iterating = true;
    if (party->group == 0)
        transfer_begin_iteration(party->party);
    return 0;
}

static int end_iteration(lua_State *L, struct program_party *party)
{
    if (!party->is_iterating)
        script_fail(L, "no iteration of this party has begun");
    party->is_iterating = false;
    if (party->group == 0)
        transfer_end_iteration(party->party, party_now(party->party));
    return 0;
}

/* me:reset(): a warm-up is over. */
static int reset(lua_State *L, struct program_party *party)
{
    (void)L;
    struct program_run *run = party->run;
    world_reset(run->world, party_now(party->party));
    records_reset(run);
    return 0;
}

/* --- words -------------------------------------------------------------------------------------- */

/* me:load { signal, index }: the party's own word. */
static int load(lua_State *L, struct program_party *party)
{
    struct signal_arguments signal = read_signal(L, party, false);
    program_leave(party);
    uint64_t word = transfer_load_word(party->party, signal.signals, signal.index);
    lua_pushinteger(L, (lua_Integer)word);
    return 1;
}

static int store(lua_State *L, struct program_party *party)
{
    struct signal_arguments signal = read_signal(L, party, true);
    program_leave(party);
    transfer_store_word(party->party, signal.signals, signal.index, (uint64_t)signal.value);
    return 0;
}

/* me:atomic { to, group, signal, index, op, value, compare }: changes a word of another party; what it was. */
static int atomic(lua_State *L, struct program_party *party)
{
    static const char *const ops[] = {"add", "swap", "compare_swap", NULL}; /* enum atomic_op */
    const struct program *program = party->run->program;
    int64_t place = party_peer(L, "to", program);
    int64_t group = party_whole(L, "group", 0, program->groups - 1, party->group);
    struct signal_arguments signal = read_signal(L, party, true);
    int64_t compare = party_whole(L, "compare", 0, INT64_MAX, 0);
    push_argument(L, "op");
    int op = 0;
    while (ops[op] != NULL && g_strcmp0(lua_tostring(L, -1), ops[op]) != 0)
        op++;
    if (ops[op] == NULL)
        script_fail(L, "op has to be \"add\", \"swap\" or \"compare_swap\"");
    if (place == party->place)
        script_fail(L, "atomic is of another place's word: to is the party's own");
    program_leave(party);
    uint64_t old = transfer_atomic(party->party, place, group, signal.signals, signal.index,
                                   (enum atomic_op)op, (uint64_t)signal.value, (uint64_t)compare);
    lua_pushinteger(L, (lua_Integer)old);
    return 1;
}

/* --- the object --------------------------------------------------------------------------------- */

static const struct party_operation operations[] = {
    {"put", put, NEEDS_QUEUE, KEYS("to", "group", "buffer", "bytes")},
    {"get", get, NEEDS_QUEUE, KEYS("from", "group", "buffer", "bytes")},
    {"begin_iteration", begin_iteration, 0, NO_KEYS},
    {"end_iteration", end_iteration, 0, NO_KEYS},
    {"send", message_send, NEEDS_QUEUE | NEEDS_CHANNELS,
     KEYS("to", "group", "buffer", "bytes", "channel")},
    {"receive", message_receive, NEEDS_QUEUE | NEEDS_CHANNELS,
     KEYS("from", "group", "buffer", "bytes", "channel")},
    {"wait", message_wait, 0, NO_KEYS},
    {"put_signal", put_signal, NEEDS_QUEUE,
     KEYS("to", "group", "buffer", "bytes", "signal", "index", "value")},
    {"fence", fence, NEEDS_QUEUE, NO_KEYS},
    {"wait_until", wait_until, NEEDS_QUEUE,
     KEYS("from", "group", "buffer", "bytes", "signal", "index", "value")},
    {"quiet", quiet, NEEDS_QUEUE, NO_KEYS},
    {"group_barrier", group_barrier, 0, NO_KEYS},
    {"serve", serve, 0, KEYS("from", "group")},
    {"leave", leave, 0, KEYS("to", "group")},
    {"barrier", barrier, NEEDS_QUEUE, NO_KEYS},
    {"compute", compute, 0, NO_KEYS},
    {"finish", finish, 0, NO_KEYS},
    {"now", now, 0, NO_KEYS},
    {"reset", reset, 0, NO_KEYS},
    {"record", party_record, 0, NO_KEYS},
    {"load", load, NEEDS_WORDS, KEYS("signal", "index")},
    {"store", store, NEEDS_WORDS, KEYS("signal", "index", "value")},
    {"atomic", atomic, NEEDS_QUEUE | NEEDS_WORDS,
     KEYS("to", "group", "signal", "index", "op", "value", "compare")},
    {NULL, NULL, 0, NO_KEYS},
};

/* --- calls -------------------------------------------------------------------------------------- */

static void check_queue(lua_State *L, const struct program_party *party)
{
    const struct program *program = party->run->program;
    bool is_kernel = program_has_kernels(program);
    if (is_kernel && program->spec.queues > 0 && party->group >= program->spec.queues)
        script_fail(L,
                    "work-group %lld has no queue: only the first %lld of a GPU have one (queues)",
                    (long long)party->group, (long long)program->spec.queues);
}

static void check_words(lua_State *L, const struct program_party *party, const char *operation)
{
    if (!world_has_words(party->run->world))
        script_fail(L, "%s is for work-groups: a rank's signals are messages", operation);
}

static struct program_party *party_at(lua_State *L)
{
    struct program_party **object = luaL_testudata(L, 1, PARTY);
    if (object == NULL)
        script_fail(L, "a party's operations are called with a colon, as in me:quiet()");
    if (*object == NULL || (*object)->L != L || (*object)->party == NULL)
        script_fail(L, "a party's operations are its own: this is not its function");
    return *object;
}

/* Fails if the party is none that may call the operation. */
static void check_needs(lua_State *L, const struct program_party *party,
                        const struct party_operation *operation)
{
    const struct program *program = party->run->program;
    if (party->captured != NULL && !(operation->needs & IN_GRAPH))
        script_fail(L, "a graph is a chain of kernels: its function can only launch them");
    if (operation->needs & NEEDS_RANK && program_has_kernels(program))
        script_fail(L, "%s is for ranks: a work-group has no streams", operation->name);
    if (operation->keys != NO_KEYS)
        party_check_keys(L, operation->name, operation->keys);
    if (operation->needs & NEEDS_WORDS)
        check_words(L, party, operation->name);
    if (operation->needs & NEEDS_QUEUE)
        check_queue(L, party);
    if (operation->needs & NEEDS_CHANNELS && !program->spec.channels)
        script_fail(L, "messages need channels: program { channels = true, ... }");
}

/* Upvalue 1: the operation. It leaves the script while it blocks (program_leave). */
static int call(lua_State *L)
{
    const struct party_operation *operation = lua_touserdata(L, lua_upvalueindex(1));
    struct program_party *party = party_at(L);
    sandbox_charge(L, OPERATION_INSTRUCTIONS);
    check_needs(L, party, operation);
    int results = operation->act(L, party);
    if (party->run->state->at == NULL)
        program_enter(party);
    return results;
}

static void add_operations(lua_State *L, const struct party_operation *operation)
{
    for (; operation->name != NULL; operation++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)operation);
        lua_pushcclosure(L, call, 1);
        lua_setfield(L, -2, operation->name);
    }
}

/* Pushes the operation that may have been meant, and where all of them are told. */
static const char *push_hint(lua_State *L, const char *name)
{
    const char *names[G_N_ELEMENTS(operations) + CUDA_OPERATIONS_MOST];
    size_t count = 0;
    for (const struct party_operation *one = operations; one->name; one++)
        names[count++] = one->name;
    for (const struct party_operation *one = cuda_operations;
         one->name && count < G_N_ELEMENTS(names); one++)
        names[count++] = one->name;
    const char *nearest = param_nearest(name, names, count);
    if (!nearest)
        return lua_pushliteral(L, "; docs/use/programs.md lists its operations");
    return lua_pushfstring(L, "; did you mean \"%s\"? gpunetsim help me:%s explains it", nearest,
                           nearest);
}

/* Upvalue 1: the table of operations. */
static int party_index(lua_State *L)
{
    struct program_party **object = luaL_checkudata(L, 1, PARTY);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    const struct program_party *party = *object;
    if (party == NULL)
        script_fail(L, "the run of this party is over");
    const struct program *program = party->run->program;
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {{"rank", party->place},
                  {"group", party->group},
                  {"ranks", program_places(program)},
                  {"groups", program->groups}};
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
        if (strcmp(fields[i].name, name) == 0) {
            lua_pushinteger(L, fields[i].value);
            return 1;
        }
    script_fail(L, "a party has no \"%s\"%s", name, push_hint(L, name));
}

void party_push(lua_State *L, struct program_party *party)
{
    struct program_party **object =
        lua_newuserdatauv(L, sizeof(struct program_party *), 2); /* messages, events */
    *object = party;
    party->object = object;
    lua_newtable(L);
    lua_setiuservalue(L, -2, 2);
    if (luaL_newmetatable(L, PARTY)) {
        lua_newtable(L);
        add_operations(L, operations);
        add_operations(L, cuda_operations);
        lua_pushcclosure(L, party_index, 1);
        lua_setfield(L, -2, "__index");
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
    }
    lua_setmetatable(L, -2);
}
