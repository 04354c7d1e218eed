/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim-nlopt.so, the only part that is linked with NLopt. */
#include "script/searches/nlopt_lua.h"

#include <lauxlib.h>
#include <math.h>
#include <nlopt.h>
#include <stdbool.h>

enum { PROBLEM = 1, FAULT };

struct minimisation {
    lua_State *L; /* has the problem and, once `failed`, the error */
    nlopt_opt optimizer;
    bool failed;
};

static void push_place(lua_State *L, const double *x, unsigned count)
{
    lua_createtable(L, (int)count, 0);
    for (unsigned i = 0; i < count; i++) {
        lua_pushnumber(L, x[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
}

/* Calls the problem's function at `x`, and pushes its result. An error is kept, since a jump must not pass through NLopt. */
static bool call(struct minimisation *of, const char *function, const double *x, unsigned count)
{
    if (of->failed)
        return false;
    lua_getfield(of->L, PROBLEM, function);
    push_place(of->L, x, count);
    of->failed = lua_pcall(of->L, 1, 1, 0) != LUA_OK;
    if (!of->failed)
        return true;
    lua_replace(of->L, FAULT);
    nlopt_force_stop(of->optimizer);
    return false;
}

static double objective(unsigned count, const double *x, double *gradient, void *context)
{
    struct minimisation *of = context;
    (void)gradient;
    if (!call(of, "objective", x, count))
        return HUGE_VAL;
    double least = lua_tonumber(of->L, -1);
    lua_pop(of->L, 1);
    return least;
}

static void constraints(unsigned results, double *result, unsigned count, const double *x,
                        double *gradient, void *context)
{
    struct minimisation *of = context;
    bool good = call(of, "constraints", x, count);
    (void)gradient;
    for (unsigned i = 0; i < results; i++) {
        result[i] = 1;
        if (!good)
            continue;
        lua_geti(of->L, -1, (lua_Integer)i + 1);
        result[i] = lua_tonumber(of->L, -1);
        lua_pop(of->L, 1);
    }
    if (good)
        lua_pop(of->L, 1);
}

static double number_field(lua_State *L, const char *field)
{
    lua_getfield(L, PROBLEM, field);
    double number = luaL_optnumber(L, -1, 0);
    lua_pop(L, 1);
    return number;
}

/* Sets all options of the problem except the objective. */
static void set_up(struct minimisation *of, double *tolerances, unsigned constraint_count)
{
    lua_State *L = of->L;
    double step = number_field(L, "step");
    nlopt_set_lower_bounds1(of->optimizer, 0);
    nlopt_set_upper_bounds1(of->optimizer, 1);
    nlopt_set_maxeval(of->optimizer, (int)number_field(L, "evaluations"));
    nlopt_set_xtol_abs1(of->optimizer, number_field(L, "tolerance"));
    if (step > 0)
        nlopt_set_initial_step1(of->optimizer, step);
    if (constraint_count > 0)
        nlopt_add_inequality_mconstraint(of->optimizer, constraint_count, constraints, of,
                                         tolerances);
}

static int minimise(lua_State *L)
{
    static const char *const names[] = {"bobyqa", "cobyla", NULL};
    static const nlopt_algorithm algorithms[] = {NLOPT_LN_BOBYQA, NLOPT_LN_COBYLA};
    lua_settop(L, FAULT);
    lua_getfield(L, PROBLEM, "algorithm");
    nlopt_algorithm algorithm = algorithms[luaL_checkoption(L, -1, NULL, names)];
    lua_getfield(L, PROBLEM, "start");
    unsigned count = (unsigned)luaL_len(L, -1);
    unsigned constraint_count = (unsigned)number_field(L, "constraint_count");
    double *x = lua_newuserdatauv(L, (count + constraint_count) * sizeof *x, 0), least;
    for (unsigned i = 0; i < count + constraint_count; i++) {
        lua_geti(L, -2, (lua_Integer)i + 1);
        x[i] = i < count ? lua_tonumber(L, -1) : 0;
        lua_pop(L, 1);
    }
    struct minimisation of = {L, nlopt_create(algorithm, count), false};
    set_up(&of, x + count, constraint_count);
    nlopt_set_min_objective(of.optimizer, objective, &of);
    nlopt_optimize(of.optimizer, x, &least);
    nlopt_destroy(of.optimizer);
    if (of.failed) {
        lua_settop(L, FAULT);
        return lua_error(L);
    }
    push_place(L, x, count);
    return 1;
}

__attribute__((visibility("default"))) const lua_CFunction gpunetsim_nlopt_minimise = minimise;
