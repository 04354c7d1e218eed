/* get_latency { design = "dgpu", bytes = "8B" } runs the workload of that name on the machine of
 * the point at work. The result has a field for each measure under its column's name, a number
 * (r.latency_us), and under the measure's own name the exact quantity as text (r.latency). */
#include "script/workload_lua.h"

#include <lauxlib.h>
#include <string.h>

#include "script/bind.h"
#include "script/library.h"
#include "script/record.h"
#include "script/sandbox.h"
#include "script/value.h"

#define RESULT "gpunetsim.result"

const struct workload_result *workload_result_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, RESULT);
}

struct script_value workload_value(const struct workload_measure *measure)
{
    return measure->is_ratio ? value_number(measure->ratio)
                             : value_quantity(measure->quantity, measure->unit);
}

/* Pushes a table of all fields of a result. */
static void push_fields(lua_State *L, const struct workload_result *result)
{
    lua_newtable(L);
    for (size_t i = 0; i < result->count; i++) {
        struct script_value value = workload_value(&result->measures[i]);
        value_set_fields(L, result->measures[i].name, &value);
        value_clear(&value);
    }
}

static int result_index(lua_State *L)
{
    const struct workload_result *result = luaL_checkudata(L, 1, RESULT);
    push_fields(L, result);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, 3) != LUA_TNIL)
        return 1;
    record_sorted_keys(L, 3);
    record_unknown(L, "measure", lua_isstring(L, 2) ? lua_tostring(L, 2) : luaL_typename(L, 2),
                   "the result");
}

static int result_newindex(lua_State *L)
{
    script_fail(L, "a result cannot be changed");
}

static int result_pairs(lua_State *L)
{
    push_fields(L, luaL_checkudata(L, 1, RESULT));
    return library_pairs(L, -1);
}

static int workload_word(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__index", result_index},
                                       {"__newindex", result_newindex},
                                       {"__pairs", result_pairs},
                                       {NULL, NULL}};
    const struct workload *workload = lua_touserdata(L, lua_upvalueindex(1));
    struct script_state *state = sandbox_of(L);
    if (!state->machine)
        script_fail(L, "%s can be called only inside the run function of a study", workload->name);
    lua_settop(L, 1);
    void *spec = lua_newuserdatauv(L, workload->params->spec_size, 0);
    bind_table(L, 1, workload->params, spec);
    struct workload_result *result = lua_newuserdatauv(L, sizeof *result, 0);
    memset(result, 0, sizeof *result);
    library_set_metatable(L, RESULT, methods);
    char why[1000] = "";
    if (!workload->run(state->machine, spec, state->seed, result, why, sizeof why))
        script_fail(L, "%s", why);
    return 1;
}

void workload_open(lua_State *L)
{
    for (const struct workload *const *workload = workloads; *workload; workload++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)*workload);
        lua_pushcclosure(L, workload_word, 1);
        library_add_word(L, (*workload)->name);
    }
}
