/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/searches/calibrate_study.h"

#include <lauxlib.h>
#include <lua.h>

#include "core/error.h"
#include "core/units.h"
#include "script/script.h"
#include "script/searches/nlopt_lua.h"
#include "script/searches/vary_lua.h"
#include "script/study/point.h"
#include "script/views/views.h"
#include "study/claims/claims.h"
#include "study/experiment.h"

/* --- running ------------------------------------------------------------------------------------ */

/* The request's overrides and those of the list at `argument`. The caller frees them with g_strfreev. */
static char **overrides_of(lua_State *L, const struct calibrate_study *request, int argument)
{
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    for (char *const *given = request->overrides; given && *given; given++)
        g_strv_builder_add(list, *given);
    for (lua_Integer i = 1; lua_geti(L, argument, i) == LUA_TSTRING; i++) {
        g_strv_builder_add(list, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return g_strv_builder_end(list);
}

static struct experiment *run(lua_State *L, const struct calibrate_study *request, const char *path,
                              int argument, GError **error)
{
    g_auto(GStrv) overrides = overrides_of(L, request, argument);
    struct study *study = study_load(path, (const char *const *)overrides, error);
    return study ? experiment_run(study, &request->options, error) : NULL;
}

/* --- targets ------------------------------------------------------------------------------------ */

/* Sets the field to what the column has: a number, or a text; nothing if it has none. */
static void set_cell(lua_State *L, const struct table *table, size_t row, const char *name)
{
    int column = table_find(table, name);
    const char *text = column >= 0 ? table_cell(table, row, (size_t)column) : NULL;
    if (unit_is_number(text))
        lua_pushnumber(L, g_ascii_strtod(text, NULL));
    else
        lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

static void push_targets(lua_State *L, const struct experiment *experiment)
{
    static const char *const names[] = {"simulated", "target", "tolerance", "bound"};
    lua_createtable(L, (int)experiment->row_count, 0);
    for (size_t row = 0; row < experiment->row_count; row++) {
        g_autofree char *name = experiment_point_text(experiment->study, experiment->rows[row]);
        lua_createtable(L, 0, 1 + G_N_ELEMENTS(names));
        lua_pushstring(L, name);
        lua_setfield(L, -2, "name");
        for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
            set_cell(L, experiment->table, row, names[i]);
        lua_seti(L, -2, (lua_Integer)row + 1);
    }
}

static int evaluate(lua_State *L)
{
    const struct calibrate_study *request = lua_touserdata(L, lua_upvalueindex(1));
    GError *error = NULL;
    struct experiment *experiment = run(L, request, request->path, 1, &error);
    char *failure = experiment ? experiment_failure(experiment) : NULL;
    if (failure)
        error_set_code(&error, ERROR_RUN, "%s", failure);
    else if (experiment)
        push_targets(L, experiment);
    g_free(failure);
    experiment_free(experiment);
    return error ? views_raise(L, error) : 1;
}

/* --- claims ------------------------------------------------------------------------------------- */

/* Pushes a floating value. */
static void push_variant(lua_State *L, GVariant *value)
{
    g_autoptr(GVariant) owned = g_variant_ref_sink(value);
    views_push_value(L, owned);
}

/* Claims are answered once: each run has its own list. */
static int answer_claims(lua_State *L)
{
    const struct calibrate_study *request = lua_touserdata(L, lua_upvalueindex(1));
    const char *path = luaL_checkstring(L, 1);
    GError *error = NULL;
    struct claims *claims = claims_open_own(&error);
    struct experiment *experiment = claims ? run(L, request, path, 2, &error) : NULL;
    bool good = experiment && experiment_answer(experiment, claims, &error);
    if (good) {
        push_variant(L, claims_value(claims));
        push_variant(L, experiment_claim_ids(experiment->study));
    }
    experiment_free(experiment);
    claims_free(claims);
    return good ? 2 : views_raise(L, error);
}

/* --- the command -------------------------------------------------------------------------------- */

struct study_given {
    struct calibrate_study *request;
    struct machine *machine;
};

static int push_given(lua_State *L, void *context)
{
    static const luaL_Reg functions[] = {
        {"evaluate", evaluate}, {"claims", answer_claims}, {NULL, NULL}};
    const struct study_given *given = context;
    const struct calibrate_study *request = given->request;
    vary_lua_open(L);
    nlopt_lua_open(L);
    luaL_newlibtable(L, functions);
    lua_pushlightuserdata(L, given->request);
    luaL_setfuncs(L, functions, 1);
    vary_lua_push_machine(L, given->machine);
    lua_setfield(L, -2, "machine");
    lua_pushstring(L, request->path);
    lua_setfield(L, -2, "path");
    lua_pushinteger(L, (lua_Integer)request->evaluations);
    lua_setfield(L, -2, "evaluations");
    lua_pushboolean(L, request->keep);
    lua_setfield(L, -2, "keep");
    vary_lua_push_texts(L, request->bands);
    lua_setfield(L, -2, "bands");
    return 1;
}

/* The machine of the study's first point. */
static struct machine *machine_of(const struct calibrate_study *request, GError **error)
{
    struct study *study;
    if (!script_read(request->path, (const char *const *)request->overrides, &study, error))
        return NULL;
    if (!study) {
        error_set(error,
                  "%s is a machine; calibrate takes a study that has what was measured beside what "
                  "is simulated on it",
                  request->path);
        return NULL;
    }
    struct machine *machine = study_machine(study, 0, error);
    study_free(study);
    return machine;
}

bool calibrate_study(struct calibrate_study *request, GError **error)
{
    struct study_given given = {request, machine_of(request, error)};
    g_auto(GStrv) texts = given.machine ? views_call("calibrate/study", "answer", push_given,
                                                     &given, g_variant_new("()"), error)
                                        : NULL;
    machine_free(given.machine);
    return texts != NULL;
}
