/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/machine/quantity_lua.h"

#include <glib.h>
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/sandbox/unknown.h"

#define ORDERED "gpunetsim.ordered"
#define ORDER_MARKER "gpunetsim.order"
#define SAME_MARKER "gpunetsim.same"

__extension__ typedef __int128 wide;

/* What reading and writing quantities costs a script. */
#define QUANTITY_INSTRUCTIONS 10

/* One side of an operator. */
enum operand_kind { OPERAND_OTHER, OPERAND_NUMBER, OPERAND_QUANTITY };
struct operand {
    enum operand_kind kind;
    enum unit_kind unit; /* of a quantity, in base units: */
    int64_t quantity;
    bool is_whole; /* a number: */
    int64_t whole;
    double number;
};

/* --- reading ------------------------------------------------------------------------------------ */

/* Whether the text at `index` is a quantity; "0" is a number. */
static bool read_quantity(lua_State *L, int index, struct operand *operand)
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
    *operand =
        (struct operand){.kind = OPERAND_QUANTITY, .unit = value.unit, .quantity = value.quantity};
    return true;
}

static struct operand read_operand(lua_State *L, int index)
{
    struct operand operand = {.kind = OPERAND_OTHER};
    int is_number = 0, is_whole = 0;
    if (read_quantity(L, index, &operand))
        return operand;
    operand.number = lua_tonumberx(L, index, &is_number);
    operand.whole = lua_tointegerx(L, index, &is_whole);
    operand.is_whole = is_whole;
    operand.kind = is_number ? OPERAND_NUMBER : OPERAND_OTHER;
    return operand;
}

/* --- results ------------------------------------------------------------------------------------ */

static void push_quantity(lua_State *L, int64_t quantity, enum unit_kind unit)
{
    char text[UNIT_TEXT_SIZE];
    lua_pushstring(L, unit_format(quantity, unit, text));
}

static const char *kind_of(const struct operand *operand)
{
    return operand->kind == OPERAND_QUANTITY ? unit_kind_name(operand->unit)
           : operand->kind == OPERAND_NUMBER ? "plain number"
                                             : "no quantity";
}

/* An operand as a script would write it; of what has no text, its type. */
static const char *push_shown(lua_State *L, int index)
{
    if (lua_type(L, index) == LUA_TSTRING)
        return lua_pushfstring(L, "\"%s\"", lua_tostring(L, index));
    return lua_isnumber(L, index) ? luaL_tolstring(L, index, NULL) : luaL_typename(L, index);
}

static _Noreturn void fail_operands(lua_State *L, const char *sign, const struct operand *left,
                                    const struct operand *right)
{
    const char *first = push_shown(L, 1), *second = push_shown(L, 2);
    const char *is = kind_of(left), *other = kind_of(right);
    if (strcmp(is, other) == 0)
        script_fail(L, "%s %s %s has no meaning: both are %s", first, sign, second, is);
    script_fail(L, "%s %s %s has no meaning: one is %s, the other %s", first, sign, second, is,
                other);
}

static int push_wide(lua_State *L, wide quantity, enum unit_kind unit)
{
    if (quantity > INT64_MAX || quantity < -INT64_MAX)
        script_fail(L, "the result is larger than a quantity of %s can be", unit_kind_name(unit));
    push_quantity(L, (int64_t)quantity, unit);
    return 1;
}

/* left / right, halves away from 0. */
static wide divided(lua_State *L, wide left, wide right)
{
    if (right == 0)
        script_fail(L, "a quantity is divided by 0");
    wide quotient = left / right, rest = left % right;
    wide twice = 2 * (rest < 0 ? -rest : rest), size = right < 0 ? -right : right;
    if (twice < size)
        return quotient;
    return (left < 0) == (right < 0) ? quotient + 1 : quotient - 1;
}

static wide floored(lua_State *L, wide left, wide right)
{
    if (right == 0)
        script_fail(L, "a quantity is divided by 0");
    wide quotient = left / right;
    return quotient * right != left && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

static int push_rounded(lua_State *L, double quantity, enum unit_kind unit)
{
    if (!(fabs(quantity) < 0x1p63))
        script_fail(L, "the result is larger than a quantity of %s can be", unit_kind_name(unit));
    push_quantity(L, (int64_t)round(quantity), unit);
    return 1;
}

/* --- operators ---------------------------------------------------------------------------------- */

/* What two kinds make: left * right / by = result. UNIT_COUNT is a number. */
static const struct product {
    enum unit_kind left, right, result;
    int64_t by;
} products[] = {
    {UNIT_RATE, UNIT_TIME, UNIT_BYTES, INT64_C(1000000000000)},
    {UNIT_POWER, UNIT_TIME, UNIT_ENERGY, 1},
    {UNIT_FREQUENCY, UNIT_TIME, UNIT_COUNT, INT64_C(1000000000000)},
};

static bool multiply_quantities(lua_State *L, const struct operand *a, const struct operand *b)
{
    for (size_t i = 0; i < G_N_ELEMENTS(products); i++) {
        const struct product *product = &products[i];
        bool fits = product->left == a->unit && product->right == b->unit;
        if (!fits && !(product->left == b->unit && product->right == a->unit))
            continue;
        wide exact = (wide)a->quantity * b->quantity;
        if (product->result == UNIT_COUNT)
            lua_pushnumber(L, (double)exact / (double)product->by);
        else
            push_wide(L, divided(L, exact, product->by), product->result);
        return true;
    }
    return false;
}

/* left / right where left is the result of a product and right one of its factors. */
static bool divide_quantities(lua_State *L, const struct operand *a, const struct operand *b)
{
    for (size_t i = 0; i < G_N_ELEMENTS(products); i++) {
        const struct product *product = &products[i];
        bool is_left = product->left == b->unit, is_right = product->right == b->unit;
        bool fits = a->kind == OPERAND_NUMBER
                        ? product->result == UNIT_COUNT && a->is_whole
                        : product->result != UNIT_COUNT && product->result == a->unit;
        if (!fits || !(is_left || is_right))
            continue;
        int64_t value = a->kind == OPERAND_NUMBER ? a->whole : a->quantity;
        push_wide(L, divided(L, (wide)value * product->by, b->quantity),
                  is_left ? product->right : product->left);
        return true;
    }
    return false;
}

static bool scale(lua_State *L, const struct operand *quantity, const struct operand *number)
{
    if (quantity->kind != OPERAND_QUANTITY || number->kind != OPERAND_NUMBER)
        return false;
    if (number->is_whole)
        push_wide(L, (wide)quantity->quantity * number->whole, quantity->unit);
    else
        push_rounded(L, (double)quantity->quantity * number->number, quantity->unit);
    return true;
}

static bool are_alike(const struct operand *a, const struct operand *b)
{
    return a->kind == OPERAND_QUANTITY && b->kind == OPERAND_QUANTITY && a->unit == b->unit;
}

static bool are_quantities(const struct operand *a, const struct operand *b)
{
    return a->kind == OPERAND_QUANTITY && b->kind == OPERAND_QUANTITY;
}

static bool multiply(lua_State *L, const struct operand *a, const struct operand *b)
{
    return scale(L, a, b) || scale(L, b, a) ||
           (are_quantities(a, b) && multiply_quantities(L, a, b));
}

static bool divide(lua_State *L, const struct operand *a, const struct operand *b)
{
    if (are_alike(a, b)) {
        if (b->quantity == 0)
            script_fail(L, "a quantity is divided by 0");
        lua_pushnumber(L, (double)a->quantity / (double)b->quantity);
        return true;
    }
    if (b->kind == OPERAND_QUANTITY)
        return divide_quantities(L, a, b);
    if (b->kind != OPERAND_NUMBER)
        return false;
    if (b->is_whole)
        push_wide(L, divided(L, a->quantity, b->whole), a->unit);
    else
        push_rounded(L, (double)a->quantity / b->number, a->unit);
    return true;
}

static bool divide_floored(lua_State *L, const struct operand *a, const struct operand *b)
{
    bool is_scaled = a->kind == OPERAND_QUANTITY && b->kind == OPERAND_NUMBER && b->is_whole;
    if (are_alike(a, b))
        lua_pushinteger(L, (lua_Integer)floored(L, a->quantity, b->quantity));
    else if (is_scaled)
        push_wide(L, floored(L, a->quantity, b->whole), a->unit);
    return are_alike(a, b) || is_scaled;
}

static bool add(lua_State *L, const struct operand *a, const struct operand *b)
{
    return are_alike(a, b) && push_wide(L, (wide)a->quantity + b->quantity, a->unit) == 1;
}

static bool subtract(lua_State *L, const struct operand *a, const struct operand *b)
{
    return are_alike(a, b) && push_wide(L, (wide)a->quantity - b->quantity, a->unit) == 1;
}

static bool modulo(lua_State *L, const struct operand *a, const struct operand *b)
{
    if (!are_alike(a, b))
        return false;
    wide whole = floored(L, a->quantity, b->quantity);
    return push_wide(L, a->quantity - whole * b->quantity, a->unit) == 1;
}

static bool raise_to(lua_State *L, const struct operand *a, const struct operand *b)
{
    (void)L;
    (void)a;
    (void)b;
    return false;
}

static const struct sign {
    const char *event, *sign;
    bool (*apply)(lua_State *L, const struct operand *a, const struct operand *b);
} signs[] = {
    {"__add", "+", add},      {"__sub", "-", subtract},         {"__mul", "*", multiply},
    {"__div", "/", divide},   {"__idiv", "//", divide_floored}, {"__mod", "%", modulo},
    {"__pow", "^", raise_to},
};

/* Upvalues: the operator that texts had before, which takes those that are numbers; and a sign. */
static int operate(lua_State *L)
{
    const struct sign *sign = lua_touserdata(L, lua_upvalueindex(2));
    struct operand left = read_operand(L, 1), right = read_operand(L, 2);
    bool is_ours = left.kind == OPERAND_QUANTITY || right.kind == OPERAND_QUANTITY;
    bool is_value = lua_type(L, 1) != LUA_TNIL && lua_type(L, 2) != LUA_TNIL;
    if (!is_ours || !is_value) {
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_insert(L, 1);
        lua_call(L, 2, 1);
        return 1;
    }
    if (!sign->apply(L, &left, &right))
        fail_operands(L, sign->sign, &left, &right);
    return 1;
}

static int negate(lua_State *L)
{
    struct operand operand;
    if (read_quantity(L, 1, &operand))
        return push_wide(L, -(wide)operand.quantity, operand.unit);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

/* --- comparisons -------------------------------------------------------------------------------- */

/* order's `|`: a quantity becomes an object whose order is that of quantities; it does not outlive the
 * comparison. */
static int mark_order(lua_State *L)
{
    struct operand operand;
    lua_settop(L, 1);
    if (!read_quantity(L, 1, &operand))
        return 1;
    struct operand *ordered = lua_newuserdatauv(L, sizeof *ordered, 1);
    *ordered = operand;
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, ORDERED);
    return 1;
}

/* same's `|`: a quantity becomes its text as the program writes it. The marker is either argument. */
static int mark_same(lua_State *L)
{
    struct operand operand;
    int index = luaL_testudata(L, 1, SAME_MARKER) ? 2 : 1;
    if (read_quantity(L, index, &operand))
        push_quantity(L, operand.quantity, operand.unit);
    else
        lua_pushvalue(L, index);
    return 1;
}

/* A side of a comparison, of which one is an object; its text is put there instead. */
static struct operand read_ordered(lua_State *L, int index)
{
    const struct operand *ordered = luaL_testudata(L, index, ORDERED);
    if (ordered == NULL)
        return read_operand(L, index);
    lua_getiuservalue(L, index, 1);
    lua_replace(L, index);
    return *ordered;
}

static int compare(lua_State *L, const char *sign)
{
    struct operand left = read_ordered(L, 1), right = read_ordered(L, 2);
    if (!are_alike(&left, &right))
        fail_operands(L, sign, &left, &right);
    return (left.quantity > right.quantity) - (left.quantity < right.quantity);
}

/* Lua asks for a > b as b < a. */
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

/* Upvalues: the unit's kind, its suffix. r.latency:us() */
static int in_unit(lua_State *L)
{
    enum unit_kind unit = (enum unit_kind)lua_tointeger(L, lua_upvalueindex(1));
    const char *suffix = lua_tostring(L, lua_upvalueindex(2));
    struct operand operand = read_operand(L, 1);
    if (operand.kind != OPERAND_QUANTITY || operand.unit != unit)
        script_fail(L, "%s is %s and cannot be told in %s", push_shown(L, 1), kind_of(&operand),
                    suffix);
    lua_pushnumber(L, (double)operand.quantity / unit_scale(suffix, unit));
    return 1;
}

/* A method for each suffix, "/" as "p": ns, KiB, GBps. The table of methods is on top. */
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

/* What a text has no method of: an error if a unit was meant, as KB; else nil, as in any Lua. Upvalue: names of methods. */
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

/* Says so for the table of methods on top, which stays there. */
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
    struct operand operand = read_operand(L, 1);
    if (unknown_is(L, 1)) {
        unknown_push(L);
        return 1;
    }
    if (lua_type(L, 1) != LUA_TSTRING)
        script_fail(L, "quantity needs a text such as \"1MiB\", not a %s", luaL_typename(L, 1));
    bool is_zero = strcmp(lua_tostring(L, 1), "0") == 0;
    if (!is_zero && operand.kind != OPERAND_QUANTITY)
        script_fail(L, "quantity: \"%s\" is not a quantity", lua_tostring(L, 1));
    lua_pushinteger(L, is_zero ? 0 : operand.quantity);
    return 1;
}

void quantity_open(lua_State *L)
{
    static const luaL_Reg ordered[] = {{"__lt", is_less}, {"__le", is_at_most}, {NULL, NULL}};
    lua_newuserdatauv(L, 0, 0);
    library_set_metatable(L, ORDERED, ordered);
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        lua_getfield(L, -1, signs[i].event);
        lua_pushlightuserdata(L, (void *)(uintptr_t)&signs[i]);
        lua_pushcclosure(L, operate, 2);
        lua_setfield(L, -2, signs[i].event);
    }
    lua_getfield(L, -1, "__unm");
    lua_pushcclosure(L, negate, 1);
    lua_setfield(L, -2, "__unm");
    lua_getfield(L, -1, "__index");
    add_methods(L);
    hint_methods(L);
    lua_settop(L, 0);
    lua_pushcfunction(L, quantity_of);
    library_add_builtin(L, "quantity");
}
