/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims of a study: `claims = { ["N-39"] = function(r) return ... end }`. The function gets the
 * results: r:value { design = "dgpu", bytes = "8B" } is the one row of that point, r:each "bytes"
 * the values of an axis, r.rows all rows that did not fail. It returns a number in the claim's
 * unit, true or false, or a table { obtained = number, holds = boolean, note = text }, in which a range that was
 * obtained is { LOW, HIGH }. A claim may
 * also be listed by its id alone: the study shows it, but does not judge it. */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "script/machine/bind.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/library.h"
#include "script/sandbox/list.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/study/point.h"
#include "script/study/results_lua.h"
#include "script/study/study_lua.h"

/* --- reading ------------------------------------------------------------------------------------
 */

/* Adds the claim whose id is the text at `index`. */
static void add_claim(lua_State *L, struct study *study, int index)
{
    char *id = sandbox_copy_text(L, index);
    study->claims[study->claim_count++].id = id;
}

static void read_named(lua_State *L, struct study *study, int table, int functions)
{
    record_sorted_keys(L, table);
    lua_Integer count = list_length(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, i);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, table) != LUA_TFUNCTION)
            script_fail(L, "claims: %s needs a function of the results, not a %s",
                        lua_tostring(L, -2), luaL_typename(L, -1));
        add_claim(L, study, -2);
        lua_rawset(L, functions);
    }
    lua_pop(L, 1);
}

static void read_listed(lua_State *L, struct study *study, int table)
{
    lua_Integer count = list_part(L, table);
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_rawgeti(L, table, i) != LUA_TSTRING)
            script_fail(L, "claims: write [\"N-39\"] = function(r) ... end, or the id alone");
        add_claim(L, study, -1);
        lua_pop(L, 1);
    }
}

void study_read_claims(lua_State *L, struct study *study)
{
    int table = lua_gettop(L);
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1))
        count++;
    sandbox_take(L, (count + 1) * sizeof *study->claims);
    study->claims = g_new0(struct study_claim, count + 1);
    lua_newtable(L);
    read_named(L, study, table, table + 1);
    read_listed(L, study, table);
    lua_settop(L, table + 1);
    study_keep(L, "claims");
    lua_settop(L, table - 1);
}

/* --- results ------------------------------------------------------------------------------------
 */

static const struct results *results_now(lua_State *L)
{
    const struct results *results = sandbox_of(L)->results;
    if (!results)
        script_fail(L, "results can be used only inside a function that is given them");
    return results;
}

static void push_row(lua_State *L, const struct study *study, const struct row *row)
{
    lua_newtable(L);
    for (size_t i = 0; i < row->measure_count; i++)
        value_set_fields(L, row->measures[i].name, &row->measures[i].value);
    for (size_t i = 0; i < study->axis_count; i++) {
        study_push_value(L, i, row->axis_index[i]);
        lua_setfield(L, -2, study->axes[i].name);
    }
    record_push(L, "the row");
}

/* The axis called by argument or key at `index`. */
static size_t check_axis(lua_State *L, const struct study *study, int index)
{
    const char *name = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
    const struct axis *axis = study_axis(study, name);
    if (axis == NULL)
        script_fail(L, "unknown axis \"%s\"%s", name, study_push_axis_hint(L, study, name));
    return (size_t)(axis - study->axes);
}

/* The number of the value at `index` among those of the axis. */
static size_t check_value(lua_State *L, const struct axis *axis, int index)
{
    size_t found = study_value_at(L, axis, index);
    if (found == SIZE_MAX)
        script_fail(L, "axis \"%s\" has no such value", axis->name);
    if (found == axis->count)
        script_fail(L, "axis \"%s\" has no value %s", axis->name, luaL_tolstring(L, index, NULL));
    return found;
}

/* Comparing so many rows takes as long as an instruction. */
#define ROWS_PER_INSTRUCTION 8

static bool row_matches(const struct row *row, const size_t *wanted, size_t axis_count)
{
    for (size_t i = 0; i < axis_count; i++) {
        if (wanted[i] != SIZE_MAX && wanted[i] != row->axis_index[i])
            return false;
    }
    return true;
}

/* The one row that matches; which of its axes are not wanted is SIZE_MAX. */
static const struct row *find_row(lua_State *L, const struct results *results, const size_t *wanted)
{
    const struct row *found = NULL;
    size_t matches = 0;
    sandbox_charge(L, (int64_t)(results->row_count / ROWS_PER_INSTRUCTION));
    for (size_t i = 0; i < results->row_count; i++) {
        if (row_matches(results->rows[i], wanted, results->study->axis_count)) {
            found = results->rows[i];
            matches++;
        }
    }
    if (matches != 1)
        script_fail(L, "r:value matches %d rows instead of one", (int)matches);
    if (found->failure)
        script_fail(L, "r:value asks for a point that failed: %s", found->failure);
    return found;
}

/* r:value { axis = value, ... } */
static int results_value(lua_State *L)
{
    const struct results *results = results_now(L);
    const struct study *study = results->study;
    if (!lua_istable(L, 2))
        script_fail(L, "r:value needs a table such as { bytes = \"8B\" }");
    size_t *wanted = lua_newuserdatauv(L, (study->axis_count + 1) * sizeof *wanted, 0);
    for (size_t i = 0; i < study->axis_count; i++)
        wanted[i] = SIZE_MAX;
    record_sorted_keys(L, 2);
    int keys = lua_gettop(L);
    for (lua_Integer i = 1; lua_rawgeti(L, keys, i) != LUA_TNIL; i++) {
        size_t axis = check_axis(L, study, -1);
        lua_rawget(L, 2);
        wanted[axis] = check_value(L, &study->axes[axis], -1);
        lua_pop(L, 1);
    }
    push_row(L, study, find_row(L, results, wanted));
    return 1;
}

/* r:each "axis": a fresh list of its values. */
static int results_each(lua_State *L)
{
    const struct study *study = results_now(L)->study;
    size_t axis = check_axis(L, study, 2);
    lua_newtable(L);
    for (size_t i = 0; i < study->axes[axis].count; i++) {
        study_push_value(L, axis, i);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

void results_push(lua_State *L, const struct results *results)
{
    lua_newtable(L);
    lua_pushcfunction(L, results_value);
    lua_setfield(L, -2, "value");
    lua_pushcfunction(L, results_each);
    lua_setfield(L, -2, "each");
    lua_newtable(L);
    lua_Integer count = 0;
    for (size_t i = 0; i < results->row_count; i++) {
        if (results->rows[i]->failure)
            continue;
        push_row(L, results->study, results->rows[i]);
        lua_rawseti(L, -2, ++count);
    }
    lua_setfield(L, -2, "rows");
    record_push(L, "the results");
}

/* --- answer -------------------------------------------------------------------------------------
 */

static double read_number(lua_State *L, const struct results *results)
{
    double number = lua_tonumber(L, -1);
    if (!isfinite(number))
        script_fail(L, "claim %s: the number is not finite", results->claim->id);
    results->answer->has_number = true;
    return number;
}

static void read_part(lua_State *L, const struct results *results, const char *key, int type)
{
    lua_pushstring(L, key);
    int found = lua_rawget(L, 1);
    if (found != LUA_TNIL && found != type)
        script_fail(L, "claim %s: %s has to be a %s, not a %s", results->claim->id, key,
                    lua_typename(L, type), lua_typename(L, found));
}

/* One end of { LOW, HIGH }. */
static double read_end(lua_State *L, const struct results *results, int number)
{
    if (lua_rawgeti(L, -1, number) != LUA_TNUMBER)
        script_fail(L, "claim %s: a range obtained is { LOW, HIGH }, two numbers",
                    results->claim->id);
    double end = read_number(L, results);
    lua_pop(L, 1);
    return end;
}

/* A number, or both ends of a range. */
static void read_obtained(lua_State *L, const struct results *results)
{
    struct claim_answer *answer = results->answer;
    lua_pushstring(L, "obtained");
    int found = lua_rawget(L, 1);
    if (found == LUA_TTABLE) {
        answer->obtained_low = read_end(L, results, 1);
        answer->obtained = read_end(L, results, 2);
        answer->has_range = true;
        if (answer->obtained_low > answer->obtained)
            script_fail(L, "claim %s: the range obtained ends below its beginning",
                        results->claim->id);
    } else if (found == LUA_TNUMBER) {
        answer->obtained = read_number(L, results);
    } else if (found != LUA_TNIL) {
        script_fail(L, "claim %s: obtained has to be a number or { LOW, HIGH }, not a %s",
                    results->claim->id, lua_typename(L, found));
    }
}

static void read_answer_table(lua_State *L, const struct results *results)
{
    static const char *const keys[] = {"obtained", "holds", "note"};
    struct claim_answer *answer = results->answer;
    bind_check_keys(L, 1, keys, G_N_ELEMENTS(keys), "the answer to a claim", NULL);
    read_obtained(L, results);
    read_part(L, results, "holds", LUA_TBOOLEAN);
    answer->judged = !lua_isnil(L, -1);
    answer->holds = lua_toboolean(L, -1);
    read_part(L, results, "note", LUA_TSTRING);
    answer->note = sandbox_copy_text(L, -1);
}

static int evaluate(lua_State *L)
{
    const struct results *results = lua_touserdata(L, 1);
    study_push(L, "claims");
    if (lua_getfield(L, -1, results->claim->id) == LUA_TNIL)
        return 0;
    script_blame(L);
    results_push(L, results);
    lua_call(L, 1, 1);
    lua_replace(L, 1);
    lua_settop(L, 1);
    switch (lua_type(L, 1)) {
    case LUA_TNUMBER:
        results->answer->obtained = read_number(L, results);
        return 0;
    case LUA_TBOOLEAN:
        results->answer->judged = true;
        results->answer->holds = lua_toboolean(L, 1);
        return 0;
    case LUA_TTABLE:
        read_answer_table(L, results);
        return 0;
    default:
        script_fail(L,
                    "claim %s: the function has to return a number, a boolean or a table, not a %s",
                    results->claim->id, luaL_typename(L, 1));
    }
}

bool study_evaluate_claim(struct study *study, const struct study_claim *claim,
                          struct row *const *rows, size_t row_count, struct claim_answer *answer,
                          GError **error)
{
    struct results results = {study, claim, rows, row_count, answer};
    struct script_state *state = study->state;
    *answer = (struct claim_answer){.judged = false};
    state->results = &results;
    bool is_done = sandbox_call(state, evaluate, &results, ERROR_USE, error);
    state->results = NULL;
    if (!is_done) {
        g_free(answer->note);
        *answer = (struct claim_answer){.judged = false};
    }
    return is_done;
}
