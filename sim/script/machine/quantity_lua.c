/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/machine/quantity_lua.h"

#include <glib.h>
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/sandbox/unknown.h"

#define ORDERED "gpunetsim.ordered"
#define ORDER_MARKER "gpunetsim.order"
#define SAME_MARKER "gpunetsim.same"

__extension__ typedef __int128 wide;

/* The instructions that reading and writing quantities cost a script. */
#define QUANTITY_INSTRUCTIONS 10

/* A quantity in base units. */
struct quantity {
    enum unit_kind unit;
    int64_t number;
};

/* Whether the text at `index` is a quantity; "0" is a number. */
static bool read_quantity(lua_State *L, int index, struct quantity *quantity)
{
    if (lua_type(L, index) != LUA_TSTRING)
        return false;
    const char *text = lua_tostring(L, index);
    if (!g_ascii_isdigit(text[*text == '-']) || strlen(text) != lua_rawlen(L, index))
        return false;
    struct value value = {.kind = VALUE_TEXT, .text = (char *)(uintptr_t)text};
    sandbox_charge(L, QUANTITY_INSTRUCTIONS);
    if (!value_to_quantity(&value))
        return false;
    *quantity = (struct quantity){value.unit, value.quantity};
    return true;
}

static void push_quantity(lua_State *L, const struct quantity *quantity)
{
    char text[UNIT_TEXT_SIZE];
    lua_pushstring(L, unit_format(quantity->number, quantity->unit, text));
}

/* --- for views/tables/quantities.lua ------------------------------------------------------------- */

/* read_quantity(value, unit): the quantity in base units, and the number of the unit's kind; nil if it is no quantity of that kind
 * (nil: of any kind; then "0" is a number). */
static int core_read_quantity(lua_State *L)
{
    struct quantity quantity = {.unit = (enum unit_kind)luaL_optinteger(L, 2, 0)};
    bool is_good = lua_isnoneornil(L, 2)
                       ? read_quantity(L, 1, &quantity)
                       : lua_type(L, 1) == LUA_TSTRING &&
                             unit_parse(lua_tostring(L, 1), quantity.unit, &quantity.number, NULL);
    if (!is_good)
        return 0;
    lua_pushinteger(L, quantity.number);
    lua_pushinteger(L, quantity.unit);
    return 2;
}

/* quantity_text(number, unit): a text that read_quantity reads back. */
static int core_quantity_text(lua_State *L)
{
    const struct quantity quantity = {(enum unit_kind)luaL_checkinteger(L, 2),
                                      luaL_checkinteger(L, 1)};
    push_quantity(L, &quantity);
    return 1;
}

/* kind_name(unit): "time". */
static int core_kind_name(lua_State *L)
{
    lua_pushstring(L, unit_kind_name((enum unit_kind)luaL_checkinteger(L, 1)));
    return 1;
}

/* left / right, rounded to the nearest (halves away from 0) or down. */
static wide divided(wide left, wide right, bool is_floored)
{
    wide quotient = left / right, rest = left % right;
    bool is_below = (left < 0) != (right < 0);
    wide twice = 2 * (rest < 0 ? -rest : rest), size = right < 0 ? -right : right;
    if (is_floored ? rest == 0 || !is_below : twice < size)
        return quotient;
    return is_below ? quotient - 1 : quotient + 1;
}

/* exact(a, b, c, by, is_floored): (a * b + c) / by, rounded to the nearest or down; nil if it is too large for a quantity. */
static int core_exact(lua_State *L)
{
    wide product = (wide)luaL_checkinteger(L, 1) * luaL_checkinteger(L, 2);
    wide whole =
        divided(product + luaL_checkinteger(L, 3), luaL_checkinteger(L, 4), lua_toboolean(L, 5));
    if (whole > INT64_MAX || whole < -INT64_MAX)
        return 0;
    lua_pushinteger(L, (lua_Integer)whole);
    return 1;
}

/* product(a, b): the exact product of whole numbers, as the nearest number. */
static int core_product(lua_State *L)
{
    lua_pushnumber(L, (double)((wide)luaL_checkinteger(L, 1) * luaL_checkinteger(L, 2)));
    return 1;
}

/* rounded(number): the nearest whole number (halves away from 0); nil if it is too large for a quantity. */
static int core_rounded(lua_State *L)
{
    double number = luaL_checknumber(L, 1);
    if (!(fabs(number) < 0x1p63))
        return 0;
    lua_pushinteger(L, (lua_Integer)round(number));
    return 1;
}

/* --- operators ---------------------------------------------------------------------------------- */

static const struct sign {
    const char *event, *sign;
} signs[] = {{"__add", "+"},   {"__sub", "-"}, {"__mul", "*"}, {"__div", "/"},
             {"__idiv", "//"}, {"__mod", "%"}, {"__pow", "^"}};

/* Calls the operator that texts had before, upvalue 1, which accepts texts that are numbers. */
static int call_original(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

/* Carries out an operator. Upvalue 2: its sign. */
static int operate(lua_State *L)
{
    struct quantity either;
    lua_settop(L, 2);
    bool is_value = lua_type(L, 1) != LUA_TNIL && lua_type(L, 2) != LUA_TNIL;
    if (!is_value || (!read_quantity(L, 1, &either) && !read_quantity(L, 2, &either)))
        return call_original(L);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_insert(L, 1);
    modules_call(L, "quantities", "operate", 3);
    return 1;
}

static int negate(lua_State *L)
{
    struct quantity quantity;
    if (!read_quantity(L, 1, &quantity))
        return call_original(L);
    lua_settop(L, 1);
    modules_call(L, "quantities", "negate", 1);
    return 1;
}

/* --- comparisons -------------------------------------------------------------------------------- */

/* The `|` of the marker order: turns a quantity into an object that is ordered as a quantity. The object does not outlive the
 * comparison. */
static int mark_order(lua_State *L)
{
    struct quantity quantity;
    lua_settop(L, 1);
    if (!read_quantity(L, 1, &quantity))
        return 1;
    struct quantity *ordered = lua_newuserdatauv(L, sizeof *ordered, 1);
    *ordered = quantity;
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, ORDERED);
    return 1;
}

/* The `|` of the marker same: turns a quantity into its text as the program writes it. The marker is one of the two arguments. */
static int mark_same(lua_State *L)
{
    struct quantity quantity;
    int index = luaL_testudata(L, 1, SAME_MARKER) ? 2 : 1;
    if (read_quantity(L, index, &quantity))
        push_quantity(L, &quantity);
    else
        lua_pushvalue(L, index);
    return 1;
}

/* Reads a side of a comparison; an object on the stack is replaced by its text. False if the side is no quantity. */
static bool read_ordered(lua_State *L, int index, struct quantity *quantity)
{
    const struct quantity *ordered = luaL_testudata(L, index, ORDERED);
    if (ordered == NULL)
        return read_quantity(L, index, quantity);
    *quantity = *ordered;
    lua_getiuservalue(L, index, 1);
    lua_replace(L, index);
    return true;
}

static int compare(lua_State *L, const char *sign)
{
    struct quantity left, right;
    bool is_left = read_ordered(L, 1, &left), is_right = read_ordered(L, 2, &right);
    if (!is_left || !is_right || left.unit != right.unit) {
        lua_pushstring(L, sign);
        lua_insert(L, 1);
        modules_call(L, "quantities", "refuse", 3);
    }
    return (left.number > right.number) - (left.number < right.number);
}

/* Lua evaluates a > b as b < a. */
static int is_less(lua_State *L)
{
    lua_pushboolean(L, compare(L, "<") < 0);
    return 1;
}

static int is_at_most(lua_State *L)
{
    lua_pushboolean(L, compare(L, "<=") <= 0);
    return 1;
}

void quantity_push_markers(lua_State *L)
{
    static const luaL_Reg order[] = {{"__bor", mark_order}, {NULL, NULL}};
    static const luaL_Reg same[] = {{"__bor", mark_same}, {NULL, NULL}};
    lua_newuserdatauv(L, 0, 0);
    library_set_metatable(L, ORDER_MARKER, order);
    lua_newuserdatauv(L, 0, 0);
    library_set_metatable(L, SAME_MARKER, same);
}

/* --- methods ------------------------------------------------------------------------------------ */

/* r.latency:us(). Upvalues: the unit's kind and its suffix. */
static int in_unit(lua_State *L)
{
    enum unit_kind unit = (enum unit_kind)lua_tointeger(L, lua_upvalueindex(1));
    struct quantity quantity;
    if (!read_quantity(L, 1, &quantity) || quantity.unit != unit) {
        lua_settop(L, 1);
        lua_pushvalue(L, lua_upvalueindex(2));
        modules_call(L, "quantities", "refuse_unit", 2);
    }
    lua_pushnumber(L, (double)quantity.number /
                          unit_scale(lua_tostring(L, lua_upvalueindex(2)), unit));
    return 1;
}

/* Adds a method for each suffix, with "p" for "/", to the table of methods on top of the stack: ns, KiB, GBps. */
static void add_methods(lua_State *L)
{
    for (int unit = 0; unit < UNIT_COUNT; unit++) {
        g_auto(GStrv) suffixes = g_strsplit(unit_suffixes((enum unit_kind)unit), ", ", 0);
        for (char **suffix = suffixes; *suffix; suffix++) {
            lua_pushinteger(L, unit);
            lua_pushstring(L, *suffix);
            lua_pushcclosure(L, in_unit, 2);
            g_strdelimit(*suffix, "/", 'p');
            lua_setfield(L, -2, *suffix);
        }
    }
}

/* Called for a method that texts do not have: an error if the name resembles a unit, as KB; else nil, as in plain Lua. Upvalue:
 * names of methods. */
static int no_method(lua_State *L)
{
    size_t count;
    const char *const *names = record_strings(L, lua_upvalueindex(1), &count);
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    const char *nearest = strlen(name) > 1 ? param_nearest(name, names, count) : NULL;
    if (nearest && g_ascii_isupper(*name))
        script_fail(L, "a text has no method \"%s\"; a size is told in %s, a time in %s", name,
                    unit_suffixes(UNIT_BYTES), unit_suffixes(UNIT_TIME));
    lua_pushnil(L);
    return 1;
}

/* Makes the table of methods on top of the stack, which stays there, call no_method. */
static void hint_methods(lua_State *L)
{
    lua_createtable(L, 0, 1);
    record_sorted_keys(L, -2);
    lua_pushcclosure(L, no_method, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

/* quantity("1MiB"): the number in base units. */
static int quantity_of(lua_State *L)
{
    struct quantity quantity = {.number = 0};
    if (unknown_is(L, 1)) {
        unknown_push(L);
        return 1;
    }
    if (lua_type(L, 1) != LUA_TSTRING)
        script_fail(L, "quantity needs a text such as \"1MiB\", not a %s", luaL_typename(L, 1));
    if (strcmp(lua_tostring(L, 1), "0") != 0 && !read_quantity(L, 1, &quantity))
        script_fail(L, "quantity: \"%s\" is not a quantity", lua_tostring(L, 1));
    lua_pushinteger(L, quantity.number);
    return 1;
}

void quantity_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"read_quantity", core_read_quantity},
                                         {"quantity_text", core_quantity_text},
                                         {"kind_name", core_kind_name},
                                         {"exact", core_exact},
                                         {"product", core_product},
                                         {"rounded", core_rounded},
                                         {NULL, NULL}};
    static const luaL_Reg ordered[] = {{"__lt", is_less}, {"__le", is_at_most}, {NULL, NULL}};
    lua_newuserdatauv(L, 0, 0);
    library_set_metatable(L, ORDERED, ordered);
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        lua_getfield(L, -1, signs[i].event);
        lua_pushstring(L, signs[i].sign);
        lua_pushcclosure(L, operate, 2);
        lua_setfield(L, -2, signs[i].event);
    }
    lua_getfield(L, -1, "__unm");
    lua_pushcclosure(L, negate, 1);
    lua_setfield(L, -2, "__unm");
    lua_getfield(L, -1, "__index");
    add_methods(L);
    hint_methods(L);
    modules_push_core(L);
    luaL_setfuncs(L, functions, 0);
    lua_settop(L, 0);
    lua_pushcfunction(L, quantity_of);
    library_add_builtin(L, "quantity");
}
