/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/searches/vary_lua.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "core/check.h"
#include "core/error.h"
#include "protocols/design.h"
#include "script/values/places.h"
#include "script/values/values.h"
#include "script/views/units_lua.h"
#include "script/views/views.h"

/* --- pushing ------------------------------------------------------------------------------------ */

static void *upvalue(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* --- parameters --------------------------------------------------------------------------------- */

#define OF_DESIGN "design."

/* A parameter or an axis. Its numbers are those of param_set_number: base units, a ratio, 0 or 1, a choice's number. */
struct varied {
    const struct machine *machine;
    const struct provenance *origin; /* NULL: an axis of designs */
    const struct param *param;
};

static const struct param_table *table_of(const struct varied *varied)
{
    return varied->origin ? varied->origin->section.table : &design_params;
}

/* Whether the machine is valid with this value: for example, a cache needs a whole number of sets. */
static bool takes(const struct varied *varied, double number)
{
    struct machine_spec spec = varied->machine->spec;
    return param_set_number(table_of(varied), varied->param,
                            machine_section_spec(&spec, varied->origin->section), number, NULL) &&
           machine_spec_valid(&spec, NULL);
}

static int is_taken(lua_State *L)
{
    const struct varied *varied = upvalue(L);
    double number = luaL_checknumber(L, 1);
    lua_pushboolean(L, !varied->origin || takes(varied, number));
    return 1;
}

/* A value as a user writes it. */
static int text_of(lua_State *L)
{
    const struct varied *varied = upvalue(L);
    const struct param_table *table = table_of(varied);
    double number = luaL_checknumber(L, 1);
    char text[PARAM_TEXT_SIZE];
    g_autofree void *spec = g_malloc0(table->spec_size);
    bool is_good = param_set_number(table, varied->param, spec, number, NULL);
    lua_pushstring(L, is_good ? param_format(varied->param, spec, text)
                              : unit_format_number(number, text)); /* the run reports the error */
    return 1;
}

static int parse_value(lua_State *L)
{
    const struct varied *varied = upvalue(L);
    GError *error = NULL;
    double number;
    if (!param_parse_number(varied->param, luaL_checkstring(L, 1), &number, &error))
        return views_raise(L, error);
    lua_pushnumber(L, number);
    return 1;
}

/* Adds the bounds in the parameter table; infinite if there are none. */
static void set_bounds(lua_State *L, const struct param *param)
{
    double least = -INFINITY, most = INFINITY;
    if (param->low)
        param_parse_number(param, param->low, &least, NULL);
    if (param->high)
        param_parse_number(param, param->high, &most, NULL);
    lua_set_number(L, "least", least);
    lua_set_number(L, "most", most);
    lua_set_text(L, "least_text", param->low);
    lua_set_text(L, "most_text", param->high);
}

/* The range of an estimated or fitted value. */
static void set_range(lua_State *L, const struct param *param, const struct provenance *origin)
{
    double low, high;
    if (!origin->low || !origin->high || !param_parse_number(param, origin->low, &low, NULL) ||
        !param_parse_number(param, origin->high, &high, NULL))
        return;
    lua_set_number(L, "low", MIN(low, high));
    lua_set_number(L, "high", MAX(low, high));
}

/* How many values a flag or choice has. */
static lua_Integer choices_of(const struct param *param)
{
    lua_Integer count = 0;
    if (param->kind == PARAM_BOOL)
        return 2;
    while (param->choices && param->choices[count])
        count++;
    return count;
}

/* Pushes the table of the parameter, with its text (NULL: an axis whose value is unknown). */
static int push_parameter(lua_State *L, const struct varied *varied, const char *path,
                          const char *text)
{
    static const luaL_Reg functions[] = {
        {"is_taken", is_taken}, {"text_of", text_of}, {"parse", parse_value}, {NULL, NULL}};
    const struct param *param = varied->param;
    double now = varied->origin ? 0 : NAN;
    if (text)
        param_parse_number(param, text, &now, NULL);
    luaL_newlibtable(L, functions);
    lua_set_text(L, "path", path);
    lua_set_text(L, "name", param->name);
    lua_set_text(L, "text", text ? text : "");
    lua_set_number(L, "now", now);
    lua_set_text(L, "source",
                 source_kind_name(varied->origin ? varied->origin->kind : SOURCE_GIVEN));
    lua_set_text(L, "unit", units_lua_unit(param->unit));
    set_bounds(L, param);
    if (varied->origin)
        set_range(L, param, varied->origin);
    lua_set_flag(L, "is_whole", param->kind == PARAM_QUANTITY);
    lua_set_flag(L, "is_number", param->kind == PARAM_QUANTITY || param->kind == PARAM_RATIO);
    lua_set_flag(L, "is_axis", !varied->origin);
    lua_set_integer(L, "choices", choices_of(param));
    *(struct varied *)lua_newuserdatauv(L, sizeof *varied, 0) = *varied;
    luaL_setfuncs(L, functions, 1);
    return 1;
}

/* Pushes an axis: "design.polling_rounds", perhaps with the value that a row gives. */
static int push_axis(lua_State *L, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "=", 2);
    struct varied axis = {.param = param_find(&design_params, parts[0] + strlen(OF_DESIGN))};
    double now;
    if (!axis.param)
        return error_set(error, "\"%s\" is no axis of designs; gpunetsim help design lists them",
                         parts[0]);
    if (parts[1] && !param_parse_number(axis.param, parts[1], &now, error))
        return 0;
    return push_parameter(L, &axis, parts[0], parts[1]);
}

/* Fails with the machine's path that is nearest to the unknown one. */
static int fail_unknown(const struct machine *machine, const char *path, GError **error)
{
    g_autofree const char **names = g_new0(const char *, machine->provenance->len + 1);
    for (guint i = 0; i < machine->provenance->len; i++)
        names[i] = ((struct provenance *)g_ptr_array_index(machine->provenance, i))->path;
    const char *nearest = param_nearest(path, names, machine->provenance->len);
    if (param_find(&design_params, path))
        return error_set(error, "\"%s\" is no parameter of the machine; did you mean \"%s%s\"?",
                         path, OF_DESIGN, path);
    return error_set(
        error, "\"%s\" is no parameter of the machine%s%s%s gpunetsim params lists them all", path,
        nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : ";");
}

static int push_found(lua_State *L, const char *path, GError **error)
{
    char text[PARAM_TEXT_SIZE];
    struct varied varied = {.machine = upvalue(L)};
    if (g_str_has_prefix(path, OF_DESIGN))
        return push_axis(L, path, error);
    varied.origin = machine_find(varied.machine, path);
    if (!varied.origin)
        return fail_unknown(varied.machine, path, error);
    varied.param = provenance_param(varied.origin);
    check_always(varied.param->kind != PARAM_RECORD, "%s is no single value", path);
    return push_parameter(L, &varied, path, provenance_value(varied.machine, varied.origin, text));
}

static int parameter_of(lua_State *L)
{
    g_autoptr(GError) error = NULL;
    if (push_found(L, luaL_checkstring(L, 1), &error))
        return 1;
    lua_pushnil(L);
    lua_pushstring(L, error->message);
    return 2;
}

/* --- machines ----------------------------------------------------------------------------------- */

static void push_provenance(lua_State *L, const struct machine *machine,
                            const struct provenance *entry)
{
    char text[PARAM_TEXT_SIZE];
    const struct param *param = provenance_param(entry);
    lua_createtable(L, 0, 9);
    lua_set_text(L, "path", entry->path);
    lua_set_text(L, "name", param->name);
    lua_set_text(L, "value", provenance_value(machine, entry, text));
    lua_set_text(L, "kind", source_kind_name(entry->kind));
    lua_set_text(L, "low", entry->low);
    lua_set_text(L, "high", entry->high);
    lua_set_text(L, "source", entry->source);
    lua_set_text(L, "claims", entry->claims);
    lua_set_flag(L, "is_bare",
                 param->kind == PARAM_RATIO || param->kind == PARAM_BOOL ||
                     (param->kind == PARAM_QUANTITY && param->unit == UNIT_COUNT));
}

/* Appends to the list on top of the stack the values of kinds of nodes, from row `row` on: a section for each, such as
 * "kinds.older.gpu". */
static void add_kind_sections(lua_State *L, const struct machine *machine, guint row)
{
    const char *outer = NULL;
    for (; row < machine->provenance->len; row++) {
        const struct provenance *entry = g_ptr_array_index(machine->provenance, row);
        if (g_strcmp0(outer, entry->section.outer) != 0) {
            outer = entry->section.outer;
            lua_newtable(L);
            lua_set_text(L, "outer", outer);
            lua_append(L);
        }
        lua_geti(L, -1, (lua_Integer)lua_rawlen(L, -1));
        push_provenance(L, machine, entry);
        lua_append(L);
        lua_pop(L, 1);
    }
}

static int sections(lua_State *L)
{
    const struct machine *machine = upvalue(L);
    size_t known = machine_section_count(machine_defaults());
    guint row = 0;
    lua_newtable(L);
    for (size_t i = 0; i < machine_section_count(&machine->spec); i++) {
        struct machine_section section = machine_section(&machine->spec, i);
        lua_createtable(L, (int)section.table->count, 2);
        lua_set_text(L, "outer", section.outer);
        lua_set_text(L, "kind", i >= known ? section.table->kind->component : NULL);
        for (size_t j = 0; j < section.table->count; j++) {
            push_provenance(L, machine, g_ptr_array_index(machine->provenance, row++));
            lua_seti(L, -2, (lua_Integer)j + 1);
        }
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    add_kind_sections(L, machine, row);
    return 1;
}

static void set_machine_functions(lua_State *L, const struct machine *machine)
{
    static const luaL_Reg functions[] = {
        {"sections", sections}, {"parameter", parameter_of}, {NULL, NULL}};
    lua_pushlightuserdata(L, (void *)(gsize)machine);
    luaL_setfuncs(L, functions, 1);
}

void vary_lua_push_machine(lua_State *L, const struct machine *machine)
{
    lua_newtable(L);
    lua_set_text(L, "name", machine->name);
    set_machine_functions(L, machine);
}

/* --- rows --------------------------------------------------------------------------------------- */

struct row *vary_lua_row(lua_State *L, int index)
{
    lua_getfield(L, index, "of");
    struct row *row = *(struct row **)lua_touserdata(L, -1);
    lua_pop(L, 1);
    return row;
}

static void push_measure(lua_State *L, const struct measure *measure)
{
    const struct value *value = &measure->value;
    bool is_quantity = value->kind == VALUE_QUANTITY;
    lua_createtable(L, 0, 8);
    lua_set_text(L, "name", measure->name);
    lua_set_text(L, "kind", units_lua_kind(value->kind));
    lua_set_text(L, "text", value->text);
    lua_set_flag(L, "is_absent", value_is_absent(value));
    lua_set_text(L, "unit", is_quantity ? units_lua_unit(value->unit) : NULL);
    if (value->kind != VALUE_TEXT)
        lua_set_number(L, "number", is_quantity ? (double)value->quantity : value->number);
    lua_push_owned(L, value_column(measure->name, value));
    lua_setfield(L, -2, "column");
    lua_push_owned(L, value_column_text(value));
    lua_setfield(L, -2, "cell");
}

/* add(name, number, like): adds a measure, of the kind of measure number `like` (nil: a plain number). */
static int add_measure(lua_State *L)
{
    struct row *row = *(struct row **)upvalue(L);
    double number = luaL_checknumber(L, 2);
    lua_Integer place = luaL_optinteger(L, 3, 0);
    const struct value *like = place > 0 ? &row->measures[place - 1].value : NULL;
    struct value value = like && like->kind == VALUE_QUANTITY
                             ? value_quantity((int64_t)llround(number), like->unit)
                             : value_number(number);
    row->measures = g_renew(struct measure, row->measures, row->measure_count + 1);
    row->measures[row->measure_count] = (struct measure){g_strdup(luaL_checkstring(L, 1)), value};
    push_measure(L, &row->measures[row->measure_count++]);
    return 1;
}

void vary_lua_push_row(lua_State *L, struct row *row)
{
    static const luaL_Reg functions[] = {{"add", add_measure}, {NULL, NULL}};
    luaL_newlibtable(L, functions);
    lua_set_text(L, "failure", row->failure);
    lua_set_text(L, "read", row->read);
    lua_set_text(L, "unread", row->unread);
    lua_createtable(L, (int)row->measure_count, 0);
    for (size_t i = 0; i < row->measure_count; i++) {
        push_measure(L, &row->measures[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "measures");
    *(struct row **)lua_newuserdatauv(L, sizeof row, 0) = row;
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "of");
    luaL_setfuncs(L, functions, 1);
}

/* --- measures ------------------------------------------------------------------------- */

/* parse(unit, text): a measure's number; without a unit a plain number. */
static int parse_measure(lua_State *L)
{
    const char *text = luaL_checkstring(L, 2);
    GError *error = NULL;
    int64_t quantity = 0;
    char *end;
    double number = g_ascii_strtod(text, &end);
    bool is_quantity = !lua_isnil(L, 1);
    bool good = is_quantity ? unit_parse(text, units_lua_check_unit(L, 1), &quantity, &error)
                            : (end > text && *end == '\0' && isfinite(number)) ||
                                  error_set(&error, "\"%s\" is no number", text);
    if (!good)
        return views_raise(L, error);
    lua_pushnumber(L, is_quantity ? (double)quantity : number);
    return 1;
}

void vary_lua_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"parse", parse_measure}, {"places", places_lua}, {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_setglobal(L, "vary");
}
