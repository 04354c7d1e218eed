/* SPDX-License-Identifier: BSD-3-Clause */
/* Between two instructions a C function may walk a text or a list of any length. Each pays for that
 * with instructions, so that a loop of such calls ends where a loop of Lua's own would. */
#include "script/sandbox/guard.h"

#include <glib.h>
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "script/sandbox/modules.h"
#include "script/sandbox/sandbox.h"

int guard_call_original(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

void guard_field(lua_State *L, const char *name, lua_CFunction guard, int extra)
{
    lua_getfield(L, -1, name);
    lua_pushinteger(L, extra);
    lua_pushcclosure(L, guard, 2);
    lua_setfield(L, -2, name);
}

#define BYTES_PER_INSTRUCTION 16

/* More entries than fit the memory limit. */
#define LIST_LIMIT ((lua_Integer)SANDBOX_MEMORY_MIB * 65536)

/* Functions whose work grows with their first argument, a text. */
static int walk_text(lua_State *L)
{
    size_t length = 0;
    if (lua_type(L, 1) == LUA_TSTRING)
        length = lua_rawlen(L, 1);
    sandbox_charge(L, (int64_t)(length / BYTES_PER_INSTRUCTION));
    return guard_call_original(L);
}

/* Repeating is a loop over the copies, even over empty ones. */
static int repeat_text(lua_State *L)
{
    size_t length, gap = 0;
    luaL_checklstring(L, 1, &length);
    lua_Integer copies = luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &gap);
    if (copies > (lua_Integer)SANDBOX_MEMORY_MIB << 20)
        script_fail(L, "string.rep: the text would need more than %d MiB", SANDBOX_MEMORY_MIB);
    if (length + gap == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    sandbox_charge(L, copies / 8);
    return guard_call_original(L);
}

/* Steps that a pattern match may take at worst; some seconds. */
#define MATCH_LIMIT 1e9

enum match_kind { MATCH_ONCE, MATCH_FIND, MATCH_EACH };

/* The end of the set that begins at `c`: behind its ], or `end`. */
static const char *skip_set(const char *c, const char *end)
{
    c += c + 1 < end && c[1] == '^' ? 2 : 1;
    for (bool is_first = true; c < end && (is_first || *c != ']'); is_first = false)
        c += *c == '%' ? 2 : 1;
    return c < end ? c + 1 : end;
}

/* How many times a pattern, within each try of what stands before, tries every place of the text:
 * at its start, in each repetition, balance, frontier and repeated capture. */
static int count_tries(const char *c, const char *end, enum match_kind kind)
{
    int tries = c < end && *c == '^' && kind != MATCH_EACH ? 0 : 1;
    while (c < end) {
        if (*c == '[') {
            c = skip_set(c, end);
        } else if (*c == '%' && c + 1 < end) {
            tries += strchr("bf0123456789", c[1]) != NULL;
            c += 2;
        } else {
            tries += strchr("*+-?", *c) != NULL && *c;
            c++;
        }
    }
    return tries;
}

static int match_pattern(lua_State *L)
{
    enum match_kind kind = (enum match_kind)lua_tointeger(L, lua_upvalueindex(2));
    size_t length, pattern_length;
    luaL_checklstring(L, 1, &length);
    const char *pattern = luaL_checklstring(L, 2, &pattern_length);
    bool is_plain = kind == MATCH_FIND && lua_toboolean(L, 4);
    int tries = is_plain ? 1 : count_tries(pattern, pattern + pattern_length, kind);
    double steps = pow((double)length + 1, tries) * (1 + (double)pattern_length / 64);
    if (steps > MATCH_LIMIT)
        script_fail(L, "the pattern is too costly for a text of %zu characters", length);
    sandbox_charge(L, (int64_t)((length + pattern_length) / BYTES_PER_INSTRUCTION));
    return guard_call_original(L);
}

/* The length of the list that is argument 1. A __len would be asked by the library itself, and once
 * more than here: it could give another answer. */
static lua_Integer check_list(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
        script_fail(L, "the functions of `table` take no list with __len here");
    lua_Unsigned length = lua_rawlen(L, 1);
    if (length > (lua_Unsigned)LIST_LIMIT)
        script_fail(L, "the list is too long");
    return (lua_Integer)length;
}

/* Charges for the entries `first` to `last`. */
static void charge_range(lua_State *L, lua_Integer first, lua_Integer last)
{
    if (first < -LIST_LIMIT || last > LIST_LIMIT)
        script_fail(L, "the range is too long for a list");
    sandbox_charge(L, last >= first ? last - first + 1 : 0);
}

/* table.insert and table.remove shift the entries behind a position. */
static int shift_list(lua_State *L)
{
    lua_Integer length = check_list(L);
    bool has_position = lua_gettop(L) > lua_tointeger(L, lua_upvalueindex(2));
    sandbox_charge(L, has_position ? length : 0);
    return guard_call_original(L);
}

static int move_list(lua_State *L)
{
    charge_range(L, luaL_checkinteger(L, 2), luaL_checkinteger(L, 3));
    return guard_call_original(L);
}

/* table.concat and table.unpack: `extra` is where the range begins among the arguments. */
static int read_list(lua_State *L)
{
    lua_Integer length = check_list(L);
    int first = (int)lua_tointeger(L, lua_upvalueindex(2));
    charge_range(L, luaL_optinteger(L, first, 1), luaL_optinteger(L, first + 1, length));
    return guard_call_original(L);
}

/* --- sorting ---------------------------------------------------------------------------------- */

static int is_less(lua_State *L)
{
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
}

static int sort_list(lua_State *L)
{
    lua_Integer count = check_list(L);
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        lua_pushcfunction(L, is_less);
        lua_replace(L, 2);
    }
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushinteger(L, count);
    modules_call(L, "sort", "list", 3);
    return 0;
}

/* --- the libraries ---------------------------------------------------------------------------- */

static void guard_all(lua_State *L, const char *const *names, lua_CFunction guard)
{
    for (; *names; names++)
        guard_field(L, *names, guard, 0);
}

void guard_base(lua_State *L)
{
    guard_field(L, "tonumber", walk_text, 0);
}

void guard_string(lua_State *L)
{
    static const char *const walkers[] = {"byte", "lower", "reverse", "upper", NULL};
    guard_all(L, walkers, walk_text);
    guard_field(L, "rep", repeat_text, 0);
    guard_field(L, "find", match_pattern, MATCH_FIND);
    guard_field(L, "match", match_pattern, MATCH_ONCE);
    guard_field(L, "gmatch", match_pattern, MATCH_EACH);
    guard_field(L, "gsub", match_pattern, MATCH_ONCE);
}

void guard_table(lua_State *L)
{
    guard_field(L, "insert", shift_list, 2);
    guard_field(L, "remove", shift_list, 1);
    guard_field(L, "move", move_list, 0);
    guard_field(L, "concat", read_list, 3);
    guard_field(L, "unpack", read_list, 2);
    lua_pushcfunction(L, sort_list);
    lua_setfield(L, -2, "sort");
}

void guard_utf8(lua_State *L)
{
    static const char *const walkers[] = {"codepoint", "codes", "len", "offset", NULL};
    guard_all(L, walkers, walk_text);
}
