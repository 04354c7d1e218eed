/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of operations, checked before they reach the simulation. */
#include <lauxlib.h>
#include <stddef.h>
#include <string.h>

#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"
#include "script/workload/party.h"

/* The name of an argument, and the values that it may have. */
struct argument {
    enum {
        IS_WHOLE,
        IS_BYTES, /* a quantity */
        IS_FLAG,
        IS_PEER,
        IS_PLACE, /* another party's */
        IS_GROUP,
        IS_BUFFER,
        IS_SIZE, /* of the buffer, or less */
        IS_SIGNAL,
        IS_INDEX,
        IS_OP,
        IS_READ_ELSEWHERE,
    } kind;
    const char *key;
    int64_t low, high, fallback; /* INT64_MIN: the argument is required */
    size_t offset;               /* of its field in struct party_arguments */
};

#define WHOLE(key, field, low, high, fallback)                                                     \
    {                                                                                              \
        IS_WHOLE, key, low, high, fallback, offsetof(struct party_arguments, field)                \
    }
#define SIZE(key, field, high)                                                                     \
    {                                                                                              \
        IS_BYTES, key, 0, high, 0, offsetof(struct party_arguments, field)                         \
    }
static const struct argument rows[] = {
    [TO] = {.kind = IS_PEER, .key = "to"},
    [FROM] = {.kind = IS_PEER, .key = "from"},
    [TO_OTHER] = {.kind = IS_PLACE, .key = "to"},
    [GROUP] = {.kind = IS_GROUP, .key = "group"},
    [BUFFER] = {.kind = IS_BUFFER, .key = "buffer"},
    [BYTES] = {.kind = IS_SIZE, .key = "bytes"},
    [SIGNAL] = {.kind = IS_SIGNAL, .key = "signal"},
    [INDEX] = {.kind = IS_INDEX, .key = "index"},
    [VALUE] = WHOLE("value", what.value, 0, INT64_MAX, 1),
    [CHANNEL] = WHOLE("channel", what.channel, 0, TRANSFER_CHANNELS - 1, 0),
    [LANES] = WHOLE("lanes", what.lanes, 1, 64, INT64_MIN),
    [COUNT] = WHOLE("count", count, 0, INT64_MAX, INT64_MIN),
    [COMPARE] = WHOLE("compare", what.compare, 0, INT64_MAX, 0),
    [OP] = {.kind = IS_OP, .key = "op"},
    [LANE] = WHOLE("lane", lane, 0, TRANSFER_LANES - 1, 0),
    [ELEMENTS] = WHOLE("elements", loop.elements, 0, INT64_C(1) << 40, INT64_MIN),
    [FLOPS] = WHOLE("flops", loop.flops, 0, 1 << 20, 0),
    [ELEMENT_BYTES] = SIZE("bytes", loop.bytes, 1 << 20),
    [WORKING_SET] = SIZE("working_set", loop.working_set_bytes, INT64_MAX),
    [LOOP_GROUPS] = WHOLE("groups", loop.groups, 1, INT64_MAX, 1),
    [IN_FLIGHT] = SIZE("in_flight", loop.in_flight_bytes, INT64_MAX),
    [MIXED] = {.kind = IS_FLAG, .key = "mixed"},
    [TO_BUFFER] = {.kind = IS_READ_ELSEWHERE, .key = "to"},
    [FROM_BUFFER] = {.kind = IS_READ_ELSEWHERE, .key = "from"},
    [TO_RANK] = {.kind = IS_READ_ELSEWHERE, .key = "to_rank"},
    [FROM_RANK] = {.kind = IS_READ_ELSEWHERE, .key = "from_rank"},
    [COPIED] = {.kind = IS_READ_ELSEWHERE, .key = "bytes"},
    [KERNEL_FLOPS] = {.kind = IS_READ_ELSEWHERE, .key = "flops"},
    [WORK_GROUPS] = {.kind = IS_READ_ELSEWHERE, .key = "work_groups"},
    [THREADS] = {.kind = IS_READ_ELSEWHERE, .key = "threads"},
    [TIME] = {.kind = IS_READ_ELSEWHERE, .key = "time"},
    [ON_STREAM] = {.kind = IS_READ_ELSEWHERE, .key = "stream"},
    [OF_GRAPH] = {.kind = IS_READ_ELSEWHERE, .key = "graph"},
};

/* --- values ------------------------------------------------------------------------------------- */

static int push_argument(lua_State *L, const char *key)
{
    lua_pushstring(L, key);
    lua_rawget(L, 2);
    return lua_gettop(L);
}

static int64_t whole_at(lua_State *L, int index, const char *key, int64_t low, int64_t high,
                        int64_t fallback)
{
    int is_whole = 0;
    int type = lua_type(L, index);
    if (type <= LUA_TNIL && fallback == INT64_MIN)
        script_fail(L, "%s is missing", key);
    if (type <= LUA_TNIL)
        return fallback;
    int64_t value = lua_tointegerx(L, index, &is_whole);
    if (type != LUA_TNUMBER || !is_whole || value < low || value > high) {
        const char *given = luaL_tolstring(L, index, NULL);
        script_fail_at(L, &key, 1, "%s is %s; it is a whole number from %lld to %lld", key, given,
                       (long long)low, (long long)high);
    }
    return value;
}

int64_t party_whole(lua_State *L, const char *key, int64_t low, int64_t high, int64_t fallback)
{
    int64_t value = whole_at(L, push_argument(L, key), key, low, high, fallback);
    lua_pop(L, 1);
    return value;
}

static int64_t quantity_at(lua_State *L, int index, const char *key, enum unit_kind unit,
                           int64_t fallback)
{
    GError *error = NULL;
    int type = lua_type(L, index);
    int64_t value = fallback;
    if (type != LUA_TSTRING && (type > LUA_TNIL || fallback == INT64_MIN))
        script_fail_at(L, &key, 1, "%s has to be a quantity with a unit, one of %s", key,
                       unit_suffixes(unit));
    if (type == LUA_TSTRING && !unit_parse(lua_tostring(L, index), unit, &value, &error)) {
        g_prefix_error(&error, "%s: ", key);
        script_fail_error_at(L, &key, 1, error);
    }
    if (value < 0)
        script_fail_at(L, &key, 1, "%s is negative", key);
    return value;
}

int64_t party_quantity(lua_State *L, const char *key, enum unit_kind unit, int64_t fallback)
{
    int64_t value = quantity_at(L, push_argument(L, key), key, unit, fallback);
    lua_pop(L, 1);
    return value;
}

static bool flag_at(lua_State *L, int index, const char *key)
{
    int type = lua_type(L, index);
    if (type > LUA_TNIL && type != LUA_TBOOLEAN)
        script_fail(L, "%s is true or false", key);
    return lua_toboolean(L, index);
}

/* --- buffers and signals of a program ----------------------------------------------------------- */

struct part {
    uint64_t world; /* its serial */
    int number;
};

void lua_push_part(lua_State *L, const struct lua_world *world, int number, const char *type)
{
    struct part *part = lua_newuserdatauv(L, sizeof *part, 0);
    *part = (struct part){world->serial, number};
    library_set_metatable(L, type, NULL);
}

static int part_at(lua_State *L, int index, const struct lua_world *world, const char *type,
                   const char *what, const char *key)
{
    const struct part *part = luaL_testudata(L, index, type);
    if (part == NULL)
        script_fail(L, "%s has to be %s, not a %s", key, what, luaL_typename(L, index));
    if (part->world != world->serial)
        script_fail(L, "%s is of another program", key);
    return part->number;
}

int lua_buffer_at(lua_State *L, int index, const struct lua_world *world, const char *key)
{
    return part_at(L, index, world, LUA_BUFFER, "what w:buffer gave", key);
}

/* Reads a buffer: its number, and the most bytes of a transfer. */
static int64_t read_buffer(lua_State *L, int index, const struct lua_world *world,
                           struct transfer_buffer *buffer)
{
    int64_t number = !world->is_exact ? lua_buffer_at(L, index, world, "buffer") + 1
                                      : whole_at(L, index, "buffer", -world->signals_count,
                                                 world->buffer_count, INT64_MIN);
    if (number == 0)
        script_fail(L, "buffer is 0; buffers have numbers from 1 on");
    if (number < 0) {
        *buffer = transfer_lines(world->signals[-number - 1].signals);
        return INT64_MAX;
    }
    *buffer = world->buffers[number - 1].buffer;
    return world->buffers[number - 1].bytes;
}

/* Reads signals; returns their number of words. */
static int64_t read_signals(lua_State *L, int index, const struct lua_world *world,
                            struct transfer_signals *signals)
{
    int64_t number = world->is_exact
                         ? whole_at(L, index, "signal", 1, world->signals_count, INT64_MIN) - 1
                         : part_at(L, index, world, LUA_SIGNAL, "what w:signals gave", "signal");
    *signals = world->signals[number].signals;
    return world->signals[number].words;
}

static int64_t read_bytes(lua_State *L, int index, const struct lua_world *world, int64_t most)
{
    int64_t bytes = world->is_exact ? whole_at(L, index, "bytes", 0, INT64_MAX, INT64_MIN)
                                    : quantity_at(L, index, "bytes", UNIT_BYTES, most);
    if (bytes < 1 || bytes > most)
        script_fail(L, "bytes: the buffer has 1 to %lld bytes", (long long)most);
    return bytes;
}

static int64_t read_peer(lua_State *L, int index, const struct lua_world *world, const char *key)
{
    if (!world->is_exact && lua_isinteger(L, index) && lua_tointeger(L, index) >= world->places)
        script_fail(
            L,
            "%s is %lld; it is a whole number from 0 to %lld: the nodes and gpus_per_node of "
            "program { ... } give more",
            key, (long long)lua_tointeger(L, index), (long long)world->places - 1);
    return whole_at(L, index, key, 0, world->places - 1, INT64_MIN);
}

static enum atomic_op read_op(lua_State *L, int index)
{
    static const char *const ops[] = {"add", "swap", "compare_swap", NULL}; /* enum atomic_op */
    int64_t op = 0;
    while (ops[op] != NULL && g_strcmp0(lua_tostring(L, index), ops[op]) != 0)
        op++;
    if (ops[op] == NULL)
        script_fail(L, "op has to be \"add\", \"swap\" or \"compare_swap\"");
    return (enum atomic_op)op;
}

/* --- all of an operation ------------------------------------------------------------------------ */

/* Reads a whole number or a quantity into its place in the arguments. */
static void read_number(lua_State *L, int index, const struct argument *row, bool is_exact,
                        struct party_arguments *with)
{
    int64_t *field = (int64_t *)(void *)((char *)with + row->offset);
    *field = row->kind == IS_WHOLE || is_exact
                 ? whole_at(L, index, row->key, row->low, row->high, row->fallback)
                 : quantity_at(L, index, row->key, UNIT_BYTES, row->fallback);
    if (*field > row->high)
        script_fail(L, "%s of an element are 1 MiB at most", row->key);
}

/* Reads an argument. `most`: the largest number of bytes, or the largest index. */
static void read_argument(lua_State *L, int index, const struct lua_party *party,
                          const struct argument *row, int64_t *most, struct party_arguments *with)
{
    struct lua_world *world = party->world;
    switch (row->kind) {
    case IS_WHOLE:
    case IS_BYTES:
        read_number(L, index, row, world->is_exact, with);
        break;
    case IS_FLAG:
        with->loop.is_mixed = flag_at(L, index, row->key);
        break;
    case IS_PEER:
    case IS_PLACE:
        with->what.place = read_peer(L, index, world, row->key);
        if (row->kind == IS_PLACE && with->what.place == party->place)
            script_fail(L, "atomic is of another place's word: to is the party's own");
        break;
    case IS_GROUP:
        with->what.group = whole_at(L, index, row->key, 0, world->groups - 1, party->group);
        break;
    case IS_BUFFER:
        *most = read_buffer(L, index, world, &with->what.buffer);
        break;
    case IS_SIZE:
        with->what.bytes = read_bytes(L, index, world, *most);
        break;
    case IS_SIGNAL:
        *most = read_signals(L, index, world, &with->what.signals);
        break;
    case IS_INDEX:
        with->what.index = whole_at(L, index, row->key, 0, *most - 1, 0);
        break;
    case IS_OP:
        with->what.op = read_op(L, index);
        break;
    case IS_READ_ELSEWHERE:
        break;
    }
}

void party_read(lua_State *L, const struct lua_party *party, const uint8_t *arguments,
                struct party_arguments *with)
{
    bool is_exact = party->world->is_exact;
    const struct argument *peer = &rows[arguments[0]];
    int64_t most = INT64_MAX;
    for (int i = 0; arguments[i] != ARGUMENTS_END; i++) {
        const struct argument *row = &rows[arguments[i]];
        int index = is_exact ? i + 2 : push_argument(L, row->key);
        read_argument(L, index, party, row, &most, with);
        if (!is_exact)
            lua_pop(L, 1);
    }
    if (peer->kind == IS_PEER && with->what.place == party->place &&
        with->what.group == party->group)
        script_fail(L, "%s is the party itself", peer->key);
}

static bool is_key(const char *key, const char *const *keys)
{
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0)
            return true;
    return false;
}

void party_check_keys(lua_State *L, const char *operation, const uint8_t *arguments)
{
    const char *keys[G_N_ELEMENTS(rows)] = {NULL};
    size_t count = 0;
    for (; arguments[count] != ARGUMENTS_END; count++)
        keys[count] = rows[arguments[count]].key;
    if (!lua_istable(L, 2))
        script_fail(L, "%s needs a table, as in me:%s { %s = ... }", operation, operation, keys[0]);
    for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        if (key == NULL || !is_key(key, keys))
            script_fail(L, "%s has no \"%s\"%s", operation, key ? key : luaL_typename(L, -2),
                        script_push_suggestion(L, key ? key : "", keys, count));
    }
}
