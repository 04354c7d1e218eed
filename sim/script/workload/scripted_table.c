/* SPDX-License-Identifier: BSD-3-Clause */
/* A file's `local p = workload { ... }`: the table of its parameters when it is read, their values when it is run. */
#include <lualib.h>

#include "core/error.h"
#include "core/home.h"
#include "script/workload/scripted.h"
#include "script/workload/scripted_parts.h"

/* --- reading a table ---------------------------------------------------------------------------- */

/* The kinds of rows that have a default, and mostly bounds. */
static const struct row_kind {
    const char *name;
    enum param_kind kind;
    enum unit_kind unit;
} row_kinds[] = {
    {"count", PARAM_QUANTITY, UNIT_COUNT},         {"bytes", PARAM_QUANTITY, UNIT_BYTES},
    {"time", PARAM_QUANTITY, UNIT_TIME},           {"rate", PARAM_QUANTITY, UNIT_RATE},
    {"number", PARAM_RATIO, UNIT_COUNT},           {"flag", PARAM_BOOL, UNIT_COUNT},
    {"percentiles", PARAM_PERCENTILES, UNIT_COUNT}};

static const struct row_kind *row_kind_of(lua_State *L, const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(row_kinds); i++)
        if (g_str_equal(row_kinds[i].name, name))
            return &row_kinds[i];
    luaL_error(L, "there is no kind of rows \"%s\"", name);
    return NULL;
}

/* Entry `number` of the row on top of the stack, a text that is never freed; NULL if it is no text. */
static const char *text_at(lua_State *L, int number)
{
    lua_geti(L, -1, number);
    const char *text = g_intern_string(lua_tostring(L, -1));
    lua_pop(L, 1);
    return text;
}

/* The names in entry 2 of the row on top of the stack. */
static const char *const *choices_at(lua_State *L)
{
    lua_geti(L, -1, 2);
    int count = (int)lua_rawlen(L, -1);
    const char **names = g_new0(const char *, (gsize)count + 1);
    for (int i = 0; i < count; i++)
        names[i] = text_at(L, i + 1);
    lua_pop(L, 1);
    return names;
}

static bool is_text_at(lua_State *L, int number)
{
    bool is_text = lua_geti(L, -1, number) == LUA_TSTRING;
    lua_pop(L, 1);
    return is_text;
}

/* Reads the row on top of the stack: { "design", "design", description }, { name, { choices }, default, description }, { name,
 * "flag" or "percentiles", default, description }, or { name, kind, default, least, most, description }. */
static struct param read_row(lua_State *L)
{
    struct param row = {.name = text_at(L, 1), .kind = PARAM_CHOICE, .unit = UNIT_COUNT};
    const char *kind = is_text_at(L, 2) ? text_at(L, 2) : "choice";
    if (g_str_equal(kind, "design"))
        return (struct param){.name = row.name,
                              .kind = PARAM_RECORD,
                              .unit = UNIT_COUNT,
                              .description = text_at(L, 3),
                              .record = &design_record};
    row.default_text = text_at(L, 3);
    if (g_str_equal(kind, "choice")) {
        row.choices = choices_at(L);
    } else {
        row.kind = row_kind_of(L, kind)->kind;
        row.unit = row_kind_of(L, kind)->unit;
    }
    bool is_bounded = row.kind == PARAM_QUANTITY || row.kind == PARAM_RATIO;
    row.low = is_bounded ? text_at(L, 4) : NULL;
    row.high = is_bounded ? text_at(L, 5) : NULL;
    row.description = text_at(L, is_bounded ? 6 : 4);
    return row;
}

/* A text field of the table at stack index 1. */
static const char *text_field(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    const char *text = g_intern_string(luaL_checkstring(L, -1));
    lua_pop(L, 1);
    return text;
}

/* Pushes the rows of the table at stack index 1, in which others stand for those that workloads share. */
static void push_rows(lua_State *L)
{
    lua_getglobal(L, "require");
    lua_pushliteral(L, "benchmarks.parts.shared_rows");
    lua_call(L, 1, 1);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
}

/* Makes the parameter table from the table at stack index 1; it is never freed. */
static struct param_table *read_table(lua_State *L, const char *name)
{
    push_rows(L);
    int all = lua_gettop(L);
    size_t size = 0, count = lua_rawlen(L, all);
    struct param *rows = lua_newuserdatauv(L, count * sizeof *rows,
                                           0); /* Lua owns the rows, since read_row may fail */
    for (size_t i = 0; i < count; i++) {
        lua_geti(L, all, (lua_Integer)i + 1);
        rows[i] = read_row(L);
        rows[i].offset = size;
        size += rows[i].kind == PARAM_RECORD ? sizeof(struct design) : sizeof(int64_t);
        lua_pop(L, 1);
    }
    const char *description = text_field(L, "description");
    struct param_table *table = g_new0(struct param_table, 1);
    *table = (struct param_table){
        .component = name, .description = description, .count = count, .spec_size = size};
    table->params = g_memdup2(rows, count * sizeof *rows);
    return table;
}

/* Reads rules = { { name, of, values }, ... } of the table at stack index 1; NULL: there are none. */
static const struct workload_rule *read_rules(lua_State *L)
{
    lua_settop(L, 1);
    if (lua_getfield(L, 1, "rules") == LUA_TNIL)
        return NULL;
    int count = (int)lua_rawlen(L, 2);
    struct workload_rule *rules = g_new0(struct workload_rule, (gsize)count + 1);
    for (int i = 0; i < count; i++) {
        lua_geti(L, 2, i + 1);
        rules[i] = (struct workload_rule){text_at(L, 1), text_at(L, 2), text_at(L, 3)};
        lua_pop(L, 1);
    }
    return rules;
}

static void describe(lua_State *L, struct workload *workload)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    struct param_table *table = read_table(L, workload->name);
    workload->rules = read_rules(L);
    lua_getfield(L, 1, "in_kernel");
    if (param_find(table, "design") != NULL)
        workload->accepts = lua_toboolean(L, -1) ? transfer_accepts_kernel : transfer_accepts;
    lua_getfield(L, 1, "settles");
    workload->settle = lua_toboolean(L, -1) ? scripted_settle : NULL;
    workload->params = table;
}

/* --- the word ----------------------------------------------------------------------------------- */

void scripted_push_value(lua_State *L, const struct param *param, const void *spec)
{
    const void *field = (const char *)spec + param->offset;
    if (param->kind == PARAM_RECORD)
        lua_pushnil(L);
    else if (param->kind == PARAM_RATIO)
        lua_pushnumber(L, *(const double *)field);
    else if (param->kind == PARAM_BOOL)
        lua_pushboolean(L, *(const int64_t *)field != 0);
    else if (param->kind == PARAM_CHOICE)
        lua_pushstring(L, param->choices[*(const int64_t *)field]);
    else
        lua_pushinteger(L, *(const int64_t *)field);
}

/* workload { ... }: stops a file that is only read for its table. */
int scripted_workload(lua_State *L)
{
    const struct scripted *run = scripted_of(L);
    if (run->described != NULL) {
        describe(L, run->described);
        return lua_error(L);
    }
    const struct param_table *table = run->workload->params;
    lua_createtable(L, 0, (int)table->count);
    for (size_t i = 0; i < table->count; i++) {
        scripted_push_value(L, &table->params[i], run->spec);
        lua_setfield(L, -2, table->params[i].name);
    }
    return 1;
}

bool scripted_load(struct workload *workload, GError **error)
{
    if (workload->params->count > 0)
        return true;
    g_autofree char *path = scripted_path(workload, error);
    if (path == NULL)
        return false;
    struct scripted reading = {.described = workload, .L = luaL_newstate()};
    scripted_run_file(&reading, path);
    if (workload->params->count == 0)
        error_set(error, "%s: %s", path, lua_tostring(reading.L, -1));
    lua_close(reading.L);
    return workload->params->count > 0;
}
