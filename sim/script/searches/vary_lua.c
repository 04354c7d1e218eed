/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/searches/vary_lua.h"

#include <lauxlib.h>
#include <math.h>

#include "core/error.h"
#include "core/rng.h"
#include "script/views/units_lua.h"
#include "script/views/views.h"
#include "study/model/select.h"
#include "study/vary/band.h"
#include "study/vary/outcome.h"

/* --- pushing ------------------------------------------------------------------------------------ */

static void set_text(lua_State *L, const char *field, const char *text)
{
    lua_pushstring(L, text); /* NULL is nil */
    lua_setfield(L, -2, field);
}

static void set_number(lua_State *L, const char *field, double number)
{
    lua_pushnumber(L, number);
    lua_setfield(L, -2, field);
}

static void set_bool(lua_State *L, const char *field, bool is)
{
    lua_pushboolean(L, is);
    lua_setfield(L, -2, field);
}

/* Pushes a text, which it frees. */
static int push_text(lua_State *L, char *text)
{
    lua_pushstring(L, text);
    g_free(text);
    return 1;
}

void vary_lua_push_texts(lua_State *L, char *const *texts)
{
    lua_newtable(L);
    for (lua_Integer i = 0; texts && texts[i]; i++) {
        lua_pushstring(L, texts[i]);
        lua_seti(L, -2, i + 1);
    }
}

char **vary_lua_texts(lua_State *L, int index)
{
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    for (lua_Integer i = 1; lua_istable(L, index) && lua_geti(L, index, i) == LUA_TSTRING; i++) {
        g_strv_builder_add(list, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    return g_strv_builder_end(list);
}

static void *upvalue(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* Gives the userdata on top of the stack, a pointer or a struct, to `clear` when Lua drops it. */
static void set_collector(lua_State *L, lua_CFunction clear)
{
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, clear);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
}

/* --- parameters --------------------------------------------------------------------------------- */

struct own_parameter {
    struct vary_parameter of;
    const struct machine *machine;
};

static int clear_parameter(lua_State *L)
{
    struct own_parameter *own = lua_touserdata(L, 1);
    vary_parameter_clear(&own->of);
    return 0;
}

static int is_taken(lua_State *L)
{
    const struct own_parameter *own = upvalue(L);
    lua_pushboolean(L, vary_is_taken(own->machine, &own->of, luaL_checknumber(L, 1)));
    return 1;
}

static int text_of(lua_State *L)
{
    const struct own_parameter *own = upvalue(L);
    return push_text(L, vary_text(&own->of, luaL_checknumber(L, 1)));
}

static int parse_value(lua_State *L)
{
    const struct own_parameter *own = upvalue(L);
    GError *error = NULL;
    double number;
    if (!param_parse_number(own->of.param, luaL_checkstring(L, 1), &number, &error))
        return views_raise(L, error);
    lua_pushnumber(L, number);
    return 1;
}

static int settle(lua_State *L)
{
    struct own_parameter *own = upvalue(L);
    bool is_settled = vary_parameter_settle(&own->of, lua_tostring(L, 2));
    lua_pushvalue(L, 1);
    set_number(L, "now", own->of.now);
    set_text(L, "text", own->of.text);
    lua_pushboolean(L, is_settled);
    return 1;
}

static void set_fields(lua_State *L, const struct vary_parameter *parameter)
{
    const struct param *param = parameter->param;
    double least, most;
    vary_bounds(parameter, &least, &most);
    set_text(L, "path", parameter->path);
    set_text(L, "name", param->name);
    set_text(L, "text", parameter->text);
    set_text(L, "source", source_kind_name(parameter->source));
    set_text(L, "least_text", param->low);
    set_text(L, "most_text", param->high);
    set_text(L, "unit", units_lua_unit(param->unit));
    set_number(L, "now", parameter->now);
    set_number(L, "least", least);
    set_number(L, "most", most);
    if (parameter->has_range) {
        set_number(L, "low", parameter->low);
        set_number(L, "high", parameter->high);
    }
    set_bool(L, "is_whole", param->kind == PARAM_QUANTITY);
    set_bool(L, "is_number", vary_is_number(parameter));
    set_bool(L, "is_axis", vary_is_axis(parameter));
    lua_pushinteger(L, (lua_Integer)vary_choices(parameter));
    lua_setfield(L, -2, "choices");
}

static int parameter_of(lua_State *L)
{
    static const luaL_Reg functions[] = {{"is_taken", is_taken},
                                         {"text_of", text_of},
                                         {"settle", settle},
                                         {"parse", parse_value},
                                         {NULL, NULL}};
    const char *path = luaL_checkstring(L, 1);
    struct vary_parameter found;
    g_autoptr(GError) error = NULL;
    if (!vary_parameter_find(upvalue(L), path, &found, &error)) {
        lua_pushnil(L);
        lua_pushstring(L, error->message);
        return 2;
    }
    luaL_newlibtable(L, functions);
    set_fields(L, &found);
    struct own_parameter *own = lua_newuserdatauv(L, sizeof *own, 0);
    *own = (struct own_parameter){found, upvalue(L)};
    set_collector(L, clear_parameter);
    luaL_setfuncs(L, functions, 1);
    return 1;
}

/* --- machines ----------------------------------------------------------------------------------- */

static void push_provenance(lua_State *L, const struct provenance *entry)
{
    const struct param *param = provenance_param(entry);
    lua_newtable(L);
    set_text(L, "path", entry->path);
    set_text(L, "name", param->name);
    set_text(L, "value", entry->value);
    set_text(L, "kind", source_kind_name(entry->kind));
    set_text(L, "low", entry->low);
    set_text(L, "high", entry->high);
    set_text(L, "source", entry->source);
    set_text(L, "claims", entry->claims);
    set_bool(L, "is_bare",
             param->kind == PARAM_RATIO || param->kind == PARAM_BOOL ||
                 (param->kind == PARAM_QUANTITY && param->unit == UNIT_COUNT));
}

/* Appends to the list on top what kinds of nodes say, from row `row` on: a section for each "kinds.older.gpu". */
static void add_kind_sections(lua_State *L, const struct machine *machine, guint row)
{
    const char *outer = NULL;
    for (; row < machine->provenance->len; row++) {
        const struct provenance *entry = g_ptr_array_index(machine->provenance, row);
        if (g_strcmp0(outer, entry->section.outer) != 0) {
            outer = entry->section.outer;
            lua_newtable(L);
            set_text(L, "outer", outer);
            lua_seti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
        }
        lua_geti(L, -1, (lua_Integer)lua_rawlen(L, -1));
        push_provenance(L, entry);
        lua_seti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
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
        lua_newtable(L);
        set_text(L, "outer", section.outer);
        set_text(L, "kind", i >= known ? section.table->kind->component : NULL);
        for (size_t j = 0; j < section.table->count; j++) {
            push_provenance(L, g_ptr_array_index(machine->provenance, row++));
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
    set_text(L, "name", machine->name);
    set_machine_functions(L, machine);
}

static int free_machine(lua_State *L)
{
    machine_free(*(struct machine **)lua_touserdata(L, 1));
    return 0;
}

/* --- rows --------------------------------------------------------------------------------------- */

static int free_row(lua_State *L)
{
    row_free(*(struct row **)lua_touserdata(L, 1));
    return 0;
}

static int number_of(lua_State *L)
{
    const struct row *row = *(struct row **)upvalue(L);
    const struct measure *measure = row->failure ? NULL : row_measure(row, luaL_checkstring(L, 1));
    if (measure)
        lua_pushnumber(L, outcome_number(measure));
    else
        lua_pushnil(L);
    return 1;
}

static int measure_of(lua_State *L)
{
    const struct row *row = *(struct row **)upvalue(L);
    GError *error = NULL;
    const struct measure *measure =
        outcome_find(row, luaL_optstring(L, 1, NULL), luaL_checkstring(L, 2), &error);
    if (!measure)
        return views_raise(L, error);
    bool is_quantity = measure->value.kind == VALUE_QUANTITY;
    lua_newtable(L);
    set_text(L, "name", measure->name);
    set_text(L, "text", measure->value.text);
    set_number(L, "number", outcome_number(measure));
    set_number(L, "spread", outcome_spread(row, measure));
    set_text(L, "unit", is_quantity ? units_lua_unit(measure->value.unit) : NULL);
    push_text(L, value_column(measure->name, &measure->value));
    lua_setfield(L, -2, "column");
    return 1;
}

/* Takes the row over. */
static void push_row(lua_State *L, struct row *row)
{
    static const luaL_Reg functions[] = {
        {"number", number_of}, {"measure", measure_of}, {NULL, NULL}};
    luaL_newlibtable(L, functions);
    set_text(L, "failure", row->failure);
    set_text(L, "read", row->read);
    set_text(L, "unread", row->unread);
    *(struct row **)lua_newuserdatauv(L, sizeof row, 0) = row;
    set_collector(L, free_row);
    luaL_setfuncs(L, functions, 1);
}

/* --- variants ----------------------------------------------------------------------------------- */

/* The text of point `number` on an axis. */
static int axis_text(lua_State *L)
{
    const struct study *study = ((struct variants *)upvalue(L))->study;
    const struct axis *axis = study_axis(study, luaL_checkstring(L, 1));
    size_t point = (size_t)luaL_checkinteger(L, 2);
    size_t step = study_axis_index(study, point, (size_t)(axis - study->axes));
    lua_pushstring(L, axis->values[step].text);
    return 1;
}

/* Which of the axis's values a point has. */
static int axis_step(lua_State *L)
{
    const struct study *study = ((struct variants *)upvalue(L))->study;
    const struct axis *axis = study_axis(study, luaL_checkstring(L, 1));
    size_t point = (size_t)luaL_checkinteger(L, 2);
    lua_pushinteger(L, (lua_Integer)study_axis_index(study, point, (size_t)(axis - study->axes)));
    return 1;
}

static int label(lua_State *L)
{
    const struct variants *variants = upvalue(L);
    return push_text(L, point_label(variants->study, (size_t)luaL_checkinteger(L, 1)));
}

static int select_points(lua_State *L)
{
    const struct variants *variants = upvalue(L);
    GError *error = NULL;
    GArray *points = points_select(variants->study, luaL_checkstring(L, 1), &error);
    if (!points)
        return views_raise(L, error);
    lua_createtable(L, (int)points->len, 0);
    for (guint i = 0; i < points->len; i++) {
        lua_pushinteger(L, g_array_index(points, guint, i));
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    g_array_unref(points);
    return 1;
}

static int add(lua_State *L)
{
    size_t point = (size_t)luaL_checkinteger(L, 1);
    lua_pushinteger(L, (lua_Integer)variants_add(upvalue(L), point, vary_lua_texts(L, 2)) + 1);
    return 1;
}

static int run(lua_State *L)
{
    GError *error = NULL;
    GPtrArray *rows = variants_run(upvalue(L), &error);
    if (!rows)
        return views_raise(L, error);
    lua_createtable(L, (int)rows->len, 0);
    for (guint i = 0; i < rows->len; i++) {
        push_row(L, g_steal_pointer(&g_ptr_array_index(rows, i)));
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    g_ptr_array_unref(rows);
    return 1;
}

static int runs(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)((struct variants *)upvalue(L))->runs);
    return 1;
}

/* draw(point, paths, count): lists the samples of a point's estimated parameters; how many of these there are. */
static int draw(lua_State *L)
{
    struct variants *variants = upvalue(L);
    size_t point = (size_t)luaL_checkinteger(L, 1), count = (size_t)luaL_checkinteger(L, 3);
    GError *error = NULL;
    struct machine *machine = variants_machine(variants, point, &error);
    if (!machine)
        return views_raise(L, error);
    g_auto(GStrv) paths = g_strsplit(luaL_checkstring(L, 2), ",", -1);
    lua_pushinteger(L, (lua_Integer)band_add(variants, point, machine, paths, count));
    machine_free(machine);
    return 1;
}

static int machine_of(lua_State *L)
{
    GError *error = NULL;
    struct machine *machine = variants_machine(upvalue(L), (size_t)luaL_checkinteger(L, 1), &error);
    if (!machine)
        return views_raise(L, error);
    vary_lua_push_machine(L, machine);
    *(struct machine **)lua_newuserdatauv(L, sizeof machine, 0) = machine;
    set_collector(L, free_machine);
    lua_setfield(L, -2, "owned");
    return 1;
}

void vary_lua_push_variants(lua_State *L, struct variants *variants)
{
    static const luaL_Reg functions[] = {{"axis", axis_text},
                                         {"step", axis_step},
                                         {"label", label},
                                         {"select", select_points},
                                         {"add", add},
                                         {"run", run},
                                         {"machine", machine_of},
                                         {"runs", runs},
                                         {"draw", draw},
                                         {NULL, NULL}};
    const struct study *study = variants->study;
    luaL_newlibtable(L, functions);
    lua_createtable(L, (int)study->axis_count, 0);
    for (size_t i = 0; i < study->axis_count; i++) {
        lua_pushstring(L, study->axes[i].name);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "axes");
    lua_pushinteger(L, (lua_Integer)variants->point_count);
    lua_setfield(L, -2, "points");
    set_text(L, "title", study->title);
    lua_pushlightuserdata(L, variants);
    luaL_setfuncs(L, functions, 1);
}

/* --- measures and draws ------------------------------------------------------------------------- */

/* parse(unit, text): a measure's number; of no unit a plain one. */
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

/* order(seed, name, count): the numbers below `count` in a random order. */
static int order(lua_State *L)
{
    struct rng rng;
    lua_Integer count = luaL_checkinteger(L, 3);
    uint32_t *parts = lua_newuserdatauv(L, (size_t)count * sizeof *parts, 0);
    rng_init(&rng, (uint64_t)luaL_checkinteger(L, 1), luaL_checkstring(L, 2));
    rng_order(&rng, parts, (uint32_t)count);
    lua_createtable(L, (int)count, 0);
    for (lua_Integer i = 0; i < count; i++) {
        lua_pushinteger(L, parts[i]);
        lua_seti(L, -2, i + 1);
    }
    return 1;
}

void vary_lua_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"parse", parse_measure}, {"order", order}, {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_setglobal(L, "vary");
}
