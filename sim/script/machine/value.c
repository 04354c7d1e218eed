/* Values and their columns. A quantity's column has a fixed unit, so that a file of results has one
 * unit a column; the decimal point is shifted in the digits, and nothing is rounded. */
#include "script/machine/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "script/machine/design_lua.h"
#include "script/sandbox/sandbox.h"

/* Column suffix of each kind, and how many places its point stands left of the base unit's. */
static const struct column_unit {
    const char *suffix;
    int places;
} column_units[] = {
    [UNIT_TIME] = {"_us", 6},       [UNIT_BYTES] = {"_bytes", 0}, [UNIT_RATE] = {"_GBps", 9},
    [UNIT_FREQUENCY] = {"_GHz", 9}, [UNIT_POWER] = {"_W", 3},     [UNIT_ENERGY] = {"_uJ", 9},
    [UNIT_COUNT] = {"", 0},
};

struct script_value value_quantity(int64_t quantity, enum unit_kind unit)
{
    char text[UNIT_TEXT_SIZE];
    return (struct script_value){.kind = SCRIPT_QUANTITY,
                                 .unit = unit,
                                 .quantity = quantity,
                                 .text = g_strdup(unit_format(quantity, unit, text))};
}

struct script_value value_number(double number)
{
    char text[UNIT_TEXT_SIZE];
    return (struct script_value){.kind = SCRIPT_NUMBER,
                                 .number = number,
                                 .text = g_strdup(unit_format_number(number, text))};
}

bool value_read(lua_State *L, int index, struct script_value *value)
{
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        if (!isfinite(lua_tonumber(L, index)))
            return false;
        *value = value_number(lua_tonumber(L, index));
        if (lua_isinteger(L, index)) { /* beyond 2^53 the double is not the number */
            g_free(value->text);
            value->text = g_strdup_printf("%" PRId64, (int64_t)lua_tointeger(L, index));
        }
        return true;
    case LUA_TSTRING:
        if (strlen(lua_tostring(L, index)) != lua_rawlen(L, index))
            return false;
        *value = (struct script_value){.kind = SCRIPT_TEXT, .text = sandbox_copy_text(L, index)};
        return true;
    case LUA_TBOOLEAN:
        *value = (struct script_value){
            .kind = SCRIPT_TEXT, .text = g_strdup(lua_toboolean(L, index) ? "true" : "false")};
        return true;
    case LUA_TUSERDATA:
        if (!design_at(L, index))
            return false;
        design_push_label(L, lua_absindex(L, index));
        *value = (struct script_value){.kind = SCRIPT_TEXT, .text = sandbox_copy_text(L, -1)};
        lua_pop(L, 1);
        return true;
    default:
        return false;
    }
}

bool value_to_quantity_of(struct script_value *value, enum unit_kind unit)
{
    char why[100];
    if (value->kind != SCRIPT_TEXT ||
        !unit_parse(value->text, unit, &value->quantity, why, sizeof why))
        return false;
    value->kind = SCRIPT_QUANTITY;
    value->unit = unit;
    return true;
}

bool value_to_quantity(struct script_value *value)
{
    if (value->kind == SCRIPT_TEXT && strcmp(value->text, "0") == 0)
        return false; /* of which kind? */
    for (int unit = 0; unit < UNIT_COUNT; unit++) {
        if (value_to_quantity_of(value, (enum unit_kind)unit))
            return true;
    }
    return false;
}

void value_set_fields(lua_State *L, const char *name, const struct script_value *value)
{
    lua_pushstring(L, value->text);
    lua_setfield(L, -2, name);
    if (value->kind == SCRIPT_TEXT)
        return;
    char *column = script_column(name, value), *text = script_column_text(value);
    bool is_whole = value->kind == SCRIPT_NUMBER || column_units[value->unit].places == 0;
    if (!is_whole || lua_stringtonumber(L, text) == 0) /* counts are to be integers in Lua */
        lua_pushnumber(L, g_ascii_strtod(text, NULL));
    lua_setfield(L, -2, column);
    g_free(column);
    g_free(text);
}

bool value_equal(const struct script_value *a, const struct script_value *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == SCRIPT_QUANTITY)
        return a->unit == b->unit && a->quantity == b->quantity;
    return strcmp(a->text, b->text) == 0;
}

void value_clear(struct script_value *value)
{
    g_clear_pointer(&value->text, g_free);
}

char *script_column(const char *name, const struct script_value *value)
{
    const char *suffix = value->kind == SCRIPT_QUANTITY ? column_units[value->unit].suffix : "";
    bool says_so = value->kind == SCRIPT_QUANTITY && value->unit == UNIT_BYTES &&
                   g_str_has_suffix(name, "bytes");
    return g_strconcat(name, says_so ? "" : suffix, NULL);
}

char *script_column_text(const struct script_value *value)
{
    if (value->kind != SCRIPT_QUANTITY)
        return g_strdup(value->text);
    uint64_t magnitude =
        value->quantity < 0 ? 0 - (uint64_t)value->quantity : (uint64_t)value->quantity;
    uint64_t one = 1;
    int places = column_units[value->unit].places;
    for (int i = 0; i < places; i++)
        one *= 10;
    uint64_t fraction = magnitude % one;
    while (places > 0 && fraction % 10 == 0) {
        fraction /= 10;
        places--;
    }
    const char *sign = value->quantity < 0 ? "-" : "";
    if (places == 0)
        return g_strdup_printf("%s%" PRIu64, sign, magnitude / one);
    return g_strdup_printf("%s%" PRIu64 ".%0*" PRIu64, sign, magnitude / one, places, fraction);
}
