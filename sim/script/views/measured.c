/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/measured.h"

#include <lauxlib.h>

#include "script/values/values.h"
#include "script/views/units_lua.h"
#include "script/views/views.h"

int axes_lua_push(lua_State *L, const struct study *study)
{
    lua_createtable(L, (int)study->axis_count, 0);
    for (size_t i = 0; i < study->axis_count; i++) {
        lua_createtable(L, (int)study->axes[i].count, 3);
        lua_set_text(L, "name", study->axes[i].name);
        lua_set_text(L, "kind", units_lua_kind(study->axes[i].values[0].kind));
        lua_set_text(L, "unit", units_lua_unit(study->axes[i].values[0].unit));
        for (size_t k = 0; k < study->axes[i].count; k++)
            lua_append_text(L, study->axes[i].values[k].text);
        lua_append(L);
    }
    return 1;
}

static int push_axes(lua_State *L, void *study)
{
    return axes_lua_push(L, study);
}

bool measured_check(const struct study *study, GError **error)
{
    g_autoptr(GVariant) files = study_table(study, "measured");
    if (g_variant_n_children(files) == 0)
        return true;
    g_auto(GStrv) none = views_call("measured", "check", push_axes, (void *)(gsize)study,
                                    g_variant_new("(@*)", files), error);
    return none != NULL;
}
