/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/measured.h"

#include <lauxlib.h>

#include "script/values/values.h"
#include "script/views/units_lua.h"
#include "script/views/views.h"

struct measured_call {
    const struct study *study;
    const struct measured *file;
};

static void push_value(lua_State *L, const struct value *value)
{
    lua_createtable(L, 0, 6);
    lua_set_text(L, "kind", units_lua_kind(value->kind));
    lua_set_text(L, "unit", units_lua_unit(value->unit));
    lua_set_text(L, "text", value->text);
    if (value->kind == VALUE_QUANTITY)
        lua_pushinteger(L, value->quantity);
    else
        lua_pushnumber(L, value->number);
    lua_setfield(L, -2, "number");
}

/* --- the study --------------------------------------------------------------------------------- */

static void push_axis(lua_State *L, const struct axis *axis)
{
    lua_newtable(L);
    lua_set_text(L, "name", axis->name);
    lua_createtable(L, (int)axis->count, 0);
    for (size_t i = 0; i < axis->count; i++) {
        push_value(L, &axis->values[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "values");
}

static void push_study(lua_State *L, const struct study *study)
{
    lua_newtable(L);
    lua_set_text(L, "path", study->path);
    lua_createtable(L, (int)study->axis_count, 0);
    for (size_t i = 0; i < study->axis_count; i++) {
        push_axis(L, &study->axes[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "axes");
}

int measured_push(lua_State *L, const struct study *study, const struct measured *files,
                  size_t file_count)
{
    push_study(L, study);
    lua_createtable(L, (int)file_count, 0);
    for (size_t i = 0; i < file_count; i++) {
        views_push_value(L, files[i].value);
        lua_append(L);
    }
    return 2;
}

static int push_file(lua_State *L, void *context)
{
    const struct measured_call *call = context;
    return measured_push(L, call->study, call->file, 1);
}

bool measured_check(const struct study *study, const struct measured *measured, GError **error)
{
    struct measured_call call = {study, measured};
    g_auto(GStrv) none =
        views_call("measured", "check", push_file, &call, g_variant_new("()"), error);
    return none != NULL;
}
